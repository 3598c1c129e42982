"""Findings as HTML for the page: the blocks of a report, and grids of facts as the page lays them out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from leakgauge.artefacts.report import Grid, Picture
from leakgauge.languages import Language
from leakgauge.report.html import block_words, fragment
from leakgauge.telling.blocks import Content, blocks_of

TEMPLATES: Final = Environment(
    loader=ChoiceLoader([PackageLoader("leakgauge.web"), PackageLoader("leakgauge.report")]),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""Those of the page, which use those of the report."""


def html(contents: Iterable[Content], language: Language) -> str:
    """Findings without their pictures, which the page shows one at a time."""
    return fragment([one for one in contents if not isinstance(one, Picture)], language)


def facts(contents: Iterable[Content], language: Language) -> str:
    """Grids of names, numbers and meanings as parts of a list of descriptions."""
    rows = [row for block in blocks_of(contents) if isinstance(block, Grid) for row in block.rows]
    return laid_out("facts.html", language, rows=rows)


def laid_out(template: str, language: Language, **given: object) -> str:
    """A template of the page that shows texts with numbers."""
    return TEMPLATES.get_template(template).render(given, language=language, **block_words())
