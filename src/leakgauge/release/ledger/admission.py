"""Whether a spend fits, even when later releases are chosen after seeing earlier ones.

For a limit in zCDP the sum of ρ may not exceed it. For a limit (ε, δ) a spend is admitted when, after it, one holds:

* added: Σ ε ≤ ε;
* concentrated: Σ ρ ≤ ρ*, the largest zCDP level that converts to (ε, δ);
* alone: nothing was spent before, and the release as a whole is (ε, δ)-DP by the best bound ``compose`` proves.

Why this holds for a whole run, in which each release may depend on all earlier outputs. Take first the runs without
*alone*, and two neighbouring data sets with laws P and Q of everything seen. Both sums only grow, so a run that ends
with Σ ρ ≤ ρ* had it all along, and one that ends with Σ ε ≤ ε likewise. The (ε, δ) level is the sum of
(P(y) − e^ε Q(y))⁺ over all runs y. Runs that end with Σ ε ≤ ε add nothing: their loss is at most ε surely. All other
runs end with Σ ρ ≤ ρ*; they occur with the same probabilities when the analyst is stopped by a filter that admits by
Σ ρ ≤ ρ* alone. Such a filter is ρ*-zCDP however the steps are chosen (Feldman and Zrnic, Individual privacy
accounting via a Rényi filter, 2021; Whitehouse, Ramdas, Rogers and Wu, Fully-adaptive composition in differential
privacy, 2023), hence (ε, δ)-DP, so their part of the sum is at most δ. δ need not be split between the two rules.

*Alone* concerns a first release: nobody has seen anything of the data when it is chosen. If neither other rule holds
after it, neither ever will again, both sums being past their limits: the run ends there, apart from releases that cost
nothing, whose law does not depend on the data. So the whole run is that one release. If another rule holds as well,
*alone* was not needed. Which of the two a first release is does not depend on the data.

A step known only as (ε, δ) with δ > 0 has neither a pure ε nor a ρ: it fits alone or not at all. Adding such δ beside
the concentrated rule would need a part of δ set aside for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from leakgauge.errors import BudgetError, InputError
from leakgauge.notions.composition.sequence import smallest
from leakgauge.notions.formulas import approximate_of_concentration
from leakgauge.release.ledger.account import Account, ApproximateLimit, ConcentratedLimit, Limit, Unlimited, largest_rho
from leakgauge.release.ledger.cost import Cost, Total, as_decimal, as_float
from leakgauge.sentences import Sentence


class Rule(Enum):
    """Why a spend is admitted."""

    UNLIMITED = "the account is unlimited"
    NOTHING = "it costs nothing"
    ADDED = "the sum of all ε stays within the limit"
    CONCENTRATED = "the sum of all ρ stays within the limit"
    ALONE = "it is the first release, and as a whole within the limit"


@dataclass(frozen=True)
class Spending:
    """What an account has spent, in nats, every sum rounded up, and what is left; None for a sum without a limit.

    Σ ε is infinite once a step without a pure ε was spent. ``at_delta`` is the smaller of Σ ε and what Σ ρ of zCDP
    converts to at the limit's δ. It is information, not a guarantee: the guarantee is the limit, which was fixed before
    anything was seen.
    """

    epsilon: float
    rho: float
    at_delta: float
    epsilon_left: float | None
    rho_left: float | None


@dataclass(frozen=True)
class Verdict:
    """The effect of a cost on an account and its spending so far."""

    account: Account
    cost: Cost
    spent: Total

    def __post_init__(self) -> None:
        self.cost.require_known_for(self.account.neighbours)

    @property
    def before(self) -> Spending:
        """What was spent without the cost."""
        return spending(self.account, self.spent)

    @property
    def after(self) -> Spending:
        """What is spent with it."""
        return spending(self.account, self.spent.plus(self.cost.total))

    @cached_property
    def rule(self) -> Rule | None:
        """The rule that admits the cost; None where it does not fit."""
        limit, cost = self.account.limit, self.cost
        if isinstance(limit, Unlimited):
            return Rule.UNLIMITED
        if cost.total.is_nothing:
            return Rule.NOTHING
        rule = rule_of_sums(limit, self.spent.plus(cost.total))
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
        raise BudgetError(
            "The release would raise the sum of {sums}, past the limit {limit} of data set {dataset!r}, which has "
            "{left} left; nothing was spent, so add more noise or release less.",
            sums=_sums(self.after, by_epsilon, by_rho),
            limit=limit.sentence,
            dataset=self.account.dataset,
            left=_left(self.before, by_epsilon, by_rho),
        )


def rule_of_sums(limit: Limit, after: Total) -> Rule | None:
    """The rule by which so much may have been spent; None where neither sum is within the limit."""
    if isinstance(limit, Unlimited):
        return Rule.UNLIMITED
    epsilon, rho = _most(limit)
    if epsilon is not None and after.epsilon <= as_decimal(epsilon):
        return Rule.ADDED
    return Rule.CONCENTRATED if rho and after.rho <= as_decimal(rho) else None


def spending(account: Account, total: Total) -> Spending:
    """What sums mean beside a limit."""
    at_delta = epsilon = as_float(total.epsilon)
    rho = as_float(total.rho)
    if account.delta > 0 and rho < math.inf:
        at_delta = min(epsilon, approximate_of_concentration(rho, account.delta))
    most_epsilon, most_rho = _most(account.limit)
    epsilon_left = None if most_epsilon is None else max(most_epsilon - epsilon, 0.0)
    rho_left = None if most_rho is None else max(most_rho - rho, 0.0)
    return Spending(epsilon, rho, at_delta, epsilon_left, rho_left)


def _most(limit: Limit) -> tuple[float | None, float | None]:
    """What the sums of ε and of ρ may come to; None where a limit does not speak of that sum."""
    match limit:
        case ApproximateLimit(epsilon, delta):
            return epsilon, largest_rho(epsilon, delta) if delta else None
        case ConcentratedLimit(rho):
            return None, rho
    return None, None


def _sums(after: Spending, by_epsilon: bool, by_rho: bool) -> Sentence:
    epsilon, rho = _amount(after.epsilon), _amount(after.rho)
    if by_epsilon and by_rho:
        return Sentence("ε to {epsilon} and that of ρ to {rho}", epsilon=epsilon, rho=rho)
    return Sentence("ε to {epsilon}", epsilon=epsilon) if by_epsilon else Sentence("ρ to {rho}", rho=rho)


def _left(before: Spending, by_epsilon: bool, by_rho: bool) -> Sentence:
    epsilon, rho = _amount(before.epsilon_left), _amount(before.rho_left)
    if by_epsilon and by_rho:
        return Sentence("ε = {epsilon} or ρ = {rho}", epsilon=epsilon, rho=rho)
    return Sentence("ε = {epsilon}", epsilon=epsilon) if by_epsilon else Sentence("ρ = {rho}", rho=rho)


def _amount(value: float | None) -> Sentence | str:
    return Sentence("infinity") if value is None or value == math.inf else f"{value:.6g}"
