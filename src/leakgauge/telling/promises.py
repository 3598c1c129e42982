"""What a release promises: its ε, for whom it holds, and what was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.quantity import Level, Quantity
from leakgauge.artefacts.report import Paragraph
from leakgauge.claims import PRACTICALLY_UNLIMITED
from leakgauge.release.ledger.account import ONE_ROW
from leakgauge.telling.blocks import Inline, Number
from leakgauge.telling.columns import (
    asked_of,
    is_withheld,
    less_telling_columns,
    plan_columns,
    protected_columns,
    published_columns,
    written_by,
)
from leakgauge.telling.voice import AS_DECLARED, Voice


def protects_persons(voice: Voice) -> bool:
    """Whether what all columns guarantee together is for all rows of a person; one column's claims are of a row."""
    return voice.dossier.plan is not None and voice.dossier.plan.unit is not None


def keeps_noise(voice: Voice) -> bool:
    """Whether people whose values stay the same keep the noise of every protected column."""
    plan = voice.dossier.plan
    if plan is None or not plan.kept:
        return False
    return {*plan.kept} == {*plan.columns}


def unit_of_protection(voice: Voice) -> Inline:
    """Whom the guarantee of all columns together is for: one row, or a person with some rows."""
    record = voice.dossier.record
    if not protects_persons(voice):
        return (voice.told((None if record is None else record.unit_of_protection) or ONE_ROW),)
    rows = voice.number(voice.dossier.plan, "rows_per_unit")
    return voice.say("one person with at most {rows} rows", rows=rows)


def keeps_guarantee_inside(voice: Voice) -> bool:
    """Whether what the release promises follows from private counts, so that everybody may not be told."""
    record = voice.dossier.record
    return voice.external and voice.released and (record is None or not record.claims)


def is_in_kit(voice: Voice, *columns: str) -> bool:
    """Whether recipients are handed the channels of all these columns."""
    found = () if voice.dossier.recipients is None else voice.dossier.recipients.columns
    return {*columns} <= {name for one in found if one and one.corrected for name in one.columns}


def epsilon_of(voice: Voice) -> Level | None:
    """The ε of one row, or of a person, in the record: of all columns together, where there are several."""
    record = voice.dossier.record
    if record is None:
        return None
    levels: list[Level | None] = [record.together.get(notion) for notion in ("dp", "approximate-dp")]
    if len(record.claims) <= 1 and not protects_persons(voice):
        notions = ("local-dp", "dp", "approximate-dp")
        levels = [claim.levels.get(notion) for claim in record.claims.values() for notion in notions]
    return next((one for one in levels if one is not None), None)


def epsilon_per_km(voice: Voice) -> Quantity | None:
    """The metric privacy of released places, if they have any: over all reports of a person."""
    found = None if voice.dossier.location is None else voice.dossier.location.epsilon_per_person
    return None if found is None or found.value == float("inf") else found


def promises_nothing(voice: Voice) -> bool:
    """Whether the ε of one row is infinite or as good as that, or nobody says what it is."""
    if voice.foreign is not None:
        return True
    level = epsilon_of(voice)
    return epsilon_per_km(voice) is None and level is not None and level.value >= PRACTICALLY_UNLIMITED


def asked_epsilon(voice: Voice) -> Number | None:
    """The bound on ε that was asked for the secret; every mechanism that is designed or chosen for it keeps it."""
    asked = asked_of(voice)
    if asked is None or not voice.released or is_withheld(voice):
        return None
    own = protected_columns(voice)[:1] if isinstance(asked.local_dp, dict) else ()
    return voice.maybe(asked, "local_dp", *own, unit="nats", digits=AS_DECLARED)


def unprotected(voice: Voice) -> Iterator[Paragraph[Number]]:
    """Of which columns ε is, where others are released as they are or in bins."""
    public = (*published_columns(voice), *less_telling_columns(voice))
    if public:
        yield voice.note(
            "ε covers the protected columns only; released without protection: {columns}.", columns=voice.listed(public)
        )
    plan = voice.dossier.plan
    if plan is not None and plan.kept and plan.rows_per_unit > 1:
        yield voice.note(
            "ε of a person holds given which rows of the person have the same value: with kept noise these are "
            "released alike, which shows it."
        )
    for name, column in plan_columns(voice).items():
        if column.given:
            yield voice.note(
                "The ε of {secret} is conditional on {columns}: it compares two values in rows that agree in "
                "{columns}.",
                secret=written_by(voice, name),
                columns=voice.listed(column.given),
            )
