"""The record of a release: what was done, what it guarantees, what it cost, and digests to check all of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from leakgauge.claims import NOTIONS, ApproximateDP, CentralDP
from leakgauge.claims.quantities import exact_json, statement_json
from leakgauge.errors import FileError, LeakgaugeError, VerificationError
from leakgauge.mechanisms import MECHANISMS, Mechanism, spelled
from leakgauge.notions import level_json, relate_channel, relate_statements
from leakgauge.notions.composition import Step, compose
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.bound import BoundColumn, BoundPlan
from leakgauge.release.ledger import ONE_ROW, Cost, Entry
from leakgauge.release.priors import Prior

RECORD_SCHEMA = "leakgauge/release/1"
DELTA = 1e-6
"""The δ at which a record says what all columns together guarantee."""
_LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")
PROTECTED = {"unit_of_protection": ONE_ROW, "neighbours": "replace-one"}
"""What a released table protects."""
THIS_TABLE = PriorOrigin.THIS_TABLE.value
DECLARED = "declared"
"""Where letters come from: the table, or the plan."""
_OF_A_TABLE = {"central-identifiability", "central-mutual-information"}
"""Notions of a whole table; a record speaks of one row."""

ANY_NAME = "*"
"""In FIELDS: whatever the name, as of a column."""
_QUANTITY = dict.fromkeys(("value", "low", "high", "confidence", "delta", "order"), float | int | str | None) | {
    "unit": str
}
_SIDE = {"columns": [{"name": str, "type": str}], "labels": list}
FIELDS: Mapping[str, Any] = {
    "schema": str,
    "reference": str,
    "created": str,
    "private": bool,
    "simulation_seed": int | None,
    "rows": int,
    "output": {"file": str, "format": str, "columns": [str], "bytes": int, "sha256": str},
    "plan": {
        "public": [str],
        "columns": {
            ANY_NAME: {
                "mechanism": str,
                "epsilon": float | int | None,
                "reads": [str],
                "writes": [str],
                "letters": str | None,
                "channel_prior": str | None,
                "channel": {"schema": str, "prior_origin": str, "inputs": _SIDE, "outputs": _SIDE, "matrix": list},
            }
        },
    },
    "unit_of_protection": str,
    "neighbours": str,
    "claims": {
        ANY_NAME: {
            "prior": str | None,
            "prior_epsilon": float | int | None,
            "exact": bool,
            "levels": {ANY_NAME: {**_QUANTITY, "witness": {"inputs": [str], "output": str | None}}},
        }
    },
    "together": {ANY_NAME: {**_QUANTITY, "method": str}},
    "budget": {"epsilon": _QUANTITY, "rho": _QUANTITY, "ledger": {"dataset": str, "entry": int, "hash": str}},
    "assumptions": [str],
    "versions": {ANY_NAME: str},
    "digest": str,
}
"""Every field that a record may have, with the type of its value; another one is refused.

A group of fields may be null. What is nobody's field could say anything beside fields that are checked.
"""


def make_record(
    plan: BoundPlan,
    priors: Mapping[str, Prior],
    extra_steps: tuple[Step, ...],
    *,
    output: Path,
    record: Path,
    rows: int,
    reference: str,
    simulation_seed: int | None,
    entry: Entry | None,
) -> dict[str, Any]:
    """The fields of a record; none of them is computed from the table's values unless its origin says so."""
    planned = plan_json(plan)
    claims = {one.name: claims_json(one.mechanism, priors.get(one.name)) for one in plan.columns}
    return {
        "schema": RECORD_SCHEMA,
        "reference": reference,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "private": simulation_seed is None,
        "simulation_seed": simulation_seed,
        "rows": rows,
        "output": {
            "file": _path_from(record, output),
            "format": output.suffix.lower().lstrip("."),
            "columns": list(plan.order),
        },
        "plan": planned,
        **PROTECTED,
        "claims": claims,
        "together": together_json((*plan.steps, *extra_steps)),
        "budget": budget_json((*plan.steps, *extra_steps), entry),
        "assumptions": assumptions(planned, claims, simulation_seed is not None),
        "versions": {
            "leakgauge": version("leakgauge"),
            "python": platform.python_version(),
            **{name: version(name) for name in _LIBRARIES},
        },
    }


def sealed(fields: Mapping[str, Any], output_digest: str, output_bytes: int) -> dict[str, Any]:
    """The record with the digest of its release and, over everything else, its own."""
    output = {**fields["output"], "bytes": output_bytes, "sha256": output_digest}
    whole = {**fields, "output": output}
    return {**whole, "digest": digest_of(whole)}


def record_text(fields: Mapping[str, Any]) -> str:
    """The record as the text of its file."""
    return json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def digest_of(fields: Mapping[str, Any]) -> str:
    """SHA-256 over the fields in a fixed spelling, the digest itself left out."""
    rest = {name: value for name, value in fields.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_record(path: Path | str) -> dict[str, Any]:
    """The fields of a record file.

    Raises:
        FileError: the file cannot be read or is not a record.
        VerificationError: its digest is not that of its fields, or it has a field that no record has.
    """
    place = Path(path)
    fields = parsed_json(place)
    require_schema(fields, RECORD_SCHEMA, place)
    try:
        digest = digest_of(fields)
    except ValueError:
        raise FileError("{path} holds a number that is not finite, which no record has.", path=place) from None
    if fields.get("digest") != digest:
        raise VerificationError("{path} was changed: its digest is not that of its fields.", path=place)
    _require_fields(fields, FIELDS, (), place)
    _require_channels(fields, place)
    return fields


def released_file(fields: Mapping[str, Any], record: Path) -> Path:
    """The release that a record names, which lies beside the record or below its folder.

    Raises:
        VerificationError: the record names any other file; whoever checks a record does not open files for it.
        FileError: the record names none.
    """
    try:
        name = str(fields["output"]["file"])
    except (KeyError, TypeError):
        raise whole_record_error(record, "output") from None
    folder = record.resolve().parent
    try:
        inside = (folder / name).resolve().is_relative_to(folder)
    except (OSError, ValueError, RuntimeError):
        inside = False
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts or not inside:
        raise VerificationError(
            "{path} names {found!r} as its release, which does not lie beside the record or below its folder.",
            path=record,
            found=name,
        )
    return folder / name


def whole_record_error(place: Path, what: str) -> FileError:
    """What to raise where a field is missing or cannot be what it says."""
    return FileError("{path} is not a whole record: {what!r} is missing or malformed.", path=place, what=what)


def _path_from(record: Path, output: Path) -> str:
    """The path to the release from its record's folder; its name alone where it lies elsewhere.

    A reader opens no file outside that folder on a record's word, and need not know how other folders are called.
    """
    folder, place = record.resolve().parent, output.resolve()
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else output.name


def _require_channels(fields: Mapping[str, Any], place: Path) -> None:
    """Refuse a mechanism that is a file: a record holds its channels itself, and names no file to read them from."""
    columns = (fields.get("plan") or {}).get("columns") or {}
    for name, column in columns.items():
        kind = str(column.get("mechanism")).partition(":")[0]
        if column.get("channel") is None and (kind == "channel" or kind not in MECHANISMS):
            raise VerificationError(
                "{path} has neither a channel nor a known mechanism for column {name!r}.", path=place, name=name
            )


def _require_fields(found: object, known: Any, path: tuple[str, ...], place: Path) -> None:
    if isinstance(known, Mapping) and isinstance(found, dict):
        for name, value in found.items():
            if name not in known and ANY_NAME not in known:
                raise VerificationError(
                    "{path} has a field {name!r} that no record has: somebody added it, or a newer version wrote it.",
                    path=place,
                    name=".".join((*path, name)),
                )
            _require_fields(value, known.get(name, known.get(ANY_NAME)), (*path, name), place)
    elif isinstance(known, list) and isinstance(found, list):
        for value in found:
            _require_fields(value, known[0], path, place)
    elif not (
        found is None if isinstance(known, Mapping) else not isinstance(known, list) and isinstance(found, known)
    ):
        raise whole_record_error(place, ".".join(path))


def plan_json(plan: BoundPlan) -> dict[str, Any]:
    """The plan with everything needed to compute its claims again."""
    return {"public": list(plan.public), "columns": {one.name: _column_json(one) for one in plan.columns}}


def _column_json(one: BoundColumn) -> dict[str, Any]:
    channel = one.channel
    return {
        "mechanism": spelled(one.mechanism),
        "epsilon": one.mechanism.parameters.get("epsilon"),
        "reads": list(one.reads),
        "writes": list(one.writes),
        "letters": _letters_from(one) if "letters" in one.mechanism.parameters else None,
        "channel_prior": None if channel is None or channel.prior_origin is None else channel.prior_origin.value,
        "channel": None if channel is None else channel.as_json(),
    }


def _letters_from(one: BoundColumn) -> str:
    return THIS_TABLE if one.letters_from_table else DECLARED


def claims_json(mechanism: Mechanism, prior: Prior | None = None) -> dict[str, Any]:
    """What a mechanism guarantees one row, in every notion: exact where its channel is known, else implied."""
    channel = mechanism.channel()
    if channel is not None:
        return {
            "prior": None if prior is None else prior.origin.value,
            "prior_epsilon": None if prior is None else prior.epsilon,
            "exact": True,
            "levels": _exact_levels(channel, prior),
        }
    found = relate_statements(mechanism.claims)
    levels = {
        NOTIONS[name].name.replace("-", "_"): statement_json(statement)
        for name, statement in found.items()
        if statement is not None and name not in _OF_A_TABLE
    }
    return {"prior": None, "prior_epsilon": None, "exact": False, "levels": levels}


def _exact_levels(channel: Channel, prior: Prior | None) -> dict[str, Any]:
    relation = relate_channel(channel, None if prior is None else prior.distribution)
    return {name: level_json(level) for name, level in relation.levels.items()}


def together_json(steps: tuple[Step, ...]) -> dict[str, Any]:
    """What all columns of one row guarantee together, at δ = 0 and at a small one."""
    found: dict[str, Any] = {}
    for delta in (0.0, DELTA):
        try:
            whole = compose(steps, delta)
        except LeakgaugeError:
            continue
        statement = CentralDP(whole.epsilon) if delta == 0 else ApproximateDP(whole.epsilon, delta)
        key = "dp" if delta == 0 else "approximate_dp"
        found[key] = {**statement_json(statement), "method": str(whole.method)}
    return found


def budget_json(steps: tuple[Step, ...], entry: Entry | None) -> dict[str, Any]:
    """What was spent, and the ledger's entry where there is one."""
    cost = Cost(steps)
    return {
        "epsilon": exact_json(cost.epsilon, "nats"),
        "rho": exact_json(cost.rho, "nats"),
        "ledger": entry and {"dataset": entry.dataset, "entry": entry.sequence, "hash": entry.hash},
    }


def assumptions(plan: Mapping[str, Any], claims: Mapping[str, Any], simulated: bool) -> list[str]:
    """What must hold for the claims to hold, in sentences, from the plan and the claims of a record."""
    said = [
        "Neighbouring tables differ in the values of one row; the number of rows and their order are public.",
        "The names and types of the columns are public.",
        "Columns named as public are released as they are and are not protected.",
    ]
    columns = plan["columns"].items()
    own = [name for name, column in columns if column["letters"] == THIS_TABLE]
    if own:
        said.append(f"The letters of {', '.join(own)} were taken from this table; which values occur is not protected.")
    designed = [name for name, column in columns if column["channel_prior"] == THIS_TABLE]
    if designed:
        said.append(
            f"The channels of {', '.join(designed)} were designed from this table; their ε holds for the fixed channel "
            "only."
        )
    if any(claim["prior"] == THIS_TABLE for claim in claims.values()):
        said.append("Levels under a prior of this table are as private as the table; keep this record inside.")
    if simulated:
        said.append("This is a simulation: its noise follows from a seed, so it protects nobody and is not a release.")
    return said
