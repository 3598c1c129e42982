"""What a claim allows at most: proved in the module, tried here on random channels."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.artefacts import Level
from leakgauge.mechanisms import randomized_response
from leakgauge.notions.ceilings import Promise, bound_by_others, ceiling, promises
from leakgauge.randomness import simulation


def random_channel(seed: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    draws = simulation(seed)
    letters, outputs = draws.integers(2, 6, size=2)
    prior = draws.dirichlet(np.full(letters, draws.choice([0.3, 1.0, 10.0])))
    return prior, draws.dirichlet(np.full(outputs, draws.choice([0.2, 1.0, 5.0])), size=letters)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_no_channel_beats_its_own_promise(share: float) -> None:
    nearest = math.inf
    for seed in range(300):
        prior, channel = random_channel(seed)
        with np.errstate(divide="ignore"):
            logs = np.log(channel)
        largest = max(float(np.nanmax(one - other)) for one in logs for other in logs)
        epsilon = share * min(largest, 20.0)
        delta = max(float(np.maximum(one - math.exp(epsilon) * other, 0).sum()) for one in channel for other in channel)
        best = float((prior[:, None] * channel).max(axis=0).sum())
        allowed = float(Promise(epsilon, delta).most(prior.max(), len(prior)))
        assert best <= allowed + 1e-9, seed
        nearest = min(nearest, allowed - best)
    assert nearest < 0.05


def test_the_ceiling_is_reached() -> None:
    for letters in (2, 5):
        matrix = randomized_response(1.3, letters=list(range(letters))).channel().matrix
        best = float((matrix / letters).max(axis=0).sum())
        assert best == pytest.approx(float(Promise(1.3).most(1 / letters, letters)), abs=1e-12)
    # Two letters, even odds, (ε, δ): the whole letter with δ, else randomized response.
    epsilon, delta = 0.7, 0.1
    true = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon))
    reached = (2 * delta + 2 * true) / 2
    assert reached == pytest.approx(float(Promise(epsilon, delta).most(0.5, 2)), abs=1e-12)


def test_releases_and_rows_add_up() -> None:
    assert Promise(0.5, 1e-3).times(4) == Promise(2.0, 4e-3)
    assert Promise(0.5).swapped() == Promise(1.0)
    assert Promise(0.5, 0.01).swapped() == Promise(1.0, (1 + math.exp(0.5)) * 0.01)
    among = float(Promise(0.5).swapped().most(1 / 10, 10))
    assert among == pytest.approx(math.e / (math.e + 9))
    assert float(Promise(1e4).most(0.1, 10)) == 1.0


def test_the_smallest_of_the_claims_counts() -> None:
    approximate = Level(1.0, "nats", delta=1e-6)
    levels = {"local-dp": Level(2.0, "nats"), "approximate-dp": approximate, "zcdp": Level(0.1, "nats")}
    claimed = promises(levels)
    assert claimed == (Promise(2.0), Promise(1.0, 1e-6))
    prior, rows = np.array([0.5, 0.25]), np.array([1, 3])
    expected = (float(claimed[1].most(0.5, 2)) + 3 * float(claimed[1].most(0.25, 4))) / 4
    assert ceiling(claimed, prior, np.array([2, 4]), rows) == pytest.approx(expected)
    assert promises({"local-dp": Level(math.inf, "nats")}) == ()
    assert ceiling((), prior, 2, rows) is None


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_no_guess_beats_what_it_owes_to_the_outputs_of_others(share: float) -> None:
    nearest = math.inf
    for seed in range(200):
        prior, channel = random_channel(seed)
        draws = simulation(1000 + seed)
        beside = draws.dirichlet(np.full(3, 0.5), size=len(prior)) * prior[:, None]
        with np.errstate(divide="ignore"):
            logs = np.log(channel)
        largest = max(float(np.nanmax(one - other)) for one in logs for other in logs)
        epsilon = share * min(largest, 20.0)
        delta = max(float(np.maximum(one - math.exp(epsilon) * other, 0).sum()) for one in channel for other in channel)
        # guess[v, y], the best one or any.
        best = (beside[:, :, None] * channel[:, None, :]).argmax(axis=0)
        guess = best if seed % 2 else draws.integers(len(prior), size=best.shape)
        is_right = guess[None] == np.arange(len(prior))[:, None, None]
        success = float((beside[:, :, None] * channel[:, None, :] * is_right).sum())
        by_others = (is_right * (prior @ channel)).sum(axis=2)
        bounds = bound_by_others(Promise(epsilon, delta), by_others, np.broadcast_to(prior[:, None], by_others.shape))
        allowed = float((beside * bounds).sum())
        assert success <= allowed + 1e-9, seed
        nearest = min(nearest, allowed - success)
    assert nearest < 0.02
