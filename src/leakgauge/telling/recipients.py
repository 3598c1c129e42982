"""What recipients can compute from the release, and what they did compute, corrected for its channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.estimates import (
    Contrasted,
    ContrastKind,
    Estimable,
    Estimated,
    EstimatedCell,
    Estimates,
    ReadAs,
    Recipients,
)
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.release.estimates.handed_out import CHOSEN
from leakgauge.release.estimates.kit import INSIDE
from leakgauge.telling.blocks import Content, Inline, commands
from leakgauge.telling.columns import less_telling_columns
from leakgauge.telling.voice import AS_DECLARED, NOTHING, Cell, Plain, Voice, own

_READ_AS = {
    ReadAs.COUNTED: message("count the released values"),
    ReadAs.CORRECTED: message("correct for the noise"),
    ReadAs.MEAN: message("mean of noisy numbers"),
}


def recipients(voice: Voice, *, short: bool = False) -> Iterator[Content]:
    """How each protected column is read, and how many rows the release is worth for it; explained unless short."""
    found = voice.dossier.recipients
    if not voice.released or found is None or not found.columns:
        return
    yield from voice.grid(
        "Protected columns",
        "Column|Read as|As precise as this share of the rows|As precise as this many rows|Cross-tables",
        [_row(voice, one) for one in found.columns],
    )
    read_as = {one.read_as for one in found.columns}
    if ReadAs.COUNTED in read_as and not short:
        yield voice.say(
            "In a column whose released values are counted, each value is as frequent as in the table, apart "
            "from chance. Its shares are as precise as from at least half the rows, whatever the mechanism."
        )
    if read_as != {None} and not short:
        yield voice.say(
            "Estimates from this release are as precise as from a random sample of this many rows of the "
            "original table. The recipient's kit, which comes with a release that may be passed on, "
            "explains how to compute them, with intervals."
        )
    through = less_telling_columns(voice)
    for one in found.columns:
        if one.blank:
            yield voice.say(
                "{blank} of {rows} cells of {columns} are blank: the mechanism chooses at random which rows "
                "release a value.",
                blank=voice.number(one, "blank", count=True),
                rows=voice.number(voice.dossier.record, "rows", count=True),
                columns=voice.listed(one.columns),
            )
        if one.read_as is None:
            # Why, may tell of its mechanism.
            template = message("Nothing can be estimated from {columns}: {reason}.")
            if one.reason is None:
                template = message("Nothing can be estimated from {columns}.")
            reason = "" if one.reason is None else voice.told(one.reason)
            yield voice.alarm(template, columns=voice.listed(one.columns), reason=reason)
            # The channel of a public column is never handed out: it reveals how the column and the secrets are related.
            if one.reason in (INSIDE, CHOSEN) and not voice.external and not {*one.columns} & {*through}:
                yield voice.say("--publish-shares puts the channel into the kit, if the table's shares may be known.")
        elif one.confused:
            yield voice.alarm(
                "The channel of {columns} does not distinguish {confused} of its values, so their "
                "frequencies cannot be estimated.",
                columns=voice.listed(one.columns),
                confused=voice.number(one, "confused"),
            )
    yield from _commands(voice, found)


def _row(voice: Voice, one: Estimable) -> tuple[Cell, ...]:
    if one.read_as is None:
        return voice.listed(one.columns), *[NOTHING] * 4
    worth, rows = (_known(voice, one, name) for name in ("worth", "rows"))
    tables = voice.say("with every published column") if one.corrected else (NOTHING,)
    if one.keeps_with and not one.corrected:
        tables = voice.say("with {columns}", columns=voice.listed(one.keeps_with))
    return voice.listed(one.columns), voice.told(_READ_AS[one.read_as]), worth, rows, tables


def _known(voice: Voice, one: Estimable, name: str) -> Cell:
    """What the release is worth; where that follows from private counts, what it is at least."""
    exact, least = (voice.maybe(one, field, percent=name == "worth") for field in (name, f"least_{name}"))
    return exact or (NOTHING if least is None else voice.say("at least {least}", least=least))


def _commands(voice: Voice, found: Recipients) -> Iterator[Content]:
    if found.commands and not voice.external:
        yield voice.say(
            "Cross-tables need the channels, which are kept private because they follow from private counts. Channels "
            "designed from a noisy histogram, at a cost of ε = {epsilon}, go into the kit; each of its counts is off "
            "by about {off} rows:",
            epsilon=voice.number(found, "epsilon"),
            off=own(f"{2 * 2**0.5 / found.epsilon.value:.2g}" if found.epsilon else NOTHING),
        )
        yield commands(*found.commands)


SHOWN: Final = 60
"""Numbers of one answer that are shown; the JSON has them all."""


def estimates(voice: Voice, recipient: Estimates) -> Iterator[Content]:
    """A table for each answer, and what the intervals are."""
    for answer in recipient.estimates:
        yield from _estimated(voice, answer)
    for contrast in recipient.contrasts:
        yield _contrasted(voice, contrast)
    told = (
        *(cell.estimate for one in recipient.estimates for cell in one.cells),
        *(one.estimate for one in recipient.contrasts),
    )
    confidence = next(iter(told))
    yield voice.say(
        "Each interval, taken by itself, contains the true value with {confidence} confidence, for the table and for "
        "the population that its rows are drawn from.",
        confidence=voice.number(confidence.confidence or 0.0, percent=True, digits=AS_DECLARED),
    )
    for note in recipient.notes:
        yield Paragraph("caution", (voice.told(note),))


def _estimated(voice: Voice, answer: Estimated) -> Iterator[Content]:
    mean, change = answer.kind == "mean", answer.kind == "change"
    named = map(own, answer.by if mean else (*answer.by, answer.column))
    number = message("Mean") if mean else message("Change in percentage points") if change else message("Share")
    heads: tuple[str | Plain, ...] = (*named, number)
    reconciled = any(one.raw is not None for one in answer.cells)
    heads += (message("Corrected by itself"),) if reconciled else ()
    rows = [_estimate_row(voice, one, mean, voice.language.say("(missing)")) for one in answer.cells[:SHOWN]]
    rows += [_estimate_row(voice, one, mean, voice.language.say("(any other value)")) for one in answer.unseen[:SHOWN]]
    title = (
        message("Change in the shares of {column}")
        if change
        else {
            (True, True): message("Mean of {column} by {by}"),
            (True, False): message("Mean of {column}"),
            (False, True): message("Shares of {column} by {by}"),
            (False, False): message("Shares of {column}"),
        }[mean, bool(answer.by)]
    )
    yield from voice.grid(title, heads, rows, column=own(answer.column), by=voice.listed(answer.by))
    if len(answer.cells) > SHOWN:
        more = voice.number(len(answer.cells) - SHOWN)
        yield voice.note("… and {more} more, all of them with --json.", more=more)
    if reconciled:
        yield voice.note(
            "Shares were made to agree with those of all rows. Beside each is what it is without that, with an "
            "interval of its own; it may leave 0% to 100%."
        )
    method, rows_released = answer.method.value, voice.number(answer, "rows")
    if answer.effective_rows is None:
        yield voice.say("Method: {method}; {rows} released rows.", method=method, rows=rows_released)
    else:
        yield voice.say(
            "Method: {method}; {rows} released rows are as precise as {worth} rows of the table itself.",
            method=method,
            rows=rows_released,
            worth=voice.number(answer.effective_rows, "value", count=True),
        )


def _estimate_row(voice: Voice, cell: EstimatedCell, mean: bool, unnamed: str) -> tuple[Cell, ...]:
    missing = voice.language.say("(missing)")
    group = (missing if one is None else own(one) for one in cell.group)
    value = () if mean else (unnamed if cell.value is None else own(cell.value),)
    estimate = cell.estimate
    raw = () if cell.raw is None else (voice.number(cell.raw, "value", interval=cell.raw, percent=True),)
    return *group, *value, voice.number(estimate, "value", interval=estimate, percent=not mean), *raw


_CONTRASTS = {
    ContrastKind.DIFFERENCE: message("Difference of {what} between {groups}: {number}."),
    ContrastKind.RATIO: message("Ratio of {what} between {groups}: {number}."),
    ContrastKind.ODDS_RATIO: message("Odds ratio of {what} between {groups}: {number}."),
    ContrastKind.WEIGHTED: message("Contrast of {what} between {groups}: {number}."),
}


def _contrasted(voice: Voice, one: Contrasted) -> Inline:
    """What is compared, in the order in which it was named, with its interval; the method behind it."""
    weighted = one.kind is ContrastKind.WEIGHTED
    groups = (
        f"{one.by}={group}" + (f" × {weight:g}" if weighted else "")
        for group, weight in zip(one.groups, one.weights, strict=True)
    )
    what = [one.column] if not one.values else [f"{one.column}={value}" for value in one.values]
    return voice.say(
        _CONTRASTS[one.kind],
        what=voice.listed(what),
        groups=voice.listed(groups),
        number=voice.number(one.estimate, "value", interval=one.estimate, percent=one.estimate.unit == "share"),
    )
