"""The mechanism of each protected column and its exact guarantee in every notion."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING

from leakgauge.artefacts.quantity import Level
from leakgauge.artefacts.record import PlannedColumn
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin
from leakgauge.report.document import Content, Inline
from leakgauge.report.figures.levels import NOTIONS
from leakgauge.report.sections.columns import (
    by_coarseness,
    is_coarsened,
    is_from_this_table,
    is_withheld,
    kept_associations,
    plan_columns,
    planned_columns,
    protected_columns,
    published_columns,
    written_by,
)
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.promises import is_in_kit, protects_persons, unit_of_protection, unprotected
from leakgauge.report.sections.teller import NOTHING, Cell, Teller, own, spelled

_NOTIONS = NOTIONS | {
    "local-dp": message("local differential privacy, ε"),
    "dp": message("differential privacy, ε"),
    "approximate-dp": message("approximate differential privacy, ε"),
    "renyi-dp": message("Rényi differential privacy"),
    "sibson-leakage": message("Sibson leakage"),
    "alpha-leakage": message("α-leakage"),
}
"""What notions are called beside their parameters."""


def guarantee(tell: Teller) -> Iterator[Content]:
    """What is guaranteed, where something was released or designed."""
    if tell.foreign is not None:
        yield tell.alarm("The mechanism is unknown, and nothing is guaranteed.")
    yield from _columns(tell)
    for one in tell.each:
        yield from _under_prior(one)
    yield from _together(tell)
    for one in tell.each:
        yield from (*_optimal(one), *(() if is_withheld(one) else pictures(one, "channel")))
    yield from pictures(tell, "levels")


def _optimal(tell: Teller) -> Iterator[Content]:
    design = tell.results.design
    if design is not None:
        template = message(
            "The channel is the least leaking one for its distortion of {distortion}: proved to lie within {gap} of "
            "the optimum."
        )
        if tell.group:
            template = message(
                "The channel of {secret} is the least leaking one for its distortion of {distortion}: proved to lie "
                "within {gap} of the optimum."
            )
        yield tell.say(
            template,
            distortion=tell.number(design.distortion, "value"),
            gap=tell.number(design, "gap", digits=2, rounding=ROUND_CEILING),
            secret=tell.listed(tell.group),
        )
        if design.keep == "shares":
            own = message(
                "It is the least among the channels that release every value as often as it occurs, so that shares "
                "counted in the release are right on average; that costs {price}."
            )
            bought = message(
                "It is the least among the channels that keep the shares of the noisy histogram; shares counted in the "
                "release are corrected by the channel. That costs {price}."
            )
            yield tell.say(
                own if design.prior is PriorOrigin.THIS_TABLE else bought,
                price=tell.number(design, "price_of_keeping"),
            )
        if kept := kept_associations(tell):
            yield tell.say(
                "It reads {columns} too, and is the least among the channels that release every value as often as it "
                "occurs with each value of {columns}, so that cross-tables with {columns} counted in the release are "
                "right on average; that costs {price}.",
                columns=tell.listed(kept),
                price=tell.number(design, "price_of_keeping"),
            )
            if design.certain is not None and design.certain.value:
                yield tell.alarm(
                    "For {share} of the rows the value is certain to be released unchanged: all rows with the same "
                    "{columns} have the same value.",
                    share=tell.number(design, "certain", digits=2),
                    columns=tell.listed(kept),
                )
            others = [name for name in published_columns(tell) if name not in kept]
            if others:
                yield tell.say(
                    "Cross-tables with {columns} are not kept: the release makes them weaker than they are.",
                    columns=tell.listed(others),
                )


def notion_of(tell: Teller, notion: str) -> str:
    """What a notion is called."""
    return tell.language.say(_NOTIONS[notion]) if notion in _NOTIONS else notion


def _columns(tell: Teller) -> Iterator[Content]:
    record = tell.dossier.record
    claims = {} if record is None else record.claims
    for column, planned in plan_columns(tell).items():
        if planned.unprotected:
            yield tell.say(
                "{column} is public: some of its values are changed so that it reveals less about the secrets, and "
                "nothing is guaranteed for its own values.",
                column=own(column),
            )
            continue
        yield _mechanism(tell, column, planned)
        claim = claims.get(column)
        levels = {} if claim is None else claim.levels
        shows = any(level.witness is not None for level in levels.values())
        rows = [_level(tell, notion, level)[: 4 if shows else 3] for notion, level in levels.items()]
        caption = (
            message("What one row of {column} is guaranteed, exactly")
            if claim is not None and claim.exact
            else message("What one row of {column} is guaranteed, as implied by the mechanism's claims")
        )
        yield from tell.grid(caption, "Notion|Level|Parameter|Reached by", rows, column=written_by(tell, column))


def _mechanism(tell: Teller, column: str, planned: PlannedColumn) -> Inline:
    written = written_by(tell, column)
    # Everybody may not know it where it follows from private counts.
    if planned.mechanism is None:
        template = message(
            "{column} was released through a random mechanism. Its settings may follow from private counts, and its "
            "exact levels would reveal something about these counts: they are in the internal edition only."
        )
        if is_in_kit(tell, *(planned.writes or (column,))):
            template = message(
                "{column} was released through a random mechanism. Its settings may follow from private counts, and "
                "are not in this edition; its channel is in the recipient's kit, and its exact levels follow from it."
            )
        return tell.say(template, column=written)
    if planned.mechanism == "channel":
        return tell.say(
            "{column} was released through a designed channel: for each true value a released value is drawn with "
            "fixed probabilities.",
            column=written,
        )
    return tell.say("{column} was released by {mechanism}.", column=written, mechanism=own(spelled(planned.mechanism)))


def _under_prior(tell: Teller) -> Iterator[Content]:
    """Levels that depend on how frequent the values are."""
    record = tell.dossier.record
    claims = () if record is None else record.claims.values()
    known = {notion for claim in claims for notion in claim.levels}
    levels = {} if tell.results.levels is None else tell.results.levels.levels
    rows = (_level(tell, notion, level)[:3] for notion, level in levels.items() if notion not in known)
    caption = message("What depends on how frequent the values are, with the shares of this table")
    if tell.group:
        caption = message("What depends on how frequent the values of {secret} are, with the shares of this table")
    yield from tell.grid(caption, "Notion|Level|Parameter", rows, secret=tell.listed(tell.group))


def _level(tell: Teller, notion: str, level: Level) -> tuple[Cell, ...]:
    """A notion, its level, its parameters and the values that reach it."""
    symbols = {"order": "α = ", "delta": "δ = "}
    known = {symbol: tell.maybe(level, name) for name, symbol in symbols.items()}
    parameters = [part for symbol, number in known.items() if number is not None for part in (symbol, number)]
    # A missing value has an empty text.
    missing = tell.language.say(message("(missing)"))
    reached: Cell = NOTHING
    if level.witness is not None and level.witness.inputs:
        inputs, output = " / ".join(one or missing for one in level.witness.inputs), level.witness.output
        reached = inputs if output is None else (inputs, " → ", output or missing)
    shown = tell.number(level, rounding=ROUND_CEILING)
    return notion_of(tell, notion), shown, tuple(parameters) or NOTHING, reached


def _together(tell: Teller) -> Iterator[Content]:
    say, record = tell.language.say, tell.dossier.record
    rows: list[tuple[Cell, Cell]] = []
    for notion, claimed in ({} if record is None else record.together).items():
        level: Cell = tell.number(claimed)
        delta = tell.maybe(claimed, "delta")
        if delta is not None:
            level = tell.say("{level}, δ = {delta}", level=level, delta=delta)
        rows.append((say("all protected columns together: {notion}", notion=own(notion_of(tell, notion))), level))
    # What leaves unprotected is bounded by nothing, and so is the whole.
    caption = message("The protected columns together") if any(by_coarseness(tell)) else message("The whole release")
    yield from tell.grid(caption, "What|Level", (*rows, *_spent(tell)))
    if protects_persons(tell):
        yield tell.say(
            "What all protected columns guarantee together, and the budget, are for {unit}; the levels of a single "
            "column are those of one row.",
            unit=unit_of_protection(tell),
        )
    if rows or (record is not None and (record.claims or not tell.external)):
        yield from unprotected(tell)
        if is_coarsened(tell):
            yield tell.note(
                "Coarser values and the suppression of small groups add nothing to ε and take nothing off it."
            )
    ledger = None if record is None else record.budget.ledger
    if ledger is not None:
        yield tell.say(
            "Counted in the ledger of {dataset} as entry {entry}.",
            dataset=own(ledger.dataset),
            entry=tell.number(ledger, "entry"),
        )
    if tell.released and is_from_this_table(tell):
        template = message(
            "The channel of {columns} was designed from the counts of this table, without a budget for them. The "
            "guarantee is that of the fixed channel; it does not cover what the choice of the channel reveals."
        )
        if len(planned_columns(tell)) > 1:
            template = message(
                "The channels of {columns} were designed from the counts of this table, without a budget for them. "
                "The guarantee is that of the fixed channels; it does not cover what the choice of the channels "
                "reveals."
            )
        yield tell.alarm(template, columns=tell.listed(protected_columns(tell)))


def _spent(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    """The budget: of the release, and where its design had to be paid of both."""
    say, record = tell.language.say, tell.dossier.record
    spent = None if tell.dossier.job is None else tell.dossier.job.spent
    bought = spent is not None and spent.histogram is not None
    alone = say("budget spent on the release, ε") if bought else say("budget spent, ε")
    yield from tell.numbers({"epsilon": alone, "rho": say("budget spent, ρ")}, record and record.budget)
    if bought:
        both = {
            "histogram": say("budget spent on the noisy histogram of the design, ε"),
            "together": say("budget spent together, ε"),
        }
        yield from tell.numbers(both, spent, unit="nats")
