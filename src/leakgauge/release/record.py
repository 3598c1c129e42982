"""The record of a release: what was done, what it guarantees, what it cost, and digests to check all of it."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import encode
from leakgauge.claims import ApproximateDP, CentralDP, Statement
from leakgauge.claims.quantities import exact_json, statement_json, with_hyphens
from leakgauge.errors import FileError, OptionError, VerificationError
from leakgauge.mechanisms import MECHANISMS, Mechanism, spelled
from leakgauge.notions import Circumstances, level_json, relate_channel, relate_statements
from leakgauge.notions.composition import Step, compose
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.release.bound import BoundColumn, BoundPlan, RecordedPlan
from leakgauge.release.ledger import ONE_ROW, Cost, Entry
from leakgauge.release.priors import Prior
from leakgauge.tables import Binning, Learnt, parse_binning, spelled_binning

RECORD_SCHEMA = "leakgauge/release/2"
_EARLIER_SCHEMA = "leakgauge/release/1"
"""The major before spelled the names of notions with underscores."""
PUBLIC_SCHEMA = "leakgauge/public-release/1"
"""Of the record that may be handed out."""
DELTA = 1e-6
"""The δ at which a record says what all columns together guarantee."""
_LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "opendp")
PROTECTED = {"unit_of_protection": ONE_ROW, "neighbours": "replace-one"}
"""What a released table protects."""
THIS_TABLE = PriorOrigin.THIS_TABLE.value
DECLARED = "declared"
"""Where letters come from: the table, or the plan."""
_SHAREABLE_ORIGINS = [origin.value for origin in PriorOrigin if not origin.keep_inside]
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
    "keep_inside": bool,
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
                "channel": {
                    "schema": str,
                    "prior_origin": str | None,
                    "keep_inside": bool | None,
                    "inputs": _SIDE,
                    "outputs": _SIDE,
                    "matrix": list,
                },
            }
        },
        "bins": {ANY_NAME: {"binning": str, "learnt": {"asked": str, "merged": int}}},
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
PUBLIC_FIELDS: Mapping[str, Any] = {name: kind for name, kind in FIELDS.items() if name != "simulation_seed"} | {
    "left_out": [str]
}
"""The same of a public record."""


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
        "keep_inside": keep_inside(planned, claims),
        "rows": rows,
        "output": {
            "file": path_from(record, output),
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


def read_record(path: Path | str, *, schemas: tuple[str, ...] = (RECORD_SCHEMA,)) -> dict[str, Any]:
    """The fields of a record file.

    Args:
        path: the file.
        schemas: the kinds of record that are taken, the best one first.

    Raises:
        FileError: the file cannot be read or is not a record.
        VerificationError: its digest is not that of its fields, or it has a field that no record has.
    """
    place = Path(path)
    fields = parsed_json(place)
    if fields.get("schema") not in (*schemas, _EARLIER_SCHEMA):
        require_schema(fields, schemas[0], place)
    try:
        digest = digest_of(fields)
    except ValueError:
        raise FileError("{path} holds a number that is not finite, which no record has.", path=place) from None
    if fields.get("digest") != digest:
        raise VerificationError("{path} was changed: its digest is not that of its fields.", path=place)
    fields = current(fields)
    if fields["schema"] == PUBLIC_SCHEMA:
        _require_fields(fields, PUBLIC_FIELDS, (), place)
    else:
        _require_fields(fields, FIELDS, (), place)
        _require_channels(fields, place)
    return fields


def current(fields: dict[str, Any]) -> dict[str, Any]:
    """A record of the earlier major with the fields and the names of notions that it has today; any other as it is."""
    if fields["schema"] != _EARLIER_SCHEMA:
        return fields
    try:
        claims = {name: {**one, "levels": with_hyphens(one["levels"])} for name, one in fields["claims"].items()}
        added = {"together": with_hyphens(fields["together"]), "keep_inside": keep_inside(fields["plan"], claims)}
    except (KeyError, TypeError, AttributeError, ValueError):
        return fields  # not a whole record, which whoever reads on finds and says
    return {**fields, "schema": RECORD_SCHEMA, "claims": claims, **added}


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


def path_from(record: Path, output: Path) -> str:
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


def plan_json(plan: RecordedPlan) -> dict[str, Any]:
    """The plan with everything needed to compute its claims again."""
    return {
        "public": list(plan.public),
        "bins": {name: _binning_json(how) for name, how in plan.bins.items()},
        "columns": {one.name: _column_json(one) for one in plan.columns},
    }


def recorded_bins(fields: Mapping[str, Any]) -> dict[str, Binning]:
    """How the columns of a record's plan are binned; edges that were learnt from the table are those of the record."""
    return {name: parse_binning(one["binning"]) for name, one in fields["plan"].get("bins", {}).items()}


def _binning_json(binning: Binning) -> dict[str, Any]:
    learnt = isinstance(binning, Learnt) and {
        "asked": spelled_binning(binning.quantiles),
        "merged": binning.merged,
    }
    return {"binning": spelled_binning(binning), "learnt": learnt or None}


def _column_json(one: BoundColumn) -> dict[str, Any]:
    channel = one.channel
    return {
        "mechanism": spelled(one.mechanism),
        "epsilon": one.mechanism.parameters.get("epsilon"),
        "reads": list(one.reads),
        "writes": list(one.writes),
        "letters": _letters_from(one) if "letters" in one.mechanism.parameters else None,
        "channel_prior": None if channel is None or channel.prior_origin is None else channel.prior_origin.value,
        "channel": None if channel is None else encode(ChannelFile.of(channel)),
    }


def _letters_from(one: BoundColumn) -> str:
    return THIS_TABLE if one.letters_from_table else DECLARED


def follows_from_counts(column: Mapping[str, Any]) -> bool:
    """Whether the numbers of a planned column may follow from private counts.

    A channel that does not say where it comes from is taken to be designed from the table, as most are.
    """
    if column["channel"] is None or column["mechanism"].partition(":")[0] == "randomized-response":
        return False
    return column["channel_prior"] not in _SHAREABLE_ORIGINS


def keep_inside(plan: Mapping[str, Any], claims: Mapping[str, Any]) -> bool:
    """Whether private counts can be computed from a record: from its channels, or from levels under a private prior."""
    priors = [claim["prior"] for claim in claims.values() if claim is not None and claim["prior"] is not None]
    channels = any(map(follows_from_counts, plan["columns"].values()))
    return channels or any(PriorOrigin(prior).keep_inside for prior in priors)


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
    known = Circumstances(values=mechanism.capabilities.values)
    return {"prior": None, "prior_epsilon": None, "exact": False, "levels": implied_levels(mechanism.claims, known)}


def implied_levels(statements: Iterable[Statement], known: Circumstances | None = None) -> dict[str, Any]:
    """What statements imply of one row, in every notion."""
    return {
        name: statement_json(statement)
        for name, statement in relate_statements(statements, known).items()
        if statement is not None and name not in _OF_A_TABLE
    }


def _exact_levels(channel: Channel, prior: Prior | None) -> dict[str, Any]:
    relation = relate_channel(channel, None if prior is None else prior.distribution)
    return {name: level_json(level) for name, level in relation.levels.items()}


def together_json(steps: tuple[Step, ...]) -> dict[str, Any]:
    """What all columns of one row guarantee together, at δ = 0 and at a small one."""
    found: dict[str, Any] = {}
    for delta in (0.0, DELTA):
        try:
            whole = compose(steps, delta)
        except OptionError:
            continue
        statement = CentralDP(whole.epsilon) if delta == 0 else ApproximateDP(whole.epsilon, delta)
        found[statement.name] = {**statement_json(statement), "method": str(whole.method)}
    return found


def budget_json(steps: tuple[Step, ...], entry: Entry | None) -> dict[str, Any]:
    """What was spent, and the ledger's entry where there is one."""
    cost = Cost(steps)
    return {
        "epsilon": exact_json(cost.epsilon, "nats"),
        "rho": exact_json(cost.rho, "nats"),
        "ledger": entry and {"dataset": entry.dataset, "entry": entry.sequence, "hash": entry.hash},
    }


def said_of_bins(plan: Mapping[str, Any]) -> list[str]:
    """Which columns of a record's plan are in bins, and what was learnt from the table for that, in sentences."""
    bins = plan.get("bins", {})
    learnt = [name for name, one in bins.items() if one["learnt"]]
    merged = [name for name in learnt if bins[name]["learnt"]["merged"]]
    said = []
    if bins:
        said.append(f"In bins, which are what is released and counted: {', '.join(bins)}.")
    if learnt:
        said.append(
            f"The edges of the bins of {', '.join(learnt)} were learnt from this table and rounded; they are not "
            "protected."
        )
    if merged:
        said.append(f"There are fewer bins of {', '.join(merged)} than asked for: edges coincided and were merged.")
    return said


def assumptions(plan: Mapping[str, Any], claims: Mapping[str, Any], simulated: bool) -> list[str]:
    """What must hold for the claims to hold, in sentences, from the plan and the claims of a record."""
    said = [
        "Neighbouring tables differ in the values of one row; the number of rows and their order are public.",
        "The names and types of the columns are public.",
        "Columns named as public are released as they are, or in their bins, and are not protected."
        if set(plan["public"]).intersection(plan.get("bins", {}))
        else "Columns named as public are released as they are and are not protected.",
    ]
    columns = plan["columns"].values()
    said += said_of_bins(plan)
    own = [name for column in columns if column["letters"] == THIS_TABLE for name in column["writes"]]
    if own:
        said.append(f"The letters of {', '.join(own)} were taken from this table; which values occur is not protected.")
    for origin in PriorOrigin:
        designed = [name for column in columns if column["channel_prior"] == origin.value for name in column["writes"]]
        if designed and origin.keep_inside:
            said.append(
                f"The channels of {', '.join(designed)} were designed from {origin.value}; their ε holds for the fixed "
                "channel only."
            )
    priors = {claim["prior"] for claim in claims.values() if claim is not None}
    if PriorOrigin.THIS_TABLE.value in priors:
        said.append("Levels under a prior of this table are as private as the table; keep this record inside.")
    if PriorOrigin.ANOTHER_TABLE.value in priors:
        said.append("Levels under a prior of another table are as private as that table; keep this record inside.")
    telling = [column for column in columns if follows_from_counts(column)]
    told = [name for column in telling if column["channel_prior"] is not None for name in column["writes"]]
    unknown = [name for column in telling if column["channel_prior"] is None for name in column["writes"]]
    if told:
        said.append(
            f"Keep this record inside: from the channels of {', '.join(told)} the exact counts of the table can be "
            "computed; hand out the public record."
        )
    if unknown:
        said.append(
            f"Keep this record inside: the channels of {', '.join(unknown)} do not say from which counts they were "
            "designed; hand out the public record."
        )
    if simulated:
        said.append("This is a simulation: its noise follows from a seed, so it protects nobody and is not a release.")
    return said
