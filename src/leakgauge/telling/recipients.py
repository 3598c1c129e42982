"""What recipients can compute from the release, and what would let them compute more."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.estimates import Estimable, ReadAs, Recipients
from leakgauge.artefacts.report import Code
from leakgauge.languages import message
from leakgauge.release.estimates.handed_out import CHOSEN
from leakgauge.release.estimates.kit import INSIDE
from leakgauge.telling.blocks import Content
from leakgauge.telling.columns import less_telling_columns
from leakgauge.telling.voice import NOTHING, Cell, Voice, own

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
            "original table. The recipient's kit, which comes with a release that may be handed out, "
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
            yield _nothing(voice, one)
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


def _nothing(voice: Voice, one: Estimable) -> Content:
    """That a column cannot be read; why, may tell of its mechanism."""
    columns = voice.listed(one.columns)
    if one.reason is None:
        return voice.alarm("Nothing can be estimated from {columns}.", columns=columns)
    reason = voice.told(one.reason)
    return voice.alarm("Nothing can be estimated from {columns}: {reason}.", columns=columns, reason=reason)


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
        yield Code("\n".join(found.commands))
