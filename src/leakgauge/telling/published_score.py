"""The published score of one's own data: its leaves, its matrix and its grades, and why none of it decides."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.criteria import Published, PublishedLeaf, PublishedReading
from leakgauge.assessment.published import DEGREES, FREQUENCIES, State
from leakgauge.languages import message
from leakgauge.telling.blocks import Content
from leakgauge.telling.figures.criteria import own_name
from leakgauge.telling.voice import Cell, Plain, Voice, own

_FLIPPED = message("by the paper's method")
_UNFLIPPED = message("without flips")
_MEMBERSHIP = 4
"""Digits of a product of two printed memberships."""


def published_score(voice: Voice, found: Published, *, tables: bool, short: bool) -> Iterator[Content]:
    """The score, the grade and why they do not decide.

    Args:
        tables: also the leaves and the probabilities of the grades.
        short: without the matrix of the value node.
    """
    if tables:
        yield from _leaves(voice, found)
        if not short:
            yield from _matrix(voice, found)
        yield from _grades(voice, found)
    yield voice.note(
        "By the published method the score is {score} and the grade {grade}. {why}",
        score=voice.number(found, "score"),
        grade=own(found.grade),
        why=Plain(voice.told(found.why_not)),
    )


def _leaves(voice: Voice, found: Published) -> Iterator[Content]:
    """Table 1 of the paper, for this release."""

    def row(leaf: PublishedLeaf) -> Iterator[Cell]:
        yield from (own(leaf.leaf), own(own_name(leaf, voice.language)), voice.cell(leaf, "value", unit=leaf.unit))
        yield from (own(leaf.frequencies.get(state.value, "")) for state in State)

    yield from voice.grid(
        "Published method: how often each leaf is in each state",
        "No.|Indicator|Found|VLL|LL|ML|HL|VHL",
        map(row, found.leaves),
    )
    yield voice.note(
        "States run from VLL, very low, to VHL, very high; the label in a cell says how often, from VL, very rarely, "
        "to VH, very often."
    )
    if found.left_out:
        yield voice.say("Leaves of which nothing is known, left out: {names}.", names=voice.listed(found.left_out))


def _matrix(voice: Voice, found: Published) -> Iterator[Content]:
    """F of the value node; a job of an earlier version has none."""
    rows: Iterator[tuple[Cell, ...]] = (
        (f"{often:g}", *(voice.number(row, at, digits=_MEMBERSHIP) for at in range(len(row))))
        for often, row in zip(FREQUENCIES, found.matrix, strict=False)
    )
    head: list[str | Plain] = [message("Frequency"), *(Plain(str(degree)) for degree in DEGREES)]
    yield from voice.grid("Published method: matrix F of the value node, frequency by degree", head, rows)
    if found.frequency is not None:
        yield voice.say(
            "The grade is read from the row of frequency {often}, whose sum times its frequency is largest.",
            often=voice.number(found, "frequency"),
        )


def _grades(voice: Voice, found: Published) -> Iterator[Content]:
    """The probability of each grade with and without the flips, and what is read from it."""

    def row(name: str, read: PublishedReading) -> Iterator[Cell]:
        yield voice.say(name)
        yield from (voice.cell(read.probabilities, state.value, digits=_MEMBERSHIP) for state in State)
        yield from (voice.number(read, "score"), own(read.grade), voice.number(read, "credibility"))

    both = ((_FLIPPED, found), (_UNFLIPPED, found.unflipped))
    yield from voice.grid(
        "Published method: probability of each grade",
        "Reading|VLL|LL|ML|HL|VHL|Published score|Published grade|Credibility",
        (row(name, read) for name, read in both if read is not None),
    )
    yield voice.note(
        "Credibility is the paper's name for the variance of the memberships in the row that is read; it does not say "
        "how sure the grade is. The probabilities overlap, so that they sum to more than 1. Flips turn the matrices of "
        "an arc left to right where it points against most of its siblings."
    )
