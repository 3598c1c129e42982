"""A document as PDF, by typst.

The layout is a fixed template that reads the document as JSON: what a table says is data to it and never source.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from leakgauge.artefacts.report import Code, Grid, Paragraph, Picture, Points, Tiles
from leakgauge.errors import EngineError, InternalError, OptionError
from leakgauge.languages import Language
from leakgauge.report.document import Document, printed, where_the_rest_is
from leakgauge.telling.blocks import Block, Edition, Inline, Section, text_of
from leakgauge.telling.figures.chart import Figure

_TEXT: Final = (
    "Arial",
    "Liberation Sans",
    "Helvetica Neue",
    "Helvetica",
    "Nimbus Sans",
    "Noto Sans",
    "DejaVu Sans",
    "Libertinus Serif",
)
"""Fonts for text in the order they are wanted, those of the pictures first; the last one comes with typst."""
_SIGNS: Final = ("DejaVu Sans",)
"""Fonts with arrows and boxes to tick, which fonts for text may lack."""
_MONO: Final = ("DejaVu Sans Mono",)
_CHINESE: Final = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "Noto Serif CJK SC",
    "SimSun",
)
"""Fonts with Chinese letters, the first that is installed is used."""
_PLACES: Final = {"en": ("en", "GB"), "zh": ("zh", "CN")}
_LONG_WORD = re.compile(r"[^\s\u2e80-\uffff]{24,}")
"""A word that no narrow column holds, such as a digest; Chinese may break anywhere."""
_PIECE = re.compile(r"[^\s\u200b\u2e80-\uffff]+|[\u2e80-\uffff]{1,2}")
"""What stays on one line."""
_CHINESE_LETTER = re.compile(r"[\u2e80-\uffff]")
_SHORT: Final = 9
_LETTERS_ACROSS: Final = 120
"""Letters of a table that go from margin to margin."""


def to_pdf(documents: Sequence[Document]) -> bytes:
    """The PDF of a document, or of the same document in several languages, one after the other.

    The same documents give the same bytes on the same machine; the time is not in them.

    Raises:
        OptionError: no document, or the extra ``pdf`` is not installed.
        EngineError: a Chinese document and no font for it.
    """
    if not documents:
        raise OptionError("There is no document for a PDF; give at least one.")
    try:
        import typst
    except ImportError:
        raise OptionError(
            "A PDF needs typst, which is not installed; run pip install 'leakgauge[pdf]', or print the HTML report."
        ) from None
    installed = set(typst.Fonts().families())
    fonts = {one.language.code: _fonts(installed, one.language) for one in documents}
    with TemporaryDirectory(prefix="leakgauge-") as name:
        folder = Path(name)
        told = [_fields(printed(one), folder) | fonts[one.language.code] for one in documents]
        read = {"title": documents[0].title, "documents": told}
        (folder / "documents.json").write_text(json.dumps(read, ensure_ascii=False), encoding="utf-8")
        template = files("leakgauge.report") / "templates" / "report.typ"
        (folder / "report.typ").write_text(template.read_text(encoding="utf-8"), encoding="utf-8")
        try:
            made, warnings = typst.compile_with_warnings(folder / "report.typ", root=folder)
        except typst.TypstError as error:
            raise InternalError(
                "The PDF could not be made: {reason}; print the HTML report instead.", reason=str(error)
            ) from None
    if warnings:
        raise InternalError("The PDF was made with a warning: {reason}.", reason=str(warnings[0]))
    return bytes(made)


def _fonts(installed: set[str], language: Language) -> dict[str, list[str]]:
    """The fonts of a document in the order in which a letter is looked for; one that is not there would be a warning.

    A Chinese one is in a Chinese font as a whole: its Latin letters are made for the others.
    """
    chinese = [font for font in _CHINESE if font in installed][:1]
    if language.code == "zh" and not chinese:
        raise EngineError("No font with Chinese letters is installed; install {font}.", font=_CHINESE[0])
    text = [font for font in _TEXT if font in installed][:1]
    signs, mono = ([font for font in some if font in installed] for some in (_SIGNS, _MONO))
    words = [*chinese, *text, *signs] if language.code == "zh" else [*text, *signs, *chinese]
    return {"fonts": [*dict.fromkeys(words)], "mono": [*mono, *chinese]}


def _fields(document: Document, folder: Path) -> dict[str, Any]:
    language, external = document.language, document.edition is Edition.EXTERNAL
    lang, region = _PLACES[language.code]
    return {
        "title": document.title,
        "lang": lang,
        "region": region,
        "edition": language.say("External edition") if external else language.say("Internal edition"),
        "reference": document.reference,
        "stamp": document.stamp,
        "decision": [_section(one, language, folder) for one in document.sections[:1]],
        "annex": language.say("Annex"),
        "rest": where_the_rest_is(document),
        "questions": [
            {
                "key": one.key,
                "title": one.title,
                "sections": [_section(each, language, folder) for each in one.sections],
            }
            for one in document.annex
        ],
    }


def _section(section: Section, language: Language, folder: Path) -> dict[str, Any]:
    return {"title": section.title, "blocks": [_block(one, language, folder) for one in section.blocks]}


def _block(block: Block, language: Language, folder: Path) -> dict[str, Any]:
    """The fields of a block with its texts written, a table's with the widths of its columns, a picture drawn."""

    def text(parts: Inline) -> str:
        return _breakable(text_of(parts, language))

    if isinstance(block, Paragraph):
        return {"kind": "paragraph", "tone": block.tone, "text": text(block.parts)}
    if isinstance(block, Points):
        return {"kind": "points", "items": [*map(text, block.items)], "numbered": block.numbered}
    if isinstance(block, Grid):
        width = max(1, len(block.head), *map(len, block.rows))
        head = [*map(_breakable, block.head)]
        rows = [[*map(text, row), *[""] * (width - len(row))] for row in block.rows]
        # A row of nothing is to be written in by hand.
        cells = [cell if any(row) else None for row in rows for cell in row]
        found = {"head": head, "cells": cells}
        widths = [1.0] * width if None in cells else _widths([head, *rows], width)
        return {"kind": "grid", "caption": block.caption, "widths": widths, **found}
    if isinstance(block, Tiles):
        tiles = [
            {
                "title": one.title,
                "shown": text(one.shown),
                "words": text(one.words),
                "limit": text(one.limit),
                "missed": one.met is False,
            }
            for one in block.tiles
        ]
        return {"kind": "tiles", "caption": block.caption, "tiles": tiles}
    if isinstance(block, Picture):
        import vl_convert

        # Not the SVG itself: its letters were measured in a font that only its maker has.
        drawn: bytes = vl_convert.svg_to_pdf(Figure(block.spec, block.told).to_svg())
        file = f"{hashlib.sha256(drawn).hexdigest()}.pdf"
        (folder / file).write_bytes(drawn)
        return {"kind": "picture", "file": file, "caption": block.caption, "told": block.told}
    if isinstance(block, Code):
        return {"kind": "code", "text": block.text}
    raise InternalError("A PDF has no {kind}.", kind=type(block).__name__)


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[float]:
    """How wide the columns are to each other, as a browser does it; nothing but zeros where all of them fit.

    Each has room for its longest word, and for short cells as a whole; what is left is shared by how much more the
    longest cell wants.
    """
    columned = [[row[at] for row in rows if at < len(row)] for at in range(columns)]
    least = [1 + max((_least(cell) for cell in column), default=0) for column in columned]
    most = [1 + max((_room(cell) for cell in column), default=0) for column in columned]
    left = _LETTERS_ACROSS - 2 * columns - sum(least)
    wanted = sum(most) - sum(least)
    if wanted <= left:
        return [0.0] * columns
    spare = max(left, 0) / max(wanted, 1)
    return [low + spare * (high - low) for low, high in zip(least, most, strict=True)]


def _least(text: str) -> int:
    """Letters that must stand on one line: all of a short text, of others the longest word and a fourth of it all."""
    whole = _room(text)
    if whole <= _SHORT:
        return whole
    return max(min(-(-whole // 4), _SHORT), *(_room(word) for word in _PIECE.findall(text)))


def _room(text: str) -> int:
    """Letters of the text; Chinese ones are twice as wide."""
    return len(text) - text.count("\u200b") + len(_CHINESE_LETTER.findall(text))


def _breakable(text: str) -> str:
    """The text with places in its long words where a line may end."""
    return _LONG_WORD.sub(lambda word: "\u200b".join(re.findall(".{1,8}", word[0])), text)
