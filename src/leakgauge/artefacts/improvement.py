"""A search for the most useful setting that protects enough: every trial, and the best one in full."""

from __future__ import annotations

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.quantity import Artefact, Part, Real
from leakgauge.artefacts.scores import Scores
from leakgauge.sentences import Sentence


class TriedSetting(Part, frozen=True, kw_only=True):
    """A setting with its scores, by its law.

    Attributes:
        stage: what it changes: parameters, mechanism or form of the data.
        form: what is released: the column, the column in bins, or its histogram.
        lost: the share of rows whose values are never released.
    """

    stage: str
    form: Sentence
    mechanism: Sentence
    scores: Scores
    lost: Real
    meets: bool


class TriedStage(Part, frozen=True, kw_only=True):
    """A stage of the search: parameters are changed first, then the mechanism, then the form of the data.

    Attributes:
        tried: how many settings; they are the trials that say this stage.
        meeting: how many of them keep the limits.
        best: the chosen one in its own stage; else the one that serves the goal best of those that keep the limits, or
            misses them by least.
    """

    stage: str
    tried: int
    meeting: int
    best: TriedSetting


class WholeSetting(TriedSetting, frozen=True, kw_only=True):
    """A setting with all that is needed to make the release.

    Attributes:
        text: as on the command line; None of what is fitted to the counts, which is a channel.
    """

    text: str | None
    channel: ChannelFile | None


class StoredImprovement(Artefact, frozen=True, kw_only=True, tag="leakgauge/improvement/3"):
    """The result of a search: every trial, the chosen setting if any, and what keeps the closest one from the goal.

    Attributes:
        use: what the release is for: statistics or rows.
        closest: the chosen one, else the one that misses the limits by least.
        start: the mechanism of today; None where none was given, or it is not of a kind that is tried.
        withheld: what the published columns reveal although the secret is not released; None where there are none.
        stages: those in which anything was tried, the cheapest change first.
        promised: the scores that the job promises that releases the chosen setting; None where it was not asked.
    """

    column: str
    use: str
    asked: dict[str, float]
    learned_from: Sentence
    trials: tuple[TriedSetting, ...]
    chosen: WholeSetting | None
    closest: WholeSetting
    start: TriedSetting | None
    withheld: Scores | None
    blocking: tuple[Sentence, ...]
    notes: tuple[Sentence, ...]
    stages: tuple[TriedStage, ...] = ()
    promised: Scores | None = None
