"""What recipients can compute from the release, and what would let them compute more."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.estimates import Estimable, ReadAs, Recipients
from leakgauge.artefacts.report import Code
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.teller import NOTHING, Cell, Teller

_READ_AS = {
    ReadAs.COUNTED: message("released values counted"),
    ReadAs.CORRECTED: message("corrected for the channel"),
    ReadAs.MEAN: message("mean of noisy numbers"),
}


def recipients(tell: Teller) -> Iterator[Content]:
    """How each protected column is read, and how many rows of the table the release is worth for it."""
    found = tell.dossier.recipients
    if not tell.released or found is None or not found.columns:
        return
    yield from tell.grid(
        "Protected columns",
        "Column|Read as|Worth, of the rows|Worth in rows|Cross-tables",
        [_row(tell, one) for one in found.columns],
    )
    read_as = {one.read_as for one in found.columns}
    if ReadAs.COUNTED in read_as:
        yield tell.say(
            "A column whose released values are counted has each value as often as the table, up to chance. That is "
            "worth at least half the rows, whatever the mechanism."
        )
    if read_as != {None}:
        yield tell.say(
            "A release is worth as many rows as a sample of the table itself whose estimates have the same error. The "
            "recipient's kit, which comes with a release that may be handed out, says how to compute them, with "
            "intervals."
        )
    for one in found.columns:
        if one.blank:
            yield tell.say(
                "{blank} of {rows} cells of {columns} are blank: the mechanism draws at random which rows release a "
                "value.",
                blank=tell.number(one, "blank", count=True),
                rows=tell.number(tell.dossier.record, "rows", count=True),
                columns=tell.listed(one.columns),
            )
        if one.read_as is None:
            yield _nothing(tell, one)
        elif one.confused:
            yield tell.alarm(
                "The channel of {columns} does not distinguish {confused} of its values, so nobody can say how often "
                "each occurs.",
                columns=tell.listed(one.columns),
                confused=tell.number(one, "confused"),
            )
    yield from _commands(tell, found)


def _nothing(tell: Teller, one: Estimable) -> Content:
    """That a column cannot be read; why, may tell of its mechanism."""
    columns = tell.listed(one.columns)
    if one.reason is None:
        return tell.alarm("Nothing can be estimated from {columns}.", columns=columns)
    reason = tell.told(one.reason)
    return tell.alarm("Nothing can be estimated from {columns}: {reason}.", columns=columns, reason=reason)


def _row(tell: Teller, one: Estimable) -> tuple[Cell, ...]:
    if one.read_as is None:
        return tell.listed(one.columns), *[NOTHING] * 4
    worth, rows = (_known(tell, one, name) for name in ("worth", "rows"))
    tables = tell.say("with every published column") if one.corrected else (NOTHING,)
    if one.keeps_with and not one.corrected:
        tables = tell.say("with {columns}", columns=tell.listed(one.keeps_with))
    return tell.listed(one.columns), tell.told(_READ_AS[one.read_as]), worth, rows, tables


def _known(tell: Teller, one: Estimable, name: str) -> Cell:
    """What the release is worth; where that follows from private counts, what it is at least."""
    exact, least = (tell.maybe(one, field, percent=name == "worth") for field in (name, f"least_{name}"))
    return exact or (NOTHING if least is None else tell.say("at least {least}", least=least))


def _commands(tell: Teller, found: Recipients) -> Iterator[Content]:
    if found.commands and not tell.external:
        yield tell.say(
            "Cross-tables need the channels, which are kept private because they follow from private counts. Channels "
            "designed from a noisy histogram, bought for ε = {epsilon}, go into the kit:",
            epsilon=tell.number(found, "epsilon"),
        )
        yield Code("\n".join(found.commands))
