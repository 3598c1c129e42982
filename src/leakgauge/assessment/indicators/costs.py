"""Memory and CPU of a run by the row, and how often something is sent, and how much."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.indicators.indicator import Context, Family, Form, Indicator
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence

LARGER, SMALLER = 100_000, 10_000
RUNS = 5
NUMBER = 8

SPACE = Indicator(
    "space", 24, "space", "bytes per row", Scale(0.1, 1e4, True, Sentence("a bit, and pages of text, for each row"))
)
TIME = Indicator(
    "time",
    25,
    "time",
    "nanoseconds of CPU per row",
    Scale(1.0, 1e5, True, Sentence("a billion, and ten thousand, rows a second")),
)
FREQUENCY = Indicator(
    "transmission-frequency",
    26,
    "frequency of transmission",
    "releases per period",
    Scale(1.0, 365.0, True, Sentence("once, and daily")),
)
VOLUME = Indicator(
    "transmission-volume",
    27,
    "volume of transmission",
    "bytes per record",
    Scale(1e-3, 1e3, True, Sentence("a few answers for a whole table, and a page of text for each record")),
)


def frequency(form: Form, context: Context) -> Evidence:
    """How often such a release is made."""
    how = Sentence("Declared: how often such a release is made.")
    return FREQUENCY.evidence(form, context.releases_per_period, how, standing=Standing.DECLARED)


def volume_of_file(form: Form, bytes_per_record: float) -> Evidence:
    """The bytes of what is released by row."""
    return VOLUME.evidence(form, bytes_per_record, Sentence("The bytes per row of the released file."))


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """Space and time from stored evidence or else from runs made here; the volume from what came out."""
    form = protected.setting.form
    runs = _stored(form, context) or _runs(protected)
    return (*runs, frequency(form, context), _volume(protected, context))


FAMILY = Family((SPACE, TIME, FREQUENCY, VOLUME), measured)


def _runs(protected: ProtectedColumn) -> tuple[Evidence, ...]:
    column = protected.released

    def run(size: int) -> None:
        column.law.draw(column.inputs[:size], Simulated(0))

    # At least a factor of 2 between the sizes, so that their ratio says something.
    larger = min(protected.setting.source.rows, LARGER)
    sizes = (max(min(SMALLER, larger // 2), 1), larger)
    space = [_peak(run, size) / size for size in sizes]
    times = [[_nanoseconds(run, size) / size for _ in range(RUNS)] for size in sizes]
    runs = (
        (SPACE, space, max(space), Sentence("The most memory that a run held")),
        (
            TIME,
            [min(one) for one in times],
            max(map(max, times)),
            Sentence("The CPU time of the quickest of five runs"),
        ),
    )
    evidence = []
    for indicator, by_row, highest, what in runs:
        totals = [max(one * size, 1e-9) for one, size in zip(by_row, sizes, strict=True)]
        grown = math.log(totals[1] / totals[0]) / math.log(sizes[1] / sizes[0])
        how = Sentence(
            "{what} on {rows:,d} rows, compared with {fewer:,d} rows.", what=what, rows=sizes[1], fewer=sizes[0]
        )
        details = {"growth exponent": grown, f"per row at {sizes[0]}": by_row[0]}
        ends = (min(by_row), highest)
        evidence.append(indicator.evidence(protected.setting.form, by_row[1], how, between=ends, details=details))
    return tuple(evidence)


def _stored(form: Form, context: Context) -> tuple[Evidence, ...]:
    """Only the numbers are taken from a file, and the scale is ours; nothing unless both are there."""
    evidence = []
    for indicator in (SPACE, TIME):
        one = context.stored.get(indicator.leaf)
        if one is None or one.standing is Standing.MISSING or one.value is None:
            return ()
        if not (one.interval[0] >= 0 and one.interval[1] < math.inf):
            raise OptionError(
                "The stored evidence of leaf {leaf} ranges from {low} to {high}, which no run could give; run it "
                "again.",
                leaf=indicator.leaf,
                low=one.interval[0],
                high=one.interval[1],
            )
        evidence.append(
            indicator.evidence(
                form, one.value, one.source, standing=one.standing, between=one.interval, details=one.details
            )
        )
    return tuple(evidence)


def _nanoseconds(run: Callable[[int], object], size: int) -> float:
    start = time.process_time_ns()
    run(size)
    return float(time.process_time_ns() - start)


def _peak(run: Callable[[int], object], size: int) -> float:
    run(size)  # what is made once and kept does not count
    traced = tracemalloc.is_tracing()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    run(size)
    peak = tracemalloc.get_traced_memory()[1]
    if not traced:
        tracemalloc.stop()
    return float(max(peak - before, 0))


def _volume(protected: ProtectedColumn, context: Context) -> Evidence:
    """From the record's file where there is one, else from the letters that came out, or eight bytes a number."""
    from scipy.special import ndtri

    setting = protected.setting
    if protected.bytes_per_record is not None:
        return volume_of_file(setting.form, protected.bytes_per_record)
    if not isinstance(setting, LetterSetting):
        return VOLUME.evidence(setting.form, float(NUMBER), Sentence("Eight bytes a number."))
    sizes, counts = _sizes(setting), setting.counts(protected.inputs, protected.outputs).sum(axis=0)
    shares = counts / counts.sum()
    mean = float(shares @ sizes)
    error = float(np.sqrt((shares @ (sizes - mean) ** 2) / counts.sum()))
    doubt = float(ndtri((1 + context.confidence) / 2)) * error
    how = Sentence("The mean length of the released values.")
    return VOLUME.evidence(setting.form, mean, how, between=(max(mean - doubt, 0.0), mean + doubt))


def _sizes(setting: LetterSetting) -> Floats:
    """The bytes of each letter's text and of what ends it."""
    texts = ["" if letter is None else text_of(letter) for letter in setting.channel.outputs]
    return np.array([len(text.encode()) + 1 for text in texts], dtype=np.float64)
