"""Verify a record: compute again what it says, read the release back, and compare.

What is compared stands in files that whoever changes one can change too, digests included. So a check shows integrity,
that everything fits together as a release leaves it, and not authenticity; that takes a signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.errors import LeakgaugeError, VerificationError
from leakgauge.notions.composition import Step
from leakgauge.probability import PriorOrigin
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.checking import ANOTHER, Check, agree, agree_in_any_order, failed, same
from leakgauge.release.ledger import Ledger
from leakgauge.release.ledger.steps import step_to_json
from leakgauge.release.planned import plan_of
from leakgauge.release.priors import histogram_steps
from leakgauge.release.public_verifying import public_checks
from leakgauge.release.reading import UnreadableError, labels_of, read_back
from leakgauge.release.record import (
    DECLARED,
    PROTECTED,
    PUBLIC_SCHEMA,
    RECORD_SCHEMA,
    assumptions,
    budget_json,
    claims_json,
    file_digest,
    keep_inside,
    plan_json,
    read_record,
    recorded_bins,
    released_file,
    together_json,
    whole_record_error,
)
from leakgauge.release.signing import public_key, why_not_signed
from leakgauge.release.writing import NOT_PRIVATE

SIGNATURE = "signature"
COMPLETION = "ledger completion"
INTEGRITY = (
    "This shows integrity, not authenticity: who can change a release and its record can make them fit each other; a "
    "signature shows who vouches for them."
)
AUTHENTICITY = "This shows integrity and authenticity: the owner of the key signed this very record."


@dataclass(frozen=True)
class Verification:
    """Every check of a record."""

    fields: Mapping[str, Any]
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
    def shows(self) -> str:
        """What the checks can show, in a sentence."""
        return AUTHENTICITY if self.signed else INTEGRITY

    def require(self) -> None:
        """Refuse a record with anything wrong.

        Raises:
            VerificationError: names what is wrong.
        """
        wrong = [f"{check.name} ({check.reason})" for check in self.checks if check.holds is False]
        if wrong:
            raise VerificationError("The record does not hold: {wrong}.", wrong="; ".join(wrong))


def verify(
    record: Path | str,
    *,
    released: Path | str | None = None,
    ledger: Ledger | None = None,
    signed_by: Path | str | None = None,
) -> Verification:
    """What holds of a record: its digest, its release, its claims and its budget, each computed again.

    Args:
        record: the record's file.
        released: the release, where it is not beside the record under the name it says.
        ledger: to check the spend and its completion; without one they are not looked at.
        signed_by: the file of a public Ed25519 key, to check the record's signature.

    Raises:
        FileError: the record or the key cannot be read or is not one.
        OptionError: a key is given and the extra ``signing`` is not installed.
    """
    place = Path(record)
    signature = () if signed_by is None else (_signature_check(place, Path(signed_by)),)
    try:
        fields = read_record(place, schemas=(RECORD_SCHEMA, PUBLIC_SCHEMA))
        plan = None if fields["schema"] == PUBLIC_SCHEMA else plan_of(fields, place)
    except VerificationError as error:
        return Verification({}, (*signature, failed("record", error)))
    except _MALFORMED as error:
        raise _not_whole(place, error) from None
    checks = [*signature, Check("record", True)]
    try:
        checks += _release_checks(fields, () if plan is None else plan.columns, place, released)
        checks += public_checks(fields, place) if plan is None else _record_checks(fields, plan, ledger, *signature)
    except _MALFORMED as error:
        raise _not_whole(place, error) from None
    return Verification(fields, tuple(checks))


def _record_checks(
    fields: Mapping[str, Any], plan: RecordedPlan, ledger: Ledger | None, *signature: Check
) -> Iterator[Check]:
    steps = (*plan.steps, *_bought(fields["claims"]))
    yield from _plan_checks(fields, plan)
    yield from _claim_checks(fields, plan, steps)
    counted = tuple(_ledger_checks(fields, ledger, steps))
    yield from counted
    vouched = any(check.name in (SIGNATURE, COMPLETION) and check.holds for check in (*signature, *counted))
    yield from _letters_checks(fields, vouched)


_MALFORMED = (KeyError, TypeError, AttributeError, IndexError, ValueError)


def _not_whole(place: Path, error: Exception) -> Exception:
    if isinstance(error, LeakgaugeError):
        return error
    return whole_record_error(place, str(error.args[0]) if isinstance(error, KeyError) else "a field")


def _signature_check(record: Path, key: Path) -> Check:
    reason = why_not_signed(record, public_key(key))
    return Check(SIGNATURE, not reason, reason)


def _plan_checks(fields: Mapping[str, Any], plan: RecordedPlan) -> Iterator[Check]:
    said, computed = fields["plan"], plan_json(plan)["columns"]
    planned = [*said["public"], *(name for one in plan.columns for name in one.writes)]
    yield same("columns of the plan", sorted(fields["output"]["columns"]), sorted(planned))
    for name, column in said["columns"].items():
        yield same(f"plan of {name}", column, computed[name])
    seeded, counted = fields["simulation_seed"] is not None, fields["budget"]["ledger"] is not None
    holds = fields["private"] != seeded and not (seeded and counted)
    yield Check("source of noise", holds, "" if holds else "noise from a seed is neither private nor paid for")


def _release_checks(
    fields: Mapping[str, Any], columns: Sequence[BoundColumn], place: Path, moved: Path | str | None
) -> Iterator[Check]:
    """That the release is the one the record names, and that its values can come from the mechanisms that are known."""
    said = fields["output"]
    try:
        output = released_file(fields, place) if moved is None else Path(moved)
    except VerificationError as error:
        yield failed("release", error)
        return
    if not output.is_file():
        yield Check("release", False, f"{output} is not there")
        return
    untouched = file_digest(output) == said["sha256"] and output.stat().st_size == said["bytes"]
    yield Check("release", untouched, "" if untouched else f"the digest of {output} is another")
    if not untouched:
        return
    try:
        bins = recorded_bins(fields)
        found = read_back(output, said["format"], columns, bins)
    except UnreadableError:
        yield Check("rows and columns", False, f"{output} cannot be read as {said['format']}")
        return
    marked = [] if fields["private"] else [NOT_PRIVATE]
    fits = found.rows == fields["rows"] and list(found.columns) == said["columns"] + marked
    yield Check("rows and columns", fits, "" if fits else f"{output} has others")
    for name in (*(one.name for one in columns), *marked):
        wrong = name in found.impossible
        yield Check(f"values of {name}", not wrong, "some are not outputs of its mechanism" if wrong else "")
    for name in sorted(bins.keys() & set(fields["plan"]["public"])):
        if not labels_of(bins[name]):
            yield Check(f"bins of {name}", None, "only edges that are numbers are compared with the labels")
            continue
        wrong = name in found.impossible
        yield Check(f"bins of {name}", not wrong, "some values are not bins between its edges" if wrong else "")


def _bought(claims: Mapping[str, Any]) -> tuple[Step, ...]:
    """What noisy histograms cost beside the columns."""
    priors = (said for said in claims.values() if said["prior"] == PriorOrigin.NOISY_HISTOGRAM.value)
    return tuple(step for said in priors for step in histogram_steps(float(said["prior_epsilon"])))


def _claim_checks(fields: Mapping[str, Any], plan: RecordedPlan, steps: tuple[Step, ...]) -> Iterator[Check]:
    yield same("columns with claims", sorted(fields["claims"]), sorted(one.name for one in plan.columns))
    for one in plan.columns:
        said, computed = fields["claims"][one.name], claims_json(one.mechanism)
        levels = computed["levels"]
        under_prior = sorted(set(said["levels"]) - set(levels)) if said["prior"] is not None else []
        differ = [
            notion
            for notion in {**levels, **said["levels"]}
            if notion not in under_prior and not agree(said["levels"].get(notion), levels.get(notion))
        ]
        exact = said["exact"] == computed["exact"] and _knows_its_prior(said)
        reason = f"{', '.join(differ)} computed again gives another level" if differ else ANOTHER
        holds = exact and not differ
        yield Check(f"claims of {one.name}", holds, "" if holds else reason)
        if under_prior:
            reason = f"{', '.join(under_prior)} rest on a prior that is not kept"
            yield Check(f"claims of {one.name} under a prior", None, reason)
    yield same("unit of protection", {name: fields[name] for name in PROTECTED}, PROTECTED)
    yield same("kept inside", fields["keep_inside"], keep_inside(fields["plan"], fields["claims"]))
    said = assumptions(fields["plan"], fields["claims"], not fields["private"])
    yield same("assumptions", fields["assumptions"], said)
    yield same("guarantee of all columns together", fields["together"], together_json(steps))
    spent = {key: value for key, value in fields["budget"].items() if key != "ledger"}
    yield same("budget spent", spent, {key: budget_json(steps, None)[key] for key in spent})


def _knows_its_prior(said: Mapping[str, Any]) -> bool:
    """Whether a prior is of an origin that there is, with an ε where it was bought and only there."""
    bought = said["prior"] == PriorOrigin.NOISY_HISTOGRAM.value
    return said["prior"] in (None, *(origin.value for origin in PriorOrigin)) and bought == (
        said["prior_epsilon"] is not None
    )


def _ledger_checks(fields: Mapping[str, Any], ledger: Ledger | None, steps: tuple[Step, ...]) -> Iterator[Check]:
    said = fields["budget"]["ledger"]
    if ledger is None:
        counted = "no ledger was given" if said is not None else "the release was not counted in a ledger"
        yield Check("ledger", None, counted)
        return
    if said is None:
        yield Check("ledger", False, "the release was not counted in a ledger")
        return
    try:
        ledger.check(said["hash"])
        entry = ledger.entry(fields["reference"])
    except VerificationError as error:
        yield failed("ledger", error)
        return
    place = {} if entry is None else {"dataset": entry.dataset, "entry": entry.sequence, "hash": entry.hash}
    yield Check("ledger entry", place == said, "" if place == said else "the ledger has no such spend")
    if entry is None:
        return
    # That the entry costs what its steps cost, the ledger has checked.
    paid = agree_in_any_order(map(step_to_json, entry.steps), map(step_to_json, steps))
    yield Check("ledger cost", paid, "" if paid else "the ledger counted another cost than the record's")
    done = [other for other in ledger.entries(entry.dataset) if other.reference == fields["reference"]]
    digests = [other.digest for other in done if other.digest is not None]
    held = digests == [fields["digest"]]
    yield Check(COMPLETION, held, "" if held else "the ledger completed another record, or none")


def _letters_checks(fields: Mapping[str, Any], vouched: bool) -> Iterator[Check]:
    """That letters were declared stands in the record alone: who changes it there changes all that follows from it."""
    for name, column in fields["plan"]["columns"].items():
        if column["letters"] == DECLARED:
            reason = "" if vouched else "only a signature or the ledger can show that they were declared"
            yield Check(f"letters of {name}", vouched or None, reason)
