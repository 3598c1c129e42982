"""From a problem to the channel that leaks least, with its proof."""

from __future__ import annotations

import itertools
import math

import numpy as np

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.curve import Bracket, Curve
from leakgauge.design.problem import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope
from leakgauge.design.settling import Settled, settle
from leakgauge.design.solution import Solution
from leakgauge.design.tables import Tables, tables_of
from leakgauge.design.witnesses import exact_level
from leakgauge.errors import EngineError, OptionError, RefusalError
from leakgauge.measures import background_floor
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Joint, Scenario
from leakgauge.probability.cells import Floats, log_or_zero

GAP = 1e-9
"""How far in nats a solution may be from the best, unless the caller asks otherwise."""


def solve(problem: RateDistortion, gap: float = GAP, closed_forms: bool = True) -> Solution:
    """The channel that leaks least for its usefulness, proven to be within ``gap`` nats of the best.

    Args:
        problem: source, distortion, target and who knows the background.
        gap: in nats; the only rule by which the search stops.
        closed_forms: whether a closed form may be used where there is one.

    Raises:
        OptionError: a gap that is not above 0, or bounds on ratios of too many letters.
        RefusalError: a target no channel meets; the message names the nearest one that can be met.
        EngineError: the gap was not reached; the message says how close it came.

    Example:
        >>> from leakgauge.distances import Hamming
        >>> from leakgauge.probability import Distribution
        >>> ratings = Distribution(range(1, 6), np.array([2, 6, 19, 8, 4]) / 39)
        >>> best = solve(RateDistortion(ratings, Hamming(), Slope(2.0)))
        >>> round(best.leakage, 6), round(best.distortion, 6), best.letters
        (0.397735, 0.325239, 4)
    """
    _require_gap(gap)
    tables = tables_of(problem, closed_forms)
    curve = Curve(tables.setting, gap / 4)
    return _finish(problem, tables, curve, _bracket(problem, tables, curve), gap)


def frontier(problem: RateDistortion, points: int, gap: float = GAP) -> tuple[Solution, ...]:
    """Solutions along the whole curve, from no leakage to the least distortion; the problem's target is not used.

    Each further point is put where the curve may lie furthest below the straight line between its neighbours, so that
    straight pieces get few points and corners many. Fewer are returned where the curve has no more corners. Where the
    rounding to multiples of 2^-53 alone costs more than the gap, as it does at very steep slopes, the point is returned
    all the same, and its own gap says so.

    Raises:
        OptionError: fewer than 2 points, or a gap that is not above 0.
        EngineError: the gap was not reached at a point.
    """
    _require_gap(gap)
    if points < 2:
        raise OptionError("A curve of {points} points has no ends; ask for 2 or more.", points=points)
    tables = tables_of(problem)
    curve = Curve(tables.setting, gap / 4)
    ends = [curve.at(0.0), curve.at(tables.setting.steepest)]
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
        _finish(problem.with_target(Slope(point.slope)), tables, curve, Bracket(point, point), gap, rounding=True)
        for point in ends
    )


def _bracket(problem: RateDistortion, tables: Tables, curve: Curve) -> Bracket:
    target = problem.target
    if isinstance(target, Slope):
        point = curve.at(target.nats_per_unit)
        return Bracket(point, point)
    if isinstance(target, MaxDistortion):
        if target.distortion < tables.least:
            raise RefusalError(
                "A mean distortion of {asked:.9g} is impossible: the nearest letters already have {least:.9g}; ask for "
                "at least that.",
                asked=target.distortion,
                least=tables.least,
            )
        return curve.with_excess(target.distortion - tables.least, tables.least)
    return curve.with_leakage(_allowed(problem, target))


def _allowed(problem: RateDistortion, target: MaxLeakage) -> float:
    """The leakage above the floor that the target leaves, in nats."""
    floor = _floor(problem) if problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH) else 0.0
    assert floor is not None
    if target.bits < floor:
        raise RefusalError(
            "A leakage of {asked:.9g} bits is impossible: the background alone tells I(X;Z) = {floor:.9g}; ask for at "
            "least that.",
            asked=target.bits,
            floor=floor,
        )
    # A little less than asked, so that no rounding of the sums ends above it.
    return max((target.bits - floor) * math.log(2) - ROUNDING * (1 + target.bits), 0.0)


def _finish(
    problem: RateDistortion, tables: Tables, curve: Curve, bracket: Bracket, gap: float, rounding: bool = False
) -> Solution:
    """Round, measure and check; ``rounding`` lets the rounding alone exceed the gap."""
    target = problem.target
    most = _allowed(problem, target) if isinstance(target, MaxLeakage) else math.inf
    settled = settle(problem, tables, bracket, most)
    steep = bracket.steep
    if isinstance(target, MaxDistortion):
        open_gap = settled.leakage - curve.floor_at(target.distortion - tables.least)
    elif isinstance(target, MaxLeakage) and bracket.gentle is not bracket.steep:
        open_gap = most - curve.floor_at(settled.excess)
    else:
        open_gap = settled.leakage - curve.floor_at(settled.excess)
    ideal = steep.leakage - curve.floor_at(steep.excess)
    if (ideal if rounding else open_gap) > gap:
        raise EngineError(
            "The best channel found is proven to be within {found:.3g} nats of the best, not within {asked:.3g}; ask "
            "for a larger gap.",
            found=ideal if rounding else open_gap,
            asked=gap,
        )
    return _described(problem, tables, settled, max(open_gap, 0.0), steep.slope, curve.steps)


def _described(
    problem: RateDistortion, tables: Tables, settled: Settled, gap: float, slope: float, iterations: int
) -> Solution:
    channel = settled.released
    own, floor = _release_leakage(tables, channel), _floor(problem)
    with_background = None
    if floor is not None:
        with_background = floor + _conditional_leakage(tables, channel) / math.log(2)
    prior = problem.prior
    reads_secret = channel.inputs == prior.outcomes
    level = identifiability(channel, prior) if reads_secret and prior.probabilities.min() > 0 else None
    return Solution(
        problem=problem,
        channel=settled.channel,
        leakage=own / math.log(2),
        weighted_leakage=None if problem.weights is None else settled.leakage / math.log(2),
        leakage_with_background=with_background,
        background_floor=floor,
        distortion=tables.least + settled.excess,
        local_dp=exact_level(channel),
        identifiability=level,
        gap=gap / math.log(2),
        slope=slope,
        iterations=iterations,
        letters=len(channel.outputs),
    )


def _floor(problem: RateDistortion) -> float | None:
    """I(X;Z) in bits."""
    return background_floor(Scenario(problem.source)) if isinstance(problem.source, Joint) else None


def _release_leakage(tables: Tables, channel: Channel) -> float:
    """I(X;Y) in nats, also for channels that read pairs."""
    matrix = channel.matrix
    weighted = _row_shares(tables)[:, None] * matrix[:, matrix.any(axis=0)]
    x, z = tables.reads
    secrets = weighted if z[0] < 0 else np.zeros((len(tables.joint), weighted.shape[1]))
    if z[0] >= 0:
        np.add.at(secrets, x, weighted)
    seen = secrets.sum(axis=0)
    prior = tables.joint.sum(axis=1)
    value = (secrets * log_or_zero(secrets)).sum() - prior @ log_or_zero(prior) - seen @ log_or_zero(seen)
    return max(float(value), 0.0)


def _conditional_leakage(tables: Tables, channel: Channel) -> float:
    """I(X;Y|Z) in nats."""
    rows, matrix = _row_shares(tables), channel.matrix
    given = rows @ (matrix * log_or_zero(matrix)).sum(axis=1)
    z = tables.reads[1]
    seen = tables.joint.T @ matrix if z[0] < 0 else _by_background(tables, rows[:, None] * matrix)
    shares = tables.joint.sum(axis=0)
    return max(float(given - (seen * log_or_zero(seen)).sum() + shares @ log_or_zero(shares)), 0.0)


def _by_background(tables: Tables, weighted: Floats) -> Floats:
    sums = np.zeros((tables.joint.shape[1], weighted.shape[1]))
    np.add.at(sums, tables.reads[1], weighted)
    return sums


def _row_shares(tables: Tables) -> Floats:
    """How often each row of the channel is read."""
    x, z = tables.reads
    return np.asarray(tables.joint.sum(axis=1) if z[0] < 0 else tables.joint[x, z])


def _require_gap(gap: float) -> None:
    if not 0 < gap < math.inf:
        raise OptionError("A gap of {gap} nats cannot be reached; give a number above 0.", gap=gap)
