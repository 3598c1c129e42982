"""Repeated rows: if a visible value occurs in many rows of one person, the noise of these rows averages out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Anchors, Attack, independent_advantage, raw_advantage, scored
from leakgauge.case.columns import numbered
from leakgauge.case.drawn import Drawn, ReleasedSecret
from leakgauge.case.learner import classes_of
from leakgauge.case.lookups import Prior
from leakgauge.case.own_column import ByLaw, read_among_seen
from leakgauge.probability.cells import Codes, Floats, Truths

MOST_COLUMNS = 6
"""Of so many of the seen columns, those with most values, pairs are tried as well."""
_ROWS = 2
"""Rows that a value must have on average."""
_GROUPS = 40
"""Groups below which half of them say nothing."""
_SHARED = 0.9
"""The share of rows that have the commonest secret of their group from which groups are persons."""
_LINKED = Sentence("repeated rows, if the rows of a unit could be linked")


def repeated_rows(drawn: Drawn) -> tuple[Finding, ...]:
    """For each released secret the guess p(x) Π q(y_i|x) over all rows that share a value.

    By which column, or pair of columns, rows are gathered is chosen on half of the groups, and counted on the others.
    If a unit is declared that nobody sees, a second finding says what its rows would leak if they could be linked; it
    is not held against the release. There is no finding if no visible value repeats.
    """
    return tuple(finding for secret in drawn.released_secrets for finding in _findings(drawn, secret))


@dataclass(frozen=True, eq=False)
class _Grouping:
    """The group of each row, by some columns."""

    names: tuple[str, ...]
    codes: Codes

    @property
    def repeats(self) -> bool:
        """Whether there are groups enough, and rows enough in them on average."""
        count = int(self.codes.max()) + 1
        return count >= _GROUPS and _ROWS * count <= len(self.codes)

    def shares(self, letters: Codes) -> bool:
        """Whether the rows of a group mostly have one secret: only then does their noise average out."""
        pairs, counts = np.unique(self.codes * (int(letters.max()) + 1) + letters, return_counts=True)
        most = np.zeros(int(self.codes.max()) + 1)
        np.maximum.at(most, pairs // (int(letters.max()) + 1), counts)
        return float(most.sum()) >= _SHARED * len(letters)

    def guesses(self, logs: Floats, prior: Floats) -> Codes:
        """For each row the likeliest secret of its group."""
        together = np.stack([np.bincount(self.codes, weights=column) for column in logs.T], axis=1)
        return np.asarray((together + np.log(prior)).argmax(axis=1)[self.codes])


def _findings(drawn: Drawn, secret: ReleasedSecret) -> Iterator[Finding]:
    letters, width, named = classes_of(secret.letters)
    rows = np.arange(drawn.rows)
    law = ByLaw.of(secret.column, read_among_seen(drawn, secret.column), rows, letters, width)
    logs = law(rows, rows)[:, :named]
    prior = Prior.of(letters, width).shares[:named]
    visible = [one for one in _groupings(drawn) if one.repeats and one.shares(letters)]
    if visible:
        yield _finding(drawn, secret, visible, letters, logs, prior)
    if drawn.units is not None:
        units = _Grouping((), numbered(drawn.units, rows=drawn.rows))
        if units.repeats and not any(np.array_equal(units.codes, one.codes) for one in visible):
            yield _finding(drawn, secret, [units], letters, logs, prior, linked=True)


def _groupings(drawn: Drawn) -> Iterator[_Grouping]:
    single = [_Grouping((one.name,), numbered(one.codes, rows=drawn.rows)) for one in drawn.seen]
    yield from single
    # The finest ones tell people apart best.
    finest = sorted(single, key=lambda one: -int(one.codes.max()))[:MOST_COLUMNS]
    for one, other in combinations(finest, 2):
        yield _Grouping((*one.names, *other.names), numbered(one.codes, other.codes, rows=drawn.rows))


def _finding(
    drawn: Drawn,
    secret: ReleasedSecret,
    groupings: list[_Grouping],
    letters: Codes,
    logs: Floats,
    prior: Floats,
    *,
    linked: bool = False,
) -> Finding:
    draws = drawn.draws()

    def halves(one: _Grouping) -> Truths:
        """Whether the group of each row is one to score."""
        return np.asarray((draws.permutation(int(one.codes.max()) + 1) % 2 == 0)[one.codes])

    best, scoring, right = max(
        ((one, halves(one), one.guesses(logs, prior) == letters) for one in groupings),
        key=lambda tried: float(tried[2][~tried[1]].mean()),
    )
    without: Truths = letters[scoring] == int(prior.argmax())
    shuffled = best.guesses(logs[draws.permutation(drawn.rows)], prior)[scoring] == letters[scoring]
    # The rows of a group share one guess, and those of a unit one person.
    units = best.codes[scoring]
    sizes = np.bincount(units)
    sizes = sizes[sizes > 0]
    return scored(right[scoring], without, units).finding(
        replace(
            REPEATED_ROWS,
            title=_LINKED if linked else REPEATED_ROWS.title,
            method=_method(best.names, int(np.median(sizes)), int(sizes.max())),
            judged=not linked,
        ),
        drawn,
        secret.names,
        drawn.knows,
        Anchors(
            independent=independent_advantage(shuffled, without, draws, drawn.confidence, units),
            raw=raw_advantage(without, drawn.confidence, units),
            # The guarantee for one row says little about many rows that share their secret.
            ceiling=None,
        ),
    )


def _method(names: tuple[str, ...], median: int, most: int) -> Sentence:
    if not names:
        return Sentence(
            "the most likely value, given all rows of a unit (median {median:d}, at most {most:d})",
            median=median,
            most=most,
        )
    return Sentence(
        "the most likely value, given all rows that share {columns!s} (median {median:d}, at most {most:d})",
        columns=", ".join(names),
        median=median,
        most=most,
    )


REPEATED_ROWS = Attack(
    Sentence("repeated rows"),
    Sentence("the most likely value, given all rows that share a published or known value"),
    Aim.SECRET,
    repeated_rows,
    # Which rows belong together is known, not how often each secret goes with what they share.
    knows_shares=False,
)
