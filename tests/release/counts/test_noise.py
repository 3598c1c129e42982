"""Integer interactions, and the exact Rényi divergences of small ones, which never exceed the claim."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.errors import OptionError
from leakgauge.randomness import Simulated
from leakgauge.release.counts.noise import (
    grid_smoothing,
    interaction,
    line_smoothing,
    noisy_interaction,
    smoothing,
    variance_of,
)
from tests.release.counts.small_laws import SmallLaw, renyi

SHAPES = [(2,), (3,), (2, 2), (2, 3), (2, 2, 2)]
SIGMAS = [0.6, 0.9, 1.2, 1.6, 2.2]
ORDERS = [1.01, 1.2, 1.5, 2.0, 3.0, 5.0]


@given(st.lists(st.integers(2, 5), max_size=3), st.integers(0, 10**6))
def test_an_interaction_is_the_centred_table_in_whole_numbers(shape: list[int], seed: int) -> None:
    table = np.random.default_rng(seed).integers(-1000, 1000, shape)
    centred = table.astype(float)
    for axis in range(len(shape)):
        centred = centred - centred.mean(axis=axis, keepdims=True)
    found = interaction(np.asarray(table))
    assert np.allclose(found, centred * math.prod(shape))
    assert all((found.sum(axis=axis) == 0).all() for axis in range(len(shape)))


def test_whole_numbers_do_not_overflow() -> None:
    with pytest.raises(OptionError, match="does not fit into whole numbers of 64 bits"):
        interaction(np.full((1000, 1000), 2**45))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("sigma", SIGMAS)
def test_exact_divergences_never_exceed_the_claim(shape: tuple[int, ...], sigma: float) -> None:
    law, kappa = SmallLaw(shape, sigma), line_smoothing(shape, sigma**2)
    assert law.law.sum() == pytest.approx(1, abs=1e-12)
    p = math.prod(1 - 1 / size for size in shape)
    pairs: list[tuple[float, float, np.ndarray]] = [(p, 1.0, law.moved(0))]
    for agreeing in itertools.product([False, True], repeat=len(shape)):
        if not all(agreeing):
            other = law.cells.index(tuple(0 if same else 1 for same in agreeing))
            same = math.prod(one - 1 / size for one, size in zip(agreeing, shape, strict=True))
            pairs.append((2 * (p - same), 2.0, law.moved(other, back=0)))
    for square, whole, moved in pairs:
        for order in ORDERS:
            exact = max(renyi(law.law, moved, order), renyi(moved, law.law, order))
            assert exact <= order * whole / 2 / sigma**2 + 1e-12
            rho = square / 2 / sigma**2
            assert exact <= order * rho + kappa * order / (order - 1) + 1e-12
            assert exact <= order * (math.sqrt(rho) + math.sqrt(kappa)) ** 2 + 1e-12


def test_the_sharper_cost_is_reached_where_smoothing_is_negligible() -> None:
    law = SmallLaw((2, 3), 2.2)
    assert line_smoothing((2, 3), 2.2**2) < 1e-9
    exact = renyi(law.law, law.moved(0), 2.0)
    assert exact == pytest.approx((1 / 2) * (2 / 3) / 2.2**2, rel=1e-9)


def test_without_enough_noise_the_sharper_cost_alone_would_be_too_small() -> None:
    """So κ is not there for nothing."""
    law = SmallLaw((2,), 0.4)
    assert renyi(law.law, law.moved(0), 1.2) > 1.2 * (1.2 * (1 / 2) / 2 / 0.4**2)
    assert line_smoothing((2,), 0.4**2) > 0.1


@pytest.mark.parametrize("shape", [(2,), (7, 14), (16, 9, 5)], ids=str)
def test_smoothing_is_that_of_the_formula(shape: tuple[int, ...]) -> None:
    r = math.prod(shape) - math.prod(size - 1 for size in shape)
    for multiple in (1.0, 1.25):
        variance = multiple**2 * max(shape)
        e = 1 / (math.exp(2 * math.pi**2 * variance / max(shape)) / (2 * r) - 1)
        found = line_smoothing(shape, variance)
        assert 0 < found <= math.log((1 + e) / (1 - e)) * (1 + 1e-4)
        assert found == pytest.approx(math.log((1 + e) / (1 - e)), rel=1e-4)
    assert line_smoothing(shape, 1e-3) == math.inf
    assert line_smoothing((), 1.0) == 0.0


@given(st.lists(st.integers(2, 100), max_size=3), st.floats(-20, -6))
def test_gaussian_noise_is_made_small_enough(shape: list[int], digits: float) -> None:
    kappa = 10.0**digits
    assert smoothing(1, math.prod(shape), grid_smoothing(shape, kappa)) <= kappa


@pytest.mark.parametrize("sigma", [0.3, 0.7, 3.0])
def test_the_variance_is_that_of_the_noise(sigma: float) -> None:
    drawn = noisy_interaction(np.zeros((2, 20000), dtype=np.int64), sigma, Simulated(5))
    # The centred table of two rows has half of their variance, in halves; columns of many cells hardly count.
    found = float((drawn / 40000).var())
    assert found == pytest.approx(variance_of(sigma) / 2, rel=0.05)
    assert variance_of(0.0) == 0.0
