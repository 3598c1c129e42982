"""The main job: its request, its progress, what each finished stage read and wrote, and its outcome."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from leakgauge.artefacts.exposure import Total
from leakgauge.artefacts.quantity import PROMISE, Artefact, Level, Origin, Part, Quantity, Real
from leakgauge.artefacts.request import Request, StoredRequest
from leakgauge.artefacts.scores import Scores
from leakgauge.artefacts.verdict import Action, Recommendation
from leakgauge.errors import LeakgaugeError, ModelError
from leakgauge.sentences import Sentence


class EarlierRelease(Part, frozen=True):
    """A release by the same mechanism, made before.

    Attributes:
        epsilon: what it cost a unit of protection, a histogram that was bought for it included.
        shared: how many persons of the new table are also in its table; None if unknown, and then all are assumed to
            be.
        unchanged: of these, for each secret, the share whose secret is the same in both tables.
    """

    folder: str
    created: Annotated[str, Origin.PUBLIC]
    reference: str
    rows: Annotated[int, Origin.PUBLIC]
    epsilon: Quantity
    shared: int | None = None
    unchanged: dict[str, Quantity] | None = None
    unknown: Sentence | None = None


class RepeatedSecret(Part, frozen=True):
    """What the releases reveal, in bits, about the secret of a person who is in all of them with the same value.

    Other columns, and what is known, come on top: they may have changed from one table to the next.

    Attributes:
        entropy: of the secret: the most that can be revealed.
        alone: by its column of the new release, and by the public columns that its channel reads.
        together: by its columns of all these releases; at most that where it is not ``exact``.
        guessed_alone: the chance of guessing it in one try from its column of the new release.
        distortion: of the mechanism, on average over the new table; ``max_distortion`` is what was asked for.

    Numbers are None of a mechanism without a finite alphabet.
    """

    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    entropy: Quantity
    alone: Quantity | None = None
    together: Quantity | None = None
    exact: bool = True
    guessed_alone: Quantity | None = None
    guessed: Quantity | None = None
    distortion: Quantity | None = None
    max_distortion: Annotated[Real | None, Origin.DECLARED] = None


class Repeated(Part, frozen=True):
    """The earlier releases, and what all of them reveal together with this one.

    Attributes:
        before: the oldest first.
        counted: the releases one person may be in: not those whose tables are known to share nobody with this one.
        units: how many persons are in the new table; None where no column names them.
        epsilon: of a person who is in all that are counted: their ε add up.
        spent: what the account of the ledger has spent, this release included; None without one.
    """

    before: tuple[EarlierRelease, ...]
    releases: Annotated[int, Origin.PUBLIC]
    counted: int
    secrets: tuple[RepeatedSecret, ...]
    epsilon: Quantity
    unit: Annotated[str | None, Origin.DECLARED] = None
    units: int | None = None
    dataset: Annotated[str | None, Origin.DECLARED] = None
    spent: Quantity | None = None


class ReleasedBefore(Part, frozen=True):
    """An earlier release that the verdict counts together with this one, for the people in both.

    Attributes:
        reference: of its record, and of its entry in the ledger.
        same_mechanism: whether it went through the mechanism of this job; if not, only what the ledger says is known.
        bits: that it reveals at most about each column of a secret; infinite where the ledger does not say.
        epsilon: of all its columns together, in nats; infinite where there is none, like ``rho`` of zCDP.
    """

    reference: str
    same_mechanism: bool
    bits: dict[str, Real] = msgspec.field(default_factory=dict)
    epsilon: Real = float("inf")
    rho: Real = float("inf")


class JobEvent(Part, frozen=True):
    """The progress of a job; within a stage, the amounts done and in all, if they can be counted."""

    stage: str
    state: Literal["started", "working", "finished", "kept", "skipped"]
    done: int = 0
    total: int = 0


class Ended(Part, frozen=True):
    """How a job ended: the exit code of the command line, and why it is not 0."""

    code: int
    reason: Sentence | None = None

    @classmethod
    def by(cls, error: BaseException) -> Ended:
        """How an error ends a job; for a bug only its type is kept, because its message could quote a value."""
        if isinstance(error, LeakgaugeError):
            return cls(error.exit_code, error.sentence)
        if isinstance(error, KeyboardInterrupt):
            return cls(130, Sentence("interrupted."))
        if isinstance(error, MemoryError):
            return cls(3, Sentence("out of memory; use fewer or coarser columns, or bins."))
        kind = type(error).__name__
        if isinstance(error, OSError):
            # A name too long for any disk is misuse: it was typed so.
            code = 2 if error.errno == errno.ENAMETOOLONG else 3
            return cls(code, Sentence("the system refused: {reason!s}.", reason=error.strerror or kind))
        return cls(
            3,
            Sentence("a bug in Leakgauge ({kind!s}); set LEAKGAUGE_DEBUG=1 for the details and report it.", kind=kind),
        )


class TableColumn(Part, frozen=True):
    """A column of the table read."""

    name: Annotated[str, Origin.PUBLIC]
    kind: Annotated[str, Origin.PUBLIC]


class TableRead(Part, frozen=True):
    """The table read.

    Attributes:
        bytes: of its files or in memory; None if it is in an engine.
        sha256: of its files, or of its content if it was in memory or is in an engine.
    """

    name: Annotated[str, Origin.PUBLIC]
    rows: Annotated[int, Origin.PUBLIC]
    bytes: int | None
    sha256: str
    columns: tuple[TableColumn, ...]


class StageDone(Part, frozen=True):
    """A finished stage.

    Attributes:
        inputs: the digest of everything it read.
    """

    inputs: str
    outputs: dict[str, str]
    seconds: float
    refused: Sentence | None = None

    def __post_init__(self) -> None:
        # Whatever is named here is removed when the stage is done again.
        for name in self.outputs:
            if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
                raise ModelError(
                    "The file {name!r} of a stage is not in the job's folder; run the job again in a new folder.",
                    name=name,
                )


class Outcome(Part, frozen=True):
    """Whether something was released, and if not, why; or why it must not be handed out.

    Attributes:
        instead: where nothing meets the target, the least change with which something can be released.
    """

    released: Annotated[bool, Origin.PUBLIC]
    reason: Sentence | None = None
    instead: Action | None = None


class Headline(Part, frozen=True):
    """The key numbers of the secret that decides; None where the release has no such number.

    Attributes:
        secret: the columns with the lowest protection.
        reasons: at most three, the weightiest first.
        leakage_before: bits of the secret if released unchanged.
        leakage_after: bits that the attacker learns from everything released or known: exact with an interval, or
            bounds.
        exact: whether the bits were counted rather than bounded.
        floor: bits that the background alone reveals; ``floor_exact`` likewise.
        attack: the name of the strongest attack, of those tried on the release itself.
    """

    recommendation: Recommendation
    reasons: tuple[Sentence, ...]
    scores: Scores
    conditions: tuple[Sentence, ...] = ()
    vetoes: tuple[Sentence, ...] = ()
    leakage_before: Quantity | None = None
    leakage_after: Quantity | None = None
    floor: Quantity | None = None
    epsilon: Level | None = None
    attack: Sentence | None = None
    success: Quantity | None = None
    baseline: Quantity | None = None
    advantage: Quantity | None = None
    unchanged: Quantity | None = None
    secret: Annotated[tuple[str, ...], Origin.DECLARED] = ()
    exact: bool = True
    floor_exact: bool = True


class SecretOutcome(Part, frozen=True):
    """The outcome for one secret; numbers as in ``Headline``, None where there are none."""

    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    withheld: Annotated[bool, Origin.DECLARED]
    leakage_before: Quantity | None = None
    leakage_after: Quantity | None = None
    exact: bool = True
    floor: Quantity | None = None
    floor_exact: bool = True
    success: Quantity | None = None
    baseline: Quantity | None = None
    scores: Scores | None = None


class JobCost(Part, frozen=True):
    """What the histogram and the release cost, in nats: alone and together."""

    histogram: Annotated[Real | None, Origin.DECLARED]
    release: Real | None
    together: Annotated[Real, PROMISE]


class Job(Artefact, frozen=True, tag="leakgauge/job/4"):
    """A running or finished job.

    Attributes:
        total: what everything released or known reveals about all secrets at once; None for a single one.
        finished: when; None while it is at work.
        command: the command that repeats the job; empty for a table in memory.
        before: the earlier releases of its secrets that the verdict counts.
        unnamed: how many earlier entries of the ledger do not say which columns they read, and are not counted.
    """

    asked: StoredRequest
    table: TableRead
    started: str
    finished: str | None
    versions: Annotated[dict[str, str], Origin.PUBLIC]
    stages: dict[str, StageDone]
    outcome: Outcome | None
    withheld: tuple[str, ...] = ()
    command: str = ""
    script: str = ""
    headline: Headline | None = None
    secrets: tuple[SecretOutcome, ...] = ()
    total: Total | None = None
    shareable: tuple[str, ...] = ()
    spent: JobCost | None = None
    repeated: Repeated | None = None
    before: tuple[ReleasedBefore, ...] = ()
    unnamed: int = 0

    @property
    def request(self) -> Request:
        """What was asked, in its parts."""
        return self.asked.request()


class PageJob(Artefact, frozen=True, tag="leakgauge/page-job/3"):
    """What the page's server notes of a job beside its folder, for a later server.

    Attributes:
        path: of the table in the folder that was served; None where it was dropped.
    """

    asked: StoredRequest
    path: str | None
    state: Literal["running", "done", "refused", "failed", "stopped"]
    started: str | None = None
    message: Sentence | None = None


def from_first_job(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of ``leakgauge/job/1`` or ``leakgauge/page-job/1``, which had one secret, as those of today."""
    asked = fields.get("asked")
    if isinstance(asked, Mapping) and isinstance(asked.get("secret"), str):
        asked = {**asked, "secret": [asked["secret"]]}
    return from_second_job({**fields, "asked": asked})


def from_second_job(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of the second major, in which grades decided, as those of today.

    Grades are not scores: what they said is left out, so that the job has no verdict until it is judged anew.
    """
    kind, asked = str(fields["schema"]).split("/")[1], fields.get("asked")
    if isinstance(asked, Mapping):
        asked = {name: value for name, value in asked.items() if name != "target"}
    changed: dict[str, object] = {"schema": f"leakgauge/{kind}/3", "asked": asked}
    if kind == "page-job":
        return {**fields, **changed}
    return from_third_job({**fields, **changed})


def from_third_job(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields of the third major, which had six scores, two of which have another meaning now: it has no verdict until
    it is judged anew."""
    changed: dict[str, object] = {"schema": "leakgauge/job/4", "headline": None}
    if isinstance(secrets := fields.get("secrets"), list | tuple):
        gone = ("grade", "score", "dials")
        changed["secrets"] = [{name: one[name] for name in one if name not in gone} for one in secrets]
    return {**fields, **changed}
