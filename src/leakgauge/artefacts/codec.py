"""Artefacts as JSON and back: the only place that knows how they are written."""

from __future__ import annotations

import hashlib
import json
import math
import re
import string
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from leakgauge.artefacts.quantity import Real, Side
from leakgauge.drafts import write_whole
from leakgauge.errors import FileError, InputError, OptionError, VerificationError
from leakgauge.probability.files import parsed_json, require_schema
from leakgauge.sentences import Field, Sentence
from leakgauge.visible import in_json

Stored = TypeVar("Stored", bound=msgspec.Struct)
_INFINITE = {"infinity": math.inf, "-infinity": -math.inf}
_UNKNOWN = re.compile(r"unknown field `(?P<name>[^`]*)`")
_LACKING = re.compile(r"missing required field `(?P<name>[^`]*)`")
_APART = re.compile("(?<=[a-z])(?=[A-Z])")
_LONGEST_FORMAT = 4
"""Signs of a number's format."""
_LONGEST, _DEEPEST, _BITS = 1 << 20, 20, 1 << 10
"""Letters and levels of a sentence in a file, and bits of a whole number in it; ours have far fewer."""
_PLACE = re.compile(r" - at `\$\.?(?P<place>[^`]*)`$")


def encode(artefact: object, tell: Callable[[Sentence], object] | None = None) -> Any:
    """An artefact as plain numbers, texts, lists and mappings, as JSON has them.

    Sentences are templates with their fields and their English text, or as ``tell`` tells them.
    """
    return _finite(msgspec.to_builtins(artefact, enc_hook=partial(_encoded, tell or _said)))


def sentence_of(field: object) -> Sentence:
    """The sentence that a field of a file says; a plain text is a sentence without fields."""
    return Sentence(field) if isinstance(field, str) else _sentence(field)


def text_of(artefact: object) -> str:
    """The text of an artefact's file."""
    plain = in_json(json.dumps(encode(artefact), ensure_ascii=False, allow_nan=False))
    # The same as with an indent of Python's own, which takes three times as long.
    return msgspec.json.format(plain, indent=2) + "\n"


def write(path: Path, artefact: object) -> None:
    """Write an artefact's file, whole or not at all, for its owner alone."""
    write_whole(path, text_of(artefact))


def read(kind: type[Stored], path: Path | str) -> Stored:
    """The artefact in a file; errors as of ``decode``."""
    return decode(kind, parsed_json(Path(path)), Path(path))


def decode(kind: type[Stored], fields: Mapping[str, Any], place: object) -> Stored:
    """The artefact that the fields of a file say; ``place`` is how messages call the file.

    Raises:
        FileError: a field is missing or malformed, or the schema is another.
        VerificationError: a field that no artefact of this kind has, or a digest that is not that of the fields.
        LeakgaugeError: as the kind itself, such as an ``OptionError`` of a request.
    """
    from leakgauge.artefacts.schemas import raised

    fields = raised(kind, fields)
    schema = schema_of(kind)
    if schema is not None:
        require_schema(fields, schema, place)
    try:
        return msgspec.convert(fields, kind, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, OptionError):
            # An error of a request keeps its own words.
            raise error.__cause__ from None
        if isinstance(error.__cause__, InputError):
            raise FileError("{path}: {fault}", path=place, fault=error.__cause__) from None
        raise _wrong(kind, str(error), place) from None
    except OverflowError:
        raise _wrong(kind, "", place) from None


def schema_of(kind: type[msgspec.Struct]) -> str | None:
    """The id that files of a kind say; None of a part of them."""
    tag = kind.__struct_config__.tag
    return None if tag is None else str(tag)


def require_digest(fields: Mapping[str, Any], place: object) -> None:
    """Refuse fields that were changed after they were sealed, or have a number that none of ours writes."""
    try:
        digest = digest_of(fields)
    except RecursionError:
        reason = "it is nested too deeply"
        raise FileError("{path} cannot be read as JSON: {reason}.", path=place, reason=reason) from None
    except ValueError:
        raise FileError(
            "{path} has a number that is not finite, so it was changed; use the original file.", path=place
        ) from None
    if fields.get("digest") != digest:
        raise VerificationError(
            "{path} was changed: its digest does not match its fields; use the original file.", path=place
        )


def sealed(artefact: Stored) -> Stored:
    """The artefact with the digest over all its other fields."""
    return msgspec.structs.replace(artefact, digest=digest_of(encode(artefact)))


def digest_of(fields: Mapping[str, Any]) -> str:
    """SHA-256 over the fields in a fixed spelling, the digest itself left out."""
    rest = {name: value for name, value in fields.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def json_schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a kind's files."""
    return msgspec.json.schema(kind, schema_hook=_schema)


def _finite(data: Any) -> Any:
    """Plain data with infinite numbers in words; NaN stays, and whoever writes it fails."""
    if isinstance(data, float):
        return "infinity" if data == math.inf else "-infinity" if data == -math.inf else data
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data


def _encoded(tell: Callable[[Sentence], object], value: object) -> object:
    if isinstance(value, Sentence):
        return tell(value)
    # Numbers of numpy and our own.
    return float(value) if isinstance(value, float) else int(value)  # type: ignore[call-overload]


def _said(sentence: Sentence) -> object:
    """A sentence without fields is its text."""
    return _field(sentence) if sentence.fields else sentence.template


def _field(value: Field) -> object:
    """What a field holds; a sentence always as a template, because a text is somebody's own word."""
    if isinstance(value, Sentence):
        fields = {name: _field(one) for name, one in value.fields.items()}
        return {"template": value.template, "fields": fields, "text": str(value)}
    if isinstance(value, float) and math.isinf(value):
        # A text would be somebody's own word.
        return {"number": value}
    return [_field(one) for one in value] if isinstance(value, tuple) else value


def _decoded(kind: type, value: object) -> object:
    if kind in (Real, Side):
        if isinstance(value, str) and value in _INFINITE:
            return Real(_INFINITE[value])
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
            return Real(value)
    if kind in (Sentence, Side):
        return sentence_of(value)
    raise ValueError


def _sentence(value: object, depth: int = 0) -> Sentence:
    if not isinstance(value, dict) or not value.keys() <= {"template", "fields", "text"}:
        raise ValueError
    # The text is for programs that only show it; here it is told anew, whatever the file says.
    template, fields, text = value.get("template"), value.get("fields", {}), value.get("text", "")
    if not isinstance(template, str) or not isinstance(fields, dict) or not isinstance(text, str):
        raise ValueError
    sentence = Sentence(template, **{str(name): _from_field(one, depth + 1) for name, one in fields.items()})
    if depth == 0:
        # A file may come from anybody, and formats reach into objects and memory.
        try:
            if _length(sentence) > _LONGEST:
                raise ValueError
            str(sentence)
        except (LookupError, TypeError, OverflowError):
            raise ValueError from None
    return sentence


def _length(value: Field) -> int:
    """At most how many letters a field is told in."""
    if isinstance(value, tuple):
        return sum(_length(one) + 2 for one in value)
    if not isinstance(value, Sentence):
        return len(str(value))
    told, lengths = 0, {name: _length(one) for name, one in value.fields.items()}
    for literal, name, spec, _ in string.Formatter().parse(value.template):
        told += len(literal)
        if name is None:
            continue
        if name not in lengths or len(spec or "") > _LONGEST_FORMAT:
            raise ValueError
        # A format such as :9999 pads.
        told += lengths[name] + 10 ** len(spec or "")
    return told


def _from_field(value: object, depth: int) -> Field:
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, list):
        return tuple(_from_field(one, depth + 1) for one in value)
    if isinstance(value, dict):
        return _INFINITE[value["number"]] if value.get("number") in _INFINITE else _sentence(value, depth)
    if not isinstance(value, int | float | str) or (isinstance(value, int) and value.bit_length() > _BITS):
        raise ValueError
    return value


def place_of(said: str) -> tuple[str, str | None, str | None]:
    """Where msgspec says that something is wrong, and the field there that is unknown or lacking, where it is that."""
    at, unknown, lacking = _PLACE.search(said), _UNKNOWN.search(said), _LACKING.search(said)
    return "" if at is None else at["place"], unknown and unknown["name"], lacking and lacking["name"]


def _wrong(kind: type[msgspec.Struct], said: str, place: object) -> FileError | VerificationError:
    """The error for fields that are not those of a kind; never shows a value."""
    at, unknown, lacking = place_of(said)
    name = ".".join(one for one in (at, unknown, lacking) if one)
    what = _APART.sub(" ", kind.__name__).lower()
    if unknown is not None:
        return VerificationError(
            "{path} has the field {name!r}, which is unknown in files of kind {what}: it was added, or written by "
            "a newer version.",
            path=place,
            name=name,
            what=what,
        )
    return FileError(
        "{path} is not a whole {what}: {name!r} is missing or malformed.", path=place, name=name, what=what
    )


def _schema(kind: object) -> dict[str, Any]:
    if kind is Real:
        return {"anyOf": [{"type": "number"}, {"enum": sorted(_INFINITE)}]}
    if kind is Side:
        return {"anyOf": [_schema(Real), _schema(Sentence)]}
    if kind is Sentence:
        parts = {"template": {"type": "string"}, "fields": {"type": "object"}, "text": {"type": "string"}}
        return {"anyOf": [{"type": "string"}, {"type": "object", "properties": parts, "required": ["template"]}]}
    raise NotImplementedError(kind)
