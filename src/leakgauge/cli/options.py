"""How useful a release must be, as ``design`` and ``compare`` are told: ``--distortion`` and the targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leakgauge.errors import OptionError

if TYPE_CHECKING:
    from leakgauge.design import Target
    from leakgauge.distances import Distortion

NAMES = ("hamming", "absolute", "squared")

distortion_option = click.option(
    "--distortion",
    multiple=True,
    default=("hamming",),
    show_default="hamming",
    metavar="[COLUMN=]NAME|FILE[:WEIGHT]",
    help="hamming, absolute, squared, or CSV; of several columns one each, such as age=absolute:0.1, added up.",
)


@dataclass(frozen=True)
class Loss:
    """What ``--distortion`` says.

    Attributes:
        names: of one distortion for the whole secret, or of one a column; each a name or a file.
        weights: how much a unit of each column counts; None where one distortion is for the whole secret.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it reads."""
        return tuple(Path(name) for name in self.names if name not in NAMES)

    def distortion(self) -> Distortion:
        """The distortion itself, read from its files."""
        from leakgauge.distances import ColumnSums, distortion_named

        parts = tuple(map(distortion_named, self.names))
        return parts[0] if self.weights is None else ColumnSums(parts, self.weights)


def loss_of(texts: Sequence[str], secret: Sequence[str]) -> Loss:
    """What ``--distortion``, given once or once a column, says of the secret; columns left out count as Hamming's.

    Raises:
        OptionError: texts that do not say one distortion for the secret.
    """
    columns = {text: _column(text, secret) for text in texts}
    if len(texts) == 1 and columns[texts[0]] is None:
        name = texts[0]
        if name in NAMES[1:] and len(secret) > 1:
            raise OptionError(
                "--distortion {name!s} is for one column, and the secret has {count}; say it of a column, such as "
                "--distortion {column!s}={name!s}.",
                name=name,
                count=len(secret),
                column=secret[0],
            )
        return Loss((name,))
    if None in columns.values() or len(set(columns.values())) < len(texts):
        raise OptionError(
            "--distortion is given {count} times; give it once, or once for each column of the secret, such as "
            "--distortion {column!s}=absolute.",
            count=len(texts),
            column=secret[0],
        )
    told = {column: _weighed(text.removeprefix(f"{column}=")) for text, column in columns.items()}
    parts = [told.get(column, ("hamming", None)) for column in secret]
    if len(secret) > 1:
        return Loss(tuple(name for name, _ in parts), tuple(1.0 if by is None else by for _, by in parts))
    if parts[0][1] is not None:
        raise OptionError("--distortion weighs {column!r}, the only column; leave the weight out.", column=secret[0])
    return Loss((parts[0][0],))


def _column(text: str, secret: Sequence[str]) -> str | None:
    """The column that a text speaks of; None where it speaks of the whole secret."""
    for column in sorted(secret, key=len, reverse=True):
        if text.startswith(f"{column}="):
            return column
    if "=" in text and not Path(text).exists():
        raise OptionError(
            "--distortion {text!r} does not start with a column of the secret and '='; write e.g. {column!s}=absolute.",
            text=text,
            column=secret[0],
        )
    return None


def _weighed(text: str) -> tuple[str, float | None]:
    """A name or file, and the weight after it where there is one."""
    name, colon, weight = text.rpartition(":")
    try:
        by = float(weight) if colon else None
    except ValueError:
        # A file may have a colon in its name.
        return text, None
    if by is None:
        return text, None
    if not 0 <= by < math.inf:
        raise OptionError(
            "--distortion weighs a column {weight} times; give a finite number of at least 0 after the colon.",
            weight=weight,
        )
    return name, by


def target_of(
    *,
    slope: float | None = None,
    max_distortion: float | None = None,
    max_leakage: float | None = None,
    curve: int | None = None,
    among: Sequence[str] = ("--slope", "--max-distortion", "--max-leakage", "--curve"),
) -> Target:
    """The one target that is given; a curve starts at slope 0.

    Raises:
        OptionError: none is given, or more than one; the message names those a verb takes, ``among``.
    """
    from leakgauge.design import MaxDistortion, MaxLeakage, Slope

    count = sum(one is not None for one in (slope, max_distortion, max_leakage, curve))
    if count != 1:
        raise OptionError(
            "{count} targets are given; say one of {first!s} and {last!s}.",
            count=count,
            first=tuple(among[:-1]),
            last=among[-1],
        )
    if max_distortion is not None:
        return MaxDistortion(max_distortion)
    return MaxLeakage(max_leakage) if max_leakage is not None else Slope(slope or 0.0)
