"""What the attacker learns from all that leaves is one number: in the design, the audit, the verdict and on the job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Audit, Design, Judgement, Measurement
from leakgauge.artefacts.request.roles import file_about
from leakgauge.errors import InputError, RefusalError
from leakgauge.jobs.protect import Done, protect
from leakgauge.randomness import simulation
from tests.grids import nightly
from tests.jobs.stubs import stubbed

TABLES = 60
EVERY_RUN = 8


def random_case(seed: int) -> tuple[pa.Table, dict[str, Any], int]:
    """A table of people, some with several rows each, what is asked of it, and how many people there are."""
    draw = simulation(seed)
    people, each = int(draw.integers(150, 400)), int(draw.choice([1, 1, 6]))
    sizes = {"secret": int(draw.integers(2, 5)), "other": 3, "town": int(draw.choice([2, 5, people // 2]))}
    own = {name: draw.integers(size, size=people) for name, size in sizes.items()}
    # A town tells on some of its people.
    own["town"] = np.where(draw.random(people) < 0.7, own["town"], own["secret"])
    order = draw.permutation(people * each)
    columns = {name: pa.array([f"{name[0]}{values[at // each]}" for at in order]) for name, values in own.items()}
    table = pa.table({"person": pa.array([int(at // each) for at in order]), **columns})
    asked: dict[str, Any] = {"secret": ["secret", "other"] if draw.random() < 0.3 else ["secret"], "simulate": 1}
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


def require_one_answer(done: Done, people: int) -> None:
    audit, verdict = done.read(Audit, "audit.json"), done.read(Judgement, "verdict.json")
    roles = done.job.request.roles
    exposures = {one.secret: one for one in audit.exposures}
    for outcome in done.job.secrets:
        everything, entropy = exposures[outcome.secret].everything, exposures[outcome.secret].entropy.value
        assert outcome.leakage_after == everything.information and outcome.exact == everything.exact
        assert everything.information.value <= entropy * (1 + 1e-9)
        design = done.kept.get(Design, file_about("design.json", outcome.secret, roles.sources))
        leakage = done.kept.get(Measurement, file_about("leakage.json", outcome.secret, roles.sources))
        if not everything.exact or design is None or leakage is None:
            assert everything.information.ends[1] <= entropy * (1 + 1e-9)
            continue
        told = everything.information.value
        measured = leakage.leakage_with_background or leakage.mutual_information
        assert measured is not None and measured.value == pytest.approx(told, abs=1e-9)
        designed = design.leakage_with_background or design.leakage
        assert designed.value == pytest.approx(told, abs=1e-9)
    assert verdict.facts.leakage_bits == max(one.everything.information.value for one in audit.exposures)
    if verdict.facts.guessed is not None:
        more, everybody = verdict.facts.guessed
        assert everybody == people and 0 < more <= people
