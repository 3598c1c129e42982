"""Mechanisms at equal mean distance: measured exactly, ranked, and never below the optimum."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge.distances import MapCells
from leakgauge.errors import OptionError
from leakgauge.location.areas import distances_between
from leakgauge.location.comparison import (
    CLOSE,
    LEAST_LEAKING,
    Comparison,
    Family,
    compare_mechanisms,
    families_on,
)
from leakgauge.location.mechanisms.dummies import uniform_dummies
from leakgauge.location.mechanisms.generalisation import blocks
from leakgauge.location.mechanisms.placed import cascade, planar
from leakgauge.measures import mutual_information
from leakgauge.notions.ratios import metric_privacy
from leakgauge.probability import Distribution, Scenario
from leakgauge.randomness import simulation
from tests.grids import nightly

CITY = MapCells(40.70, 40.82, -74.02, -73.92, rows=3, columns=3)
METRES = distances_between(CITY)


def random_prior(seed: int) -> Distribution:
    shares = simulation(seed).dirichlet(np.full(CITY.count, 0.6)) + 1e-6
    return Distribution(CITY.labels, shares / shares.sum())


def compared(prior: Distribution, share: float, seed: int) -> Comparison:
    """At a share of the mean distance of the best constant place, with every family that there is."""
    visited = simulation(seed).choice(CITY.count, 200, p=prior.probabilities)
    families = (
        *families_on(CITY, prior, visited),
        Family("noise, then blocks", lambda rate: cascade(planar(CITY, rate), blocks(CITY, 1)), (0.01, 60.0), True),
        Family("uniform dummies", lambda count: uniform_dummies(CITY, round(count)), (4, 3, 2)),
    )
    constant = float((prior.probabilities @ METRES).min())
    return compare_mechanisms(prior, METRES, families, share * constant)


@pytest.mark.parametrize("priors", [10, nightly(50)])
def test_the_optimum_tells_no_more_than_any_other_at_equal_distance(priors: int) -> None:
    met: set[str] = set()
    for seed in range(priors):
        found = compared(random_prior(seed), 0.2 + 0.7 * (seed % 10) / 10, seed)
        best, *others = found.ranking
        assert best.name == LEAST_LEAKING
        for one in others:
            assert one.mean_distance <= found.mean_distance * (1 + CLOSE)
            assert best.information <= one.information + 1e-4, (seed, one.name)
            # At its own distance, which may be shorter, the floor is as high or higher.
            assert one.waste <= one.information - best.information + 1e-4
        assert [one.information for one in others] == sorted(one.information for one in others)
        met |= {one.name for one in others}
    assert met >= {"planar-laplace", "exponential", "coarser-cells", "areas-of-users", "dummies"}


def test_each_number_is_that_of_its_channel() -> None:
    prior = random_prior(3)
    found = compared(prior, 0.6, 3)
    for one in found.ranking:
        channel = one.placed.channel
        joint = prior.probabilities[:, None] * channel.matrix
        assert one.information == pytest.approx(mutual_information(Scenario(prior, channel)))
        assert one.mean_distance == pytest.approx(one.placed.mean_distance(prior, METRES))
        expected = METRES @ joint
        assert one.tracker_error == pytest.approx(expected.min(axis=0).sum())
        near = joint * (METRES[:, expected.argmin(axis=0)] <= found.radius)
        assert one.within == pytest.approx(near.sum())
        posterior = (joint / np.maximum(joint.sum(axis=0), 1e-300))[:, joint.any(axis=0)]
        if one.epsilon == math.inf:
            assert (channel.matrix == 0).any() and one.identifiability == math.inf
        else:
            assert one.epsilon == pytest.approx(metric_privacy(channel, METRES / 1000).value)
            spread = np.log(posterior.max(axis=0) / posterior.min(axis=0))
            assert one.identifiability == pytest.approx(spread.max())
        assert one.tracker_error <= found.constant * (1 + 1e-9)


def test_noise_is_set_to_the_distance_and_blocks_as_close_below_as_they_come() -> None:
    prior = random_prior(8)
    by_name = {one.name: one for one in compared(prior, 0.7, 8).ranking}
    target = 0.7 * float((prior.probabilities @ METRES).min())
    for name in ("planar-laplace", "exponential", LEAST_LEAKING):
        assert by_name[name].mean_distance == pytest.approx(target, rel=2 * CLOSE)
    level = by_name["coarser-cells"].setting
    assert level is not None
    assert blocks(CITY, round(level) + 1).mean_distance(prior, METRES) > target


def test_what_is_never_close_enough_is_named_and_what_is_never_far_is_taken_at_its_widest() -> None:
    prior = random_prior(5)
    found = compare_mechanisms(prior, METRES, families_on(CITY, prior), 20.0)
    assert set(found.left_out) == {"coarser-cells", "dummies"} and min(found.left_out.values()) > 20
    wide = compare_mechanisms(prior, METRES, families_on(CITY, prior), 1e6)
    by_name = {one.name: one for one in wide.ranking}
    assert by_name[LEAST_LEAKING].information == pytest.approx(0) and by_name[LEAST_LEAKING].epsilon == 0
    assert by_name[LEAST_LEAKING].tracker_error == pytest.approx(wide.constant)
    assert by_name["planar-laplace"].information < 0.01
    with pytest.raises(OptionError, match="is not a length"):
        compare_mechanisms(prior, METRES, [], 0.0)
