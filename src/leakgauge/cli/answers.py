"""Private answers on a screen and in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leakgauge.claims.quantities import exact_json
from leakgauge.cli.output import shown

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.jobs.query import Asked
    from leakgauge.release.ledger import Cost, Spending, Verdict
    from leakgauge.release.queries import Answer, Protection, Query

SCHEMA = "leakgauge/answer/1"


def as_fields(asked: Asked) -> dict[str, Any]:
    """The answer as the fields of its JSON."""
    from leakgauge.jobs.query import answer_json
    from leakgauge.release.queries import SIMULATION

    budget = None if asked.spent is None else {"cost": _cost_json(asked.cost), **_spending_json(asked.spent)}
    fields = {"schema": SCHEMA, **answer_json(asked.answer), "dry_run": False, "budget": budget}
    return {**fields, "note": SIMULATION} if asked.answer.simulated else fields


def dry_fields(query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None) -> dict[str, Any]:
    """A dry run as the fields of its JSON."""
    from leakgauge.jobs.query import protection_json

    told = {} if verdict is None else {**_spending_json(verdict.after), "allowed": verdict.allowed}
    return {
        "schema": SCHEMA,
        "question": str(query),
        "answers": [],
        "protection": protection_json(protection),
        "simulated": False,
        "dry_run": True,
        "budget": {"cost": _cost_json(cost), **told},
    }


def render(asked: Asked) -> list[RenderableType]:
    """The answer as a table for a person."""
    from rich.table import Table
    from rich.text import Text

    from leakgauge.probability import Estimate
    from leakgauge.release.queries import SIMULATION

    answer = asked.answer
    parts: list[RenderableType] = [Text(SIMULATION)] if answer.simulated else []
    named = any(label is not None for label, _ in answer.values)
    interval = f"{100 * answer.query.confidence:.6g} % interval"
    noisy = isinstance(answer.value, Estimate)
    grid = Table(*([""] * named), str(answer.query), *([interval] * noisy))
    for label, found in answer.values:
        # Texts, not markup: a label may hold brackets.
        cells = [Text(label or "")] * named
        if isinstance(found, Estimate):
            cells += [Text(shown(found.value)), Text(f"{shown(found.low)} to {shown(found.high)}")]
        else:
            cells.append(Text(found if isinstance(found, str) else shown(found)))
        grid.add_row(*cells)
    parts.append(grid)
    parts.extend(Text(line) for line in _lines(answer))
    if asked.spent is not None:
        parts.append(Text(f"Budget: {_told_cost(asked.cost)} spent now; {_told_left(asked.spent)}."))
    return parts


def render_dry(query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None) -> list[RenderableType]:
    """A dry run as lines for a person."""
    from rich.text import Text

    lines = [f"Dry run of: {query}; protects {protection}", f"It would cost {_told_cost(cost)}."]
    if verdict is not None:
        told = f"It fits; afterwards {_told_left(verdict.after)}" if verdict.allowed else "It does not fit"
        lines.append(f"{told}; before it {_told_left(verdict.before)}.")
    return [Text("\n".join(lines))]


def _lines(answer: Answer) -> list[str]:
    confidence = f"{100 * answer.query.confidence:.6g} %"
    lines = []
    if answer.rank_error is not None:
        lines.append(f"Off by at most {shown(answer.rank_error)} rows with {confidence} confidence.")
    guarantee = " and ".join(str(claim) for claim in answer.claims)
    would = "A release would guarantee" if answer.simulated else "Guarantee"
    lines.append(f"{would}: {guarantee}; protects {answer.protection}: {answer.protection.neighbours.value}.")
    lines.append(f"Mechanism: {answer.mechanism}")
    return lines


def _cost_json(cost: Cost) -> dict[str, Any]:
    return {"epsilon": exact_json(cost.epsilon, "nats"), "rho": exact_json(cost.rho, "nats")}


def _spending_json(spent: Spending) -> dict[str, Any]:
    left = {"epsilon": spent.epsilon_left, "rho": spent.rho_left}
    return {
        "spent": {"epsilon": exact_json(spent.epsilon, "nats"), "rho": exact_json(spent.rho, "nats")},
        "left": {name: None if value is None else exact_json(value, "nats") for name, value in left.items()},
    }


def _told_cost(cost: Cost) -> str:
    return f"ε {shown(cost.epsilon)}, ρ {shown(cost.rho)}"


def _told_left(spent: Spending) -> str:
    left = [f"ε {shown(spent.epsilon_left)}"] if spent.epsilon_left is not None else []
    left += [f"ρ {shown(spent.rho_left)}"] if spent.rho_left is not None else []
    return f"{' or '.join(left)} left" if left else "no limit"
