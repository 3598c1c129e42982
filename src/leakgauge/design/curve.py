"""Finds the slope that meets a target, and mixes two channels where no single slope does.

Leakage as a function of distortion is convex but may have straight pieces and corners. Between two slopes that enclose
the target, the channel that acts like one with probability a and like the other with 1 − a (not saying which) has the
mean of their distortions and leaks at most the mean of their leakages. Every point solved proves a floor under the
whole curve, so the mixture's distance from the best floor is its gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.design.families import ChannelFamily
from leakgauge.design.points import Point
from leakgauge.errors import RefusalError, UnprovedError
from leakgauge.probability.cells import Codes, Floats
from leakgauge.rounding import from_above, from_below
from leakgauge.sentences import Sentence

SLOPES = 80  # slopes tried for a target
STEEP = 30.0  # nats that a flat channel's distortion is worth where the end of a curve with bounds is first looked for
MUCH_STEEPER = 300.0  # how much steeper the end is where no linear program proves it
CORNERS = 8  # how often that slope is raised eightfold
LOST = 1000.0  # where a point misses its gap this many times, no steeper one will reach it
NEARLY = 1e-6  # how far above the least distortion, as a part of it, a point may be the end all the same
ROUNDED = 2.0**-36  # a part of the least distortion far above what rounding a channel adds to it
TINIEST = 1e-300  # one over it is still a number


def _reachable(nearest: float, channel: Floats, excess: float) -> float:
    """A mean distortion that is reached where this channel's is, whatever rounding to multiples of 2^-53 adds."""
    plain = from_above(nearest + excess)
    # Nothing is rounded where every value has its one letter.
    if plain - nearest >= excess and channel.max(axis=1).min() == 1:
        return plain
    return from_above((nearest + excess) * (1 + ROUNDED))


@dataclass(frozen=True)
class Bracket:
    """Two points that enclose the target, ``gentle`` of the smaller slope; the same one where it is met exactly."""

    gentle: Point
    steep: Point

    @property
    def letters(self) -> Codes:
        """The positions of the letters that one of the points may release."""
        return self.steep.used if self.gentle is self.steep else np.union1d(self.gentle.used, self.steep.used)

    def mixed(self, share: float) -> Floats:
        """The channel that acts as the steep one with this probability, a column each of ``letters``."""
        letters = self.letters
        if self.gentle is self.steep:
            return self.steep.over(letters)
        return share * self.steep.over(letters) + (1 - share) * self.gentle.over(letters)

    def share_at(self, excess: float) -> float:
        """How often to act as the steep one for a mean excess."""
        fall = self.gentle.excess - self.steep.excess
        return (self.gentle.excess - excess) / fall if fall > 0 else 1.0

    def share_leaking(self, leakage: float) -> float:
        """How often to act as the steep one for a mean leakage in nats."""
        rise = self.steep.leakage - self.gentle.leakage
        return (leakage - self.gentle.leakage) / rise if rise > 0 else 0.0


class Curve:
    """The points of one family solved so far."""

    def __init__(self, family: ChannelFamily, gap: float) -> None:
        self.family, self.gap = family, gap
        self.points: list[Point] = []

    def at(self, slope: float) -> Point:
        """The point at a slope, started from the nearest ones known on both sides."""
        if math.isinf(slope) and self.family.bounded:
            return self.end
        for known in self.points:
            if known.slope == slope:
                return known
        near = [] if math.isinf(slope) else [p for p in self.points if p.warm and p.slope > 0]
        near.sort(key=lambda p: abs(math.log(p.slope / slope)))
        sides = [next((p for p in near if (p.slope < slope) == gentler), None) for gentler in (True, False)]
        point = self.family.at(slope, self.gap, [p for p in near if p in sides])
        self.points.append(point)
        return point

    @property
    def steps(self) -> int:
        """Steps of the solver over all points."""
        return sum(point.steps for point in self.points)

    def proof_at(self, excess: float) -> Point:
        """The point whose proof says most at this excess: its line supports the curve there, up to the gap."""
        return max(self.points, key=lambda point: point.floor_at(excess))

    def proof_for(self, leakage: float, excess: float, gap: float) -> Point:
        """The point whose proof leaves the least distance between this excess and the least at this leakage in nats.

        No channel that leaks at most this much has an excess smaller by more than (leakage − floor) / slope; of the
        proofs within the gap any slope supports the curve, and next to a corner the steepest says most.
        """
        lines = [point for point in self.points if point.slope > 0 and leakage - point.floor_at(excess) <= gap]
        return min(lines, key=lambda p: (leakage - p.floor_at(excess)) / p.slope, default=self.proof_at(excess))

    def floor_at(self, excess: float) -> float:
        """The best proven floor of the leakage in nats at this excess."""
        return max(0.0, self.proof_at(excess).floor_at(excess))

    @cached_property
    def end(self) -> Point:
        """The point of least distortion.

        Bounds on ratios give the curve a last corner, and any slope steep enough ends there: the slope is raised until
        what is left of the distortion is worth no more than the gap. Where the search loses its digits before, the
        steepest point that is proven and all but there stands for the end, or else the channel of the linear program.
        """
        if not self.family.bounded:
            return self.at(math.inf)
        slope, least = STEEP / (self.at(0.0).excess or 1.0), self.family.least
        if least is None:
            return self.at(MUCH_STEEPER * slope)
        point = self.at(slope)
        for _ in range(CORNERS):
            if point.slope * (point.excess - least.lower) <= self.gap:
                return point
            if point.gap > LOST * self.gap:
                break
            point = self.at(8 * point.slope)
        there = [one for one in self.points if one.gap <= self.gap and one.excess <= (1 + NEARLY) * least.excess]
        return max(there, key=lambda one: one.slope, default=self.corner)

    @cached_property
    def corner(self) -> Point:
        """The channel of the linear program, with the best proof among the points solved."""
        least = self.family.least
        assert least is not None
        proof = self.proof_at(least.excess)
        return Point(proof.slope, least.channel, self.family.leakage(least.channel), least.excess, proof.bound, 0)

    def _beyond_end(self, excess: float) -> Point:
        """A proven point of at most this excess, which is less than the end has and no less than the least.

        The end is as near to the least as the gap can tell; what is asked for may be nearer, and steeper slopes lead
        there. The channel of the linear program is proven to be near it, but not to leak least.
        """
        point = self.end
        for _ in range(CORNERS):
            point = self.at(8 * point.slope)
            if point.gap > self.gap:
                break
            if point.excess <= excess:
                return point
        return self.corner

    def with_excess(self, excess: float, least: float) -> Bracket:
        """Points that enclose an excess; ``least`` is the least distortion of all, for messages."""
        flat = self.at(0.0)
        if excess >= flat.excess:
            return Bracket(flat, flat)
        if self.family.bounded:
            self._require_possible(excess, least)
            if excess <= self.end.excess:
                return Bracket(self.end, self.end if self.family.least is None else self._beyond_end(excess))
        elif excess <= 0:
            return Bracket(self.end, self.end)

        def open_gap(bracket: Bracket) -> float:
            share = bracket.share_at(excess)
            mean = share * bracket.steep.leakage + (1 - share) * bracket.gentle.leakage
            return mean - self.floor_at(excess)

        return self._enclose(lambda point: excess - point.excess, open_gap, 1 / max(excess, TINIEST))

    def _require_possible(self, excess: float, nearest: float) -> None:
        """Refuse an excess that the bounds on ratios do not allow."""
        least = self.family.least
        if least is not None and excess >= least.excess:
            return
        if least is not None and excess >= least.lower:
            raise UnprovedError(
                "A mean distortion of {asked:.9g} is neither found nor ruled out: the least found within these bounds "
                "is {found:.9g}; ask for at least that.",
                asked=from_below(nearest + excess),
                found=_reachable(nearest, least.channel, least.excess),
            )
        if least is None and excess >= self.end.excess:
            return
        nearly = least or self.end
        raise RefusalError(
            "A mean distortion of {asked:.9g} is {how}: the least that these bounds allow is {least:.9g}{sure}; ask "
            "for at least that.",
            asked=from_below(nearest + excess),
            how=Sentence("impossible") if least else Sentence("not found"),
            least=_reachable(nearest, nearly.channel, nearly.excess),
            sure="" if least else Sentence(" as far as was found, which is not proven for so many values"),
        )

    def with_leakage(self, leakage: float, floor: float = 0.0) -> Bracket:
        """Points that enclose a leakage in nats; ``floor`` is what is known anyhow in bits, for messages."""
        flat = self.at(0.0)
        if leakage < flat.leakage - self.gap:
            raise RefusalError(
                "A leakage of {asked:.9g} bits is impossible: values that may not be changed reveal {least:.9g}; ask "
                "for at least that.",
                asked=from_below(floor + leakage / math.log(2)),
                least=from_above(floor + (flat.leakage + self.gap) / math.log(2)),
            )
        if leakage <= 0 or flat.excess == 0:
            return Bracket(flat, flat)
        if leakage >= self.end.leakage:
            return Bracket(self.end, self.end)

        def open_gap(bracket: Bracket) -> float:
            share = bracket.share_leaking(leakage)
            excess = share * bracket.steep.excess + (1 - share) * bracket.gentle.excess
            return leakage - self.floor_at(excess)

        return self._enclose(lambda point: point.leakage - leakage, open_gap, 1 / flat.excess)

    def _enclose(self, beyond: Callable[[Point], float], open_gap: Callable[[Bracket], float], guess: float) -> Bracket:
        """Shrink a bracket around the root of ``beyond``, which grows with the slope, until the mixture is proven."""
        last = self.end.slope if self.family.bounded else self.family.sharp
        gentle, steep = self.at(0.0), self._up_to(min(guess, last), last)
        turns = 0
        while beyond(steep) < 0 and steep.slope < last and turns < SLOPES:
            gentle, steep = steep, self._up_to(4 * steep.slope, last)
            turns += 1
        while gentle.slope == 0 and turns < SLOPES:
            lower = self.at(steep.slope / 4)
            if beyond(lower) < 0 or lower.leakage <= gentle.leakage + self.gap:
                gentle = lower
            else:
                steep = lower
            turns += 1
        bracket, stalled = Bracket(gentle, steep), False
        left = open_gap(bracket)
        while left > self.gap and turns < SLOPES:
            slope = self._next(bracket, beyond, stalled)
            # Where the ends are as close as two numbers get, no slope lies between them.
            if not bracket.gentle.slope < slope < bracket.steep.slope:
                break
            point = self.at(slope)
            bracket = Bracket(bracket.gentle, point) if beyond(point) >= 0 else Bracket(point, bracket.steep)
            before, left = left, open_gap(bracket)
            stalled, turns = not stalled and left > before / 4, turns + 1
        return bracket

    def _up_to(self, slope: float, last: float) -> Point:
        """The point at a slope, but none beyond the last."""
        if slope < last:
            return self.at(slope)
        return self.end if self.family.bounded else self.at(last)

    def _next(self, bracket: Bracket, beyond: Callable[[Point], float], stalled: bool) -> float:
        """The slope of the root by the three points nearest to it; after a step that gained little, the slope of the
        chord, which proves straight pieces, or halfway."""
        gentle, steep = bracket.gentle, bracket.steep
        low, high = math.log(gentle.slope), math.log(steep.slope)
        if stalled:
            fall = gentle.excess - steep.excess
            chord = (steep.leakage - gentle.leakage) / fall if fall > 0 else 0.0
            return chord if gentle.slope < chord < steep.slope else math.exp((low + high) / 2)
        known = sorted((p for p in self.points if 0 < p.slope < math.inf), key=lambda p: abs(beyond(p)))[:3]
        values, slopes = [beyond(p) for p in known], [math.log(p.slope) for p in known]
        if len(set(values)) == 3:
            found = sum(
                slope * math.prod(other / (other - value) for other in values if other != value)
                for value, slope in zip(values, slopes, strict=True)
            )
            if low < found < high:
                return math.exp(found)
        start, end = beyond(gentle), beyond(steep)
        share = start / (start - end) if start < 0 < end else 0.5
        return math.exp(low + min(max(share, 1e-9), 1 - 1e-9) * (high - low))
