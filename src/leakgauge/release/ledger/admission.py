"""Whether a spend fits, even when later releases are chosen after seeing earlier ones.

For a limit in zCDP the sum of ρ may not exceed it. For a limit (ε, δ) a spend is admitted when, after it, one holds:

* added: Σ ε ≤ ε;
* clock: in one of the splits of the limit, sure losses and the Gaussian clock are both within their parts;
* concentrated, in accounts without splits (of earlier versions, or with a limit that has no clock): Σ ρ ≤ ρ*, the
  largest zCDP level that converts to (ε, δ);
* alone: nothing was spent before, and the release as a whole is (ε, δ)-DP by the best bound ``compose`` proves.

Why this holds for a whole run, in which each release may depend on all earlier outputs, but on the data only through
them. Take two neighbouring data sets with laws P and Q of everything seen, in either order. The (ε, δ) level is the sum
of (P(y) − e^ε Q(y))⁺ over all runs y, that is E_P (1 − e^(ε − L))⁺ with L the loss ln P/Q of the run.

*Clock, one split.* It has a sure part E, a δ′, and a time T with D_T(ε − E) ≤ δ′, where D_t is the hockey-stick curve
of two Gaussians √t standard deviations apart, D_0(x) = (1 − e^x)⁺. Every step is counted in one of two ways, decided by
what was seen so far: surely, if it is ε′-DP, which takes ε′ of E; or by the clock, which it moves by a c such that,
whatever of T is left after it, t say,

    E D_t(x − ℓ) ≤ D_(t + c)(x) for every x, ℓ being the step's loss under P.

``clock_cost`` finds c for a t that is kept at least; then it holds for every larger t, because domination of a pair by
another is kept when both are composed with one more Gaussian. Let M be the losses of the steps that the clock counted,
t what is left of T, and V = D_t(ε − E − M). A step that is counted surely leaves V as it is; given everything seen
before, a step on the clock does not raise it in expectation under P: V is a supermartingale however steps are chosen,
and it starts at D_T(ε − E) ≤ δ′. A step that does not fit ends the run. At the end L ≤ E + M, and D_t only grows with
t, so (1 − e^(ε − L))⁺ ≤ (1 − e^(ε − E − M))⁺ ≤ V, hence E_P (1 − e^(ε − L))⁺ ≤ δ′. A loss may be infinite: D_t(−∞) = 1.
(For Gaussians alone c = μ²; the clock then is the filter of Smith and Thakurta, Fully adaptive composition for Gaussian
differential privacy, 2022, and D is the curve of Dong, Roth and Su, Gaussian differential privacy, 2022.)

*All splits and added.* What is used only grows, and a split in which a release did not fit is used up for good. So a
run that ends within a split was within it all along, and has the same probability when the analyst is stopped by that
split alone: together such runs add at most δ′ to the sum. Runs that end with Σ ε ≤ ε add nothing: their loss is at most
ε surely. All other runs end within some split, and the δ′ of all splits sum up to δ at most.

*Concentrated.* Runs within Σ ρ ≤ ρ* occur with the same probabilities when a filter admits by that alone. It is ρ*-zCDP
however the steps are chosen (Feldman and Zrnic, Individual privacy accounting via a Rényi filter, 2021; Whitehouse,
Ramdas, Rogers and Wu, Fully-adaptive composition in differential privacy, 2023), hence (ε, δ)-DP. An account has either
this rule or splits, never both: that would take δ twice.

*Periods.* Where a limit renews, all of this holds for each period by itself, given everything that was seen before the
period: which rule admits a release then depends on outputs alone. A period is within the limit for every history, so n
periods are within n times the limit, ε and δ alike (plain adaptive composition of n runs), and no less is promised.

*Alone* concerns a first release: nobody has seen anything of the data when it is chosen. If no other rule holds after
it, none ever will again, what is used being past every limit: the run ends there, apart from releases that cost
nothing, whose law does not depend on the data. So the whole run is that one release. If another rule holds as well,
*alone* was not needed. Which of the two a first release is does not depend on the data.

A step known only as (ε, δ) with δ > 0, or by a Rényi curve, has no pure ε, no ρ and no time on the clock: it fits alone
or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from leakgauge.errors import BudgetError, InputError
from leakgauge.notions.composition.sequence import smallest
from leakgauge.notions.formulas import approximate_of_concentration, approximate_of_gaussian
from leakgauge.release.ledger.account import Account, ApproximateLimit, ConcentratedLimit, Limit, Unlimited, largest_rho
from leakgauge.release.ledger.clock import pure_of_gaussian
from leakgauge.release.ledger.cost import NOTHING, Cost, Total, Used, as_decimal, as_float, remainder
from leakgauge.release.ledger.period import Span
from leakgauge.rounding import from_above, from_below
from leakgauge.sentences import Sentence


class Rule(Enum):
    """Why a spend is admitted."""

    UNLIMITED = "the account is unlimited"
    NOTHING = "it costs nothing"
    ADDED = "the sum of all ε stays within the limit"
    CLOCK = "sure losses and the Gaussian clock stay within a split of the limit"
    CONCENTRATED = "the sum of all ρ stays within the limit"
    ALONE = "it is the first release, and as a whole within the limit"


@dataclass(frozen=True)
class Spending:
    """The budget that an account has used, and what is left, in nats, rounded up; None for a sum without a limit.

    Σ ε is infinite once a step without a pure ε was spent. ``at_delta`` is the smaller of Σ ε and what the Gaussian
    clock (in accounts without one, Σ ρ of zCDP) converts to at the limit's δ. It is information, not a guarantee: the
    guarantee is the limit, which was fixed before anything was seen. Of a limit (ε, δ), ``epsilon_left`` is the ε of
    one pure release that still fits, ``rho_left`` the ρ of Gaussian noise that does. Of a limit that renews, all of it
    is of the ``period``.
    """

    epsilon: float
    rho: float
    at_delta: float
    epsilon_left: float | None
    rho_left: float | None
    period: Span | None = None


@dataclass(frozen=True)
class Verdict:
    """The effect of a cost on an account and its spending so far."""

    account: Account
    cost: Cost
    spent: Total
    period: Span | None = None
    """The running period of a limit that renews, in which all of this is."""

    def __post_init__(self) -> None:
        self.cost.require_known_for(self.account.neighbours)

    @property
    def before(self) -> Spending:
        """What was spent without the cost."""
        return replace(spending(self.account, self.spent), period=self.period)

    @property
    def after(self) -> Spending:
        """What is spent with it."""
        return replace(spending(self.account, self.spent.plus(self.charged)), period=self.period)

    @cached_property
    def charged(self) -> Total:
        """What the cost adds to what was spent."""
        return charged(self.account, self.spent, self.cost)

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that admits the cost; None where it does not fit."""
        limit, cost = self.account.limit, self.cost
        if isinstance(limit, Unlimited):
            return Rule.UNLIMITED
        if cost.total.is_nothing:
            return Rule.NOTHING
        rule = rule_of_sums(self.account, self.spent.plus(self.charged))
        if rule is None and isinstance(limit, ApproximateLimit) and self.spent.is_nothing:
            try:
                alone = smallest(cost.steps, limit.delta, neighbours=self.account.neighbours).epsilon
            except InputError:
                return None  # nothing is proved of such a sequence
            return Rule.ALONE if alone <= limit.epsilon else None
        return rule

    @property
    def allowed(self) -> bool:
        """Whether it fits."""
        return self.rule is not None

    def require(self) -> Rule:
        """The rule that admits it."""
        if self.rule is not None:
            return self.rule
        limit = self.account.limit
        by_epsilon, by_rho = (most is not None for most in _most(limit))
        told: dict[str, Sentence | str] = {
            "sums": _sums(self.after, by_epsilon, by_rho),
            "limit": self.account.limit_words,
            "dataset": self.account.dataset,
            "left": _left(self.before, by_epsilon, by_rho),
        }
        if self.period is not None:
            raise BudgetError(
                "The release would raise the sum of {sums} in this period, past the limit {limit} of data set "
                "{dataset!r}, which has {left} left until it renews on {renews!s}; no budget was used, so add more "
                "noise or release less.",
                renews=self.period.renews.isoformat(),
                **told,
            )
        raise BudgetError(
            "The release would raise the sum of {sums}, past the limit {limit} of data set {dataset!r}, "
            "which has {left} left; no budget was used, so add more noise or release less.",
            **told,
        )


def nothing_of(account: Account) -> Total:
    """What an account has spent when it is opened."""
    return Total(NOTHING.epsilon, NOTHING.rho, (Used(NOTHING.epsilon, NOTHING.rho),) * len(account.splits))


def charged(account: Account, spent: Total, cost: Cost) -> Total:
    """What a cost adds to what was spent of an account: its sums, and what it uses of every split."""
    pairs = zip(account.splits, spent.splits, strict=True)
    splits = tuple(split.charge(used, cost.kept) for split, used in pairs)
    return Total(cost.total.epsilon, cost.total.rho, splits)


def rule_of_sums(account: Account, after: Total) -> Rule | None:
    """The rule by which so much may have been spent; None where no sum is within the limit."""
    if isinstance(account.limit, Unlimited):
        return Rule.UNLIMITED
    epsilon, rho = _most(account.limit)
    if epsilon is not None and after.epsilon <= as_decimal(epsilon):
        return Rule.ADDED
    if account.splits:
        pairs = zip(account.splits, after.splits, strict=True)
        return Rule.CLOCK if any(split.is_within(used) for split, used in pairs) else None
    return Rule.CONCENTRATED if rho and after.rho <= as_decimal(rho) else None


def spending(account: Account, total: Total) -> Spending:
    """What sums mean beside a limit."""
    epsilon, rho = as_float(total.epsilon), as_float(total.rho)
    most_epsilon, most_rho = _most(account.limit)
    epsilon_left = None if most_epsilon is None else remainder(most_epsilon, total.epsilon)
    if account.splits and epsilon_left is not None:
        at_delta, by_splits, by_clock = _of_splits(account, total)
        return Spending(epsilon, rho, min(epsilon, at_delta), max(epsilon_left, by_splits), by_clock)
    at_delta = epsilon
    if account.delta > 0 and rho < math.inf:
        at_delta = min(epsilon, approximate_of_concentration(rho, account.delta))
    rho_left = None if most_rho is None else remainder(most_rho, total.rho)
    return Spending(epsilon, rho, at_delta, epsilon_left, rho_left)


def _of_splits(account: Account, total: Total) -> tuple[float, float, float]:
    """ε at δ by the best split, and the ε of a pure release and the ρ of Gaussian noise that still fit."""
    at_delta, epsilon, rho = math.inf, 0.0, 0.0
    for split, used in zip(account.splits, total.splits, strict=True):
        if not split.is_within(used):
            continue
        found = as_float(used.sure) + approximate_of_gaussian(math.sqrt(as_float(used.time)), split.delta)
        at_delta = min(at_delta, found)
        sure, time = split.left(used)
        # Discrete noise takes a little more time than its ρ says, and must leave some.
        noise = max(0.93 * time - split.time / 1000, 0.0)
        epsilon, rho = max(epsilon, sure, pure_of_gaussian(math.sqrt(time))), max(rho, noise / 2)
    return at_delta, epsilon, rho


def _most(limit: Limit) -> tuple[float | None, float | None]:
    """What the sums of ε and of ρ may come to; None where a limit does not speak of that sum."""
    match limit:
        case ApproximateLimit(epsilon, delta):
            return epsilon, largest_rho(epsilon, delta) if delta else None
        case ConcentratedLimit(rho):
            return None, rho
    return None, None


def _sums(after: Spending, by_epsilon: bool, by_rho: bool) -> Sentence:
    epsilon, rho = (_amount(one, from_above) for one in (after.epsilon, after.rho))
    if by_epsilon and by_rho:
        return Sentence("ε to {epsilon} and that of ρ to {rho}", epsilon=epsilon, rho=rho)
    return Sentence("ε to {epsilon}", epsilon=epsilon) if by_epsilon else Sentence("ρ to {rho}", rho=rho)


def _left(before: Spending, by_epsilon: bool, by_rho: bool) -> Sentence:
    epsilon, rho = (_amount(one, from_below) for one in (before.epsilon_left, before.rho_left))
    if by_epsilon and by_rho:
        return Sentence("ε = {epsilon} or ρ = {rho}", epsilon=epsilon, rho=rho)
    return Sentence("ε = {epsilon}", epsilon=epsilon) if by_epsilon else Sentence("ρ = {rho}", rho=rho)


def _amount(value: float | None, rounding: Callable[[float, int], float]) -> Sentence | str:
    return Sentence("infinity") if value is None or value == math.inf else f"{rounding(value, 6):.6g}"
