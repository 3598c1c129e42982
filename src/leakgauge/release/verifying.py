"""Verify a record: compute again what it says, and compare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.errors import FileError, LeakgaugeError, VerificationError
from leakgauge.mechanisms import Mechanism, parse_mechanism, randomized_response, through_channel
from leakgauge.notions.composition import Step
from leakgauge.probability.files import channel_from_json
from leakgauge.release.ledger import Ledger
from leakgauge.release.public_record import PUBLIC_SCHEMA, column_levels, column_steps, lacks_letters
from leakgauge.release.record import (
    PROTECTED,
    RECORD_SCHEMA,
    assumptions,
    budget_json,
    file_digest,
    keep_inside,
    read_record,
    together_json,
)
from leakgauge.release.writing import NOT_PRIVATE
from leakgauge.tables import open_table

_SAME = 1e-9
"""Numbers of another version of a library may differ by this much, relatively."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: what.
        holds: whether it is as the record says; None where it could not be looked at.
        reason: why not.
    """

    name: str
    holds: bool | None
    reason: str = ""


@dataclass(frozen=True)
class Verification:
    """Every check of a record."""

    fields: Mapping[str, Any]
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found wrong."""
        return all(check.holds is not False for check in self.checks)

    def require(self) -> None:
        """Refuse a record with anything wrong.

        Raises:
            VerificationError: names what is wrong.
        """
        wrong = [f"{check.name} ({check.reason})" for check in self.checks if check.holds is False]
        if wrong:
            raise VerificationError("The record does not hold: {wrong}.", wrong="; ".join(wrong))


def verify(record: Path | str, *, released: Path | str | None = None, ledger: Ledger | None = None) -> Verification:
    """What holds of a record: its digest, its release, its claims and its budget, each computed again.

    Args:
        record: the record's file.
        released: the release, where it is not beside the record under the name it says.
        ledger: to check the spend and its completion; without one they are not looked at.

    Raises:
        FileError: the record cannot be read or is not one.
    """
    place = Path(record)
    try:
        fields = read_record(place, schemas=(RECORD_SCHEMA, PUBLIC_SCHEMA))
    except VerificationError as error:
        return Verification({}, (Check("record", False, str(error).rstrip(".")),))
    checks = [Check("record", True)]
    try:
        output = Path(released) if released is not None else place.parent / str(fields["output"]["file"])
        checks += _release_checks(fields, output)
        checks += _claim_checks(fields, place)
        checks += _ledger_checks(fields, ledger)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        if isinstance(error, LeakgaugeError):
            raise
        what = repr(error.args[0]) if isinstance(error, KeyError) else "a field"
        raise FileError(
            "{path} is not a whole record: {what} is missing or malformed.", path=place, what=what
        ) from None
    return Verification(fields, tuple(checks))


def _release_checks(fields: Mapping[str, Any], output: Path) -> Iterator[Check]:
    if not output.is_file():
        yield Check("release", False, f"{output} is not there")
        return
    found = file_digest(output)
    same = found == fields["output"]["sha256"]
    yield Check("release", same, "" if same else f"the digest of {output} is another")
    with open_table(output) as table:
        columns = [column.name for column in table.columns()]
        marked = [] if fields["private"] else [NOT_PRIVATE]
        agree = table.rows == fields["rows"] and columns == fields["output"]["columns"] + marked
    yield Check("rows and columns", agree, "" if agree else f"{output} has others")
    plan = fields["plan"]
    planned = [*plan["public"], *(name for column in plan["columns"].values() for name in column["writes"])]
    yield _same("columns of the plan", sorted(fields["output"]["columns"]), sorted(planned))


def _claim_checks(fields: Mapping[str, Any], place: Path) -> Iterator[Check]:
    steps: list[Step] = []
    for name, column in fields["plan"]["columns"].items():
        said = fields["claims"][name]
        if said is None and fields["schema"] == PUBLIC_SCHEMA:
            continue
        mechanism = _mechanism(column, place)
        steps += column_steps(column, said, mechanism)
        computed = column_levels(column, mechanism)
        differ = [notion for notion, level in computed.items() if not _agree(said["levels"].get(notion), level)]
        yield Check(
            f"claims of {name}", not differ, f"{', '.join(differ)} computed again gives another level" if differ else ""
        )
        under_prior = sorted(set(said["levels"]) - set(computed))
        if under_prior:
            yield Check(
                f"claims of {name} under a prior", None, f"{', '.join(under_prior)} rest on a prior that is not kept"
            )
    yield _same("unit of protection", {name: fields[name] for name in PROTECTED}, PROTECTED)
    yield _same("kept inside", fields["keep_inside"], keep_inside(fields["plan"], fields["claims"]))
    said = assumptions(fields["plan"], fields["claims"], not fields["private"])
    yield _same("assumptions", fields["assumptions"], said)
    for left_out in fields.get("left_out", ()):
        yield Check(left_out, None, "the public record leaves it out")
    if fields["schema"] == PUBLIC_SCHEMA and None in fields["claims"].values():
        if (fields["together"], fields["budget"]) != (None, None):
            yield Check("guarantee and budget", False, "they are given without the claims that they follow from")
        return
    whole = tuple(steps)
    yield _same("guarantee of all columns together", fields["together"], together_json(whole))
    spent = {key: value for key, value in fields["budget"].items() if key != "ledger"}
    yield _same("budget spent", spent, {key: budget_json(whole, None)[key] for key in spent})


def _mechanism(column: Mapping[str, Any], place: Path) -> Mechanism:
    try:
        if column["channel"] is not None:
            channel = channel_from_json(column["channel"], place).channel
            if column["mechanism"].partition(":")[0] != "randomized-response":
                return through_channel(channel)
            made = randomized_response(channel.inputs, column["epsilon"])
            if made.exact != channel:
                raise VerificationError("its randomized response is not the channel it keeps.")
            return made
        # Any values will do where they are left out: what is computed then follows from ε alone.
        letters = ("a", "b") if lacks_letters(column) else None
        mechanism: Mechanism = parse_mechanism(column["mechanism"], letters)
        return mechanism
    except LeakgaugeError as error:
        raise VerificationError("{path} names a mechanism that is none: {reason}", path=place, reason=error) from None


def _ledger_checks(fields: Mapping[str, Any], ledger: Ledger | None) -> Iterator[Check]:
    if fields["schema"] == PUBLIC_SCHEMA:
        yield Check("ledger", None, "a public record holds no hash of the ledger; check the record itself")
        return
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
        yield Check("ledger", False, str(error).rstrip("."))
        return
    found = entry is not None and entry.hash == said["hash"]
    yield Check("ledger entry", found, "" if found else "the ledger has no such spend")
    done = [other for other in ledger.entries(said["dataset"]) if other.reference == fields["reference"]]
    digests = [other.digest for other in done if other.digest is not None]
    held = digests == [fields["digest"]]
    yield Check("ledger completion", held, "" if held else "the ledger completed another record, or none")


def _same(name: str, said: object, computed: object) -> Check:
    agree = _agree(said, computed)
    return Check(name, agree, "" if agree else "computed again it is another")


def _agree(said: object, computed: object) -> bool:
    if isinstance(said, dict) and isinstance(computed, dict):
        return said.keys() == computed.keys() and all(_agree(said[key], computed[key]) for key in said)
    if isinstance(said, list) and isinstance(computed, list):
        return len(said) == len(computed) and all(map(_agree, said, computed))
    if isinstance(said, int | float) and isinstance(computed, int | float):
        return math.isclose(said, computed, rel_tol=_SAME, abs_tol=1e-15)
    return said == computed
