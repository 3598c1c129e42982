"""A private answer, counted against a budget before any noise is drawn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leakgauge.claims.quantities import exact_json, number_json, statement_json
from leakgauge.errors import OptionError
from leakgauge.probability import Estimate
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from leakgauge.release.ledger import Cost, Entry, Ledger, Spending, Verdict, require_account
from leakgauge.release.queries import Answer, Protection, Query
from leakgauge.tables import Table

LONGEST_PURPOSE = 200


@dataclass(frozen=True)
class Asked:
    """An answer with what it cost.

    Attributes:
        answer: the answer.
        cost: its steps.
        spent: what the data set has spent with it; None where no ledger counts it.
    """

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
) -> Asked:
    """The answer to a query, its cost spent in the ledger before the noise is drawn.

    The table is read before the budget is spent, so that a table that cannot be read costs nothing; a kill after the
    spend leaves it counted. With a simulation seed nothing is spent, and the answer protects nobody.

    Args:
        query: what is asked.
        table: where.
        protection: who is protected.
        ledger: which keeps the budget; by default nothing counts the answer.
        dataset: whose account in the ledger.
        simulation_seed: noise that follows from a seed; not together with a ledger.
        on_spend: told of the spend as soon as it is made: whatever fails afterwards, it stays.

    Raises:
        ColumnError: a column that is unknown or cannot be used so.
        OptionError: a query that cannot be asked under this protection, an account that protects something else, or a
            ledger for a simulation.
        BudgetError: the cost does not fit; nothing was drawn and nothing was spent.
    """
    if simulation_seed is not None:
        require_no_ledger(ledger)
        cost, _ = preview(query, table, protection)
        return Asked(_answer(query, table, protection, Simulated(simulation_seed)), cost, None)
    cost, verdict = preview(query, table, protection, ledger, dataset)
    randomness = OperatingSystem()
    if ledger is None or verdict is None:
        return Asked(_answer(query, table, protection, randomness), cost, None)
    verdict.require()
    exact = query.exact(table, protection)
    reference = "".join(f"{word:016x}" for word in randomness.words(2).tolist())
    entry = ledger.spend(verdict.account.dataset, cost, _purpose(query), reference)
    if on_spend is not None:
        on_spend(entry)
    answer = query.answer(exact, protection, randomness)
    ledger.complete(entry, _digest(answer, reference))
    return Asked(answer, cost, ledger.spent(verdict.account.dataset))


def preview(
    query: Query[Any],
    table: Table,
    protection: Protection,
    ledger: Ledger | None = None,
    dataset: str | None = None,
) -> tuple[Cost, Verdict | None]:
    """What a query would cost, and what the ledger would say to it; reads no rows, draws and spends nothing.

    Raises:
        ColumnError: a column that is unknown or cannot be used so.
        OptionError: a query that cannot be asked under this protection, or an account that protects something else.
    """
    query.require_columns(table, protection)
    cost = Cost(query.steps(protection))
    if ledger is None:
        return cost, None
    if dataset is None:
        raise OptionError("A ledger is given without the name of a data set; say whose budget is spent.")
    require_account(ledger.account(dataset), str(protection), protection.neighbours)
    return cost, ledger.preview(dataset, cost)


def require_no_ledger(ledger: object) -> None:
    """Refuse the ledger of a simulation, in which it would spend nothing.

    Raises:
        OptionError: there is one.
    """
    if ledger is not None:
        raise OptionError("A simulation spends nothing and is not a release; leave the ledger out.")


def answer_json(answer: Answer) -> dict[str, Any]:
    """The fields of an answer."""
    protection = answer.protection
    return {
        "question": str(answer.query),
        "answers": [_value_json(label, found, answer.unit) for label, found in answer.values],
        "rank_error": None if answer.rank_error is None else _rank_json(answer.rank_error, answer.query.confidence),
        "claims": {claim.name: statement_json(claim) for claim in answer.claims},
        "mechanism": answer.mechanism,
        "protection": protection_json(protection),
        "simulated": answer.simulated,
    }


def protection_json(protection: Protection) -> dict[str, Any]:
    """The fields of a protection."""
    return {
        "unit": str(protection),
        "column": protection.unit,
        "rows_per_unit": protection.rows,
        "neighbours": "replace-one" if protection.replaces else "add-or-remove",
    }


def _answer(query: Query[Any], table: Table, protection: Protection, randomness: Randomness) -> Answer:
    return query.answer(query.exact(table, protection), protection, randomness)


def _purpose(query: Query[Any]) -> str:
    text = query.purpose
    # The name of a column may hold what a line of a ledger may not.
    return (text if text.isprintable() else repr(text))[:LONGEST_PURPOSE]


def _digest(answer: Answer, reference: str) -> str:
    told = json.dumps([reference, answer_json(answer)], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(told.encode()).hexdigest()


def _value_json(label: str | None, found: Estimate | float | str, unit: str) -> dict[str, Any]:
    if isinstance(found, Estimate):
        ends = {"low": number_json(found.low), "high": number_json(found.high), "confidence": found.confidence}
        return {"label": label, "value": number_json(found.value), "unit": unit, **ends}
    value = found if isinstance(found, str) else number_json(found)
    return {"label": label, "value": value, "unit": unit, "low": None, "high": None, "confidence": None}


def _rank_json(error: float, confidence: float) -> dict[str, Any]:
    return {**exact_json(error, "rows"), "low": 0.0, "high": number_json(error), "confidence": confidence}
