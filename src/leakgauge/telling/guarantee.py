"""The mechanism of each protected column and its exact guarantee in every notion."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING

from leakgauge.artefacts.quantity import Level
from leakgauge.artefacts.record import PlannedColumn
from leakgauge.languages import message
from leakgauge.probability import PriorOrigin
from leakgauge.telling.blocks import Content, Inline, unprinted
from leakgauge.telling.columns import (
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
from leakgauge.telling.figures.levels import NOTIONS
from leakgauge.telling.pictures import pictures
from leakgauge.telling.promises import is_in_kit, protects_persons, unit_of_protection, unprotected
from leakgauge.telling.voice import NOTHING, Cell, Voice, own, spelled

_NOTIONS = NOTIONS | {
    "local-dp": message("local differential privacy, ε"),
    "dp": message("differential privacy, ε"),
    "approximate-dp": message("approximate differential privacy, ε"),
    "renyi-dp": message("Rényi differential privacy"),
    "sibson-leakage": message("Sibson leakage"),
    "alpha-leakage": message("α-leakage"),
}
"""What notions are called beside their parameters."""


def guarantee(voice: Voice) -> Iterator[Content]:
    """What is guaranteed, where something was released or designed."""
    if voice.foreign is not None:
        yield voice.alarm("The mechanism is unknown, so nothing is guaranteed.")
    yield from _columns(voice)
    for one in voice.each:
        yield from _under_prior(one)
    yield from _together(voice)
    for one in voice.each:
        yield from (*designed(one), *(() if is_withheld(one) else pictures(one, "channel")))


def designed(voice: Voice) -> Iterator[Content]:
    """What the designed channel of a secret keeps, and what that costs."""
    design = voice.results.design
    if design is not None:
        template = message(
            "The channel leaks least for its distortion of {distortion}: it is proven to be within {gap} of "
            "the optimum."
        )
        if voice.group:
            template = message(
                "The channel of {secret} leaks least for its distortion of {distortion}: it is proven to be "
                "within {gap} of the optimum."
            )
        yield voice.say(
            template,
            distortion=voice.number(design.distortion, "value"),
            gap=voice.number(design, "gap", digits=2, rounding=ROUND_CEILING),
            secret=voice.listed(voice.group),
        )
        if design.keep == "shares":
            own = message(
                "It leaks least among the channels that release every value as often as it occurs, so that shares "
                "counted in the release are right on average; that costs {price}."
            )
            bought = message(
                "It leaks least among the channels that keep the shares of the noisy histogram; shares counted in the "
                "release are corrected by the channel. That costs {price}."
            )
            yield voice.say(
                own if design.prior is PriorOrigin.THIS_TABLE else bought,
                price=voice.number(design, "price_of_keeping"),
            )
        if kept := kept_associations(voice):
            yield voice.say(
                "It reads {columns} too, and is the least among the channels that release every value as often as it "
                "occurs with each value of {columns}, so that cross-tables with {columns} counted in the release are "
                "right on average; that costs {price}.",
                columns=voice.listed(kept),
                price=voice.number(design, "price_of_keeping"),
            )
            if design.certain is not None and design.certain.value:
                yield voice.alarm(
                    "For {share} of the rows the value is certain to be released unchanged: all rows with the same "
                    "{columns} have the same value.",
                    share=voice.number(design, "certain", digits=2),
                    columns=voice.listed(kept),
                )
            others = [name for name in published_columns(voice) if name not in kept]
            if others:
                yield voice.say(
                    "Cross-tables with {columns} are not kept: the release makes them weaker than they are.",
                    columns=voice.listed(others),
                )


def notion_of(voice: Voice, notion: str) -> str:
    """What a notion is called."""
    return voice.language.say(_NOTIONS[notion]) if notion in _NOTIONS else notion


def _columns(voice: Voice) -> Iterator[Content]:
    record = voice.dossier.record
    claims = {} if record is None else record.claims
    for column, planned in plan_columns(voice).items():
        if planned.unprotected:
            yield voice.say(
                "{column} is public: some of its values are changed so that it reveals less about the "
                "secrets; its own values have no guarantee.",
                column=own(column),
            )
            continue
        yield mechanism(voice, column, planned)
        claim = claims.get(column)
        levels = {} if claim is None else claim.levels
        shows = any(level.witness is not None for level in levels.values())
        rows = [_level(voice, notion, level)[: 4 if shows else 3] for notion, level in levels.items()]
        caption = (
            message("What one row of {column} is guaranteed, exactly")
            if claim is not None and claim.exact
            else message("What one row of {column} is guaranteed, as implied by what the mechanism claims")
        )
        yield from voice.grid(
            caption, "Notion|Level|Parameter|Worst case between", rows, column=written_by(voice, column)
        )


def mechanism(voice: Voice, column: str, planned: PlannedColumn) -> Inline:
    """How a planned column was released."""
    written = written_by(voice, column)
    # Everybody may not know it where it follows from private counts.
    if planned.mechanism is None:
        template = message(
            "{column} was released with random noise. Its settings may have been tuned on private counts, "
            "which its exact guarantee would reveal: it is in the internal edition only."
        )
        if is_in_kit(voice, *(planned.writes or (column,))):
            template = message(
                "{column} was released with random noise. Its settings may have been tuned on private counts "
                "and are not in this edition; its exact probabilities are in the recipient's kit, and the "
                "exact guarantee follows from them."
            )
        return voice.say(template, column=written)
    if planned.mechanism == "channel":
        return voice.say(
            "{column} was released through a designed channel: for each true value, the released "
            "value, which may be the same, is drawn with fixed probabilities.",
            column=written,
        )
    return voice.say("{column} was released by {mechanism}.", column=written, mechanism=own(spelled(planned.mechanism)))


def _under_prior(voice: Voice) -> Iterator[Content]:
    """Levels that depend on how frequent the values are."""
    record = voice.dossier.record
    claims = () if record is None else record.claims.values()
    known = {notion for claim in claims for notion in claim.levels}
    levels = {} if voice.results.levels is None else voice.results.levels.levels
    rows = (_level(voice, notion, level)[:3] for notion, level in levels.items() if notion not in known)
    caption = message("Measures that depend on how common the values are in this table")
    if voice.group:
        caption = message("Measures that depend on how common the values of {secret} are in this table")
    yield from voice.grid(caption, "Notion|Level|Parameter", rows, secret=voice.listed(voice.group))


def _level(voice: Voice, notion: str, level: Level) -> tuple[Cell, ...]:
    """A notion, its level, its parameters and the values that reach it."""
    # A missing value has an empty text.
    missing = voice.language.say(message("(missing)"))
    reached: Cell = NOTHING
    if level.witness is not None and level.witness.inputs:
        inputs, output = " / ".join(one or missing for one in level.witness.inputs), level.witness.output
        reached = inputs if output is None else (inputs, " → ", output or missing)
    shown = voice.number(level, rounding=ROUND_CEILING)
    return notion_of(voice, notion), shown, parameters_of(voice, level) or NOTHING, reached


def parameters_of(voice: Voice, level: Level) -> Inline:
    """The order and the δ of a level; nothing where it has none."""
    symbols = {"order": "α = ", "delta": "δ = "}
    known = {symbol: voice.maybe(level, name) for name, symbol in symbols.items()}
    return tuple(part for symbol, number in known.items() if number is not None for part in (symbol, number))


def _together(voice: Voice) -> Iterator[Content]:
    say, record = voice.language.say, voice.dossier.record
    rows: list[tuple[Cell, Cell]] = []
    for notion, claimed in ({} if record is None else record.together).items():
        level: Cell = voice.number(claimed)
        delta = voice.maybe(claimed, "delta")
        if delta is not None:
            level = voice.say("{level}, δ = {delta}", level=level, delta=delta)
        rows.append((say("all protected columns together: {notion}", notion=own(notion_of(voice, notion))), level))
    # What leaves unprotected is bounded by nothing, and so is the whole.
    caption = message("The protected columns together") if any(by_coarseness(voice)) else message("The whole release")
    levels = voice.grid(caption, "What|Level", (*rows, *_spent(voice)))
    yield from unprinted(levels) if _is_said_of_a_column(voice) else levels
    if protects_persons(voice):
        yield voice.say(
            "The guarantee of all protected columns together, and the budget, are for {unit}; the levels of a single "
            "column are for one row.",
            unit=unit_of_protection(voice),
        )
    if rows or (record is not None and (record.claims or not voice.external)):
        yield from unprotected(voice)
        if is_coarsened(voice):
            yield voice.note(
                "Coarser values and the suppression of small groups add nothing to ε and take nothing off it."
            )
    yield from in_ledger(voice)
    if voice.released and is_from_this_table(voice):
        template = message(
            "The channel of {columns} was designed with this table's counts, which no budget covers. The "
            "guarantee holds for the channel as it is, and does not cover what its choice reveals."
        )
        if len(planned_columns(voice)) > 1:
            template = message(
                "The channels of {columns} were designed with this table's counts, which no budget covers. "
                "The guarantee holds for the channels as they are, and does not cover what their choice "
                "reveals."
            )
        yield voice.alarm(template, columns=voice.listed(protected_columns(voice)))


def _is_said_of_a_column(voice: Voice) -> bool:
    """Whether the one protected column is guaranteed all that the release is, and nothing else was paid for."""
    record, job = voice.dossier.record, voice.dossier.job
    if voice.external or record is None or len(record.claims) != 1 or protects_persons(voice):
        return False
    return record.budget.ledger is None and (job is None or job.spent is None or job.spent.histogram is None)


def in_ledger(voice: Voice) -> Iterator[Inline]:
    """Where the budget of the release was entered, if it was."""
    ledger = None if voice.dossier.record is None else voice.dossier.record.budget.ledger
    if ledger is not None:
        yield voice.say(
            "Entered in the budget ledger of {dataset} as entry {entry}.",
            dataset=own(ledger.dataset),
            entry=voice.number(ledger, "entry"),
        )


def _spent(voice: Voice) -> Iterator[tuple[Cell, Cell]]:
    """The budget: of the release, and where its design had to be paid of both."""
    say, record = voice.language.say, voice.dossier.record
    spent = None if voice.dossier.job is None else voice.dossier.job.spent
    bought = spent is not None and spent.histogram is not None
    alone = say("budget used for the release, ε") if bought else say("budget used, ε")
    yield from voice.numbers({"epsilon": alone, "rho": say("budget used, ρ")}, record and record.budget)
    if bought:
        both = {
            "histogram": say("budget used for the noisy histogram of the design, ε"),
            "together": say("budget used in total, ε"),
        }
        yield from voice.numbers(both, spent, unit="nats")
