"""Outputs of a mechanism as arrays that can be compared.

Numbers are arrays of one axis, rows of numbers of two. Labels, a program's lines and nested answers are records of a
text and the numbers found in it, of which labels have none. Any such reading of an output is a processing of it, and
shows no more than the output does.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.audit.texts import NUMBERS, Text, kept, text_array
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Codes

Outputs: TypeAlias = npt.NDArray[Any]
"""One output a row: numbers, rows of numbers, labels, or a text with numbers."""

_PLAIN = "fiub"
_TYPES = {"b": "bool", "i": "int", "u": "int", "f": "float"}


def as_outputs(found: Any) -> Outputs:
    """Outputs of many runs as an array of numbers, rows of numbers or texts, or of texts with numbers.

    Raises:
        ModelError: not a list of outputs; NaN; outputs of different kinds or lengths, or that cannot be compared.
    """
    if isinstance(found, np.ndarray) and found.ndim:
        return _of_array(found) if found.dtype.kind in "fiubcUSmM" else _of_list([compact(one) for one in found])
    if not isinstance(found, Collection) or isinstance(found, str | bytes | Mapping | np.ndarray):
        raise ModelError(
            "The mechanism returned {kind} instead of a list or an array of outputs; return one output per run.",
            kind=type(found).__name__,
        )
    return _of_list([compact(one) for one in found])


def compact(one: Any) -> Any:
    """One output as it is kept: a long text shortened, anything nested taken apart, the rest as it is."""
    if isinstance(one, _Parts | Text) or (_is_number(one) and not isinstance(one, Enum)):
        return one
    if _is_label(one):
        return _label(one)
    if isinstance(one, np.ndarray) and one.ndim and one.size and one.dtype.kind in _PLAIN:
        return one.reshape(-1)
    if isinstance(one, list | tuple) and {type(part) for part in one} in ({float}, {bool}):
        return np.array(one)
    parts = _parts_of(one)
    return parts if parts.numbers else parts.text


def program_outputs(lines: Sequence[str]) -> Outputs:
    """The lines of a program: each as a text, with the number it reads as, where it does; NaN is refused."""
    # Digits that were written in full read back as the same float, low bits included.
    numbers = [_number(line) for line in lines]
    nan = sum(line.strip().lower().lstrip("+-") == "nan" for line in lines)
    if nan:
        raise _is_nan(nan, len(lines))
    return text_array([kept(line) for line in lines], np.array(numbers).reshape(-1, 1))


def alike(*arrays: Outputs) -> list[Outputs]:
    """The arrays in one form, where they differ in whether they are whole numbers or texts besides."""
    if len({_width(one) == 0 for one in arrays}) > 1:
        raise ModelError("The mechanism returned outputs of different kinds for the two inputs; return one kind.")
    if len({_width(one) for one in arrays}) > 1 or len({one.ndim for one in arrays if one.dtype.kind != "V"}) > 1:
        raise ModelError("The mechanism returned outputs of different lengths for the two inputs; return one length.")
    # Whole numbers with a sign or without, long or short, are one kind.
    if len({_TYPES.get(one.dtype.kind, one.dtype.kind) for one in arrays}) == 1:
        return list(arrays)
    return [one if one.dtype.kind == "V" else _spelled_out(one) for one in arrays]


def joined(parts: Sequence[Outputs]) -> Outputs:
    """Outputs of several rounds as one array."""
    return np.concatenate(alike(*parts))


def numbers_in(outputs: Outputs) -> Outputs:
    """The numbers of outputs that are texts with numbers: one axis where each has one."""
    numbers: Outputs = outputs[NUMBERS]
    return numbers[:, 0] if numbers.shape[1] == 1 else numbers


def codes_of(outputs: Outputs) -> Codes:
    """The number of each output, equal ones alike, bit by bit."""
    if outputs.dtype.kind == "U":
        return np.unique(outputs, return_inverse=True)[1].astype(np.int64)
    whole = np.ascontiguousarray(outputs).reshape(len(outputs), -1)
    packed = whole.view(np.uint8).reshape(len(outputs), -1)
    rows = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.unique(rows, return_inverse=True)[1].astype(np.int64)


@dataclasses.dataclass(frozen=True)
class _Parts:
    """An output taken apart: its texts, types and keys, and its numbers."""

    texts: list[str]
    numbers: list[float]

    @property
    def text(self) -> Text:
        """What is kept of all texts in a row."""
        return kept("".join(self.texts))


def _of_array(found: Outputs) -> Outputs:
    kind = found.dtype.kind
    if kind in "US":
        if found.ndim > 1:
            return _of_list([compact(tuple(row)) for row in found.tolist()])
        return text_array([_label(one) for one in found.tolist()])
    if kind == "c":
        found = np.stack([found.real, found.imag], axis=-1)
    elif kind in "mM":
        found = found.astype(np.int64)
    elif kind == "f" and found.dtype.itemsize != 8:
        found = found.astype(np.float64)
    outputs = found if found.ndim == 1 else found.reshape(len(found), -1)
    if outputs.dtype.kind == "f" and np.isnan(outputs).any():
        raise _is_nan(int(np.isnan(outputs).sum()), outputs.size)
    if outputs.ndim > 1 and not outputs.shape[1]:
        raise ModelError("The mechanism returned empty outputs; return something.")
    return outputs


def _of_list(found: list[Any]) -> Outputs:
    kinds = {_kind(one) for one in found}
    if len(kinds) > 1:
        raise ModelError(
            "The mechanism returned outputs of different kinds ({kinds}); return one kind.",
            kinds=", ".join(sorted(kinds)),
        )
    if not found:
        return np.empty(0)
    if kinds == {"label"}:
        return text_array(found)
    if kinds == {"bool"}:
        return np.array(found, dtype=bool)
    if kinds == {"number"}:
        return _of_numbers(found)
    as_array = all(isinstance(one, np.ndarray) for one in found) and len({one.dtype.kind for one in found}) == 1
    parts = [] if as_array else [_parts_of(one) for one in found]
    rows = found if as_array else [one.numbers for one in parts]
    if len({len(row) for row in rows}) > 1:
        raise ModelError("The mechanism returned outputs of different lengths; return the same number each time.")
    return _of_array(np.array(rows)) if as_array else text_array([one.text for one in parts], np.array(rows))


def _of_numbers(found: list[Any]) -> Outputs:
    whole = [isinstance(one, int | np.integer) for one in found]
    if all(whole) and all(-(1 << 63) <= int(one) < 1 << 63 for one in found):
        return np.array([int(one) for one in found], dtype=np.int64)
    numbers = np.array([_float(one) for one in found])
    if not any(whole):
        return _of_array(numbers)
    return text_array([kept("int" if one else "float") for one in whole], numbers.reshape(-1, 1))


def _spelled_out(outputs: Outputs) -> Outputs:
    name = _TYPES[outputs.dtype.kind]
    numbers = outputs.astype(np.float64).reshape(len(outputs), -1)
    return text_array([kept(name if outputs.ndim == 1 else f"row of {name}")] * len(outputs), numbers)


def _width(outputs: Outputs) -> int:
    if outputs.dtype.kind == "V":
        return int(outputs[NUMBERS].shape[1])
    if outputs.dtype.kind == "U":
        return 0
    return 1 if outputs.ndim == 1 else int(outputs.shape[1])


def _kind(one: Any) -> str:
    if isinstance(one, bool | np.bool_):
        return "bool"
    if isinstance(one, Text):
        return "label"
    return "number" if _is_number(one) else "row of numbers"


def _is_number(one: Any) -> bool:
    return isinstance(one, int | float | np.bool_ | np.integer | np.floating)


def _label(one: Any) -> Text:
    return kept(one if isinstance(one, str) and not isinstance(one, Enum) else _written(one), _written(one))


def _written(one: Any) -> str:
    """A label, told apart from everything else by its quotes or the lack of them."""
    return repr(sorted(map(repr, one)) if isinstance(one, set | frozenset) else one)


def _is_label(one: Any) -> bool:
    return one is None or isinstance(one, str | bytes | Enum | date | time | timedelta | set | frozenset)


def _parts_of(one: Any) -> _Parts:
    if isinstance(one, _Parts):
        return one
    pieces = list(_pieces(one))
    numbers = [piece for piece in pieces if not isinstance(piece, str)]
    if any(math.isnan(number) for number in numbers):
        raise _is_nan(1, 1)
    return _Parts([piece for piece in pieces if isinstance(piece, str)], numbers)


def _pieces(one: Any) -> Iterator[str | float]:
    if isinstance(one, np.ndarray | np.generic):
        one = one.tolist()
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        one = {field.name: getattr(one, field.name) for field in dataclasses.fields(one)}
    if isinstance(one, bool | int | float | Decimal | Fraction | complex):
        yield type(one).__name__
        yield from (one.real, one.imag) if isinstance(one, complex) else (_float(one),)
    elif _is_label(one):
        yield _written(one)
    elif isinstance(one, Mapping):
        # Keys that stand in another order are another output, if the mechanism orders them by what it knows.
        for key, value in one.items():
            yield f", {key!r}: "
            yield from _pieces(value)
    elif isinstance(one, list | tuple):
        yield "("
        for value in one:
            yield from _pieces(value)
            yield ", "
        yield ")"
    else:
        raise ModelError(
            "The mechanism returned an output of type {kind}, which cannot be compared; return numbers, texts, or "
            "lists, tuples and dictionaries of them.",
            kind=type(one).__name__,
        )


def _float(one: Any) -> float:
    try:
        return float(one)
    except OverflowError:  # a whole number beyond the floats
        return math.inf if one > 0 else -math.inf


def _number(line: str) -> float:
    try:
        return float(line)
    except ValueError:
        return math.nan


def _is_nan(count: int, size: int) -> ModelError:
    return ModelError("The mechanism returned NaN in {count} of {all} outputs; fix that first.", count=count, all=size)
