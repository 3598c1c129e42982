"""What a released value stands for: itself, an interval, a set, the values that match a mask, or anything.

A value that the original has stands for itself; only others are read as something coarser. So ``30-39`` is a range of
ages, and stays a name where the original itself has ``30-39``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.probability.cells import Codes, Floats

Members: TypeAlias = npt.NDArray[np.bool_]
MOST_CELLS = 1 << 26
"""Original × released values up to which coarser values are looked into; beyond that only equal ones are found."""
_BOUNDED = re.compile(r"([\[\](])(.*?)[,;](.*?)([\[\])])")
_RANGE = re.compile(r"([+-]?[\d.]+)\s*(?:[-–—~]|\.\.|to)\s*([+-]?[\d.]+)")
_ONE_SIDED = re.compile(r"(<=|≤|<|>=|≥|>)\s*(.+)")
_AND_MORE = re.compile(r"(.+)\+")
_SET = re.compile(r"\{(.*)\}")
_TIME = re.compile(r"\d{4}(-|$)")
_ANYTHING = re.compile(r"\*+")
_UNBOUNDED = ("", "*", "∞", "+∞", "-∞", "inf", "+inf", "-inf")


@dataclass(frozen=True, eq=False)
class Meaning:
    """What each different released value of a column stands for among the different values of the original.

    Attributes:
        equal: the place of the same value in the original; -1 where it has none.
        members: whether each original value (a row) is in what each released one (a column) stands for; None where
            there are too many to tell, and a value stands for itself alone.
    """

    equal: Codes
    members: Members | None

    @classmethod
    def of(cls, originals: pa.Array, released: pa.Array) -> Meaning:
        """Of different values, a missing one included."""
        values = _Values.of(originals)
        texts = [_text(one) for one in released.to_pylist()]
        equal = np.array([values.place(text) for text in texts], dtype=np.int64)
        if len(originals) * len(released) > MOST_CELLS:
            return cls(equal, None)
        members = np.zeros((len(originals), len(released)), dtype=np.bool_)
        for at, text in enumerate(texts):
            if text is None:
                # A missing value was suppressed: it says nothing, so nothing false.
                members[:, at] = True
            elif equal[at] >= 0:
                members[equal[at], at] = True
            else:
                members[:, at] = values.meant_by(text)
        return cls(equal, members)

    def contains(self, original: Codes, released: Codes) -> npt.NDArray[np.bool_]:
        """Whether what is released of each row contains the truth."""
        if self.members is None:
            return np.asarray(self.equal[released] == original)
        return np.asarray(self.members[original, released])

    @property
    def sizes(self) -> Codes:
        """How many original values each released value stands for; one that is none of them stands for itself."""
        if self.members is None:
            return np.ones(len(self.equal), dtype=np.int64)
        return np.asarray(np.maximum(self.members.sum(axis=0), 1), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Values:
    """The different values of an original column: as texts, and on an axis where they are numbers or times."""

    texts: tuple[str | None, ...]
    axis: Floats | None
    temporal: bool
    whole: bool
    places: dict[str | None, int]
    numbers: dict[float, int]

    @classmethod
    def of(cls, originals: pa.Array) -> _Values:
        kind = originals.type
        temporal = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
        texts = tuple(map(_text, originals.to_pylist()))
        ends = [None if text is None else _end(text, temporal) for text in texts]
        on_axis = any(end is not None for end in ends) and all(
            end is not None or text is None for end, text in zip(ends, texts, strict=True)
        )
        axis = np.array([np.nan if end is None else end for end in ends]) if on_axis else None
        places = {text: at for at, text in enumerate(texts)}
        whole = axis is not None and not temporal and bool((axis[~np.isnan(axis)] % 1 == 0).all())
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        # 30 and 30.0 are one number; texts such as 007 and 7 are two.
        numbers = {end: at for at, end in enumerate(ends) if numeric and end is not None}
        return cls(texts, axis, temporal, whole, places, numbers)

    def place(self, text: str | None) -> int:
        """Where the same value stands; -1 where it does not."""
        if text in self.places or text is None or not self.numbers:
            return self.places.get(text, -1)
        end = _end(text, False)
        return -1 if end is None else self.numbers.get(end, -1)

    @cached_property
    def column(self) -> pa.Array:
        """The texts, to be compared at once."""
        return pa.array(self.texts, pa.string())

    def meant_by(self, text: str) -> Members:
        """Which values a coarser one stands for; none where it cannot be read."""
        if _ANYTHING.fullmatch(text):
            return np.ones(len(self.texts), dtype=np.bool_)
        among = _SET.fullmatch(text)
        if among is not None:
            places = [self.place(part.strip().strip("'\"")) for part in re.split(r"[,;|]", among[1])]
            inside = np.zeros(len(self.texts), dtype=np.bool_)
            inside[[place for place in places if place >= 0]] = True
            return inside
        if self.axis is not None:
            between = self._between(text)
            if between is not None:
                low, high, with_low, with_high = between
                above = self.axis >= low if with_low else self.axis > low
                below = self.axis <= high if with_high else self.axis < high
                return np.asarray(above & below)
        if "*" in text:
            # A star hides one character; at the end it may hide any number of them.
            head = text.rstrip("*")
            ending = ".*" if head != text else ""
            mask = "".join("." if sign == "*" else re.escape(sign) for sign in head) + ending
            found = pc.match_substring_regex(self.column, f"(?s)^{mask}$")
            return np.asarray(found.fill_null(False))
        return np.zeros(len(self.texts), dtype=np.bool_)

    def _between(self, text: str) -> tuple[float, float, bool, bool] | None:
        """The ends of an interval, and whether each is in it; None where the text is not an interval."""
        bounded, side = _BOUNDED.fullmatch(text), _ONE_SIDED.fullmatch(text)
        if bounded is not None:
            ends = [self._bound(bounded[2].strip(), -np.inf), self._bound(bounded[3].strip(), np.inf)]
            low, high = ends
            return None if low is None or high is None else (low, high, bounded[1] == "[", bounded[4] == "]")
        if side is not None:
            end = _end(side[2].strip(), self.temporal)
            if end is None:
                return None
            closed = side[1] in ("<=", "≤", ">=", "≥")
            return (-np.inf, end, True, closed) if side[1][0] in "<≤" else (end, np.inf, closed, True)
        more = _AND_MORE.fullmatch(text)
        if more is not None and (end := _end(more[1].strip(), self.temporal)) is not None:
            return end, np.inf, True, True
        if self.temporal:
            # A month or a year stands for its days.
            period = _period(text)
            return None if period is None else (*period, True, False)
        ends_of_range = _RANGE.fullmatch(text)
        if ends_of_range is None:
            return None
        first, last = (_end(ends_of_range[at], False) for at in (1, 2))
        if first is None or last is None:
            return None
        # Of numbers with decimals 30-39 goes up to 40, as its neighbour 40-49 says.
        return (first, last, True, True) if self.whole or last % 1 else (first, last + 1, True, False)

    def _bound(self, text: str, unbounded: float) -> float | None:
        return unbounded if text in _UNBOUNDED else _end(text, self.temporal)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        # As a file that also holds other texts has it.
        return str(value).lower()
    return None if value is None else str(value).strip()


def _end(text: str, temporal: bool) -> float | None:
    """A number, or a time in microseconds; None where it is neither."""
    if temporal:
        period = _period(text)
        return None if period is None else period[0]
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _period(text: str) -> tuple[float, float] | None:
    """When a year, month, day or moment begins and ends, in microseconds; None where it is no time."""
    if _TIME.match(text) is None:
        return None
    try:
        moment = np.datetime64(text.replace(" ", "T"))
    except ValueError:
        return None
    first, last = (float(one.astype("datetime64[us]").astype(np.int64)) for one in (moment, moment + 1))
    return first, last
