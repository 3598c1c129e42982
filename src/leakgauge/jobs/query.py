"""A private answer, counted against a budget before any noise is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leakgauge import artefacts
from leakgauge.artefacts import Level, Origin, Quantity
from leakgauge.artefacts.codec import digest_of, encode
from leakgauge.artefacts.ledger import AnswerBudget, BudgetSums, ProtectedUnit, Value
from leakgauge.errors import OptionError
from leakgauge.probability import Estimate
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from leakgauge.release.ledger import Entry, Ledger, Spending
from leakgauge.release.ledger.account import require_account
from leakgauge.release.ledger.admission import Verdict
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.summary import left_of, nats
from leakgauge.release.queries import SIMULATION, Answer, Protection, Query
from leakgauge.tables import Table

LONGEST_PURPOSE = 200


@dataclass(frozen=True)
class PaidAnswer:
    """An answer with its cost, and the account after it; None where no ledger counts it."""

    answer: Answer
    cost: Cost
    spent: Spending | None


def ask(
    query: Query[Any],
    table: Table,
    protection: Protection,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    simulation_seed: int | None = None,
    on_spend: Callable[[Entry], None] | None = None,
) -> PaidAnswer:
    """The answer to a query; its cost is spent in the ledger, if there is one, before the noise is drawn.

    The table is read before the budget is spent, so an unreadable table costs nothing. A spend stays counted if the
    process is killed; ``on_spend`` is called as soon as it is made. With a simulation seed nothing is spent, and the
    answer protects nobody.

    Raises:
        OptionError: a query that cannot be asked under this protection, an account that protects something else, or a
            ledger for a simulation.
        BudgetError: the cost does not fit; nothing was drawn and nothing was spent.
    """
    randomness: Randomness = OperatingSystem()
    if simulation_seed is not None:
        require_no_ledger(ledger)
        randomness = Simulated(simulation_seed)
    cost, verdict = preview(query, table, protection, ledger, dataset)
    if ledger is None or verdict is None:
        return PaidAnswer(query.answer(query.exact(table, protection), protection, randomness), cost, None)
    verdict.require()
    exact = query.exact(table, protection)
    reference = "".join(f"{word:016x}" for word in randomness.words(2).tolist())
    # The name of a column may contain characters that a ledger line may not.
    purpose = query.purpose if query.purpose.isprintable() else repr(query.purpose)
    entry = ledger.spend(verdict.account.dataset, cost, purpose[:LONGEST_PURPOSE], reference)
    if on_spend is not None:
        on_spend(entry)
    answer = query.answer(exact, protection, randomness)
    told = encode(stored_answer(PaidAnswer(answer, cost, None), ""))
    ledger.complete(entry, digest_of({"reference": reference, "answer": told}))
    return PaidAnswer(answer, cost, ledger.spent(verdict.account.dataset))


def preview(
    query: Query[Any], table: Table, protection: Protection, ledger: Ledger | None = None, dataset: str | None = None
) -> tuple[Cost, Verdict | None]:
    """The cost of a query, and whether the ledger would admit it; reads no rows, draws and spends nothing."""
    query.require_columns(table, protection)
    cost = Cost(query.steps(protection))
    if ledger is None:
        return cost, None
    if dataset is None:
        raise OptionError("A ledger is given without the name of a data set; name the data set whose budget is used.")
    require_account(ledger.account(dataset), str(protection), protection.neighbours)
    return cost, ledger.preview(dataset, cost)


def require_no_ledger(ledger: object) -> None:
    """Refuse a ledger for a simulation, which spends nothing."""
    if ledger is not None:
        raise OptionError("A simulation uses no budget and is not a release; leave the ledger out.")


def stored_answer(paid: PaidAnswer, table: str) -> artefacts.Answer:
    """An answer as it is stored."""
    answer, spent = paid.answer, paid.spent
    # Numbers that no budget paid for come from the table.
    origin = Origin.TABLE if spent is None else Origin.ACCOUNTED
    confidence, off = answer.query.confidence, answer.rank_error
    return _stored(
        answer.query,
        answer.protection,
        answers=tuple(_value(label, found, answer.unit, origin) for label, found in answer.values),
        rank_error=None if off is None else Quantity(off, "rows", 0.0, off, confidence, Origin.DECLARED),
        claims={claim.name: Level.stated(claim, Origin.DECLARED) for claim in answer.claims},
        mechanism=answer.mechanism,
        simulated=answer.simulated,
        dry_run=False,
        budget=None if spent is None else _budget(paid.cost, spent),
        note=SIMULATION if answer.simulated else None,
        table=table,
    )


def stored_preview(
    query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None, table: str
) -> artefacts.Answer:
    """A dry run as it is stored."""
    after, allowed = (None, None) if verdict is None else (verdict.after, verdict.allowed)
    budget = _budget(cost, after, allowed)
    return _stored(query, protection, answers=(), simulated=False, dry_run=True, budget=budget, table=table)


def _stored(query: Query[Any], protection: Protection, **told: Any) -> artefacts.Answer:
    """What is asked under which protection, and what is told."""
    return artefacts.Answer(
        question=query.sentence,
        groups=None if query.groups is None else query.groups.names,
        clamped=query.clamping,
        protection=ProtectedUnit(str(protection), protection.unit, protection.rows, protection.neighbours.value),
        **told,
    )


def _value(label: str | None, found: Estimate | float | str, unit: str, origin: Origin) -> Value:
    if isinstance(found, Estimate):
        return Value(label, found.value, unit, found.low, found.high, found.confidence, origin)
    return Value(label, found, unit, origin=origin)


def _budget(cost: Cost, spent: Spending | None, allowed: bool | None = None) -> AnswerBudget:
    return AnswerBudget(
        BudgetSums(nats(cost.epsilon, Origin.DECLARED), nats(cost.rho, Origin.DECLARED)),
        None if spent is None else BudgetSums(nats(spent.epsilon), nats(spent.rho)),
        None if spent is None else left_of(spent),
        allowed,
        None if spent is None or spent.period is None else spent.period.renews.isoformat(),
    )
