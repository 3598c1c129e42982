"""The main job: its request, its progress, what each finished stage read and wrote, and its outcome."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from leakgauge.artefacts.dials import Dials
from leakgauge.artefacts.exposure import Total
from leakgauge.artefacts.quantity import PROMISE, Artefact, Level, Origin, Part, Quantity, Real
from leakgauge.artefacts.repeated import Repeated
from leakgauge.artefacts.request import Request, StoredRequest
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.errors import LeakgaugeError, ModelError
from leakgauge.sentences import Sentence


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
        outputs: the files it wrote, with their digests.
        refused: why nothing meets the target.
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
    """Whether something was released, and if not, why; or why it must not be handed out."""

    released: Annotated[bool, Origin.PUBLIC]
    reason: Sentence | None = None


class Headline(Part, frozen=True):
    """The key numbers of the secret that decides; None where the release has no such number.

    Attributes:
        secret: the columns with the lowest protection.
        recommendation: what to do with the release, as ``verdict.json`` says it.
        reasons: at most three, the weightiest first.
        conditions: what is left to be declared.
        dials: of that secret.
        leakage_before: bits of the secret if released unchanged.
        leakage_after: bits that the attacker learns from everything released or known: exact with an interval, or
            bounds.
        exact: whether the bits were counted rather than bounded.
        floor: bits that the background alone reveals; ``floor_exact`` likewise.
        attack: the name of the strongest attack, of those tried on the release itself.
        unchanged: the share of values that stay.
    """

    recommendation: Recommendation
    reasons: tuple[Sentence, ...]
    dials: Dials
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
    """The outcome for one secret; numbers as in ``Headline``, None where there are none.

    Attributes:
        withheld: whether it was not released at all.
    """

    secret: Annotated[tuple[str, ...], Origin.DECLARED]
    withheld: Annotated[bool, Origin.DECLARED]
    leakage_before: Quantity | None = None
    leakage_after: Quantity | None = None
    exact: bool = True
    floor: Quantity | None = None
    floor_exact: bool = True
    success: Quantity | None = None
    baseline: Quantity | None = None
    dials: Dials | None = None


class JobCost(Part, frozen=True):
    """What the histogram and the release cost, in nats: alone and together."""

    histogram: Annotated[Real | None, Origin.DECLARED]
    release: Real | None
    together: Annotated[Real, PROMISE]


class Job(Artefact, frozen=True, tag="leakgauge/job/3"):
    """A running or finished job.

    Attributes:
        secrets: the outcome for each.
        total: what everything released or known reveals about all secrets at once; None for a single one.
        finished: when; None while it is at work.
        command: the command that repeats the job; empty for a table in memory.
        shareable: files that may be handed out.
        repeated: the earlier releases if it repeats one, and what all of them reveal together.
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

    @property
    def request(self) -> Request:
        """What was asked, in its parts."""
        return self.asked.request()


class PageJob(Artefact, frozen=True, tag="leakgauge/page-job/3"):
    """What the page's server notes of a job beside its folder, for a later server.

    Attributes:
        asked: what was asked; its table is a name.
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

    Grades are not dials: what they said is left out, so that the job has no verdict until it is judged anew.
    """
    kind, asked = str(fields["schema"]).split("/")[1], fields.get("asked")
    if isinstance(asked, Mapping):
        asked = {name: value for name, value in asked.items() if name != "target"}
    changed: dict[str, object] = {"schema": f"leakgauge/{kind}/3", "asked": asked}
    if "headline" in fields:
        changed["headline"] = None
    if isinstance(secrets := fields.get("secrets"), list | tuple):
        changed["secrets"] = [{name: one[name] for name in one if name not in ("grade", "score")} for one in secrets]
    return {**fields, **changed}
