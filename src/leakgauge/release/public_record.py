"""The public record: what may be handed out with a release, without anything that follows from private counts.

It is built from nothing but fields that are named here, so a field that is new in a record is left out until somebody
decides that it may be handed out. No digest of the record and no hash of the ledger are in it: whoever guesses the
counts could confirm the guess with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from leakgauge.mechanisms import Mechanism
from leakgauge.notions.composition import Claimed, Step, step_of
from leakgauge.probability import PriorOrigin
from leakgauge.release.priors import histogram_steps
from leakgauge.release.record import (
    PROTECTED,
    PUBLIC_SCHEMA,
    THIS_TABLE,
    assumptions,
    budget_json,
    claims_json,
    digest_of,
    follows_from_counts,
    implied_levels,
    path_from,
    together_json,
)

OF_THE_LEDGER = "hash of the ledger"
WITHHELD = "withheld"
"""In place of a mechanism that was chosen by what it does to the table."""
_OF_THE_RECORD = ("reference", "created", "private", "rows")
_OF_THE_OUTPUT = ("format", "columns", "bytes", "sha256")
_OF_A_COLUMN = ("epsilon", "reads", "writes", "letters", "channel_prior")


def public_place(output: Path) -> Path:
    """Where the public record of a release lies unless it is told otherwise."""
    return output.with_name(output.name + ".public.json")


def make_public_record(
    fields: Mapping[str, Any],
    mechanisms: Mapping[str, Mechanism],
    output: Path,
    place: Path,
    *,
    chosen_from_table: bool = False,
) -> dict[str, Any]:
    """The fields of the public record.

    Args:
        fields: of the record, sealed.
        mechanisms: by the names of the plan's columns.
        output: the release.
        place: of the public record.
        chosen_from_table: whether the mechanisms were chosen by what they do to the table, so that which ones they are
            tells of its counts.
    """
    planned = fields["plan"]["columns"]
    private = [name for name, column in planned.items() if chosen_from_table or follows_from_counts(column)]
    plan: dict[str, Any] = {
        "public": fields["plan"]["public"],
        "columns": {
            name: _withheld(column) if chosen_from_table else _column(column) for name, column in planned.items()
        },
        # The bins are the labels of the released file.
        "bins": fields["plan"]["bins"],
    }
    claims = {
        name: None if name in private else _claims(column, fields["claims"][name], mechanisms[name])
        for name, column in plan["columns"].items()
    }
    whole = {
        "schema": PUBLIC_SCHEMA,
        **{name: fields[name] for name in _OF_THE_RECORD},
        "keep_inside": False,
        "output": {
            "file": path_from(place, output),
            **{name: fields["output"][name] for name in _OF_THE_OUTPUT},
        },
        "plan": plan,
        **PROTECTED,
        "claims": claims,
        **_totals(plan, claims, mechanisms, fields["budget"]["ledger"]),
        "assumptions": assumptions(plan, claims, not fields["private"]),
        "left_out": list(_left_out(fields, plan, claims)),
        "versions": fields["versions"],
    }
    return {**whole, "digest": digest_of(whole)}


def column_steps(column: Mapping[str, Any], claim: Mapping[str, Any], mechanism: Mechanism) -> tuple[Step, ...]:
    """What a column of a record costs: by its law, or by its claim where its letters are left out."""
    step = Claimed(mechanism.claims[0]) if lacks_letters(column) else step_of(mechanism)
    bought = claim["prior"] == PriorOrigin.NOISY_HISTOGRAM.value
    return (step, *(histogram_steps(float(claim["prior_epsilon"])) if bought else ()))


def column_levels(column: Mapping[str, Any], mechanism: Mechanism) -> dict[str, Any]:
    """What a column of a record guarantees one row whatever the prior."""
    if lacks_letters(column):
        return implied_levels(mechanism.claims)
    levels: dict[str, Any] = claims_json(mechanism)["levels"]
    return levels


def lacks_letters(column: Mapping[str, Any]) -> bool:
    """Whether the letters of a planned column are left out: how many there are tells of the table too."""
    return column["letters"] == THIS_TABLE and "letters=" not in column["mechanism"] and column["mechanism"] != WITHHELD


def _withheld(column: Mapping[str, Any]) -> dict[str, Any]:
    """A planned column without its mechanism."""
    kept = {name: column[name] for name in _OF_A_COLUMN}
    return {"mechanism": WITHHELD, **kept, "epsilon": None, "channel_prior": None, "channel": None}


def _column(column: Mapping[str, Any]) -> dict[str, Any]:
    """A planned column without the values that were taken from the table and without a channel of private counts."""
    kept = {name: column[name] for name in _OF_A_COLUMN}
    if follows_from_counts(column):
        return {"mechanism": column["mechanism"].partition(":")[0], **kept, "epsilon": None, "channel": None}
    if column["letters"] == THIS_TABLE:
        return {"mechanism": re.split("[,:]letters=", column["mechanism"], maxsplit=1)[0], **kept, "channel": None}
    return {"mechanism": column["mechanism"], **kept, "channel": column["channel"]}


def _claims(column: Mapping[str, Any], said: Mapping[str, Any], mechanism: Mechanism) -> dict[str, Any]:
    private = said["prior"] is not None and PriorOrigin(said["prior"]).keep_inside
    if not private and not lacks_letters(column):
        return dict(said)
    return {
        "prior": None if private else said["prior"],
        "prior_epsilon": None if private else said["prior_epsilon"],
        "exact": said["exact"] and not lacks_letters(column),
        "levels": column_levels(column, mechanism),
    }


def _totals(
    plan: Mapping[str, Any],
    claims: Mapping[str, Any],
    mechanisms: Mapping[str, Mechanism],
    ledger: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What all columns guarantee and cost together; null where that of one of them is left out."""
    if any(claim is None for claim in claims.values()):
        return {"together": None, "budget": None}
    columns = plan["columns"].items()
    steps = tuple(step for name, column in columns for step in column_steps(column, claims[name], mechanisms[name]))
    counted = None if ledger is None else {name: ledger[name] for name in ("dataset", "entry")}
    return {"together": together_json(steps), "budget": {**budget_json(steps, None), "ledger": counted}}


def _left_out(fields: Mapping[str, Any], plan: Mapping[str, Any], claims: Mapping[str, Any]) -> Iterator[str]:
    """The names of what the record has and the public record does not."""
    yield from lacking(plan, claims, simulated=not fields["private"])
    for name, column in plan["columns"].items():
        if claims[name] is not None and fields["claims"][name]["prior"] is not None and claims[name]["prior"] is None:
            yield _under_a_prior(column)
    if fields["budget"]["ledger"] is not None:
        yield OF_THE_LEDGER


def lacking(plan: Mapping[str, Any], claims: Mapping[str, Any], *, simulated: bool) -> Iterator[str]:
    """The names of what a public record leaves out, as far as the rest of it tells."""
    if simulated:
        yield "seed of the simulation"
    for name, column in plan["columns"].items():
        written = ", ".join(column["writes"])
        if column["mechanism"] == WITHHELD:
            yield f"mechanism of {written}"
        elif lacks_letters(column):
            yield f"letters of {written}"
        elif column["mechanism"].partition(":")[0] == "channel" and column["channel"] is None:
            yield f"channel of {written}"
        if claims[name] is None:
            yield f"claims of {written}"
    if any(claim is None for claim in claims.values()):
        yield from ("together", "budget")
    yield "digest of the record"


def may_be_lacking(plan: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what a public record may leave out without anything else that shows it."""
    return (OF_THE_LEDGER, *map(_under_a_prior, plan["columns"].values()))


def _under_a_prior(column: Mapping[str, Any]) -> str:
    return f"claims of {', '.join(column['writes'])} under a prior"
