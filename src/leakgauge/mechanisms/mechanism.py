"""What every mechanism of the catalogue says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from leakgauge.claims import Statement
from leakgauge.probability import Channel
from leakgauge.tables import Kind

Parameter: TypeAlias = float | int | str | tuple[object, ...]


@dataclass(frozen=True)
class Capabilities:
    """What a mechanism can be run on.

    Attributes:
        columns: kinds of columns it releases row by row; empty where it only answers queries.
        answers: whether it answers queries about a whole table.
        finite: whether it is a finite channel that can be written down.
        values: how many values of a column it tells apart; None where that is not known.
    """

    columns: tuple[Kind, ...] = ()
    answers: bool = False
    finite: bool = False
    values: int | None = None


class Mechanism(Protocol):
    """A claim, a law, and a way to run it; frozen."""

    @property
    def name(self) -> str:
        """As on the command line."""

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """As on the command line."""

    @property
    def claims(self) -> tuple[Statement, ...]:
        """What is guaranteed, the headline first."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can be run on."""

    def channel(self) -> Channel | None:
        """The exact channel from value to release; None where it is not finite or too large to write down."""


def spelled(mechanism: Mechanism) -> str:
    """The mechanism as on the command line: ``name:key=value,…``, a backslash before a letter's own ``|`` or ``,``."""
    parts = ",".join(f"{key}={_text(value)}" for key, value in mechanism.parameters.items())
    return f"{mechanism.name}:{parts}" if parts else mechanism.name


def _text(value: Parameter) -> str:
    if isinstance(value, tuple):
        return "|".join("" if part is None else _escaped(str(part)) for part in value)
    return repr(value) if isinstance(value, float) else _escaped(str(value))


def _escaped(text: str) -> str:
    return re.sub(r"([\\|,])", r"\\\1", text)
