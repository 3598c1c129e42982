"""Verify a record: compute again what it says, read the release back, and compare.

Whoever changes one of the files compared can change the others too, digests included. So a check shows integrity, that
everything fits together as a release leaves it, but not authenticity, which takes a signature.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from leakgauge.artefacts import Level, Origin, PublicRecord, Record, Sentence
from leakgauge.artefacts.record import Check, Claims, LedgerEntry, LedgerPlace, PlannedColumn, Verified, keep_inside
from leakgauge.errors import FileError, VerificationError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import PriorOrigin
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.drawing import row_order
from leakgauge.release.execution import Release
from leakgauge.release.files import NOT_PRIVATE, UnreadableError, labels_of, read_back, write_batches
from leakgauge.release.guarantees import (
    assumptions,
    bought_steps,
    budget_of,
    claims_of,
    declared_steps,
    origin_under,
    public_steps,
    together_of,
)
from leakgauge.release.kept import can_keep
from leakgauge.release.ledger import Ledger
from leakgauge.release.ledger.account import is_line
from leakgauge.release.ledger.cost import step_to_json
from leakgauge.release.record import (
    LIBRARIES,
    NEIGHBOURS,
    OF_THE_LEDGER,
    TABLE,
    file_digest,
    lacking,
    may_be_lacking,
    read_any_record,
    released_file,
    size_of,
    whole_record_error,
)
from leakgauge.release.recorded_plan import DECLARED, binnings, plan_of, recorded_plan, suppression
from leakgauge.release.signatures import public_key, record_bytes, why_not_signed
from leakgauge.release.written_form import beside_the_values
from leakgauge.sentences import in_turn
from leakgauge.tables import Levels, open_table

RECORD: Final = Sentence("record")
RELEASE: Final = Sentence("release")
LEDGER: Final = Sentence("ledger")
ORDER: Final = Sentence("order of rows")
SIGNATURE: Final = Sentence("signature")
COMPLETION: Final = Sentence("ledger completion")
ROWS: Final = Sentence("rows and columns")
FORM: Final = Sentence("form of the file")
UNCOUNTED: Final = Sentence("the release was not entered in a ledger")
_ANOTHER: Final = Sentence("recomputing it gives another value")
_NOTHING: Final = Sentence("")
_REFERENCE: Final = re.compile("[0-9a-f]{32}")
_HASH: Final = re.compile("[0-9a-f]{64}")
_KEY: Final = re.compile("[0-9a-f]{16}")
_VERSION: Final = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}((a|b|rc|\.post|\.dev|\+)[0-9]{0,4})?")
_SAME = 1e-9
"""The relative difference that another version of a library may cause."""
LATER_NOTIONS = frozenset({"total-variation"})
"""Those that earlier records do not state."""


@dataclass(frozen=True)
class Verification:
    """Every check of a record; ``record`` is None where it cannot be read.

    ``content`` are the bytes that the record was read from, once: whoever vouches for it signs these. It is empty for a
    record that was not read.
    """

    record: Record | PublicRecord | None
    checks: tuple[Check, ...]
    content: bytes = field(default=b"", repr=False)

    @property
    def holds(self) -> bool:
        """Whether all checks passed."""
        return all(check.holds is not False for check in self.checks)

    @property
    def signed(self) -> bool:
        """Whether a signature was asked for and holds."""
        return any(check.name == SIGNATURE and check.holds for check in self.checks)

    @property
    def shows(self) -> Sentence:
        """A sentence about what the checks can show."""
        if self.signed:
            return Sentence("This shows integrity and authenticity: the owner of the key signed this very record.")
        return Sentence(
            "This shows integrity, not authenticity: whoever can change a release and its record can make them fit "
            "each other; a signature shows who vouches for them."
        )

    def stored(self) -> Verified:
        """The verification as its file has it."""
        record, shows = self.record, self.shows if self.holds else None
        if record is None:
            return Verified(self.holds, self.signed, shows, None, None, None, self.checks)
        return Verified(self.holds, self.signed, shows, record.private, record.rows, record.digest, self.checks)

    def require(self) -> None:
        """Refuse a record with anything wrong."""
        wrong = [
            Sentence("{name} ({reason})", name=check.name, reason=check.reason)
            for check in self.checks
            if check.holds is False
        ]
        if wrong:
            raise VerificationError("The record does not verify: {wrong}.", wrong=in_turn(wrong))


def verify(
    record: Release | Path | str,
    *,
    released: Path | str | None = None,
    ledger: Ledger | None = None,
    signed_by: Path | str | None = None,
) -> Verification:
    """The checks of a record: its digest, its release, its claims and its budget, each computed again.

    Args:
        record: a release that was just written, or the record's file.
        released: the release, where it is not beside the record under the name it says, or is a table.
        ledger: to check the spend and its completion; without one they are not checked.
        signed_by: the file of a public Ed25519 key, to check the record's signature.

    Raises:
        FileError: the record or the key cannot be read or is not one.
        OptionError: a key is given and the extra ``signing`` is not installed.
    """
    place = record.record_file if isinstance(record, Release) else Path(record)
    if released is None and isinstance(record, Release):
        released = record.table
    # What was signed is what is checked, and not a record that takes its place meanwhile.
    known = record.record if isinstance(record, Release) and signed_by is None else None
    content, signature = b"" if known is not None else record_bytes(place), tuple[Check, ...]()
    if signed_by is not None:
        reason = why_not_signed(place, content, public_key(Path(signed_by)))
        signature = (Check(SIGNATURE, reason is None, reason or _NOTHING),)
    try:
        said = read_any_record(place, content) if known is None else known
        plan = plan_of(said, place)
    except VerificationError as error:
        return Verification(None, (*signature, Check(RECORD, False, error.sentence)), content)
    checks = [*signature, Check(RECORD, True)]
    checks += _form_checks(said)
    for name in said.plan.columns:
        if name not in said.claims:
            raise whole_record_error(place, name)
    if isinstance(said, PublicRecord):
        checks += _release_checks(said, (), place, released)
        checks += _public_checks(said, plan)
    else:
        checks += _release_checks(said, plan.columns, place, released)
        checks += _order_checks(said, place, record.drawn_order if isinstance(record, Release) else None)
        checks += _record_checks(said, plan, ledger, *signature)
    return Verification(said, tuple(checks), content)


def _form_checks(record: Record | PublicRecord) -> Iterator[Check]:
    """That what nothing else in a record follows from has the form that a release gives it: it could say anything."""
    place = None if record.budget is None else record.budget.ledger
    forms = {
        "reference": _REFERENCE.fullmatch(record.reference) is not None,
        "created": _is_time(record.created),
        "versions": {"leakgauge", "python"} <= set(record.versions) <= {"leakgauge", "python", *LIBRARIES}
        and all(_VERSION.fullmatch(number) for number in record.versions.values()),
        "ledger": place is None or _is_ledger_place(place),
    }
    odd = tuple(name for name, holds in forms.items() if not holds)
    reason = Sentence("a release does not write {fields!s} so", fields=odd)
    yield _checked(Sentence("form of the record"), not odd, reason)


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds") == text
    except (ValueError, OverflowError):
        return False


def _is_ledger_place(place: LedgerPlace) -> bool:
    """Whether it can be one: the first entry opens an account, and pays for nothing."""
    hashed = not isinstance(place, LedgerEntry) or (
        _HASH.fullmatch(place.hash) is not None and (place.noise_key is None or _is_key(place.noise_key))
    )
    return place.entry > 1 and is_line(place.dataset) and hashed


def _is_key(identity: str) -> bool:
    return _KEY.fullmatch(identity) is not None


def _release_checks(
    record: Record | PublicRecord, columns: Sequence[BoundColumn], place: Path, moved: Path | str | None
) -> Iterator[Check]:
    """That the release is the one the record names, and that its values can come from the mechanisms that are known."""
    said = record.output
    if said.format == TABLE:
        yield from _table_checks(record, columns, place, moved)
        return
    try:
        output = released_file(record, place) if moved is None else Path(moved)
    except VerificationError as error:
        yield Check(RELEASE, False, error.sentence)
        return
    path = str(output)
    if not output.exists():
        yield Check(RELEASE, False, Sentence("{path!s} does not exist", path=path))
        return
    untouched = file_digest(output) == said.sha256 and size_of(output) == said.bytes
    yield _checked(RELEASE, untouched, Sentence("the digest of {path!s} differs", path=path))
    if not untouched:
        return
    bins = binnings(record.plan)
    try:
        found = read_back(output, said.format, columns, bins)
        beside = beside_the_values(output, said.format)
    except UnreadableError:
        yield Check(ROWS, False, Sentence("{path!s} cannot be read as {format!s}", path=path, format=said.format))
        return
    marked = () if record.private else (NOT_PRIVATE,)
    fits = found.rows == record.rows and found.columns == said.columns + marked
    yield _checked(ROWS, fits, Sentence("{path!s} has other rows or columns", path=path))
    yield Check(FORM, beside is None, beside or _NOTHING)
    for name in (*(one.name for one in columns), *marked):
        yield _checked(
            Sentence("values of {column!s}", column=name),
            name not in found.impossible,
            Sentence("some are not outputs of its mechanism"),
        )
    for name in sorted(bins.keys() & set(record.plan.public)):
        of_the_bins, possible = Sentence("bins of {column!s}", column=name), name not in found.impossible
        if isinstance(bins[name], Levels):
            of_the_level = Sentence("level of {column!s}", column=name)
            yield _checked(of_the_level, possible, Sentence("some values are not among its coarser values"))
        elif labels_of(bins[name]):
            yield _checked(of_the_bins, possible, Sentence("some values are not bins between its edges"))
        else:
            yield Check(of_the_bins, None, Sentence("only edges that are numbers are compared with the labels"))
    if fits:
        yield from _suppression_checks(record, output)


def _table_checks(
    record: Record | PublicRecord, columns: Sequence[BoundColumn], place: Path, named: Path | str | None
) -> Iterator[Check]:
    """The same of a release that is a table in PostgreSQL, whose rows are read again into a file for that."""
    if named is None:
        # No server is connected to, and told a password, on a record's word.
        yield Check(RELEASE, None, Sentence("it is a table in PostgreSQL; name it with --released"))
        return
    with TemporaryDirectory() as folder, open_table(str(named)) as table:
        copy = Path(folder) / "rows.csv"
        with copy.open("wb") as file:
            write_batches(table.batches(), file, copy, simulated=False)
        as_file = msgspec.structs.replace(record, output=msgspec.structs.replace(record.output, format="csv"))
        yield from _release_checks(as_file, columns, place, copy)


def _suppression_checks(record: Record | PublicRecord, output: Path) -> Iterator[Check]:
    """That no group of public values in the release is smaller than the plan allows."""
    how = suppression(record.plan)
    if how is None:
        return
    name = Sentence("groups of {columns!s}", columns=how.columns)
    if how.unit is not None:
        yield Check(name, None, Sentence("groups are counted by persons, who are not released"))
        return
    with open_table(str(output)) as released:
        (sizes,) = released.group_sizes([how.columns])
    # A table with fewer rows than a group needs is suppressed whole.
    yield _checked(
        name, sizes.smallest >= min(how.below, record.rows), Sentence("some groups are smaller than allowed")
    )


def _order_checks(record: Record, place: Path, drawn: RowOrder | None) -> Iterator[Check]:
    """That the key of a random order is there; whether the rows follow it shows beside the original, in an audit."""
    if record.plan.keep_order:
        return
    try:
        row_order(record, place, drawn)
    except FileError as error:
        yield Check(ORDER, None, error.sentence)
    except VerificationError as error:
        yield Check(ORDER, False, error.sentence)
    else:
        yield Check(ORDER, True)


def _record_checks(record: Record, plan: RecordedPlan, ledger: Ledger | None, *signature: Check) -> Iterator[Check]:
    """Every check of a record but that of its release."""
    said, computed, mechanisms = record.plan, recorded_plan(plan).columns, plan.mechanisms
    yield _columns_check(record, plan.columns)
    for name, column in said.columns.items():
        yield _same(_plan_of_column(name), column, computed[name])
    seeded, counted = record.simulation_seed is not None, record.budget.ledger is not None
    holds = record.private != seeded and not (seeded and counted)
    yield _checked(Sentence("source of noise"), holds, Sentence("noise from a seed is neither private nor paid for"))
    yield _same(Sentence("columns with claims"), sorted(record.claims), sorted(mechanisms))
    for name, mechanism in mechanisms.items():
        yield from _claim_checks(name, computed[name], record.claims[name], mechanism)
    yield from _unit_checks(record, plan)
    yield from _noise_checks(record, plan)
    extra = tuple(step for claim in record.claims.values() for step in bought_steps(plan, claim))
    steps = (*plan.steps, *extra)
    yield from _total_checks(record, steps, declared_steps(plan, extra))
    of_the_ledger = tuple(_ledger_checks(record, ledger, steps))
    yield from of_the_ledger
    vouched = any(check.name in (SIGNATURE, COMPLETION) and check.holds for check in (*signature, *of_the_ledger))
    # Only the record says that letters were declared: whoever changes it there changes everything that follows.
    unknown = _NOTHING if vouched else Sentence("only a signature or the ledger can prove that they were declared")
    for name, column in said.columns.items():
        if column.letters == DECLARED:
            yield Check(Sentence("letters of {column!s}", column=name), vouched or None, unknown)
    noted = _NOTHING if vouched else Sentence("only a signature or the ledger can prove them")
    yield Check(Sentence("versions and time"), vouched or None, noted)


def _public_checks(record: PublicRecord, plan: RecordedPlan) -> Iterator[Check]:
    """Every check of a public record but that of its release; what it leaves out is named, and not looked at."""
    claims = {name: claim for name, claim in record.claims.items() if claim is not None}
    yield _columns_check(record, record.plan.columns.values())
    for name, column in record.plan.columns.items():
        if record.claims[name] is None:
            yield _same(_plan_of_column(name), [column.epsilon, column.channel], [None, None])
            continue
        mechanism = plan.mechanisms[name]
        yield _same(_plan_of_column(name), column.epsilon, mechanism.parameters.get("epsilon"))
        yield from _claim_checks(name, column, claims[name], mechanism)
    yield from _unit_checks(record, plan)
    if len(claims) == len(record.claims):
        yield from _total_checks(record, public_steps(plan, claims))
    elif (record.together, record.budget) != (None, None):
        reason = Sentence("they are stated without the claims that they follow from")
        yield Check(Sentence("guarantee and budget"), False, reason)
    found = set(map(str, record.left_out))
    needed = set(map(str, lacking(record.plan, record.claims, simulated=not record.private)))
    listed = needed <= found <= needed.union(map(str, may_be_lacking(record.plan)))
    if record.budget is not None:
        # Whoever was paid for names the entry, and leaves its hash out.
        listed = listed and (str(OF_THE_LEDGER) in found) == (record.budget.ledger is not None)
    yield _checked(Sentence("what is left out"), listed, Sentence("it does not list what was left out"))
    for left_out in record.left_out:
        yield Check(left_out, None, Sentence("the public record leaves it out"))
    yield Check(Sentence("versions and time"), None, Sentence("only the signed record can prove them"))
    yield Check(LEDGER, None, Sentence("a public record contains no hash of the ledger; check the record itself"))


def _plan_of_column(name: str) -> Sentence:
    return Sentence("plan of {column!s}", column=name)


def _columns_check(record: Record | PublicRecord, columns: Iterable[BoundColumn | PlannedColumn]) -> Check:
    planned = [*record.plan.public, *(name for column in columns for name in column.writes)]
    return _same(Sentence("columns of the plan"), sorted(record.output.columns), sorted(planned))


def _claim_checks(name: str, column: PlannedColumn, said: Claims, mechanism: Mechanism) -> Iterator[Check]:
    computed = claims_of(column, mechanism)
    levels = computed.levels
    under_prior = tuple(sorted(set(said.levels) - set(levels))) if said.prior is not None else ()
    differ = tuple(
        notion
        for notion in {**levels, **said.levels}
        if notion not in under_prior
        and not _agree(said.levels.get(notion), levels.get(notion))
        and not _held_before(notion, said.levels.get(notion), levels.get(notion), exact=computed.exact)
    )
    holds = said.exact == computed.exact and _knows_its_prior(said, under_prior, column.origin) and not differ
    reason = Sentence("recomputing {notions!s} gives another level", notions=differ) if differ else _ANOTHER
    yield _checked(Sentence("claims of {column!s}", column=name), holds, reason)
    if under_prior:
        reason = Sentence("{notions!s} rest on a prior that is not stored", notions=under_prior)
        yield Check(Sentence("claims of {column!s} under a prior", column=name), None, reason)


def _held_before(notion: str, said: Level | None, computed: Level | None, *, exact: bool) -> bool:
    """Whether what an earlier version stated of a notion is still true, if not the best that is known.

    Bounds get tighter: one that is proven from above may be larger than it is now, and never smaller.
    """
    if said is None or computed is None:
        return said is None and notion in LATER_NOTIONS
    if exact and computed.low is None:
        return False
    proof = {"value": computed.value, "low": computed.low, "high": computed.high, "confidence": computed.confidence}
    return said.value >= computed.value * (1 - _SAME) and _agree(msgspec.structs.replace(said, **proof), computed)


def _knows_its_prior(said: Claims, under_prior: tuple[str, ...], origin: Origin) -> bool:
    """Whether a prior has an ε where it was bought and only there, and what rests on it says how private it is."""
    if said.prior is None:
        return said.prior_epsilon is None
    bought, under = said.prior is PriorOrigin.NOISY_HISTOGRAM, origin_under(said.prior, origin)
    origins = {said.levels[notion].origin for notion in under_prior}
    return bought == (said.prior_epsilon is not None) and origins <= {Origin.TABLE, under}


def _unit_checks(record: Record | PublicRecord, plan: RecordedPlan) -> Iterator[Check]:
    protects = (record.unit_of_protection, record.neighbours)
    yield _same(Sentence("unit of protection"), protects, (str(plan.unit), NEIGHBOURS))
    yield _same(Sentence("kept private"), record.keep_inside, keep_inside(record.plan, record.claims))
    assumed = tuple(assumptions(record.plan, record.claims, simulated=not record.private))
    yield _same(Sentence("assumptions"), record.assumptions, assumed)


def _noise_checks(record: Record, plan: RecordedPlan) -> Iterator[Check]:
    """That noise is said to be kept only where it can be: of finite channels, for a unit, by the key of a ledger."""
    if plan.kept is None:
        return
    place, possible = record.budget.ledger, {one.name for one in plan.columns if can_keep(one)}
    key = None if place is None else place.noise_key
    holds = {*plan.kept} <= possible and (
        key is not None and plan.unit.column is not None if plan.kept else key is None
    )
    yield _checked(Sentence("kept noise"), holds, Sentence("the noise of this release cannot have been kept"))


def _total_checks(
    record: Record | PublicRecord, steps: tuple[Step, ...], declared: tuple[Step, ...] | None = None
) -> Iterator[Check]:
    origin, spent = record.plan.origin, record.budget
    cost, computed = budget_of(steps, origin, declared), together_of(steps, origin, declared)
    yield _same(Sentence("guarantee of all columns together"), record.together, computed)
    said = None if spent is None else (spent.epsilon, spent.rho)
    yield _same(Sentence("budget used"), said, (cost.epsilon, cost.rho))


def _ledger_checks(record: Record, ledger: Ledger | None, steps: tuple[Step, ...]) -> Iterator[Check]:
    said = record.budget.ledger
    if ledger is None:
        yield Check(LEDGER, None, UNCOUNTED if said is None else Sentence("no ledger was given"))
        return
    if said is None:
        yield Check(LEDGER, False, UNCOUNTED)
        return
    try:
        ledger.check(said.hash)
        entry = ledger.entry(record.reference)
    except VerificationError as error:
        yield Check(LEDGER, False, error.sentence)
        return
    key = None if entry is None or entry.kept is None else entry.kept.key
    place = None if entry is None else LedgerEntry(entry.dataset, entry.sequence, entry.hash, key)
    yield _checked(Sentence("ledger entry"), place == said, Sentence("the ledger has no such spend"))
    if entry is None:
        return
    # That the entry costs what its steps cost, the ledger has checked.
    paid = _agree_in_any_order(map(step_to_json, entry.steps), map(step_to_json, steps))
    yield _checked(Sentence("ledger cost"), paid, Sentence("the ledger counted a different cost than the record"))
    done = (other for other in ledger.entries(entry.dataset) if other.reference == record.reference)
    held = [other.digest for other in done if other.digest is not None] == [record.digest]
    yield _checked(COMPLETION, held, Sentence("the ledger completed a different record, or none"))


def _checked(name: Sentence, holds: bool, otherwise: Sentence) -> Check:
    return Check(name, holds, _NOTHING if holds else otherwise)


def _same(name: Sentence, said: object, computed: object) -> Check:
    return _checked(name, _agree(said, computed), _ANOTHER)


def _agree(said: object, computed: object) -> bool:
    """Whether two values are the same: numbers up to rounding, sentences by what they say.

    A number marked as from the table, as all were in earlier records, is never shown, so the mark is never wrong.
    """
    if isinstance(said, msgspec.Struct) and type(said) is type(computed):
        return all(_agree(getattr(said, name), getattr(computed, name)) for name in said.__struct_fields__)
    if isinstance(said, dict) and isinstance(computed, dict):
        return said.keys() == computed.keys() and all(_agree(said[key], computed[key]) for key in said)
    if isinstance(said, list | tuple) and isinstance(computed, list | tuple):
        return len(said) == len(computed) and all(map(_agree, said, computed))
    if isinstance(said, int | float) and isinstance(computed, int | float):
        return math.isclose(said, computed, rel_tol=_SAME, abs_tol=1e-15)
    if isinstance(said, Sentence) and isinstance(computed, Sentence):
        return str(said) == str(computed)
    return said == computed or (said is Origin.TABLE and isinstance(computed, Origin))


def _agree_in_any_order(said: Iterable[object], computed: Iterable[object]) -> bool:
    """Whether the same values stand in both."""
    left = list(said)
    for one in computed:
        alike = next((other for other in left if _agree(other, one)), None)
        if alike is None:
            return False
        left.remove(alike)
    return not left
