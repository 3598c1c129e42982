"""From a problem to the channel that leaks least, with its proof."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leakgauge.design.arrays import ProblemArrays, arrays_of, inference_of
from leakgauge.design.certificate import ROUNDING, Secrets, not_reached, require_gap
from leakgauge.design.curve import Bracket, Curve
from leakgauge.design.problem import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, Target, below_nearest
from leakgauge.design.solution import Solution, exact_level, level_given
from leakgauge.errors import OptionError, RefusalError, UnprovedError
from leakgauge.measures import background_floor, mutual_information
from leakgauge.notions import Level
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Joint, Label, Scenario
from leakgauge.probability.cells import DENSE_CELLS, Codes, DenseCells, Floats
from leakgauge.rounding import from_above, from_below
from leakgauge.sentences import Sentence

GAP = 1e-9
"""The default distance from the optimum, in nats."""


def solve(problem: RateDistortion, gap: float = GAP) -> Solution:
    """The channel that leaks least for its usefulness, proven to be within ``gap`` nats of the best.

    Args:
        gap: in nats; the only rule by which the search stops. With weights it is counted in the largest one: twice the
            weights, twice the leakage, and twice as far from the best.

    Raises:
        OptionError: a gap that is not above 0, or bounds on ratios of too many letters.
        RefusalError: a target no channel meets; the message names the nearest one that can be met.
        UnprovedError: the gap was not reached; the message says how close it came.

    Example:
        >>> from leakgauge.distances import Hamming
        >>> from leakgauge.probability import Distribution
        >>> ratings = Distribution(range(1, 6), [count / 39 for count in (2, 6, 19, 8, 4)])
        >>> best = solve(RateDistortion(ratings, Hamming(), Slope(2.0)))
        >>> round(best.leakage, 6), round(best.distortion, 6), best.letters
        (0.397735, 0.325239, 4)
    """
    require_gap(gap)
    arrays = arrays_of(problem)
    gap *= arrays.family.unit
    curve = Curve(arrays.family, gap / 4)
    return _finish(problem, arrays, curve, _bracket(problem, arrays, curve), gap)


def frontier(problem: RateDistortion, points: int, gap: float = GAP) -> tuple[Solution, ...]:
    """Solutions along the whole curve, from no leakage to the least distortion; the problem's target is not used.

    Each further point is put where the curve may lie furthest below the straight line between its neighbours, so that
    straight pieces get few points and corners many. Fewer are returned where the curve has no more corners. Where the
    rounding to multiples of 2^-53 alone costs more than the gap, as it does at very steep slopes, the point is returned
    all the same, and its own gap says so.

    Raises:
        OptionError: fewer than 2 points, or a gap that is not above 0.
        UnprovedError: the gap was not reached at a point.
    """
    require_gap(gap)
    if points < 2:
        raise OptionError("A curve of {points} points has no ends; ask for 2 or more.", points=points)
    arrays = arrays_of(problem)
    gap *= arrays.family.unit
    curve = Curve(arrays.family, gap / 4)
    ends = [curve.at(0.0), curve.end]
    reach = ends[0].excess or 1.0, ends[1].leakage or 1.0
    done: set[float] = set()
    while len(ends) < points:
        chords = [
            (math.hypot((a.excess - b.excess) / reach[0], (b.leakage - a.leakage) / reach[1]), at)
            for at, (a, b) in enumerate(itertools.pairwise(ends))
            if a.excess - b.excess > 1e-9 * reach[0] and a.slope not in done
        ]
        if not chords:
            break
        at = max(chords)[1]
        before, after = ends[at], ends[at + 1]
        slope = (after.leakage - before.leakage) / (before.excess - after.excess)
        point = curve.at(slope)
        chord = before.leakage + slope * before.excess
        if point.leakage + slope * point.excess >= chord - 4 * gap or not before.slope < slope < after.slope:
            # The curve is straight here: a point in between would be a mixture of the ends.
            done.add(before.slope)
            continue
        ends.insert(at + 1, point)
    return tuple(
        _finish(problem.with_target(Slope(point.slope)), arrays, curve, Bracket(point, point), gap, rounding=True)
        for point in ends
    )


def _bracket(problem: RateDistortion, arrays: ProblemArrays, curve: Curve) -> Bracket:
    target = problem.target
    if isinstance(target, Slope):
        point = curve.at(target.nats_per_unit)
        return Bracket(point, point)
    if isinstance(target, MaxDistortion):
        if target.distortion < arrays.least:
            raise below_nearest(target.distortion, arrays.least)
        return curve.with_excess(target.distortion - arrays.least, arrays.least)
    allowed = _allowed(problem, target)
    return curve.with_leakage(allowed, target.bits - allowed / math.log(2))


def _allowed(problem: RateDistortion, target: MaxLeakage) -> float:
    """The leakage above the floor that the target leaves, in nats."""
    floor = _floor(problem) if problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH) else 0.0
    assert floor is not None
    if target.bits < floor:
        raise RefusalError(
            "A leakage of {asked:.9g} bits is impossible: the background alone reveals I(X;Z) = {floor:.9g}; ask for "
            "at least that.",
            asked=from_below(target.bits),
            floor=from_above(floor),
        )
    # A little less than asked, so that no rounding of the sums ends above it.
    return max((target.bits - floor) * math.log(2) - ROUNDING * (1 + target.bits), 0.0)


@dataclass(frozen=True)
class _RoundedChannel:
    """A dyadic channel with only the letters that are ever released, and what it leaks and costs."""

    released: Channel  # the channel; letters that are never released change none of its numbers
    letters: Codes  # the positions of its outputs among all
    outputs: tuple[Label, ...]
    leakage: float  # above the floor, in nats
    excess: float  # the mean distortion above the least

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


def _rounded_channel(
    problem: RateDistortion, arrays: ProblemArrays, bracket: Bracket, most: float
) -> _RoundedChannel | None:
    """The dyadic channel of a bracket that meets the target and the bounds, erring on the safe side of both.

    None where no rounding keeps them all.

    Args:
        most: the largest leakage above the floor in nats; infinite where it is not bounded.
    """
    target = problem.target
    limit = target.distortion if isinstance(target, MaxDistortion) else math.inf
    excess = limit - arrays.least
    # Further to the safe side each time: first not at all, in the end by more than rounding moves a letter that is
    # hardly ever released, of which a large part costs next to nothing.
    for flatten in (0.0, *(2.0**power for power in range(-48, 0, 2))):
        shares = bracket.share_at(excess) if excess < math.inf else bracket.share_leaking(most)
        # Two points may be so close that only a large part of the way between them outweighs the rounding.
        for margin in (0.0, *(2.0**power for power in range(-50, 1, 2))):
            towards = margin if excess < math.inf else -margin
            share = min(max(shares + towards, 0.0), 1.0)
            rows = bracket.mixed(share)
            if flatten:
                # A little of what is released on the whole in every row brings all ratios closer to 1.
                rows = np.asarray((1 - flatten) * rows + flatten * arrays.family.on_the_whole(rows))
            found = _rounded(problem, arrays, rows, bracket.letters)
            if arrays.least + found.excess <= limit and found.leakage <= most:
                break
        else:
            continue
        if _within_bounds(problem, arrays, found.released):
            return found
    return None


def _rounded(problem: RateDistortion, arrays: ProblemArrays, rows: Floats, letters: Codes) -> _RoundedChannel:
    ever = rows.any(axis=0)
    rows, letters = (rows, letters) if ever.all() else (rows[:, ever], letters[ever])
    spare = np.setdiff1d(arrays.spare_letters(letters), letters)
    if len(spare):
        letters = np.concatenate([letters, spare])
        order = np.argsort(letters)
        rows, letters = np.hstack([rows, np.zeros((len(rows), len(spare)))])[:, order], letters[order]
    narrow = replace(arrays, distances=arrays.distances[:, letters])
    released = narrow.channel(rows, tuple(problem.letters[at] for at in letters.tolist()))
    as_they_stand = np.array_equal(arrays.occurring, np.arange(len(arrays.inputs)))
    kept = released.matrix if as_they_stand else released.matrix[arrays.occurring]
    family = arrays.family
    # Rows that are all the same tell nothing; the sums would say so but for their rounding.
    leakage = 0.0 if (kept == kept[0]).all() else family.leakage(kept)
    return _RoundedChannel(released, letters, problem.letters, leakage, family.excess_of(kept, letters))


def _towards_safety(curve: Curve, bracket: Bracket, target: Target) -> Iterator[Bracket]:
    """The bracket, then safer ones: it may meet the target by less than the rounding takes."""
    yield bracket
    if isinstance(target, MaxDistortion):
        steeper = (point for point in curve.points if point.excess < bracket.steep.excess and point.slope < math.inf)
        for point in sorted(steeper, key=lambda point: -point.excess):
            yield Bracket(bracket.steep, point)
    if isinstance(target, MaxLeakage):
        gentler = (point for point in curve.points if point.leakage < bracket.gentle.leakage)
        for point in sorted(gentler, key=lambda point: -point.leakage):
            yield Bracket(point, bracket.gentle)
        yield Bracket(bracket.gentle, bracket.gentle)
    yield Bracket(curve.end, curve.end)


def _within_bounds(problem: RateDistortion, arrays: ProblemArrays, channel: Channel) -> bool:
    if problem.local_dp is not None and _level(arrays, channel).value > problem.local_dp:
        return False
    if problem.identifiability is None:
        return True
    return identifiability(channel, problem.prior).value <= problem.identifiability


def _finish(
    problem: RateDistortion, arrays: ProblemArrays, curve: Curve, bracket: Bracket, gap: float, rounding: bool = False
) -> Solution:
    """Round, measure and check; ``rounding`` lets the rounding alone exceed the gap."""
    target = problem.target
    most = _allowed(problem, target) if isinstance(target, MaxLeakage) else math.inf
    tried = (_rounded_channel(problem, arrays, one, most) for one in _towards_safety(curve, bracket, target))
    rounded = next((found for found in tried if found is not None), None)
    if rounded is None:
        raise UnprovedError(
            "No channel of multiples of 2^-53 that was found keeps {what}; relax {how}.",
            what=Sentence("this target and these bounds") if arrays.family.bounded else Sentence("this target"),
            how=Sentence("one of them") if arrays.family.bounded else Sentence("it"),
        )
    # The slope that is told is that of the line which proves the gap: it supports the curve where this point is.
    proof = bracket.steep
    if isinstance(target, MaxDistortion):
        proof = curve.proof_at(target.distortion - arrays.least)
        open_gap = rounded.leakage - curve.floor_at(target.distortion - arrays.least)
    elif isinstance(target, MaxLeakage) and bracket.gentle is not bracket.steep:
        proof = curve.proof_for(most, rounded.excess, gap)
        # What was allowed is a little less than what was asked for.
        open_gap = most + ROUNDING * (1 + target.bits) - proof.floor_at(rounded.excess)
    else:
        # Not only the leakage: one of 0 is the least, but the distortion has to be too.
        open_gap = rounded.leakage - proof.floor_at(rounded.excess)
    reached = proof.gap if rounding else open_gap
    if reached > gap:
        raise not_reached(reached, gap)
    return _described(problem, arrays, rounded, max(open_gap, 0.0), proof.slope, curve.steps)


def _described(
    problem: RateDistortion, arrays: ProblemArrays, rounded: _RoundedChannel, gap: float, slope: float, iterations: int
) -> Solution:
    channel = rounded.released
    floor = _floor(problem)
    with_background = None if floor is None else floor + _added(problem, arrays, rounded) / math.log(2)
    told = None
    if problem.secret is None:
        leakage = mutual_information(Scenario(problem.source, channel))
    else:
        alone = inference_of(problem).without_background()
        told = alone.leakage(np.eye(len(alone.prior))) / math.log(2)
        leakage = alone.leakage(channel.matrix[arrays.occurring]) / math.log(2)
    prior = problem.prior
    reads_secret = channel.inputs == prior.outcomes
    level = identifiability(channel, prior) if reads_secret and prior.probabilities.min() > 0 else None
    return Solution(
        problem=problem,
        channel=rounded.channel,
        leakage=leakage,
        weighted_leakage=None if problem.weights is None else rounded.leakage / math.log(2),
        leakage_with_background=with_background,
        background_floor=floor,
        distortion=arrays.least + rounded.excess,
        local_dp=_level(arrays, channel),
        identifiability=level,
        gap=gap / math.log(2),
        slope=slope,
        iterations=iterations,
        letters=len(channel.outputs),
        told_unprotected=told,
    )


def _level(arrays: ProblemArrays, channel: Channel) -> Level:
    """The local ε; given the background where the channel reads it."""
    backgrounds = arrays.reads[1]
    return exact_level(channel) if (backgrounds < 0).all() else level_given(channel, backgrounds)


def _floor(problem: RateDistortion) -> float | None:
    """I(X;Z) in bits, or I(S;Z)."""
    if not isinstance(problem.source, Joint):
        return None
    if problem.secret is None:
        return background_floor(Scenario(problem.source))
    return inference_of(problem).floor / math.log(2) if problem.knowledge is Knowledge.ATTACKER else None


def _added(problem: RateDistortion, arrays: ProblemArrays, rounded: _RoundedChannel) -> float:
    """I(X;Y|Z) in nats."""
    if problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH):
        return rounded.leakage
    # The measure of the same name would lay out every secret, release and background.
    joint = arrays.joint[arrays.occurring]
    secrets = Secrets.of(joint[:, joint.any(axis=0)])
    return secrets.leakage(rounded.released.matrix[arrays.occurring])
