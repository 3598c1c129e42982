"""What if an attacker knew other columns: what they would learn from channels that are as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from leakgauge.design import Solution
from leakgauge.errors import OptionError
from leakgauge.measures import background_floor, leakage_with_background, mutual_information, vulnerability
from leakgauge.measures.countability import PEOPLE_PER_CELL, is_countable
from leakgauge.probability import Counts, Scenario, Seen
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
    coarse = in_bins(table, bins)
    if known:
        groups = [secret, known, *([(unit,)] if unit else [])]
        letters, beside, *persons = (one.groups for one in coarse.group_sizes([tuple(one) for one in groups]))
        cells, people = letters * beside, persons[0] if persons else table.rows
        if not is_countable(cells, people) or cells > _MOST_CELLS:
            raise OptionError(
                "Secret and knowledge have {cells:,} combinations for {people:,} people, and up to {most:,} are "
                "counted; let the attacker know fewer columns.",
                cells=cells,
                people=people,
                most=min(people // PEOPLE_PER_CELL, _MOST_CELLS),
            )
    return coarse.counts(*secret, *known)


def learnt(counts: Counts, secret: Sequence[str], known: Sequence[str], curve: Sequence[Solution]) -> dict[str, object]:
    """What somebody who knows these columns learns before the release, and at each point of a curve, in its order.

    ``floor`` and ``leakage`` are in bits, ``guess`` the share of rows whose secret is guessed right.
    """
    before = Scenario.from_counts(counts, secret, background=known)
    return {
        "floor": background_floor(before) if known else 0.0,
        "guess": vulnerability.posterior(before, seen=Seen.BACKGROUND) if known else vulnerability.prior(before),
        "points": [_point(before, one) for one in curve],
    }


def _point(before: Scenario, found: Solution) -> dict[str, float]:
    after = Scenario(before.background or before.source, found.channel)
    return {
        "distortion": found.distortion,
        "leakage": leakage_with_background(after) if after.background else mutual_information(after),
        "guess": vulnerability.posterior(after, seen=Seen.BOTH),
    }
