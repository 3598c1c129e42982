"""An exact level and who attains it."""

from __future__ import annotations

from dataclasses import dataclass

from leakgauge import notebook
from leakgauge.artefacts import Origin
from leakgauge.artefacts import quantity as artefacts
from leakgauge.claims import Statement
from leakgauge.probability import Label
from leakgauge.probability.labels import text_of


@dataclass(frozen=True)
class Witness:
    """Two inputs and, where one output decides, the output at which the level is reached."""

    inputs: tuple[Label, Label]
    output: Label = None


@dataclass(frozen=True)
class Level:
    """The tightest statement of its notion that a known channel satisfies.

    An infinite level is a fact, not an error; averages over a prior have no witness.

    Attributes:
        low: what is certainly reached, where the level is only proven from above; None where it is exact.
    """

    statement: Statement
    witness: Witness | None = None
    low: float | None = None

    @property
    def value(self) -> float:
        """The value of the level; for (ε, δ)-privacy the ε, whether it was given or computed."""
        return self.statement.level

    @property
    def delta(self) -> float | None:
        """The δ of (ε, δ)-privacy, as of ``approximate_dp``; None of other notions."""
        return dict(self.statement.parameters).get("delta")

    @property
    def unit(self) -> str:
        """Its unit."""
        return self.statement.unit

    def stored(self, origin: Origin = Origin.TABLE) -> artefacts.Level:
        """The level as files have it, its witness in words."""
        witness = None
        if self.witness is not None:
            output = None if self.witness.output is None else text_of(self.witness.output)
            witness = artefacts.Witness(tuple(map(text_of, self.witness.inputs)), output)
        return artefacts.Level.stated(self.statement, origin, witness, self.low)

    _repr_html_ = notebook.shown
