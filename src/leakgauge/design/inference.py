"""Channels for a column that reveals a secret: S → X → Y, where X is released as Y and I(S;Y) is minimised.

With somebody who knows Z it is I(S;Y|Z). Over p(s,z|x) and the columns w(x) = p(x) q(y|x) it is a sum over y of convex
functions, and by Gibbs' inequality each is a largest one of linear functions: for **any** distributions u_y(s|z) > 0

    Σ_x p(x) min_y [cost(x, y) + Σ_{s,z} p(s,z|x) ln(u_y(s|z) / p(s|z)) − g(y)] + Σ_y p(y) g(y)

bounds I(S;Y|Z) + E cost from below over all channels (with g = 0), or over those that keep the shares of X.

Found by a primal-dual interior-point method: the objective bends within a column only, so that a step costs one small
system a letter and one more for the rows and the shares.

Reference: du Pin Calmon and Fawaz, Privacy against statistical inference, Allerton 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import lu_factor, lu_solve

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.columns import Optimum
from leakgauge.design.ends import best_letter
from leakgauge.design.points import OverValues, Point, costs_at, steepest
from leakgauge.design.transport import never_together, rounded_to_shares
from leakgauge.measures.interior import reach
from leakgauge.probability.cells import Codes, Floats, log_or_zero

Flags: TypeAlias = npt.NDArray[np.bool_]

STEPS = 400  # Newton's steps; about 10 are usual where shares are kept, about 60 along the central path
QUICK = 25  # steps, where shares are not kept, before the central path is followed; about 13 are usual
FIRST_WEIGHT = 1e-2  # of the barrier in nats
CENTRED = 0.1  # what a step may still promise, in the weight of the barrier, for the weight to shrink
AT_A_WEIGHT = 25  # steps after which the weight shrinks in any case: where digits run out nothing more is to be had
NARROWING = 0.1  # what a step aims to leave of the product of plan and slacks, and a shrinking barrier of its weight
NARROWEST, WIDEST = 0.1, 0.5  # where a predictor says more: the least and the most
SINGULAR = 1e-14  # added to the system of the prices, in the unit of its diagonal
SHAPING = 120  # sweeps at most, at each look, for the posteriors of letters that are hardly used
REFINEMENTS = 1  # of each step, against its own rounding
NEARLY = 1.0  # gaps that a plan may still be from its best for a proof to be looked for
SELDOM = 1e-2  # the share of a letter below which its own posterior may not suit the proof
SHORT_OF = 0.98  # of the way to where a probability would be 0
TINIEST = 1e-140  # its square is still a number


@dataclass(frozen=True, eq=False)
class Inference:
    """What a column reveals about a secret."""

    prior: Floats  # p(x), all above 0
    given: Floats  # p(t|x) of each pair t = (s, z), one row per x
    known: Floats  # ln p(s|z) of each pair
    background: Codes  # the number of z of each pair, from 0 on
    secret: Codes  # the number of s of each pair

    @classmethod
    def of(cls, joint: Floats) -> Inference:
        """From p(x, z, s), as an array of three axes; x and pairs that never occur are left out before."""
        cells = joint.reshape(len(joint), -1)
        backgrounds, secrets = np.divmod(np.arange(cells.shape[1]), joint.shape[2])
        pairs = np.asarray(cells.sum(axis=0))
        kept = pairs > 0
        totals = np.asarray(joint.sum(axis=(0, 2)))[backgrounds[kept]]
        prior = np.asarray(cells.sum(axis=1))
        numbers = np.unique(backgrounds[kept], return_inverse=True)[1]
        given = cells[:, kept] / prior[:, None]
        return cls(prior, given, np.log(pairs[kept] / totals), numbers.astype(np.int64), secrets[kept])

    def without_background(self) -> Inference:
        """What the column reveals to someone who knows nothing else."""
        sums = self.secret[:, None] == np.arange(self.secret.max() + 1)
        joint = self.prior[:, None] * (self.given @ sums)
        return Inference.of(joint[:, None, :])

    @property
    def floor(self) -> float:
        """I(S;Z) in nats."""
        pairs = self.prior @ self.given
        shares = np.bincount(self.secret, pairs)[self.secret]
        return max(float(pairs @ (self.known - np.log(shares))), 0.0)

    @cached_property
    def _sums(self) -> Floats:
        """Adds the pairs of each background."""
        return np.asarray(np.arange(self.background.max() + 1)[:, None] == self.background, dtype=np.float64)

    def leakage(self, channel: Floats) -> float:
        """I(S;Y|Z) in nats."""
        return max(self.of_plan(self.prior[:, None] * channel), 0.0)

    def of_plan(self, plan: Floats) -> float:
        """The same of the plan p(x) q(y|x), whatever it adds up to."""
        together = self.given.T @ plan
        seen = (self._sums @ together)[self.background]
        return float((together * (log_or_zero(together) - log_or_zero(seen) - self.known[:, None])).sum())

    def bends(self, plan: Floats) -> Floats:
        """The second derivatives of I(S;Y|Z) by the plan p(x) q(y|x), one block per letter."""
        together = np.maximum(self.given.T @ plan, TINIEST)
        seen = np.maximum(self._sums @ together, TINIEST)
        totals = self.given @ self._sums.T
        pairs = np.matmul(self.given / together.T[:, None, :], self.given.T)
        return np.asarray(pairs - np.matmul(totals / seen.T[:, None, :], totals.T))

    def prices(self, channel: Floats) -> Floats:
        """Σ p(s,z|x) ln(u_y(s|z) / p(s|z)) of the posteriors of a channel, a little of the prior mixed in."""
        together = self.given.T @ (self.prior[:, None] * channel)
        seen = (self._sums @ together)[self.background]
        with np.errstate(divide="ignore", invalid="ignore"):
            posterior = np.where(seen > 0, together / seen, np.exp(self.known)[:, None])
        # Where a posterior is 0 its logarithm is not a number to count with; any above 0 proves a bound.
        return np.asarray(self.given @ (np.log(np.maximum(posterior, 1e-300)) - self.known[:, None]))


class _Search:
    """The best channel and the best bound met on the way."""

    def __init__(self, inference: Inference, costs: Floats, keep: bool) -> None:
        self.inference, self.keep, self.free = inference, keep, np.isfinite(costs)
        self.costs = np.where(self.free, costs, 0.0)
        self.cost, self.lower, self.channel = math.inf, -math.inf, np.empty(0)
        self.shapes = np.where(self.free, inference.prior[:, None], 0.0)
        # A letter may be forbidden to all values that occur.
        self.shapes /= np.maximum(self.shapes.sum(axis=0), np.finfo(np.float64).tiny)

    @property
    def gap(self) -> float:
        return self.cost - self.lower

    def gradient(self, plan: Floats) -> Floats:
        return np.asarray(self.costs + self.inference.prices(plan / self.inference.prior[:, None]))

    def look(self, plan: Floats, letters: Floats, gap: float | None = None) -> None:
        """Take a plan, and the prices of the shares of its letters; ``gap`` where the proof is to come this close."""
        prior = self.inference.prior
        now = plan / plan.sum(axis=1, keepdims=True)
        # Any prices prove a bound; where shares are not kept they must all be the same.
        prices = letters if self.keep else np.zeros_like(letters)
        least = self.costs + self.inference.prices(now) - prices
        if gap is not None and not self.keep:
            least = self._with_suited(least, plan.sum(axis=0) > SELDOM, gap)
        least = np.where(self.free, least, np.inf).min(axis=1)
        size = 1 + float(prior @ abs(least)) + float(abs(prices).max())
        paid = float(prior @ prices) if self.keep else 0.0
        self.lower = max(self.lower, float(prior @ least) + paid - ROUNDING * size)
        if self.keep:
            forbidden = np.where(self.free, 0.0, np.inf)
            now = rounded_to_shares(now, prior, np.zeros(len(prior)), forbidden)
        cost = self.inference.leakage(now) + float(prior @ (now * self.costs).sum(axis=1))
        if cost < self.cost:
            self.cost, self.channel = cost, now

    def _with_suited(self, told: Floats, used: Flags, gap: float) -> Floats:
        """The brackets of the bound, with posteriors that suit it for letters that are hardly used.

        What a dying letter shows says little of what it would show if it were used. The u_y that suits is that of the
        cheapest column by the prices that the other letters give the rows, which is found by sweeps.
        """
        rows = np.where(self.free, told, np.inf)[:, used].min(axis=1, initial=np.inf, keepdims=True)
        rare = ~used & self.free.any(axis=0) & ((told - rows).min(axis=0) < 0)
        if not rare.any() or not np.isfinite(rows).all():
            return told
        shape, best = self.shapes[:, rare], told[:, rare]
        for _ in range(SHAPING):
            now = self.costs[:, rare] + self.inference.prices(shape / self.inference.prior[:, None])
            above = now - rows
            least = above.min(axis=0)
            best = np.where(least > (best - rows).min(axis=0), now, best)
            if least.min() > -gap / 8:
                break
            shape = shape * np.exp(least - above)
            shape /= shape.sum(axis=0)
        self.shapes[:, rare], told[:, rare] = shape, best
        return told


def minimise_inference(inference: Inference, costs: Floats, gap: float, keep: bool) -> Optimum:
    """The channel of least I(S;Y|Z) + E cost; with ``keep`` among those that release each value as often as it occurs.

    Costs are in nats, infinite where a letter may not be released.
    """
    search = _Search(inference, costs, keep)
    start = inference.prior[:, None] * (inference.prior if keep else np.full(costs.shape[1], 1 / costs.shape[1]))
    plan = np.where(search.free, start, 0.0)
    plan *= (inference.prior / plan.sum(axis=1))[:, None]
    steps = _primal_dual(search, plan, gap)
    if search.gap > gap and not keep:
        # Where whole letters die, the bends of their columns grow without end, and only plans next to the central path
        # are safe.
        steps += _barrier(search, plan, gap)
    return Optimum(search.channel, search.lower, steps)


def _primal_dual(search: _Search, plan: Floats, gap: float) -> int:
    """Towards the best plan with slacks of their own; where shares are not kept, for a few steps."""
    keep, done = search.keep, 0
    free, gradient = search.free, search.gradient(plan)
    rows, letters = gradient.min(axis=1, where=free, initial=np.inf), np.zeros(plan.shape[1])
    slack = np.where(free, gradient - rows[:, None] + 0.1, 1.0)
    while done < (STEPS if keep else QUICK) and search.gap > gap:
        done += 1
        step = _newton(search, plan, slack / np.maximum(plan, TINIEST))
        if step is None:
            break
        ahead = rows[:, None] + letters - gradient
        aim, safe = float((plan * slack).sum() / free.sum()), np.maximum(plan, TINIEST)
        wanted: Floats | float = NARROWING * aim
        if keep:
            # Mehrotra's predictor says how far one may aim, and how the product of both bends on the way; it misleads
            # where letters die.
            change = step(ahead, 0)[0]
            across = np.where(free, -slack * (plan + change) / safe, 0.0)
            reached = (plan + _reach(plan, change, free) * change) * (slack + _reach(slack, across, free) * across)
            narrowing = max(float(reached[free].mean()) / aim, NARROWEST) ** 3
            wanted = min(narrowing, WIDEST) * aim - change * across
        change, up_rows, up_letters = step(ahead + wanted / safe, REFINEMENTS)
        up_slack = np.where(free, (wanted - slack * (plan + change)) / safe, 0.0)
        if not np.isfinite(change).all():
            break
        along, across_by = _reach(plan, change, free), _reach(slack, up_slack, free)
        plan, slack = np.where(free, plan + along * change, 0.0), np.where(free, slack + across_by * up_slack, 1.0)
        rows, letters = rows + across_by * up_rows, letters + across_by * up_letters
        gradient = search.gradient(plan)
        # While much is left to gain on the plan no posterior needs to suit the proof.
        search.look(plan, letters, gap if float((plan * slack)[free].sum()) <= NEARLY * gap else None)
    return done


def _barrier(search: _Search, plan: Floats, gap: float) -> int:
    """The same along the central path, centred before the barrier shrinks."""
    free, weight, here = search.free, FIRST_WEIGHT, 0
    for done in range(1, STEPS + 1):
        safe = np.maximum(plan, TINIEST)
        push = np.where(free, weight / safe - search.gradient(plan), 0.0)
        step = _newton(search, plan, weight / safe**2)
        if step is None:
            return done
        change, rows, letters = step(push, REFINEMENTS)
        if not np.isfinite(change).all():
            return done
        promised = float((change * (push + rows[:, None])).sum())
        plan, here = _moved(search, plan, change, weight), here + 1
        if promised > CENTRED * weight and here < AT_A_WEIGHT:
            continue
        search.look(plan, letters)
        if search.gap <= gap or weight * free.sum() < gap / 100:
            return done
        weight, here = weight * NARROWING, 0
    return STEPS


def _newton(
    search: _Search, plan: Floats, curved: Floats
) -> Callable[[Floats, int], tuple[Floats, Floats, Floats]] | None:
    """From what drives each entry, and refinements, to the step of the plan and the prices of its rows and letters.

    ``curved`` is what the barrier bends. None where numbers run out.
    """
    prior, free, keep = search.inference.prior, search.free, search.keep
    blocks = search.inference.bends(plan)
    diagonal = np.arange(len(prior))
    blocks[:, diagonal, diagonal] += np.where(free, curved, 1 / TINIEST).T
    try:
        inverse = np.linalg.inv(blocks)
    except np.linalg.LinAlgError:
        return None
    across, system = inverse.sum(axis=2).T, inverse.sum(axis=0)
    if keep:
        system = np.block([[system, across], [across.T, np.diag(across.sum(axis=0))]])
    unit = 1 / np.sqrt(np.maximum(abs(system.diagonal()), TINIEST))
    system *= unit * unit[:, None]
    # Rows may cost more where letters cost less, and unused letters tie no rows: of all such prices one is taken.
    system[np.diag_indices(len(system))] += SINGULAR
    factors = lu_factor(system, check_finite=False)

    def step(push: Floats, refinements: int) -> tuple[Floats, Floats, Floats]:
        change, rows, letters = np.zeros_like(plan), np.zeros(len(prior)), np.zeros(plan.shape[1])
        for _ in range(1 + refinements):
            # What the step so far leaves open; near the end the blocks are nearly singular, and the first try is rough.
            open_push = push + rows[:, None] + letters - np.matmul(blocks, change.T[:, :, None])[:, :, 0].T
            own = np.matmul(inverse, np.where(free, open_push, 0.0).T[:, :, None])[:, :, 0].T
            after = plan + change + own
            short = [prior - after.sum(axis=1), *([prior - after.sum(axis=0)] if keep else [])]
            prices = unit * lu_solve(factors, unit * np.concatenate(short), check_finite=False)
            up, level = prices[: len(prior)], prices[len(prior) :] if keep else np.zeros(plan.shape[1])
            change = change + own + np.matmul(inverse, up).T + across * level
            rows, letters = rows + up, letters + level
        return change, rows, letters

    return step


def _reach(values: Floats, change: Floats, free: Flags) -> float:
    """How far one may go before a value falls to 0, a little less, and no further than the whole step."""
    return reach(values[free], change[free], SHORT_OF)


def _moved(search: _Search, plan: Floats, change: Floats, weight: float) -> Floats:
    """The plan after as much of a step as makes its cost with the barrier fall."""
    free, costs = search.free, search.costs

    def cost(here: Floats) -> float:
        told = search.inference.of_plan(here)
        return told + float((here * costs).sum()) - weight * float(np.log(here[free]).sum())

    size, start = _reach(plan, change, free), cost(plan)
    for _ in range(40):
        there = np.where(free, plan + size * change, 0.0)
        if cost(there) <= start + ROUNDING * (1 + abs(start)):
            return np.asarray(there)
        size /= 2
    return plan


class ThroughColumn(OverValues):
    """Channels for a column that reveals a secret, over its values that occur.

    ``letters`` is the output that is each value where the shares of the column are kept; None where they are not.
    """

    unit, bounded, least = 1.0, False, None

    def __init__(self, inference: Inference, excess: Floats, letters: Codes | None) -> None:
        self._inference, self._prior, self._excess = inference, inference.prior, excess
        self._keep = letters is not None
        self._letters = np.arange(excess.shape[1]) if letters is None else letters
        self._order = np.argsort(self._letters)

    @cached_property
    def sharp(self) -> float:
        """Where releasing the nearest letter is best, as far as numbers can tell."""
        return steepest(self._excess)

    def leakage(self, channel: Floats) -> float:
        """I(S;Y|Z) in nats."""
        return self._inference.leakage(channel)

    def at(self, slope: float, gap: float, near: Sequence[Point] = ()) -> Point:
        """The best channel at a slope."""
        prior, excess = self._inference.prior, np.asarray(self._excess[:, self._letters])
        if self.sharp <= slope < math.inf:
            return replace(self.at(math.inf, gap), slope=slope)
        costs = costs_at(slope, excess)
        if self._keep and self.forbids:
            costs = np.where(never_together(np.isinf(excess)), math.inf, costs)
        if slope == 0:
            flat = np.tile(prior, (self.inputs, 1)) if self._keep else best_letter(prior, excess)
            if not np.isinf(costs[flat > 0]).any():
                return self._measured(0.0, Optimum(flat, 0.0, 0))
        return self._measured(slope, minimise_inference(self._inference, costs, gap / 2, self._keep))

    def _measured(self, slope: float, found: Optimum) -> Point:
        channel, letters = found.channel[:, self._order], self._letters[self._order]
        leakage, excess = self.leakage(channel), self.excess_of(channel, letters)
        return Point(slope, channel, leakage, excess, found.lower, found.steps, letters=letters)
