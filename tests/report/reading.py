"""What is read off documents and pages, and facts with other fields in them."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

from leakgauge.artefacts.report import Paragraph, Tiles
from leakgauge.languages import Language
from leakgauge.report.document import Document
from leakgauge.telling.blocks import inlines, text_of
from tests.report.facts import Facts

ENGLISH, CHINESE = Language("en"), Language("zh")


class Texts(HTMLParser):
    """The texts of a page outside its style, its code and its pictures' marks."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._skipped = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in ("style", "code")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in ("style", "code")

    def handle_data(self, data: str) -> None:
        if not self._skipped and data.strip():
            self.found.append(data)


def texts(document: Document) -> str:
    """Everything a document says outside its pictures and code."""
    said = [document.title]
    for section in document.sections:
        said.append(section.title)
        for block in section.blocks:
            said += [text_of(inline, document.language) for inline in inlines(block)]
    return "\n".join(said)


def tiles(document: Document, caption: str, key: str = "statement") -> dict[str, tuple[str, str]]:
    """What each tile of a section shows, and its limit, by its title."""
    (section,) = (one for one in document.sections if one.key == key)
    found = next(one for one in section.blocks if isinstance(one, Tiles) and one.caption == caption)
    said = document.language
    return {one.title: (text_of(one.shown, said), text_of(one.limit, said)) for one in found.tiles}


def warnings(document: Document, key: str = "statement") -> str:
    return "\n".join(
        text_of(block.parts, document.language)
        for section in document.sections
        if section.key == key
        for block in section.blocks
        if isinstance(block, Paragraph) and block.tone == "warning"
    )


def numbers_in(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]\d+)?", text))


def changed(facts: Facts, **files: dict[str, object]) -> Facts:
    """The facts with some fields of artefacts replaced; ``audit={"violations": […]}``."""
    return facts.having({f"{name}.json": fields for name, fields in files.items()})
