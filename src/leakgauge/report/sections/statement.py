"""The decision: what is recommended and why, for how many people, what to do, what leaves, and who signs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.actions import to_do
from leakgauge.report.sections.dials import dial_rows, judged_by, other_reasons, recommended, secret_of, told_all
from leakgauge.report.sections.headline import every_secret
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.places import told_places
from leakgauge.report.sections.teller import ROWS, Cell, Teller, own
from leakgauge.sentences import Sentence

_MANY_ALONE: Final = 0.05
"""The share of unique rows above which it is an alarm."""
_FIRST: Final = ("dials", "people", "decomposition", "waterfall")
"""The pictures of the decision."""
_SIGNATURES: Final = 2
"""Who prepared the release and who approves it are rarely the same."""


def statement(tell: Teller) -> Iterator[Content]:
    """Everything that the person who signs needs; it is never left out."""
    file = judged_by(tell)
    if tell.released:
        yield from (*_recommended(tell, file), *_alarms(tell), *_people(tell, file), *to_do(tell, file))
    else:
        yield from (*_refused(tell), *_alarms(tell))
    leaves = (Paragraph("warning" if tell.promises_nothing else "plain", _released(tell)),) if tell.released else ()
    if tell.external:
        shares = (picture for one in tell.each for picture in pictures(one, "shares"))
        yield from (*leaves, *pictures(tell, "guarantee"), *shares, *_document(tell))
        return
    yield from (*_dials(tell, file), *every_secret(tell), *pictures(tell.deciding, *_FIRST))
    yield from (*leaves, *told_places(tell), *_document(tell), *_signatures(tell))


def _recommended(tell: Teller, file: str | None) -> Iterator[Content]:
    if file is not None:
        yield from recommended(tell, file)
    elif tell.has("job.json") and not tell.external:
        yield tell.alarm(
            "This release was not judged by dials, because an earlier version made it: run the same protect command "
            "again."
        )


def _people(tell: Teller, file: str | None) -> Iterator[Content]:
    """How many more people are guessed right with the release than without it, where attacks on it counted them."""
    if file is None or not tell.has(file, "facts", "guessed"):
        return
    place = (file, "facts", "guessed")
    guessed, everybody = tell.items(*place)
    said = Sentence(
        "{people:,} more of {everybody:,} people are guessed right with this release than without it",
        people=guessed,
        everybody=everybody,
    )
    # It may be a reason already.
    if tell.language.retell(said) not in told_all(tell, file, "reasons"):
        yield tell.say(
            "People: about {guessed} more of {people} are guessed right with this release than without it.",
            guessed=tell.number(*place, 0, count=True),
            people=tell.number(*place, 1, count=True),
        )


def _dials(tell: Teller, file: str | None) -> Iterator[Content]:
    """The dials of the secret that decides; of what was not released, by its law."""
    if file is not None:
        caption = message("The dials, from 0 to 100")
        if not tell.released:
            caption = message("The dials that it would have had by its law, from 0 to 100")
        secret = secret_of(tell.deciding, file)
        if len(tell.names(file, "dials")) > 1:
            caption = message("The dials of {secret}, which decides, from 0 to 100")
        rows = dial_rows(tell, file, secret)
        yield from tell.grid(caption, "Dial|Found|In plain words", rows, secret=own(secret))


def _document(tell: Teller) -> Iterator[Content]:
    """Which document this is and what was declared of it; what is missing is to be filled in by hand."""
    say = tell.language.say
    rows: list[tuple[Cell, Cell]] = []
    for key, what in (
        ("purpose", say("purpose")),
        ("recipient", say("recipient")),
        ("review", say("review date")),
        ("prepared_by", say("prepared by")),
    ):
        declared = tell.get("job.json", "asked", key)
        if declared:
            rows.append((what, own(str(declared))))
        elif not tell.external:
            rows.append((what, tell.blank))
    # Everybody may not know when the table was read; what is handed out is known by its record.
    made = tell.get("job.json", "finished")
    if tell.document_number:
        rows.append((say("document number"), tell.document_number))
    if made:
        rows.append((say("date"), own(str(made)[:10])))
    yield from tell.grid("The document", "What|As declared", rows)


def _signatures(tell: Teller) -> Iterator[Content]:
    """The decision of whoever signs, with room to write."""
    if tell.released:
        yield tell.say("Decision:  ☐ approve   ☐ approve with conditions   ☐ reject")
        yield tell.say("Conditions: {line}", line=own("_" * 60))
    yield from tell.grid("Signed by", "Name|Role|Date|Signature", [[(), (), (), ()]] * _SIGNATURES)


def _refused(tell: Teller) -> Iterator[Content]:
    yield tell.alarm("Nothing was released of {table}.", table=tell.table)
    reason = tell.get("job.json", "outcome", "reason")
    if reason:
        yield Paragraph("warning", (tell.told(reason),))
    spent = tell.maybe("job.json", "spent", "histogram", unit="nats")
    if spent is not None:
        yield tell.alarm("ε = {spent} was spent on the noisy histogram of the design.", spent=spent)
    if not tell.external:
        yield from _instead(tell)


def _released(tell: Teller) -> Inline:
    if tell.foreign:
        return _made_elsewhere(tell)
    one, several = (
        message("Of {table}, {rows}, the column {secret} was released with noise that protects it."),
        message("Of {table}, {rows}, the columns {secret} were released with noise that protects them."),
    )
    if tell.keeps_guarantee_inside and tell.is_in_kit(*tell.secret):
        one, several = (
            message(
                "Of {table}, {rows}, the column {secret} was released through a random mechanism. Its exact levels are "
                "not in this edition; they follow from its channel, which is in the recipient's kit."
            ),
            message(
                "Of {table}, {rows}, the columns {secret} were released through random mechanisms. Their exact levels "
                "are not in this edition; they follow from their channels, which are in the recipient's kit."
            ),
        )
    elif tell.keeps_guarantee_inside:
        one, several = (
            message(
                "Of {table}, {rows}, the column {secret} was released through a random mechanism. Its settings may "
                "follow from private counts, so its exact levels are not in this edition."
            ),
            message(
                "Of {table}, {rows}, the columns {secret} were released through random mechanisms. Their settings may "
                "follow from private counts, so their exact levels are not in this edition."
            ),
        )
    elif tell.promises_nothing:
        one, several = (
            message(
                "Of {table}, {rows}, the column {secret} was released without any guarantee: nothing bounds what a "
                "row reveals."
            ),
            message(
                "Of {table}, {rows}, the columns {secret} were released without any guarantee: nothing bounds what a "
                "row reveals."
            ),
        )
    template = several if len(tell.secret) > 1 else one
    rows = tell.number("release.json", "rows", unit=ROWS, count=True)
    said = tell.say(template, table=tell.table, rows=rows, secret=tell.listed(tell.secret))
    if tell.keeps_guarantee_inside and all(one.asked_epsilon is None for one in tell.each):
        said += tell.say(" This edition promises no bound on what a row reveals.")
    plain, binned, coarser = tell.public
    if plain:
        said += tell.say(" Released unchanged, and not protected: {public}.", public=tell.listed(plain))
    if binned:
        said += tell.say(" Released in bins, and not protected: {public}.", public=tell.listed(binned))
    if coarser:
        said += tell.say(" Released at a coarser level, and not protected: {public}.", public=tell.listed(coarser))
    if tell.telling_less:
        said += tell.say(
            " Released through a channel that reveals less about the secrets: {public}.",
            public=tell.listed(tell.telling_less),
        )
    below = tell.maybe("release.json", "plan", "suppress_below")
    if below is not None:
        said += tell.say(" Public values are left out where groups are smaller than {below}.", below=below)
    if tell.keeps_order:
        said += tell.say(" Rows are in the table's order, which may reveal what their values do not.")
    kept = tell.names("job.json", "withheld")
    if kept:
        return said + tell.say(" Not released: {columns}.", columns=tell.listed(kept))
    return said + tell.say(" No other column was released.")


def _made_elsewhere(tell: Teller) -> Inline:
    place = ("audit.json", "foreign")
    key = tell.get(*place, "key")
    rows = tell.number("audit.json", "rows", unit=ROWS, count=True)
    said = tell.say(
        "{table} was made elsewhere and has no record: its mechanism is unknown, and nothing bounds what a row "
        "reveals.",
        table=tell.table,
    )
    if key is None:
        said += tell.say(" By their order {rows} were matched with the original.", rows=rows)
    else:
        said += tell.say(" By the key {key}, {rows} were matched with the original.", key=own(str(key)), rows=rows)
    alone = {name: tell.number(*place, name, unit=ROWS, count=True) for name in ("only_released", "only_original")}
    if any(one.value for one in alone.values()):
        said += tell.say(
            " Left without a match: {only_released} of the release, {only_original} of the original.", **alone
        )
    return said


def _instead(tell: Teller) -> Iterator[Content]:
    """Why nothing was released besides the reason of the job, and what could be done instead."""
    file = judged_by(tell)
    if file is not None and (tell.items(file, "vetoes") or tell.items(file, "failed")):
        yield from (*other_reasons(tell, file), *to_do(tell, file))
    for one in tell.each:
        # What the search came closest with says the reason.
        for note in told_all(one, "improvement.json", "notes"):
            yield Paragraph("note", (note,))
    found = [one for one in tell.each if one.has("frontier.json")]
    yield from dict.fromkeys(map(_possible, found or tell.each[:1]))


def _possible(tell: Teller) -> Content:
    """What could be done instead of a release."""
    if tell.has("frontier.json"):
        return tell.note("What is possible: every point of the curve of least leakage below can be reached.")
    return tell.note("What the unchanged table reveals is below; ask for less usefulness or allow more leakage.")


def _alarms(tell: Teller) -> Iterator[Content]:
    """Everything that speaks against the release, each as a loud sentence."""
    if tell.get("release.json", "private") is False:
        yield tell.alarm(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )
    if tell.external and tell.get("audit.json", "violated"):
        yield tell.alarm("An audit of the release contradicts its guarantee; do not rely on it.")
    yield from tell.accusations()
    for one in tell.items("audit.json", "foreign", "warnings"):
        yield Paragraph("warning", (tell.told(one),))
    rows, unique = (tell.get("audit.json", "anonymity", name) or 0 for name in ("rows", "unique"))
    if tell.released and unique > _MANY_ALONE * rows:
        yield tell.alarm(
            "{unique} of {rows} are unique in the public columns ({columns}): someone who knows these of a person "
            "finds the row.",
            unique=tell.number("audit.json", "anonymity", "unique", count=True),
            rows=tell.number("audit.json", "anonymity", "rows", unit=ROWS, count=True),
            columns=tell.listed(tell.names("audit.json", "anonymity", "quasi_identifiers")),
        )
