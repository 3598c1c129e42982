"""What the other verbs ask for: a survey, a comparison of mechanisms, a search for a better setting, a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Required

from leakgauge.artefacts.request.part import Names, Option, RequestPart
from leakgauge.artefacts.request.shared_options import (
    USES,
    WEIGHTS,
    Background,
    Bins,
    Confidence,
    Dataset,
    Kept,
    Levels,
    MinProtection,
    MinUsefulness,
    Purpose,
    Recipient,
    Review,
    Secrets,
    Sensitivity,
    StrongestAttacker,
    UseOfRelease,
)
from leakgauge.artefacts.request.terms import ReadingOptions
from leakgauge.errors import OptionError


class Surveying(RequestPart, frozen=True):
    """What a survey looks at besides the secrets, by the names and with the meanings of ``lg.survey``."""

    columns: Annotated[
        tuple[str, ...], Option("Only look at these columns; by default all.", "COLUMN", called="column")
    ] = ()
    unit: Annotated[
        str | None, Option("The column that says whose row it is; intervals are then per person.", "COLUMN")
    ] = None
    bins: Bins = ()
    levels: Levels = ()
    confidence: Confidence = 0.95


class SurveyOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.survey``: the same, and how the table is read."""

    columns: Sequence[str]
    unit: str | None
    bins: Sequence[str]
    levels: Sequence[str]
    confidence: float


class Comparing(RequestPart, frozen=True):
    """What mechanisms are compared by, with the names and meanings of ``lg.compare``."""

    secret: Secrets
    background: Background = ()
    knowledge: Annotated[
        str | None, Option("both: compare with channels that read the background too.", choices=("attacker", "both"))
    ] = None
    max_distortion: Annotated[float | None, Option("The largest mean distortion allowed.", "D")] = None
    max_leakage: Annotated[float | None, Option("The largest leakage allowed, in bits.", "BITS")] = None
    through: Annotated[
        str | None, Option("Rank mechanisms for this column by what it then reveals about the secret.", "COLUMN")
    ] = None
    keep: Kept = "nothing"
    weights: Annotated[Path | str | Mapping[Any, float] | None, WEIGHTS] = None
    bins: Bins = ()
    levels: Levels = ()
    by: Annotated[
        str, Option("What ranks the mechanisms that meet the target.", choices=("bits", "epsilon", "identifiability"))
    ] = "bits"
    gap: Annotated[
        float | None, Option("Proven distance from the optimum, in nats; 1e-9, with weights 1e-6.", "NATS")
    ] = None


class Improving(RequestPart, frozen=True):
    """What a search asks for, by the names and with the meanings of ``lg.improve``."""

    secret: Annotated[str, Option("The column to protect.", "COLUMN", required=True)]
    min_protection: MinProtection = None
    min_usefulness: MinUsefulness = None
    max_epsilon: Annotated[
        float | None, Option("The largest ε that the mechanism may claim, whatever anybody knows.", "EPSILON")
    ] = None
    use: UseOfRelease = "statistics"
    public: Annotated[tuple[str, ...], Option("Released unchanged next to the secret; may be repeated.", "COLUMN")] = ()
    background: Background = ()
    lower: Annotated[float | None, Option("The publicly known least value of a numeric secret.", "NUMBER")] = None
    upper: Annotated[float | None, Option("The greatest value.", "NUMBER")] = None
    keep: Annotated[
        str,
        Option(
            "shares: designed channels release every value as often as it occurs; nothing goes with --accounted.",
            choices=("nothing", "shares"),
        ),
    ] = "shares"
    start: Annotated[
        Path | str | None, Option("An earlier release: its mechanism is the cheapest to change.", "RECORD")
    ] = None
    accounted: Annotated[float | None, Option("Search a noisy histogram paid from the ledger.", "EPSILON")] = None
    ledger: Annotated[str | None, Names.PLACE, Option("The ledger that pays for the histogram.", "PATH|ADDRESS")] = None
    dataset: Dataset = None

    def require_asked(self) -> None:
        """Refuse a search for nothing, and one among channels that recipients can use for nothing."""
        if self.min_protection is None and self.min_usefulness is None:
            raise OptionError("No requirement is given; give --min-protection, --min-usefulness or both.")
        if self.accounted is None and (self.ledger, self.dataset) != (None, None):
            raise OptionError(
                "--ledger and --dataset pay for a noisy histogram, but none is used; give --accounted, or "
                "leave them out."
            )
        if self.keep == "nothing" and self.accounted is None:
            raise OptionError(
                "--keep nothing searches among channels that follow from private counts and change the shares, from "
                "which recipients can compute nothing; leave it out, or buy a histogram with --accounted."
            )


class ImproveOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.improve``: the same, and how the table is read."""

    secret: Required[str]
    min_protection: float | None
    min_usefulness: float | None
    max_epsilon: float | None
    use: str
    public: Sequence[str]
    background: Sequence[str]
    lower: float | None
    upper: float | None
    keep: str
    start: Path | str | None
    accounted: float | None
    ledger: str | None
    dataset: str | None


class JudgedColumns(RequestPart, frozen=True):
    """The columns that are judged, and what the attacker knows; a job, or an audit without a record, has its own."""

    secret: Annotated[tuple[str, ...], Option("A column to judge; default: every protected column.", "COLUMN")] = ()
    withhold: Annotated[
        tuple[str, ...], Option("A secret that is not released, though other columns may reveal it.", "COLUMN")
    ] = ()
    background: Background = ()


class JudgedBy(RequestPart, frozen=True):
    """What a release is judged by; of a job in place of what it was asked for."""

    use: Annotated[str | None, Option("What readers do with the release; default: statistics.", choices=USES)] = None
    policy: Annotated[Path | str | None, Option("Limits to keep, in TOML; exit 1 if one is broken.", "FILE")] = None
    min_protection: MinProtection = None
    min_usefulness: MinUsefulness = None
    accept_unique: Annotated[tuple[str, ...], Option("This column may name people.", "COLUMN")] = ()
    purpose: Purpose = None
    recipient: Recipient = None
    review: Review = None
    sensitivity: Sensitivity = None
    attacker: StrongestAttacker = None
    releases_per_period: Annotated[float | None, Option("Releases per period; default: 1.", "N")] = None
    diagram: Annotated[
        Path | str | None,
        Names.PLACE,
        Option("Which indicator feeds which criterion, in TOML; or the paper's.", "paper|FILE"),
    ] = None
    questionnaire: Annotated[Path | str | None, Option("CSV respondent,leaf,answer with answers 1 to 5.", "FILE")] = (
        None
    )


class ExplainedBy(RequestPart, frozen=True):
    """What else explains a verdict."""

    fuzzy: Annotated[str | Path | None, Option("Add a fuzzy comprehensive evaluation.", "paper-a|paper-b|FILE")] = None
    stored: Annotated[Path | str | None, Option("An earlier verdict, whose space and time are used.", "FILE")] = None
    matrices: Annotated[bool, Option("Add the published method's matrices of every node (JSON only).")] = False
    confidence: Confidence = 0.95


class AssessOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.assess``: the fields of these parts, and how the original is read."""

    secret: Sequence[str]
    withhold: Sequence[str]
    background: Sequence[str]
    use: str | None
    policy: Path | str | None
    min_protection: float | None
    min_usefulness: float | None
    accept_unique: Sequence[str]
    purpose: str | None
    recipient: str | None
    review: str | None
    sensitivity: str | None
    attacker: str | None
    releases_per_period: float | None
    diagram: Path | str | None
    questionnaire: Path | str | None
    fuzzy: Path | str | None
    stored: Path | str | None
    matrices: bool
    confidence: float
