"""Verify a record: compute again what it says, read the release back, and compare.

What is compared stands in files that whoever changes one can change too, digests included. So a check shows integrity,
that everything fits together as a release leaves it, and not authenticity; that takes a signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leakgauge.artefacts import Origin, PublicRecord, Record, Sentence
from leakgauge.artefacts.record import Check, Claims, LedgerEntry, Verified, keep_inside
from leakgauge.errors import LeakgaugeError, VerificationError
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import PriorOrigin
from leakgauge.release.applying import Release
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.checking import ANOTHER, agree, agree_in_any_order, checked, failed, same
from leakgauge.release.files import NOT_PRIVATE, UnreadableError, labels_of, read_back
from leakgauge.release.ledger import Ledger
from leakgauge.release.ledger.cost import step_to_json
from leakgauge.release.planned import plan_of
from leakgauge.release.public_record import bought_steps
from leakgauge.release.public_verifying import other_levels, public_checks, unknown_prior
from leakgauge.release.record import (
    DECLARED,
    NEIGHBOURS,
    UNIT_OF_PROTECTION,
    assumptions,
    binnings,
    budget_of,
    claims_of,
    declared_steps,
    file_digest,
    origin_under,
    read_any_record,
    recorded_plan,
    released_file,
    together_of,
    whole_record_error,
)
from leakgauge.release.signing import public_key, why_not_signed
from leakgauge.sentences import in_turn

RECORD: Final = Sentence("record")
RELEASE: Final = Sentence("release")
LEDGER: Final = Sentence("ledger")
SIGNATURE: Final = Sentence("signature")
COMPLETION: Final = Sentence("ledger completion")
ROWS: Final = Sentence("rows and columns")
UNCOUNTED: Final = Sentence("the release was not counted in a ledger")
INTEGRITY: Final = Sentence(
    "This shows integrity, not authenticity: who can change a release and its record can make them fit each other; a "
    "signature shows who vouches for them."
)
AUTHENTICITY: Final = Sentence("This shows integrity and authenticity: the owner of the key signed this very record.")


@dataclass(frozen=True)
class Verification:
    """Every check of a record; ``record`` is None where it cannot be read."""

    record: Record | PublicRecord | None
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found wrong."""
        return all(check.holds is not False for check in self.checks)

    @property
    def signed(self) -> bool:
        """Whether a signature was asked for and holds."""
        return any(check.name == SIGNATURE and check.holds for check in self.checks)

    @property
    def shows(self) -> Sentence:
        """What the checks can show."""
        return AUTHENTICITY if self.signed else INTEGRITY

    def stored(self) -> Verified:
        """The verification as its file has it."""
        record, shows = self.record, self.shows if self.holds else None
        if record is None:
            return Verified(self.holds, self.signed, shows, None, None, None, self.checks)
        return Verified(self.holds, self.signed, shows, record.private, record.rows, record.digest, self.checks)

    def require(self) -> None:
        """Refuse a record with anything wrong.

        Raises:
            VerificationError: names what is wrong.
        """
        wrong = [
            Sentence("{name} ({reason})", name=check.name, reason=check.reason)
            for check in self.checks
            if check.holds is False
        ]
        if wrong:
            raise VerificationError("The record does not hold: {wrong}.", wrong=in_turn(wrong))


def verify(
    record: Release | Path | str,
    *,
    released: Path | str | None = None,
    ledger: Ledger | None = None,
    signed_by: Path | str | None = None,
) -> Verification:
    """What holds of a record: its digest, its release, its claims and its budget, each computed again.

    Args:
        record: a release that was just written, or the record's file.
        released: the release, where it is not beside the record under the name it says.
        ledger: to check the spend and its completion; without one they are not looked at.
        signed_by: the file of a public Ed25519 key, to check the record's signature.

    Raises:
        FileError: the record or the key cannot be read or is not one.
        OptionError: a key is given and the extra ``signing`` is not installed.
    """
    place = record.record_file if isinstance(record, Release) else Path(record)
    signature = () if signed_by is None else (_signature_check(place, Path(signed_by)),)
    try:
        said = record.record if isinstance(record, Release) else read_any_record(place)
        plan = None if isinstance(said, PublicRecord) else plan_of(said, place)
    except VerificationError as error:
        return Verification(None, (*signature, failed(RECORD, error)))
    checks = [*signature, Check(RECORD, True)]
    try:
        checks += _release_checks(said, () if plan is None else plan.columns, place, released)
        if isinstance(said, PublicRecord):
            checks += public_checks(said, place)
        else:
            assert plan is not None
            checks += _record_checks(said, plan, ledger, *signature)
    except LeakgaugeError:
        raise
    except (KeyError, ValueError) as error:
        # Such as a column without claims.
        raise whole_record_error(place, str(error.args[0]) if isinstance(error, KeyError) else "a field") from None
    return Verification(said, tuple(checks))


def _record_checks(record: Record, plan: RecordedPlan, ledger: Ledger | None, *signature: Check) -> Iterator[Check]:
    extra = tuple(step for claim in record.claims.values() for step in bought_steps(claim))
    steps = (*plan.steps, *extra)
    yield from _plan_checks(record, plan)
    yield from _claim_checks(record, plan, extra)
    counted = tuple(_ledger_checks(record, ledger, steps))
    yield from counted
    vouched = any(check.name in (SIGNATURE, COMPLETION) and check.holds for check in (*signature, *counted))
    yield from _letters_checks(record, vouched)


def _signature_check(record: Path, key: Path) -> Check:
    reason = why_not_signed(record, public_key(key))
    return Check(SIGNATURE, True) if reason is None else Check(SIGNATURE, False, reason)


def _plan_checks(record: Record, plan: RecordedPlan) -> Iterator[Check]:
    said, computed = record.plan, recorded_plan(plan).columns
    planned = [*said.public, *(name for one in plan.columns for name in one.writes)]
    yield same(Sentence("columns of the plan"), sorted(record.output.columns), sorted(planned))
    for name, column in said.columns.items():
        yield same(Sentence("plan of {column!s}", column=name), column, computed[name])
    seeded, counted = record.simulation_seed is not None, record.budget.ledger is not None
    holds = record.private != seeded and not (seeded and counted)
    yield checked(Sentence("source of noise"), holds, Sentence("noise from a seed is neither private nor paid for"))


def _release_checks(
    record: Record | PublicRecord, columns: Sequence[BoundColumn], place: Path, moved: Path | str | None
) -> Iterator[Check]:
    """That the release is the one the record names, and that its values can come from the mechanisms that are known."""
    said = record.output
    try:
        output = released_file(record, place) if moved is None else Path(moved)
    except VerificationError as error:
        yield failed(RELEASE, error)
        return
    path = str(output)
    if not output.is_file():
        yield Check(RELEASE, False, Sentence("{path!s} is not there", path=path))
        return
    untouched = file_digest(output) == said.sha256 and output.stat().st_size == said.bytes
    yield checked(RELEASE, untouched, Sentence("the digest of {path!s} is another", path=path))
    if not untouched:
        return
    try:
        bins = binnings(record.plan)
        found = read_back(output, said.format, columns, bins)
    except UnreadableError:
        reason = Sentence("{path!s} cannot be read as {format!s}", path=path, format=said.format)
        yield Check(ROWS, False, reason)
        return
    marked = () if record.private else (NOT_PRIVATE,)
    fits = found.rows == record.rows and found.columns == said.columns + marked
    yield checked(ROWS, fits, Sentence("{path!s} has others", path=path))
    for name in (*(one.name for one in columns), *marked):
        yield checked(
            Sentence("values of {column!s}", column=name),
            name not in found.impossible,
            Sentence("some are not outputs of its mechanism"),
        )
    for name in sorted(bins.keys() & set(record.plan.public)):
        of_the_bins = Sentence("bins of {column!s}", column=name)
        if labels_of(bins[name]):
            reason = Sentence("some values are not bins between its edges")
            yield checked(of_the_bins, name not in found.impossible, reason)
        else:
            yield Check(of_the_bins, None, Sentence("only edges that are numbers are compared with the labels"))


def _claim_checks(record: Record, plan: RecordedPlan, extra: tuple[Step, ...]) -> Iterator[Check]:
    yield same(Sentence("columns with claims"), sorted(record.claims), sorted(one.name for one in plan.columns))
    planned = recorded_plan(plan)
    for one in plan.columns:
        said, column = record.claims[one.name], planned.columns[one.name]
        computed = claims_of(column, one.mechanism)
        levels = computed.levels
        under_prior = tuple(sorted(set(said.levels) - set(levels))) if said.prior is not None else ()
        differ = tuple(
            notion
            for notion in {**levels, **said.levels}
            if notion not in under_prior and not agree(said.levels.get(notion), levels.get(notion))
        )
        holds = said.exact == computed.exact and _knows_its_prior(said, under_prior, column.origin) and not differ
        reason = other_levels(differ) if differ else ANOTHER
        yield checked(Sentence("claims of {column!s}", column=one.name), holds, reason)
        if under_prior:
            yield unknown_prior(one.name, under_prior)
    protects = (record.unit_of_protection, record.neighbours)
    yield same(Sentence("unit of protection"), protects, (UNIT_OF_PROTECTION, NEIGHBOURS))
    yield same(Sentence("kept inside"), record.keep_inside, keep_inside(record.plan, record.claims))
    assumed = tuple(assumptions(record.plan, record.claims, simulated=not record.private))
    yield same(Sentence("assumptions"), record.assumptions, assumed)
    steps, declared = (*plan.steps, *extra), declared_steps(plan, extra)
    computed_together = together_of(steps, planned.origin, declared)
    yield same(Sentence("guarantee of all columns together"), record.together, computed_together)
    spent = budget_of(steps, planned.origin, declared)
    yield same(Sentence("budget spent"), (record.budget.epsilon, record.budget.rho), (spent.epsilon, spent.rho))


def _knows_its_prior(said: Claims, under_prior: tuple[str, ...], origin: Origin) -> bool:
    """Whether a prior has an ε where it was bought and only there, and what rests on it says how private it is."""
    if said.prior is None:
        return said.prior_epsilon is None
    bought, under = said.prior is PriorOrigin.NOISY_HISTOGRAM, origin_under(said.prior, origin)
    told = {said.levels[notion].origin for notion in under_prior}
    return bought == (said.prior_epsilon is not None) and told <= {Origin.TABLE, under}


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
        yield failed(LEDGER, error)
        return
    place = None if entry is None else LedgerEntry(entry.dataset, entry.sequence, entry.hash)
    yield checked(Sentence("ledger entry"), place == said, Sentence("the ledger has no such spend"))
    if entry is None:
        return
    # That the entry costs what its steps cost, the ledger has checked.
    paid = agree_in_any_order(map(step_to_json, entry.steps), map(step_to_json, steps))
    yield checked(Sentence("ledger cost"), paid, Sentence("the ledger counted another cost than the record's"))
    done = [other for other in ledger.entries(entry.dataset) if other.reference == record.reference]
    digests = [other.digest for other in done if other.digest is not None]
    held = digests == [record.digest]
    yield checked(COMPLETION, held, Sentence("the ledger completed another record, or none"))


def _letters_checks(record: Record, vouched: bool) -> Iterator[Check]:
    """That letters were declared stands in the record alone: who changes it there changes all that follows from it."""
    for name, column in record.plan.columns.items():
        if column.letters == DECLARED:
            reason = Sentence("only a signature or the ledger can show that they were declared")
            letters = Sentence("letters of {column!s}", column=name)
            yield Check(letters, True) if vouched else Check(letters, None, reason)
