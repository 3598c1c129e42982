"""What a channel satisfies, or what a statement implies, in every notion."""

from __future__ import annotations

from leakgauge.artefacts.quantity import Artefact, Level, Origin, Part, Quantity, Real


class Derivation(Part, frozen=True):
    """One implication on the way to a notion."""

    to: str
    formula: str
    status: str
    reference: str


class Implied(Part, frozen=True, kw_only=True):
    """What follows in one notion; where nothing does, there is no statement and no value.

    It is ``sharp`` where no smaller level follows for all channels and priors, and ``cut`` where the level is capped at
    the entropy of the secret, less than the last formula gives. Where nothing follows, a family of counterexamples may
    be named.
    """

    notion: str
    statement: str | None = None
    value: Real | None = None
    unit: str | None = None
    low: Real | None = None
    high: Real | None = None
    confidence: Real | None = None
    delta: Real | None = None
    order: Real | None = None
    origin: Origin = Origin.TABLE
    sharp: bool
    cut: bool
    path: tuple[Derivation, ...]
    counterexample: str | None = None


class Relation(Artefact, frozen=True, kw_only=True, tag="leakgauge/relation/2"):
    """Exact levels and implied statements.

    Attributes:
        subject: the statement, or the channel's file.
        ordered: whether neighbouring data sets differ in the record at one position.
        restricted: whether values that never occur were left out.
        levels: exact levels by name; empty for a statement.
        given: columns that the channel reads and everybody is assumed to know: levels are conditional on them.
        prior_skew: Δ of the prior over the inputs compared, where it is known.
        implied: what follows in each notion that has no exact level.
    """

    subject: str
    records: int
    ordered: bool
    restricted: bool
    identifiability: Level | None = None
    local_dp: Level | None = None
    mutual_information: Level | None = None
    levels: dict[str, Level]
    prior_skew: Quantity | None = None
    moment_skewness: Quantity | None = None
    implied: tuple[Implied, ...]
    warnings: tuple[str, ...]
    given: tuple[str, ...] = ()
