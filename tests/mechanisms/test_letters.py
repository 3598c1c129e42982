"""Mechanisms over letters: exact ε, sampled law against the channel, unbiased counts whose intervals hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms import (
    estimated_counts,
    randomized_response,
    subset_selection,
    through_channel,
    unary_encoding,
)
from leakgauge.mechanisms.finite import UNITS, exact_epsilon
from leakgauge.mechanisms.letter_sets import LetterSets, SubsetLaw, UnaryLaw
from leakgauge.probability import Channel
from leakgauge.randomness import OperatingSystem, Randomness, Simulated
from tests.randomness.goodness import FALSE_ALARM, Replayed, p_value

Factory = Callable[..., LetterSets]
SETS: list[Factory] = [unary_encoding, subset_selection]
EPSILONS = [1e-9, 0.01, 0.5, 1.0, math.log(3), 2.7, 10.0, 36.0, 50.0, 1e7]


def exceeds(ratio: Fraction, epsilon: float) -> bool:
    """Whether a ratio of probabilities lies above e^ε, by 80 digits."""
    if epsilon > 1000:
        return False
    exact = Context(prec=80)
    return exact.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)) > exact.exp(Decimal(epsilon))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("letters", [2, 3, 17, 1000])
def test_the_exact_ratios_never_exceed_the_epsilon_asked_for(epsilon: float, letters: int) -> None:
    response = randomized_response(epsilon, letters=range(letters)).channel().matrix
    ratio = Fraction(response[0, 0]) / Fraction(response[0, 1])
    assert not exceeds(ratio, epsilon)
    unary = unary_encoding(epsilon, letters=range(letters)).law
    assert isinstance(unary, UnaryLaw)
    coin = Fraction(UNITS - unary.other_units, unary.other_units)
    assert not exceeds(coin, epsilon)
    subsets = subset_selection(epsilon, letters=range(letters)).law
    assert isinstance(subsets, SubsetLaw)
    odds = Fraction(subsets.own_units, UNITS - subsets.own_units) * Fraction(letters - subsets.size, subsets.size)
    assert not exceeds(odds, epsilon)
    if 0.01 <= epsilon <= 10:
        # Nor do they fall short of it by more than the rounding to 2^-53.
        assert all(math.log(part) > epsilon * (1 - 1e-6) for part in (ratio, coin, odds))


def test_a_tiny_epsilon_of_a_channel_keeps_its_digits() -> None:
    step = 2.0**-50
    channel = Channel("ab", "xy", [[0.5, 0.5], [0.5 + step, 0.5 - step]]).dyadic()
    true = -math.log1p(-2 * step)
    assert true <= exact_epsilon(channel) <= true * (1 + 1e-14)
    assert exact_epsilon(Channel.constant("ab", channel.row("a"))) == 0


@pytest.mark.parametrize("make", SETS)
def test_the_channel_has_the_claimed_epsilon_and_the_marginals(make: Factory) -> None:
    for epsilon, letters in [(0.5, "abcde"), (1.0, "ab"), (2.0, "abcdefgh")]:
        sets = make(epsilon, letters=letters)
        channel = sets.channel()
        assert channel is not None
        assert exact_epsilon(channel) == pytest.approx(epsilon, rel=1e-9)
        held = np.array([["a" in str(text).split("|")] for text in channel.outputs])
        assert (channel.matrix @ held)[0, 0] == pytest.approx(sets.law.own_probability)
        assert (channel.matrix @ held)[1, 0] == pytest.approx(sets.law.other_probability)
    assert make(0.5, letters=range(40)).channel() is None


@pytest.mark.parametrize("make", SETS)
@pytest.mark.parametrize("randomness", [Simulated(simulation_seed=30), OperatingSystem()])
def test_sets_are_drawn_by_their_channel(make: Factory, randomness: Randomness) -> None:
    sets = make(1.0, letters="abcde")
    channel = sets.channel()
    assert channel is not None
    for row in (0, 3):
        texts = Counter(sets.texts(sets.law.draw(np.full(200_000, row), randomness)))
        seen = np.array([texts[str(text)] for text in channel.outputs])
        assert seen.sum() == 200_000
        assert p_value(seen, channel.matrix[row]) >= FALSE_ALARM


def test_equal_keys_of_a_subset_are_drawn_again_and_its_coin_stays() -> None:
    sets = subset_selection(2.0, letters="abc")
    # The coin says own; b's key equals the own letter's 0, so all keys are drawn again: c must not come in by order.
    assert sets.run("a", Replayed([0, 9, 0, 5, 9, 7, 5])) == [("a",)]
    # The coin says other; b and c are equal, then c is smaller.
    assert sets.run("a", Replayed([2**64 - 1, 9, 5, 5, 9, 7, 5])) == [("c",)]


@pytest.mark.parametrize("make", SETS)
def test_counts_are_unbiased_and_their_intervals_hold(make: Factory) -> None:
    truth = np.array([700, 200, 100, 0])
    rows = np.repeat(np.arange(4), truth)
    for epsilon in (0.5, 3.0):
        sets, randomness = make(epsilon, letters="abcd"), Simulated(simulation_seed=31)
        found = [sets.counts_from(sets.law.draw(rows, randomness).sum(axis=0), 1000, 0.9) for _ in range(400)]
        values = np.array([[one.value for one in run] for run in found])
        error = values.std(axis=0) / math.sqrt(400)
        assert (np.abs(values.mean(axis=0) - truth) < 5.5 * error).all()
        held = np.array([[count in one for one, count in zip(run, truth.tolist(), strict=True)] for run in found])
        assert held.mean(axis=0).min() >= 0.9
        widths = np.array([[one.high - one.low for one in run] for run in found])
        assert (widths.mean(axis=0) < 6 * values.std(axis=0) + 30).all(), "not so wide that they say nothing"


def test_counts_through_a_channel_are_unbiased_and_their_intervals_hold() -> None:
    truth = np.array([600, 300, 100])
    rows = np.repeat(np.arange(3), truth)
    erased = Channel("abc", "abc?", [[0.6, 0.1, 0, 0.3], [0.1, 0.5, 0.1, 0.3], [0, 0.1, 0.6, 0.3]])
    for mechanism in (randomized_response(1.0, letters="abc"), through_channel(erased)):
        randomness, outputs = Simulated(simulation_seed=32), len(mechanism.channel().outputs)
        found = [
            estimated_counts(
                mechanism.channel(), np.bincount(mechanism.law.draw(rows, randomness), minlength=outputs), 0.9
            )
            for _ in range(400)
        ]
        values = np.array([[one.value for one in run] for run in found])
        assert (np.abs(values.mean(axis=0) - truth) < 5.5 * values.std(axis=0) / 20).all()
        held = np.array([[count in one for one, count in zip(run, truth.tolist(), strict=True)] for run in found])
        assert held.mean(axis=0).min() >= 0.9
    with pytest.raises(OptionError, match="cannot be estimated"):
        estimated_counts(Channel("abc", "xy", [[0.5, 0.5], [0.2, 0.8], [0.8, 0.2]]), [5, 5])
    with pytest.raises(OptionError, match="3 whole numbers"):
        estimated_counts(randomized_response(1.0, letters="abc").channel(), [1, 2])


@pytest.mark.parametrize("make", SETS)
def test_released_texts_can_be_read(make: Factory) -> None:
    sets = make(1.0, letters=["b", None, 3])
    matrix = np.array([[1, 1, 1], [0, 0, 0], [0, 1, 0], [1, 0, 1]], dtype=bool)
    assert sets.texts(matrix) == ["b|missing|3", "", "missing", "b|3"]
    assert sets.law.draw(np.empty(0, dtype=np.int64), Simulated(simulation_seed=0)).shape == (0, 3)
    many = make(1.0, letters=range(70))
    places = np.arange(70)
    released = many.law.draw(places, Simulated(simulation_seed=33))
    assert [text.split("|") if text else [] for text in many.texts(released)] == [
        [str(at) for at in np.flatnonzero(row)] for row in released
    ]


@pytest.mark.parametrize("make", SETS)
def test_what_cannot_be_used_is_refused(make: Factory) -> None:
    for epsilon in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(OptionError, match="not a finite number above 0"):
            make(epsilon, letters="ab")
    with pytest.raises(OptionError, match="too small"):
        make(1e-17, letters="ab")
    with pytest.raises(OptionError, match="2 or more"):
        make(1.0, letters="a")
    for letters in (["a|b", "c"], ["", "c"], [1, "1"], [None, "missing"]):
        with pytest.raises(OptionError, match="rename"):
            make(1.0, letters=letters)
    with pytest.raises(LabelError, match="not among the 2 letters") as refused:
        make(1.0, letters="ab").run(["a", "secret"], Simulated(simulation_seed=0))
    assert "secret" not in str(refused.value)
    for sums in ([1], [1, 11], [-1, 2], [0.5, 1]):
        with pytest.raises(OptionError, match="whole numbers from 0 to n"):
            make(1.0, letters="ab").counts_from(sums, 10)
    with pytest.raises(OptionError, match="confidence"):
        make(1.0, letters="ab").counts_from([1, 2], 10, confidence=1.0)
