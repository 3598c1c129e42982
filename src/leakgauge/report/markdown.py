"""A report as Markdown; its pictures are told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leakgauge.artefacts.report import Code, Grid, Paragraph, Picture, Points, Tiles
from leakgauge.report.document import Document, printed, where_the_rest_is
from leakgauge.telling.blocks import Block, Inline, Number, Section, written

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")
_STARTS = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s)")
_TONES = {"warning": "> **⚠ {}**", "good": "> {}", "note": "> {}"}


def to_markdown(document: Document) -> str:
    """The document as the text of a Markdown file."""
    document = printed(document)
    parts = [f"# {_escaped(document.title)}"]
    for section in document.sections[:1]:
        parts += _section(section, document, "##")
    for question in document.annex:
        parts += [f"## {_escaped(question.title)}"] if question.title else []
        for section in question.sections:
            parts += _section(section, document, "###" if question.title else "##")
    if document.annex:
        parts += [_escaped(one) for one in (where_the_rest_is(document),) if one]
    return "\n\n".join(parts) + "\n"


def _section(section: Section, document: Document, level: str) -> Iterator[str]:
    yield f"{level} {_escaped(section.title)}"
    if document.stamp:
        # A file of text has no pages; whoever reads a part of it should see it all the same.
        yield f"> **{_escaped(document.stamp)}**"
    yield from ("\n".join(_block(block, document)) for block in section.blocks)


def _block(block: Block, document: Document) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield _TONES.get(block.tone, "{}").format(_inline(block.parts, document))
    elif isinstance(block, Points):
        for at, item in enumerate(block.items, 1):
            yield f"{f'{at}.' if block.numbered else '-'} {_inline(item, document)}"
    elif isinstance(block, Grid):
        yield f"**{_escaped(block.caption)}**\n"
        yield f"| {' | '.join(map(_escaped, block.head))} |"
        yield "|" + " --- |" * len(block.head)
        for row in block.rows:
            yield f"| {' | '.join(_inline(cell, document) for cell in row)} |"
    elif isinstance(block, Tiles):
        yield f"**{_escaped(block.caption)}**\n"
        for one in block.tiles:
            parts = [f"**{_escaped(one.title)}: {_inline(one.shown, document)}**", _inline(one.words, document)]
            limit = f" *{_inline(one.limit, document)}*" if one.limit else ""
            yield f"- {' · '.join(part for part in parts if part)}{limit}"
    elif isinstance(block, Picture):
        yield f"*{_escaped(block.caption)}* {_escaped(block.told)}"
    elif isinstance(block, Code):
        # A fence longer than any in the text cannot be closed by it.
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", block.text)), default=0))
        yield f"{fence}\n{block.text}\n{fence}"


def _inline(parts: Inline, document: Document) -> str:
    return "".join(_escaped(written(part, document.language) if isinstance(part, Number) else part) for part in parts)


def _escaped(text: str) -> str:
    plain = " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
    return _STARTS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", plain))
