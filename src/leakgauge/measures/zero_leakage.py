"""A test of whether a release reveals anything at all about a secret.

An interval for I(X;Y) never excludes 0 as sharply as a test of independence does, since 0 is the end of its range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.measures.terms import require_one_role
from leakgauge.probability import Counts
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

_EXPECTED = 5.0  # expected count of every cell from which the chi-squared law is trusted
_WORK = 20_000_000
"""Cells drawn in all, or observations where those are shuffled; the redraws are between 199 and 1999 within it, and
from 99 on where observations are shuffled.
"""
_DENSE = 2_000_000  # cells held at once
_FULL = 16
"""Observations per cell from which laying out a table costs less than shuffling them, however many cells it has."""


_HYPERGEOMETRIC = 10**9  # observations from which numpy draws no hypergeometric numbers
_SMALL = 2000
"""Cells up to which tables are drawn cell by cell, all at once: scipy's statistics alone take a second to load."""


class PValueMethod(Enum):
    """Where the p-value comes from: the chi-squared law, or tables redrawn with the observed margins."""

    CHI_SQUARED = "chi-squared"
    MONTE_CARLO = "monte-carlo"


@dataclass(frozen=True)
class ZeroLeakageTest:
    """Evidence against "the release reveals nothing about the secret".

    Attributes:
        statistic: G = 2 n I at the observed frequencies, in nats.
        p_value: the chance of a G at least as large if nothing leaked; never below the truth by design.
        degrees_of_freedom: of the chi-squared law; None where tables were redrawn.
    """

    statistic: float
    p_value: float
    degrees_of_freedom: int | None
    method: PValueMethod


@checked
def zero_leakage_test(
    counts: Counts,
    secret: Sequence[str],
    release: Sequence[str],
    given: Sequence[str] = (),
    *,
    simulation_seed: int = 0,
) -> ZeroLeakageTest:
    """The G-test of I(X;Y) = 0, or of I(X;Y|Z) = 0 within each value of what is given.

    Where every expected count is at least 5, G is divided by Williams's correction and compared to the chi-squared
    law; elsewhere to tables redrawn with both margins of each stratum fixed, whose p-value (1 + exceeding)/(1 + drawn)
    is valid at any sample size.

    Args:
        release: the axes that are released, or an attacker's background.
        given: axes known already; leakage beyond them is tested.
        simulation_seed: what the redraws start from.

    Raises:
        OptionError: no axis is named as the secret or as the release.
        LabelError: an axis is unknown or plays two roles.

    Example:
        >>> counts = Counts({"illness": ["flu", "none"], "city": ["A", "B"]}, [[30, 10], [20, 40]])
        >>> test = zero_leakage_test(counts, ["illness"], ["city"])
        >>> test.degrees_of_freedom, test.p_value < 0.001
        (1, True)

    Reference: Williams, Improved likelihood ratio tests for complete contingency tables, Biometrika 63, 1976.
    """
    strata = _Strata(counts, secret, release, given)
    if not len(strata.total):
        # A constant secret or release leaks nothing and gives no evidence either.
        return ZeroLeakageTest(0.0, 1.0, 0, PValueMethod.CHI_SQUARED)
    statistic = strata.statistic()
    if strata.smallest_expected() < _EXPECTED:
        return ZeroLeakageTest(statistic, _redrawn(strata, simulation_seed), None, PValueMethod.MONTE_CARLO)
    from scipy.special import chdtrc

    freedom, correction = strata.freedom()
    p_value = float(chdtrc(freedom, statistic / correction))
    return ZeroLeakageTest(statistic, p_value, freedom, PValueMethod.CHI_SQUARED)


class _Margin:
    """One variable within strata: the distinct (stratum, value) pairs, their totals, and each cell's pair."""

    def __init__(self, stratum: Codes, value: Codes, counts: Floats) -> None:
        key = stratum * (int(value.max(initial=0)) + 1) + value
        _, first, self.of_cell = np.unique(key, return_index=True, return_inverse=True)
        self.stratum, self.total = stratum[first], _sums(self.of_cell, counts)

    @property
    def values(self) -> Codes:
        """How many values occur in each stratum."""
        return np.bincount(self.stratum)

    def within(self, stratum: int) -> Codes:
        """The totals in one stratum."""
        return np.asarray(self.total[self.stratum == stratum], dtype=np.int64)


class _Strata:
    """Two variables within strata that hold at least two values of each; the others prove nothing."""

    def __init__(self, counts: Counts, secret: Sequence[str], release: Sequence[str], given: Sequence[str]) -> None:
        for role, axes in (("secret", secret), ("release", release)):
            if not axes:
                raise OptionError("No axis is named as the {role}; name at least one.", role=role)
        require_one_role((*secret, *release, *given))
        groups = {"X": tuple(secret), "Y": tuple(release)} | ({"Z": tuple(given)} if given else {})
        merged = counts.merge(groups)
        x, y, observed = merged.codes[0], merged.codes[1], merged.counts.astype(np.float64)
        _, stratum = np.unique(merged.codes[2] if given else np.zeros_like(x), return_inverse=True)
        here = ((_Margin(stratum, x, observed).values > 1) & (_Margin(stratum, y, observed).values > 1))[stratum]
        self.counts = observed[here]
        _, self.stratum = np.unique(stratum[here], return_inverse=True)
        self.total = _sums(self.stratum, self.counts)
        self.rows, self.columns = (_Margin(self.stratum, code[here], self.counts) for code in (x, y))

    def statistic(self) -> float:
        """2 Σ N log N N_z / (N_xz N_yz)."""
        margins = self.rows.total[self.rows.of_cell] * self.columns.total[self.columns.of_cell]
        terms = self.counts * np.log(self.counts * self.total[self.stratum] / margins)
        return max(float(2 * terms.sum()), 0.0)

    def freedom(self) -> tuple[int, float]:
        """Degrees of freedom, and Williams's correction: the mean of G under independence divided by them."""
        freedom = int(((self.rows.values - 1) * (self.columns.values - 1)).sum())
        spread = [
            self.total * np.bincount(margin.stratum, 1 / margin.total) - 1 for margin in (self.rows, self.columns)
        ]
        return freedom, 1 + float((spread[0] * spread[1] / (6 * self.total)).sum()) / freedom

    def smallest_expected(self) -> float:
        """The least expected count of any cell that could be filled."""
        # The pairs of a margin are sorted by their stratum.
        rows, columns = (
            np.minimum.reduceat(margin.total, np.unique(margin.stratum, return_index=True)[1])
            for margin in (self.rows, self.columns)
        )
        return float((rows * columns / self.total).min())


def _redrawn(strata: _Strata, simulation_seed: int) -> float:
    """The share of redrawn tables, the observed one among them, whose G is at least the observed one."""
    from scipy.special import xlogy

    generator = simulation(simulation_seed)
    cells = strata.rows.values * strata.columns.values
    # A table of mostly empty cells is not laid out: its observations are fewer.
    shuffled = (cells > _DENSE) & (strata.total < _FULL * cells)
    work = int(np.where(shuffled, strata.total, cells).sum())
    redraws = int(np.clip(_WORK // work, 99 if shuffled.any() else 199, 1999))
    # With margins fixed, G and Σ N log N rank tables alike.
    sums = np.zeros(redraws)
    for at in range(len(cells)):
        margins = strata.rows.within(at), strata.columns.within(at)
        if shuffled[at]:
            sums += _shuffled(*margins, redraws, generator.shuffle)
            continue
        step = max(1, _DENSE // int(cells[at]))
        for start in range(0, redraws, step):
            tables = _tables(*margins, min(step, redraws - start), generator)
            sums[start : start + step] += xlogy(tables, tables).sum(axis=(1, 2))
    observed = float(xlogy(strata.counts, strata.counts).sum())
    # Ties count against the evidence, also those that rounding would break.
    exceeding = int((sums >= observed - 1e-9 * max(observed, 1.0)).sum())
    return (1 + exceeding) / (1 + redraws)


def _tables(rows: Codes, columns: Codes, redraws: int, generator: Generator) -> Codes:
    """Tables of these margins, as likely as by pairing the observations of both at random."""
    if rows.sum() >= _HYPERGEOMETRIC or len(rows) * len(columns) > _SMALL:
        from scipy.stats import random_table

        drawn: Codes = random_table(rows, columns).rvs(size=redraws, random_state=generator)
        return drawn
    tables = np.empty((redraws, len(rows), len(columns)), dtype=np.int64)
    left = np.tile(columns.astype(np.int64), (redraws, 1))
    for at, total in enumerate(rows[:-1].tolist()):
        needed, others = np.full(redraws, total), left.sum(axis=1)
        for column in range(len(columns) - 1):
            others -= left[:, column]
            tables[:, at, column] = generator.hypergeometric(left[:, column], others, needed)
            needed -= tables[:, at, column]
        tables[:, at, -1] = needed
        left -= tables[:, at]
    tables[:, -1] = left
    return tables


def _shuffled(rows: Codes, columns: Codes, redraws: int, shuffle: Callable[[Codes], None]) -> Floats:
    """Σ N log N of tables redrawn by pairing the observations of both margins at random."""
    from scipy.special import xlogy

    first = np.repeat(np.arange(len(rows)) * len(columns), rows)
    second = np.repeat(np.arange(len(columns)), columns)
    sums = np.empty(redraws)
    for at in range(redraws):
        shuffle(second)
        _, times = np.unique(first + second, return_counts=True)
        sums[at] = xlogy(times, times).sum()
    return sums


def _sums(group: Codes, counts: Floats) -> Floats:
    return np.asarray(np.bincount(group, counts), dtype=np.float64)
