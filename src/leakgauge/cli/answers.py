"""Private answers on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leakgauge.cli.output import shown
from leakgauge.cli.speaking import retell, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from leakgauge.jobs.query import Asked
    from leakgauge.release.ledger import Cost, Spending, Verdict
    from leakgauge.release.queries import Answer, Protection, Query


def render(asked: Asked) -> list[RenderableType]:
    """The answer as a table for a person."""
    from rich.table import Column, Table
    from rich.text import Text

    from leakgauge.probability import Estimate
    from leakgauge.release.queries import SIMULATION

    answer = asked.answer
    parts: list[RenderableType] = [Text(retell(SIMULATION))] if answer.simulated else []
    named = any(label is not None for label, _ in answer.values)
    interval = say("{percent:.6g} % interval", percent=100 * answer.query.confidence)
    noisy = isinstance(answer.value, Estimate)
    # Texts, not markup: conditions and labels may hold brackets.
    asked_for = Column(Text(retell(answer.query.sentence), "bold"))
    grid = Table(*([""] * named), asked_for, *([interval] * noisy))
    for label, found in answer.values:
        cells = [Text(_label(label or ""))] * named
        if isinstance(found, Estimate):
            cells += [Text(shown(found.value)), Text(say(" to ").join((shown(found.low), shown(found.high))))]
        else:
            cells.append(Text(_label(found) if isinstance(found, str) else shown(found)))
        grid.add_row(*cells)
    parts.append(grid)
    parts.extend(Text(line) for line in _lines(answer))
    if asked.spent is not None:
        parts.append(
            Text(
                say(
                    "Budget: ε {epsilon}, ρ {rho} spent now; {left!s}.",
                    **_told_cost(asked.cost),
                    left=_told_left(asked.spent),
                )
            )
        )
    return parts


def render_dry(query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None) -> list[RenderableType]:
    """A dry run as lines for a person."""
    from rich.text import Text

    lines = [
        say("Dry run of: {question}; protects {unit}", question=query.sentence, unit=protection.sentence),
        say("It would cost ε {epsilon}, ρ {rho}.", **_told_cost(cost)),
    ]
    if verdict is not None:
        before, after = _told_left(verdict.before), _told_left(verdict.after)
        if verdict.allowed:
            lines.append(say("It fits; afterwards {after!s}; before it {before!s}.", after=after, before=before))
        else:
            lines.append(say("It does not fit; before it {before!s}.", before=before))
    return [Text("\n".join(lines))]


def _lines(answer: Answer) -> list[str]:
    lines = []
    if answer.rank_error is not None:
        lines.append(
            say(
                "Off by at most {rows} rows with {percent:.6g} % confidence.",
                rows=shown(answer.rank_error),
                percent=100 * answer.query.confidence,
            )
        )
    fields = {
        "claims": say(" and ").join(str(claim) for claim in answer.claims),
        "unit": answer.protection.sentence,
        "neighbours": answer.protection.neighbours.value,
    }
    if answer.simulated:
        lines.append(say("A release would guarantee: {claims!s}; protects {unit}: {neighbours}.", **fields))
    else:
        lines.append(say("Guarantee: {claims!s}; protects {unit}: {neighbours}.", **fields))
    lines.append(say("Mechanism: {mechanisms!s}", mechanisms=retell(answer.mechanism)))
    return lines


def _label(text: str) -> str:
    """A declared value as it is; the two that stand for others in the language spoken."""
    from leakgauge.release.queries.labels import MISSING, OTHER

    return {MISSING: say("(missing)"), OTHER: say("(other)")}.get(text, text)


def _told_cost(cost: Cost) -> dict[str, str]:
    return {"epsilon": shown(cost.epsilon), "rho": shown(cost.rho)}


def _told_left(spent: Spending) -> str:
    left = [f"ε {shown(spent.epsilon_left)}"] if spent.epsilon_left is not None else []
    left += [f"ρ {shown(spent.rho_left)}"] if spent.rho_left is not None else []
    return say("{amounts!s} left", amounts=say(" or ").join(left)) if left else say("no limit")
