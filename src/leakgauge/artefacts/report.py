"""A report as data: every section, block and number, and where each number comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from leakgauge.artefacts.quantity import Artefact, Part


class ToldNumber(Part, frozen=True):
    """A number, the file and place it comes from, and how the report writes it; a masked or infinite one is a text."""

    value: int | float | str
    unit: str
    low: int | float | str | None
    high: int | float | str | None
    confidence: float | None
    source: str
    written: str


Parts: TypeAlias = tuple[str | ToldNumber, ...]
"""Text with numbers in it."""


class ToldParagraph(Part, frozen=True, tag_field="kind", tag="paragraph"):
    """Some sentences."""

    tone: str
    parts: Parts


class ToldPoints(Part, frozen=True, tag_field="kind", tag="points"):
    """A list, numbered or not."""

    numbered: bool
    items: tuple[Parts, ...]


class ToldGrid(Part, frozen=True, tag_field="kind", tag="grid"):
    """A table."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Parts, ...], ...]


class ToldPicture(Part, frozen=True, tag_field="kind", tag="picture"):
    """A chart: what it shows in words, and its Vega-Lite specification."""

    caption: str
    told: str
    spec: Mapping[str, Any]


class ToldCode(Part, frozen=True, tag_field="kind", tag="code"):
    """Text to be copied."""

    text: str


class ToldSection(Part, frozen=True):
    """A part of a document; its key is the same in every language."""

    key: str
    title: str
    blocks: tuple[ToldParagraph | ToldPoints | ToldGrid | ToldPicture | ToldCode, ...]


class ToldDocument(Part, frozen=True):
    """A whole report in one language."""

    title: str
    language: str
    edition: str
    sections: tuple[ToldSection, ...]


class ToldReport(Artefact, frozen=True, tag="leakgauge/report/1"):
    """The report as data, with a digest over all other fields."""

    version: str
    documents: tuple[ToldDocument, ...]
    digest: str = ""
