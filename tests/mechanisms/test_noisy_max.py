"""Report noisy max: its law by three noises, exact privacy on all neighbours of small cases, draws, what is refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import integrate
from scipy.special import logsumexp

from leakgauge.audit import lower_bound
from leakgauge.claims import CentralDP, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms import MaxNoise, exponential, permute_and_flip, report_noisy_max
from leakgauge.mechanisms.choice import Choice
from leakgauge.mechanisms.noisy_max import LaplaceMax
from leakgauge.mechanisms.steps import Claimed, ExponentialChoice, PermuteAndFlip
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from tests.mechanisms.enumeration import exact_epsilon, neighbouring, noise_chances
from tests.randomness.goodness import FALSE_ALARM, p_value

ANSWERS = [3.0, 5.0, 4.5, 5.0, 0.0]


def law(choice: Choice, answers: list[float]) -> npt.NDArray[np.float64]:
    found = choice.probabilities(answers)
    assert found is not None
    assert abs(found.sum() - 1) < 1e-12
    return found


def coarse(epsilon: float, **given: Any) -> LaplaceMax:
    """Laplace noise on whole numbers, of which few are needed and many tie."""
    made = report_noisy_max(epsilon, grid=1.0, **given)
    assert isinstance(made, LaplaceMax)
    return made


def test_laplace_has_the_law_of_its_definition() -> None:
    most = coarse(2.0)
    steps, chances = noise_chances(most.added, 40)
    for answers in ([0, 0, 0], [0, 1, 3], [2, -1, 2]):
        expected = np.zeros(3)
        noisy = [answer + steps for answer in answers]
        values = np.stack(np.meshgrid(*noisy, indexing="ij"))
        weights = math.prod(np.meshgrid(chances, chances, chances, indexing="ij"))
        largest = values == values.max(axis=0)
        for at in range(3):
            expected[at] = (weights * largest[at] / largest.sum(axis=0)).sum()
        np.testing.assert_allclose(law(most, [float(one) for one in answers]), expected, atol=1e-12)


@pytest.mark.parametrize("monotonic", [False, True])
def test_exponential_noise_is_permute_and_flip_and_gumbel_noise_the_exponential_mechanism(monotonic: bool) -> None:
    """By integrals over the largest noisy answer, which know nothing of either."""
    scale = 1 / 1.5 if monotonic else 2 / 1.5
    answers = np.array([1.0, 2.5, 2.0, -1.0])

    def wins(at: int, density: Any, below: Any, low: float) -> float:
        others = np.delete(answers, at)
        return float(
            integrate.quad(
                lambda x: (
                    density((x - answers[at]) / scale) / scale * math.prod(below((x - o) / scale) for o in others)
                ),
                *(low, 60.0),
                points=answers.tolist(),
                limit=400,
            )[0]
        )

    one_sided = [
        wins(at, lambda z: math.exp(-z) * (z >= 0), lambda z: -math.expm1(-z) * (z > 0), answers.max())
        for at in range(4)
    ]
    gumbel = [
        wins(at, lambda z: math.exp(-z - math.exp(-z)), lambda z: math.exp(-math.exp(-z)), -15.0) for at in range(4)
    ]
    for noise, expected, same in (
        (MaxNoise.EXPONENTIAL, one_sided, permute_and_flip),
        (MaxNoise.GUMBEL, gumbel, exponential),
    ):
        found = law(report_noisy_max(1.5, noise=noise, monotonic=monotonic), answers.tolist())
        np.testing.assert_allclose(found, expected, atol=1e-7)
        if not monotonic:
            assert np.array_equal(found, law(same(1.5), answers.tolist()))


@pytest.mark.parametrize("noise", list(MaxNoise))
@pytest.mark.parametrize("monotonic", [False, True])
def test_no_neighbour_is_told_apart_by_more_than_epsilon(noise: MaxNoise, monotonic: bool) -> None:
    grids = [1.0, 0.5] if noise == MaxNoise.LAPLACE else [None]
    for epsilon, grid in product((0.4, 2.0), grids):
        most = report_noisy_max(epsilon, noise=noise, monotonic=monotonic, grid=grid)
        pairs = neighbouring((0.0, 1.0, 5.0), 3, (0, 1) if monotonic else (-1, 0, 1))
        assert 0.7 * epsilon < exact_epsilon(partial(law, most), pairs) <= epsilon * (1 + 1e-9)
        # Answers between the points of the grid, and neighbours that rounding moves apart.
        pairs = neighbouring((0.49, 1.75), 3, (0, 0.3, 1.0) if monotonic else (-1.0, 0.02, 1.0))
        assert exact_epsilon(partial(law, most), pairs) <= epsilon * (1 + 1e-9)


def test_the_named_neighbours_tell_nearly_all() -> None:
    for noise, monotonic, epsilon in product(MaxNoise, (False, True), (0.3, 1.0, 4.0)):
        most = report_noisy_max(epsilon, noise=noise, monotonic=monotonic)
        shown = [exact_epsilon(partial(law, most), [pair]) for pair in most.neighbours()]
        assert (0.9 if noise == MaxNoise.LAPLACE else 0.8) * epsilon < max(shown) <= epsilon * (1 + 1e-9)


def test_what_is_monotonic_is_not_enough_for_what_is_not() -> None:
    most = coarse(1.0, monotonic=True)
    assert exact_epsilon(partial(law, most), neighbouring((0.0, 5.0), 3, (-1, 0, 1))) > 1.5


def test_releasing_the_largest_noisy_answer_as_well_is_found_out() -> None:
    """A known mistake: the value, released with the position or alone, costs more than ε."""
    most = coarse(1.0)

    def values(answers: list[float]) -> npt.NDArray[np.float64]:
        """The law of the largest noisy answer, from where every answer has some chance."""
        up_to = np.arange(-20, 21)
        below = math.prod(most.added.below((up_to - answer).astype(float)) for answer in answers)
        return np.diff(below)

    assert exact_epsilon(values, [([0.0] * 6, [1.0] * 6)]) > 2.5


def test_only_gumbel_noise_is_concentrated() -> None:
    """The exact Rényi levels over neighbours: within αε²/8 with Gumbel noise, beyond with the others."""
    orders = 1 + np.geomspace(1e-3, 100, 40)
    for noise in MaxNoise:
        most = report_noisy_max(1.0, noise=noise, grid=0.25 if noise == MaxNoise.LAPLACE else None)
        rho = 0.0
        for others, low in product((1, 2, 3, 9), (-4.0, -2.0, -1.0, 0.0, 1.0)):
            ours, theirs = (
                np.log(law(most, one))[:, None] for one in ([low] + [0.0] * others, [low + 1] + [-1.0] * others)
            )
            for p, q in ((ours, theirs), (theirs, ours)):
                levels = logsumexp(orders * p + (1 - orders) * q, axis=0) / (orders - 1)
                rho = max(rho, float((levels / orders).max()))
        assert rho <= 1 / 8 if noise == MaxNoise.GUMBEL else rho > {"laplace": 0.14, "exponential": 0.32}[noise]
        assert any(isinstance(claim, ZeroConcentratedDP) for claim in most.claims) == (noise == MaxNoise.GUMBEL)
        assert rho <= most.step().rho() * (1 + 1e-9)


def test_claims_and_steps() -> None:
    laplace, one_sided, gumbel = (report_noisy_max(0.5, noise=noise) for noise in MaxNoise)
    assert laplace.claims == one_sided.claims == (CentralDP(0.5),)
    assert gumbel.claims == (CentralDP(0.5), ZeroConcentratedDP(0.5**2 / 8))
    assert laplace.step() == Claimed(CentralDP(0.5))
    assert one_sided.step() == PermuteAndFlip(0.5)
    assert gumbel.step() == ExponentialChoice(0.5)


@pytest.mark.parametrize("noise", list(MaxNoise))
@pytest.mark.parametrize(("randomness", "runs"), [(Simulated(simulation_seed=20), 3_000), (OperatingSystem(), 600)])
def test_positions_are_drawn_by_their_law(noise: MaxNoise, randomness: Randomness, runs: int) -> None:
    most = report_noisy_max(1.5, noise=noise)
    drawn = Counter(most.run(ANSWERS, randomness) for _ in range(runs))
    assert p_value(np.array([drawn[at] for at in range(5)]), law(most, ANSWERS)) >= FALSE_ALARM


def test_many_draws_at_once_have_the_same_law() -> None:
    for most in (coarse(3.0), report_noisy_max(1.5)):
        drawn = most.repeated(ANSWERS, 300_000, Simulated(simulation_seed=4))
        assert p_value(np.bincount(drawn, minlength=5), law(most, ANSWERS)) >= FALSE_ALARM


def test_the_error_bar_holds() -> None:
    for answers in ([0.0] * 9 + [4.0], [0.0] * 5 + [1.5] * 4 + [3.0], [float(one) for one in range(10)]):
        most = report_noisy_max(1.0, sensitivity=0.5)
        lost = max(answers) - np.array(answers)
        for confidence in (0.5, 0.9, 0.99):
            assert law(most, answers)[lost <= most.error_bar(10, confidence)].sum() >= confidence
    chances = noise_chances(coarse(1.0).added, 80)[1]
    apart = np.convolve(chances, chances)[len(chances) - 1 :]
    for count in (2, 10):
        bar = coarse(1.0).error_bar(count, 0.9)
        beyond = [float(apart[at:].sum()) * (count - 1) for at in (int(bar), int(bar) - 1)]
        assert beyond[0] <= 0.1 < beyond[1]
    assert report_noisy_max(1.0).error_bar(1) <= 2 * report_noisy_max(1.0).reach


def test_answers_of_any_size_are_exact() -> None:
    for noise in MaxNoise:
        most = report_noisy_max(1.0, noise=noise)
        assert most.run([10**9, Fraction(1, 3), -1e300], Simulated(simulation_seed=1)) == 0
        assert most.run(np.array([-1e9, 7.0]), Simulated(simulation_seed=1)) == 1
        assert most.run([5], Simulated(simulation_seed=1)) == 0
    assert report_noisy_max(1e-6).probabilities([1, 2]) is None


def test_what_cannot_be_used_is_refused() -> None:
    for noise in MaxNoise:
        refused: list[tuple[list[Any], str]] = [([], "no candidates"), ([1, math.nan], "utility"), (["a"], "utility")]
        for answers, message in refused:
            with pytest.raises(OptionError, match=message):
                report_noisy_max(1.0, noise=noise).run(answers, Simulated(simulation_seed=0))
        for wrong in ({"epsilon": 0}, {"epsilon": math.nan}, {"epsilon": 1, "sensitivity": -1}):
            with pytest.raises(OptionError, match="above 0"):
                report_noisy_max(noise=noise, **wrong)
        with pytest.raises(OptionError, match="confidence"):
            report_noisy_max(1.0, noise=noise).error_bar(0)
    with pytest.raises(OptionError, match="report-noisy-max has no multiplicities"):
        report_noisy_max(1.0).run([1, 2], Simulated(simulation_seed=0), [1, 1])
    with pytest.raises(OptionError, match="did you mean 'gumbel'"):
        report_noisy_max(1.0, noise="gumble")


@pytest.mark.parametrize("monotonic", ["no", "yes", 1, 0, None, [False]])
@pytest.mark.parametrize("noise", MaxNoise)
def test_only_a_truth_value_halves_the_noise(noise: MaxNoise, monotonic: Any) -> None:
    with pytest.raises(OptionError, match="'monotonic' of report_noisy_max"):
        report_noisy_max(1.0, noise=noise, monotonic=monotonic)
    made = report_noisy_max(1.0, noise=noise, monotonic=np.False_)  # type: ignore[arg-type]
    assert law(made, [1, 2]).tolist() == law(report_noisy_max(1.0, noise=noise), [1, 2]).tolist()


@pytest.mark.parametrize("make", [report_noisy_max, exponential, permute_and_flip])
def test_wrong_types_are_refused_in_one_sentence(make: Callable[..., Any]) -> None:
    for epsilon in ("1", None, [1], np.ones(2)):
        with pytest.raises(OptionError, match="'epsilon' of"):
            make(epsilon)
    for answers in (None, 5, "123", b"123", ["1", "2"], np.array(3.0), np.ones((2, 2))):
        with pytest.raises(OptionError, match="utility is not a finite number"):
            make(1.0).run(answers, Simulated(simulation_seed=0))
    with pytest.raises(OptionError, match="randomness is of type 'NoneType'"):
        make(1.0).run([1, 2], None)
    assert make(9.0).run(np.array([1, 90]), Simulated(simulation_seed=0)) == 1


def test_an_audit_shows_nearly_what_is_claimed() -> None:
    shown = lower_bound(report_noisy_max(1.0), randomness=Simulated(1), stop_early=False)
    assert 0.9 < shown.at_least <= 1.0
    assert not shown.violated
    with pytest.raises(OptionError, match="differ in both directions"):
        lower_bound(report_noisy_max(1.0, monotonic=True), pairs=[([0.0, 0.0], [1.0, -1.0])])
