"""The mechanism of each protected column and its exact guarantee in every notion."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING

from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.figures.levels import NOTIONS
from leakgauge.report.sections.pictures import pictures
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
    if tell.foreign:
        yield tell.alarm("The mechanism is unknown, and nothing is guaranteed.")
    yield from _columns(tell)
    for one in tell.each:
        yield from _under_prior(one)
    yield from _together(tell)
    for one in tell.each:
        yield from (*_optimal(one), *(() if one.withheld else pictures(one, "channel")))
    yield from pictures(tell, "levels")


def _optimal(tell: Teller) -> Iterator[Content]:
    if tell.has("design.json", "gap"):
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
            distortion=tell.number("design.json", "distortion", "value"),
            gap=tell.number("design.json", "gap", digits=2, rounding=ROUND_CEILING),
            secret=tell.listed(tell.group),
        )
        if tell.keeps_shares:
            own = message(
                "It is the least among the channels that release every value as often as it occurs, so that shares "
                "counted in the release are right on average; that costs {price}."
            )
            bought = message(
                "It is the least among the channels that keep the shares of the noisy histogram; shares counted in the "
                "release are corrected by the channel. That costs {price}."
            )
            yield tell.say(
                own if tell.get("design.json", "prior") == "this table" else bought,
                price=tell.number("design.json", "price_of_keeping"),
            )
        if kept := tell.keeps_associations:
            yield tell.say(
                "It reads {columns} too, and is the least among the channels that release every value as often as it "
                "occurs with each value of {columns}, so that cross-tables with {columns} counted in the release are "
                "right on average; that costs {price}.",
                columns=tell.listed(kept),
                price=tell.number("design.json", "price_of_keeping"),
            )
            if tell.get("design.json", "certain", "value"):
                yield tell.alarm(
                    "For {share} of the rows the value is certain to be released unchanged: all rows with the same "
                    "{columns} have the same value.",
                    share=tell.number("design.json", "certain", digits=2),
                    columns=tell.listed(kept),
                )
            others = [name for name in tell.names("release.json", "plan", "public") if name not in kept]
            if others:
                yield tell.say(
                    "Cross-tables with {columns} are not kept: the release makes them weaker than they are.",
                    columns=tell.listed(others),
                )


def notion_of(tell: Teller, notion: str) -> str:
    """What a notion is called."""
    return tell.language.say(_NOTIONS[notion]) if notion in _NOTIONS else notion


def _columns(tell: Teller) -> Iterator[Content]:
    for column in tell.names("release.json", "plan", "columns"):
        if tell.get("release.json", "plan", "columns", column, "unprotected"):
            yield tell.say(
                "{column} is public: some of its values are changed so that it reveals less about the secrets, and "
                "nothing is guaranteed for its own values.",
                column=own(column),
            )
            continue
        yield _mechanism(tell, column)
        place = ("release.json", "claims", column, "levels")
        levels = tell.names(*place)
        shows = any(tell.has(*place, notion, "witness") for notion in levels)
        rows = [_level(tell, *place, notion)[: 4 if shows else 3] for notion in levels]
        caption = (
            message("What one row of {column} is guaranteed, exactly")
            if tell.get("release.json", "claims", column, "exact")
            else message("What one row of {column} is guaranteed, as implied by the mechanism's claims")
        )
        yield from tell.grid(caption, "Notion|Level|Parameter|Reached by", rows, column=tell.written(column))


def _mechanism(tell: Teller, column: str) -> Inline:
    mechanism = tell.get("release.json", "plan", "columns", column, "mechanism")
    written = tell.written(column)
    if mechanism is None:
        template = message(
            "{column} was released through a random mechanism. Its settings may follow from private counts, and its "
            "exact levels would reveal something about these counts: they are in the internal edition only."
        )
        if tell.is_in_kit(*(tell.names("release.json", "plan", "columns", column, "writes") or [column])):
            template = message(
                "{column} was released through a random mechanism. Its settings may follow from private counts, and "
                "are not in this edition; its channel is in the recipient's kit, and its exact levels follow from it."
            )
        return tell.say(template, column=written)
    if mechanism == "channel":
        return tell.say(
            "{column} was released through a designed channel: for each true value a released value is drawn with "
            "fixed probabilities.",
            column=written,
        )
    return tell.say("{column} was released by {mechanism}.", column=written, mechanism=own(spelled(mechanism)))


def _under_prior(tell: Teller) -> Iterator[Content]:
    """Levels that depend on how frequent the values are."""
    claims = (tell.get("release.json", "claims") or {}).values()
    known = {notion for claim in claims for notion in claim.get("levels") or {}}
    levels = [notion for notion in tell.names("levels.json", "levels") if notion not in known]
    rows = (_level(tell, "levels.json", "levels", notion)[:3] for notion in levels)
    caption = message("What depends on how frequent the values are, with the shares of this table")
    if tell.group:
        caption = message("What depends on how frequent the values of {secret} are, with the shares of this table")
    yield from tell.grid(caption, "Notion|Level|Parameter", rows, secret=tell.listed(tell.group))


def _level(tell: Teller, *place: str) -> tuple[Cell, ...]:
    """A notion, its level, its parameters and the values that reach it."""
    symbols = {"order": "α = ", "delta": "δ = "}
    parameters = [
        part for name in symbols if tell.has(*place, name) for part in (symbols[name], tell.number(*place, name))
    ]
    # A missing value has an empty text.
    missing = tell.language.say(message("(missing)"))
    reached = " / ".join(one or missing for one in tell.names(*place, "witness", "inputs"))
    output = tell.get(*place, "witness", "output")
    witness = reached if not reached or output is None else (reached, " → ", str(output) or missing)
    level = tell.number(*place, rounding=ROUND_CEILING)
    return notion_of(tell, place[-1]), level, tuple(parameters) or NOTHING, witness or NOTHING


def _together(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    rows: list[tuple[Cell, Cell]] = []
    for notion in tell.names("release.json", "together"):
        level: Cell = tell.number("release.json", "together", notion)
        delta = tell.maybe("release.json", "together", notion, "delta")
        if delta is not None:
            level = tell.say("{level}, δ = {delta}", level=level, delta=delta)
        rows.append((say("all protected columns together: {notion}", notion=own(notion_of(tell, notion))), level))
    # What leaves unprotected is bounded by nothing, and so is the whole.
    caption = message("The protected columns together") if any(tell.public) else message("The whole release")
    yield from tell.grid(caption, "What|Level", (*rows, *_spent(tell)))
    if tell.protects_persons:
        yield tell.say(
            "What all protected columns guarantee together, and the budget, are for {unit}; the levels of a single "
            "column are those of one row.",
            unit=tell.unit_of_protection,
        )
    if rows or tell.has("release.json", "claims"):
        yield from tell.unprotected()
        if tell.is_coarsened:
            yield tell.note(
                "Coarser values and the suppression of small groups add nothing to ε and take nothing off it."
            )
    if tell.has("release.json", "budget", "ledger"):
        yield tell.say(
            "Counted in the ledger of {dataset} as entry {entry}.",
            dataset=own(str(tell.get("release.json", "budget", "ledger", "dataset"))),
            entry=tell.number("release.json", "budget", "ledger", "entry"),
        )
    if tell.released and tell.from_this_table:
        template = message(
            "The channel of {columns} was designed from the counts of this table, without a budget for them. The "
            "guarantee is that of the fixed channel; it does not cover what the choice of the channel reveals."
        )
        if len(tell.planned) > 1:
            template = message(
                "The channels of {columns} were designed from the counts of this table, without a budget for them. "
                "The guarantee is that of the fixed channels; it does not cover what the choice of the channels "
                "reveals."
            )
        yield tell.alarm(template, columns=tell.listed(tell.secret))


def _spent(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    """The budget: of the release, and where its design had to be paid of both."""
    say, bought = tell.language.say, tell.has("job.json", "spent", "histogram")
    alone = say("budget spent on the release, ε") if bought else say("budget spent, ε")
    yield from tell.numbers({"epsilon": alone, "rho": say("budget spent, ρ")}, "release.json", "budget")
    if bought:
        both = {
            "histogram": say("budget spent on the noisy histogram of the design, ε"),
            "together": say("budget spent together, ε"),
        }
        yield from tell.numbers(both, "job.json", "spent", unit="nats")
