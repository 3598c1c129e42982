"""Verify a record: compute again what it says, read the release back, and compare.

Whoever changes one of the files compared can change the others too, digests included. So a check shows integrity, that
everything fits together as a release leaves it, but not authenticity, which takes a signature.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from leakgauge.artefacts import Origin, PublicRecord, Record, Sentence
from leakgauge.artefacts.record import Check, Claims, LedgerEntry, PlannedColumn, Verified, keep_inside
from leakgauge.errors import VerificationError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import PriorOrigin
from leakgauge.release.bound import BoundColumn, RecordedPlan
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
from leakgauge.release.ledger import Ledger
from leakgauge.release.ledger.cost import step_to_json
from leakgauge.release.record import (
    NEIGHBOURS,
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
from leakgauge.release.signatures import public_key, why_not_signed
from leakgauge.sentences import in_turn
from leakgauge.tables import Levels, open_table

RECORD: Final = Sentence("record")
RELEASE: Final = Sentence("release")
LEDGER: Final = Sentence("ledger")
SIGNATURE: Final = Sentence("signature")
COMPLETION: Final = Sentence("ledger completion")
ROWS: Final = Sentence("rows and columns")
UNCOUNTED: Final = Sentence("the release was not counted in a ledger")
_ANOTHER: Final = Sentence("recomputing it gives another value")
_NOTHING: Final = Sentence("")
_SAME = 1e-9
"""The relative difference that another version of a library may cause."""


@dataclass(frozen=True)
class Verification:
    """Every check of a record; ``record`` is None where it cannot be read."""

    record: Record | PublicRecord | None
    checks: tuple[Check, ...]

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
        """What the checks can show."""
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
    signature: tuple[Check, ...] = ()
    if signed_by is not None:
        reason = why_not_signed(place, public_key(Path(signed_by)))
        signature = (Check(SIGNATURE, reason is None, reason or _NOTHING),)
    try:
        said = record.record if isinstance(record, Release) else read_any_record(place)
        plan = plan_of(said, place)
    except VerificationError as error:
        return Verification(None, (*signature, Check(RECORD, False, error.sentence)))
    checks = [*signature, Check(RECORD, True)]
    for name in said.plan.columns:
        if name not in said.claims:
            raise whole_record_error(place, name)
    if isinstance(said, PublicRecord):
        checks += _release_checks(said, (), place, released)
        checks += _public_checks(said, plan)
    else:
        checks += _release_checks(said, plan.columns, place, released)
        checks += _record_checks(said, plan, ledger, *signature)
    return Verification(said, tuple(checks))


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
    except UnreadableError:
        yield Check(ROWS, False, Sentence("{path!s} cannot be read as {format!s}", path=path, format=said.format))
        return
    marked = () if record.private else (NOT_PRIVATE,)
    fits = found.rows == record.rows and found.columns == said.columns + marked
    yield _checked(ROWS, fits, Sentence("{path!s} has other rows or columns", path=path))
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
        names = tuple(column.name for column in table.columns())
        with copy.open("wb") as file:
            rows = (dict(zip(names, batch.columns, strict=True)) for batch in table.batches())
            write_batches(rows, file, copy, simulated=False)
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
    extra = tuple(step for claim in record.claims.values() for step in bought_steps(plan, claim))
    steps = (*plan.steps, *extra)
    yield from _total_checks(record, steps, declared_steps(plan, extra))
    of_the_ledger = tuple(_ledger_checks(record, ledger, steps))
    yield from of_the_ledger
    vouched = any(check.name in (SIGNATURE, COMPLETION) and check.holds for check in (*signature, *of_the_ledger))
    # Only the record says that letters were declared: whoever changes it there changes everything that follows.
    unknown = _NOTHING if vouched else Sentence("only a signature or the ledger can show that they were declared")
    for name, column in said.columns.items():
        if column.letters == DECLARED:
            yield Check(Sentence("letters of {column!s}", column=name), vouched or None, unknown)


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
    yield _checked(Sentence("what is left out"), listed, Sentence("it does not list what was left out"))
    for left_out in record.left_out:
        yield Check(left_out, None, Sentence("the public record leaves it out"))
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
        if notion not in under_prior and not _agree(said.levels.get(notion), levels.get(notion))
    )
    holds = said.exact == computed.exact and _knows_its_prior(said, under_prior, column.origin) and not differ
    reason = Sentence("recomputing {notions!s} gives another level", notions=differ) if differ else _ANOTHER
    yield _checked(Sentence("claims of {column!s}", column=name), holds, reason)
    if under_prior:
        reason = Sentence("{notions!s} rest on a prior that is not stored", notions=under_prior)
        yield Check(Sentence("claims of {column!s} under a prior", column=name), None, reason)


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
    yield _same(Sentence("kept inside"), record.keep_inside, keep_inside(record.plan, record.claims))
    assumed = tuple(assumptions(record.plan, record.claims, simulated=not record.private))
    yield _same(Sentence("assumptions"), record.assumptions, assumed)


def _total_checks(
    record: Record | PublicRecord, steps: tuple[Step, ...], declared: tuple[Step, ...] | None = None
) -> Iterator[Check]:
    origin, spent = record.plan.origin, record.budget
    cost, computed = budget_of(steps, origin, declared), together_of(steps, origin, declared)
    yield _same(Sentence("guarantee of all columns together"), record.together, computed)
    said = None if spent is None else (spent.epsilon, spent.rho)
    yield _same(Sentence("budget spent"), said, (cost.epsilon, cost.rho))


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
    place = None if entry is None else LedgerEntry(entry.dataset, entry.sequence, entry.hash)
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
