"""Words that are not ours, such as names of columns, values and files: what would turn, hide or replace the text around
them, on a screen or in a report, is written out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, Final

START, END = "\u2068", "\u2069"
"""Around a name whose letters run from the right: the text around it keeps its order."""
_UNSEEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e007f"
    # Halves of a letter and codes that are none: no file may hold them.
    "\ud800-\udfff\ufffe\uffff"
)
"""Signs that nobody sees: they join, break, or turn the order of letters."""
_CONTROLS: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_UNSEEN}]")
"""The same and control characters, which a terminal obeys; but for ends of lines and tabs, which scripts have."""
_MAYBE_HIDDEN: Final = re.compile(_CONTROLS.pattern + r"|\\[ubfr]")
"""What the JSON of such a text has, and of some others."""
_LINES: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_APART: Final = re.compile(f"({START}[^\x00-\x1f\x7f-\x9f{_UNSEEN}]*{END})")
"""Whatever turns between these signs ends with them."""
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
    """The text with all of these written out, ends of lines and tabs too."""
    return _LINES.sub(_escape, visible(text))


def in_a_sentence(text: str) -> str:
    """The same for a word in a sentence of ours; names that stand apart already stay so."""
    parts = _APART.split(text)
    return "".join(part if at % 2 else on_one_line(part) for at, part in enumerate(parts))


def in_json(text: str) -> str:
    """JSON that means the same, in which a terminal finds nothing to obey and a reader nothing that is unseen."""
    return _CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], text)


def apart(name: str) -> str:
    """A name on one line, with signs around it where its letters run from the right."""
    shown = on_one_line(name)
    turned = any(unicodedata.bidirectional(letter) in _FROM_THE_RIGHT for letter in shown)
    return f"{START}{shown}{END}" if turned else shown


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
