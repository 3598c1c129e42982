"""The same numbers from scipy and dit, which share no code with ours."""

from __future__ import annotations

import dit
import numpy as np
import pytest
import scipy.stats

from leakgauge import measures, randomness
from leakgauge.measures import Unit, divergences, renyi
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats

SEEDS = range(25)


def random_cube(seed: int, shape: tuple[int, ...]) -> Floats:
    random = randomness.simulation(seed)
    cube = random.dirichlet(np.full(int(np.prod(shape)), 0.3)).reshape(shape)
    cube[cube < 1e-4] = 0
    return np.asarray(cube / cube.sum())


def as_scenario(cube: Floats) -> Scenario:
    """p(x, y, z) as a scenario whose release depends on secret and background."""
    x, y, z = cube.shape
    known = cube.sum(axis=1)
    pairs = [(i, k) for i in range(x) for k in range(z) if known[i, k] > 0]
    rows = [cube[i, :, k] / known[i, k] for i, k in pairs]
    return Scenario(Joint(range(x), range(z), known), Channel(pairs, range(y), rows))


def in_dit(cube: Floats) -> dit.Distribution:
    cells = [tuple(map(str, where)) for where in np.argwhere(cube > 0)]
    joint = dit.Distribution(cells, cube[cube > 0])
    joint.set_rv_names("XYZ")
    return joint


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_dit(seed: int) -> None:
    cube = random_cube(seed, (4, 3, 5))
    ours, theirs = as_scenario(cube), in_dit(cube)
    shannon = dit.shannon
    expected = {
        measures.entropy: shannon.entropy(theirs, ["X"]),
        measures.conditional_entropy: shannon.conditional_entropy(theirs, ["X"], ["Y"]),
        measures.mutual_information: shannon.mutual_information(theirs, ["X"], ["Y"]),
        measures.conditional_entropy_with_background: shannon.conditional_entropy(theirs, ["X"], ["Y", "Z"]),
        measures.conditional_mutual_information: dit.multivariate.coinformation(theirs, [["X"], ["Y"]], ["Z"]),
        measures.leakage_with_background: shannon.mutual_information(theirs, ["X"], ["Y", "Z"]),
        measures.background_floor: shannon.mutual_information(theirs, ["X"], ["Z"]),
    }
    for measure, value in expected.items():
        assert measure(ours) == pytest.approx(value, abs=1e-12), measure.__name__
    for order in (0.5, 2, 5, np.inf):
        alone = renyi.prior(ours, order)
        assert alone == pytest.approx(dit.other.renyi_entropy(theirs, order, ["X"]), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_agrees_with_scipy(seed: int) -> None:
    random = randomness.simulation(seed)
    p, q = random.dirichlet(np.ones(7)), random.dirichlet(np.ones(7))
    ours, other = Distribution(range(7), p), Distribution(range(7), q)
    assert measures.entropy(ours) == pytest.approx(scipy.stats.entropy(p, base=2), abs=1e-12)
    assert divergences.kullback_leibler(ours, other) == pytest.approx(scipy.stats.entropy(p, q, base=2), abs=1e-12)
    matrix = random_cube(seed, (6, 8))
    channel = Scenario(Joint(range(6), range(8), matrix))
    independent = np.outer(matrix.sum(axis=1), matrix.sum(axis=0))
    expected = scipy.stats.entropy(matrix.ravel(), independent.ravel())
    assert measures.background_floor(channel, Unit.NATS) == pytest.approx(expected, abs=1e-12)
