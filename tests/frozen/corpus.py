"""Running the frozen commands, and keeping what they say: screens, exit codes and every file, made comparable."""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import re
import shlex
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import pyarrow.csv
import pyarrow.parquet

from leakgauge.cli import main
from tests.frozen.commands import COMMANDS
from tests.frozen.tables import make_tables

HERE = Path(__file__).parent
ARCHIVE = HERE / "said.tar.xz"
Said = Mapping[str, bytes]
"""What a command says: by name its screens and its files."""
_UNSTEADY = (
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"), b"<time>"),
    (re.compile(rb"\b[0-9a-f]{64}\b"), b"<digest>"),
    (re.compile(rb"\b[0-9a-f]{32}\b"), b"<reference>"),
    (re.compile(rb"\(digest [0-9a-f]{16}"), b"(digest <digest>"),
    (re.compile(rb"\bLG-[0-9A-F]{4}-[0-9A-F]{4}\b"), b"<number>"),
    (re.compile(rb'("(?:leakgauge|python|numpy|scipy|duckdb|pyarrow|opendp)": )"[^"]*"'), rb'\1"<version>"'),
    (re.compile(rb"\b2026-(?!03)\d\d-\d\d\b"), b"<today>"),
)
"""What differs from one run to the next, or from one machine to the next."""
_LONG = re.compile(rb"(?<![\w.])-?\d+\.\d{9,}(e[+-]\d+)?\b|(?<![\w.])-?\d+(\.\d+)?e-\d\d\b")
"""Numbers with all their digits, and small ones, such as the gaps that proofs leave."""
_NUMBER = re.compile(rb"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)")
_AS_GOOD = 1e-6
"""Of a number, and of 1: another processor gives other last digits, and other gaps of proofs."""
_LEFT_OUT = (".job.lock", "b.ledger")


def said_by(name: str, tables: Path) -> Said:
    """What one frozen command says, run in a folder of its own with these tables."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for file in tables.iterdir():
            shutil.copy(file, folder)
        inputs = {file.name for file in tables.iterdir()}
        with contextlib.chdir(folder):
            found = {f"screen-{at}": _screen(line) for at, line in enumerate(COMMANDS[name].splitlines(), 1)}
            for file in sorted(folder.rglob("*")):
                inside = file.relative_to(folder)
                if file.is_file() and str(inside) not in inputs and inside.name not in _LEFT_OUT:
                    found[str(inside)] = _content(file)
        return {what: _steady(content, folder) for what, content in found.items()}


def _screen(line: str) -> bytes:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _standing_clocks():
        code = main(shlex.split(line))
    return f"$ leakgauge {line}\n{out.getvalue()}--- errors\n{err.getvalue()}--- exit {code}\n".encode()


@contextlib.contextmanager
def _standing_clocks() -> Iterator[None]:
    """Nothing takes time, and the costs of a mechanism are its rows."""

    def cost(run: Callable[[int], object], size: int) -> float:
        run(size)
        return float(size)

    with (
        patch("time.monotonic", return_value=0.0),
        patch("leakgauge.assessment.indicators.costs._nanoseconds", cost),
        patch("leakgauge.assessment.indicators.costs._peak", cost),
    ):
        yield


def _content(file: Path) -> bytes:
    if file.suffix != ".parquet":
        return file.read_bytes()
    # How rows are packed may change with the library; what they say may not.
    written = io.BytesIO()
    pyarrow.csv.write_csv(pyarrow.parquet.read_table(file), written)
    return written.getvalue()


def says_the_same(before: bytes, after: bytes) -> bool:
    """Whether two contents differ in nothing but the last digits of numbers."""
    if before == after:
        return True
    old, new = (_NUMBER.split(content) for content in (before, after))
    # What matches stands at odd places, what is between at even ones.
    if len(old) != len(new) or old[::2] != new[::2]:
        return False
    pairs = ((float(was), float(now)) for was, now in zip(old[1::2], new[1::2], strict=True) if was != now)
    return all(abs(was - now) <= _AS_GOOD * max(abs(was), abs(now), 1) for was, now in pairs)


def _steady(content: bytes, folder: Path) -> bytes:
    content = content.replace(os.fsencode(folder.resolve()), b"<folder>").replace(os.fsencode(folder), b"<folder>")
    for pattern, instead in _UNSTEADY:
        content = pattern.sub(instead, content)
    # Other digits would only take room in the archive.
    return _LONG.sub(lambda number: b"%.9g" % float(number[0]), content)


@contextlib.contextmanager
def tables() -> Iterator[Path]:
    """A folder with all tables that frozen commands read."""
    with tempfile.TemporaryDirectory() as place:
        make_tables(Path(place))
        yield Path(place)


def frozen() -> dict[str, dict[str, bytes]]:
    """Everything as frozen, by command."""
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        for member in archive:
            command, _, name = member.name.partition("/")
            content = archive.extractfile(member)
            assert content is not None
            found.setdefault(command, {})[name] = content.read().replace(b"<tiny>", b"0")
    return found


def freeze(every: Mapping[str, Said]) -> None:
    """Keep what all commands say from now on."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        # Files of one name are alike in all commands; side by side they take little room.
        places = [(Path(name).name, command, name) for command, said in every.items() for name in said]
        for _, command, name in sorted(places):
            member = tarfile.TarInfo(f"{command}/{name}")
            member.size = len(every[command][name])
            archive.addfile(member, io.BytesIO(every[command][name]))
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 27}]
    ARCHIVE.write_bytes(lzma.compress(packed.getvalue(), format=lzma.FORMAT_XZ, filters=filters))
