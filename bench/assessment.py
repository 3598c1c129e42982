"""Verdicts from evidence, searches by scores beside a scan by hand, and actions on the sample, in seconds of CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from bench.clock import best, timed
from leakgauge.artefacts import Request
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.search import Goal, Use, most_useful
from leakgauge.assessment.search.column import counted_column
from leakgauge.assessment.search.families import by_channel
from leakgauge.jobs.protect.actions import actions
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.samples import adult_rows
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import simulation
from leakgauge.tables import Table, open_table

ROWS = 10**5
PROTECTION, SUREST = 60.0, 45.0
SECRET = "marital_status"
AGE = "laplace:epsilon=8,lower=17,upper=90"
SETTINGS: dict[str, dict[str, Any]] = {
    "too little noise": {"public": ("occupation",), "max_distortion": 0.2},
    "too much noise": {"public": ("occupation",), "max_distortion": 0.5},
    "a large ε": {"background": ("occupation",), "local_dp": 2.0},
    "two secrets": {"secret": (SECRET, "workclass"), "public": ("sex",), "max_distortion": 0.35},
    "together": {"secret": (SECRET, "sex"), "together": True, "public": ("occupation",), "max_distortion": 0.3},
    "withheld": {"withhold": ("income",), "public": ("sex",), "max_distortion": 0.2},
    "numbers": {"secret": ("age",), "public": ("sex",), "mechanism": (AGE,)},
    "bins": {"secret": ("age",), "public": ("sex",), "bins": ("age=width:10",), "max_distortion": 0.4},
    "numbers within": {"secret": ("age",), "public": ("sex",), "within": 4.0},
    "sets": {"public": ("occupation",), "mechanism": ("unary-encoding:epsilon=3",)},
    "randomized response": {"public": ("occupation",), "mechanism": ("randomized-response:epsilon=1",)},
    "many values": {"secret": ("native_country",), "mechanism": ("randomized-response:epsilon=2",)},
    "three public columns": {"public": ("age", "sex", "education"), "max_distortion": 0.35},
    "five public columns": {"public": ("age", "sex", "education", "occupation", "race"), "max_distortion": 0.2},
    "rows alone": {"public": ("age", "education", "occupation", "native_country"), "max_distortion": 0.35},
    "associations": {"public": ("occupation", "income"), "keep": "associations", "max_distortion": 0.2},
    "dropped values": {"public": ("occupation",), "keep": "nothing", "max_distortion": 0.2},
}
"""Jobs on Adult whose verdict is not to release."""


def run() -> None:
    with open_table(adult_rows()) as people:
        _verdicts(people)
        _actions(people)
    with open_table(_many()) as rows:
        for secret, bounds in {"status": {}, "load": {"lower": 0.0, "upper": 400.0}}.items():
            for published in ((), ("town",)):
                _search(rows, secret, published, bounds)


def _verdicts(people: Table) -> None:
    """From the evidence of two secrets to what is recommended."""
    asked = Request.of("frame", secret=(SECRET, "workclass"), public=("sex",), max_distortion=0.35)
    judging = Judging(people)
    judging.before(asked)
    seconds = best(lambda: judging.before(asked), 100)
    print(f"a verdict from evidence: {1000 * seconds:.2f} ms (target 5)")


def _actions(people: Table) -> None:
    slowest, turned = 0.0, 0
    for name, more in SETTINGS.items():
        asked, judging = Request.of("frame", **{"secret": (SECRET,), **more}), Judging(people)
        before, now = timed(lambda: judging.before(asked))  # noqa: B023
        seconds, found = timed(lambda: actions(now, asked, judging))  # noqa: B023
        turns = bool(found) and found[0].recommendation is not now.recommendation
        slowest, turned = max(slowest, seconds), turned + turns
        what = f"{found[0].said}: {found[0].outcome(now)}" if found else "none"
        print(f"actions, {name}: {seconds:.2f} s of CPU, the verdict {before:.2f}; {what}", flush=True)
    print(f"actions: the slowest of {len(SETTINGS)} {slowest:.2f} s of CPU (target 3), {turned} turn the verdict")


def _many() -> pa.Table:
    draw = simulation(1)
    shares = draw.dirichlet(np.full(20, 0.7))
    status = draw.choice(20, ROWS, p=shares)
    return pa.table(
        {
            "status": [f"status {at}" for at in status],
            "load": np.minimum(draw.gamma(2.0, 20.0, ROWS), 400.0),
            "town": [f"town {at}" for at in (status + draw.integers(0, 6, ROWS)) % 10],
        }
    )


def _search(rows: Table, secret: str, published: tuple[str, ...], bounds: dict[str, float]) -> None:
    seconds, found = timed(
        lambda: most_useful(rows, secret, min_protection=PROTECTION, published=published, **bounds)  # type: ignore[arg-type]
    )
    shown = "nothing" if found.chosen is None else f"usefulness {found.chosen.usefulness:.1f}"
    line = (
        f"search, {secret} with {len(published)} public, {len(found.trials)} settings on 10^5 rows: {seconds:.2f} s of "
        f"CPU (target 10), {shown}"
    )
    if not bounds:
        scanning, useful = timed(lambda: _by_hand(rows, secret, published))
        line += (
            f"; {seconds / scanning:.2f} × a scan of randomized response in steps of 0.05 ({scanning:.2f} s), which "
        )
        line += f"finds {useful:.1f}"
    print(line, flush=True)


def _by_hand(rows: Table, secret: str, published: tuple[str, ...]) -> float:
    """The most useful ε of such a scan that protects enough; 0 where none does."""
    column, most = counted_column(rows, Goal(secret, published=published)), 0.0
    for epsilon in np.arange(0.05, 8, 0.05):
        evidence = by_channel(column, Use.STATISTICS, randomized_response(epsilon, letters=column.values.outcomes))
        assert evidence is not None
        scores = scores_of(evidence)
        if scores.protection.ends[0] >= PROTECTION and scores.surest.ends[1] <= SUREST:
            most = max(most, scores.usefulness.ends[0])
    return most
