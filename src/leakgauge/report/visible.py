"""Names of the user's in a report: what would turn or hide the text around them is shown, and they stand apart."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Final

START, END = "\u2068", "\u2069"
"""Around a name whose letters run from the right: the text around it keeps its order."""
_TURNING: Final = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""Signs that nobody sees and that turn the order of letters."""
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
"""The same and control characters, but for ends of lines and tabs, which scripts are made of."""
_MAYBE_HIDDEN: Final = re.compile(_CONTROLS.pattern + r"|\\[ubfr]")
"""What the JSON of such a text has, and of some others."""
_LINES: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_FROM_THE_RIGHT: Final = ("R", "AL")


def visible(data: Any) -> Any:
    """Parsed JSON, or a text, with what nobody would see in its texts and names written as ``\\u202e`` is.

    Ends of lines and tabs stay.
    """
    if isinstance(data, str):
        return _CONTROLS.sub(_escape, data)
    # Few files hold such a sign, and to look at every text by itself takes long.
    return _each(data) if _MAYBE_HIDDEN.search(json.dumps(data, ensure_ascii=False)) else data


def _each(data: Any) -> Any:
    if isinstance(data, dict):
        return {visible(name): _each(value) for name, value in data.items()}
    if isinstance(data, str):
        return visible(data)
    return [_each(value) for value in data] if isinstance(data, list | tuple) else data


def on_one_line(text: str) -> str:
    """The text with ends of lines, tabs and all other control characters written out."""
    return _LINES.sub(_escape, text)


def apart(name: str) -> str:
    """A name on one line, with signs around it where its letters run from the right."""
    shown = on_one_line(_TURNING.sub(_escape, name))
    turned = any(unicodedata.bidirectional(letter) in _FROM_THE_RIGHT for letter in shown)
    return f"{START}{shown}{END}" if turned else shown


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"
