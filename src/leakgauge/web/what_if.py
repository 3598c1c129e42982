"""What if an attacker knew other columns: what they would learn from channels that are as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leakgauge.case import Case, ReleaseLaw
from leakgauge.case.case import CountedLaw
from leakgauge.design import Solution
from leakgauge.errors import OptionError
from leakgauge.measures.countability import PEOPLE_PER_CELL
from leakgauge.probability import Counts
from leakgauge.tables import Binning, Kind, Table, in_bins, parse_binning

_PLAIN: Final = 32
"""Numbers and dates with more values are known by tenths, as to the attacks of a job."""
_TENTHS: Final = "quantiles:10"
_MOST_CELLS: Final = 20_000
"""Combinations that every point of a curve is counted over within a second."""


def known_bins(table: Table, known: Sequence[str], given: Mapping[str, Binning]) -> dict[str, Binning]:
    """The bins that are given, and tenths for other numbers and dates that the attacker knows."""
    line = {one.name for one in table.columns() if one.kind in (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)}
    many = [name for name in known if name in line - {*given} and len(table.counts(name).labels(name)) > _PLAIN]
    return {**given, **{name: parse_binning(_TENTHS) for name in many}}


def counts_of(
    table: Table, secret: Sequence[str], known: Sequence[str], bins: Mapping[str, Binning], unit: str | None
) -> Counts:
    """How often each secret occurs with what the attacker knows; refused where people are too few for that."""
    case = Case(in_bins(table, bins), tuple(known), unit)
    if known:
        cells = math.prod(one.groups for one in case.table.group_sizes([tuple(secret), tuple(known)]))
        if not case.is_countable(secret, known) or cells > _MOST_CELLS:
            raise OptionError(
                "Secret and knowledge have {cells:,} combinations for {people:,} people, and up to {most:,} are "
                "counted; let the attacker know fewer columns.",
                cells=cells,
                people=case.people,
                most=min(case.people // PEOPLE_PER_CELL, _MOST_CELLS),
            )
    return case.table.counts(*secret, *known)


@dataclass(frozen=True)
class Learnt:
    """What an attacker learns at a point of a curve: ``leakage`` in bits, ``guess`` the share guessed correctly."""

    distortion: float
    leakage: float
    guess: float


@dataclass(frozen=True)
class LearntBefore:
    """The same before the release, ``floor`` in bits, and at each point."""

    floor: float
    guess: float
    points: tuple[Learnt, ...]


def learnt(counts: Counts, secret: Sequence[str], known: Sequence[str], curve: Sequence[Solution]) -> LearntBefore:
    """What somebody who knows these columns learns before the release, and at each point of a curve, in its order."""
    knows = tuple(known)
    source = counts.joint(tuple(secret), knows) if knows else counts.distribution(*secret)
    before = CountedLaw(ReleaseLaw(source, None, knows), knows)
    laws = [(one, CountedLaw(ReleaseLaw(source, one.channel, knows), knows)) for one in curve]
    return LearntBefore(
        _bits(before), before.guessed, tuple(Learnt(one.distortion, _bits(law), law.guessed) for one, law in laws)
    )


def _bits(law: CountedLaw) -> float:
    # None only where points on a line stand for the letters.
    assert law.bits is not None
    return law.bits
