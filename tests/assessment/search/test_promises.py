"""What a search promises, the release shows: drawn, attacked and counted as an audit does it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts import Quantity
from leakgauge.assessment.scores.evidence import gained_in_attack
from leakgauge.assessment.search import Trial, most_useful
from leakgauge.audit.attacks.attack import scored
from leakgauge.mechanisms import through_channel
from leakgauge.randomness import Simulated, simulation
from leakgauge.tables import Table
from tests.assessment.search.columns import adult, made_up
from tests.grids import nightly

LEAST, SCORED = 60.0, 0.3


def shown(table: Table, name: str, trial: Trial, seed: int) -> float:
    """The protection of one release of the column: by its law, or less where an attack is shown to gain more."""
    counts = table.counts(name)
    channel = trial.mechanism.channel()
    assert channel is not None
    channel = channel.restrict(counts.labels(name))
    prior = counts.distribution(name).probabilities
    people = np.repeat(np.arange(len(prior)), counts.array())
    released = through_channel(channel).law.draw(people, Simulated(seed))
    looked = simulation(seed).permutation(len(people))[: int(SCORED * len(people))]
    guess = np.asarray(prior[:, None] * channel.matrix).argmax(axis=0)
    score = scored(guess[released[looked]] == people[looked], prior.argmax() == people[looked])
    gained = gained_in_attack(
        Quantity.estimated(score.advantage(0.95), "1"), Quantity.estimated(score.baseline(0.95), "1")
    )
    return min(trial.scores.protection.ends[0], 100 * (1 - gained.ends[0]))


def kept(table: Table, name: str, releases: int) -> int:
    """In how many releases the least protection is kept."""
    trial = most_useful(table, name, min_protection=LEAST).require()
    return sum(shown(table, name, trial, seed) >= LEAST for seed in range(releases))


@pytest.mark.parametrize("name", ["long tail", "coin", *map(nightly, ("rare", "even", "dominant"))])
def test_releases_keep_what_a_search_promised(name: str) -> None:
    assert kept(made_up(), name, 20) >= 19


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["marital_status", "sex", "race", "education", "native_country"])
def test_a_hundred_releases_of_five_columns(data: Path, name: str) -> None:
    assert kept(adult(data), name, 100) >= 95


def test_small_tables_keep_it_too() -> None:
    table = made_up(1000)
    few = most_useful(table, "even", min_protection=LEAST).require()
    assert sum(shown(table, "even", few, seed) >= LEAST for seed in range(20)) >= 19
