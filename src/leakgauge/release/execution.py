"""A release, step by step: check, reserve disk space, spend, draw, write, record, complete the ledger entry.

The order makes a kill harmless. The budget is spent, on disk, before the first random bit is drawn; the record has its
name before the release has its; so a release without a spend or without a record cannot be found, and what is cut short
counts as spent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import structs

from leakgauge import notebook
from leakgauge.artefacts import PublicRecord, Record
from leakgauge.artefacts.codec import text_of
from leakgauge.artefacts.record import OrderPlace
from leakgauge.drafts import Draft, DraftFolder, draft, exists, require_writable, scratch, target
from leakgauge.errors import FileError, OptionError, TableError, UncertainError
from leakgauge.notions.composition import Neighbours
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from leakgauge.randomness.keyed import KEY_BYTES, NoiseKey
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.bound import BoundPlan, bind
from leakgauge.release.destinations import FileDestination, Named, TableDestination, destination, require_held
from leakgauge.release.drawing import Source, drawn_rows, order_file, order_place, row_order, writing_on_workers
from leakgauge.release.files import Formulas, plain, tables_of, write_batches
from leakgauge.release.kept import KeptNoise, kept_costs, with_noise
from leakgauge.release.ledger import Entry, Ledger
from leakgauge.release.ledger.account import LONGEST_TEXT, require_account
from leakgauge.release.ledger.admission import Verdict
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.plan import ReleasePlan
from leakgauge.release.priors import GivenPrior, WantedPriors, bits_told
from leakgauge.release.record import TABLE, make_public_record, make_record, public_place, read_record, released_file
from leakgauge.release.signatures import forget_signature, private_key, require_no_signature, sign_record
from leakgauge.release.sizes import largest_record, largest_release, largest_scratch
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import Table
from leakgauge.waiting import told_while_waiting

if TYPE_CHECKING:
    import pyarrow as pa

REHEARSED = 64
"""Rows of the rehearsal before the spend."""


class Stage(StrEnum):
    """The stages of a release, reported as they are reached."""

    CHECKED = "checked"
    SPENT = "spent"
    DRAWING = "drawing"
    DRAWN = "drawn"
    DRAFTED = "drafted"
    RECORDED = "recorded"
    RELEASED = "released"
    COMPLETED = "completed"


Progress: TypeAlias = Callable[[Stage, int], None]
"""Called at every stage, and for every batch while drawing, with the rows drawn so far."""


@dataclass(frozen=True)
class Release:
    """A written release, with its record and its public record.

    ``entry`` is None without a ledger, ``signature`` without a key, and ``public_record`` for a release read from its
    record.
    """

    output: Path
    record: Record = field(repr=False)
    record_file: Path
    public_record_file: Path
    entry: Entry | None = field(default=None, repr=False)
    signature: Path | None = None
    public_record: PublicRecord | None = field(default=None, repr=False)
    table: str | None = None
    """The address of a release that is a table, whose name ``output`` then is."""
    drawn_order: RowOrder | None = field(default=None, repr=False)
    """The order of its rows, where this process drew it."""

    @classmethod
    def read(cls, record: Release | Path | str) -> Release:
        """The release of a record's file; a release as it is."""
        if isinstance(record, Release):
            return record
        place = Path(record)
        said = read_record(place)
        if said.output.format == TABLE:
            # Called after the record's own file: what a record says may not even be a name.
            name = place.with_suffix("")
            return cls(name, said, place, public_place(name))
        output = released_file(said, place)
        return cls(output, said, place, public_place(output))

    @property
    def source(self) -> str:
        """What ``open_table`` opens to read it.

        Raises:
            FileError: it is a table that only its record names; no server is connected to on a record's word.
        """
        if self.table is None and self.record.output.format == TABLE:
            raise FileError(
                "{path} is the record of a table in PostgreSQL, which is not opened on a record's word; name the table "
                "with --released.",
                path=self.record_file,
            )
        return self.table or str(self.output)

    def found_at(self, released: Path | str) -> Release:
        """The source, where the file is now."""
        where = destination(released)
        return replace(self, output=where.beside(""), table=where.address)

    @property
    def rows(self) -> int:
        """How many."""
        return self.record.rows

    @property
    def order(self) -> RowOrder | None:
        """The random order of its rows, from the private file beside its record; None where the table's was kept.

        Raises:
            FileError: the file is not there.
            VerificationError: it is that of another release.
        """
        return row_order(self.record, self.record_file, self.drawn_order)

    @property
    def digest(self) -> str:
        """SHA-256 of the record's fields."""
        return self.record.digest

    _repr_html_ = notebook.shown


def release(
    plan: ReleasePlan,
    table: Table,
    to: Path | str,
    *,
    record: Path | str | None = None,
    public_record: Path | str | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    priors: Mapping[str, GivenPrior] | None = None,
    overwrite: bool = False,
    randomness: Randomness | None = None,
    sign: Path | str | None = None,
    chosen_from_table: bool = False,
    on_workers: bool = False,
    progress: Progress | None = None,
) -> Release:
    """The release of a table by a plan: protected columns and a record, or nothing at all.

    Where an earlier call was killed after it had written the release, and before its ledger noted so, the same call
    notes it and hands back that release: nothing is drawn or spent again.

    Args:
        to: a ``.csv`` or ``.parquet`` file, or a new table in PostgreSQL (``postgresql://host/database#schema.table``);
            a folder of Parquet files where it is drawn ``on_workers``.
        record: the record's file; by default the name of the output with ``.json`` added, that of a table in the
            working folder. Only its owner may read it.
        public_record: the file of the public record, which may be handed out; by default with ``.public.json`` added.
        ledger: where the budget of ``dataset`` is spent; without one nothing counts the release against a limit.
        priors: by column, for claims that depend on one: a distribution is taken as public; a number buys a noisy
            histogram for that ε.
        overwrite: whether existing files may be replaced.
        randomness: the operating system, unless this is a simulation. Where the plan says that noise is kept, as by
            default where it names a unit and a ledger is given, noise of finite channels follows from the ledger's key.
        sign: the file of a private Ed25519 key that signs the record; the record does not mention it.
        chosen_from_table: whether the plan's mechanisms were chosen by their effect on this table. The choice then
            reveals something about its counts, so the public record leaves it out.
        on_workers: whether noise is drawn and the release is written where the rows are, by the workers of an engine
            that has some, and not by this process.
        progress: told of every stage.

    Raises:
        InputError: plan, table or files that cannot be used.
        BudgetError: the ledger's limit would be exceeded; nothing was drawn, spent or written.
        EngineError: the disk or the engine failed; what was spent stays spent.
    """
    source = OperatingSystem() if randomness is None else randomness
    plan = with_noise(plan, counted=ledger is not None, on_workers=on_workers)
    tell = progress or (lambda stage, rows: None)
    where = destination(to, on_workers=on_workers)
    place = Path(record) if record is not None else where.beside(".json")
    public = Path(public_record) if public_record is not None else where.beside(".public.json")
    key = None if sign is None else private_key(Path(sign))
    if ledger is not None and not source.private:
        raise OptionError("A simulation uses no budget and is not a release; leave the ledger out.")
    if ledger is not None and not overwrite:
        found = _completed(plan, table, where, place, public, ledger, dataset)
        if found is not None:
            tell(Stage.COMPLETED, found.rows)
            if key is None:
                return found
            # Whoever could write here meanwhile would have a record of their own signed: it is checked first.
            raise OptionError(
                "{path!s} was released before, and the ledger now notes that; sign its records with leakgauge verify "
                "--sign, which checks them first.",
                path=str(place),
            )
    _require_places(where, (place, public, order_place(place)), overwrite, signed=key is not None)
    bound = bind(plan, table)
    wanted = WantedPriors.of(bound, priors or {})
    bound.require_known_values()
    few = _rehearse(bound, where.form, simulated=not source.private)
    order = None if plan.keep_order else RowOrder.drawn(source)
    with (
        where.draft(few, overwrite) as made,
        draft(place) as noted,
        draft(public, shareable=True) as shared,
        draft(order_place(place)) as ordered,
        ExitStack() as opened,
    ):
        # A disk that is too full is refused here, so that nothing is spent on a release that cannot be written.
        if isinstance(made, DraftFolder):
            write = writing_on_workers(bound, made.path, source, order)
        else:
            size, beside = few.nbytes * table.rows // few.num_rows, noted
            if isinstance(made, Draft):
                made.reserve(largest_release(bound, where.form, simulated=not source.private))
                beside = made
            else:
                require_held(bound)
            room = opened.enter_context(scratch(beside.path.parent, largest_scratch(bound, size)))
        for one in (noted, shared, ordered):
            one.reserve(largest_record(bound))
        tell(Stage.CHECKED, 0)
        reference = "".join(f"{int(word):016x}" for word in OperatingSystem().words(2))
        entry, kept = None, None
        if ledger is not None:
            if bound.kept and bound.unit.column is not None:
                # On disk before it is used, so that whatever is drawn by it can be drawn again.
                kept = KeptNoise(ledger.noise_key(_account(ledger, dataset, bound.unit)), bound.unit.column, bound.kept)
            purpose = "release of " + ", ".join(repr(name) for one in bound.columns for name in one.writes)
            entry = ledger.spend(
                _account(ledger, dataset, bound.unit),
                Cost((*bound.steps, *wanted.steps)),
                purpose[:LONGEST_TEXT],
                reference,
                told=bits_told(bound),
                kept=None if kept is None else kept_costs(bound, kept.key),
            )
        tell(Stage.SPENT, 0)
        known, formulas = wanted.drawn(source), Formulas()
        if isinstance(made, DraftFolder):
            rows = table.rows
            with told_while_waiting(lambda done, tasks: tell(Stage.DRAWING, rows * done // tasks)):
                write()
        else:
            drawn = drawn_rows(bound, Source(source, kept), order, room, size, lambda done: tell(Stage.DRAWING, done))
            looked_at = formulas.in_batches(drawn) if where.opens_in_a_spreadsheet else drawn
            with made.filling() as file:
                rows = write_batches(looked_at, file, where.form, simulated=not source.private)
        tell(Stage.DRAWN, rows)
        hidden = None if order is None else text_of(order_file(order, reference, rows))
        written = make_record(
            bound,
            known,
            wanted.steps,
            output=structs.replace(where.described(made, place, bound.order), formulas=formulas.columns),
            rows=rows,
            reference=reference,
            simulation_seed=source.simulation_seed if isinstance(source, Simulated) else None,
            entry=entry,
            chosen_from_table=chosen_from_table,
            order=None if hidden is None else OrderPlace(ordered.place.name, sha256(hidden.encode()).hexdigest()),
        )
        handed_out = make_public_record(
            written,
            bound,
            where.named_from(public),
            released=made.path if isinstance(made, Draft | DraftFolder) else None,
            chosen_from_table=chosen_from_table,
        )
        texts = text_of(written), text_of(handed_out)
        noted.write(texts[0])
        shared.write(texts[1])
        if overwrite:
            # The key of an older order is no longer of use to anybody who should have it.
            ordered.clear()
        if hidden is not None:
            ordered.write(hidden)
        tell(Stage.DRAFTED, rows)
        # The key has its name before the record that names it.
        _keep(made, (noted, shared) if hidden is None else (ordered, noted, shared), overwrite, tell, rows)
    if ledger is not None and entry is not None:
        ledger.complete(entry, written.digest)
        tell(Stage.COMPLETED, rows)
    signature = None
    if key is not None:
        sign_record(public, texts[1].encode(), key, shareable=True)
        signature = sign_record(place, texts[0].encode(), key)
    return Release(where.beside(""), written, place, public, entry, signature, handed_out, where.address, order)


def _completed(
    plan: ReleasePlan,
    table: Table,
    where: FileDestination | TableDestination,
    record: Path,
    public: Path,
    ledger: Ledger,
    dataset: str | None,
) -> Release | None:
    """The release that a run by the same plan left whole, with its spend now noted as written; None where none did."""
    # Verifying reads releases, and so is made of what is in this file.
    from leakgauge.release.interrupted import drawn_record, is_not_noted, note_in_ledger
    from leakgauge.release.recorded_plan import recorded_plan

    if not record.exists() or not is_not_noted(record, ledger, dataset):
        return None
    written = (public, where.output) if isinstance(where, FileDestination) else (public,)
    found = drawn_record(record, *written, table=where.address)
    if found is None or found.plan != recorded_plan(bind(plan, table)):
        return None
    return Release(where.beside(""), found, record, public, note_in_ledger(ledger, found), table=where.address)


def preview(
    plan: ReleasePlan,
    table: Table,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    priors: Mapping[str, GivenPrior] | None = None,
) -> tuple[BoundPlan, Cost, Verdict | None]:
    """The bound plan, its cost, and what the ledger would say; nothing is drawn, spent or written."""
    bound = bind(with_noise(plan, counted=ledger is not None), table)
    cost = Cost((*bound.steps, *WantedPriors.of(bound, priors or {}).steps))
    bound.require_known_values()
    if ledger is None:
        return bound, cost, None
    return bound, cost, ledger.preview(_account(ledger, dataset, bound.unit), cost)


def _rehearse(bound: BoundPlan, form: Path, *, simulated: bool) -> pa.Table:
    """A few rows released with seeded noise and discarded, so that write errors show before the spend."""
    kept = None
    if bound.kept and bound.unit.column is not None:
        kept = KeptNoise(NoiseKey(bytes(KEY_BYTES)), bound.unit.column, bound.kept)
    few = bound.table.few(*bound.reads, *(() if kept is None else (kept.unit,)), most=REHEARSED)
    if few is None:
        raise TableError("The table has no rows; there is nothing to release.")
    made = bound.made(few, Simulated(0), kept)
    write_batches([made], BytesIO(), form, simulated=simulated)
    return plain(next(tables_of([made], 1, simulated)))


def _require_places(
    where: FileDestination | TableDestination, places: tuple[Path, Path, Path], overwrite: bool, *, signed: bool
) -> None:
    record, public, order = places
    where.require(overwrite)
    for place in places:
        require_writable(place)
        if place.exists() and not overwrite:
            raise exists(place)
    for place in (record, public):
        if target(order) == target(place):
            raise OptionError("{path} is kept for the order of the rows; name another file.", path=order)
    if isinstance(where, FileDestination) and target(where.output) in map(target, places):
        raise OptionError("{path} is named both for the release and for its record; name two files.", path=where.output)
    if target(record) == target(public):
        raise OptionError("{path} is named both for the record and for the public record; name two files.", path=record)
    for place in (record, public) if signed else ():
        require_no_signature(place, overwrite)


def _account(ledger: Ledger, dataset: str | None, unit: UnitOfProtection) -> str:
    """The data set whose account protects what a release does."""
    if dataset is None:
        raise OptionError("A ledger is given but no data set; name the account to spend from.")
    require_account(ledger.account(dataset), str(unit), Neighbours.REPLACE_ONE)
    return dataset


def _keep(made: Named, records: tuple[Draft, ...], overwrite: bool, tell: Progress, rows: int) -> None:
    if overwrite:
        # An old release or signature must never be beside the new record, not even for a moment.
        made.clear()
        for record in records:
            forget_signature(record.place)
    with ExitStack() as undo:
        for record in records:
            record.keep(overwrite)
            undo.callback(record.place.unlink, missing_ok=True)
        tell(Stage.RECORDED, rows)
        try:
            made.keep(overwrite)
        except UncertainError:
            # A record without a release does no harm; a release without a record must not be.
            undo.pop_all()
            raise
        undo.pop_all()
    tell(Stage.RELEASED, rows)
