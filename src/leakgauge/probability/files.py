"""Priors and weights as CSV files of ``label,value``; JSON and TOML read strictly; channels with their columns."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from leakgauge.errors import FileError, LabelError
from leakgauge.probability.channel import Channel
from leakgauge.probability.labels import Label, text_of

Groups: TypeAlias = tuple[tuple[int, ...], ...]
"""Places of inputs, those together that are compared with each other."""


class PriorOrigin(StrEnum):
    """Where a prior comes from."""

    PUBLIC = "public"
    THIS_TABLE = "this table"
    ANOTHER_TABLE = "another table"
    NOISY_HISTOGRAM = "noisy histogram"

    @property
    def keep_inside(self) -> bool:
        """Whether numbers that follow from the prior are kept private: its counts are private, and no budget paid for
        them.

        A designed channel is an exact function of the counts it was designed from, so they can be computed from it.
        """
        return self in (PriorOrigin.THIS_TABLE, PriorOrigin.ANOTHER_TABLE)


@dataclass(frozen=True)
class NamedChannel:
    """A channel with the names of the columns it reads and writes; several columns make tuple labels.

    ``prior_origin`` says from which prior it was designed, where it was: a channel designed from a private table is
    itself learnt from it, and its ε holds for the fixed channel only. The file then says ``keep_inside``, because the
    exact counts of the table can be computed from the channel.

    ``given`` are those of the inputs that everybody is taken to know: levels are of the others given these, and say
    nothing of what the output tells about them.
    """

    channel: Channel
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    prior_origin: PriorOrigin | None = None
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.given and not set(self.given) < set(self.inputs):
            raise LabelError(
                "The channel is conditional on {found!s}, but reads {inputs!s}; name some of the columns that it "
                "reads, but not all of them.",
                found=tuple(map(repr, self.given)),
                inputs=tuple(map(repr, self.inputs)),
            )

    @property
    def secrets(self) -> tuple[Label, ...]:
        """For each input its label without what is given."""
        if not self.given:
            return self.channel.inputs
        kept = [at for at, name in enumerate(self.inputs) if name not in self.given]
        parts = [tuple(label[at] for at in kept) for label in self.channel.inputs if isinstance(label, tuple)]
        return tuple(parts) if len(kept) > 1 else tuple(part for (part,) in parts)

    @property
    def compared(self) -> Groups | None:
        """The places of inputs that levels compare, those that agree in what is given; None where any two are."""
        if not self.given:
            return None
        at, groups = [self.inputs.index(name) for name in self.given], defaultdict[tuple[Label, ...], list[int]](list)
        for place, label in enumerate(self.channel.inputs):
            parts = _parts(label)
            groups[tuple(parts[one] for one in at)].append(place)
        return tuple(map(tuple, groups.values()))


def require_schema(fields: Mapping[str, Any], wanted: str, path: object) -> None:
    """Refuse a file of another kind, or of a major version we do not know."""
    found = fields.get("schema")
    if found != wanted:
        raise FileError(
            "{path} has the schema {found!r}, but this version reads {wanted!r}; use a file of that schema.",
            path=path,
            found=found,
            wanted=wanted,
        )


def read_label_values(path: Path | str, parts: int = 1) -> dict[str, float]:
    """The numbers of a CSV file ``label,value`` by the text of their labels; a first line of names is skipped.

    Labels of several parts may have a field for each part instead of one with ``|`` between them: ``1,2,0.25``.
    """
    place = Path(path)
    try:
        with place.open(encoding="utf-8-sig", newline="") as lines:
            rows = [row for row in csv.reader(lines) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileError("{path} cannot be read as UTF-8 CSV: {reason}.", path=place, reason=_reason(error)) from None
    names = [cell.strip().casefold() for cell in rows[0]] if rows else []
    if names == ["label", "value"] or (len(names) == parts + 1 > 2 and names[-1] == "value"):
        rows = rows[1:]
    width = parts + 1 if rows and len(rows[0]) == parts + 1 else 2
    values: dict[str, float] = {}
    for number, row in enumerate(rows, 1):
        label = "|".join(row[:-1])
        if len(row) != width or label in values:
            if parts > 1:
                raise FileError(
                    "Entry {number} of {path} has {found} fields or repeats a data set; write its {parts} records and "
                    "a number per line.",
                    number=number,
                    path=place,
                    found=len(row),
                    parts=parts,
                )
            raise FileError(
                "Entry {number} of {path} has {found} fields or repeats a label; write one label,value per line.",
                number=number,
                path=place,
                found=len(row),
            )
        values[label] = _number(row[-1], number, place)
    if not values:
        raise FileError("{path} has no entries; write one label,value per line.", path=place)
    return values


def match_labels(values: Mapping[Any, float], labels: Sequence[Label], what: str) -> dict[Label, float]:
    """The values by label, matched by the labels' text; every label must be given, and nothing else.

    A name may be the label itself: the number 1 is written like the text ``1``. Where no label is written just so,
    ``TRUE`` matches a true boolean and ``1`` or ``1.00`` the number 1.0.
    """
    by_text = {text_of(label): label for label in labels}
    alike = len(labels) - len(by_text)
    if alike:
        raise LabelError(
            "{alike} of the {count} values are written like another one, as missing and empty text are, so the {what} "
            "cannot distinguish them; rename or merge them.",
            alike=alike,
            count=len(labels),
            what=what,
        )
    columns = list(zip(*map(_parts, labels), strict=False))
    numeric = [any(isinstance(part, _NUMBERS) for part in column) for column in columns]
    by_meaning = {_meaning(map(text_of, _parts(label)), numeric): label for label in labels}
    matched: dict[Label, float] = {}
    for name, value in values.items():
        text = text_of(name)
        # The text comes from the caller's own file, so it may be shown.
        meaning = _meaning(text.split("|") if len(numeric) > 1 else [text], numeric)
        if text not in by_text and meaning not in by_meaning:
            raise LabelError(
                "The {what} name {found!r}, which is not one of the {count} values; take it out or correct it.",
                what=what,
                found=text,
                count=len(labels),
            )
        label = by_text[text] if text in by_text else by_meaning[meaning]
        if label in matched:
            raise LabelError(
                "The {what} name {found!r} a second time, written differently; name each value once.",
                what=what,
                found=text,
            )
        matched[label] = value
    missing = len(labels) - len(matched)
    if missing:
        raise LabelError(
            "The {what} lack {missing} of the {count} values; give a number for each.",
            what=what,
            missing=missing,
            count=len(labels),
        )
    return matched


def _parts(label: Label) -> tuple[Label, ...]:
    return label if isinstance(label, tuple) else (label,)


_NUMBERS = (bool, int, float, Decimal)


def _meaning(texts: Iterable[str], numeric: Sequence[bool]) -> tuple[str | Decimal, ...]:
    """What a label's parts say; in columns of booleans or numbers (``numeric``) however they are written."""
    parts = list(texts)
    if len(parts) != len(numeric):
        return tuple(parts)
    return tuple(_read(text) if read else text for text, read in zip(parts, numeric, strict=True))


def _read(text: str) -> str | Decimal:
    if text.casefold() in ("true", "false"):
        return text.casefold()
    try:
        # Exact, unlike a float: large whole numbers stay apart.
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text


def strict_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: the text is not JSON, or an object names a key twice, where the standard library drops the first.
    """
    return json.loads(text, object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise RepeatedKeyError
    return fields


class RepeatedKeyError(ValueError):
    """A JSON object names a key twice."""


def parsed_json(path: Path, content: bytes | None = None) -> Mapping[str, Any]:
    """The object in a JSON file, of which the bytes may have been read already."""
    try:
        fields = strict_json((path.read_bytes() if content is None else content).decode("utf-8"))
    except (FileNotFoundError, IsADirectoryError) as error:
        raise not_a_file(path, error) from None
    except (OSError, ValueError, RecursionError) as error:
        raise FileError("{path} cannot be read as JSON: {reason}.", path=path, reason=_reason(error)) from None
    if not isinstance(fields, dict):
        raise FileError("{path} does not contain a JSON object; write one.", path=path)
    return fields


def not_a_file(path: Path, error: OSError) -> FileError:
    """The error of a name that no file has, or a folder."""
    if isinstance(error, IsADirectoryError):
        return FileError("{path!r} is a folder; name a file in it.", path=str(path))
    return FileError("There is no file {path!r}; check the path.", path=str(path))


def parsed_toml(path: Path) -> dict[str, Any]:
    """The fields of a TOML file, which people write and which holds names and limits, no values of a table."""
    try:
        # Some editors begin a file with a byte order mark.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        # So the parser's own words may be shown.
        raise FileError("{path} is not TOML: {reason}; correct it.", path=path, reason=str(error).rstrip(".")) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError("{path} cannot be read: {reason}.", path=path, reason=_reason(error)) from None


def _reason(error: Exception) -> str:
    """Why a file cannot be read, without quoting anything in it."""
    if isinstance(error, OSError):
        return error.strerror or "the system refused"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, RepeatedKeyError):
        return "an object in it names a key twice"
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else "its syntax is broken"


def _number(text: str, number: int, path: Path) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise FileError(
            "Entry {number} of {path} is {found!r}; write a finite number of at least 0.",
            number=number,
            path=path,
            found=text.strip(),
        )
    return value
