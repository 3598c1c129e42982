"""Levels of privacy notions, with who attains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leakgauge.artefacts.kinds import Artefact, Part
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.claims import Statement


class Witness(Part, frozen=True):
    """Two inputs and, where one output decides, the output at which a level is reached."""

    inputs: tuple[str, ...]
    output: str | None = None


class Level(Quantity, frozen=True):
    """The level of a notion.

    Attributes:
        delta: of approximate differential privacy.
        order: of a Rényi divergence or leakage.
        witness: where the level is reached; None of averages over a prior, and where it is a bound.
    """

    delta: Real | None = None
    order: Real | None = None
    witness: Witness | None = None

    @classmethod
    def stated(cls, statement: Statement, origin: Origin = Origin.TABLE, witness: Witness | None = None) -> Level:
        """What a statement says."""
        return cls(statement.level, statement.unit, origin=origin, witness=witness, **dict(statement.parameters))


class Levels(Artefact, frozen=True, tag="leakgauge/levels/2"):
    """The exact levels of a channel in every notion, by name, and the origin of the prior of those that need one."""

    prior: str
    levels: dict[str, Level]


def with_hyphens(levels: Any) -> Any:
    """Levels by the names of their notions, which earlier majors spelled with underscores."""
    return {name.replace("_", "-"): level for name, level in levels.items()} if isinstance(levels, Mapping) else levels


def from_first_levels(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/levels/1`` as those of today."""
    return {**fields, "schema": "leakgauge/levels/2", "levels": with_hyphens(fields.get("levels"))}
