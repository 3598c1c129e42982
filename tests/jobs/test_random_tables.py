"""Random tables and settings: every verdict has scores from 0 to 100, and a reason."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Judgement, Request
from leakgauge.artefacts.scores import SCORES
from leakgauge.errors import InputError, RefusalError
from leakgauge.jobs.protect.judged import Judging
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from tests.grids import nightly


def random_job(seed: int) -> tuple[pa.Table, Request]:
    """A secret of a few values or of numbers, with missing ones, beside columns that go with it more or less."""
    draw = simulation(seed)
    rows, size = int(draw.integers(30, 800)), int(draw.integers(2, 12))
    secret = draw.choice(size, size=rows, p=draw.dirichlet(np.full(size, draw.choice([0.2, 1.0, 5.0]))))
    of_numbers = draw.random() < 0.3
    values = np.abs(draw.normal(size=rows)) * 10 + secret if of_numbers else secret
    columns = {"secret": pa.array(values if of_numbers else [f"v{at}" for at in values.tolist()])}
    if not of_numbers and draw.random() < 0.4:
        columns["secret"] = pa.array(
            [None if gone else f"v{at}" for at, gone in zip(secret, draw.random(rows) < 0.1, strict=True)]
        )
    for name in "abc":
        told = draw.random(rows) < draw.choice([0.0, 0.5, 1.0])
        columns[name] = pa.array(np.where(told, secret, draw.integers(draw.choice([2, 5, rows]), size=rows)))
    roles = {name: draw.choice(["public", "background", ""]) for name in "abc"}
    setting = (
        {"mechanism": (f"laplace:epsilon={draw.choice([0.1, 1.0, 30.0])},lower=0,upper=60",)}
        if of_numbers
        else {"max_distortion": float(draw.choice([0.01, 0.2, 0.6]))}
        if draw.random() < 0.5
        else {"mechanism": (f"randomized-response:epsilon={draw.choice([0.1, 1.0, 8.0])}",)}
    )
    return pa.table(columns), Request.of(
        "random.parquet",
        secret=("secret",),
        public=tuple(name for name, role in roles.items() if role == "public"),
        background=tuple(name for name, role in roles.items() if role == "background"),
        **setting,
    )


def require_sound(verdict: Judgement) -> None:
    assert verdict.reasons and all(str(one) for one in verdict.reasons)
    for scores in verdict.scores.values():
        for name in SCORES:
            score = getattr(scores, name)
            low, high = score.ends
            assert not math.isnan(score.value) and 0 <= low <= score.value <= high <= 100, name


@pytest.mark.parametrize("seeds", [range(6), nightly(range(6, 106))], ids=["few", "hundred"])
def test_every_verdict_is_sound_and_says_why(seeds: range) -> None:
    judged = 0
    for seed in seeds:
        rows, asked = random_job(seed)
        try:
            with open_table(rows) as table:
                require_sound(Judging(table).before(asked))
        except (InputError, RefusalError):
            # Such as a secret with one value: said, and never a score.
            continue
        judged += 1
    assert judged >= 0.8 * len(seeds)
