"""The mechanism of each protected column and its exact guarantee in every notion."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content, Grid, Inline, Part
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Own, Teller, spelled, warning

_NOTIONS = {
    "identifiability": message("identifiability"),
    "local-dp": message("local differential privacy, ε"),
    "dp": message("differential privacy, ε"),
    "approximate-dp": message("approximate differential privacy, ε"),
    "renyi-dp": message("Rényi differential privacy"),
    "zcdp": message("zero-concentrated differential privacy, ρ"),
    "gaussian-dp": message("Gaussian differential privacy, μ"),
    "mutual-information": message("mutual-information privacy"),
    "mutual-information-dp": message("mutual-information differential privacy"),
    "maximal-leakage": message("maximal leakage"),
    "min-entropy-leakage": message("min-entropy leakage"),
    "sibson-leakage": message("Sibson leakage"),
    "alpha-leakage": message("α-leakage"),
    "metric-privacy": message("metric privacy"),
}


def guarantee(tell: Teller) -> Iterator[Content]:
    """What is guaranteed, where something was released or designed."""
    yield from (*_columns(tell), *_under_prior(tell), *_together(tell), *_designed(tell))
    yield from pictures(tell, "channel", "levels")


def notion_of(tell: Teller, notion: str) -> str:
    """What a notion is called."""
    return tell.language.say(_NOTIONS[notion]) if notion in _NOTIONS else notion


def _columns(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    for column in facts.names("release.json", "plan", "columns"):
        yield _mechanism(tell, column)
        levels = facts.names("release.json", "claims", column, "levels")
        if not levels:
            continue
        shows = any(facts.has("release.json", "claims", column, "levels", notion, "witness") for notion in levels)
        head = [say("Notion"), say("Level"), say("Parameter")] + ([say("Reached by")] if shows else [])
        rows = tuple(_level(tell, ("release.json", "claims", column, "levels", notion), shows) for notion in levels)
        exact = facts.get("release.json", "claims", column, "exact")
        caption = (
            say("What one row of {column} is guaranteed, exactly", column=tell.written(column))
            if exact
            else say(
                "What one row of {column} is guaranteed, as implied by the mechanism's claims",
                column=tell.written(column),
            )
        )
        yield Grid(caption, tuple(head), rows)


def _mechanism(tell: Teller, column: str) -> Inline:
    mechanism = tell.facts.get("release.json", "plan", "columns", column, "mechanism")
    if mechanism is None:
        return tell.say(
            "{column} was released through a random mechanism. Its settings may follow from private counts, and its "
            "exact levels would tell of these counts: they are in the internal edition only.",
            column=Own(column),
        )
    if mechanism == "channel":
        return tell.say(
            "{column} was released through a designed channel: for each true value a released value is drawn with "
            "fixed probabilities.",
            column=tell.written(column),
        )
    return tell.say(
        "{column} was released by {mechanism}.", column=tell.written(column), mechanism=Own(spelled(mechanism))
    )


def _under_prior(tell: Teller) -> Iterator[Content]:
    """Levels that depend on how frequent the values are."""
    facts, say = tell.facts, tell.language.say
    claims = (facts.get("release.json", "claims") or {}).values()
    known = {notion for claim in claims for notion in claim.get("levels") or {}}
    levels = [notion for notion in facts.names("levels.json", "levels") if notion not in known]
    if levels:
        head = (say("Notion"), say("Level"), say("Parameter"))
        rows = tuple(_level(tell, ("levels.json", "levels", notion), shows=False) for notion in levels)
        yield Grid(say("What depends on how frequent the values are, with the shares of this table"), head, rows)


def _level(tell: Teller, place: tuple[str, ...], shows: bool) -> tuple[Inline, ...]:
    facts = tell.facts
    said = notion_of(tell, place[-1])
    parameters: list[Part] = []
    for name, symbol in (("order", "α = "), ("delta", "δ = ")):
        if facts.has(*place, name):
            parameters += [symbol, facts.number(*place, name)]
    row: tuple[Inline, ...] = ((said,), (facts.number(*place),), tuple(parameters) or NOTHING)
    return (*row, _witness(tell, place)) if shows else row


def _witness(tell: Teller, place: tuple[str, ...]) -> Inline:
    """The values that reach a level."""
    file, *path = place
    inputs = tell.facts.names(file, *path, "witness", "inputs")
    output = tell.facts.get(file, *path, "witness", "output")
    if not inputs:
        return NOTHING
    return (" / ".join(inputs),) if output is None else (" / ".join(inputs), " → ", str(output))


def _together(tell: Teller) -> Iterator[Content]:
    facts, say = tell.facts, tell.language.say
    rows: list[tuple[Inline, Inline]] = []
    for notion in facts.names("release.json", "together"):
        said = notion_of(tell, notion)
        cell: Inline = (facts.number("release.json", "together", notion),)
        if facts.has("release.json", "together", notion, "delta"):
            cell = tell.say(
                "{level}, δ = {delta}", level=cell, delta=facts.number("release.json", "together", notion, "delta")
            )
        rows.append(((say("all columns together: {notion}", notion=Own(said)),), cell))
    rows += _spent(tell)
    if rows:
        yield Grid(say("The whole release"), (say("What"), say("Level")), tuple(rows))
    if facts.has("release.json", "budget", "ledger"):
        yield tell.say(
            "Counted in the ledger of {dataset} as entry {entry}.",
            dataset=Own(str(facts.get("release.json", "budget", "ledger", "dataset"))),
            entry=facts.number("release.json", "budget", "ledger", "entry"),
        )
    if tell.released and tell.from_this_table:
        yield warning(
            tell.say(
                "The channel of {columns} was designed from the counts of this table, without a budget for them. The "
                "guarantee is that of the fixed channel; what the choice of the channel tells is not in it.",
                columns=tell.listed(tell.secret),
            )
        )


def _spent(tell: Teller) -> Iterator[tuple[Inline, Inline]]:
    """The budget: of the release, and where its design had to be paid of both."""
    facts, say = tell.facts, tell.language.say
    bought = facts.has("job.json", "spent", "histogram")
    alone = say("budget spent on the release, ε") if bought else say("budget spent, ε")
    yield from tell.numbers({"epsilon": alone, "rho": say("budget spent, ρ")}, "release.json", "budget")
    if bought:
        both = {
            "histogram": say("budget spent on the noisy histogram of the design, ε"),
            "together": say("budget spent together, ε"),
        }
        yield from tell.numbers(both, "job.json", "spent", unit="nats")


def _designed(tell: Teller) -> Iterator[Content]:
    if not tell.facts.has("design.json", "gap"):
        return
    yield tell.say(
        "The channel is the least leaking one for its distortion of {distortion}: proved to lie within {gap} of "
        "the optimum.",
        distortion=tell.facts.number("design.json", "distortion", "value"),
        gap=tell.facts.number("design.json", "gap", digits=2),
    )
