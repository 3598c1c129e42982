"""A release that was written, would be, or was computed again: its columns, its guarantee and budget, its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from leakgauge.artefacts.quantity import Level
from leakgauge.artefacts.record import Check, Preview, Record
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.languages import message
from leakgauge.release import Release, Verification
from leakgauge.release.bound import BoundPlan
from leakgauge.release.guarantees import assumptions, said_of_formulas, said_of_order
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.signatures import signature_place
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Content, Number
from leakgauge.telling.budget import spent
from leakgauge.telling.guarantee import notion_of
from leakgauge.telling.voice import AS_DECLARED, NOTHING, ROWS, Cell, Plain, Voice, own

_HEADLINES = ("local-dp", "dp", "approximate-dp", "zcdp")


def release(voice: Voice, made: Release) -> Iterator[Content]:
    """The columns of a release, what it spent, its files, and what its guarantee rests on."""
    record = made.record
    yield voice.say("{file}: {rows}", file=own(made.output.name), rows=voice.number(made.rows, unit=ROWS, count=True))
    rows = (
        (
            _written_as(voice, column.reads, column.writes),
            own(column.kind),
            _headline(voice, record.claims[name].levels)
            if record.private
            else voice.language.say("none: a simulation"),
        )
        for name, column in record.plan.columns.items()
    )
    yield from _columns(voice, message("How each column was released"), rows, record.plan.public)
    if record.private:
        yield spent(voice, record.budget)
    yield voice.say(
        "Record: {record} (digest {digest}…).", record=own(str(made.record_file)), digest=own(made.digest[:16])
    )
    if record.private:
        handed = [made.output, made.public_record_file]
        handed += [] if made.signature is None else [signature_place(made.public_record_file)]
        yield voice.say("To hand out: {files}.", files=voice.listed(path.name for path in handed))
    if made.signature is not None:
        yield voice.say("Signature: {signature}", signature=own(str(made.signature)))
    yield from points(voice, record.assumptions)
    yield from suppressed_rows(voice, record)
    yield from points(voice, said_of_order(record.plan))
    for sentence in said_of_formulas(record.output):
        yield Paragraph("caution", (voice.told(sentence),))
    if not record.private:
        yield simulation(voice)


def preview(voice: Voice, planned: Preview, bound: BoundPlan, cost: Cost) -> Iterator[Content]:
    """The columns that would be released, the cost, and whether a ledger would admit it."""
    rows = (
        (_written_as(voice, one.reads, one.writes), own(one.mechanism.name), own(str(one.mechanism.claims[0])))
        for one in bound.columns
    )
    yield from _columns(voice, message("What would be released"), rows, bound.public)
    epsilon, rho = (voice.number(level, unit="nats") for level in (float(cost.epsilon), float(cost.rho)))
    yield voice.say("Cost: ε {epsilon}, ρ {rho}.", epsilon=epsilon, rho=rho)
    if planned.budget.allowed is not None:
        admitted = message("The ledger would admit it.")
        yield voice.say(admitted if planned.budget.allowed else message("The ledger would refuse it."))
    rests_on = (*assumptions(planned.plan, planned.claims, simulated=False), *said_of_order(planned.plan))
    yield from points(voice, rests_on)
    yield voice.say("Nothing was released or written, and no budget was used.")


def suppressed_rows(voice: Voice, record: Record) -> Iterator[Content]:
    """The number of rows whose public values were suppressed, where suppression was asked for."""
    if record.plan.suppressed is not None:
        yield voice.say(
            "Public values of {count} of {rows} rows are suppressed.",
            count=voice.number(record.plan, "suppressed", count=True),
            rows=voice.number(record, "rows", count=True),
        )


def simulation(voice: Voice) -> Paragraph[Number]:
    """The warning on everything drawn from a seed."""
    return voice.alarm("SIMULATION, NOT PRIVATE: the noise follows from a seed. Do not release this.")


def points(voice: Voice, sentences: Iterable[Sentence]) -> Iterator[Content]:
    """Sentences as a list, where there are any."""
    items = tuple((voice.told(one),) for one in sentences)
    if items:
        yield Points(numbered=False, items=items)


def _columns(voice: Voice, title: str, rows: Iterable[tuple[Cell, ...]], public: Sequence[str]) -> Iterator[Content]:
    say = voice.language.say
    unchanged = ((own(name), say("public"), say("none")) for name in public)
    yield from voice.grid(title, "Column|Mechanism|Guarantee for one row", (*rows, *unchanged))


def _written_as(voice: Voice, reads: Sequence[str], writes: Sequence[str]) -> Plain:
    """Every column that a mechanism writes, and the columns it reads where their names differ."""
    written = voice.listed(writes)
    return written if set(writes) <= set(reads) else Plain(f"{voice.listed(reads)} → {written}")


def _headline(voice: Voice, levels: Mapping[str, Level]) -> Cell:
    for notion in _HEADLINES:
        if notion in levels:
            level = levels[notion]
            shown, delta = voice.number(level), voice.maybe(level, "delta", digits=AS_DECLARED)
            name = Plain(notion_of(voice, notion))
            if delta is None:
                return voice.say("{notion} {level}", notion=name, level=shown)
            return voice.say("{notion} {level}, δ {delta}", notion=name, level=shown, delta=delta)
    return ""


def verification(voice: Voice, verified: Verification, record: str, signature: Path | None = None) -> Iterator[Content]:
    """The checks of a record by the name of its file, and what they show where they hold, or who signed it for them."""
    yield from voice.grid(
        "{record}, computed again", "Check|Result|Why", outcomes(voice, verified.checks), record=own(record)
    )
    if is_simulation(verified):
        yield voice.alarm("SIMULATION, NOT PRIVATE: the noise follows from a seed.")
    if signature is not None:
        yield voice.say("Signature: {signature}", signature=own(str(signature)))
    elif verified.holds:
        yield (voice.told(verified.shows),)


def is_simulation(verified: Verification) -> bool:
    """Whether the record is of a simulation, which protects nobody."""
    return verified.record is not None and not verified.record.private


def outcomes(voice: Voice, checks: Iterable[Check]) -> Iterator[tuple[Cell, ...]]:
    """Of each check its name, its outcome, and why."""
    say = voice.language.say
    words = {True: say("passed"), False: say("FAILED"), None: say("not checked")}
    for one in checks:
        # A reason may name the place of a file, which everybody may not know: its column is left out.
        why = () if voice.external else (voice.told(one.reason) if str(one.reason) else NOTHING,)
        yield voice.told(one.name), words[one.holds], *why


def passed(voice: Voice, checks: Sequence[Check]) -> Iterator[Content]:
    """The checks that passed in one line, and a line with its reason for each that did not."""
    fine = [voice.told(one.name) for one in checks if one.holds]
    items = []
    if fine:
        names = Plain(voice.language.say(", ").join(fine))
        items.append(voice.say("{number} passed: {names}", number=Plain(str(len(fine))), names=names))
    with_reason = message("{check!s}: {outcome!s} ({why!s})")
    for name, outcome, *why in outcomes(voice, [one for one in checks if not one.holds]):
        template = with_reason if why and why[0] != NOTHING else message("{check!s}: {outcome!s}")
        items.append(voice.say(template, check=name, outcome=outcome, why=next(iter(why), "")))
    if items:
        yield voice.say("Integrity checks of the release record:")
        yield Points(numbered=False, items=tuple(items))
