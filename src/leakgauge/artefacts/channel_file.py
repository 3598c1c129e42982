"""The channel file, which people write by hand too: JSON that reads back bit for bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from leakgauge.artefacts.codec import place_of, schema_of
from leakgauge.artefacts.quantity import Artefact, Part
from leakgauge.errors import FileError, InputError, LabelError
from leakgauge.probability import Channel, Interval, PriorOrigin
from leakgauge.probability.files import NamedChannel, parsed_json, require_schema
from leakgauge.probability.labels import Label

_Scalar: TypeAlias = bool | int | float | str | None
Plain: TypeAlias = _Scalar | list[_Scalar]
"""A label as JSON has it: dates and infinite numbers as texts, intervals as lists."""

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (date, "date"),
    (Interval, "interval"),
    (str, "string"),
)


class LabelColumn(Part, frozen=True):
    """A column with the type of its labels."""

    name: str
    type: str


class ChannelSide(Part, frozen=True):
    """What a channel reads or writes: the columns, and for each label one value per column."""

    columns: tuple[LabelColumn, ...]
    labels: list[list[Plain]]

    @classmethod
    def of(cls, names: tuple[str, ...], labels: Sequence[Label]) -> ChannelSide:
        """The side with these columns and labels."""
        parts = [label if len(names) > 1 and isinstance(label, tuple) else (label,) for label in labels]
        columns = tuple(LabelColumn(name, _kind([part[at] for part in parts])) for at, name in enumerate(names))
        return cls(columns, [[_plain(value) for value in part] for part in parts])

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(column.name for column in self.columns)

    def read(self) -> list[Label]:
        """The labels; tuples where there are several columns. Values not of their type raise whatever they do."""
        if not self.columns:
            raise LabelError("a column has no text as its name; name each column.")
        known = [name for _, name in _KINDS]
        for column in self.columns:
            if column.type not in known:
                raise LabelError(
                    "a column has the unknown type {found!r}; use {known!s}.", found=column.type, known=", ".join(known)
                )
        parts = [
            tuple(_label(value, column.type) for value, column in zip(part, self.columns, strict=True))
            for part in self.labels
        ]
        return [part if len(self.columns) > 1 else part[0] for part in parts]


class ChannelFile(Artefact, frozen=True, kw_only=True, tag="leakgauge/channel/1"):
    """A channel with its columns.

    Attributes:
        prior_origin: the prior it was designed from, if it was designed.
        keep_inside: whether private counts can be computed from it; it follows from the origin.
        given: columns that it reads and everybody is assumed to know; its levels are conditional on them.
    """

    prior_origin: PriorOrigin | None = None
    keep_inside: bool | None = None
    inputs: ChannelSide
    outputs: ChannelSide
    given: tuple[str, ...] = ()
    # Any: the channel itself says best what is wrong with its numbers.
    matrix: Any

    @classmethod
    def of(cls, named: NamedChannel) -> ChannelFile:
        """The file of a channel."""
        origin = named.prior_origin
        return cls(
            prior_origin=origin,
            keep_inside=None if origin is None else origin.keep_inside,
            inputs=ChannelSide.of(named.inputs, named.channel.inputs),
            outputs=ChannelSide.of(named.outputs, named.channel.outputs),
            given=named.given,
            matrix=named.channel.matrix.tolist(),
        )

    def named(self, place: object = "the channel") -> NamedChannel:
        """The channel; ``place`` is how messages call the file."""
        origin = self.prior_origin
        try:
            # The file must not call itself shareable if it follows from private counts, or the reverse.
            if self.keep_inside not in (None, origin is not None and origin.keep_inside):
                raise LabelError(
                    "it says keep_inside is {found} and prior_origin is {origin}, which do not agree; leave "
                    "keep_inside out.",
                    found=json.dumps(self.keep_inside),
                    origin=json.dumps(origin),
                )
            inputs, outputs = self.inputs.read(), self.outputs.read()
        except InputError as error:
            raise FileError("{path} is not a channel file: {reason}", path=place, reason=error) from None
        except (TypeError, ValueError, IndexError, OverflowError):
            raise _malformed(place) from None
        try:
            channel = Channel(inputs, outputs, self.matrix)
            return NamedChannel(channel, self.inputs.names, self.outputs.names, origin, self.given)
        except InputError as error:
            raise FileError("{path} does not hold a channel: {reason}", path=place, reason=error) from None


def read_channel(path: Path | str) -> NamedChannel:
    """The channel in a JSON file."""
    return named_channel(parsed_json(Path(path)), Path(path))


def named_channel(fields: Mapping[str, Any], place: object) -> NamedChannel:
    """The channel that the fields of a file say; ``place`` is how messages call it."""
    require_schema(fields, str(schema_of(ChannelFile)), place)
    try:
        file = msgspec.convert(fields, ChannelFile)
    except msgspec.ValidationError as error:
        raise _wrong(fields, str(error), place) from None
    return file.named(place)


def _wrong(fields: Mapping[str, Any], said: str, place: object) -> FileError:
    """What is wrong with a file, in words that help whoever wrote it."""
    at, unknown, lacking = place_of(said)
    if lacking is not None:
        return FileError("{path} is not a channel file: it lacks {key!r}; add it.", path=place, key=lacking)
    if unknown is not None:
        return FileError(
            "{path} is not a channel file: it has the unknown field {key!r}; take it out.", path=place, key=unknown
        )
    if at == "prior_origin":
        known, found = ", ".join(repr(origin.value) for origin in PriorOrigin), fields["prior_origin"]
        reason = LabelError("its prior_origin is {found!r}; use one of {known!s}.", found=found, known=known)
    elif at.endswith(".name"):
        reason = LabelError("a column has no text as its name; name each column.")
    else:
        return _malformed(place)
    return FileError("{path} is not a channel file: {reason}", path=place, reason=reason)


def _malformed(place: object) -> FileError:
    return FileError(
        "{path} is not a channel file: its inputs or outputs are malformed; give columns, and for each label a list "
        "with one value per column.",
        path=place,
    )


def _kind(labels: Sequence[Label]) -> str:
    return next((name for kind, name in _KINDS if any(isinstance(label, kind) for label in labels)), "string")


def _plain(label: Label) -> Any:
    if isinstance(label, Interval):
        ends = [_plain(label.low), _plain(label.high)]
        return [*ends, "closed"] if label.closed else ends
    if isinstance(label, float) and math.isinf(label):
        # JSON has no such number; a reader of this word gets it back.
        return "infinity" if label > 0 else "-infinity"
    return label.isoformat() if isinstance(label, date) else label


def _label(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "date":
        return datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    if kind == "interval":
        kinds = ("date" if isinstance(end, str) and "infinity" not in end else "float" for end in value[:2])
        low, high = map(_label, value[:2], kinds)
        return Interval(low, high, len(value) == 3)
    return float(value) if kind == "float" else value
