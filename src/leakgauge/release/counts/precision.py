"""How precisely each interaction is measured, so that tables have the least error for a sensitivity, with a proof.

Interaction B gets noise of variance 1/t_B before it is centred. With p_B = Π(1 − 1/m):

- a cell of table A has the variance Σ_(B⊆A) C_AB / t_B with C_AB = p_B / Π_(A∖B) m²;
- a row that is added or removed moves the measurements by μ, μ² = Σ_B p_B t_B; one that is replaced, and agrees with
  the earlier row in the attributes a, by μ² = Σ_B 2 t_B (p_B − Π_B([i ∈ a] − 1/m_i)), the largest over a.

Both are the largest entry of a non-negative matrix: errors V = C(1/t) and squared sensitivities W = St, where a
weighted sum of errors is a matrix of one row. For any weights λ, ν that sum to 1 and any t, by the Cauchy–Schwarz
inequality,

    max V · max W ≥ (λᵀC(1/t)) (νᵀSt) ≥ (Σ_B √((Cᵀλ)_B (Sᵀν)_B))²,

which does not depend on t: a bound for every plan (weak duality). With one row on each side t_B = √(C_B/S_B) reaches
it; it is the least of all Gaussian linear mechanisms (Xiao, He, Zhang, Kifer, Optimal and scalable mechanisms for
marginals, 2023). Otherwise ln max V + ln max W, with u = ln t, is convex, since each entry is a sum of exponentials of
u. Powers in place of the largest entry make it smooth; Newton's steps minimise it, the power grows, and the weights at
each end give the bound that proves how near the optimum it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leakgauge.errors import OptionError, UnprovedError
from leakgauge.notions.composition import Neighbours
from leakgauge.probability.cells import Floats
from leakgauge.release.counts.workload import Places, Workload

LARGEST_GAP = 1e-3
"""As a share of the least possible error; what is asked of the solver is a third of it."""
MOST_REPLACED = 20
"""Attributes whose patterns of agreement, 2 to their number, are all looked at."""
_PATTERNS = 16
"""Patterns of agreement that are added at a time."""


@dataclass(frozen=True)
class Precisions:
    """Precisions for a sensitivity of 1, and what is proven of them.

    Attributes:
        t: 1/variance of the noise for each interaction of the closure; infinite where a part is public.
        error: the weighted sum of variances, or the largest variance as a multiple of the one wanted.
        bound: no plan has less.
    """

    t: Floats
    error: float
    bound: float

    @property
    def gap(self) -> float:
        """How much more the error is than the bound, as a share of the bound."""
        return self.error / self.bound - 1


def error_rows(workload: Workload, tables: Sequence[Places]) -> Floats:
    """C: for each table, the variance of a cell by each interaction of the closure at a precision of 1."""
    column = {places: at for at, places in enumerate(workload.closure)}
    rows = np.zeros((len(tables), len(column)))
    for row, table in zip(rows, tables, strict=True):
        for ways in range(len(table) + 1):
            for some in combinations(table, ways):
                row[column[some]] = workload.share(some) / (workload.cells(table) / workload.cells(some)) ** 2
    return rows


def moved(workload: Workload, agreeing: frozenset[int] | None) -> Floats:
    """S: how far a row moves each interaction, squared; None where it is added or removed.

    Otherwise it is replaced by one that agrees with it in some attributes.
    """
    if agreeing is None:
        return np.array([workload.share(places) for places in workload.closure])
    apart = [(at in agreeing) - 1 / size for at, size in enumerate(workload.sizes)]
    same = [np.prod([apart[at] for at in places]) for places in workload.closure]
    return np.array([2 * (workload.share(places) - one) for places, one in zip(workload.closure, same, strict=True)])


def worst_patterns(workload: Workload, t: Floats, most: int = 1) -> tuple[list[frozenset[int]], float]:
    """The attributes in which a replaced row agrees with the earlier one where most is told, and the largest μ².

    Σ t_B Π_B([i ∈ a] − 1/m_i) for all a at once: one attribute after the other is put in, as in a Walsh transform.
    """
    count = len(workload.sizes)
    if count > MOST_REPLACED:
        raise OptionError(
            "There are {count} attributes, and a replaced row may agree in any of them; ask for at most {most}, or "
            "protect rows that are added or removed, which protects a replaced one at twice the μ.",
            count=count,
            most=MOST_REPLACED,
        )
    # A set of attributes is a number with a bit for each.
    sums = np.zeros(1 << count)
    kept = np.where(np.isfinite(t), t, 0.0)
    sums[[sum(1 << at for at in places) for places in workload.closure]] = kept
    for at, size in enumerate(workload.sizes):
        halves = sums.reshape(-1, 2, 1 << at)
        without, within = halves[:, 0], halves[:, 1]
        without -= within / size
        within += without
    whole = float(moved(workload, None) @ kept)
    lowest = np.argpartition(sums, min(most, len(sums) - 1))[:most] if most > 1 else [sums.argmin()]
    patterns = [frozenset(at for at in range(count) if int(one) >> at & 1) for one in lowest]
    return patterns, 2 * (whole - float(sums.min()))


def least_error(workload: Workload, neighbours: Neighbours, wanted: Floats | None) -> Precisions:
    """The precisions of least error at a sensitivity of 1.

    Args:
        wanted: the variance of a cell of each table that is wanted: the largest ratio is made least; None for the
            weighted sum of the variances of all cells.

    Raises:
        UnprovedError: the gap could not be made as small as promised.
    """
    rows = error_rows(workload, workload.places)
    if wanted is None:
        weights = np.array(workload.weights) * [workload.cells(places) for places in workload.places]
        rows = (weights @ rows)[None, :]
    else:
        rows = rows / np.asarray(wanted)[:, None]
    if neighbours is Neighbours.ADD_OR_REMOVE_ONE:
        return _precisions(rows, moved(workload, None)[None, :])
    # The number of rows is public where they are only replaced: the first interaction costs nothing.
    inner = _replacing(workload, rows[:, 1:])
    return Precisions(np.concatenate([[np.inf], inner.t]), inner.error, inner.bound)


def _replacing(workload: Workload, rows: Floats) -> Precisions:
    """Patterns of agreement are added until none is worse; the weights on few of them bound all plans already."""
    alone = (frozenset([at]) for at in range(len(workload.sizes)))
    patterns = [frozenset[int](), *(one for one in alone if moved(workload, one).any())]
    best: Precisions | None = None
    for _ in range(200):
        found = _precisions(rows, np.stack([moved(workload, one)[1:] for one in patterns]))
        worst, square = worst_patterns(workload, np.concatenate([[np.inf], found.t]), _PATTERNS)
        # Scaled to a sensitivity of 1 by the worst pattern of all.
        scaled = Precisions(found.t / square, found.error * square, found.bound)
        best = scaled if best is None or scaled.error < best.error else best
        best = Precisions(best.t, best.error, max(best.bound, found.bound))
        if best.gap <= LARGEST_GAP / 2:
            break
        patterns += [one for one in worst if one not in patterns and moved(workload, one).any()]
    assert best is not None
    return _proven(best)


def _precisions(rows: Floats, moves: Floats) -> Precisions:
    """For given matrices of errors and squared sensitivities."""
    u = np.log(rows.mean(axis=0) / moves.mean(axis=0)) / 2
    power, found = 1.0, _certified(rows, moves, u, 1.0)
    while found.gap > LARGEST_GAP / 3 and power < 1e7:
        power *= 4
        u = _smoothed(rows, moves, u, power)
        found = _certified(rows, moves, u, power)
    return _proven(found)


def _proven(found: Precisions) -> Precisions:
    if found.gap > LARGEST_GAP:
        raise UnprovedError(
            "The least error was proven to {gap:.2g} of itself only, not to {wanted}; ask for fewer tables.",
            gap=found.gap,
            wanted=LARGEST_GAP,
        )
    return found


def _certified(rows: Floats, moves: Floats, u: Floats, power: float) -> Precisions:
    errors, squares = rows @ np.exp(-u), moves @ np.exp(u)
    left, right = _weights(errors, power - 1), _weights(squares, power - 1)
    bound = float(np.sqrt((left @ rows) * (right @ moves)).sum()) ** 2
    square = float(squares.max())
    return Precisions(np.exp(u) / square, float(errors.max()) * square, bound)


def _weights(values: Floats, power: float) -> Floats:
    shares = (values / values.max()) ** power
    return np.asarray(shares / shares.sum())


def _smoothed(rows: Floats, moves: Floats, u: Floats, power: float) -> Floats:
    """The u that minimises ln of the power means of errors and squared sensitivities, by Newton's steps."""

    def value(at: Floats) -> float:
        total = 0.0
        for entries in (rows @ np.exp(-at), moves @ np.exp(at)):
            total += float(np.log(entries.max()) + np.log(((entries / entries.max()) ** power).sum()) / power)
        return total

    now = value(u)
    for _ in range(50):
        gradient, curvature = np.zeros_like(u), np.zeros((len(u), len(u)))
        for sign, matrix in ((-1.0, rows), (1.0, moves)):
            terms = matrix * np.exp(sign * u)
            entries = terms.sum(axis=1)
            terms /= entries[:, None]
            weights = _weights(entries, power)
            mean = weights @ terms
            gradient += sign * mean
            curvature += np.diag(mean) + (power - 1) * (terms.T * weights) @ terms - power * np.outer(mean, mean)
        # All u may be moved by one number, which changes nothing.
        curvature[np.diag_indices_from(curvature)] += 1e-12 * power
        curvature += 1 / len(u)
        step = -np.linalg.solve(curvature, gradient)
        slope, length = float(gradient @ step), 1.0
        if slope > -1e-12 / power:
            break
        while (ahead := value(u + length * step)) > now + 1e-4 * length * slope and length > 1e-10:
            length /= 2
        u, now = u + length * step, min(ahead, now)
    return u
