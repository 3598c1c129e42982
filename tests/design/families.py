"""Small random problems of every family, the target left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from leakgauge.design import Keep, Knowledge, RateDistortion, Slope
from leakgauge.distances import Absolute, Distortion, Given, Hamming, Squared
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats

OPEN = Slope(0.0)
Family: TypeAlias = Callable[[np.random.Generator], RateDistortion]


def _shares(draw: np.random.Generator, count: int) -> Floats:
    shares = draw.dirichlet(np.full(count, draw.choice([0.3, 1.0, 5.0]))) + 1e-4
    return np.asarray(shares / shares.sum())


def _source(draw: np.random.Generator) -> Distribution:
    count = int(draw.integers(2, 6))
    return Distribution(range(count), _shares(draw, count))


def _joint(draw: np.random.Generator) -> Joint:
    inputs, backgrounds = draw.integers(2, 5, size=2).tolist()
    return Joint(range(inputs), range(backgrounds), _shares(draw, inputs * backgrounds).reshape(inputs, backgrounds))


def _distances(draw: np.random.Generator, inputs: int, forbidden: float = 0.0) -> Given:
    """Random distances, those of each value to itself 0; some others may be infinite."""
    distances = draw.random((inputs, inputs)) * draw.choice([1.0, 10.0])
    distances[draw.random((inputs, inputs)) < forbidden] = np.inf
    distances[np.diag_indices(inputs)] = 0.0
    return Given(distances)


def _distortion(draw: np.random.Generator, inputs: int) -> Distortion:
    choice = int(draw.integers(4))
    return (Hamming(), Absolute(), Squared(), _distances(draw, inputs))[choice]


def _of(distortion: Distortion) -> Family:
    return lambda draw: RateDistortion(_source(draw), distortion, OPEN)


def _random(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    return RateDistortion(source, _distances(draw, len(source.outcomes)), OPEN)


def _never_occurring(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    shares = np.concatenate([source.probabilities, [0.0]])
    return RateDistortion(Distribution(range(len(shares)), shares), _distortion(draw, len(shares)), OPEN)


def _infinite(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    return RateDistortion(source, _distances(draw, len(source.outcomes), 0.3), OPEN)


def _background(knowledge: Knowledge, keep: Keep = Keep.NOTHING) -> Family:
    def problem(draw: np.random.Generator) -> RateDistortion:
        joint = _joint(draw)
        return RateDistortion(joint, _distortion(draw, len(joint.rows)), OPEN, knowledge, keep=keep)

    return problem


def _shares_kept(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    return RateDistortion(source, _distortion(draw, len(source.outcomes)), OPEN, keep=Keep.SHARES)


def _local_dp(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    return RateDistortion(
        source, _distortion(draw, len(source.outcomes)), OPEN, local_dp=float(draw.choice([0.5, 1.0, 3.0]))
    )


def _weighted(draw: np.random.Generator) -> RateDistortion:
    source = _source(draw)
    count = len(source.outcomes)
    return RateDistortion(source, _distortion(draw, count), OPEN, weights=draw.random(count).tolist())


def _through(draw: np.random.Generator) -> RateDistortion:
    joint = _joint(draw)
    return RateDistortion(joint.column_marginal(), _distortion(draw, len(joint.columns)), OPEN, secret=joint)


FAMILIES: dict[str, Family] = {
    "hamming": _of(Hamming()),
    "absolute": _of(Absolute()),
    "squared": _of(Squared()),
    "random": _random,
    "a value that never occurs": _never_occurring,
    "infinite distances": _infinite,
    "attacker": _background(Knowledge.ATTACKER),
    "both": _background(Knowledge.BOTH),
    "shares": _shares_kept,
    "associations": _background(Knowledge.BOTH, Keep.ASSOCIATIONS),
    "local ε": _local_dp,
    "weights": _weighted,
    "through": _through,
}
