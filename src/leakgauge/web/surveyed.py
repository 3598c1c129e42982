"""A survey as the page shows it: a few lines beside each column, and what is found of columns together."""

from __future__ import annotations

from typing import Final

from leakgauge.artefacts.report import Grid
from leakgauge.artefacts.survey import Suggested, Survey, SurveyedColumn
from leakgauge.languages import Language
from leakgauge.telling.blocks import Inline, blocks_of, text_of
from leakgauge.telling.survey import columns, combinations, identifying
from leakgauge.telling.voice import Voice
from leakgauge.web.rendering import html, laid_out

_TOGETHER: Final = 4
"""Combinations that are shown; the command line has them all."""
_COUNTS: Final = slice(2, 5)
"""The cells of a column that stand in one line."""
_NAMES, _TELLS, _ROLE = 5, 6, 7


def survey_fields(found: Survey, language: Language) -> dict[str, object]:
    """The survey for the page."""
    voice = Voice(language=language)
    grid, *rest = blocks_of(columns(voice, found))
    assert isinstance(grid, Grid)
    rows = zip(found.columns, grid.rows, strict=True)
    warned = identifying(voice, [one for one in found.columns if one.identifier is not None or one.free_text])
    return {
        "secrets": found.secrets,
        "columns": {one.name: _column_fields(voice, found, one, grid.head, row) for one, row in rows},
        "told": html((*warned, *rest, *combinations(voice, found.combinations[:_TOGETHER])), language),
    }


def _column_fields(
    voice: Voice, found: Survey, column: SurveyedColumn, head: tuple[str, ...], row: tuple[Inline, ...]
) -> dict[str, object]:
    naming = column.identifier is not None or column.free_text
    counts = (
        voice.language.say("{name}: {value}", name=name, value=text_of(cell, voice.language))
        for name, cell in zip(head[_COUNTS], row[_COUNTS], strict=True)
    )
    shown = [_NAMES] if naming else []
    shown += [_TELLS] if column.tells else []
    # What reveals little is not known before there is a secret.
    shown += [_ROLE] if not naming and (found.secrets or column.suggested is not Suggested.PUBLIC) else []
    lines = [voice.say("{name}: {value}", name=head[at], value=row[at]) for at in shown]
    return {
        "counts": " · ".join(counts),
        "told": laid_out("column.html", voice.language, lines=lines, warned=naming),
        "naming": naming,
        "suggested": column.suggested.value,
    }
