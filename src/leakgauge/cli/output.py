"""Numbers on a screen and in JSON; files written whole or not at all."""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leakgauge.errors import EngineError, FileError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from leakgauge.jobs.measure import Quantity

Command = TypeVar("Command", bound=Callable[..., None])


def output_options(command: Command) -> Command:
    """``--json`` and ``-o FILE``, which every verb takes."""
    command = click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the JSON to this file too.")(
        command
    )
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")(command)


def quantity_json(quantity: Quantity | None) -> dict[str, object] | None:
    """A quantity's five fields."""
    if quantity is None:
        return None
    estimate = quantity.estimate
    return {
        "value": number_json(estimate.value),
        "unit": quantity.unit,
        "low": number_json(estimate.low),
        "high": number_json(estimate.high),
        "confidence": estimate.confidence,
    }


def number_json(value: float) -> float | str:
    """A finite number as it is, an infinite one in words; NaN is never written."""
    return value if math.isfinite(value) else "infinity" if value > 0 else "-infinity"


def deliver(
    fields: Mapping[str, Any], as_json: bool, output: Path | None, render: Callable[[], list[RenderableType]]
) -> None:
    """Write the file if one is asked for, then print JSON or the tables."""
    if output is not None:
        write_whole(output, _json(fields, "utf-8"))
    if as_json:
        click.echo(_json(fields, sys.stdout.encoding or "utf-8"), nl=False)
        return
    console = _console()
    for part in render():
        console.print(part)


def _json(fields: Mapping[str, Any], encoding: str) -> str:
    text = json.dumps(fields, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        # Escapes read back as the same text; question marks would not.
        text = json.dumps(fields, indent=2, allow_nan=False)
    return text + "\n"


def require_writable(output: Path | None, *inputs: Path) -> None:
    """Refuse an output place before any work is done, and never overwrite an input."""
    if output is None:
        return
    if output.is_dir():
        raise FileError("{path} is a folder; name a file to write.", path=output)
    if output.exists() and not output.is_file():
        raise FileError("{path} is not a regular file; name another, or use --json.", path=output)
    place = target(output)
    if not place.parent.is_dir():
        raise FileError("The folder {path} does not exist; make it first.", path=place.parent)
    for path in inputs:
        if place == path.resolve():
            raise FileError("{path} is an input; name another file to write.", path=output)
        if path.is_dir() and place.is_relative_to(path.resolve()):
            raise FileError("{path} lies in the folder {folder}, an input; write elsewhere.", path=output, folder=path)


def target(path: Path) -> Path:
    """The file that is written: of a link, what it leads to."""
    try:
        place = path.resolve()
    except RuntimeError:
        place = path
    # Links in a circle: Python before 3.13 raises, later ones give one of the links back.
    if place.is_symlink():
        raise FileError("{path} is a link that leads to itself; name another file to write.", path=path)
    return place


def write_whole(path: Path, text: str) -> None:
    """Write through a temporary file beside the target, so that a kill leaves the old file or the new one."""
    path = target(path)  # replacing a link would leave what it leads to as it was
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        draft = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.chmod(0o666 & ~_umask())
            draft.replace(path)
        except BaseException:
            draft.unlink()
            raise
    except OSError as error:
        raise EngineError(
            "{path} could not be written: {reason}.", path=path, reason=error.strerror or "the system refused"
        ) from None


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on standard error while something takes long, only where a person looks."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def _console() -> Console:
    from rich.console import Console

    # Into a pipe the tables keep their full width instead of being cut at 80 columns.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 110)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
