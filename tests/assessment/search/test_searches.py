"""Whatever a scan by hand attains, a search attains, and is as useful within a point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.scores import ScoreEvidence
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.search import Goal, Search, Use, most_useful
from leakgauge.assessment.search.column import CountedColumn, counted_column
from leakgauge.assessment.search.families import by_channel, by_noise
from leakgauge.design import Keep, RateDistortion, Slope, solve
from leakgauge.distances import Hamming
from leakgauge.errors import InputError
from leakgauge.mechanisms import (
    Mechanism,
    gaussian,
    keep_or_redraw,
    laplace,
    randomized_response,
    sampled_randomized_response,
    through_channel,
)
from leakgauge.tables import Table
from tests.assessment.search.columns import ADULT, LETTERS, NUMBERS, POWER, adult, made_up, power
from tests.grids import nightly

LEAST = 60.0
MOST_SURE = 45


def by_hand(column: CountedColumn, bounds: dict[str, float], step: float) -> Iterator[tuple[str, ScoreEvidence]]:
    """Settings that somebody would try one after the other."""
    values = column.values

    def through(name: str, make: Callable[[], Mechanism]) -> Iterator[tuple[str, ScoreEvidence]]:
        try:
            found = by_channel(column, Use.STATISTICS, make())
        except InputError:
            return
        assert found is not None
        yield name, found

    if bounds:
        for epsilon in np.arange(0.5, 60, 20 * step):
            for noise in (laplace(epsilon, **bounds), gaussian(epsilon, 1e-6, **bounds)):  # type: ignore[arg-type]
                yield f"{noise.name} {epsilon:g}", by_noise(column, Use.STATISTICS, noise)
    if not column.by_name or column.numbers is not None:
        return
    letters, shares = values.outcomes, values.probabilities.tolist()
    for epsilon in np.arange(step, 6, step):
        yield from through(f"response {epsilon:g}", lambda e=epsilon: randomized_response(e, letters=letters))  # type: ignore[misc]
    for epsilon in np.arange(step, 14, 5 * step):
        yield from through(
            f"redraw {epsilon:g}",
            lambda e=epsilon: keep_or_redraw(e, letters=letters, shares=shares),  # type: ignore[misc]
        )
    for epsilon in np.arange(1, 6, 10 * step):
        for part in np.arange(0.1, 1, 0.1):
            yield from through(
                f"sampled {epsilon:g} {part:g}",
                lambda e=epsilon, s=part: sampled_randomized_response(e, sampling_probability=s, letters=letters),  # type: ignore[misc]
            )
    for slope in np.arange(0.5, 6, 4 * step):
        asked = RateDistortion(values, Hamming(), Slope(slope), keep=Keep.SHARES)
        yield from through(f"shares {slope:g}", lambda asked=asked: through_channel(solve(asked, 1e-6).channel))  # type: ignore[misc]


def best_by_hand(column: CountedColumn, bounds: dict[str, float], step: float) -> float | None:
    """The usefulness of the best setting of the scan that keeps the limits."""
    best = None
    for _, evidence in by_hand(column, bounds, step):
        scores = scores_of(evidence)
        if scores.protection.ends[0] >= LEAST and scores.surest.ends[1] <= MOST_SURE:
            best = max(best or 0.0, scores.usefulness.ends[0])
    return best


def require_as_good(table: Table, name: str, bounds: dict[str, float], step: float = 0.05) -> Search:
    found = most_useful(table, name, min_protection=LEAST, max_surest=MOST_SURE, **bounds)  # type: ignore[arg-type]
    by_scan = best_by_hand(counted_column(table, Goal(name)), bounds, step)
    if by_scan is not None:
        assert found.chosen is not None, name
        assert found.chosen.usefulness >= by_scan - 1, name
    if found.chosen is not None:
        assert not found.chosen.short
        assert found.chosen.scores.protection.ends[0] >= LEAST
    return found


@pytest.mark.parametrize("name", ["rare", "long tail", *map(nightly, ("coin", "even", "dominant", "many"))])
def test_searches_of_letters_that_are_made_up(name: str) -> None:
    found = require_as_good(made_up(), name, {}, 0.05 if name == "rare" else 0.1)
    # Somebody who moves one parameter finds none better.
    assert found.chosen is not None and found.chosen.usefulness > 10


def test_there_are_searches_of_every_kind() -> None:
    assert len(ADULT) + len(POWER) == 14 and len(LETTERS) + len(NUMBERS) == 9


@pytest.mark.parametrize("name", ["skewed", *map(nightly, ("bell", "heaps"))])
def test_searches_of_numbers_that_are_made_up(name: str) -> None:
    found = require_as_good(made_up(4000), name, NUMBERS[name], 0.3)
    assert found.chosen is not None and found.chosen.usefulness > 15


@pytest.mark.parametrize("name", ["marital_status", "race", *(nightly(name) for name in ADULT)])
def test_searches_of_adult(data: Path, name: str) -> None:
    found = require_as_good(adult(data), name, ADULT[name], 0.1)
    # The default policy asks for a usefulness of 20.
    assert found.chosen is not None and found.chosen.usefulness >= 20


@pytest.mark.nightly
@pytest.mark.parametrize("name", POWER)
def test_searches_of_loads(data: Path, name: str) -> None:
    found = require_as_good(power(data), name, POWER[name])
    assert found.chosen is not None and found.chosen.usefulness >= 20


@pytest.mark.parametrize("name", ["coin", *map(nightly, LETTERS)])
def test_no_step_of_randomized_response_is_better(name: str) -> None:
    """Held to protection alone, in steps of 0.05."""
    found = most_useful(made_up(), name, min_protection=LEAST, max_surest=None)
    assert found.chosen is not None
    column = counted_column(made_up(), Goal(name))
    for epsilon in np.arange(0.05, 8, 0.05):
        evidence = by_channel(column, Use.STATISTICS, randomized_response(epsilon, letters=column.values.outcomes))
        assert evidence is not None
        scores = scores_of(evidence)
        if scores.protection.ends[0] >= LEAST:
            assert scores.usefulness.ends[0] <= found.chosen.usefulness + 0.5
