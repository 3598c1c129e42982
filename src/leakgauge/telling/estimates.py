"""Estimates from a release, corrected for its channels, with what the intervals mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.estimates import Estimated, EstimatedCell, Estimates
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.telling.blocks import Content
from leakgauge.telling.voice import AS_DECLARED, Cell, Plain, Voice, own

SHOWN: Final = 60
"""Numbers of one answer that are shown; the JSON has them all."""


def estimates(voice: Voice, recipient: Estimates) -> Iterator[Content]:
    """A table for each answer, and what the intervals are."""
    for answer in recipient.estimates:
        yield from _estimated(voice, answer)
    confidence = next(iter(recipient.estimates[0].cells)).estimate
    yield voice.say(
        "Each interval, taken by itself, contains the true value with {confidence} confidence, for the table and for "
        "the population that its rows are drawn from.",
        confidence=voice.number(confidence.confidence or 0.0, percent=True, digits=AS_DECLARED),
    )
    for note in recipient.notes:
        yield Paragraph("caution", (voice.told(note),))


def _estimated(voice: Voice, answer: Estimated) -> Iterator[Content]:
    mean = answer.kind == "mean"
    named = map(own, answer.by if mean else (*answer.by, answer.column))
    heads: tuple[str | Plain, ...] = (*named, message("Mean") if mean else message("Share"))
    rows = [_row(voice, one, mean, voice.language.say("(missing)")) for one in answer.cells[:SHOWN]]
    rows += [_row(voice, one, mean, voice.language.say("(any other value)")) for one in answer.unseen[:SHOWN]]
    title = {
        (True, True): message("Mean of {column} by {by}"),
        (True, False): message("Mean of {column}"),
        (False, True): message("Shares of {column} by {by}"),
        (False, False): message("Shares of {column}"),
    }[mean, bool(answer.by)]
    yield from voice.grid(title, heads, rows, column=own(answer.column), by=voice.listed(answer.by))
    if len(answer.cells) > SHOWN:
        more = voice.number(len(answer.cells) - SHOWN)
        yield voice.note("… and {more} more, all of them with --json.", more=more)
    method, rows_released = answer.method.value, voice.number(answer, "rows")
    if answer.effective_rows is None:
        yield voice.say("Method: {method}; {rows} released rows.", method=method, rows=rows_released)
    else:
        yield voice.say(
            "Method: {method}; {rows} released rows are worth {worth} rows of the table itself.",
            method=method,
            rows=rows_released,
            worth=voice.number(answer.effective_rows, "value", count=True),
        )


def _row(voice: Voice, cell: EstimatedCell, mean: bool, unnamed: str) -> tuple[Cell, ...]:
    missing = voice.language.say("(missing)")
    group = (missing if one is None else own(one) for one in cell.group)
    value = () if mean else (unnamed if cell.value is None else own(cell.value),)
    estimate = cell.estimate
    return *group, *value, voice.number(estimate, "value", interval=estimate, percent=not mean)
