"""The decision: what is recommended and why, for how many people, what to do, what leaves, and who signs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.audit import Foreign
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.release.guarantees import said_of_formulas
from leakgauge.telling.actions import instead, to_do
from leakgauge.telling.alternatives import alternatives
from leakgauge.telling.attacks import accusations
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.columns import asked_of, by_coarseness, keeps_order, less_telling_columns, protected_columns
from leakgauge.telling.for_recipients import for_recipients
from leakgauge.telling.headline import every_secret
from leakgauge.telling.pictures import pictures
from leakgauge.telling.places import told_places
from leakgauge.telling.promises import asked_epsilon, is_in_kit, keeps_guarantee_inside, promises_nothing
from leakgauge.telling.risks import risk_in_people, risks, unchecked
from leakgauge.telling.scores import deciding, judged_by, other_reasons, recommended, scores, secret_in, told_all, worth
from leakgauge.telling.survey import published
from leakgauge.telling.voice import ROWS, Cell, Plain, Voice, blank, own

_MANY_ALONE: Final = 0.05
"""The share of unique rows above which it is an alarm."""
_SIGNATURES: Final = 2
"""Who prepared the release and who approves it are rarely the same."""


def statement(voice: Voice) -> Iterator[Content]:
    """Everything that the person who signs needs; it is never left out."""
    found = judged_by(voice)
    yield from decision(voice)
    leaves = (Paragraph("warning" if promises_nothing(voice) else "plain", _released(voice)),) if voice.released else ()
    if voice.external:
        if not voice.stamped:
            yield from for_recipients(voice)
        elif voice.released:
            yield voice.alarm("This release is not approved: do not use it, and do not pass it on.")
        shares = (picture for one in voice.each for picture in pictures(one, "shares"))
        yield from (*leaves, *pictures(voice, "guarantee"), *shares, *_document(voice))
        return
    if found is not None:
        lead = deciding(voice)
        secret = secret_in(lead, found)
        yield from (*risks(voice, found), *unchecked(voice, found))
        yield from (*scores(voice, found, secret), *worth(voice, found, secret))
    yield from every_secret(voice)
    if found is not None:
        yield from alternatives(voice, found)
    yield from pictures(deciding(voice), "people")
    yield from (*leaves, *told_places(voice), *_document(voice))
    yield from _signature(voice)


def _signature(voice: Voice) -> Iterator[Content]:
    """Room for the decision of whoever signs; what must not leave offers none."""
    if not voice.released:
        yield voice.note("Nothing was released, so there is nothing to sign.")
        return
    if voice.dossier.record is not None and not voice.dossier.record.private:
        yield voice.note("A simulation is not a release, so there is nothing to sign.")
        return
    if voice.dossier.is_refused:
        yield voice.note(
            "Not approved, so there is nothing to sign: keep the release and its records private. No kit was written "
            "for recipients."
        )
        return
    if voice.stamped:
        yield voice.note(
            "Not approved, so there is nothing to sign. Whoever accepts other limits states them in a policy file and "
            "has the release assessed by it: leakgauge assess … --policy FILE."
        )
        return
    yield voice.say("Decision:  ☐ approve   ☐ approve with conditions   ☐ reject")
    yield voice.say("Conditions: {line}", line=own("_" * 60))
    yield from voice.grid("Signed by", "Name|Position|Date|Signature", [[(), (), (), ()]] * _SIGNATURES)


def stamp(voice: Voice) -> Iterator[Content]:
    """That it must not be taken for approved, where there are no pages that could say so."""
    if voice.dossier.is_advised_against:
        yield voice.alarm("NOT APPROVED")


def decision(voice: Voice) -> Iterator[Content]:
    """What is recommended, what speaks against it, for how many people, and what to do."""
    found = judged_by(voice)
    if voice.released:
        if found is not None:
            yield from recommended(voice, found)
        elif voice.dossier.job is not None and not voice.external:
            yield voice.alarm(
                "This release has no scores, because an earlier version made it: run the same protect command again."
            )
        yield from _alarms(voice)
        if found is not None:
            yield from (*risk_in_people(voice, found), *to_do(voice, found, voice.dossier.job))
    else:
        yield from (*_refused(voice), *_alarms(voice))


def table_of(voice: Voice) -> Plain:
    """What the table is called; of a release made elsewhere, what that is."""
    if voice.foreign is not None:
        return own(voice.foreign.released)
    job, location = voice.dossier.job, voice.dossier.location
    name = (None if job is None else job.table.name) or (None if location is None else location.table)
    return own(name or voice.language.say("the table"))


def document_number(voice: Voice) -> str:
    """What a document on the release is filed under, from the digest of its record; empty where there is none.

    Who guesses the counts behind the record could confirm the guess by its digest, so that everybody is told that of
    the record that is handed out.
    """
    dossier = voice.dossier
    record = dossier.public_record if voice.external else dossier.record or dossier.audit
    digest = "" if record is None else record.digest
    return f"LG-{digest[:4]}-{digest[4:8]}".upper() if digest else ""


def cautions(voice: Voice) -> Iterator[Content]:
    """What whoever opens the release should know, and what was published all the same."""
    record, job = voice.dossier.record, voice.dossier.job
    if not voice.released:
        return
    if voice.dossier.survey is not None:
        yield from published(voice, voice.dossier.survey)
    if job is not None and job.asked.accept_unique:
        named = voice.listed(job.asked.accept_unique)
        yield voice.alarm("Published although they identify people: {columns}.", columns=named)
    for said in () if record is None else said_of_formulas(record.output):
        yield Paragraph("warning", (voice.told(said),))


def _document(voice: Voice) -> Iterator[Content]:
    """Which document this is and what was declared of it; what is missing is to be filled in by hand."""
    say, asked = voice.language.say, asked_of(voice)
    rows: list[tuple[Cell, Cell]] = []
    for declared, what in (
        (asked and asked.purpose, say("purpose")),
        (asked and asked.recipient, say("recipient")),
        (asked and asked.review, say("review date")),
        (asked and asked.prepared_by, say("prepared by")),
        # What recipients are told stands on a page of their own.
        *(() if voice.external else ((asked and asked.contact, say("contact")), (asked and asked.terms, say("terms")))),
    ):
        if declared:
            rows.append((what, own(declared)))
        elif not voice.external:
            rows.append((what, blank(voice)))
    # Everybody may not know when the table was read; what is handed out is known by its record.
    made, number = None if voice.dossier.job is None else voice.dossier.job.finished, document_number(voice)
    if number:
        rows.append((say("document number"), number))
    if made:
        rows.append((say("date"), own(made[:10])))
    yield from voice.grid("The document", "What|Entry", rows)


def _refused(voice: Voice) -> Iterator[Content]:
    job = voice.dossier.job
    yield voice.alarm("Nothing was released from {table}.", table=table_of(voice))
    if job is not None and job.outcome is not None and job.outcome.reason is not None:
        yield Paragraph("warning", (voice.told(job.outcome.reason),))
    spent = voice.maybe(job, "spent", "histogram", unit="nats")
    if spent is not None:
        yield voice.alarm("ε = {spent} was used for the noisy histogram of the design.", spent=spent)
    if not voice.external:
        yield from _instead(voice)


def _released(voice: Voice) -> Inline:
    if voice.foreign is not None:
        return made_elsewhere(voice, voice.foreign)
    secret, inside, less = protected_columns(voice), keeps_guarantee_inside(voice), less_telling_columns(voice)
    one, several = (
        message("From {table} ({rows}), the column {secret} was released with noise that protects it."),
        message("From {table} ({rows}), the columns {secret} were released with noise that protects them."),
    )
    if inside and is_in_kit(voice, *secret):
        one, several = (
            message(
                "From {table} ({rows}), the column {secret} was released with random noise. Its exact "
                "probabilities are in the recipient's kit, not in this edition."
            ),
            message(
                "From {table} ({rows}), the columns {secret} were released with random noise. Their exact "
                "probabilities are in the recipient's kit, not in this edition."
            ),
        )
    elif inside:
        one, several = (
            message(
                "From {table} ({rows}), the column {secret} was released with random noise. Its settings may "
                "have been tuned on private counts, so its exact guarantee is not in this edition."
            ),
            message(
                "From {table} ({rows}), the columns {secret} were released with random noise. Their settings "
                "may have been tuned on private counts, so their exact guarantees are not in this edition."
            ),
        )
    elif promises_nothing(voice):
        one, several = (
            message(
                "From {table} ({rows}), the column {secret} was released without any guarantee: nothing limits "
                "what a row reveals."
            ),
            message(
                "From {table} ({rows}), the columns {secret} were released without any guarantee: nothing "
                "limits what a row reveals."
            ),
        )
    template = several if len(secret) > 1 else one
    rows = voice.number(voice.dossier.record, "rows", unit=ROWS, count=True)
    said = voice.say(template, table=table_of(voice), rows=rows, secret=voice.listed(secret))
    if inside and all(asked_epsilon(one) is None for one in voice.each):
        said += voice.say(" This edition states no numerical privacy guarantee.")
    plain, binned, coarser = by_coarseness(voice)
    if plain:
        said += voice.say(" Released unchanged, and not protected: {public}.", public=voice.listed(plain))
    if binned:
        said += voice.say(" Released in bins, and not protected: {public}.", public=voice.listed(binned))
    if coarser:
        said += voice.say(" Released at a coarser level, and not protected: {public}.", public=voice.listed(coarser))
    if less:
        said += voice.say(
            " Released through a channel that reveals less about the secrets: {public}.", public=voice.listed(less)
        )
    below = voice.maybe(voice.dossier.plan, "suppress_below")
    if below is not None:
        said += voice.say(" Public values are left out where groups are smaller than {below}.", below=below)
    if keeps_order(voice):
        said += voice.say(" Rows are in the table's order, which may reveal what their values do not.")
    kept = () if voice.dossier.job is None else voice.dossier.job.withheld
    if kept:
        return said + voice.say(" Not released: {columns}.", columns=voice.listed(kept))
    return said + voice.say(" No other column was released.")


def made_elsewhere(voice: Voice, foreign: Foreign) -> Inline:
    """How the rows of a release without a record were matched to the original."""
    rows = voice.number(voice.dossier.audit, "rows", unit=ROWS, count=True)
    said = voice.say(
        "{table} was made elsewhere and has no record: its mechanism is unknown, and nothing limits what a "
        "row reveals.",
        table=table_of(voice),
    )
    if foreign.key is None:
        said += voice.say(" By their order {rows} were matched with the original.", rows=rows)
    else:
        said += voice.say(" By the key {key}, {rows} were matched with the original.", key=own(foreign.key), rows=rows)
    alone = {name: voice.number(foreign, name, unit=ROWS, count=True) for name in ("only_released", "only_original")}
    if any(one.value for one in alone.values()):
        said += voice.say(
            " Left without a match: {only_released} of the release, {only_original} of the original.", **alone
        )
    return said


def _instead(voice: Voice) -> Iterator[Content]:
    """Why nothing was released besides the reason of the job, and what could be done instead."""
    found = judged_by(voice)
    job, has_actions = voice.dossier.job, found is not None and bool(found.actions)
    if found is not None and (found.vetoes or found.failed):
        yield from other_reasons(voice, found)
    if found is not None and has_actions:
        yield from to_do(voice, found, job)
    elif job is not None:
        yield from instead(voice, job)
    for one in voice.dossier.secrets:
        # What the search came closest with says the reason.
        for note in () if one.improvement is None else told_all(voice, one.improvement.notes):
            yield Paragraph("note", (note,))
    if any(one.frontier is not None for one in voice.dossier.secrets):
        yield voice.note("Any trade-off on the curve of least leakage below can be achieved.")
    else:
        yield voice.note(
            "What the unchanged table reveals is shown below; require less usefulness or allow more leakage."
        )


def _alarms(voice: Voice) -> Iterator[Content]:
    """Everything that speaks against the release, each as a loud sentence."""
    record, audit = voice.dossier.record, voice.dossier.audit
    if record is not None and not record.private:
        yield voice.alarm(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )
    if voice.external and audit is not None and audit.violated:
        yield voice.alarm("An audit of the release contradicts its guarantee; do not rely on it.")
    yield from accusations(voice)
    for one in () if voice.foreign is None else voice.foreign.warnings:
        yield Paragraph("warning", (voice.told(one),))
    groups = None if audit is None else audit.anonymity
    if voice.released and groups is not None and groups.unique > _MANY_ALONE * groups.rows:
        yield voice.alarm(
            "{unique} of {rows} are unique in the public columns ({columns}): anyone who knows these values "
            "of a person finds their row.",
            unique=voice.number(groups, "unique", count=True),
            rows=voice.number(groups, "rows", unit=ROWS, count=True),
            columns=voice.listed(groups.quasi_identifiers),
        )
