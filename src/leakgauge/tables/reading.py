"""How a source is read: missing values, the encoding of text, the format of numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from leakgauge.arguments import check_fields
from leakgauge.artefacts.request.terms import ReadingOptions as ReadingOptions
from leakgauge.artefacts.request.terms import reading_of as reading_of
from leakgauge.errors import OptionError, TableError

_NAME = "[A-Za-z]{3,9}"
_PARTS: Final = {
    "%Y": "[0-9]{4}",
    "%y": "[0-9]{2}",
    "%f": "[0-9]{1,6}",
    **dict.fromkeys(("%d", "%m", "%H", "%I", "%M", "%S"), "[0-9]{1,2}"),
    **dict.fromkeys(("%a", "%A", "%b", "%B"), _NAME),
    "%p": "(?i:am|pm)",
    "%%": "%",
}
_CLOCK: Final = {"%H", "%I", "%M", "%S", "%f", "%p"}
_WORDS: Final = {
    **dict.fromkeys(("d", "dd"), "%d"),
    **dict.fromkeys(("m", "mm"), "%m"),
    **dict.fromkeys(("h", "hh"), "%H"),
    **dict.fromkeys(("s", "ss"), "%S"),
    "mmm": "%b",
    "mmmm": "%B",
    "yy": "%y",
    "yyyy": "%Y",
    "t": "T",
}


@dataclass(frozen=True)
class DateFormat:
    """A way to write dates or times: as ``strptime`` takes it, and the form of every text written so."""

    directives: str
    pattern: str

    @property
    def engine_type(self) -> str:
        """What is read: a timestamp where hours are written, else a date."""
        return "TIMESTAMP" if _CLOCK & set(re.findall("%.", self.directives)) else "DATE"


def parse_date_format(text: str) -> DateFormat:
    """The format that a text such as ``%d/%m/%Y`` or ``dd/mm/yyyy`` names.

    Raises:
        OptionError: a part that is not known, or no year and month.
    """
    directives = text.replace("%-", "%") if "%" in text else _directives(text)
    parts = re.findall(r"%.|[^%]+|%$", directives, re.DOTALL)
    used = [part for part in parts if part.startswith("%") and part != "%%"]
    whole = {"%Y", "%y"} & set(used) and {"%m", "%b", "%B"} & set(used)
    if not whole or not set(used) <= set(_PARTS) or len(set(used)) < len(used) or "\0" in text:
        raise _not_understood(text)
    return DateFormat(directives, "".join(_pattern(parts, at) for at in range(len(parts))))


def _directives(text: str) -> str:
    found: list[str] = []
    # Without signs between them a part ends where the letter changes: yyyymmdd.
    for part in re.findall("[yY]+|[mM]+|[dD]+|[hH]+|[sS]+|[A-Za-z]|[^A-Za-z]+", text):
        if not re.match("[A-Za-z]", part):
            found.append(part)
        elif part.lower() not in _WORDS:
            raise _not_understood(text)
        else:
            # The first m after hours is of minutes, any other of months.
            minutes = part.lower() in ("m", "mm") and "%H" in found and "%M" not in found
            found.append("%M" if minutes else _WORDS[part.lower()])
    return "".join(found)


def _pattern(parts: list[str], at: int) -> str:
    part = parts[at]
    if part not in _PARTS:
        return re.escape(part)
    # One digit or two is told apart by a sign beside them only.
    beside = [parts[near] for near in (at - 1, at + 1) if 0 <= near < len(parts)]
    touching = any(near in _PARTS and near != "%%" for near in beside)
    return "[0-9]{2}" if touching and _PARTS[part] == "[0-9]{1,2}" else _PARTS[part]


def _not_understood(text: str) -> OptionError:
    return OptionError(
        "The date format {text!r} is not understood; write it as %d/%m/%Y or dd/mm/yyyy, year and month at least.",
        text=text,
    )


_ALIKE: Final = {" ": " \u00a0\u202f\u2009", "'": "'\u2019"}
"""Signs between thousands that people do not tell apart: spaces that do not break, the apostrophe as it is printed."""
_ENCODINGS: Final = ("windows-1252", "windows-1251", "iso-8859-1", "gb18030", "big5", "shift_jis", "utf-16")


@dataclass(frozen=True)
class Reading:
    """How a source is read, as ``open_table`` takes it.

    Raises:
        OptionError: an encoding that Python does not know, signs that numbers cannot be told by, a format that says
            nothing.
    """

    missing: str | Sequence[str] = ()
    encoding: str | None = None
    thousands: str | None = None
    decimal: str = "."
    date_format: str | Sequence[str] = ()
    no_header: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("missing", "date_format"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _known(self.encoding))
        for option, sign in (("--thousands", self.thousands), ("--decimal", self.decimal)):
            if sign is not None and (len(sign) != 1 or sign.isalnum() or sign in '+-"' or not _visible(sign)):
                raise OptionError(
                    "{option!s} {sign!r} is not a single character such as ',' or '.'; give one that is not a digit, "
                    "a letter, +, - or a quote.",
                    option=option,
                    sign=sign,
                )
        if self.thousands is not None and self.decimal in self.between_thousands:
            raise OptionError(
                "--thousands and --decimal, a point by default, are both {sign!r}; name another character for one of "
                "them.",
                sign=self.decimal,
            )
        named = [column for column, _ in self.dates if column is not None]
        if len(self.dates) < len(self.date_format) or len(set(named)) < len(named):
            raise OptionError("--date-format is given twice for the same columns; give it once for each.")

    @property
    def between_thousands(self) -> str:
        """The signs that may stand between thousands; none where no sign is named."""
        return "" if self.thousands is None else _ALIKE.get(self.thousands, self.thousands)

    @property
    def writes_numbers(self) -> bool:
        """Whether numbers are written otherwise than in code."""
        return self.thousands is not None or self.decimal != "."

    @cached_property
    def dates(self) -> dict[tuple[str | None, DateFormat], str]:
        """The formats of dates as they were typed, each by its column (None: any that fits) and its meaning."""
        pairs = [(text, text.rpartition("=")) for text in self.date_format]
        return {(column if equals else None, parse_date_format(how)): text for text, (column, equals, how) in pairs}

    def require_only(self, place: str, *, encoding: bool = False, no_header: bool = False) -> None:
        """Refuse options that say nothing about a source: these two are for some of them alone."""
        if self.encoding is not None and not encoding:
            raise TableError(
                "{place} is not a CSV, SPSS, Stata or SAS file, so --encoding does not apply; leave it out.",
                place=place,
            )
        if self.no_header and not no_header:
            raise TableError(
                "{place} is not a CSV file or a workbook, so --no-header does not apply; leave it out.",
                place=place,
            )

    def require_missing_alone(self, place: str) -> None:
        """Refuse everything but missing texts, for a source whose columns have types of their own."""
        self.require_only(place)
        if self.writes_numbers or self.dates:
            raise TableError(
                "Texts in {place} are not read as numbers or dates; leave --thousands, --decimal and --date-format "
                "out, and give such columns their type in the database.",
                place=place,
            )


def _known(encoding: str) -> str | None:
    """The encoding, or None where it is UTF-8, which is the default."""
    import codecs

    try:
        "a".encode(encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise OptionError(
            "There is no text encoding {encoding!r}; known are e.g. {known!s}.",
            encoding=encoding,
            known=_ENCODINGS,
        ) from None
    return None if name in ("utf-8", "utf-8-sig") else encoding


def _visible(sign: str) -> bool:
    return sign.isprintable() or sign in _ALIKE[" "]
