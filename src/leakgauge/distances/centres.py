"""Where labels stand on a line: numbers as they are, dates in days, bins at their centres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real

import numpy as np

from leakgauge.errors import LabelError
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import Interval, Label, interval_of
from leakgauge.sentences import Sentence

EPOCH = date(1970, 1, 1).toordinal()
"""The day from which engines count, in the days of ``day_of``."""


def centres(labels: Sequence[Label], others: Sequence[Label] = ()) -> Floats:
    """Where each label stands; NaN where it is missing.

    A bin, or its text such as ``[30, 40)``, stands at its centre. One without an end stands beyond its edge by half of
    the width of the nearest bin that has both, among these labels and the others.

    Raises:
        LabelError: a label is neither number, date nor bin, or a bin without an end has no other beside it.
    """
    read = [_read(label) for label in labels]
    bounded = [
        (_place(one.low), _place(one.high))
        for one in (*read, *map(_read, others))
        if isinstance(one, Interval) and one.low is not None and one.high is not None
    ]
    return np.array([math.nan if one is None else _centre(one, bounded) for one in read], dtype=np.float64)


def day_of(moment: date) -> float:
    """A date or time, in days; zoned ones in UTC."""
    if not isinstance(moment, datetime):
        return float(moment.toordinal())
    plain = moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    return plain.toordinal() + (plain - datetime.combine(plain.date(), datetime.min.time())) / timedelta(days=1)


def number(label: Label) -> float:
    """The label as a finite number."""
    if isinstance(label, bool) or not isinstance(label, Real | Decimal) or not math.isfinite(label):
        # The label may be a value of the table, so it is not shown.
        raise LabelError(
            "A label is {kind}, not a finite number, so no difference can be taken; leave such letters out, or give "
            "the distances as a table.",
            kind="missing" if label is None else Sentence("of type {kind!s}", kind=type(label).__name__),
        )
    return float(label)


def _read(label: Label) -> Label:
    return (interval_of(label) or label) if isinstance(label, str) else label


def _place(label: Label) -> float:
    return day_of(label) if isinstance(label, date) else number(label)


def _centre(label: Label, bounded: Sequence[tuple[float, float]]) -> float:
    if not isinstance(label, Interval):
        return _place(label)
    low, high = (None if end is None else _place(end) for end in (label.low, label.high))
    if low is not None and high is not None:
        return low + (high - low) / 2
    edge, outward = (high, -1) if low is None else (low, 1)
    if edge is None or not bounded:
        raise LabelError("An open bin has no centre unless another bin has two ends; give at least two edges.")
    nearest = min(bounded, key=lambda ends: min(abs(edge - end) for end in ends))
    return edge + outward * (nearest[1] - nearest[0]) / 2
