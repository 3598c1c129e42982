"""How a source is read: missing values, the encoding of text, the format of numbers and dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from leakgauge.arguments import check_fields
from leakgauge.artefacts.request.terms import ReadingOptions as ReadingOptions
from leakgauge.artefacts.request.terms import reading_of as reading_of
from leakgauge.errors import OptionError, TableError
from leakgauge.tables.date_formats import DateFormat, parse_date_format

_ALIKE: Final = {" ": " \u00a0\u202f\u2009", "'": "'\u2019"}
"""Signs between thousands that people do not tell apart: spaces that do not break, the apostrophe as it is printed."""
_ENCODINGS: Final = ("windows-1252", "windows-1251", "iso-8859-1", "gb18030", "big5", "shift_jis", "utf-16")


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    Attributes:
        missing: texts that count as missing.
        encoding: of a text file; None for UTF-8.
        thousands: the sign between thousands, ``decimal`` that before decimals.
        date_format: how dates are written, of one column as ``COLUMN=FORMAT``.
        no_header: the first line is a row; columns are called column1, column2, ….

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
