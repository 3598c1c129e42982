"""The numbers that a paper printed beside ours, and its errors."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.report import Points
from leakgauge.artefacts.reproduction import PrintedTable, Reproduction
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.voice import AS_DECLARED, Cell, Plain, Voice


def published(voice: Voice, paper: Reproduction) -> Iterator[Content]:
    """Every matrix and number of a paper beside ours, its orders, its curves and its errors."""
    yield (voice.told(paper.source),)
    for printed in paper.grids:
        yield from _matrix(voice, printed)
    rows = (
        (
            voice.told(line.where),
            voice.told(line.what),
            voice.number(line.published, unit=line.ours.unit, digits=_AS_PRINTED),
            voice.number(line.ours, "value", unit=line.ours.unit, digits=AS_DECLARED),
            voice.told(line.verdict),
            "" if line.note is None else voice.told(line.note),
        )
        for line in paper.lines
    )
    yield from voice.grid("Published numbers", "Place|Quantity|Published|Ours|Verdict|Note", rows)
    for curve in paper.curves:
        yield voice.say(
            "{what}: {number} points ({axes}) in --json",
            what=curve.what,
            number=voice.number(len(curve.points)),
            axes=Plain(voice.language.listed(map(voice.told, curve.axes))),
        )
    for one in paper.orders:
        yield voice.say(message("confirmed: {order}") if one.holds else message("FAILS: {order}"), order=one.order)
    if paper.errata:
        yield voice.say("Errors in the paper (docs/errata.md):")
        yield Points(numbered=False, items=tuple((voice.told(one),) for one in paper.errata))


_AS_PRINTED = 12
"""Digits, more than any paper prints."""


def _matrix(voice: Voice, printed: PrintedTable) -> Iterator[Content]:
    """The published cells; ours stands below where it differs, with the verdict in the title."""
    verdicts = printed.verdicts()
    same, count = sum(row.count("agrees") for row in verdicts), sum(map(len, verdicts))
    title = message("{what}: ours agrees in {same} of {all} cells")
    if not printed.agrees:
        title = message("{what}: ours agrees in {same} of {all} cells; DIFFERS")
    elif printed.slips:
        title = message("{what}: ours agrees in {same} of {all} cells; where the paper is wrong, ours stands beside it")
    rows = (
        (voice.told(label), *(_cell(voice, *cell) for cell in zip(*cells, strict=True)))
        for label, *cells in zip(printed.rows, printed.published, printed.ours, verdicts, strict=True)
    )
    heads = ("", *printed.columns)
    yield from voice.grid(title, heads, rows, what=printed.what, same=same, all=count)


def _cell(voice: Voice, published: float, ours: float, verdict: str) -> Cell:
    printed = voice.number(published, digits=_AS_PRINTED)
    if verdict == "agrees":
        return printed
    beside: Inline = (printed, " → ", voice.number(ours, digits=4), " ", voice.told(verdict))
    return beside
