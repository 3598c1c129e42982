"""What the attacker learns from all that leaves is one number: in the design, the promise, the audit, the verdict, on
the screen and in the report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from leakgauge.artefacts import Audit, Design, Judgement, Measurement
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.request.roles import file_about
from leakgauge.artefacts.scores import AttackerName
from leakgauge.assessment.judging import judge_foreign
from leakgauge.audit.foreign.release import ForeignRoles
from leakgauge.errors import InputError, RefusalError
from leakgauge.jobs.audit import audit_foreign
from leakgauge.jobs.protect import Done, protect
from leakgauge.jobs.protect.judged import Judging
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from tests.cli.running import run
from tests.frozen.tables import make_tables
from tests.grids import nightly
from tests.jobs.stubs import stubbed

TABLES = 60
EVERY_RUN = 5


def random_case(seed: int) -> tuple[pa.Table, dict[str, Any], int]:
    """A table of people, some with several rows each, what is asked of it, and how many people there are."""
    draw = simulation(seed)
    people, each = int(draw.integers(150, 400)), int(draw.choice([1, 1, 6]))
    sizes = {"secret": int(draw.integers(2, 5)), "other": 3, "town": int(draw.choice([2, 5, people // 2]))}
    own = {name: draw.integers(size, size=people) for name, size in sizes.items()}
    cost = np.round(draw.lognormal(3, 1, people), 1)
    # A town tells on some of its people.
    own["town"] = np.where(draw.random(people) < 0.7, own["town"], own["secret"])
    order = draw.permutation(people * each)
    columns = {name: pa.array([f"{name[0]}{values[at // each]}" for at in order]) for name, values in own.items()}
    numbers = {"person": [int(at // each) for at in order], "cost": [float(cost[at // each]) for at in order]}
    table = pa.table({**{name: pa.array(values) for name, values in numbers.items()}, **columns})
    secrets = [["secret"], ["secret"], ["secret", "other"], ["cost"]][int(draw.integers(4))]
    asked: dict[str, Any] = {"secret": secrets, "simulate": 1}
    asked |= {"bins": ["cost=quantiles:4"]} if secrets == ["cost"] else {}
    asked |= {"public": ["town"]} if draw.random() < 0.7 else {"background": ["town"]}
    asked |= {"max_leakage": 0.3} if draw.random() < 0.5 else {"max_distortion": 0.3}
    asked |= {"unit": "person"} if each > 1 else {}
    return table, {**asked, "accept_unique": asked.get("public", [])}, people


@pytest.mark.parametrize("seed", [one if one < EVERY_RUN else nightly(one) for one in range(TABLES)])
def test_every_file_says_the_same(seed: int, made: Path, tmp_path: Path) -> None:
    table, asked, people = random_case(seed)
    try:
        with stubbed(made, ("report",)):
            done = protect(table, tmp_path / "out", **asked)
    except (InputError, RefusalError) as error:
        pytest.skip(str(error))
    if done.released:
        require_one_answer(done, people)
        with open_table(table) as opened:
            require_same_promise(done, Judging(opened).before(done.job.request))


def require_one_answer(done: Done, people: int) -> None:
    audit, verdict = done.read(Audit, "audit.json"), done.read(Judgement, "verdict.json")
    roles = done.job.request.roles
    exposures = {one.secret: one for one in audit.exposures}
    for outcome in done.job.secrets:
        everything, entropy = exposures[outcome.secret].everything, exposures[outcome.secret].entropy.value
        assert outcome.leakage_after == everything.information and outcome.exact == everything.exact
        assert everything.information.ends[1] <= entropy * (1 + 1e-9) or everything.exact
        assert everything.information.value <= entropy * (1 + 1e-9)
        design = done.kept.get(Design, file_about("design.json", outcome.secret, roles.sources))
        leakage = done.kept.get(Measurement, file_about("leakage.json", outcome.secret, roles.sources))
        if not everything.exact or design is None or leakage is None:
            continue
        told = everything.information.value
        measured = leakage.leakage_with_background or leakage.mutual_information
        designed = design.leakage_with_background or design.leakage
        assert measured is not None and measured.value == pytest.approx(designed.value, abs=1e-9)
        if len(audit.exposures) == 1:
            assert designed.value == pytest.approx(told, abs=1e-9)
        else:
            # A design knows nothing of what other secrets' columns will reveal besides.
            assert designed.value <= told + 1e-9
    assert verdict.facts.leakage_bits == max(one.everything.information.value for one in audit.exposures)
    if verdict.facts.guessed is not None and verdict.facts.guessed_anyway is not None:
        more, everybody = verdict.facts.guessed
        assert everybody == people and 0 < more <= people
        deciding = exposures[tuple(verdict.deciding.split(", "))]
        by_one_row = verdict.scores[verdict.deciding].attacker.name is not AttackerName.KNOWS_ALL_ROWS
        if by_one_row and deciding.everything.everybody and verdict.facts.guessed_knowing == roles.background:
            in_the_end = deciding.everything.success.value * people
            assert verdict.facts.guessed_anyway == round(deciding.known.success.value * people)
            assert more + verdict.facts.guessed_anyway == pytest.approx(in_the_end, abs=1)


def require_same_promise(done: Done, promise: Judgement) -> None:
    """Where the law is counted it is the same number before anything is drawn, and else within the interval."""
    audit, verdict = done.read(Audit, "audit.json"), done.read(Judgement, "verdict.json")
    exact = all(one.everything.exact for one in audit.exposures)
    assert promise.facts.leakage_bits == pytest.approx(verdict.facts.leakage_bits, abs=1e-9)
    for name, scores in verdict.scores.items():
        promised = promise.scores[name].protection
        if exact:
            # An attack on what was drawn may show a little more by chance.
            assert scores.protection.value <= promised.value + 1e-9
            assert verdict.evidence[name].attackers[0].told == promise.evidence[name].attackers[0].told
        else:
            assert promised.ends[0] <= scores.protection.ends[1] and scores.protection.ends[0] <= promised.ends[1]


def test_screen_and_report_say_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The panel of 4,000 people with six rows each, whose bits were three numbers in one folder."""
    make_tables(tmp_path)
    command = ("protect", str(tmp_path / "panel.csv"), "--secret", "illness", "--public", "city", "--unit", "person")
    options = ("--rows-per-unit", "6", "--max-leakage", "0.6", "--simulate", "7", "-o", str(tmp_path / "out"))
    code, out, _ = run(capsys, *command, *options)
    assert code in (0, 1)
    told = read(Audit, tmp_path / "out" / "audit.json").exposures[0].everything.information
    verdict = read(Judgement, tmp_path / "out" / "verdict.json")
    design = read(Design, tmp_path / "out" / "design.json")
    assert design.leakage_with_background is not None
    assert told.value == pytest.approx(design.leakage_with_background.value, abs=1e-9)
    assert verdict.facts.leakage_bits == told.value
    assert f"→ {told.value:.3g} " in " ".join(out.split())
    report = (tmp_path / "out" / "report.json").read_text(encoding="utf-8")
    sources = [number for number in _numbers(json.loads(report)) if "everything/information" in number["source"]]
    assert sources and all(number["value"] == told.value for number in sources)


def test_several_searched_secrets_are_judged_beside_each_other(made: Path, tmp_path: Path) -> None:
    """One of them in bins, which leave only once it is chosen."""
    draw = simulation(3)
    ill = draw.choice(["flu", "none"], 900, p=[0.3, 0.7])
    age = np.round(40 + 10 * (ill == "flu") + 12 * draw.standard_normal(900))
    with stubbed(made, ("report",)):
        asked: dict[str, Any] = {
            "secret": ["ill", "age"],
            "bins": ["age=width:20"],
            "min_protection": 60,
            "simulate": 1,
        }
        done = protect(pa.table({"ill": ill, "age": age}), tmp_path / "out", **asked)
    promise, verdict = done.read(Judgement, "promise.json"), done.read(Judgement, "verdict.json")
    for name, scores in verdict.scores.items():
        # Counted shares lose next to nothing to more noise, so that a search may end well before the limits.
        found = promise.scores[name]
        assert found.protection.value >= 60 - 1e-9 and found.surest.ends[1] <= 45 + 1e-9
        assert scores.protection.value == pytest.approx(promise.scores[name].protection.value, abs=1e-9)


def test_no_part_reveals_more_than_the_whole(made: Path, tmp_path: Path) -> None:
    draw = simulation(4)
    table = pa.table({"s": draw.choice(["a", "b"], 20), "t": draw.choice(["x", "y"], 20)})
    with stubbed(made, ("report",)):
        done = protect(table, tmp_path / "out", secret=["s", "t"], max_distortion=0.2, simulate=1)
    for exposure in done.read(Audit, "audit.json").exposures:
        assert exposure.everything.exact
        parts = [one.information.value for one in (*exposure.columns, *exposure.pairs)]
        assert max(parts) <= exposure.everything.information.value + 1e-12


def test_a_release_made_elsewhere_has_one_base_rate_too(tmp_path: Path) -> None:
    draw = simulation(5)
    ill = draw.choice(["flu", "none", "cold"], 900, p=[0.3, 0.5, 0.2])
    made = np.where(draw.random(900) < 0.6, ill, draw.choice(["flu", "none", "cold"], 900))
    table = pa.table({"id": np.arange(900), "ill": ill})
    pa.csv.write_csv(table.set_column(1, "ill", pa.array(made)), tmp_path / "made.csv")
    with open_table(table) as original:
        audit = audit_foreign(tmp_path / "made.csv", original, ForeignRoles(("ill",), (), (), None, "id"))
        facts = judge_foreign(audit, tmp_path / "made.csv", original).facts
    (exposure,) = audit.exposures
    assert exposure.everything.everybody and facts.guessed is not None
    commonest = int(np.unique(ill, return_counts=True)[1].max())
    assert facts.guessed_anyway == commonest == round(exposure.known.success.value * 900)
    assert facts.guessed[0] + commonest == round(exposure.everything.success.value * 900)
    inferring = [one for one in audit.attacks if str(one.attack).startswith("attribute inference")]
    guessing = [one.baseline.value for one in inferring]
    assert guessing and guessing == pytest.approx([exposure.known.success.value] * len(guessing))


def _numbers(stored: Any) -> Iterator[dict[str, Any]]:
    """Every number of a stored report."""
    if isinstance(stored, dict) and {"value", "source"} <= stored.keys():
        yield stored
    elif isinstance(stored, dict | list):
        for one in stored.values() if isinstance(stored, dict) else stored:
            yield from _numbers(one)
