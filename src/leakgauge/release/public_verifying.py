"""What can be checked of a public record, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leakgauge.artefacts.channel_file import named_channel
from leakgauge.errors import LeakgaugeError, VerificationError
from leakgauge.mechanisms import Mechanism
from leakgauge.notions.composition import Step
from leakgauge.release.checking import Check, agree, same
from leakgauge.release.planned import mechanism_of
from leakgauge.release.public_record import column_levels, column_steps, lacking, lacks_letters, may_be_lacking
from leakgauge.release.record import PROTECTED, assumptions, budget_json, keep_inside, together_json


def public_checks(fields: Mapping[str, Any], place: Path) -> Iterator[Check]:
    """Every check of a public record but that of its release; what it leaves out is named, and not looked at."""
    plan = fields["plan"]
    planned = [*plan["public"], *(name for column in plan["columns"].values() for name in column["writes"])]
    yield same("columns of the plan", sorted(fields["output"]["columns"]), sorted(planned))
    steps: list[Step] = []
    for name, column in plan["columns"].items():
        claimed = fields["claims"][name]
        if claimed is None:
            yield same(f"plan of {name}", [column["epsilon"], column["channel"]], [None, None])
            continue
        mechanism = _mechanism(column, place)
        yield same(f"plan of {name}", column["epsilon"], mechanism.parameters.get("epsilon"))
        steps += column_steps(column, claimed, mechanism)
        computed = column_levels(column, mechanism)
        differ = [notion for notion, level in computed.items() if not agree(claimed["levels"].get(notion), level)]
        reason = f"{', '.join(differ)} computed again gives another level" if differ else ""
        yield Check(f"claims of {name}", not differ, reason)
        under_prior = sorted(set(claimed["levels"]) - set(computed))
        if under_prior:
            reason = f"{', '.join(under_prior)} rest on a prior that is not kept"
            yield Check(f"claims of {name} under a prior", None, reason)
    yield same("unit of protection", {name: fields[name] for name in PROTECTED}, PROTECTED)
    yield same("kept inside", fields["keep_inside"], keep_inside(plan, fields["claims"]))
    yield same("assumptions", fields["assumptions"], assumptions(plan, fields["claims"], not fields["private"]))
    yield from _totals(fields, tuple(steps))
    found, needed = set(fields["left_out"]), set(lacking(plan, fields["claims"], simulated=not fields["private"]))
    listed = needed <= found <= needed.union(may_be_lacking(plan))
    yield Check("what is left out", listed, "" if listed else "it does not list what the record lacks")
    for left_out in fields["left_out"]:
        yield Check(left_out, None, "the public record leaves it out")
    yield Check("ledger", None, "a public record holds no hash of the ledger; check the record itself")


def _totals(fields: Mapping[str, Any], steps: tuple[Step, ...]) -> Iterator[Check]:
    if None in fields["claims"].values():
        if (fields["together"], fields["budget"]) != (None, None):
            yield Check("guarantee and budget", False, "they are given without the claims that they follow from")
        return
    yield same("guarantee of all columns together", fields["together"], together_json(steps))
    spent = {key: value for key, value in fields["budget"].items() if key != "ledger"}
    yield same("budget spent", spent, {key: budget_json(steps, None)[key] for key in spent})


def _mechanism(column: Mapping[str, Any], place: Path) -> Mechanism:
    try:
        channel = None if column["channel"] is None else named_channel(column["channel"], place)
        # Any values will do where they are left out: what is computed then follows from ε alone.
        return mechanism_of(column, channel, ("a", "b") if lacks_letters(column) else None)
    except LeakgaugeError as error:
        raise VerificationError("{path} names a mechanism that is none: {reason}", path=place, reason=error) from None
