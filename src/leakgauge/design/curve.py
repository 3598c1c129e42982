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

import numpy as np

from leakgauge.design.points import Point, Setting
from leakgauge.errors import RefusalError
from leakgauge.probability.cells import Codes, Floats

SLOPES = 80


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


class Curve:
    """The points of one setting solved so far."""

    def __init__(self, setting: Setting, gap: float) -> None:
        self.setting, self.gap = setting, gap
        self.points: list[Point] = []

    def at(self, slope: float) -> Point:
        """The point at a slope, started from the nearest ones known on both sides."""
        for known in self.points:
            if known.slope == slope:
                return known
        near = sorted((p for p in self.points if p.warm), key=lambda p: abs(math.log(p.slope / slope)))
        sides = [next((p for p in near if (p.slope < slope) == gentler), None) for gentler in (True, False)]
        point = self.setting.at(slope, self.gap, [p for p in near if p in sides])
        self.points.append(point)
        return point

    @property
    def steps(self) -> int:
        """Steps of the solver over all points."""
        return sum(point.steps for point in self.points)

    def floor_at(self, excess: float) -> float:
        """The best proven floor of the leakage in nats at this excess."""
        return max([0.0, *(point.floor_at(excess) for point in self.points)])

    def with_excess(self, excess: float, least: float) -> Bracket:
        """Points that enclose an excess; ``least`` is the least distortion of all, for messages."""
        flat = self.at(0.0)
        if excess >= flat.excess:
            return Bracket(flat, flat)
        last = self.setting.steepest
        if excess <= 0 or not math.isinf(last):
            end = self.at(last)
            if end.excess > excess:
                raise RefusalError(
                    "A mean distortion of {asked:.9g} is impossible: the least that these bounds allow is {least:.9g}; "
                    "ask for at least that.",
                    asked=least + excess,
                    least=least + end.excess,
                )
            if excess <= 0:
                return Bracket(end, end)

        def open_gap(bracket: Bracket) -> float:
            share = _share(bracket, excess)
            mean = share * bracket.steep.leakage + (1 - share) * bracket.gentle.leakage
            return mean - self.floor_at(excess)

        return self._enclose(lambda point: excess - point.excess, open_gap, 1 / excess)

    def with_leakage(self, leakage: float) -> Bracket:
        """Points that enclose a leakage in nats."""
        flat = self.at(0.0)
        if leakage <= 0:
            return Bracket(flat, flat)
        end = self.at(self.setting.steepest)
        if leakage >= end.leakage:
            return Bracket(end, end)

        def open_gap(bracket: Bracket) -> float:
            gentle, steep = bracket.gentle, bracket.steep
            share = (leakage - gentle.leakage) / (steep.leakage - gentle.leakage)
            excess = share * steep.excess + (1 - share) * gentle.excess
            return leakage - self.floor_at(excess)

        return self._enclose(lambda point: point.leakage - leakage, open_gap, 1 / flat.excess)

    def _enclose(self, beyond: Callable[[Point], float], open_gap: Callable[[Bracket], float], guess: float) -> Bracket:
        """Shrink a bracket around the root of ``beyond``, which grows with the slope, until the mixture is proven."""
        gentle, steep = self.at(0.0), self.at(guess)
        while beyond(steep) < 0 and len(self.points) < SLOPES:
            gentle, steep = steep, self.at(min(4 * steep.slope, self.setting.steepest))
        while gentle.slope == 0 and len(self.points) < SLOPES:
            lower = self.at(steep.slope / 4)
            if beyond(lower) < 0 or lower.leakage <= self.gap:
                gentle = lower
            else:
                steep = lower
        bracket, low, high = Bracket(gentle, steep), beyond(gentle), beyond(steep)
        turn = 0
        while open_gap(bracket) > self.gap and len(self.points) < SLOPES:
            slope = self._next(bracket, low, high, turn)
            point = self.at(slope)
            value = beyond(point)
            # The Illinois rule: an end that stays counts half, so that it is left soon.
            if value >= 0:
                bracket, high, low = Bracket(bracket.gentle, point), value, low / 2
            else:
                bracket, low, high = Bracket(point, bracket.steep), value, high / 2
            turn += 1
        return bracket

    def _next(self, bracket: Bracket, low: float, high: float, turn: int) -> float:
        """Interpolated between the ends; each third time the slope of the chord, which proves straight pieces."""
        gentle, steep = bracket.gentle, bracket.steep
        if turn % 3 == 2 and gentle.excess > steep.excess:
            chord = (steep.leakage - gentle.leakage) / (gentle.excess - steep.excess)
            if gentle.slope < chord < steep.slope:
                return chord
        share = low / (low - high) if low < 0 < high else 0.5
        logs = np.log([gentle.slope, steep.slope])
        return float(np.exp(logs[0] + min(max(share, 1e-9), 1 - 1e-9) * (logs[1] - logs[0])))


def _share(bracket: Bracket, excess: float) -> float:
    gentle, steep = bracket.gentle, bracket.steep
    return (gentle.excess - excess) / (gentle.excess - steep.excess) if gentle.excess > steep.excess else 1.0
