"""A report as data: every section, block and number, and where each number comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from leakgauge.artefacts.quantity import Artefact, Part

N = TypeVar("N")
"""The numbers in a text: as they are found, or as a report writes them."""


class ToldNumber(Part, frozen=True):
    """A number, the file and place it comes from, and how the report writes it; a masked or infinite one is a text."""

    value: int | float | str
    unit: str
    low: int | float | str | None
    high: int | float | str | None
    confidence: float | None
    source: str
    written: str


class Told(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A block of a section; ``printed`` is false where this file alone has it, and no page."""

    printed: bool = True


class Paragraph(Told, Generic[N], frozen=True, tag_field="kind", tag="paragraph"):
    """Some sentences. ``tone`` is ``plain``, ``good``, ``warning`` or ``note``."""

    tone: str
    parts: tuple[str | N, ...]


class Points(Told, Generic[N], frozen=True, tag_field="kind", tag="points"):
    """A list, numbered or not."""

    numbered: bool
    items: tuple[tuple[str | N, ...], ...]


class Grid(Told, Generic[N], frozen=True, tag_field="kind", tag="grid"):
    """A table: a head and rows, cell by cell."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[tuple[str | N, ...], ...], ...]


class Tile(Part, Generic[N], frozen=True):
    """A number that is read at a glance.

    Attributes:
        shown: the number, with what it is of.
        words: what it means.
        limit: what it must keep; nothing where nothing limits it.
        met: whether it does; None where that is not said.
    """

    title: str
    shown: tuple[str | N, ...]
    words: tuple[str | N, ...]
    limit: tuple[str | N, ...] = ()
    met: bool | None = None


class Tiles(Told, Generic[N], frozen=True, tag_field="kind", tag="tiles"):
    """Numbers side by side."""

    caption: str
    tiles: tuple[Tile[N], ...]


class Picture(Told, frozen=True, tag_field="kind", tag="picture"):
    """A chart: what it shows in words, and its Vega-Lite specification; ``narrow`` is that for a telephone."""

    caption: str
    told: str
    spec: Mapping[str, Any]
    narrow: Mapping[str, Any] | None = None


class Code(Told, frozen=True, tag_field="kind", tag="code"):
    """Text to be copied: commands, a script."""

    text: str


Block: TypeAlias = Paragraph[N] | Points[N] | Grid[N] | Tiles[N] | Picture | Code


class Section(Part, Generic[N], frozen=True):
    """A part of a document.

    Attributes:
        key: the same in every language, and its anchor.
        question: the key of the one that it answers; empty of the decision, which answers them all.
    """

    key: str
    title: str
    blocks: tuple[Block[N], ...]
    question: str = ""


class ToldDocument(Part, frozen=True):
    """A whole report in one language; ``stamp`` is what every page says where it must not be taken for approved."""

    title: str
    language: str
    edition: str
    sections: tuple[Section[ToldNumber], ...]
    stamp: str | None = None


class ToldReport(Artefact, frozen=True, tag="leakgauge/report/1"):
    """The report as data, with a digest over all other fields."""

    version: str
    documents: tuple[ToldDocument, ...]
    digest: str = ""
