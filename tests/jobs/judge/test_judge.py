"""The verdict on a job: the same by its law and on what it draws, with vetoes, and never without a reason."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from leakgauge.artefacts import Request, codec
from leakgauge.artefacts.scores import Scores
from leakgauge.artefacts.verdict import Judgement, Recommendation
from leakgauge.assessment.judging import case_of, judge, judge_foreign, secrets_of
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.terms import Terms
from leakgauge.audit.foreign.release import ForeignRoles
from leakgauge.case import Case
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import OptionError, VerificationError
from leakgauge.jobs.audit import audit_foreign
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.verdicts import assess
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import simulation
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.tables import open_table
from tests.grids import nightly
from tests.jobs.finished import Finished
from tests.jobs.judge.tables import drawn, households, judged

SCORES = ("protection", "surest", "usefulness")
JOBS: dict[str, dict[str, Any]] = {
    "channel": {"public": ("trade",), "max_distortion": 0.3},
    "associations": {"public": ("trade",), "max_distortion": 0.3, "keep": "associations"},
    "public through a channel": {
        "public": ("trade", "town"),
        "public_distortion": {"trade": 0.1},
        "max_distortion": 0.3,
    },
    "background and bins": {"background": ("age",), "bins": ("age=width:20",), "local_dp": 1.5},
    "noise": {"secret": ("age",), "public": ("town",), "mechanism": ("laplace:epsilon=4,lower=18,upper=80",)},
    "together": {"secret": ("status", "trade"), "together": True, "public": ("town",), "max_distortion": 0.4},
    "withheld": {"withhold": ("trade",), "public": ("town",), "max_distortion": 0.3},
    "wide": {"public": ("trade", "age", "town"), "max_distortion": 0.3},
    "sets": {"mechanism": ("unary-encoding:epsilon=2",), "public": ("town",)},
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    return households(tmp_path_factory.mktemp("judge") / "people.parquet")


def asked(table: str, **more: Any) -> Request:
    return Request.of(table, **{"secret": ("status",), **more})


def require_sound(found: Judgement) -> None:
    assert 1 <= len(found.reasons) <= 3
    for one in found.scores.values():
        for name in SCORES:
            score = getattr(one, name)
            for number in (score.value, *score.ends):
                assert math.isfinite(number) and 0 <= number <= 100
            assert score.ends[0] <= score.value <= score.ends[1]


def numbers(scores: Scores, *names: str) -> list[float]:
    return [getattr(scores, name).value for name in names]


@pytest.mark.parametrize(
    "name", ["channel", "wide", *map(nightly, [one for one in JOBS if one not in ("channel", "wide")])]
)
def test_a_drawn_release_is_what_its_law_said(people: str, tmp_path: Path, name: str) -> None:
    request = asked(people, **JOBS[name])
    with open_table(people) as table:
        before, after = Judging(table).before(request), judged(request, table, tmp_path)
    require_sound(after)
    assert codec.decode(Judgement, codec.encode(after), "verdict") == after
    for secret, promised in before.scores.items():
        made = after.scores[secret]
        for score in ("surest", "usefulness"):
            assert getattr(made, score).value == pytest.approx(getattr(promised, score).value, abs=1e-6)
        # An attack on what was drawn may be stronger than the one that was learnt, within what chance explains.
        assert made.protection.value == pytest.approx(promised.protection.value, abs=1e-6 if name != "wide" else 5)


@pytest.mark.parametrize("name", JOBS)
def test_every_kind_of_job_is_judged(people: str, name: str) -> None:
    request = asked(people, **JOBS[name])
    with open_table(people) as table:
        found = Judging(table).before(request)
        by_rows = Judging(table).before(request.having(use="rows"))
    require_sound(found)
    require_sound(by_rows)
    assert set(found.scores) == {", ".join(secret) for secret in request.roles.sources}
    assert all(0 < one.protection.value < 100 for one in found.scores.values())


def test_one_column_is_judged_by_the_law_of_its_mechanism(people: str) -> None:
    with open_table(people) as table:
        plan = bind(ReleasePlan({"status": "randomized-response:epsilon=1,letters=this-table"}, ["trade"]), table)
        going = Outgoing(Case(plan.table), plan)
        source = table.counts("status", "trade").joint(("status",), ("trade",))
        answer = randomized_response(1.0, letters=source.rows)
        law = ReleaseLaw(source, answer.channel(), ("trade",), ("trade",))
        expected = scores_of(evidence_by_law(law, claims=answer.claims))
        assert numbers(scores_of(going.evidence(("status",))), *SCORES[:5]) == pytest.approx(
            numbers(expected, *SCORES[:5])
        )
        assert going.lost(("status",)) == 0


def test_more_public_columns_or_background_never_protect_more(people: str) -> None:
    with open_table(people) as table:
        judging, limits = Judging(table), {"mechanism": ("randomized-response:epsilon=2",)}
        found = [
            judging.before(asked(people, **limits, **more)).scores["status"].protection.value
            for more in ({}, {"public": ("trade",)}, {"public": ("trade", "town")})
        ]
        assert found == pytest.approx(sorted(found, reverse=True))
        knowing = judging.before(asked(people, **limits, public=("trade",), background=("town",)))
        assert knowing.scores["status"].protection.value <= found[1] + 1e-9


def test_of_several_secrets_the_lowest_decides_and_what_is_withheld_is_no_use(people: str) -> None:
    with open_table(people) as table:
        found = Judging(table).before(
            asked(people, secret=("status", "trade"), max_distortion={"status": 0.5, "trade": 0.1})
        )
        assert found.deciding == "trade" and found.recommendation is Recommendation.DO_NOT_RELEASE
        withheld = Judging(table).before(asked(people, **JOBS["withheld"]))
        assert withheld.scores["trade"].usefulness == withheld.scores["status"].usefulness
        assert withheld.scores["trade"].guarantee is None


def test_persons_with_several_rows_have_a_weaker_guarantee(people: str) -> None:
    with open_table(people) as table:
        whole = table.counts("town").n
    rows = pa.table(
        {"person": [at // 3 for at in range(whole)], "status": [["ill", "well"][at % 7 < 3] for at in range(whole)]}
    )
    with open_table(rows) as table:
        limits: dict[str, Any] = {"mechanism": ("randomized-response:epsilon=1",)}
        alone = Judging(table).before(Request.of("frame", secret=("status",), **limits))
        person = Judging(table).before(Request.of("frame", secret=("status",), unit="person", **limits))
    one, every = alone.scores["status"].guarantee, person.scores["status"].guarantee
    assert one is not None and one.level == pytest.approx(1.0, abs=1e-9)
    assert every is not None and every.level == pytest.approx(3.0, abs=1e-9)


def test_a_published_identifier_is_a_veto_unless_it_is_accepted(people: str) -> None:
    request = asked(people, public=("patient_id",), max_distortion=0.3)
    with open_table(people) as table:
        found = Judging(table).before(request)
        accepted = Judging(table).before(
            asked(people, public=("patient_id",), accept_unique=("patient_id",), max_distortion=0.3)
        )
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
    assert str(found.reasons[0]).startswith("'patient_id' is published and identifies people (")
    assert found.scores["status"].protection.value == 0
    assert not accepted.vetoes


def test_lost_values_veto_usefulness(people: str) -> None:
    with open_table(people) as table:
        found = Judging(table).before(asked(people, max_distortion=0.55, keep="nothing"))
    assert found.facts.lost is not None and found.facts.lost > 0.01
    assert found.scores["status"].usefulness.value == 0


def test_a_broken_claim_and_another_audit_are_noticed(people: str, tmp_path: Path) -> None:
    request = asked(people, mechanism=("randomized-response:epsilon=1",))
    with open_table(people) as table:
        made, audit = drawn(request, table, tmp_path)
        found = judge(made, case_of(made, table), audit, Terms())
        assert found.vetoes == () and found.facts.guessed is not None
        broken = codec.decode(type(audit), {**codec.encode(audit), "violations": ["a claim is broken"]}, "audit")
        vetoed = judge(made, case_of(made, table), broken, Terms())
        assert vetoed.scores["status"].protection.value == 0
        # That it is a simulation comes first.
        assert str(vetoed.reasons[1]) == "a claim is broken"
        (tmp_path / "other").mkdir()
        other = drawn(asked(people, mechanism=("randomized-response:epsilon=2",)), table, tmp_path / "other")[0]
        with pytest.raises(VerificationError, match="The audit is not of this release"):
            judge(other, case_of(other, table), audit, Terms())
        with pytest.raises(OptionError, match="The release does not contain trade"):
            secrets_of(made, ["trade"])
    with pytest.raises(OptionError, match="There is no use 'row'; did you mean 'rows'"):
        request.having(use="row")


def test_reasons_count_people(people: str, tmp_path: Path) -> None:
    with open_table(people) as table:
        found = judged(asked(people, max_distortion=0.05), table, tmp_path)
    said = [str(one) for one in found.reasons]
    assert re.fullmatch(
        "the value of .* of the .* people with .* can be guessed with at least 90% certainty; before .*", said[1]
    )


def test_a_finished_job_is_judged_from_its_folder(finished: Finished) -> None:
    found = assess(finished.folder)
    require_sound(found)
    scores = found.scores["illness"]
    assert scores.guarantee is not None and scores.guarantee.given_counts
    assert found.facts.epsilon is not None


@pytest.mark.parametrize("kind", ["raw", "shuffled", "coarse"])
def test_a_release_made_elsewhere(people: str, tmp_path: Path, kind: str) -> None:
    with open_table(people) as table:
        rows = pa.Table.from_batches(list(table.batches("trade", "status", "town")))
        status = rows.column("status").to_pylist()
        if kind == "shuffled":
            status = [status[at] for at in simulation(3).permutation(len(status))]
        if kind == "coarse":
            status = ["married" if one == "married" else "other" for one in status]
        place = tmp_path / "released.csv"
        pc.write_csv(rows.set_column(1, "status", pa.array(status)), place)
        found = judge_foreign(audit_foreign(place, table, ForeignRoles(("status",))), place, table)
    require_sound(found)
    scores = found.scores["status"]
    assert scores.guarantee is None
    if kind == "raw":
        assert scores.protection.value < 2 and scores.surest.value > 98 and scores.usefulness.value > 98
    if kind == "shuffled":
        assert scores.protection.value > 80 and scores.surest.ends[1] < 20
        # Every share is right. What goes with the trade is lost, and what does not go with the town is not.
        shares, *crossed = (one.worth.value for one in found.evidence["status"].statistics if one.worth is not None)
        assert shares == 1 and min(crossed) < 0.3 and max(crossed) < 1
    if kind == "coarse":
        # Of the values that were merged nobody can count how often each occurs.
        assert scores.surest.value > 60 and scores.usefulness.value < 2


def test_a_release_with_a_record_is_not_foreign(people: str, tmp_path: Path) -> None:
    with open_table(people) as table:
        made, audit = drawn(asked(people, mechanism=("randomized-response:epsilon=1",)), table, tmp_path)
        with pytest.raises(OptionError, match="The audit is of a release with a record"):
            judge_foreign(audit, made.output, table)


@pytest.mark.parametrize("seed", [*range(10), *map(nightly, range(10, 100))])
def test_random_tables_have_sound_scores(seed: int) -> None:
    draw = simulation(seed)
    rows = int(draw.integers(20, 400))
    letters = int(draw.integers(1, 12))
    shares = draw.dirichlet(np.full(letters, draw.choice([0.1, 1.0, 10.0])))
    secret = draw.choice(letters, rows, p=shares)
    values: list[Any] = [f"v{one}" for one in secret] if draw.random() < 0.7 else (secret * 1.5).tolist()
    if draw.random() < 0.3:
        values[0] = None
    columns = {"secret": values}
    for name in "abc"[: int(draw.integers(0, 4))]:
        columns[name] = [f"{name}{one}" for one in (secret + draw.integers(0, int(draw.integers(1, 30)), rows)) % 40]
    public = tuple(name for name in columns if name != "secret" and draw.random() < 0.6)
    known = tuple(name for name in columns if name != "secret" and draw.random() < 0.4)
    distortion = float(draw.choice([0.0, 0.1, 0.3, 0.9]))
    with open_table(pa.table(columns)) as table:
        if len(set(values)) < 2:
            return
        how: dict[str, Any] = {"max_distortion": distortion}
        if draw.random() < 0.3:
            how = {"mechanism": ("randomized-response:epsilon=1",)}
        how["use"] = "rows" if draw.random() < 0.3 else "statistics"
        request = Request.of("frame", secret=("secret",), background=known, public=public, **how)
        require_sound(Judging(table).before(request))
