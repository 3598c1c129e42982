"""Private choices: a quantile, and the labels that occur most often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from leakgauge.claims import CentralDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import MaxNoise, report_noisy_max, spelled
from leakgauge.mechanisms.choice import Choice, Exponential, exponential
from leakgauge.mechanisms.noisy_max import require_noise
from leakgauge.mechanisms.steps import Step
from leakgauge.randomness import Randomness
from leakgauge.randomness.draws import below
from leakgauge.release.queries.bounds import BoundedQuery, Bounds, on_grid
from leakgauge.release.queries.labels import DeclaredLabel, declared, positions, shown
from leakgauge.release.queries.noise import share, sum_above
from leakgauge.release.queries.query import Answer, ColumnQuery
from leakgauge.release.queries.rows import Protection, counted, used_rows
from leakgauge.sentences import Sentence
from leakgauge.tables import Table

CELLS = 2.0**16
"""The bounds are cut into so many cells, or up to twice as many."""
MOST_CELLS = 2.0**25
"""Of all groups together; a quarter of a gigabyte."""
_LARGEST_DENOMINATOR = 1_000_000


@dataclass(frozen=True)
class Quantile(BoundedQuery[npt.NDArray[np.int64]]):
    """A number between the bounds below which a given share of the values lies.

    The exponential mechanism over the points of a grid. With n values, b of them below a point and u of them up to and
    with it, its utility is minus the number of rows by which its rank is off: −max(b − at·n, at·n − u, 0). A row that
    is used adds −at or 1 − at to b − at·n and to u − at·n, one that is not adds 0. So a neighbour moves the
    utility by at most ``rows`` where rows are replaced, and by rows · max(at, 1 − at) where they are added or removed.

    With groups each has a choice of its own. A neighbour's rows move the utilities of all groups together by at most
    rows · max(at, 1 − at) for those added, and as much for those removed: each choice has half of ε where there are
    both. The log-ratios of all choices span at most ε together, as those of one choice do.

    Values are clamped to the bounds and rounded to the grid, of which the answer is a point. The grid is declared, or
    has between 2^16 and 2^17 steps; it never follows the column, where one value can decide between whole numbers and
    others. The answer has no interval, which would need more of the table than its rank; instead ``rank_error`` says
    how many rows its rank is off at most.

    Args:
        at: the share of values below, between 0 and 1; taken as the nearest fraction with a denominator of up to 10^6.
        grid: the answer is a multiple of it, such as 1 for whole numbers; by default a fine one.

    Raises:
        OptionError: a share, bounds or a grid that cannot be used.
    """

    at: float = 0.5
    lower: float | None = None
    upper: float | None = None
    missing: float | None = None
    grid: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.at < 1 or not 0 < self.share < 1:
            raise OptionError(
                "A quantile at {at} is not between 0 and 1, at least a millionth from both; for the median, use 0.5.",
                at=self.at,
            )
        if len(self.names) * self._points > MOST_CELLS:
            raise OptionError(
                "{groups} groups with {points} grid points each are too many for a quantile; give fewer groups, or a "
                "coarser grid.",
                groups=len(self.names),
                points=self._points,
            )

    @property
    def about(self) -> Sentence:
        return self._told(Sentence("quantile {at:g} of {column!s}", at=self.at, column=self.column))

    @cached_property
    def bounds(self) -> Bounds:
        return on_grid(self.lower, self.upper, self.missing, CELLS, self.grid)

    @cached_property
    def share(self) -> Fraction:
        """The share of values below, as a fraction."""
        return Fraction(self.at).limit_denominator(_LARGEST_DENOMINATOR)

    def sensitivity(self, protection: Protection) -> int:
        """Of the utility, times the denominator of the share; with groups, of added or of removed rows."""
        part, whole = self.share.numerator, self.share.denominator
        replaces = protection.replaces and self.by is None
        return protection.rows * (whole if replaces else max(part, whole - part))

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return (self._all_choices(protection).step(),)

    def nothing(self) -> npt.NDArray[np.int64]:
        return np.zeros(self._points, dtype=np.int64)

    def part(self, rows: pa.RecordBatch) -> npt.NDArray[np.int64]:
        """How many values lie at each grid point."""
        return np.bincount(self.numbers(rows), minlength=self._points)

    @property
    def _points(self) -> int:
        return self.bounds.highest - self.bounds.lowest + 1

    def utilities(self, exact: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Of each grid point, times the denominator of the share: whole numbers, 0 for the best."""
        part, whole = self.share.numerator, self.share.denominator
        up_to = np.cumsum(exact)
        target = part * up_to[-1]
        off = np.maximum(whole * (up_to - exact) - target, target - whole * up_to)
        return np.asarray(-np.maximum(off, 0), dtype=np.int64)

    def answer(
        self, exact: tuple[npt.NDArray[np.int64], ...], protection: Protection, randomness: Randomness
    ) -> Answer:
        choice = self._choice(protection)
        values = tuple(
            (name, self._chosen(one, choice, randomness)) for name, one in zip(self.names, exact, strict=True)
        )
        error = choice.error_bar(self._points, self.confidence) / self.share.denominator
        mechanism, simulated = Sentence(spelled(choice)), not randomness.private
        if self.by is not None:
            mechanism = Sentence("{mechanism!s} in each group", mechanism=spelled(choice))
        claims = self._all_choices(protection).claims
        return Answer(self, protection, values, self.column, claims, mechanism, simulated, error)

    def _chosen(self, counts: npt.NDArray[np.int64], choice: Exponential, randomness: Randomness) -> float:
        utilities = self.utilities(counts)
        # Points between two values have one utility: they are drawn together, then one of them.
        starts = np.flatnonzero(np.r_[True, utilities[1:] != utilities[:-1]])
        lengths = np.diff(np.r_[starts, len(utilities)])
        run = choice.run(utilities[starts].tolist(), randomness, lengths.tolist())
        at = int(starts[run]) + int(below(int(lengths[run]), 1, randomness)[0])
        return self.bounds.clamped(float((self.bounds.lowest + at) * self.bounds.grid))

    def _choice(self, protection: Protection) -> Exponential:
        parts = 1 if self.by is None else protection.moved
        return exponential(share(self.epsilon, parts), sensitivity=self.sensitivity(protection))

    def _all_choices(self, protection: Protection) -> Exponential:
        """One choice that costs what those of all groups do."""
        return exponential(self.epsilon, sensitivity=self.sensitivity(protection))


@dataclass(frozen=True)
class TopLabels(ColumnQuery[npt.NDArray[np.int64]]):
    """The k declared labels that most rows have, the most frequent first.

    k rounds of report noisy max with ε/k each, on the labels' counts, each without those chosen before. A neighbour
    moves every count by at most ``rows``, and all in one direction where rows are added or removed: half the noise is
    then enough. ``rank_error`` says by how many rows the count of any chosen label lies at most below that of the best
    one it was chosen from.

    Args:
        labels: the texts of values to choose from, None for missing ones; never found in the table, because which
            values occur may be secret.
        noise: in each count: Gumbel noise is the exponential mechanism, which costs least in ρ; exponential noise is
            permute-and-flip, which misses the best label least for the same ε.

    Raises:
        OptionError: labels that repeat, a k that is not between 1 and their number, or a noise that is not known.
    """

    k: int
    labels: Sequence[DeclaredLabel]
    noise: MaxNoise = MaxNoise.GUMBEL

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "labels", declared(self.labels))  # a tuple, so that nobody changes it afterwards
        object.__setattr__(self, "noise", require_noise(self.noise))
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= len(self.labels):
            raise OptionError(
                "A k of {k!r} is not a whole number from 1 to {count}, the number of labels; give one that is.",
                k=self.k,
                count=len(self.labels),
            )

    @property
    def about(self) -> Sentence:
        return Sentence("top {k:d} of {column!s}", k=self.k, column=self.column)

    def sensitivity(self, protection: Protection) -> int:
        return protection.rows

    def steps(self, protection: Protection) -> tuple[Step, ...]:
        return (replace(self._choice(protection).step(), count=self.k),)

    def exact(self, table: Table, protection: Protection) -> npt.NDArray[np.int64]:
        """The count of each label."""
        used = used_rows(table, protection, self.conditions, [self.column])
        found = (positions(self.column, rows.column(self.column), tuple(self.labels)) for rows in used)
        return counted(found, len(self.labels) + 1)[:-1]

    def answer(self, exact: npt.NDArray[np.int64], protection: Protection, randomness: Randomness) -> Answer:
        choice = self._choice(protection)
        left = list(range(len(self.labels)))
        chosen = [left.pop(choice.run(exact[left].tolist(), randomness)) for _ in range(self.k)]
        # Every round misses its bound a kth as often as the whole may.
        error = choice.error_bar(len(self.labels), 1 - (1 - self.confidence) / self.k)
        rho = [claim.rho for claim in choice.claims if isinstance(claim, ZeroConcentratedDP)] * self.k
        labels = tuple((str(place), shown(self.labels[at])) for place, at in enumerate(chosen, 1))
        mechanism = Sentence(spelled(choice))
        if self.k > 1:
            mechanism = Sentence("{choice!s} {k:d} times", choice=spelled(choice), k=self.k)
        claims = (CentralDP(self.epsilon), *([ZeroConcentratedDP(sum_above(rho))] if rho else []))
        return Answer(self, protection, labels, "label", claims, mechanism, not randomness.private, error)

    def _choice(self, protection: Protection) -> Choice:
        return report_noisy_max(
            share(self.epsilon, self.k),
            sensitivity=self.sensitivity(protection),
            noise=self.noise,
            monotonic=not protection.replaces,
        )
