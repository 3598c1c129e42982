"""The record of a release and the public record: what was done, what it guarantees and what it cost, with digests.

The public record may be handed out with the release; nothing in it follows from private counts. It is built only from
fields named here, so a new field of a record is left out until somebody decides that it may be handed out. It contains
no digest of the record and no hash of the ledger, which could confirm a guess of the counts.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from leakgauge.artefacts import Origin, PublicRecord, Record, Sentence
from leakgauge.artefacts.codec import decode, require_digest, schema_of, sealed
from leakgauge.artefacts.record import (
    Claims,
    LedgerPlace,
    OrderPlace,
    Output,
    Plan,
    PlannedColumn,
    PublicBudget,
    Released,
    keep_inside,
)
from leakgauge.artefacts.schemas import raised
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.letter_sets import SEPARATOR
from leakgauge.mechanisms.steps import Step
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Label, PriorOrigin
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.bound import BoundColumn, BoundPlan, RecordedPlan
from leakgauge.release.files import shown_values
from leakgauge.release.guarantees import assumptions, budget_of, claims_of, declared_steps, public_steps, together_of
from leakgauge.release.ledger import Entry
from leakgauge.release.letters import places_among
from leakgauge.release.priors import Prior
from leakgauge.release.recorded_plan import CHANNEL, WITHHELD, lacks_letters, names_a_file, public_plan, recorded_plan

LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")
TABLE: Final = "postgresql"
"""The format of a release that is a table; its digest is that of the same rows in a CSV file."""
NEIGHBOURS: Final = Neighbours.REPLACE_ONE.value
"""Which tables are neighbours."""
OF_THE_LEDGER: Final = Sentence("hash of the ledger")

Kind = TypeVar("Kind", bound=Released)


def make_record(
    plan: BoundPlan,
    priors: Mapping[str, Prior],
    extra_steps: tuple[Step, ...],
    *,
    output: Output,
    rows: int,
    reference: str,
    simulation_seed: int | None,
    entry: Entry | None,
    chosen_from_table: bool = False,
    order: OrderPlace | None = None,
) -> Record:
    """The record, sealed; none of its fields is computed from the table's values unless its origin says so.

    ``extra_steps`` were paid for beside the columns.
    """
    planned, chosen = recorded_plan(plan), Origin.TABLE if chosen_from_table else None
    origin = chosen or planned.origin
    claims = {
        one.name: claims_of(planned.columns[one.name], one.mechanism, priors.get(one.name), chosen)
        for one in plan.columns
    }
    steps, declared = (*plan.steps, *extra_steps), declared_steps(plan, extra_steps)
    return sealed(
        Record(
            reference=reference,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            private=simulation_seed is None,
            simulation_seed=simulation_seed,
            keep_inside=keep_inside(planned, claims),
            rows=rows,
            output=output,
            plan=planned,
            unit_of_protection=str(plan.unit),
            neighbours=NEIGHBOURS,
            claims=claims,
            together=together_of(steps, origin, declared),
            budget=budget_of(steps, origin, declared, entry),
            assumptions=tuple(assumptions(planned, claims, simulated=simulation_seed is not None)),
            versions={
                "leakgauge": version("leakgauge"),
                "python": platform.python_version(),
                **{name: version(name) for name in LIBRARIES},
            },
            order=order,
        )
    )


def file_digest(path: Path) -> str:
    """SHA-256 of a file; of a folder, over the digests of its files in the order of their names."""
    if path.is_dir():
        # Their names are not part of it: the rows are the same whatever a recipient calls the files.
        each = [file_digest(file) for file in sorted(path.iterdir()) if file.is_file()]
        return hashlib.sha256("\n".join(each).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    return sum(size_of(file) for file in path.iterdir()) if path.is_dir() else path.stat().st_size


def read_record(path: Path | str) -> Record:
    """The record in a file.

    Raises:
        FileError: the file cannot be read or is not a record.
        VerificationError: its digest is not that of its fields, or it has a field that no record has.
    """
    return _whole(Record, parsed_json(Path(path)), Path(path))


def read_any_record(path: Path | str, content: bytes | None = None) -> Record | PublicRecord:
    """The record or public record in a file, of which the bytes may have been read already.

    Errors are those of ``read_record``.
    """
    place = Path(path)
    fields = parsed_json(place, content)
    if fields.get("schema") == schema_of(PublicRecord):
        return _whole(PublicRecord, fields, place)
    return _whole(Record, fields, place)


def _whole(kind: type[Kind], stored: Mapping[str, Any], place: Path) -> Kind:
    fields = raised(kind, stored)
    require_schema(fields, str(schema_of(kind)), place)
    require_digest(stored, place)
    record = decode(kind, fields, place)
    # A record holds its channels itself, and names no file to read them from.
    for name, column in record.plan.columns.items() if kind is Record else ():
        if names_a_file(column):
            raise VerificationError(
                "{path} has neither a channel nor a known mechanism for column {name!r}.", path=place, name=name
            )
    return record


def released_file(record: Released, place: Path) -> Path:
    """The release that a record names, beside the record or below its folder.

    Any other file is refused: a record must not make its reader open arbitrary files.
    """
    name, folder = record.output.file, place.resolve().parent
    try:
        inside = (folder / name).resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        inside = False
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or not inside:
        raise VerificationError(
            "{path} names {found!r} as its release, which is not in the record's folder; put the release beside "
            "its record.",
            path=place,
            found=name,
        )
    return folder / name


def whole_record_error(place: Path, what: str) -> FileError:
    """The error for a record whose fields contradict each other."""
    return FileError("{path} is not a whole record: {what!r} is missing or malformed.", path=place, what=what)


def path_from(record: Path, output: Path) -> str:
    """The path to the release from its record's folder; its name alone where it lies elsewhere.

    A reader opens no file outside that folder because of a record, and need not learn the names of other folders.
    """
    folder, place = record.resolve().parent, output.resolve()
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else output.name


def public_place(output: Path) -> Path:
    """Where the public record of a release lies unless it is told otherwise."""
    return output.with_name(output.name + ".public.json")


def make_public_record(
    record: Record, bound: RecordedPlan, called: str, *, released: Path | None, chosen_from_table: bool = False
) -> PublicRecord:
    """The public record of a release, sealed; the release is called so from where it will lie.

    ``released`` is where it lies now: a channel that names values of the table which it does not show is left out. It
    is None of a release that is not a file.
    """
    form, kept = record.output.format, record.plan.columns
    inside = {
        one.name
        for one in bound.columns
        if kept[one.name].follows_from_counts
        or (kept[one.name].kind == CHANNEL and names_unseen_values(one, released, form))
    }
    plan, mechanisms = public_plan(record.plan, inside, chosen_from_table=chosen_from_table), bound.mechanisms
    claims: dict[str, Claims | None] = {
        name: None
        if chosen_from_table or name in inside
        else _public_claims(column, record.claims[name], mechanisms[name])
        for name, column in plan.columns.items()
    }
    known = {name: claim for name, claim in claims.items() if claim is not None}
    together, budget = None, None
    if all(one.name in known for one in bound.protecting):
        steps, ledger = public_steps(bound, known), record.budget.ledger
        together, spent = together_of(steps, plan.origin), budget_of(steps, plan.origin)
        counted = None if ledger is None else LedgerPlace(ledger.dataset, ledger.entry)
        budget = PublicBudget(spent.epsilon, spent.rho, counted)
    return sealed(
        PublicRecord(
            reference=record.reference,
            created=record.created,
            private=record.private,
            keep_inside=False,
            rows=record.rows,
            output=replace(record.output, file=called),
            plan=plan,
            unit_of_protection=record.unit_of_protection,
            neighbours=NEIGHBOURS,
            claims=claims,
            together=together,
            budget=budget,
            assumptions=tuple(assumptions(plan, claims, simulated=not record.private)),
            left_out=tuple(_left_out(record, plan, claims)),
            versions=record.versions,
        )
    )


def _public_claims(column: PlannedColumn, said: Claims, mechanism: Mechanism) -> Claims:
    if not said.is_private and not lacks_letters(column):
        return said
    computed = claims_of(column, mechanism)
    return computed if said.is_private else replace(computed, prior=said.prior, prior_epsilon=said.prior_epsilon)


def _left_out(record: Record, plan: Plan, claims: Mapping[str, Claims | None]) -> Iterator[Sentence]:
    """The names of fields that only the full record has."""
    yield from lacking(plan, claims, simulated=not record.private)
    for name, column in plan.columns.items():
        claim = claims[name]
        if claim is not None and claim.prior is None and record.claims[name].prior is not None:
            yield _under_a_prior(column)
    if record.budget.ledger is not None:
        yield OF_THE_LEDGER


def lacking(plan: Plan, claims: Mapping[str, Claims | None], *, simulated: bool) -> Iterator[Sentence]:
    """The names of fields that a public record leaves out, as far as the rest of it shows."""
    if simulated:
        yield Sentence("seed of the simulation")
    for name, column in plan.columns.items():
        if column.mechanism == WITHHELD:
            yield Sentence("mechanism of {column!s}", column=column.writes)
        elif lacks_letters(column):
            yield Sentence("letters of {column!s}", column=column.writes)
        elif column.kind == CHANNEL and column.channel is None:
            yield Sentence("channel of {column!s}", column=column.writes)
        if claims[name] is None:
            yield Sentence("claims of {column!s}", column=column.writes)
    if None in claims.values():
        yield from (Sentence("together"), Sentence("budget"))
    for name, one in plan.bins.items():
        if one.level is not None:
            yield Sentence("levels of {column!s}", column=name)
    if plan.suppress_below is not None:
        yield Sentence("number of suppressed rows")
    yield Sentence("digest of the record")


def may_be_lacking(plan: Plan) -> tuple[Sentence, ...]:
    """The names of fields that a public record may leave out without a trace."""
    return (OF_THE_LEDGER, *map(_under_a_prior, plan.columns.values()))


def _under_a_prior(column: PlannedColumn) -> Sentence:
    return Sentence("claims of {column!s} under a prior", column=column.writes)


def names_unseen_values(column: BoundColumn, release: Path | None, extension: str) -> bool:
    """Whether the mechanism of a column names values of the table that the release never shows.

    A noisy histogram pays for the counts, and not for which values occur. Of a release that is not a file, and of a
    channel of several columns, it is not looked up: their values count as not shown.
    """
    bought = column.channel is not None and column.channel.prior_origin is PriorOrigin.NOISY_HISTOGRAM
    if not (column.letters_from_table or bought):
        return False
    if release is None or column.reads != column.writes or len(column.writes) > 1:
        return True
    shown = shown_values(release, extension, column.writes[0])
    letters: tuple[Label, ...] = tuple(column.mechanism.letters or ())
    if column.mechanism.sets is not None:
        parts: dict[Label, None] = {text: None for one in shown for text in str(one or "").split(SEPARATOR)}
        letters, shown = column.mechanism.sets.letter_texts, list(parts)
    return not set(range(len(letters))) <= set(places_among(letters, shown).tolist())
