"""Families of channels to choose from: what they leak and cost, and the best one at a slope with its proof."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import TypeAlias

import numpy as np

from leakgauge.design.bounded import minimise_bounded
from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import Optimum, minimise_columns
from leakgauge.design.cones import Anchored, Cone, Positive, Window
from leakgauge.design.ends import (
    FORBIDDEN,
    PROGRAM_CELLS,
    Least,
    best_letter,
    best_nearest,
    best_untelling,
    least_distortion,
    least_hamming,
)
from leakgauge.design.inference import ThroughColumn
from leakgauge.design.keeping import KeepingShares
from leakgauge.design.points import OverValues, Point, cost_at, costs_at, hamming_marginal, induced, steepest
from leakgauge.design.sweeps import SWEEPS, alternate
from leakgauge.measures.interior import minimise_from
from leakgauge.probability.cells import Codes, Floats, sums_by

COLUMN_CELLS = 1 << 21
"""Up to inputs² × outputs of this many numbers a channel that sweeps do not find is found a column at a time."""
BOUNDED_CELLS = 1600
"""Up to inputs × outputs of this many numbers bounds on ratios are kept by one linear system of that size a step."""
NEIGHBOUR = 1.1  # by how much slopes differ at most for one to start from the other
FEW_SWEEPS = 600  # sweeps where letters are forbidden and columns may be searched instead
NO_WEIGHT = 1e-13
"""Weights this far below the largest are counted as 0 in the search, which loosens the proof by hardly anything."""
THIN = 1e-6  # bounds that leave less room than this to the sum of all columns have no inside to walk through
THINNEST = 1e-8  # the least by which such bounds are widened: rounding must not close the room again


class OneChannel(OverValues):
    """Channels that read the secret alone.

    Args:
        secrets: p(x, z) of the letters that occur; one column where nobody knows a background.
        excess: distances above each input's least.
        window: bounds on ratios; None for none.
        closed_form: the output that matches each input where the distances are Hamming's; None otherwise.
    """

    def __init__(
        self, secrets: Secrets, excess: Floats, window: Window | None = None, closed_form: Codes | None = None
    ) -> None:
        self._secrets, self._excess, self._window = secrets, excess, window
        self._matches = closed_form
        self.secrets, self._prior = secrets, secrets.prior
        if secrets.weights is not None:
            weights = secrets.weights / self.unit
            self.secrets = replace(secrets, weights=np.where(weights > NO_WEIGHT, weights, 0.0))

    @cached_property
    def sharp(self) -> float:
        """Where e^(−slope · distance) is 0 for all but the nearest letters; none where bounds keep them possible."""
        return math.inf if self._window is not None else self.unit * steepest(self._excess)

    @property
    def unit(self) -> float:
        """The largest weight."""
        return 1.0 if self._secrets.weights is None else float(self._secrets.weights.max())

    @property
    def bounded(self) -> bool:
        """Whether bounds on ratios keep the nearest letters from being released always."""
        return self._window is not None

    @cached_property
    def least(self) -> Least | None:
        """By its closed form for Hamming's distances and a local ε, else by a linear program."""
        if self._window is None:
            return None
        if self._matches is not None and np.ptp(self._window.low) == 0:
            return least_hamming(self.secrets.prior, self._matches, self._excess.shape[1], self._window)
        if self._excess.size > PROGRAM_CELLS:
            return None
        return least_distortion(self.secrets.prior, self._excess, self._window)

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) in nats, or I_w(X;Y)."""
        return self._secrets.leakage(channel)

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope."""
        if slope == 0:
            channel = best_untelling(self.secrets, self._excess, self._window)
            excess = self.excess_of(channel)
            if math.isfinite(excess):
                return Point(0.0, channel, 0.0, excess, 0.0, 0)
            # No letter is allowed to all who must be released alike: something is told, however large the distortion.
        if self.sharp <= slope < math.inf:
            return replace(self.at(math.inf, gap, near), slope=slope)
        if self.secrets.weights is None:
            return self._at(slope, gap, near)
        # With the largest weight at 1: the search knows no other unit than a nat.
        point = self._at(slope / self.unit, gap / self.unit, near)
        return replace(point, slope=slope, leakage=self.leakage(point.channel), bound=self.unit * point.bound)

    def _at(self, slope: float, gap: float, near: Sequence[Point]) -> Point:
        if self._window is not None:
            return self._within_ratios(slope, gap, self._window)
        if self.secrets.weights is not None and math.isinf(slope):
            return self._measured(slope, best_nearest(self.secrets, self._excess, gap))
        if self.secrets.joint.shape[1] > 1 or self.secrets.weights is not None:
            # Sweeps leave forbidden letters out; a search among columns only makes them dear, as it does with weights.
            swept = self._by_sweeps(slope, gap, near) if self.secrets.weights is None else None
            if swept is not None and (swept.gap <= gap or self._large or math.isinf(slope)):
                return swept
            found = self._by_columns(slope, gap, Positive(len(self._excess)))
            return found if swept is None else min(swept, found, key=lambda point: point.gap)
        return self._by_marginal(slope, gap, near) if self._matches is None else self._by_closed_form(slope)

    @property
    def _large(self) -> bool:
        """Whether a search among columns would take too long."""
        return self._excess.size * len(self._excess) > COLUMN_CELLS

    def _by_closed_form(self, slope: float) -> Point:
        assert self._matches is not None
        marginal = np.zeros(self._excess.shape[1])
        marginal[self._matches] = hamming_marginal(self.secrets.prior, slope)
        # Products with K, which is 1 where the letters match and e^(−slope) elsewhere, take one pass over the letters.
        off = math.exp(-slope)
        mixed = off * marginal.sum() + (1 - off) * marginal[self._matches]
        shares = self.secrets.prior / mixed
        ratios = np.full(len(marginal), off * shares.sum())
        ratios[self._matches] += (1 - off) * shares
        value = -float(self.secrets.prior @ np.log(mixed))
        bound = value - math.log(ratios.max()) - ROUNDING * (1 + value)
        return self._of_marginal(slope, marginal, bound, 0, ())

    def _by_marginal(self, slope: float, gap: float, near: Sequence[Point]) -> Point:
        kernel = np.exp(-self._costs(slope))
        known = [point.warm for point in near if len(point.warm) == 2]
        found = minimise_from(kernel, self.secrets.prior, gap / 2, known)
        # Dead letters: their slack outweighs what is left of them.
        kept = np.where(found.weights < found.slacks, 0.0, found.weights)
        warm, bound = (found.weights, found.slacks), found.lower - ROUNDING * (1 + abs(found.lower))
        if kept.sum() > 0 and np.all(kernel @ kept > 0):
            point = self._of_marginal(slope, kept / kept.sum(), bound, found.steps, warm)
            if point.gap <= gap:
                return point
        point = self._of_marginal(slope, found.weights, bound, found.steps, warm)
        if point.gap <= gap or not self.forbids or self._large or math.isinf(slope):
            return point
        # Where letters are forbidden a search for the marginal alone may end early.
        return min(point, self._by_columns(slope, gap, Positive(len(self._excess))), key=lambda one: one.gap)

    def _of_marginal(self, slope: float, marginal: Floats, bound: float, steps: int, warm: tuple[Floats, ...]) -> Point:
        """The channel of an output marginal."""
        used = np.flatnonzero(marginal)
        scores = np.log(marginal[used]) - costs_at(slope, self._excess[:, used])
        released = induced(scores, math.isinf(slope) or self.forbids)
        excess = self.excess_of(released, used)
        return Point(slope, released, self.leakage(released), excess, bound, steps, warm, used)

    def _within_ratios(self, slope: float, gap: float, window: Window) -> Point:
        """By prices where nothing but the ratios matters; where that falls short and it is small, a column a time."""
        constant = self._always_the_best(slope, window)
        if constant.gap <= gap / 2:
            return constant
        found = []
        if self.secrets.weights is None and self.secrets.joint.shape[1] == 1:
            best = minimise_bounded(self.secrets.prior, self._costs(slope), window, gap)
            found.append(self._measured(slope, best))
        if not found or (found[0].gap > gap and self._excess.size <= BOUNDED_CELLS):
            room = gap / (1 + slope * constant.excess)
            found.append(self._by_columns(slope, gap, _with_inside(window, room)))
        return min([*found, constant], key=lambda point: point.gap)

    def _always_the_best(self, slope: float, window: Window) -> Point:
        """The channel of one letter, which tight bounds leave little to gain on."""
        channel = best_letter(self.secrets.prior, self._excess)
        excess = self.excess_of(channel)
        # An entry is at least this part of what is released on the whole.
        lower = window.alike * excess
        if self._excess.size <= BOUNDED_CELLS and self.least is not None:
            lower = max(lower, self.least.lower)
        return Point(slope, channel, 0.0, excess, slope * lower * (1 - ROUNDING), 0)

    def _by_columns(self, slope: float, gap: float, cone: Cone) -> Point:
        costs = self._costs(slope)
        forbidden = np.isinf(costs)
        if self.forbids:
            # The search needs costs it can count with. Where letters are only dear a channel may cost less, never more.
            costs = np.where(forbidden, float(costs[~forbidden].max()) + FORBIDDEN, costs)
        found = minimise_columns(self.secrets, costs, cone, gap / 2)
        channel = found.channel
        if self.forbids:
            channel = np.where(forbidden, 0.0, channel)
            channel /= channel.sum(axis=1, keepdims=True)
        if isinstance(cone, Positive) and self.secrets.weights is None:
            channel = self._without_dead(slope, channel, found.lower, gap)
        else:
            channel = self._without_rare(slope, channel, found.lower, gap)
        if self._window is not None:
            channel = self._window.inside(channel)
        return self._measured(slope, replace(found, channel=channel))

    def _by_sweeps(self, slope: float, gap: float, near: Sequence[Point]) -> Point:
        # Letters that are dead far away are missed for long, and where some are forbidden none comes back.
        near = () if self.forbids else near
        close = [point for point in near if point.warm and 1 / NEIGHBOUR < point.slope / slope < NEIGHBOUR]
        start = close[0].warm[0].copy() if close else None
        # Sweeps cannot set a letter aside either where some are forbidden; what dies is found sooner among columns.
        most = FEW_SWEEPS if self.forbids and not self._large else SWEEPS
        found = alternate(self.secrets, self._costs(slope), gap / 2, start, most)
        channel = self._without_dead(slope, found.channel, found.lower, gap)
        with np.errstate(divide="ignore"):
            warm = np.maximum(np.log(self.secrets.seen(found.channel)), -600.0)
        return self._measured(slope, replace(found, channel=channel), warm)

    def _without_dead(self, slope: float, channel: Floats, bound: float, gap: float) -> Floats:
        """The channel with letters taken out that are hardly ever released, where the proof allows it."""
        costs = self._costs(slope)
        seen = self.secrets.seen(channel)
        for least in (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0):
            with np.errstate(divide="ignore"):
                kept = np.log(np.where(seen.max(axis=0) > least, seen, 0.0))
            dead = np.isneginf(kept).any(axis=0)
            kept[:, dead] = -np.inf
            scores = self.secrets.given_secret @ np.where(dead, 0.0, kept) - np.where(dead, np.inf, costs)
            if np.isneginf(scores.max(axis=1)).any():
                continue
            candidate = induced(scores, math.isinf(slope) or self.forbids)
            if self.secrets.leakage(candidate) + cost_at(slope, self.excess_of(candidate)) - bound <= gap:
                return candidate
        return channel

    def _without_rare(self, slope: float, channel: Floats, bound: float, gap: float) -> Floats:
        """The channel with letters taken out that are hardly ever released, the ratios all but unchanged."""
        for least in (1e-6, 1e-7, 1e-8, 1e-9):
            kept = np.where(channel.max(axis=0) > least, channel, 0.0)
            kept /= kept.sum(axis=1, keepdims=True)
            if self.secrets.leakage(kept) + slope * self.excess_of(kept) - bound <= gap:
                return kept
        return channel

    def _measured(self, slope: float, found: Optimum, *warm: Floats) -> Point:
        leakage, excess = self.secrets.leakage(found.channel), self.excess_of(found.channel)
        return Point(slope, found.channel, leakage, excess, found.lower, found.steps, warm)

    def _costs(self, slope: float) -> Floats:
        return costs_at(slope, self._excess)


def _with_inside(window: Window, room: float) -> Cone:
    """The window, or a little wider one where it has next to no inside; what that proves holds for the narrower one."""
    if window.anchor is not None:
        return Anchored(window, window.anchor)
    if window.high.min() > (1 + THIN) * window.low.max():
        return window
    return Window(window.low, window.high * math.exp(min(max(room / 8, THINNEST), THIN)))


class TiedChannel(OneChannel):
    """Channels that read the secret alone, under bounds that leave some inputs no choice but the same row.

    What such a row leaks and costs is that of one input in their place; among those the bounds have an inside, which a
    search needs, and no rounding tears the rows apart.

    Args:
        tied: for each input the number of its group.
    """

    def __init__(self, secrets: Secrets, excess: Floats, window: Window, tied: Codes) -> None:
        super().__init__(secrets, excess, window)
        self._tied = tied
        count = int(tied.max()) + 1
        joint, distances = np.zeros((count, secrets.joint.shape[1])), np.zeros((count, excess.shape[1]))
        np.add.at(joint, tied, secrets.joint)
        np.add.at(distances, tied, secrets.prior[:, None] * excess)
        shares, weights = joint.sum(axis=1), None
        if secrets.weights is not None:
            weights = sums_by(tied, secrets.weights * secrets.prior, count) / shares
        self._merged = OneChannel(Secrets.of(joint, weights), distances / shares[:, None], window.merged(tied))

    @cached_property
    def least(self) -> Least | None:
        """By a linear program in the groups."""
        found = self._merged.least
        return None if found is None else replace(found, channel=found.channel[self._tied])

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope."""
        point = self._merged.at(slope, gap)
        return replace(point, channel=point.channel[self._tied])


class ChannelPerBackground:
    """Channels that read the secret and the background: one problem per background, at a common slope."""

    unit = 1.0

    def __init__(self, shares: Floats, parts: Sequence[OneChannel | KeepingShares]) -> None:
        self._shares, self._parts = shares, parts
        self._ends = np.cumsum([part.inputs for part in parts])[:-1]

    @property
    def inputs(self) -> int:
        """Pairs of a secret and a background."""
        return sum(part.inputs for part in self._parts)

    @cached_property
    def sharp(self) -> float:
        """The steepest of all backgrounds."""
        return max(part.sharp for part in self._parts)

    @property
    def bounded(self) -> bool:
        """Whether bounds on ratios hold given the background."""
        return any(part.bounded for part in self._parts)

    @cached_property
    def least(self) -> Least | None:
        """By a linear program for each background."""
        found = [part.least for part in self._parts]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return None
        excess, lower = self._mean([one.excess for one in known]), self._mean([one.lower for one in known])
        return Least(np.vstack([one.channel for one in known]), excess, lower * (1 - ROUNDING))

    def leakage(self, channel: Floats) -> float:
        """I(X;Y|Z) in nats."""
        return self._mean([part.leakage(own) for part, own in zip(self._parts, self._split(channel), strict=True)])

    def excess_of(self, channel: Floats, letters: Codes | None = None) -> float:
        """E d above its least."""
        split = self._split(channel)
        return self._mean([part.excess_of(own, letters) for part, own in zip(self._parts, split, strict=True)])

    def on_the_whole(self, channel: Floats) -> Floats:
        """How often each letter is released with each background, one row per pair."""
        return np.vstack([part.on_the_whole(own) for part, own in zip(self._parts, self._split(channel), strict=True)])

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel each background, one below the other."""
        points = [part.at(slope, gap) for part in self._parts]
        letters = reduce(np.union1d, [point.used for point in points])
        return Point(
            slope,
            np.vstack([point.over(letters) for point in points]),
            self._mean([point.leakage for point in points]),
            self._mean([point.excess for point in points]),
            self._mean([point.bound for point in points]),
            max(point.steps for point in points),
            letters=letters,
        )

    def _split(self, channel: Floats) -> list[Floats]:
        return [np.asarray(part) for part in np.split(channel, self._ends)]

    def _mean(self, values: Sequence[float]) -> float:
        return float(self._shares @ np.array(values))


ChannelFamily: TypeAlias = OneChannel | KeepingShares | ThroughColumn | ChannelPerBackground
