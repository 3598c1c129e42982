"""The noise samplers draw the laws they name: against exact probabilities, against OpenDP, word by word."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import import_module

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.mechanisms.noise import DiscreteGaussian, DiscreteLaplace
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from leakgauge.randomness.discrete import (
    _geometric,
    discrete_gaussian,
    discrete_laplace,
    opendp_discrete_gaussian,
    opendp_discrete_laplace,
)
from leakgauge.randomness.draws import exponential_bounds
from tests.grids import nightly
from tests.randomness.goodness import FALSE_ALARM, Replayed, counted, p_value, two_samples_p, with_tails

Law = DiscreteLaplace | DiscreteGaussian
MILLION = 1_000_000


def reach_of(law: Law) -> int:
    return math.ceil(12 * law.standard_deviation) + 3


def textbook(law: Law, reach: int) -> npt.NDArray[np.float64]:
    """The probabilities from their definition, normalised by their sum: independent of the library's formulas."""
    steps = np.arange(-4 * reach, 4 * reach + 1, dtype=np.float64)
    if isinstance(law, DiscreteLaplace):
        weights = np.exp(-np.abs(steps) / law.scale)
    else:
        weights = np.exp(-(steps**2) / (2 * law.scale**2))
    return with_tails((weights / weights.sum())[3 * reach : 5 * reach + 1])


def own(law: Law, count: int, randomness: Randomness) -> npt.NDArray[np.int64]:
    if isinstance(law, DiscreteLaplace):
        return discrete_laplace(law.scale, count, randomness)
    return discrete_gaussian(law.scale, count, randomness)


def opendp(law: Law, count: int) -> npt.NDArray[np.int64]:
    if isinstance(law, DiscreteLaplace):
        return opendp_discrete_laplace(law.scale, count)
    return opendp_discrete_gaussian(law.scale, count)


def drawn_counts(law: Law, count: int, randomness: Randomness) -> npt.NDArray[np.int64]:
    reach = reach_of(law)
    totals = np.zeros(2 * reach + 1, dtype=np.int64)
    for start in range(0, count, MILLION):
        totals += counted(own(law, min(MILLION, count - start), randomness), reach)
    return totals


@pytest.mark.parametrize(
    ("law", "millions"),
    [
        (DiscreteLaplace(0.3), 1),
        (DiscreteLaplace(1.7), 10),
        (DiscreteLaplace(100.3), 1),
        (DiscreteGaussian(0.4), 1),
        (DiscreteGaussian(3.7), 10),
        (DiscreteGaussian(300.5), 1),
    ],
    ids=str,
)
def test_columns_of_noise_have_their_law(law: Law, millions: int) -> None:
    totals = drawn_counts(law, millions * MILLION, Simulated(simulation_seed=1))
    assert totals.sum() == millions * MILLION
    assert p_value(totals, textbook(law, reach_of(law))) >= FALSE_ALARM


@pytest.mark.parametrize("law", [DiscreteLaplace(1.7), DiscreteGaussian(3.7)], ids=str)
def test_noise_from_the_operating_system_has_its_law(law: Law) -> None:
    totals = drawn_counts(law, MILLION, OperatingSystem())
    assert p_value(totals, textbook(law, reach_of(law))) >= FALSE_ALARM


def test_the_test_sees_a_scale_that_is_off_by_a_part_in_250() -> None:
    totals = drawn_counts(DiscreteLaplace(1.7068), 10 * MILLION, Simulated(simulation_seed=1))
    law = DiscreteLaplace(1.7)
    assert p_value(totals, textbook(law, (len(totals) - 1) // 2)) < FALSE_ALARM


@pytest.mark.parametrize(
    ("law", "draws"),
    [
        (DiscreteLaplace(1.7), 100_000),
        (DiscreteLaplace(100.3), 100_000),
        (DiscreteGaussian(0.4), 20_000),
        (DiscreteGaussian(3.7), 20_000),
        nightly(DiscreteGaussian(0.4), 100_000),
        nightly(DiscreteGaussian(3.7), 100_000),
    ],
    ids=str,
)
def test_opendp_draws_the_same_law(law: Law, draws: int) -> None:
    reach = reach_of(law)
    theirs = counted(opendp(law, draws), reach)
    assert p_value(theirs, textbook(law, reach)) >= FALSE_ALARM
    ours = drawn_counts(law, draws, Simulated(simulation_seed=2))
    assert two_samples_p(ours, theirs) >= FALSE_ALARM
    elsewhere = drawn_counts(type(law)(1.1 * next(iter(vars(law).values()))), MILLION, Simulated(simulation_seed=3))
    width = min(len(elsewhere), len(theirs)) // 2
    # Few draws over thousands of values cannot tell a scale that is off by a tenth.
    if draws > len(theirs) * 10:
        assert two_samples_p(_middle(elsewhere, width), _middle(theirs, width)) < FALSE_ALARM


def _middle(totals: npt.NDArray[np.int64], width: int) -> npt.NDArray[np.int64]:
    centre = len(totals) // 2
    return totals[centre - width : centre + width + 1]


@pytest.mark.parametrize("law", [DiscreteLaplace(1.7), DiscreteGaussian(3.7)], ids=str)
def test_few_values_of_a_release_come_from_opendp_and_many_from_us(law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Counting(OperatingSystem):
        def words(self, count: int) -> npt.NDArray[np.uint64]:
            asked.append(count)
            return super().words(count)

    assert len(law.noise(256, Counting())) == 256
    assert not asked
    assert len(law.noise(257, Counting())) == 257
    assert asked


@pytest.mark.parametrize("scale", [0.01, 0.3, 1.7, 100.3, 2.0**36])
def test_whole_parts_are_those_of_rational_arithmetic(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # Words at which floats are in trouble: the ends, and those next to a power e^(−k/scale).
    edges = [round(math.exp(-k / scale) * 2**64) + shift for k in range(1, 40) for shift in (-1, 0, 1, 2**10)]
    words = [0, 1, 2, 2**64 - 1, 2**64 - 2, 2**63, *(edge for edge in edges if 0 <= edge < 2**64)]
    words += Simulated(simulation_seed=4).words(200).tolist()
    quick = _geometric(scale, len(words), Replayed(words))
    monkeypatch.setattr("leakgauge.randomness.discrete._ROUNDING", 1e9)  # everything is doubtful
    exact = _geometric(scale, len(words), Replayed(words))
    # A word that needs more bits gets others in the second run: it is left out when both runs may differ.
    settled = [at for at, word in enumerate(words) if settled_by_one_word(word, scale, int(exact[at]))]
    assert len(settled) > 200
    assert quick[settled].tolist() == exact[settled].tolist()


def settled_by_one_word(word: int, scale: float, drawn: int) -> bool:
    """Whether every U with these first 64 bits has the same whole part, by decimal arithmetic of our own."""
    with localcontext() as context:
        context.prec = 80
        low, high = (Decimal(part) / 2**64 for part in (word, word + 1))
        above = (-(Decimal(drawn) / Decimal(scale))).exp()
        below = (-(Decimal(drawn + 1) / Decimal(scale))).exp()
    return below < low and high <= above


def test_the_word_of_zeros_reaches_beyond_what_64_bits_hold() -> None:
    # With scale 1/100, P(G ≥ 1) = e^−100 < 2^-64: only more bits can tell.
    assert _geometric(0.01, 1, Replayed([0, 0, 0, 5])).tolist() == [1]
    assert _geometric(0.01, 1, Replayed([0, 2**63])).tolist() == [0]


@pytest.mark.parametrize("sigma", [1e-200, 1e-3, 2.0**20])
def test_extreme_gaussians_end(sigma: float) -> None:
    drawn = discrete_gaussian(sigma, 1000, Simulated(simulation_seed=5))
    assert (drawn == 0).all() if sigma < 1 else abs(float(drawn.std()) / sigma - 1) < 0.2


@pytest.mark.parametrize(
    "exponent", [Fraction(0), Fraction(1, 3), Fraction(7), Fraction(10**6 + 1, 10**6), Fraction(300)]
)
@pytest.mark.parametrize("digits", [5, 40, 100])
def test_bounds_of_an_exponential_enclose_it_tightly(exponent: Fraction, digits: int) -> None:
    mpmath = import_module("mpmath")
    low, high = exponential_bounds(exponent, digits)
    with mpmath.workdps(digits + 60):
        true = mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (low, high)]
        assert ends[0] < true < ends[1]
        if exponent > 3 * digits:
            assert ends == [0, mpmath.mpf(10) ** -digits]
            return
        assert (ends[1] - ends[0]) / true < 3 * (1 + mpmath.mpf(exponent.numerator) / exponent.denominator) / 10**digits


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf, 2.0**37])
def test_scales_that_cannot_be_drawn_are_refused(scale: float) -> None:
    for draw in (discrete_laplace, discrete_gaussian):
        with pytest.raises(ValueError, match="scale"):
            draw(scale, 3, Simulated(simulation_seed=0))
