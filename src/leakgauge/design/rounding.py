"""The step from an ideal channel to the one handed over: multiples of 2^-53 that keep the target and every bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leakgauge.design.arrays import ProblemArrays
from leakgauge.design.curve import Bracket
from leakgauge.design.problem import MaxDistortion, RateDistortion
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import DENSE_CELLS, Codes, DenseCells, Floats


@dataclass(frozen=True)
class RoundedChannel:
    """A dyadic channel with only the letters that are ever released, and what it leaks and costs.

    Attributes:
        released: the channel; letters that are never released change none of its numbers.
        letters: the positions of its outputs among all.
        leakage: above the floor, in nats.
        excess: the mean distortion above the least.
    """

    released: Channel
    letters: Codes
    outputs: tuple[Label, ...]
    leakage: float
    excess: float

    @cached_property
    def channel(self) -> Channel:
        """The channel with all letters."""
        inputs, narrow = self.released.inputs, self.released.matrix
        if len(self.letters) == len(self.outputs):
            return self.released
        if narrow.size * 4 < len(inputs) * len(self.outputs) > DENSE_CELLS:
            rows, columns, values = self.released.cells.nonzero()
            return Channel.from_cells(inputs, self.outputs, rows, self.letters[columns], values)
        matrix = np.zeros((len(inputs), len(self.outputs)))
        matrix[:, self.letters] = narrow
        return Channel._trusted(inputs, self.outputs, DenseCells(matrix))


def rounded_channel(
    problem: RateDistortion, arrays: ProblemArrays, bracket: Bracket, most: float
) -> RoundedChannel | None:
    """The dyadic channel of a bracket that meets the target and the bounds, erring on the safe side of both.

    None where no rounding keeps them all.

    Args:
        most: the largest leakage above the floor in nats; infinite where it is not bounded.
    """
    target = problem.target
    limit = target.distortion if isinstance(target, MaxDistortion) else math.inf
    excess = limit - arrays.least
    # Twice as far to the safe side each time: first not at all, then by more than rounding moves anything.
    for flatten in (0.0, *(2.0**power for power in range(-48, -20, 2))):
        shares = bracket.share_at(excess) if excess < math.inf else bracket.share_leaking(most)
        # Two points may be so close that only a large part of the way between them outweighs the rounding.
        for margin in (0.0, *(2.0**power for power in range(-50, 1, 2))):
            towards = margin if excess < math.inf else -margin
            share = min(max(shares + towards, 0.0), 1.0)
            found = _rounded(problem, arrays, _flattened(arrays, bracket.mixed(share), flatten), bracket.letters)
            if arrays.least + found.excess <= limit and found.leakage <= most:
                break
        else:
            continue
        if _within_bounds(problem, found.released):
            return found
    return None


def _flattened(arrays: ProblemArrays, rows: Floats, share: float) -> Floats:
    """A little of what is released on the whole in every row, which brings all ratios closer to 1."""
    if share == 0:
        return rows
    return np.asarray((1 - share) * rows + share * rows.mean(axis=0))


def _rounded(problem: RateDistortion, arrays: ProblemArrays, rows: Floats, letters: Codes) -> RoundedChannel:
    ever = rows.any(axis=0)
    rows, letters = (rows, letters) if ever.all() else (rows[:, ever], letters[ever])
    narrow = replace(arrays, distances=arrays.distances[:, letters])
    released = narrow.channel(rows, tuple(problem.letters[at] for at in letters.tolist()))
    as_they_stand = np.array_equal(arrays.occurring, np.arange(len(arrays.inputs)))
    kept = released.matrix if as_they_stand else released.matrix[arrays.occurring]
    family = arrays.family
    return RoundedChannel(released, letters, problem.letters, family.leakage(kept), family.excess_of(kept, letters))


def _within_bounds(problem: RateDistortion, channel: Channel) -> bool:
    if problem.local_dp is not None and exact_epsilon(channel) > problem.local_dp:
        return False
    if problem.identifiability is None:
        return True
    return identifiability(channel, problem.prior).value <= problem.identifiability
