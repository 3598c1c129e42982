"""The decision: what is recommended and why, for how many people, what to do, what leaves, and who signs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.audit import Foreign
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.verdict import Judgement
from leakgauge.languages import message
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.actions import to_do
from leakgauge.report.sections.attacks import accusations
from leakgauge.report.sections.columns import (
    asked_of,
    by_coarseness,
    keeps_order,
    less_telling_columns,
    protected_columns,
)
from leakgauge.report.sections.dials import (
    deciding,
    dial_rows,
    judged_by,
    other_reasons,
    recommended,
    secret_in,
    told_all,
)
from leakgauge.report.sections.headline import every_secret
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.places import told_places
from leakgauge.report.sections.promises import asked_epsilon, is_in_kit, keeps_guarantee_inside, promises_nothing
from leakgauge.report.sections.teller import ROWS, Cell, Plain, Teller, blank, own
from leakgauge.sentences import Sentence

_MANY_ALONE: Final = 0.05
"""The share of unique rows above which it is an alarm."""
_FIRST: Final = ("dials", "people", "decomposition", "waterfall")
"""The pictures of the decision."""
_SIGNATURES: Final = 2
"""Who prepared the release and who approves it are rarely the same."""


def statement(tell: Teller) -> Iterator[Content]:
    """Everything that the person who signs needs; it is never left out."""
    found = judged_by(tell)
    if tell.released:
        yield from (*_recommended(tell, found), *_alarms(tell), *_people(tell, found), *to_do(tell, found))
    else:
        yield from (*_refused(tell), *_alarms(tell))
    leaves = (Paragraph("warning" if promises_nothing(tell) else "plain", _released(tell)),) if tell.released else ()
    if tell.external:
        shares = (picture for one in tell.each for picture in pictures(one, "shares"))
        yield from (*leaves, *pictures(tell, "guarantee"), *shares, *_document(tell))
        return
    yield from (*_dials(tell, found), *every_secret(tell), *pictures(deciding(tell), *_FIRST))
    yield from (*leaves, *told_places(tell), *_document(tell), *_signatures(tell))


def table_of(tell: Teller) -> Plain:
    """What the table is called; of a release made elsewhere, what that is."""
    if tell.foreign is not None:
        return own(tell.foreign.released)
    job, location = tell.dossier.job, tell.dossier.location
    name = (None if job is None else job.table.name) or (None if location is None else location.table)
    return own(name or tell.language.say("the table"))


def document_number(tell: Teller) -> str:
    """What a document on the release is filed under, from the digest of its record; empty where there is none.

    Who guesses the counts behind the record could confirm the guess by its digest, so that everybody is told that of
    the record that is handed out.
    """
    dossier = tell.dossier
    record = dossier.public_record if tell.external else dossier.record or dossier.audit
    digest = "" if record is None else record.digest
    return f"LG-{digest[:4]}-{digest[4:8]}".upper() if digest else ""


def _recommended(tell: Teller, found: Judgement | None) -> Iterator[Content]:
    if found is not None:
        yield from recommended(tell, found)
    elif tell.dossier.job is not None and not tell.external:
        yield tell.alarm(
            "This release was not judged by dials, because an earlier version made it: run the same protect command "
            "again."
        )


def _people(tell: Teller, found: Judgement | None) -> Iterator[Content]:
    """How many more people are guessed right with the release than without it, where attacks on it counted them."""
    if found is None or found.facts.guessed is None:
        return
    guessed, everybody = found.facts.guessed
    said = Sentence(
        "{people:,} more of {everybody:,} people are guessed right with this release than without it",
        people=guessed,
        everybody=everybody,
    )
    # It may be a reason already.
    if tell.language.retell(said) not in told_all(tell, found.reasons):
        yield tell.say(
            "People: about {guessed} more of {people} are guessed right with this release than without it.",
            guessed=tell.number(found.facts.guessed, 0, count=True),
            people=tell.number(found.facts.guessed, 1, count=True),
        )


def _dials(tell: Teller, found: Judgement | None) -> Iterator[Content]:
    """The dials of the secret that decides; of what was not released, by its law."""
    if found is not None:
        caption = message("The dials, from 0 to 100")
        if not tell.released:
            caption = message("The dials that it would have had by its law, from 0 to 100")
        secret = secret_in(deciding(tell), found)
        if len(found.dials) > 1:
            caption = message("The dials of {secret}, which decides, from 0 to 100")
        rows = dial_rows(tell, found, secret)
        yield from tell.grid(caption, "Dial|Found|In plain words", rows, secret=own(secret))


def _document(tell: Teller) -> Iterator[Content]:
    """Which document this is and what was declared of it; what is missing is to be filled in by hand."""
    say, asked = tell.language.say, asked_of(tell)
    rows: list[tuple[Cell, Cell]] = []
    for declared, what in (
        (asked and asked.purpose, say("purpose")),
        (asked and asked.recipient, say("recipient")),
        (asked and asked.review, say("review date")),
        (asked and asked.prepared_by, say("prepared by")),
    ):
        if declared:
            rows.append((what, own(declared)))
        elif not tell.external:
            rows.append((what, blank(tell)))
    # Everybody may not know when the table was read; what is handed out is known by its record.
    made, number = None if tell.dossier.job is None else tell.dossier.job.finished, document_number(tell)
    if number:
        rows.append((say("document number"), number))
    if made:
        rows.append((say("date"), own(made[:10])))
    yield from tell.grid("The document", "What|As declared", rows)


def _signatures(tell: Teller) -> Iterator[Content]:
    """The decision of whoever signs, with room to write."""
    if tell.released:
        yield tell.say("Decision:  ☐ approve   ☐ approve with conditions   ☐ reject")
        yield tell.say("Conditions: {line}", line=own("_" * 60))
    yield from tell.grid("Signed by", "Name|Role|Date|Signature", [[(), (), (), ()]] * _SIGNATURES)


def _refused(tell: Teller) -> Iterator[Content]:
    job = tell.dossier.job
    yield tell.alarm("Nothing was released of {table}.", table=table_of(tell))
    if job is not None and job.outcome is not None and job.outcome.reason is not None:
        yield Paragraph("warning", (tell.told(job.outcome.reason),))
    spent = tell.maybe(job, "spent", "histogram", unit="nats")
    if spent is not None:
        yield tell.alarm("ε = {spent} was spent on the noisy histogram of the design.", spent=spent)
    if not tell.external:
        yield from _instead(tell)


def _released(tell: Teller) -> Inline:
    if tell.foreign is not None:
        return _made_elsewhere(tell, tell.foreign)
    secret, inside, less = protected_columns(tell), keeps_guarantee_inside(tell), less_telling_columns(tell)
    one, several = (
        message("Of {table}, {rows}, the column {secret} was released with noise that protects it."),
        message("Of {table}, {rows}, the columns {secret} were released with noise that protects them."),
    )
    if inside and is_in_kit(tell, *secret):
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
    elif inside:
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
    elif promises_nothing(tell):
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
    template = several if len(secret) > 1 else one
    rows = tell.number(tell.dossier.record, "rows", unit=ROWS, count=True)
    said = tell.say(template, table=table_of(tell), rows=rows, secret=tell.listed(secret))
    if inside and all(asked_epsilon(one) is None for one in tell.each):
        said += tell.say(" This edition promises no bound on what a row reveals.")
    plain, binned, coarser = by_coarseness(tell)
    if plain:
        said += tell.say(" Released unchanged, and not protected: {public}.", public=tell.listed(plain))
    if binned:
        said += tell.say(" Released in bins, and not protected: {public}.", public=tell.listed(binned))
    if coarser:
        said += tell.say(" Released at a coarser level, and not protected: {public}.", public=tell.listed(coarser))
    if less:
        said += tell.say(
            " Released through a channel that reveals less about the secrets: {public}.",
            public=tell.listed(less),
        )
    below = tell.maybe(tell.dossier.plan, "suppress_below")
    if below is not None:
        said += tell.say(" Public values are left out where groups are smaller than {below}.", below=below)
    if keeps_order(tell):
        said += tell.say(" Rows are in the table's order, which may reveal what their values do not.")
    kept = () if tell.dossier.job is None else tell.dossier.job.withheld
    if kept:
        return said + tell.say(" Not released: {columns}.", columns=tell.listed(kept))
    return said + tell.say(" No other column was released.")


def _made_elsewhere(tell: Teller, foreign: Foreign) -> Inline:
    rows = tell.number(tell.dossier.audit, "rows", unit=ROWS, count=True)
    said = tell.say(
        "{table} was made elsewhere and has no record: its mechanism is unknown, and nothing bounds what a row "
        "reveals.",
        table=table_of(tell),
    )
    if foreign.key is None:
        said += tell.say(" By their order {rows} were matched with the original.", rows=rows)
    else:
        said += tell.say(" By the key {key}, {rows} were matched with the original.", key=own(foreign.key), rows=rows)
    alone = {name: tell.number(foreign, name, unit=ROWS, count=True) for name in ("only_released", "only_original")}
    if any(one.value for one in alone.values()):
        said += tell.say(
            " Left without a match: {only_released} of the release, {only_original} of the original.", **alone
        )
    return said


def _instead(tell: Teller) -> Iterator[Content]:
    """Why nothing was released besides the reason of the job, and what could be done instead."""
    found = judged_by(tell)
    if found is not None and (found.vetoes or found.failed):
        yield from (*other_reasons(tell, found), *to_do(tell, found))
    for one in tell.dossier.secrets:
        # What the search came closest with says the reason.
        for note in () if one.improvement is None else told_all(tell, one.improvement.notes):
            yield Paragraph("note", (note,))
    if any(one.frontier is not None for one in tell.dossier.secrets):
        yield tell.note("What is possible: every point of the curve of least leakage below can be reached.")
    else:
        yield tell.note("What the unchanged table reveals is below; ask for less usefulness or allow more leakage.")


def _alarms(tell: Teller) -> Iterator[Content]:
    """Everything that speaks against the release, each as a loud sentence."""
    record, audit = tell.dossier.record, tell.dossier.audit
    if record is not None and not record.private:
        yield tell.alarm(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )
    if tell.external and audit is not None and audit.violated:
        yield tell.alarm("An audit of the release contradicts its guarantee; do not rely on it.")
    yield from accusations(tell)
    for one in () if tell.foreign is None else tell.foreign.warnings:
        yield Paragraph("warning", (tell.told(one),))
    groups = None if audit is None else audit.anonymity
    if tell.released and groups is not None and groups.unique > _MANY_ALONE * groups.rows:
        yield tell.alarm(
            "{unique} of {rows} are unique in the public columns ({columns}): someone who knows these of a person "
            "finds the row.",
            unique=tell.number(groups, "unique", count=True),
            rows=tell.number(groups, "rows", unit=ROWS, count=True),
            columns=tell.listed(groups.quasi_identifiers),
        )
