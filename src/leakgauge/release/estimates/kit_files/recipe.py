"""The recipe in R, which needs no package: base R reads no JSON, so what it needs of the kit is written into it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from leakgauge.artefacts.estimates import Kit
from leakgauge.languages import ENGLISH

_RECIPE: Final = Path(__file__).parent / "estimate_R.txt"
_PLAIN: Final = re.compile(r"[A-Za-z0-9 .,;:()%_-]")


def recipe_in_r(kit: Kit) -> str:
    """The script with the name of the release, its rows and the notes of the kit."""
    text = _RECIPE.read_text(encoding="utf-8")
    marks = {
        "<release>": _quoted(kit.release),
        "<rows>": str(kit.rows),
        "<rows_per_unit>": str(kit.rows_per_unit),
        "<notes>": f"c({', '.join(map(_quoted, _told(kit)))})",
    }
    for mark, written in marks.items():
        # Each once, so that no word of a note is taken for a mark.
        text = text.replace(f"<- {mark}", f"<- {written}", 1)
    return text


def _told(kit: Kit) -> Iterable[str]:
    return (ENGLISH.retell(note) for note in kit.notes)


def _quoted(text: str) -> str:
    """A text of R, with every sign but plain letters by its number."""
    return '"' + "".join(one if _PLAIN.fullmatch(one) else f"\\U{{{ord(one):x}}}" for one in text) + '"'
