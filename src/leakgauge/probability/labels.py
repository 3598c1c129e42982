"""Alphabets: tuples of distinct hashable labels, and the interval label of a binned number."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import product
from typing import TypeAlias, TypeVar

from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.sentences import Sentence

T = TypeVar("T")
MOST_TUPLES = 1 << 22
"""Tuples of letters that a product writes down; more would fill the memory before they are looked at."""

Label: TypeAlias = Hashable
"""Any hashable value; ``None`` is the letter of missing values, a tuple the letter of several columns."""


@dataclass(frozen=True)
class Interval:
    """The numbers or dates from ``low`` up to, and unless ``closed`` without, ``high``; ``None`` is unbounded."""

    low: float | date | datetime | None
    high: float | date | datetime | None
    closed: bool = False

    def contains(self, label: Label) -> bool:
        """Whether a number or date lies in the interval; False for a value of another kind than its ends."""
        try:
            above = self.low is None or self.low <= label  # type: ignore[operator]
            below = self.high is None or label < self.high or (self.closed and label == self.high)  # type: ignore[operator]
        except TypeError:
            return False
        return bool(above and below) and not isinstance(label, str | bool | None)

    def __str__(self) -> str:
        left = "(-∞" if self.low is None else f"[{_plain(self.low)}"
        right = "∞)" if self.high is None else _plain(self.high) + ("]" if self.closed else ")")
        return f"{left}, {right}"


_WRITTEN = re.compile(r"(?:\(-∞|\[(?P<low>[^,]+)), (?:∞\)|(?P<high>[^,]+)(?P<end>[)\]]))")


def interval_of(text: str) -> Interval | None:
    """The interval that is written so; None where the text is not one."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    try:
        low, high = (None if found[end] is None else _bound(found[end]) for end in ("low", "high"))
    except ValueError:
        return None
    return Interval(low, high, found["end"] == "]")


def _bound(text: str) -> float | date | datetime:
    try:
        number = float(text)
    except ValueError:
        return date.fromisoformat(text) if len(text) == len("2020-01-01") else datetime.fromisoformat(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _plain(bound: float | date | datetime) -> str:
    # repr is the shortest text that reads back the same, so different bounds never print alike.
    return repr(bound).removesuffix(".0") if isinstance(bound, float) else str(bound)


def alphabet(labels: Iterable[Label], role: str | Sentence) -> tuple[Label, ...]:
    """The labels as a tuple, refused when one repeats, is NaN or cannot be hashed.

    ``role`` says what they name ("outcomes", "rows", …) in the error.
    """
    letters = tuple(labels)
    if not letters:
        raise LabelError("The {role} are empty; give at least one label.", role=role)
    try:
        distinct = len(set(letters))
    except TypeError:
        raise LabelError(
            "One of the {role} cannot be hashed; use text, numbers, dates or tuples of them as labels.", role=role
        ) from None
    if distinct < len(letters):
        raise LabelError(
            "{repeated} of the {count} {role} repeat an earlier one; labels must differ (1, 1.0 and True are equal).",
            role=role,
            count=len(letters),
            repeated=len(letters) - distinct,
        )
    # NaN differs from itself, so it would be a letter nobody can look up.
    if any(isinstance(letter, float) and math.isnan(letter) for letter in letters):
        raise LabelError("One of the {role} is NaN; use None for missing values.", role=role)
    return letters


def same_alphabet(
    left: Sequence[Label], right: Sequence[Label], left_role: str | Sentence, right_role: str | Sentence
) -> None:
    """Refuse two alphabets that differ in letters or in order."""
    if tuple(left) == tuple(right):
        return
    if set(left) == set(right):
        raise LabelError(
            "The {left_role} and the {right_role} hold the same labels in a different order; reorder one of them.",
            left_role=left_role,
            right_role=right_role,
        )
    raise LabelError(
        "The {left_role} ({left_count}) and the {right_role} ({right_count}) share {shared} labels; they must match.",
        left_role=left_role,
        right_role=right_role,
        left_count=len(left),
        right_count=len(right),
        shared=len(set(left) & set(right)),
    )


def position(letters: Sequence[Label], index: Mapping[Label, int], label: Label, role: str) -> int:
    """Where ``label`` stands among the letters."""
    try:
        return index[label]
    except KeyError:
        raise LabelError(
            "{label!r} is not among the {count} {role}; give one that is.", label=label, count=len(letters), role=role
        ) from None
    except TypeError:
        raise LabelError(
            "A value of type {found!r} is not one of the {count} {role}; give text, a number, a date or a tuple.",
            found=type(label).__name__,
            count=len(letters),
            role=role,
        ) from None


def tuples(alphabets: Sequence[Sequence[Label]]) -> tuple[tuple[Label, ...], ...]:
    """Every tuple of one letter from each alphabet, the last one changing fastest."""
    count = math.prod(map(len, alphabets))
    if count > MOST_TUPLES:
        raise ModelError(
            "The product of {count} alphabets has more than {most} tuples; take fewer.",
            count=len(alphabets),
            most=MOST_TUPLES,
        )
    return tuple(product(*alphabets))


def repeated(record: T, records: int) -> tuple[T, ...]:
    """One law for each record of a data set."""
    if records < 1:
        raise OptionError("A data set of {records} records does not exist; give at least 1.", records=records)
    return (record,) * records


def text_of(label: Label) -> str:
    """How a label is written in a CSV file and on the screen; missing is the empty text."""
    if label is None:
        return ""
    if isinstance(label, tuple):
        return "|".join(text_of(part) for part in label)
    return str(label)


def label_parts(label: Label, columns: Sequence[str]) -> tuple[Label, ...]:
    """A label column by column."""
    return label if len(columns) > 1 and isinstance(label, tuple) else (label,)
