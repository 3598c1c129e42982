"""An assessment item by item: what a job answers of each instrument, and what is left to be filled in."""

from __future__ import annotations

from enum import Enum
from typing import Final

from leakgauge.artefacts.quantity import Artefact, Part
from leakgauge.sentences import Sentence


class Status(Enum):
    """How an instrument is known to whoever wrote its items."""

    READ = "read whole"
    SUMMARY = "by contents and summaries"
    OWN = "a file of the user's"


class Degree(Enum):
    """A severity, a likelihood or a risk, the least first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


DEGREES: Final = tuple(one.value for one in Degree)


class Item(Part, frozen=True):
    """One item of an instrument, in words of ours or of the user's.

    Attributes:
        name: in English; ``chinese`` where no catalogue has it, because a user wrote it.
        answers: by their names, what the job answers to it.
        lines: by their keys, what people must say.
    """

    key: str
    name: str
    answers: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    chinese: str | None = None


class Instrument(Part, frozen=True):
    """A law, a standard or a guideline that releases are assessed by.

    Attributes:
        jurisdiction: whose it is, by its name; empty of a user's own.
    """

    key: str
    name: str
    jurisdiction: str
    status: Status
    items: tuple[Item, ...]
    chinese: str | None = None


class Line(Part, frozen=True):
    """What people must say; None where nobody has."""

    key: str
    declared: str | None = None


class AnsweredItem(Part, frozen=True):
    """An item with what the job answers.

    Attributes:
        sources: the file and place of every number in the answers.
        open: whether a line of it is left to be filled in.
    """

    key: str
    name: str
    chinese: str | None
    answers: tuple[Sentence, ...]
    sources: tuple[str, ...]
    lines: tuple[Line, ...]
    open: bool


class AnsweredInstrument(Part, frozen=True):
    """An instrument with what the job answers; ``printed`` says whether the report has it."""

    key: str
    name: str
    chinese: str | None
    jurisdiction: str
    status: Status
    printed: bool
    items: tuple[AnsweredItem, ...]


class Clauses(Artefact, frozen=True, tag="leakgauge/clauses/1"):
    """All instruments, item by item.

    Attributes:
        declared: what people said, once each whatever number of items it answers.
        own: instruments of the user's, as their files define them.
        printed: the keys of those that somebody chose for the report; empty where its language decides.
        open: answers that the printed items still lack, each counted once.
        likelihood: proposed from the three risks; None where nothing was released or judged.
        severity: as declared.
        risk: what both come to.
        effect_level: proposed of GB/T 42460, from 1 to 4; None where none is.
    """

    instruments: tuple[AnsweredInstrument, ...]
    declared: tuple[Line, ...] = ()
    own: tuple[Instrument, ...] = ()
    printed: tuple[str, ...] = ()
    open: int = 0
    likelihood: Degree | None = None
    severity: Degree | None = None
    risk: Degree | None = None
    effect_level: int | None = None
