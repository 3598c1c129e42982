"""Numbers on a screen and in JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from leakgauge.cli.language import current, say, wrapped
from leakgauge.drafts import write_whole
from leakgauge.languages import ENGLISH

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


Command = TypeVar("Command", bound=Callable[..., None])


def output_options(command: Command) -> Command:
    """``--json`` and ``-o FILE``, which every verb takes."""
    command = click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the JSON to this file too.")(
        command
    )
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(command)


def shown(value: float | str) -> str:
    """A number for a person: six digits, and infinity in words."""
    return say("infinite") if value in ("infinity", float("inf")) else f"{float(value):.6g}"


def deliver(
    answer: object,
    as_json: bool,
    output: Path | None,
    render: Callable[[], list[RenderableType]],
    *,
    shareable: bool = False,
) -> None:
    """Write the artefact's file if asked, for others only where it is shareable, then print JSON or the tables."""
    from leakgauge.artefacts.codec import encode

    fields = encode(answer)
    if output is not None:
        write_whole(output, _json(fields, "utf-8"), shareable=shareable)
    if as_json:
        click.echo(_json(fields, sys.stdout.encoding or "utf-8"), nl=False)
        return
    console = _console()
    for part in render():
        console.print(_fitting(part, console.width))


def _fitting(part: RenderableType, width: int) -> RenderableType:
    """The part as it is; with wide letters, so that nothing is cut off for want of a space to break a line at."""
    if current().code == ENGLISH.code:
        return part
    from rich.table import Table
    from rich.text import Text

    if isinstance(part, Table):
        for column in part.columns:
            column.overflow = "fold"
    elif isinstance(part, Text) and not part.spans:
        lines = [line for one in part.plain.split("\n") for line in wrapped(one, width)]
        return Text("\n".join(lines), style=part.style)
    return part


def _json(fields: object, encoding: str) -> str:
    text = json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        # Escapes read back as the same text; question marks would not.
        text = json.dumps(fields, indent=2, allow_nan=False)
    return text + "\n"


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on standard error while something takes long, only where a person looks."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, told how much is done of how much, only where a person looks."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _console() -> Console:
    from rich.console import Console

    # Into a pipe the tables keep their full width instead of being cut at 80 columns.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 110)
