"""What a job tells while it is at work, and how it ended."""

from __future__ import annotations

from typing import Literal

from leakgauge.artefacts.kinds import Part
from leakgauge.errors import LeakgaugeError
from leakgauge.sentences import Sentence


class Event(Part, frozen=True):
    """Where a job stands; while a stage works, how much is done of how much, where that can be counted."""

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
        """The end that an error makes; of a bug its kind alone is told, because its message could quote a value."""
        if isinstance(error, LeakgaugeError):
            return cls(error.exit_code, error.sentence)
        if isinstance(error, KeyboardInterrupt):
            return cls(130, Sentence("interrupted."))
        if isinstance(error, MemoryError):
            return cls(3, Sentence("out of memory; use fewer or coarser columns, or bins."))
        kind = type(error).__name__
        if isinstance(error, OSError):
            return cls(3, Sentence("the system refused: {reason!s}.", reason=error.strerror or kind))
        return cls(
            3,
            Sentence("a bug in Leakgauge ({kind!s}); set LEAKGAUGE_DEBUG=1 for the details and report it.", kind=kind),
        )
