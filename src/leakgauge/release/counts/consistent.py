"""Consistent tables: margins of one distribution, never negative, of the largest entropy that the measurements allow.

Of all distributions w over the cells of all attributes the one is taken that minimises

    λ KL(w ‖ product of the one-way shares) + ½ Σ_B t_B ‖n · interaction_B(w) − r_B‖²,

with r_B the measured interactions and λ the largest at which the misfit Σ_B t_B ‖·‖² is at most half of the noise's
degrees of freedom, Σ_B Π(m − 1), or no longer falls: what is independent stays so, and noise is not fitted. It follows
from the measurements alone, so it costs nothing more.

With l = λ/n² the dual has one number per cell of each measured table: w ∝ shares · e^(Σ_B θ_B), and θ minimises

    ln Σ shares · e^(Σ_B θ_B) − Σ_B ⟨θ_B, r_B⟩/n + l/2 Σ_B σ_B² ‖θ_B‖²,

whose gradient is interaction_B(w) − r_B/n + l σ_B² θ_B. Sums over all cells are taken as a tree: those tables are added
first whose sum has the fewest cells, so that few sums have all of them; margins go back down the same tree.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats
from leakgauge.release.counts.measuring import Measurement
from leakgauge.release.counts.workload import Places, Workload

MOST_JOINT_CELLS = 4_000_000
"""Cells of all attributes together: 32 MB for each of the few arrays that have all of them."""
_SHARE = 0.5
"""Of the noise's degrees of freedom: the largest misfit."""
_CLOSE = 0.85
"""The share of that bound which the misfit has at least, unless what is independent fits already."""
_FIRST, _FACTOR, _STEPS = 8.0, 8.0, 24
"""l in units of 1/n where the search begins, by how much it changes at once, and how often at most."""
_PULL = 0.2
"""l in units of 1/σ², where the search begins if that is less: with a larger l, θ moves no share of few rows."""
_WORK = 10**9
"""Cells times steps of one λ, about."""
_LEAST = 1e-9
"""A smaller misfit counts as this."""
_HELPS = 0.8
"""A misfit above its bound that is not smaller than this share of the one before it will hardly fall further."""


@dataclass(frozen=True, eq=False)
class ConsistentTables:
    """A distribution over all attributes of the tables, whose margins are the tables.

    Attributes:
        shares: of every cell, in the order of ``names``.
        rows: what they are multiplied by: the measured number of rows, at least 1.
        misfit: of the measurements, as a share of the noise's degrees of freedom: about 1 would be all of the noise.
    """

    names: tuple[str, ...]
    shares: Floats = field(repr=False)
    rows: float
    misfit: float

    @checked
    def table(self, *names: str) -> Floats:
        """The rows of each cell of a table over any of the attributes, measured together or not; one axis each."""
        if len(set(names)) < len(names) or not set(names) <= set(self.names):
            raise OptionError(
                "A table over {asked!s} cannot be taken from {names!s}; name some of these, each one once.",
                asked=names,
                names=self.names,
            )
        axes = [self.names.index(name) for name in names]
        out = tuple(axis for axis in range(len(self.names)) if axis not in axes)
        margin = self.shares.sum(axis=out)
        return np.asarray(self.rows * margin.transpose(np.argsort(np.argsort(axes))))


def consistent(measurement: Measurement) -> ConsistentTables:
    """The distribution of largest entropy that the measurements allow.

    Raises:
        OptionError: more cells of all attributes together than are computed with.
    """
    workload = measurement.plan.workload
    used = tuple(sorted({at for places in workload.places for at in places}))
    cells = workload.cells(used)
    if cells > MOST_JOINT_CELLS:
        raise OptionError(
            "The {count} attributes have {cells} cells together, more than {most}; ask for consistent tables of fewer "
            "attributes, or declare coarser values. The unbiased tables have no such limit.",
            count=len(used),
            cells=cells,
            most=MOST_JOINT_CELLS,
        )
    fit = _Fit(measurement, used)
    return ConsistentTables(workload.names_of(used), *fit.largest_entropy())


class _Fit:
    """The dual problem of one measurement."""

    def __init__(self, measurement: Measurement, used: Places) -> None:
        self.workload, self.used = measurement.plan.workload, used
        self.rows = max(measurement.rows, 1.0)
        closure = zip(self.workload.closure, measurement.plan.sigmas, strict=True)
        self.sigmas = {places: sigma for places, sigma in closure if places}
        self.wanted = {places: measurement.part(places) / self.rows for places in self.sigmas}
        self.tree = _Tree(self.workload, used)
        self.freedom = sum(math.prod(self.workload.sizes[at] - 1 for at in places) for places in self.sigmas)
        self.base = [self._shares(measurement, at) for at in used]
        sizes = [self.workload.cells(places) for places in self.sigmas]
        self.close = min(self.sigmas.values()) / self.rows / 50
        self.most = min(max(_WORK // self.workload.cells(used), 400), 5000)
        self.ends = np.concatenate([[0], np.cumsum(sizes)])

    def largest_entropy(self) -> tuple[Floats, float, float]:
        """The shares, the rows and the misfit at the largest λ that fits, as closely as is worth while.

        The misfit is about a power of λ: each next λ follows from the last two, until the misfit is just below its
        bound. Noise below 0 in cells that hardly occur is fitted by nothing; where that is most of it, a smaller λ does
        not help.
        """
        variance = float(np.median(np.square([*self.sigmas.values()])))
        free, penalty = np.zeros(self.ends[-1]), min(_FIRST / self.rows, _PULL / variance)
        earlier: tuple[float, float] | None = None
        misfit = self._misfit(self._state(free)[1])
        for _ in range(_STEPS):
            if misfit <= _SHARE and (earlier is None or misfit >= _CLOSE * _SHARE):  # θ = 0 may fit already
                break
            free, tried = self._minimised(free, penalty), penalty
            before, misfit = misfit, max(self._misfit(self._state(free)[1]), _LEAST)
            far = earlier is None or tried < earlier[0] / 4
            if far and _SHARE < misfit > _HELPS * before:
                break
            slope = 1.0
            if earlier is not None and earlier[0] != tried:
                slope = max(math.log(misfit / earlier[1]) / math.log(tried / earlier[0]), 0.5)
            aim = (1 + _CLOSE) / 2 * _SHARE / misfit
            # In large steps down, since warm starts are worth more than the best guess from afar.
            earlier, penalty = (tried, misfit), tried * min(max(aim ** (1 / slope), 1 / _FACTOR), _FACTOR)
        shares = self._state(free)[2]
        return shares, self.rows, misfit

    def _shares(self, measurement: Measurement, at: int) -> Floats:
        """The one-way shares of an attribute, with half a standard error at least: noise must not rule a value out."""
        table = measurement.table(self.workload.attributes[at].name)
        kept = np.maximum(table.counts, max(table.standard_error / 2, 1e-6 * self.rows))
        return np.asarray(kept / kept.sum())

    def _minimised(self, free: Floats, penalty: float) -> Floats:
        """The dual's minimum from a start, in numbers whose second derivatives are alike."""
        from scipy.optimize import minimize

        scale = np.concatenate([self._expected(places).ravel() + penalty * s**2 for places, s in self.sigmas.items()])
        scale = 1 / np.sqrt(scale)

        def dual(at: Floats) -> tuple[float, Floats]:
            log_total, margins, _ = self._state(at * scale)
            value, gradient = log_total, np.empty_like(at)
            for places, theta, first, last in self._parts(at * scale):
                wanted = self.wanted[places]
                value += float((theta * (penalty * self.sigmas[places] ** 2 / 2 * theta - wanted)).sum())
                slope = _centred(margins[places]) - wanted + penalty * self.sigmas[places] ** 2 * theta
                gradient[first:last] = slope.ravel()
            return value, gradient * scale

        options = {
            "maxiter": self.most,
            "maxfun": 2 * self.most,
            "maxcor": 20,
            "gtol": self.close * float(scale.min()),
            "ftol": 1e-14,
        }
        found = minimize(dual, free / scale, jac=True, method="L-BFGS-B", options=options)
        return np.asarray(found.x * scale)

    def _expected(self, places: Places) -> Floats:
        """The shares of a table whose attributes are independent."""
        expected = np.ones(())
        for at in places:
            expected = np.multiply.outer(expected, self.base[self.used.index(at)])
        return expected

    def _state(self, free: Floats) -> tuple[float, Mapping[Places, Floats], Floats]:
        """The logarithm of the dual's sum, the margins of all measured tables, and the shares of all cells."""
        parts = {places: theta.reshape(self._spread(places)) for places, theta, _, _ in self._parts(free)}
        for at, shares in zip(self.used, self.base, strict=True):
            parts[(at,)] = parts[(at,)] + np.log(shares).reshape(self._spread((at,)))
        logs = self.tree.total(parts)
        top = float(logs.max())
        shares = np.exp(logs - top)
        total = float(shares.sum())
        shares /= total
        return top + math.log(total), self.tree.margins(shares), shares

    def _misfit(self, margins: Mapping[Places, Floats]) -> float:
        square = 0.0
        for places, sigma in self.sigmas.items():
            away = _centred(margins[places]) - self.wanted[places]
            square += float((away**2).sum()) * (self.rows / sigma) ** 2
        return square / self.freedom

    def _parts(self, free: Floats) -> Iterator[tuple[Places, Floats, int, int]]:
        """For each measured table its centred θ, and where its numbers begin and end."""
        for at, places in enumerate(self.sigmas):
            first, last = int(self.ends[at]), int(self.ends[at + 1])
            yield places, _centred(free[first:last].reshape(self.workload.shape(places))), first, last

    def _spread(self, places: Places) -> tuple[int, ...]:
        return tuple(self.workload.sizes[at] if at in places else 1 for at in self.used)


class _Tree:
    """In which order tables are added up, and margins taken."""

    def __init__(self, workload: Workload, used: Places) -> None:
        self._used = used
        self._shape = workload.shape(used)
        self._measured = [places for places in workload.closure if places]
        nodes = {at: frozenset(places) for at, places in enumerate(workload.largest)}
        self._leaves = list(nodes.values())
        self._merges: list[tuple[int, int, int]] = []
        heap = [(workload.cells(nodes[a] | nodes[b]), a, b) for a, b in combinations(nodes, 2)]
        heapq.heapify(heap)
        alive, self._sets = set(nodes), dict(nodes)
        while heap:
            _, a, b = heapq.heappop(heap)
            if a in alive and b in alive:
                new = len(self._sets)
                self._sets[new] = self._sets[a] | self._sets[b]
                self._merges.append((a, b, new))
                alive -= {a, b}
                for one in alive:
                    heapq.heappush(heap, (workload.cells(self._sets[one] | self._sets[new]), one, new))
                alive.add(new)
        self._holder = {
            places: next(at for at, one in enumerate(self._leaves) if one.issuperset(places))
            for places in self._measured
        }

    def total(self, parts: Mapping[Places, Floats]) -> Floats:
        """The sum of arrays with an axis for each attribute, of length 1 where a table lacks it."""
        sums: dict[int, Floats] = {}
        for places, leaf in self._holder.items():
            sums[leaf] = sums[leaf] + parts[places] if leaf in sums else parts[places]
        for a, b, new in self._merges:
            sums[new] = sums.pop(a) + sums.pop(b)
        (total,) = sums.values()
        return np.broadcast_to(total, self._shape)

    def margins(self, shares: Floats) -> Mapping[Places, Floats]:
        """The margin of every measured table."""
        margins = {len(self._sets) - 1: shares}
        for a, b, new in reversed(self._merges):
            whole = margins.pop(new)
            for child in (a, b):
                margins[child] = whole.sum(axis=self._without(self._sets[child]), keepdims=True)
        found = {}
        for places in self._measured:
            margin = margins[self._holder[places]].sum(axis=self._without(frozenset(places)))
            found[places] = margin
        return found

    def _without(self, kept: frozenset[int]) -> tuple[int, ...]:
        return tuple(axis for axis, at in enumerate(self._used) if at not in kept)


def _centred(table: Floats) -> Floats:
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table
