"""A search for the cheapest setting that meets a target: every trial, and all that is needed to release the best."""

from __future__ import annotations

from leakgauge.artefacts.assessment import Leaf, Scores
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.quantity import Artefact, Level, Part
from leakgauge.sentences import Sentence


class TriedSetting(Scores, frozen=True, kw_only=True):
    """A setting with its grade: what it changes, what is released, and the mechanism, as on the command line."""

    stage: str
    form: Sentence
    mechanism: Sentence
    claim: Level | None
    vetoes: tuple[Sentence, ...]
    meets: bool


class WholeSetting(TriedSetting, frozen=True, kw_only=True):
    """A setting with all that is needed to make the release; of the one that was chosen also its leaves."""

    bins: dict[str, tuple[float | str | None, ...]] | None
    channel: ChannelFile | None
    leaves: tuple[Leaf, ...] | None = None


class Blocking(Part, frozen=True):
    """A leaf whose distance from its best costs points."""

    leaf: str
    points: float


class StoredImprovement(Artefact, frozen=True, tag="leakgauge/improvement/1"):
    """What a search found: all it tried, what it chose, if anything, and what keeps the best one from the target.

    Attributes:
        learned_from: counts of the table, or a noisy histogram.
        blocking: leaves that cost the best one most points of what it is short of.
    """

    column: str
    target: float | str
    min_privacy: float
    min_utility: float
    learned_from: Sentence
    trials: tuple[TriedSetting, ...]
    chosen: WholeSetting | None
    best: WholeSetting
    failed: tuple[Sentence, ...]
    blocking: tuple[Blocking, ...]
