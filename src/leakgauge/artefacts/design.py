"""Designed channels, the frontier they lie on, and mechanisms beside them."""

from __future__ import annotations

from enum import Enum

from leakgauge.artefacts.quantity import Artefact, Level, Part, Quantity
from leakgauge.probability import PriorOrigin
from leakgauge.sentences import Sentence


class DesignPoint(Part, frozen=True, kw_only=True):
    """The numbers of a designed channel; without weights or a background those that need them are None.

    Attributes:
        leakage: I(X;Y).
        weighted_leakage: I_w(X;Y).
        leakage_with_background: I(X;Y,Z).
        background_floor: I(X;Z), which no channel is below.
        epsilon: local ε.
        gap: how far the leakage may be above the least.
        slope: what a unit of distortion is worth.
    """

    leakage: Quantity
    weighted_leakage: Quantity | None = None
    leakage_with_background: Quantity | None = None
    background_floor: Quantity | None = None
    distortion: Quantity
    epsilon: Quantity
    gap: Quantity
    slope: Quantity
    letters: int


class RoundsTold(Part, frozen=True, kw_only=True):
    """What earlier releases of the secret reveal, and what they reveal together with a designed one.

    Attributes:
        before: what they reveal together, with the background if there is one.
        added: what the designed one reveals beyond them.
        exact: whether the three numbers are exact; if not, each is an upper bound.
    """

    earlier: int
    before: Quantity
    added: Quantity
    after: Quantity
    exact: bool


class Design(
    DesignPoint, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="schema", tag="leakgauge/design/1"
):
    """A designed channel with the witnesses of its levels.

    Attributes:
        prior: where the frequencies come from that it was designed for.
        keep: what the release keeps on the whole: nothing, shares or associations.
        price_of_keeping: what that costs more than the least leaking channel at the same distortion.
        told_unprotected: I(S;X), what an unchanged column reveals about the secret; None if the secret itself goes
            through the channel. If set, all other numbers are about the secret S.
        certain: the share of rows whose value is certain to be released unchanged.
        rounds: where the secret was released before; the background of all other numbers is then what was released.
    """

    knowledge: str
    epsilon: Level
    identifiability: Level | None = None
    inputs_that_never_occur: int
    iterations: int
    prior: PriorOrigin
    keep_inside: bool
    keep: str = "nothing"
    price_of_keeping: Quantity | None = None
    told_unprotected: Quantity | None = None
    certain: Quantity | None = None
    rounds: RoundsTold | None = None


class GuessedDesign(Artefact, frozen=True, kw_only=True, tag="leakgauge/guessed-design/1"):
    """A channel designed for the least chance of a right guess.

    Attributes:
        best_guess: how often the best guess is right before the release is seen, from the background where the
            attacker knows one; after it, it is never less.
        best_guess_after: how often it is right after the release is seen, with that background.
        gap: no channel of at most the distortion asked for has less of ``best_guess_after``, less the gap.
    """

    best_guess: Quantity
    best_guess_after: Quantity
    gap: Quantity
    distortion: Quantity
    leakage: Quantity
    leakage_with_background: Quantity | None = None
    epsilon: Level
    letters: int
    knowledge: str
    prior: PriorOrigin
    keep_inside: bool


class BesideCurve(Part, frozen=True):
    """Points of the same problem that keep something else."""

    keep: str
    points: tuple[DesignPoint, ...]


class Frontier(Artefact, frozen=True, tag="leakgauge/frontier/1"):
    """Designed channels from no leakage to the least distortion.

    Attributes:
        beside: the same curve of channels that keep something else.
        secret: what the leakage is of; empty in files of earlier versions.
        through: the released column that reveals the secret; None where the secret itself goes through.
    """

    knowledge: str
    points: tuple[DesignPoint, ...]
    prior: PriorOrigin
    keep_inside: bool
    keep: str = "nothing"
    beside: BesideCurve | None = None
    secret: tuple[str, ...] = ()
    through: str | None = None


class Role(Enum):
    """Why a mechanism is in a comparison: it was asked about, is always shown, or was designed within a bound on ε."""

    GIVEN = "given"
    BASELINE = "baseline"
    OPTIMUM = "optimum"
    DESIGNED = "designed"


class RankedBy(Enum):
    """The measure by which mechanisms are ranked."""

    BITS = "bits"
    EPSILON = "epsilon"
    IDENTIFIABILITY = "identifiability"


class Compared(Part, frozen=True, kw_only=True):
    """A mechanism with its own parameters on the secret.

    Attributes:
        epsilon: local ε over all its inputs; infinite where an output rules an input out.
        waste: what it leaks beyond the least at its own distortion, as the best channel found shows.
        gap: the waste may be larger by so much, not smaller.
        identifiability: of the posteriors under the table's frequencies; None in files of earlier versions.
        effective_rows: the share of the rows that its release is worth for estimating shares; 0 where values cannot be
            distinguished. None in files of earlier versions.
        keeps_shares: whether it releases every value as often as it occurs in this table, with ``both`` in each
            background. None in files of earlier versions.
    """

    mechanism: str
    role: Role
    meets_target: bool
    leakage: Quantity
    weighted_leakage: Quantity | None = None
    leakage_with_background: Quantity | None = None
    distortion: Quantity
    epsilon: Quantity
    waste: Quantity
    gap: Quantity
    identifiability: Quantity | None = None
    effective_rows: Quantity | None = None
    confused_values: int = 0
    keeps_shares: bool | None = None

    @property
    def objective(self) -> float:
        """What counts as leakage, in bits: the weighted one, or I(X;Y,Z) where there is a background, else I(X;Y)."""
        return (self.weighted_leakage or self.leakage_with_background or self.leakage).value


class Comparison(Artefact, frozen=True, kw_only=True, tag="leakgauge/comparison/1"):
    """Mechanisms on one scale.

    Attributes:
        max_distortion: the target; None where it is the other.
        ranking: first those that meet the target: of a distortion by leakage, of a leakage by distortion; then the
            others, the one that misses it by least first. By another measure, first those that meet the target, then
            the others, each by that measure. Where the shares are kept, of those that meet the target first those that
            keep them.
        prior_skew: Δ of the frequencies, the least identifiability that any channel has.
        keep: what the optimum keeps, beside which waste is measured: nothing or shares.
        through: the column that goes through the mechanisms and reveals the secret; None where it is the secret.
    """

    knowledge: str
    max_distortion: Quantity | None = None
    max_leakage: Quantity | None = None
    background_floor: Quantity | None = None
    ranking: tuple[Compared, ...]
    prior: PriorOrigin
    keep_inside: bool
    by: RankedBy = RankedBy.BITS
    prior_skew: Quantity | None = None
    moment_skewness: Quantity | None = None
    advice: Sentence | None = None
    keep: str = "nothing"
    through: str | None = None
