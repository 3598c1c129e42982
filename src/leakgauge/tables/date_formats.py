"""How dates are written: ``%d/%m/%Y``, or ``dd/mm/yyyy`` as people and spreadsheets have it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from leakgauge.errors import OptionError

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
