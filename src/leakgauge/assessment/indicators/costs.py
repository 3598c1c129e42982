"""Leaves 24 and 25: memory and CPU of a run, by the row, at two sizes."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.audit.attacks.columns import values_of
from leakgauge.errors import OptionError
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence

LEAVES = ("24", "25")
LARGER, SMALLER = 100_000, 10_000
RUNS = 5


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From stored evidence where there is some, else from runs made here."""
    stored = _stored(protected.setting, context)
    if all(one.standing is not Standing.MISSING for one in stored):
        return stored
    run = _run_of(protected)
    # At least a factor of 2 between the sizes, so that their ratio says something.
    larger = min(protected.setting.source.rows, LARGER)
    sizes = (max(min(SMALLER, larger // 2), 1), larger)
    space = [_peak(run, size) / size for size in sizes]
    time_taken = [[_nanoseconds(run, size) / size for _ in range(RUNS)] for size in sizes]
    best = [min(one) for one in time_taken]
    memory = Sentence("The most memory that a run held")
    quickest = Sentence("The CPU time of the quickest of five runs")
    return (
        _cost("24", protected.form, space, (min(space), max(space)), sizes, memory),
        _cost("25", protected.form, best, _ends(time_taken), sizes, quickest),
    )


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """From stored evidence only: no law knows a machine."""
    return _stored(setting, context)


def _stored(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Only the numbers are taken from a file; the scale is this one, whatever the file says.

    Raises:
        OptionError: a number that no run could have.
    """
    found = []
    for leaf in LEAVES:
        one = context.stored.get(leaf)
        if one is None or one.standing is Standing.MISSING or one.value is None:
            found.append(missing(leaf, Sentence("Nothing was run, and there is no stored evidence of a run.")))
            continue
        if not (one.interval[0] >= 0 and one.interval[1] < math.inf):
            raise OptionError(
                "The stored evidence of leaf {leaf} reaches from {low} to {high}, which no run could; run it again.",
                leaf=leaf,
                low=one.interval[0],
                high=one.interval[1],
            )
        kept = INDICATORS[leaf].evidence(
            setting.form, one.value, one.source, standing=one.standing, between=one.interval, details=one.details
        )
        found.append(kept)
    return tuple(found)


def _ends(runs: list[list[float]]) -> tuple[float, float]:
    return min(min(one) for one in runs), max(max(one) for one in runs)


def _cost(
    leaf: str, form: Form, by_row: list[float], between: tuple[float, float], sizes: tuple[int, int], what: Sentence
) -> Evidence:
    grown = math.log(max(by_row[1] * sizes[1], 1e-9) / max(by_row[0] * sizes[0], 1e-9)) / math.log(sizes[1] / sizes[0])
    return INDICATORS[leaf].evidence(
        form,
        by_row[1],
        Sentence("{what} on {rows:d} rows, beside {fewer:d} rows.", what=what, rows=sizes[1], fewer=sizes[0]),
        between=between,
        details={"growth exponent": grown, f"per row at {sizes[0]}": by_row[0]},
    )


def _run_of(protected: Protected) -> Callable[[int], object]:
    if protected.case is not None:
        column = next(one for one in protected.case.columns if one.reads == protected.setting.source.names)
        return lambda size: column.law.draw(column.inputs[:size], Simulated(0))
    source, noise = protected.setting.source, protected.setting.noise
    assert noise is not None
    codes = values_of(source.values[0], source.name)
    bins = len(source.numbers)

    def counted(size: int) -> object:
        return np.bincount(codes[:size])[:bins], noise.law.noise(bins, Simulated(0))

    return counted


def _nanoseconds(run: Callable[[int], object], size: int) -> float:
    start = time.process_time_ns()
    run(size)
    return float(time.process_time_ns() - start)


def _peak(run: Callable[[int], object], size: int) -> float:
    run(size)  # what is made once and kept does not count
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    run(size)
    peak = tracemalloc.get_traced_memory()[1]
    if not traced:
        tracemalloc.stop()
    return float(max(peak - before, 0))
