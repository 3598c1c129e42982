"""Evidence as JSON, so that a second assessment reads what a first one measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from leakgauge.assessment.evidence import Evidence, Scale, Standing
from leakgauge.claims.quantities import number_json
from leakgauge.errors import FileError, ModelError, VerificationError
from leakgauge.probability.files import parsed_json

EVIDENCE_SCHEMA = "leakgauge/evidence/1"


def evidence_json(
    evidence: Iterable[Evidence], *, column: str | None = None, record: str | None = None
) -> dict[str, Any]:
    """The evidence of some leaves as the fields of a file.

    Args:
        evidence: of which leaves.
        column: whose evidence it is; it is written where it is given.
        record: the digest of the release's record, likewise.
    """
    told = {name: value for name, value in (("column", column), ("record", record)) if value is not None}
    return {"schema": EVIDENCE_SCHEMA, **told, "leaves": [_leaf_json(one) for one in evidence]}


def evidence_from_json(
    fields: Mapping[str, Any],
    file: object = "The evidence",
    *,
    column: str | None = None,
    record: str | None = None,
) -> tuple[Evidence, ...]:
    """Evidence from the fields of a file.

    Args:
        fields: of the file.
        file: its name, for messages.
        column: whose evidence it must be; any where it is left out.
        record: the digest of the record that it must come from, likewise.

    Raises:
        FileError: something else than evidence, or the same leaf twice.
        VerificationError: it is of another column or release, or does not say of which.
    """
    try:
        if fields["schema"] != EVIDENCE_SCHEMA:
            raise FileError("{file} is no evidence of schema {schema!r}.", file=file, schema=EVIDENCE_SCHEMA)
        found = tuple(_leaf(one) for one in fields["leaves"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FileError):
            raise
        reason = f" ({error})" if isinstance(error, ModelError) else ""
        raise FileError(
            "{file} is not whole evidence: a field is missing or malformed{reason}.", file=file, reason=reason
        ) from None
    leaves = [one.leaf for one in found]
    for leaf in leaves:
        if leaves.count(leaf) > 1:
            raise FileError("{file} has leaf {leaf} twice; keep one.", file=file, leaf=leaf)
    for name, wanted in (("column", column), ("record", record)):
        if wanted is not None and fields.get(name) != wanted:
            raise VerificationError(
                "{file} is not the evidence of the {name} {wanted!r}; measure it anew.",
                file=file,
                name=name,
                wanted=wanted,
            )
    return found


def read_evidence(path: Path | str, *, column: str | None = None, record: str | None = None) -> tuple[Evidence, ...]:
    """Evidence from a JSON file; column and record as of ``evidence_from_json``.

    Raises:
        FileError: a file that cannot be read, or holds something else.
        VerificationError: it is of another column or release.
    """
    return evidence_from_json(parsed_json(Path(path)), Path(path), column=column, record=record)


def _leaf_json(one: Evidence) -> dict[str, Any]:
    scale = one.scale
    return {
        "leaf": one.leaf,
        "standing": one.standing.value,
        "source": one.source,
        "value": _written(one.value),
        "unit": one.unit,
        "scale": None
        if scale is None
        else {"low": scale.low, "high": scale.high, "logarithmic": scale.logarithmic, "reason": scale.reason},
        "low": _written(one.low),
        "high": _written(one.high),
        "answers": list(one.answers),
        "null": _written(one.null),
        "raw": _written(one.raw),
        "details": {name: number_json(value) for name, value in one.details},
    }


def _leaf(fields: Mapping[str, Any]) -> Evidence:
    scale = fields["scale"]
    value, low, high, null, raw = (_read(fields[key]) for key in ("value", "low", "high", "null", "raw"))
    return Evidence(
        str(fields["leaf"]),
        Standing(fields["standing"]),
        str(fields["source"]),
        value,
        str(fields["unit"]),
        None
        if scale is None
        else Scale(float(scale["low"]), float(scale["high"]), bool(scale["logarithmic"]), str(scale["reason"])),
        low,
        high,
        answers=tuple(int(count) for count in fields["answers"]),
        null=null,
        raw=raw,
        details=tuple((str(name), float(number)) for name, number in fields["details"].items()),
    )


def _written(value: float | None) -> float | str | None:
    return None if value is None else number_json(value)


def _read(value: float | str | None) -> float | None:
    return None if value is None else float(value)
