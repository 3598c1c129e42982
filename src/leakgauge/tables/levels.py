"""Levels: ever coarser values of a column, as a file declares them, in the form of ARX's hierarchies."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from leakgauge.arguments import checked
from leakgauge.errors import FileError, OptionError

_DELIMITERS = (";", ",", "\t")


@dataclass(frozen=True)
class Levels:
    """A coarser value for each value of a column, as text.

    A value that is not listed is refused when rows are read. Missing values stay missing, unless the empty text is
    listed.

    Attributes:
        values: distinct texts.
        coarser: the text in place of each.
        level: its number in the file; 0 is the value itself.
        file: the name of the file, for people.
    """

    values: tuple[str, ...]
    coarser: tuple[str, ...]
    level: int
    file: str

    def __post_init__(self) -> None:
        if len(set(self.values)) < len(self.values) or len(self.values) != len(self.coarser) or not self.values:
            raise OptionError(
                "Level {level} of {file!r} has {values} values and {coarser} coarser ones; give one coarser value for "
                "each, and no value twice.",
                level=self.level,
                file=self.file,
                values=len(set(self.values)),
                coarser=len(self.coarser),
            )

    def __str__(self) -> str:
        return f"{self.file}:{self.level}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The coarser values in order."""
        return tuple(sorted(set(self.coarser)))


@dataclass(frozen=True)
class Hierarchy:
    """The values of a column and ever coarser ones; made by ``read_hierarchy``.

    Attributes:
        columns: for each level above 0 the coarser value of each value.
        file: its name, for people.
    """

    values: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    file: str

    @property
    def highest(self) -> int:
        """The number of its coarsest level."""
        return len(self.columns)

    def level(self, number: int) -> Levels:
        """The coarser values at a level; at level 0 the values themselves.

        Example:
            >>> cities = Hierarchy(("Bonn", "Köln", "Pisa"), (("DE", "DE", "IT"), ("*", "*", "*")), "cities.csv")
            >>> cities.level(1).coarser
            ('DE', 'DE', 'IT')
        """
        if not 0 <= number <= self.highest:
            raise OptionError(
                "{file!r} has no level {number}; its levels are 0, the values themselves, to {highest}.",
                file=self.file,
                number=number,
                highest=self.highest,
            )
        return Levels(self.values, self.columns[number - 1] if number else self.values, number, self.file)


@checked
def read_hierarchy(path: str | Path) -> Hierarchy:
    """The levels in a CSV file without a header: on each line a value and then ever coarser ones.

    Fields are separated by semicolons, as ARX writes them, commas or tabs, in UTF-8. A line with an empty value is for
    missing values.

    Raises:
        FileError: the file cannot be read, is empty, has lines of different lengths, names a value twice or has an
            empty coarser value; or a level is not coarser than the one before: values that agree there differ again.
    """
    lines = _lines(Path(path))
    if not lines:
        raise FileError("{path!r} is empty; write a value and its coarser values on each line.", path=str(path))
    width = len(lines[0][1])
    if width < 2:
        raise FileError(
            "Line {line} of {path!r} has a value without coarser ones; write them after it, separated by semicolons.",
            line=lines[0][0],
            path=str(path),
        )
    seen: dict[str, int] = {}
    for line, fields in lines:
        if len(fields) != width:
            raise FileError(
                "Line {line} of {path!r} has {found} fields, but the first line has {width}; give every value all "
                "levels.",
                line=line,
                path=str(path),
                found=len(fields),
                width=width,
            )
        if fields[0] in seen:
            raise FileError(
                "Line {line} of {path!r} has the same value as line {first}; leave one of them out.",
                line=line,
                path=str(path),
                first=seen[fields[0]],
            )
        if "" in fields[1:]:
            raise FileError(
                "Line {line} of {path!r} has an empty coarser value; write '*' where nothing is to be revealed.",
                line=line,
                path=str(path),
            )
        seen[fields[0]] = line
    values, *columns = zip(*(fields for _, fields in lines), strict=True)
    for number, (finer, coarser) in enumerate(pairwise(columns), start=1):
        _require_coarser(path, number, finer, coarser, tuple(seen.values()))
    return Hierarchy(values, tuple(columns), Path(path).name)


def _require_coarser(
    path: str | Path, number: int, finer: tuple[str, ...], coarser: tuple[str, ...], lines: tuple[int, ...]
) -> None:
    first: dict[str, int] = {}
    for at, value in enumerate(finer):
        before = first.setdefault(value, at)
        if coarser[at] != coarser[before]:
            raise FileError(
                "Level {number} of {path!r} is not coarser than level {finer}: lines {first} and {line} agree in the "
                "latter and differ in the former; make them agree.",
                number=number + 1,
                path=str(path),
                finer=number,
                first=lines[before],
                line=lines[at],
            )


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The lines that are not blank, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            first = stream.readline()
            stream.seek(0)
            delimiter = next((one for one in _DELIMITERS if len(next(csv.reader([first], delimiter=one), [])) > 1), ";")
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            return [(reader.line_num, fields) for fields in reader if fields]
    except FileNotFoundError:
        raise FileError("There is no file {path!r}; check the path.", path=str(path)) from None
    except UnicodeDecodeError:
        raise FileError("{path!r} is not text in UTF-8; save it as UTF-8.", path=str(path)) from None
    except csv.Error:
        raise FileError("{path!r} is not a CSV file; check its quotation marks.", path=str(path)) from None
    except OSError:
        raise FileError("{path!r} cannot be read; check the path and its permissions.", path=str(path)) from None


def parse_levels(
    texts: Iterable[str], columns: Collection[str], folder: Path | None = None
) -> dict[str, tuple[Hierarchy, int | None]]:
    """The hierarchy of each column and its level, from texts such as ``job=jobs.csv:2``; None where no level is said.

    Raises:
        OptionError: a text of another form, a column that is not one of these or named twice, or a level that its file
            does not have.
        FileError: see ``read_hierarchy``.
    """
    found: dict[str, tuple[Hierarchy, int | None]] = {}
    for column, (path, number) in named_levels(texts, columns).items():
        hierarchy = read_hierarchy(path if folder is None else folder / path)
        if number is not None:
            hierarchy.level(number)
        found[column] = hierarchy, number
    return found


def named_levels(texts: Iterable[str], columns: Collection[str]) -> dict[str, tuple[Path, int | None]]:
    """The file and the level that texts such as ``job=jobs.csv:2`` name for each column; errors as ``parse_levels``."""
    found: dict[str, tuple[Path, int | None]] = {}
    for text in texts:
        if "=" not in text:
            raise OptionError(
                "--levels {text!r} is not a column, '=' and a file; write e.g. job=jobs.csv:2.", text=text
            )
        # A name and a path may both hold '='.
        named = [name for name in columns if text.startswith(f"{name}=")]
        if not named:
            raise OptionError(
                "--levels {text!r} names a column that has no role here; give it one, such as --background, or leave "
                "its levels out.",
                text=text,
            )
        column = max(named, key=len)
        if column in found:
            raise OptionError("--levels is given twice for column {column!r}; give it once.", column=column)
        found[column] = level_file(text.removeprefix(f"{column}="))
    return found


def level_files(texts: Iterable[str]) -> list[Path]:
    """The files that texts such as ``job=jobs.csv:2`` name: what must not be overwritten."""
    return [level_file(text.partition("=")[2])[0] for text in texts if "=" in text]


def level_file(text: str) -> tuple[Path, int | None]:
    """The file and the level of ``FILE:2``; a path may hold colons too, so the last one counts, before digits."""
    name, colon, digits = text.rpartition(":")
    if colon and digits.isascii() and digits.isdigit():
        return Path(name), int(digits)
    return Path(text), None
