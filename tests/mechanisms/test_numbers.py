"""Noisy numbers: calibration, error bars, and the attack on the low bits of floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from leakgauge.errors import ColumnError, OptionError
from leakgauge.mechanisms import discrete_gaussian, gaussian, geometric, laplace
from leakgauge.mechanisms.gaussian import analytic_multiplier
from leakgauge.mechanisms.noise import DiscreteGaussian
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.randomness import Simulated, simulation

SAMPLES = 1_000_000
SURE = 1e-6
"""How often the attack may prove too much by chance, over all its events."""


def events(values: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[np.bool_]]:
    """Fixed beforehand: low bits of the mantissa that are 0, powers of two it is a multiple of, where it lies."""
    mantissas = values.view(np.uint64) & np.uint64((1 << 52) - 1)
    found = {f"{bits} low bits are 0": mantissas % np.uint64(1 << bits) == 0 for bits in range(1, 52, 5)}
    found |= {f"a multiple of 2^-{power}": np.ldexp(values, power) % 1 == 0 for power in range(0, 61, 4)}
    found["a multiple of 2^-53"] = np.ldexp(values, 53) % 1 == 0
    found |= {f"at most {limit}": values <= limit for limit in (-3.0, -1.0, 0.0, 0.5, 1.0, 2.0, 4.0)}
    return found


def proved_epsilon(sampled: Callable[[float], npt.NDArray[np.float64]]) -> float:
    """The largest ln(P(event | x) / P(event | x')) that Clopper and Pearson's bounds prove for any event."""
    sides = [{name: int(event.sum()) for name, event in events(sampled(value)).items()} for value in (0.0, 1.0)]
    share, best = SURE / (8 * len(sides[0])), 0.0
    for name in sides[0]:
        for mine, theirs in (sides, sides[::-1]):
            for k, m in ((mine[name], theirs[name]), (SAMPLES - mine[name], SAMPLES - theirs[name])):
                low = stats.beta.ppf(share, k, SAMPLES - k + 1) if k else 0.0
                high = stats.beta.ppf(1 - share, m + 1, SAMPLES - m) if m < SAMPLES else 1.0
                best = max(best, math.log(low / high) if low > 0 else 0.0)
    return best


def test_low_bits_of_floats_break_textbook_laplace_and_not_ours() -> None:
    generator, randomness = simulation(40), Simulated(simulation_seed=41)
    ours = laplace(1.0, sensitivity=1.0)
    assert proved_epsilon(lambda value: value + generator.laplace(size=SAMPLES)) >= 5
    proved = proved_epsilon(lambda value: np.asarray(ours.run(np.full(SAMPLES, value), randomness), dtype=np.float64))
    assert 0.9 < proved <= 1.0
    released = [np.asarray(ours.run(np.full(SAMPLES, value), randomness)) / ours.span.grid for value in (0.1, 1.1)]
    assert all((steps == np.rint(steps)).all() for steps in released), "both reach grid points only"
    assert all(len(np.unique(steps % 64)) == 64 for steps in released), "and the same ones"


def summed_delta(law: DiscreteGaussian, shift: int, epsilon: float) -> float:
    """Σ max(P(k) − e^ε P(k − shift), 0) term by term with 50 digits."""
    mpmath = import_module("mpmath")
    with mpmath.workdps(50):
        sigma, power, reach = mpmath.mpf(law.scale), mpmath.exp(mpmath.mpf(epsilon)), math.ceil(14 * law.scale) + shift
        terms = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * sigma**2)) for k in range(-reach - shift, reach + 1)}
        excess = sum(max(terms[k] - power * terms[k - shift], 0) for k in range(-reach, reach + 1))
        return float(excess / sum(terms.values()))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-5), (1.0, 1e-9), (4.0, 1e-6), (0.5, 0.2)])
def test_gaussian_noise_has_the_delta_asked_for_and_hardly_less(epsilon: float, delta: float) -> None:
    noise = gaussian(epsilon, delta, lower=0, upper=1, grid=1 / 64)
    assert isinstance(noise.law, DiscreteGaussian)
    true = summed_delta(noise.law, noise.span.steps, epsilon)
    assert 0.99 * delta < true <= delta
    assert true <= noise.law.delta(noise.span.steps, epsilon) <= true * (1 + 1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-5), (4.0, 1e-6), (0.5, 0.2)])
def test_the_analytic_sigma_is_that_of_dp_accounting(epsilon: float, delta: float) -> None:
    mechanisms = import_module("dp_accounting.pld.privacy_loss_mechanism")
    common = import_module("dp_accounting.pld.common")
    theirs = mechanisms.GaussianPrivacyLoss.from_privacy_guarantee(
        common.DifferentialPrivacyParameters(epsilon, delta), sensitivity=1
    ).standard_deviation
    assert analytic_multiplier(epsilon, delta) == pytest.approx(theirs, rel=1e-5)


def test_coarse_grids_and_large_budgets_keep_their_delta() -> None:
    for epsilon, delta in [(1.0, 1e-5), (20.0, 1e-4), (800.0, 1e-5)]:
        noise = gaussian(epsilon, delta, lower=0, upper=3, grid=1)
        assert isinstance(noise.law, DiscreteGaussian)
        assert summed_delta(noise.law, 3, epsilon) <= delta


@pytest.mark.parametrize(
    "noise",
    [
        laplace(0.7, sensitivity=2.5),
        laplace(2.0, lower=0, upper=10, grid=1),
        geometric(0.3, sensitivity=1),
        geometric(9.0, sensitivity=1),
        gaussian(0.5, 1e-6, sensitivity=1.0),
        discrete_gaussian(0.5, sensitivity=1),
        discrete_gaussian(40.0, sensitivity=1),
    ],
    ids=lambda noise: f"{noise.name}-{noise.parameters}",
)
def test_error_bars_hold_as_often_as_they_say(noise: NoisyNumber) -> None:
    steps = np.arange(-200_000, 200_001)
    for confidence in (0.5, 0.9, 0.95, 0.999):
        reach = noise.added.reach(confidence)
        assert noise.added.probability(steps)[np.abs(steps) <= reach].sum() >= confidence - 1e-12
    value = 3.3 if noise.span.grid < 1 else 3.0
    answers = [noise.answer(value, Simulated(simulation_seed=seed), 0.9) for seed in range(500)]
    # At least 90%: 4.5 standard deviations of 500 coins below that is 84%.
    assert np.mean([value in answer for answer in answers]) >= 0.84


def test_laplace_scale_is_never_below_sensitivity_over_epsilon() -> None:
    for epsilon in (0.1, 0.3, 1 / 3, 0.7, 1.1, 5.5):
        noise = laplace(epsilon, sensitivity=0.3)
        assert noise.span.steps * noise.span.grid >= 0.3
        spent = noise.added.epsilon(noise.span.steps)
        assert spent is not None and spent <= epsilon


def test_missing_values_need_a_number() -> None:
    column = laplace(1.0, lower=0, upper=10)
    with pytest.raises(ColumnError, match="missing=NUMBER"):
        column.run([1.0, math.nan], Simulated(simulation_seed=0))
    filled = laplace(1.0, lower=0, upper=10, missing=5)
    assert filled.on_grid(np.array([math.nan]))[0] * filled.span.grid == 5
    with pytest.raises(OptionError, match="not finite"):
        laplace(1.0, lower=0, upper=10, missing=math.nan)
