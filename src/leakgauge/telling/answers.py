"""Private answers about a table: what was asked, the noisy answer, its guarantee and its price."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING
from typing import Any

from leakgauge.artefacts.quantity import Quantity
from leakgauge.languages import message
from leakgauge.probability import Estimate
from leakgauge.release import queries
from leakgauge.release.ledger import Entry, Spending
from leakgauge.release.ledger.admission import Verdict
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.summary import left_of
from leakgauge.release.queries import SIMULATION, Protection, Query
from leakgauge.release.queries.labels import MISSING, OTHER
from leakgauge.telling.blocks import Content, Inline, Number
from leakgauge.telling.budget import left
from leakgauge.telling.measurement import intervals
from leakgauge.telling.voice import AS_DECLARED, Cell, Plain, Voice, own


def answer(voice: Voice, answered: queries.Answer, cost: Cost, spent: Spending | None) -> Iterator[Content]:
    """The answer to a query with its guarantee, and the account after it where a ledger counts it."""
    if answered.simulated:
        yield voice.alarm(SIMULATION)
    question = answered.query.sentence
    if all(label is None for label, _ in answered.values):
        for _, value in answered.values:
            yield voice.say("{question}: {answer}", question=question, answer=_value(voice, value))
    else:
        rows = ((_label(voice, label or ""), _value(voice, value)) for label, value in answered.values)
        yield from voice.grid("{question}", "Value|Answer", rows, question=question)
    if isinstance(answered.value, Estimate):
        yield intervals(voice, answered.query)
    yield from _clamping(voice, answered.query)
    if answered.rank_error is not None:
        yield voice.say(
            "Off by at most {rows} rows with {confidence} confidence.",
            rows=voice.number(answered.rank_error, rounding=ROUND_CEILING),
            confidence=voice.number(answered.query.confidence, percent=True, digits=AS_DECLARED),
        )
    template = message("Guarantee: {claims}; protects {unit}: {neighbours}.")
    if answered.simulated:
        template = message("A release would guarantee: {claims}; protects {unit}: {neighbours}.")
    yield voice.say(
        template,
        claims=Plain(voice.language.say(" and ").join(map(str, answered.claims))),
        unit=answered.protection.sentence,
        neighbours=answered.protection.neighbours.words,
    )
    yield voice.say("Mechanism: {mechanism}", mechanism=answered.mechanism)
    if spent is not None:
        yield voice.say(
            "Budget: ε {epsilon}, ρ {rho} spent now; {left}.", **price(voice, cost), left=_left(voice, spent)
        )


def dry_run(
    voice: Voice, query: Query[Any], protection: Protection, cost: Cost, verdict: Verdict | None
) -> Iterator[Content]:
    """The cost of a query that was not asked, and whether it fits the budget."""
    yield voice.say("Dry run of: {question}; protects {unit}", question=query.sentence, unit=protection.sentence)
    if query.groups is not None:
        groups = voice.language.listed(str(_label(voice, one)) for one in query.groups.names)
        yield voice.say("Groups: {groups}.", groups=Plain(groups))
    yield from _clamping(voice, query)
    yield voice.say("It would cost ε {epsilon}, ρ {rho}.", **price(voice, cost))
    if verdict is not None:
        template = message("It does not fit the budget; before it {before}.")
        if verdict.allowed:
            template = message("It fits the budget; afterwards {after}; before it {before}.")
        yield voice.say(template, after=_left(voice, verdict.after), before=_left(voice, verdict.before))


def stays_spent(voice: Voice, entry: Entry) -> Inline:
    """What a ledger keeps of a query that failed after it was paid for."""
    return voice.say(
        "ε {epsilon}, ρ {rho} stay spent in the ledger, as entry {entry}.",
        **price(voice, entry.cost),
        entry=Plain(str(entry.sequence)),
    )


def price(voice: Voice, cost: Any) -> dict[str, Number]:
    """What something costs, by the fields of a sentence, rounded up."""
    parts = {"epsilon": cost.epsilon, "rho": cost.rho}
    return {name: voice.number(float(value), rounding=ROUND_CEILING) for name, value in parts.items()}


def _left(voice: Voice, spent: Spending) -> Inline:
    budget = left_of(spent)
    if (budget.epsilon, budget.rho) == (None, None):
        return voice.say("no limit")
    if spent.period is not None:
        return voice.say(
            "{amounts} left in this period, until the limit renews on {day}",
            amounts=left(voice, budget),
            day=Plain(spent.period.renews.isoformat()),
        )
    return voice.say("{amounts} left", amounts=left(voice, budget))


def _clamping(voice: Voice, query: Query[Any]) -> Iterator[Content]:
    if query.clamping is not None:
        yield (voice.told(query.clamping),)


def _label(voice: Voice, text: str) -> Plain:
    """A declared value as it is; "missing" and "others" in the language."""
    words = {MISSING: voice.language.say("(missing)"), OTHER: voice.language.say("(other)")}
    return Plain(words[text]) if text in words else own(text)


def _value(voice: Voice, value: Estimate | float | str) -> Cell:
    if isinstance(value, str):
        return _label(voice, value)
    if not isinstance(value, Estimate):
        return voice.number(float(value), digits=AS_DECLARED)
    interval = Quantity.estimated(value, "")
    return voice.number(interval, digits=_digits(value))


def _digits(answer: Estimate) -> int:
    """So many that the width of the interval keeps two: fewer would add a rounding error."""
    width, largest = answer.high - answer.low, max(map(abs, (answer.value, answer.low, answer.high)))
    if not 0 < width < math.inf:
        return 3
    return math.floor(math.log10(largest)) - math.floor(math.log10(width)) + 2
