"""How dates are written: ``%d/%m/%Y``, or ``dd/mm/yyyy`` as people and spreadsheets have it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from leakgauge.errors import OptionError

_NAME = "[A-Za-z]{3,9}"
_DIGITS: Final = {"%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%f": "[0-9]{1,6}"}
_PARTS: Final = {
    **_DIGITS,
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

    Example:
        >>> parse_date_format("dd.mm.yyyy hh:mm").directives
        '%d.%m.%Y %H:%M'
    """
    directives = text.replace("%-", "%") if "%" in text else _directives(text)
    parts = re.findall(r"%.|[^%]+|%$", directives, re.DOTALL)
    used = [part for part in parts if part.startswith("%") and part != "%%"]
    whole = {"%Y", "%y"} & set(used) and {"%m", "%b", "%B"} & set(used)
    if not whole or not set(used) <= set(_PARTS) or len(set(used)) < len(used) or "\0" in text:
        raise _not_understood(text)
    return DateFormat(directives, "".join(_pattern(parts, at) for at in range(len(parts))))


def _directives(text: str) -> str:
    found, hours = [], False
    for word in re.findall("[A-Za-z]+|[^A-Za-z]+", text):
        if not word.isascii() or not word.isalpha():
            found.append(word)
            continue
        # Written without signs between them, the letters change where a part ends: yyyymmdd.
        for part in re.findall(r"y+|m+|d+|h+|s+|[a-z]", word.lower()):
            if part not in _WORDS:
                raise _not_understood(text)
            # After hours come minutes, whose letter is that of months.
            minutes = hours and part in ("m", "mm")
            hours = hours or part in ("h", "hh")
            found.append("%M" if minutes else _WORDS[part])
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
