"""What a verb shows: numbers, tables, JSON and progress."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from leakgauge.cli.language import current, say, wrapped
from leakgauge.drafts import require_writable, write_whole
from leakgauge.errors import FileError
from leakgauge.languages import ENGLISH
from leakgauge.visible import in_json, on_one_line, visible
from leakgauge.waiting import told_while_waiting

if TYPE_CHECKING:
    from leakgauge.artefacts.dossier import Dossier
    from leakgauge.telling.blocks import Content
    from leakgauge.telling.voice import Voice

Telling: TypeAlias = "Callable[[Voice], Iterable[Content]]"
"""How a finding is worded."""

STANDARD_OUTPUT = Path("-")
"""What ``-o`` names for standard output in place of a file."""
_IN_A_PIPE = 110
_NARROWEST = 40
"""Columns, below which no table is readable."""


class Screen(Console):
    """A terminal to write on: no word of a table, a file or a person is obeyed by it, or read as markup."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """A cell, a heading or a line."""
        return super().render_str(on_one_line(text), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Anything else; lines of a text stay."""
        if isinstance(renderable, Text) and (shown := visible(renderable.plain)) != renderable.plain:
            renderable = Text(shown, renderable.style, overflow=renderable.overflow, no_wrap=renderable.no_wrap)
        return super().render(renderable, options)


def require_not_read(output: Path | None, table: str, *files: Path | None) -> None:
    """Refuse an output that cannot be written, or that is also an input."""
    from leakgauge.tables.opening import source_files

    # The address comes last: it may be a folder, in which nothing is written.
    require_writable(output, *source_files(table), Path(table), *files)


def require_picture(picture: Path | None, output: Path | None, *files: Path) -> None:
    """Refuse a picture that cannot be written, before anything is computed."""
    if picture is None:
        return
    if picture.suffix.lower() != ".svg":
        raise FileError("{path} is not the name of a picture that can be drawn; end it in .svg.", path=picture)
    require_writable(picture, *files)
    if output is not None and output.resolve() == picture.resolve():
        raise FileError("{path} is named for both the picture and the JSON; name two files.", path=picture)


@dataclass(frozen=True)
class Output:
    """Where an answer goes: to the screen, as tables or as JSON, and into a file."""

    as_json: bool = False
    file: Path | None = None


def deliver(
    answer: object, to: Output, tell: Telling, dossier: Dossier | None = None, *, shareable: bool = False
) -> None:
    """Write the artefact's file if asked, for others only where it is shareable, then print JSON or what is told of it.

    Where the file is standard output, the JSON is printed, once. It is told of a dossier, or of results that stand by
    themselves.
    """
    from leakgauge.artefacts.codec import encode

    fields = encode(answer)
    if to.file is not None and to.file != STANDARD_OUTPUT:
        write_whole(to.file, _json(fields, "utf-8"), shareable=shareable)
    if to.as_json or to.file == STANDARD_OUTPUT:
        click.echo(_json(fields, sys.stdout.encoding or "utf-8"), nl=False)
        return
    # Whoever takes the JSON waits for no words.
    from leakgauge.cli.terminal import terminal, voice_of

    console = Screen(width=_width())
    for part in terminal(tell(voice_of(dossier))):
        if isinstance(part, Text) and part.no_wrap:
            # A command to copy: the terminal may wrap the line, but no line break is printed.
            console.print(Text(on_one_line(part.plain), part.style), soft_wrap=True)
        else:
            console.print(_fitting(part, console.width))


def _width() -> int | None:
    """The width to write in: that of ``COLUMNS``, or else that of the screen."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), _NARROWEST)
    # Into a pipe the tables keep their full width instead of being cut at 80 columns.
    return None if sys.stdout.isatty() else _IN_A_PIPE


def _fitting(part: RenderableType, width: int) -> RenderableType:
    """The part, changed so that narrow columns and wide letters without spaces wrap instead of being cut off."""
    if isinstance(part, Table):
        for column in part.columns:
            column.overflow = "fold"
    elif current().code != ENGLISH.code and isinstance(part, Text) and not part.spans:
        lines = [line for paragraph in part.plain.split("\n") for line in wrapped(paragraph, width)]
        return Text("\n".join(lines), style=part.style)
    return part


def _json(fields: object, encoding: str) -> str:
    text = in_json(json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False))
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        # Escapes read back as the same text; question marks would not.
        text = json.dumps(fields, indent=2, allow_nan=False)
    return text + "\n"


@contextmanager
def working(task: str) -> Iterator[None]:
    """A spinner on standard error during a long step, only in a terminal; it says what an engine has done of it."""
    if not sys.stderr.isatty():
        yield
        return
    # A text, and not a string: a file's name may hold brackets, which would be read as markup.
    with Screen(stderr=True).status(Text(task)) as spinner:

        def tell(done: int, total: int) -> None:
            told = say("{task!s} {done:,} of {total:,} tasks", task=task, done=done, total=total)
            spinner.update(Text(told if done < total else task))

        with told_while_waiting(tell):
            yield


@contextmanager
def counting(task: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, only in a terminal; it is called with the amounts done and in all.

    Below it another one shows what an engine that is waited for has done.
    """
    with Progress(console=Screen(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        shown = bar.add_task(task, total=None)
        with told_while_waiting(engine_line(bar)):
            yield lambda done, total: bar.update(shown, completed=done, total=total)


def engine_line(bar: Progress) -> Callable[[int, int], None]:
    """Shows in a bar how many tasks of an engine are done, as long as there are others."""
    task = bar.add_task(say("Tasks in the engine"), total=None, visible=False)
    return lambda done, total: bar.update(task, completed=done, total=total, visible=done < total)
