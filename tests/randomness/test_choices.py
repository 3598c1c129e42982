"""Alias tables, exact coins, weighted choices, uniform numbers and orders."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.errors import ModelError
from leakgauge.probability import Channel
from leakgauge.randomness import OperatingSystem, Simulated, draws, simulation
from leakgauge.randomness.alias import AliasTables
from leakgauge.randomness.draws import below, coins, proportionally, shuffled
from tests.randomness.goodness import FALSE_ALARM, Replayed, p_value


def ragged() -> Channel:
    """Rows of 1 to 40 letters, some of which are all but impossible."""
    generator = simulation(6)
    matrix = np.zeros((6, 40))
    for row, letters in enumerate([1, 2, 3, 7, 33, 40]):
        at = generator.choice(40, letters, replace=False)
        matrix[row, at] = generator.dirichlet(np.full(letters, 0.3))
    return Channel(range(6), range(40), matrix).dyadic()


def same_sized() -> Channel:
    return Channel(range(5), range(11), simulation(7).dirichlet(np.ones(11), 5)).dyadic()


def exact_units(tables: AliasTables, row: int, letters: int) -> list[int]:
    """By enumerating the columns of the row's table: how many of 2^53 equally likely values give each letter."""
    first = int(tables._offsets[row])
    bits = 32 - int(tables._shifts[row])
    room = 1 << (53 - bits)
    assert int(tables._masks[row]) == (1 << (32 - bits)) - 1
    units = [0] * letters
    for column in range(first, first + (1 << bits)):
        cut = int(tables._cuts[column])
        assert 0 <= cut <= room
        units[int(tables._letters[2 * column])] += cut
        units[int(tables._letters[2 * column + 1])] += room - cut
    return units


@pytest.mark.parametrize(
    "channel", [ragged(), same_sized(), Channel.identity("ab").dyadic()], ids=["ragged", "same", "id"]
)
def test_a_table_gives_each_letter_exactly_its_numerator(channel: Channel) -> None:
    tables = AliasTables(channel.cells)
    for row, probabilities in enumerate(channel.matrix):
        wanted = [int(Fraction(value) * 2**53) for value in probabilities.tolist()]
        assert exact_units(tables, row, len(channel.outputs)) == wanted


@pytest.mark.parametrize("channel", [ragged(), same_sized()], ids=["ragged", "same"])
def test_words_beside_every_cut_fall_on_the_right_side(channel: Channel) -> None:
    # The enumeration above reads the tables; this feeds them words, so that ``draw`` is what was enumerated.
    tables = AliasTables(channel.cells)
    for row in range(len(channel.inputs)):
        first, bits = int(tables._offsets[row]), 32 - int(tables._shifts[row])
        room = 1 << (53 - bits)
        for column in range(1 << bits):
            cut = int(tables._cuts[first + column])
            for unit in {0, max(cut - 1, 0), min(cut, room - 1), room - 1}:
                # 32 bits of a first word choose the column and begin the unit, 21 of a second one end it.
                words = [column << (32 - bits) | unit >> 21, (unit & (1 << 21) - 1) << 43]
                wanted = tables._letters[2 * (first + column) + (unit >= cut)]
                assert tables.draw(np.array([row]), Replayed(words))[0] == wanted


@pytest.mark.parametrize("channel", [ragged(), same_sized()], ids=["ragged", "same"])
def test_ten_million_letters_have_the_law_of_their_rows(channel: Channel) -> None:
    tables, randomness = AliasTables(channel.cells), Simulated(simulation_seed=8)
    size, outputs = len(channel.inputs), len(channel.outputs)
    rows = np.arange(1_000_000) % size
    totals = np.zeros((size, outputs), dtype=np.int64)
    for _ in range(10):
        drawn = tables.draw(rows, randomness)
        totals += np.bincount(rows * outputs + drawn, minlength=size * outputs).reshape(size, outputs)
    assert not totals[channel.matrix == 0].any()
    for seen, probabilities in zip(totals, channel.matrix, strict=True):
        assert p_value(seen, probabilities) >= FALSE_ALARM


def test_letters_from_the_operating_system_have_their_law() -> None:
    channel = same_sized()
    drawn = AliasTables(channel.cells).draw(np.zeros(1_000_000, dtype=np.int64), OperatingSystem())
    assert p_value(np.bincount(drawn, minlength=11), channel.matrix[0]) >= FALSE_ALARM


def test_probabilities_that_are_not_dyadic_are_refused() -> None:
    with pytest.raises(ModelError, match="dyadic"):
        AliasTables(Channel("ab", "xy", [[1 / 3, 2 / 3], [1e-20, 1 - 1e-20]]).cells)


GAMMAS = [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), Fraction(2), Fraction(40), Fraction(10**400)]


def floats(gammas: list[Fraction]) -> npt.NDArray[np.float64]:
    return np.array([float(min(gamma, Fraction(1000))) for gamma in gammas])


def test_coins_fall_as_rational_arithmetic_says(monkeypatch: pytest.MonkeyPatch) -> None:
    gammas = [GAMMAS[at] for at in below(5, 4000, Simulated(simulation_seed=9)).tolist()]
    words = Simulated(simulation_seed=10).words(4000).tolist()
    # Words next to the probability itself, where floats would be wrong about half the time.
    words[:1000] = [
        min(max(round(math.exp(-gamma) * 2**64) + shift, 0), 2**64 - 1)
        for gamma, shift in zip(gammas[:1000], range(-500, 500), strict=True)
    ]
    quick = coins(floats(gammas), gammas.__getitem__, Replayed(words))
    monkeypatch.setattr(draws, "DOUBT", 2.0)
    exact = coins(floats(gammas), gammas.__getitem__, Replayed(words))
    assert quick.tolist() == exact.tolist()
    assert 1000 < quick.sum() < 3000


def test_coins_have_their_law() -> None:
    for gamma in GAMMAS[2:4]:
        heads = coins(np.full(10**6, float(gamma)), lambda at, gamma=gamma: gamma, Simulated(simulation_seed=11))  # type: ignore[misc]
        share = math.exp(-gamma)
        assert p_value(np.array([heads.sum(), 10**6 - heads.sum()]), np.array([share, 1 - share])) >= FALSE_ALARM


def test_weighted_choices_are_those_of_rational_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.array([3, 0, 5, 1, 2**40, 7])
    gammas = [Fraction(1), Fraction(-3), Fraction(0), Fraction(7, 2), Fraction(30), Fraction(10**400)]
    for word in [0, 1, 2**64 - 1, 2**63, *Simulated(simulation_seed=12).words(300).tolist()]:
        quick = proportionally(counts, gammas, Replayed([word]))
        with monkeypatch.context() as doubting:
            doubting.setattr(draws, "DOUBT", 2.0)
            assert quick == proportionally(counts, gammas, Replayed([word]))
        assert counts[quick] > 0


def test_weighted_choices_have_their_law() -> None:
    counts, gammas = np.array([3, 0, 5, 1]), [Fraction(1), Fraction(-3), Fraction(0), Fraction(7, 2)]
    weights = counts * np.exp([-1.0, 3.0, 0.0, -3.5])
    randomness = Simulated(simulation_seed=13)
    drawn = Counter(proportionally(counts, gammas, randomness) for _ in range(20_000))
    seen = np.array([drawn[at] for at in range(4)])
    assert seen[1] == 0
    assert p_value(seen, weights / weights.sum()) >= FALSE_ALARM


def test_no_weight_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="every weight is 0"):
        proportionally(np.array([0, 0]), [Fraction(0), Fraction(1)], Simulated(simulation_seed=0))


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 1000])
def test_whole_numbers_below_a_limit_are_equally_likely(limit: int) -> None:
    drawn = below(limit, 10**6, Simulated(simulation_seed=14))
    assert drawn.max() < limit
    assert p_value(np.bincount(drawn, minlength=limit), np.full(limit, 1 / limit)) >= FALSE_ALARM


def test_a_limit_that_does_not_divide_the_words_draws_the_last_ones_again() -> None:
    # 3 · 2^61 leaves 2^62 words over, a quarter of all: without a second draw small numbers would be likelier.
    limit = 3 << 61
    assert below(limit, 1, Replayed([2**64 - 1, 2 * limit, 5])).tolist() == [5]
    assert below(limit, 1, Replayed([2 * limit - 1])).tolist() == [limit - 1]
    drawn = below(limit, 10**6, Simulated(simulation_seed=15))
    thirds = np.bincount(drawn >> 61, minlength=3)
    assert p_value(thirds, np.full(3, 1 / 3)) >= FALSE_ALARM


@pytest.mark.parametrize("limit", [0, -1, (1 << 63) + 1])
def test_limits_outside_the_words_are_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="limit"):
        below(limit, 1, Simulated(simulation_seed=0))


def test_every_order_is_equally_likely_and_equal_keys_are_drawn_again() -> None:
    randomness = Simulated(simulation_seed=16)
    orders = Counter(tuple(shuffled(4, randomness).tolist()) for _ in range(48_000))
    seen = np.array([orders[order] for order in permutations(range(4))])
    assert p_value(seen, np.full(24, 1 / 24)) >= FALSE_ALARM
    assert shuffled(3, Replayed([5, 5, 1, 9, 8, 7])).tolist() == [2, 1, 0]
    assert shuffled(0, Simulated(simulation_seed=0)).tolist() == []
