"""The record of a release: what was done, what it guarantees, what it cost, and digests to check all of it."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeVar

import msgspec

from leakgauge.artefacts import ChannelFile, Level, Origin, PublicRecord, Quantity, Record, Sentence
from leakgauge.artefacts.codec import decode, require_digest, schema_of, sealed
from leakgauge.artefacts.record import (
    Budget,
    Claims,
    LearntEdges,
    LedgerEntry,
    Output,
    Plan,
    PlannedColumn,
    RecordedBins,
    Released,
    Together,
    keep_inside,
)
from leakgauge.artefacts.schemas import raised
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.errors import FileError, OptionError, VerificationError
from leakgauge.mechanisms import CATALOGUE, Mechanism, spelled
from leakgauge.mechanisms.steps import Claimed, Step
from leakgauge.notions import Circumstances, relate_channel, relate_statements
from leakgauge.notions.composition import compose
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.bound import BoundColumn, BoundPlan, RecordedPlan
from leakgauge.release.ledger import ONE_ROW, Cost, Entry
from leakgauge.release.priors import Prior
from leakgauge.tables import Binning, Learnt, parse_binning, spelled_binning

DELTA = 1e-6
"""The δ at which a record says what all columns together guarantee."""
_LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")
UNIT_OF_PROTECTION: Final = ONE_ROW
NEIGHBOURS: Final = "replace-one"
"""What a released table protects, and which tables are neighbours."""
THIS_TABLE = PriorOrigin.THIS_TABLE.value
DECLARED = "declared"
"""Where letters come from: the table, or the plan."""
_OF_A_TABLE = {"central-identifiability", "central-mutual-information"}
"""Notions of a whole table; a record speaks of one row."""
_PURE = ("local-dp", "dp")
"""Notions whose level is the budget however many letters there are; others meet it with two letters alone."""
_CLOSE = 1e-9
"""Numbers this close, relatively, show nothing of what makes them differ."""

Kind = TypeVar("Kind", Record, PublicRecord)
Number = TypeVar("Number", bound=Quantity)


def make_record(
    plan: BoundPlan,
    priors: Mapping[str, Prior],
    extra_steps: tuple[Step, ...],
    *,
    output: Path,
    drawn: Path,
    record: Path,
    rows: int,
    reference: str,
    simulation_seed: int | None,
    entry: Entry | None,
    chosen_from_table: bool = False,
) -> Record:
    """The record, sealed; none of its fields is computed from the table's values unless its origin says so.

    Args:
        plan: by which the release was made.
        priors: of claims that need one, by column.
        extra_steps: what was paid for beside the columns.
        output: where the release will lie.
        drawn: where it lies now.
        record: where the record will lie.
        rows: how many.
        reference: the name of the release in the ledger.
        simulation_seed: of a simulation.
        entry: of the ledger.
        chosen_from_table: whether which mechanisms these are tells of the table's counts.
    """
    planned = recorded_plan(plan)
    origin = Origin.TABLE if chosen_from_table else planned.origin
    claims = {
        one.name: claims_of(
            planned.columns[one.name],
            one.mechanism,
            priors.get(one.name),
            Origin.TABLE if chosen_from_table else None,
        )
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
            output=Output(
                path_from(record, output),
                output.suffix.lower().lstrip("."),
                plan.order,
                drawn.stat().st_size,
                file_digest(drawn),
            ),
            plan=planned,
            unit_of_protection=UNIT_OF_PROTECTION,
            neighbours=NEIGHBOURS,
            claims=claims,
            together=together_of(steps, origin, declared),
            budget=budget_of(steps, origin, declared, entry),
            assumptions=tuple(assumptions(planned, claims, simulated=simulation_seed is not None)),
            versions={
                "leakgauge": version("leakgauge"),
                "python": platform.python_version(),
                **{name: version(name) for name in _LIBRARIES},
            },
        )
    )


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_record(path: Path | str) -> Record:
    """The record in a file.

    Raises:
        FileError: the file cannot be read or is not a record.
        VerificationError: its digest is not that of its fields, or it has a field that no record has.
    """
    return _whole(Record, parsed_json(Path(path)), Path(path))


def read_any_record(path: Path | str) -> Record | PublicRecord:
    """The record or public record in a file; errors as of ``read_record``."""
    fields = parsed_json(Path(path))
    if fields.get("schema") == schema_of(PublicRecord):
        return _whole(PublicRecord, fields, Path(path))
    return _whole(Record, fields, Path(path))


def _whole(kind: type[Kind], stored: Mapping[str, Any], place: Path) -> Kind:
    fields = raised(kind, stored)
    require_schema(fields, str(schema_of(kind)), place)
    require_digest(stored, place)
    record = decode(kind, fields, place)
    if isinstance(record, Record):
        _require_channels(record, place)
    return record


def released_file(record: Released, place: Path) -> Path:
    """The release that the record at a place names, which lies beside the record or below its folder.

    Raises:
        VerificationError: the record names any other file; whoever checks a record does not open files for it.
    """
    name = record.output.file
    folder = place.resolve().parent
    try:
        inside = (folder / name).resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        inside = False
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or not inside:
        raise VerificationError(
            "{path} names {found!r} as its release, which does not lie beside the record or below its folder.",
            path=place,
            found=name,
        )
    return folder / name


def whole_record_error(place: Path, what: str) -> FileError:
    """What to raise where fields of a record contradict each other so that it cannot be checked."""
    return FileError("{path} is not a whole record: {what!r} is missing or malformed.", path=place, what=what)


def path_from(record: Path, output: Path) -> str:
    """The path to the release from its record's folder; its name alone where it lies elsewhere.

    A reader opens no file outside that folder on a record's word, and need not know how other folders are called.
    """
    folder, place = record.resolve().parent, output.resolve()
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else output.name


def _require_channels(record: Record, place: Path) -> None:
    """Refuse a mechanism that is a file: a record holds its channels itself, and names no file to read them from."""
    for name, column in record.plan.columns.items():
        if column.channel is None and (column.kind == "channel" or column.kind not in CATALOGUE):
            raise VerificationError(
                "{path} has neither a channel nor a known mechanism for column {name!r}.", path=place, name=name
            )


def recorded_plan(plan: RecordedPlan) -> Plan:
    """The plan with everything needed to compute its claims again."""
    return Plan(
        public=plan.public,
        bins={name: _recorded_bins(how) for name, how in plan.bins.items()},
        columns={one.name: _planned_column(one) for one in plan.columns},
    )


def binnings(plan: Plan) -> dict[str, Binning]:
    """How the columns of a record's plan are binned; edges that were learnt from the table are those of the record."""
    return {name: parse_binning(one.binning) for name, one in plan.bins.items()}


def _recorded_bins(binning: Binning) -> RecordedBins:
    learnt = isinstance(binning, Learnt) and LearntEdges(spelled_binning(binning.quantiles), binning.merged)
    return RecordedBins(spelled_binning(binning), learnt or None)


def _planned_column(one: BoundColumn) -> PlannedColumn:
    channel, parameters = one.channel, one.mechanism.parameters
    epsilon = parameters.get("epsilon")
    return PlannedColumn(
        mechanism=spelled(one.mechanism),
        epsilon=epsilon if isinstance(epsilon, int | float) else None,
        reads=one.reads,
        writes=one.writes,
        letters=None if "letters" not in parameters else THIS_TABLE if one.letters_from_table else DECLARED,
        channel_prior=None if channel is None else channel.prior_origin,
        channel=None if channel is None else ChannelFile.of(channel),
    )


def claims_of(
    column: PlannedColumn, mechanism: Mechanism, prior: Prior | None = None, origin: Origin | None = None
) -> Claims:
    """What a mechanism guarantees one row, in every notion: exact where its channel is known, else implied.

    Args:
        column: of the plan, which says where the guarantee comes from.
        mechanism: of the column.
        prior: for levels that need one.
        origin: where the guarantee comes from, if not from where the column says.
    """
    channel, origin = mechanism.channel(), origin or column.origin
    if channel is None:
        prior = None
        levels = implied_levels(mechanism.claims, origin, Circumstances(values=mechanism.capabilities.values))
    elif prior is None:
        levels = {name: level.stored(origin) for name, level in relate_channel(channel).levels.items()}
    else:
        whatever, under = relate_channel(channel).levels, origin_under(prior.origin, origin)
        levels = {
            name: level.stored(origin if name in whatever else under)
            for name, level in relate_channel(channel, prior.distribution).levels.items()
        }
    if column.letters == THIS_TABLE:
        declared = implied_levels(mechanism.claims, origin)
        levels = {
            name: as_declared(level, declared.get(name) if name in _PURE else None) for name, level in levels.items()
        }
    return Claims(
        prior=None if prior is None else prior.origin,
        prior_epsilon=None if prior is None else prior.epsilon,
        exact=channel is not None,
        levels=levels,
    )


def origin_under(prior: PriorOrigin, origin: Origin) -> Origin:
    """Where a level under a prior comes from, given where the mechanism does."""
    if prior.keep_inside:
        return Origin.TABLE
    bought = prior is PriorOrigin.NOISY_HISTOGRAM and origin is Origin.DECLARED
    return Origin.ACCOUNTED if bought else origin


def as_declared(found: Number, declared: Quantity | None) -> Number:
    """A number that letters of the table may show in: from the table, unless it follows from the budget alone.

    It is then the budget's own number: how many letters there are shows in the last digits of the other.
    """
    if declared is not None and math.isclose(found.value, declared.value, rel_tol=_CLOSE):
        return msgspec.structs.replace(found, value=declared.value)
    return msgspec.structs.replace(found, origin=Origin.TABLE)


def implied_levels(
    statements: Iterable[Statement], origin: Origin, known: Circumstances | None = None
) -> dict[str, Level]:
    """What statements imply of one row, in every notion."""
    return {
        name: Level.stated(statement, origin)
        for name, statement in relate_statements(statements, known).items()
        if statement is not None and name not in _OF_A_TABLE
    }


def declared_steps(plan: RecordedPlan, extra_steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """What is spent by the budgets alone, whatever letters are taken from the table; None where none are."""
    if not any(one.letters_from_table for one in plan.columns):
        return None
    columns = zip(plan.columns, plan.steps, strict=True)
    return (
        *(Claimed(one.mechanism.claims[0]) if one.letters_from_table else step for one, step in columns),
        *extra_steps,
    )


def together_of(
    steps: tuple[Step, ...], origin: Origin, declared: tuple[Step, ...] | None = None
) -> dict[str, Together]:
    """What all columns of one row guarantee together, at δ = 0 and at a small one."""
    found = {}
    for delta in (0.0, DELTA):
        try:
            whole = compose(steps, delta)
        except OptionError:
            continue
        statement = CentralDP(whole.epsilon) if delta == 0 else ApproximateDP(whole.epsilon, delta)
        found[statement.name] = Together(
            value=statement.level,
            unit=statement.unit,
            origin=origin,
            delta=delta or None,
            method=str(whole.method),
        )
    if declared is None:
        return found
    known = together_of(declared, origin)
    return {name: as_declared(level, known.get(name) if name in _PURE else None) for name, level in found.items()}


def budget_of(
    steps: tuple[Step, ...],
    origin: Origin,
    declared: tuple[Step, ...] | None = None,
    entry: Entry | None = None,
) -> Budget:
    """What was spent, and the ledger's entry where there is one."""
    cost = Cost(steps)
    place = None if entry is None else LedgerEntry(entry.dataset, entry.sequence, entry.hash)
    epsilon, rho = (Quantity(value, "nats", origin=origin) for value in (cost.epsilon, cost.rho))
    if declared is None:
        return Budget(epsilon, rho, place)
    known = budget_of(declared, origin)
    return Budget(as_declared(epsilon, known.epsilon), as_declared(rho, None), place)


def said_of_bins(plan: Plan) -> list[Sentence]:
    """Which columns of a record's plan are in bins, and what was learnt from the table for that."""
    learnt = {name: one.learnt for name, one in plan.bins.items() if one.learnt is not None}
    merged = tuple(name for name, one in learnt.items() if one.merged)
    said = []
    if plan.bins:
        said.append(Sentence("In bins, which are what is released and counted: {columns!s}.", columns=tuple(plan.bins)))
    if learnt:
        said.append(
            Sentence(
                "The edges of the bins of {columns!s} were learnt from this table and rounded; they are not protected.",
                columns=tuple(learnt),
            )
        )
    if merged:
        said.append(
            Sentence(
                "There are fewer bins of {columns!s} than asked for: edges coincided and were merged.", columns=merged
            )
        )
    return said


def assumptions(plan: Plan, claims: Mapping[str, Claims | None], *, simulated: bool) -> Iterator[Sentence]:
    """What must hold for the claims to hold, from the plan and the claims of a record."""
    yield Sentence(
        "Neighbouring tables differ in the values of one row; the number of rows and their order are public."
    )
    yield Sentence("The names and types of the columns are public.")
    if set(plan.public).intersection(plan.bins):
        yield Sentence("Columns named as public are released as they are, or in their bins, and are not protected.")
    else:
        yield Sentence("Columns named as public are released as they are and are not protected.")
    yield from said_of_bins(plan)
    columns = plan.columns.values()
    own = _written(column for column in columns if column.letters == THIS_TABLE)
    if own:
        yield Sentence(
            "The letters of {columns!s} were taken from this table; which values occur is not protected.", columns=own
        )
    own = _written(column for column in columns if column.channel_prior is PriorOrigin.THIS_TABLE)
    if own:
        yield Sentence(
            "The channels of {columns!s} were designed from this table; their ε holds for the fixed channel only.",
            columns=own,
        )
    others = _written(column for column in columns if column.channel_prior is PriorOrigin.ANOTHER_TABLE)
    if others:
        yield Sentence(
            "The channels of {columns!s} were designed from another table; their ε holds for the fixed channel only.",
            columns=others,
        )
    priors = {claim.prior for claim in claims.values() if claim is not None}
    if PriorOrigin.THIS_TABLE in priors:
        yield Sentence("Levels under a prior of this table are as private as the table; keep this record inside.")
    if PriorOrigin.ANOTHER_TABLE in priors:
        yield Sentence("Levels under a prior of another table are as private as that table; keep this record inside.")
    telling = [column for column in columns if column.follows_from_counts]
    known = _written(column for column in telling if column.channel_prior is not None)
    if known:
        yield Sentence(
            "Keep this record inside: from the channels of {columns!s} the exact counts of the table can be computed; "
            "hand out the public record.",
            columns=known,
        )
    unknown = _written(column for column in telling if column.channel_prior is None)
    if unknown:
        yield Sentence(
            "Keep this record inside: the channels of {columns!s} do not say from which counts they were designed; "
            "hand out the public record.",
            columns=unknown,
        )
    if simulated:
        yield Sentence(
            "This is a simulation: its noise follows from a seed, so it protects nobody and is not a release."
        )


def _written(columns: Iterable[PlannedColumn]) -> tuple[str, ...]:
    return tuple(name for column in columns for name in column.writes)
