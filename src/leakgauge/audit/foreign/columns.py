"""A column of a release made elsewhere beside the original's: how often it contains the truth, and how it was changed.

Its mechanism is unknown. For attacks that compare values it is estimated from the matched rows, as an attacker could
who has seen as many rows of both tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from leakgauge.artefacts import MatchedColumn, Quantity
from leakgauge.artefacts.quantity import SHARE
from leakgauge.audit.foreign.generalised import Meaning
from leakgauge.case.columns import binned, quantile_edges, ranks_of
from leakgauge.case.drawn import ReleasedColumn
from leakgauge.errors import InternalError
from leakgauge.measures.binomial import share
from leakgauge.measures.countability import PEOPLE_PER_CELL, is_countable
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.mechanism import Inputs, Law, Outputs
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Randomness
from leakgauge.release.letters import encoded

LARGEST_LAW = 1 << 22
"""Original × released values up to which a column has an estimated law."""
_QUANTILES = 32
"""Numbers with too many values are compared by so many quantiles at most."""
_STEPS = 64
"""Of the density of a difference, at most."""
_CLEAR = 4.0
"""Standard deviations from which agreement is no chance."""


@dataclass(frozen=True, eq=False)
class EstimatedLaw(Law):
    """log q(y|x) as estimated from matched rows."""

    logs: Floats

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """As estimated."""
        return np.asarray(self.logs[np.ix_(inputs, outputs.astype(np.int64))])

    def draw(self, inputs: Inputs, randomness: Randomness) -> Outputs:
        """Nothing is drawn by a law that is only estimated."""
        raise InternalError("A release made elsewhere cannot be made again.")


@dataclass(frozen=True, eq=False)
class DifferenceLaw(EstimatedLaw):
    """log q(y|x) of numbers, by how often each difference y − x came in matched rows: a density in steps.

    Attributes:
        logs: of each step, from below the first edge to above the last.
        edges: between the steps.
        true: the number of each input.
        shown: and of each output.
    """

    edges: Floats
    true: Floats
    shown: Floats

    @classmethod
    def of(cls, x: Codes, y: Codes, true: Floats, shown: Floats) -> DifferenceLaw:
        """Estimated with as many rows in a step as there are steps, or more."""
        apart = shown[y] - true[x]
        apart = apart[np.isfinite(apart)]
        steps = max(min(_STEPS, math.isqrt(len(apart))), 2)
        edges = np.unique(np.quantile(apart, np.linspace(0, 1, steps + 1)))
        counts = np.bincount(np.searchsorted(edges, apart, side="right"), minlength=len(edges) + 1) + 0.5
        # What lies beyond every difference that was seen is as rare as half a row over as wide a range.
        whole = edges[-1] - edges[0]
        widths = np.concatenate([[whole], np.diff(edges), [whole]])
        return cls(np.log(counts / counts.sum() / widths), edges, true, shown)

    def scores(self, inputs: Inputs, outputs: Outputs) -> Floats:
        """By the difference; a missing number is as likely with any other."""
        apart = self.shown[outputs.astype(np.int64)] - self.true[inputs][:, None]
        found = self.logs[np.searchsorted(self.edges, apart, side="right")]
        return np.asarray(np.where(np.isnan(apart), self.logs.min(), found))


@dataclass(frozen=True)
class Unknown(Mechanism):
    """However a release was made elsewhere; it claims nothing."""

    def run(self, values: object, randomness: Randomness) -> object:
        """It is not run."""
        raise InternalError("A release made elsewhere cannot be made again.")


@dataclass(frozen=True, eq=False)
class Changed:
    """A column of both tables, row by row.

    Attributes:
        original: the number of each row's true value.
        released: the number of each row's released one.
        numbers: the different values of both, where they are numbers or times and their codes follow the order.
    """

    name: str
    original: Codes
    released: Codes
    numbers: tuple[Floats, Floats] | None
    meaning: Meaning

    @classmethod
    def of(cls, name: str, original: pa.Array, released: pa.Array) -> Changed:
        """Compared."""
        (first, first_ordered), (second, second_ordered) = ranks_of(original, name), ranks_of(released, name)
        true, shown = _different(original, first, name), _different(released, second, name)
        axes = (_axis(true), _axis(shown)) if first_ordered and second_ordered and _alike(true, shown) else None
        return cls(name, first, second, axes, Meaning.of(true, shown))

    @property
    def ordered(self) -> bool:
        """Whether the codes of both follow the order of their values."""
        return self.numbers is not None

    @cached_property
    def contains(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether the released value of each row contains the true one."""
        return self.meaning.contains(self.original, self.released)

    @cached_property
    def unchanged(self) -> float:
        """The share of rows that have their true value and no other."""
        return float((self.meaning.equal[self.released] == self.original).mean())

    @property
    def is_unchanged(self) -> bool:
        """Whether every row has its true value."""
        return self.unchanged == 1

    @property
    def is_mostly_unchanged(self) -> bool:
        """Whether half of the rows, or more, have their true value."""
        return self.unchanged >= 0.5

    @cached_property
    def recoded(self) -> Codes | None:
        """Of each number what it was rounded to, where every number has one that rises with it; None of any other."""
        if self.numbers is None:
            return None
        original, released = np.unique(np.stack([self.original, self.released]), axis=1)
        if len(np.unique(original)) < len(original) or (np.diff(released) < 0).any():
            return None
        shown = np.full(int(self.original.max()) + 1, -1, dtype=np.int64)
        shown[original] = released
        return shown

    @property
    def follows_the_original(self) -> bool:
        """Whether rows agree, or numbers go together, more than those of other people would by chance."""
        rows = len(self.original)
        if self.ordered and min(len(np.unique(self.original)), len(np.unique(self.released))) > 1:
            together = abs(float(np.corrcoef(self.original, self.released)[0, 1]))
            if together * math.sqrt(rows) > _CLEAR:
                return True
        r = np.bincount(self.released, minlength=len(self.meaning.equal)) / rows
        p = np.bincount(self.original) / rows
        if self.meaning.members is None:
            found = self.meaning.equal >= 0
            chance = float(r[found] @ p[self.meaning.equal[found]])
        else:
            chance = float(p @ self.meaning.members @ r)
        spread = math.sqrt(max(chance * (1 - chance), 1 / rows) / rows)
        return bool(self.contains.mean() - chance > _CLEAR * spread)

    def matched(self, confidence: float) -> MatchedColumn:
        """What is stored of it."""
        size = float(self.meaning.sizes[self.released].mean())
        contained = share(int(self.contains.sum()), len(self.contains), confidence)
        values = len(np.unique(self.original))
        return MatchedColumn(self.name, Quantity.estimated(contained, SHARE), Quantity(size, "values"), values)

    @cached_property
    def as_released(self) -> ReleasedColumn | None:
        """The column with its estimated law; None where it has too many values for one."""
        x, y = self.original, self.released
        inputs, outputs = int(x.max()) + 1, len(self.meaning.equal)
        law: EstimatedLaw
        if self.numbers is None or is_countable(inputs * outputs, len(x)):
            if inputs * outputs > LARGEST_LAW:
                return None
            law = _law(_estimated(x, y, self._by_containment(inputs)))
        elif self._is_near:
            law = DifferenceLaw.of(x, y, *self.numbers)
        else:
            bins = max(min(_QUANTILES, math.isqrt(len(x) // PEOPLE_PER_CELL)), 2)
            x, y = (binned(one, quantile_edges(one, bins)) for one in (x, y))
            law = _law(_estimated(x, y, np.tile(np.bincount(y, minlength=bins) / len(y), (bins, 1))))
        return ReleasedColumn((self.name,), (self.name,), Unknown("made elsewhere", {}, (), law), x, y, ())

    @property
    def _is_near(self) -> bool:
        """Whether released numbers differ from the true ones by less than true ones do among each other."""
        if self.numbers is None:
            return False
        x, y = self.numbers[0][self.original], self.numbers[1][self.released]
        known = np.isfinite(x) & np.isfinite(y)
        if not known.any():
            return False
        apart = (y - x)[known]
        between = [float(np.diff(np.quantile(one, [0.25, 0.75]))[0]) for one in (apart, x[known])]
        return between[0] < between[1] and float(np.ptp(apart)) > 0

    def _by_containment(self, inputs: int) -> Floats:
        """q(y|x) by how often what is released contains the truth: among what does, and else, by how often it comes.

        Where few rows share a value, that is all there is to learn.
        """
        right = float(self.contains.mean())
        r = np.bincount(self.released, minlength=len(self.meaning.equal)) / len(self.released)
        if self.meaning.members is None:
            members = np.zeros((inputs, len(r)))
            found = np.flatnonzero(self.meaning.equal >= 0)
            members[self.meaning.equal[found], found] = 1.0
        else:
            members = self.meaning.members[:inputs].astype(np.float64)
        within = members * r
        total = within.sum(axis=1, keepdims=True)
        within = np.divide(within, total, out=np.tile(r, (inputs, 1)), where=total > 0)
        return np.asarray(right * within + (1 - right) * r)


def _law(matrix: Floats) -> EstimatedLaw:
    with np.errstate(divide="ignore"):
        return EstimatedLaw(np.log(matrix))


def _estimated(x: Codes, y: Codes, expected: Floats) -> Floats:
    """q(y|x) as counted, with one row more that came out as expected; as expected alone where rows are few."""
    inputs, outputs = expected.shape
    if not is_countable(expected.size, len(x)):
        # Counts would only repeat which row is whose.
        return expected
    counts = np.bincount(x * outputs + y, minlength=expected.size).reshape(inputs, outputs)
    return np.asarray((counts + expected) / (counts.sum(axis=1, keepdims=True) + 1))


def _alike(first: pa.Array, second: pa.Array) -> bool:
    """Whether both are times, or both numbers."""
    return bool(pa.types.is_temporal(first.type) == pa.types.is_temporal(second.type))


def _axis(values: pa.Array) -> Floats:
    """Numbers, or times in microseconds, as floats; missing ones NaN."""
    if pa.types.is_date(values.type) or pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _different(values: pa.Array, codes: Codes, name: str) -> pa.Array:
    """The different values of a column in the order of their numbers."""
    different, places = encoded(values, name)
    order = np.empty(len(different), dtype=np.int64)
    order[codes] = places
    return different.take(order)
