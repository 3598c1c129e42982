"""Laws and reference cases of the attacker who can put released values in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.case.changes import by_changes, by_steps
from leakgauge.case.in_order import letters_in_order, numbers_in_order
from leakgauge.case.series import Series, marks_of_letters, marks_of_numbers, order_matters
from leakgauge.case.smoothing import filtered
from leakgauge.probability.cells import Codes, Floats


def one(rows: int) -> Series:
    return Series(np.array([rows]))


def kept_or_redrawn(letters: Codes, keeping: float, width: int, seed: int) -> tuple[Codes, Floats]:
    """Letters through the channel that keeps a share of them, and the channel."""
    draws = np.random.default_rng(seed)
    redrawn = draws.integers(width, size=len(letters))
    return np.where(draws.random(len(letters)) < keeping, letters, redrawn), (
        keeping * np.eye(width) + (1 - keeping) / width
    )


def gain(attacker: Attacker | None) -> float:
    return 0.0 if attacker is None or attacker.gained is None else attacker.gained.value


def stays(rows: int, width: int, staying: float, seed: int) -> Codes:
    """A chain of letters, each of which stays or is drawn anew."""
    draws = np.random.default_rng(seed)
    fresh, keep = draws.integers(width, size=rows), draws.random(rows) < staying
    last = np.maximum.accumulate(np.where(keep & (np.arange(rows) > 0), 0, np.arange(rows)))
    return fresh[last].astype(np.int64)


def test_a_shuffled_release_has_no_order_but_at_the_level() -> None:
    alarms = 0
    for seed in range(400):
        draws = np.random.default_rng(1000 + seed)
        marks = marks_of_numbers(draws.random(1200)) if seed % 2 else marks_of_letters(draws.integers(3, size=1200))
        alarms += order_matters(marks, one(1200), seed)
    # 4 are expected; with probability 1 in 3,000 there are more than 11.
    assert alarms <= 11


def test_what_sets_persons_apart_is_not_an_order_of_their_rows() -> None:
    alarms = 0
    for seed in range(100):
        draws = np.random.default_rng(seed)
        shown = (draws.normal(0, 5, size=(60, 1)) + draws.normal(size=(60, 8))).ravel()
        alarms += order_matters(marks_of_numbers(shown), Series(np.full(60, 8)), seed)
        assert seed or order_matters(marks_of_numbers(shown), one(480))
    assert alarms <= 5


def test_a_faint_order_of_many_rows_shows_in_the_means_of_stretches() -> None:
    true = np.sort(np.random.default_rng(1).random(200_000))
    shown = true + np.random.default_rng(2).normal(0, 5, size=len(true))
    assert abs(np.corrcoef(shown[1:], shown[:-1])[0, 1]) < 0.01
    assert order_matters(marks_of_numbers(shown), one(len(true)))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rows", [30_000, 2_000])
def test_noise_at_017_gives_a_sorted_secret_back(known: bool, rows: int) -> None:
    true = np.sort(np.random.default_rng(1).choice(5, p=[0.4, 0.3, 0.15, 0.1, 0.05], size=rows)).astype(np.int64)
    shown, channel = kept_or_redrawn(true, 0.17, 5, 2)
    found = letters_in_order(true, shown, one(rows), channel if known else None, labels="abcde")
    assert found is not None and found.gained is not None and found.surest is not None
    assert (found.name, found.knows, found.told) == (AttackerName.KNOWS_THE_ORDER, (), found.gained)
    # One row gives back hardly more than the commonest letter.
    alone = (channel * (np.bincount(true) / rows)[:, None])[:, shown].argmax(axis=0) == true
    assert (alone.mean() - 0.4) / 0.6 < 0.1
    assert found.gained.value > (0.98 if rows > 2_000 else 0.75)
    assert found.surest.value > 0.8 and found.left == pytest.approx(0.6, abs=0.02)


def test_noise_gives_sorted_numbers_back() -> None:
    true = np.sort(np.random.default_rng(1).random(6_000))
    shown = true + np.random.default_rng(2).laplace(0, 1, size=len(true))
    found = numbers_in_order(true, shown, one(len(true)), 2.0)
    assert found is not None and found.surest is not None
    assert gain(found) > 0.9 and found.surest.value > 0.6 and found.left is None
    mixed = np.random.default_rng(3).permutation(len(true))
    assert numbers_in_order(true[mixed], shown[mixed], one(len(true)), 2.0) is None


def test_the_household_comes_back_through_laplace_noise(data: Path) -> None:
    """Hourly load, ε = 11 an hour between 0 and 10 kW: a filter explains about 57 % of the variance."""
    table = pq.read_table(data / "household_power_hourly.parquet")
    load = np.asarray(table["active_power_kw"], dtype=np.float64)[~np.asarray(table["interpolated"])]
    scale = 10 / 11
    shown = np.clip(load, 0, 10) + np.random.default_rng(1).laplace(0, scale, size=len(load))
    for variance in (2 * scale**2, None):
        clean = filtered(shown, one(len(load)), variance)
        assert 1 - ((load - clean) ** 2).mean() / load.var() == pytest.approx(0.57, abs=0.02)
    found = numbers_in_order(load, shown, one(len(load)), 2 * scale**2)
    assert found is not None and found.gained is not None and found.surest is not None
    # By rank a released number by itself explains a third, and in its order three fifths.
    assert gain(found) == pytest.approx(0.59, abs=0.03) and found.gained.ends[0] > 0.5
    assert found.surest.value > 0.45 and found.worst == "10/10"


def test_more_noise_never_raises_the_gain_on_average() -> None:
    draws = np.random.default_rng(5)
    walk = np.cumsum(draws.normal(size=3_000)) / 10
    letters = stays(3_000, 3, 0.95, 6)
    noise = np.random.default_rng(7).laplace(size=(3, 3_000))
    numbers = [
        np.mean([gain(numbers_in_order(walk, walk + scale * one_draw, one(3_000))) for one_draw in noise])
        for scale in (1, 3, 9)
    ]
    shown = [
        np.mean([gain(letters_in_order(letters, *_in_order(kept_or_redrawn(letters, keep, 3, s)))) for s in range(3)])
        for keep in (0.8, 0.5, 0.3, 0.1)
    ]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] > numbers[-1] + 0.05
    assert shown == sorted(shown, reverse=True) and shown[0] > shown[-1] + 0.3


def _in_order(through: tuple[Codes, Floats]) -> tuple[Codes, Series, Floats]:
    return through[0], one(len(through[0])), through[1]


@pytest.mark.parametrize("stretch", [500, 20, 1])
def test_permuting_the_rows_of_a_kept_order_only_raises_protection(stretch: int) -> None:
    true = np.sort(np.random.default_rng(1).integers(4, size=4_000))
    shown, channel = kept_or_redrawn(true, 0.3, 4, 2)
    mixed = np.random.default_rng(3).permutation(4_000 // stretch)
    order = (mixed[:, None] * stretch + np.arange(stretch)).ravel()
    kept, permuted = (letters_in_order(true[at], shown[at], one(4_000), channel) for at in (np.arange(4_000), order))
    assert gain(permuted) <= gain(kept) + 0.005
    assert stretch > 1 or permuted is None


def test_a_chain_is_guessed_as_well_as_by_whoever_knows_it() -> None:
    true = stays(20_000, 3, 0.9, 1)
    shown, channel = kept_or_redrawn(true, 0.5, 3, 2)
    prior = np.bincount(true) / len(true)
    found = by_steps(shown, one(len(true)), channel, prior)
    steps = 0.9 * np.eye(3) + 0.1 / 3
    forth, back = np.empty(found.shape), np.ones(found.shape)
    last = prior
    for at in range(len(true)):
        last = forth[at] = (last @ steps if at else prior) * channel[:, shown[at]]
        last = forth[at] = last / last.sum()
    for at in range(len(true) - 2, -1, -1):
        back[at] = steps @ (channel[:, shown[at + 1]] * back[at + 1])
        back[at] /= back[at].sum()
    exact = (forth * back).argmax(axis=1) == true
    assert (found.argmax(axis=1) == true).mean() > exact.mean() - 0.005
    assert exact.mean() > (shown == true).mean() + 0.1


def test_segments_are_found_where_shares_change() -> None:
    true = np.repeat([0, 1, 0, 2], [700, 90, 1_300, 400])
    shown, channel = kept_or_redrawn(true, 0.6, 3, 4)
    posterior = by_changes(shown, one(len(true)), channel, np.bincount(true) / len(true))
    assert posterior.sum(axis=1) == pytest.approx(1)
    wrong = np.flatnonzero(posterior.argmax(axis=1) != true)
    edges = np.array([700, 790, 2_090])
    assert np.abs(wrong[:, None] - edges).min(axis=1, initial=10**6).max(initial=0) <= 16
    # Where nothing changes, a row is guessed from its own released value.
    still = np.random.default_rng(5).integers(3, size=2_000)
    shown, channel = kept_or_redrawn(still, 0.6, 3, 6)
    alone = channel[:, shown] / channel[:, shown].sum(axis=0)
    assert np.abs(by_changes(shown, one(2_000), channel, np.full(3, 1 / 3)) - alone.T).max() < 0.1


def test_short_series_are_filtered_by_what_persons_share() -> None:
    """As well as by the covariance that the numbers were drawn with: own level 1, and 0.8 from month to month."""
    draws = np.random.default_rng(1)
    months = np.arange(12)
    covariance = 1 + 0.8 ** np.abs(months[:, None] - months)
    true = draws.multivariate_normal(np.zeros(12), covariance, size=3_000)
    shown = true + draws.normal(0, 2, size=true.shape)
    exact = shown @ np.linalg.solve(covariance + 4 * np.eye(12), covariance)
    clean = filtered(shown.ravel(), Series(np.full(3_000, 12)), 4.0).reshape(true.shape)
    best, found = (1 - ((true - guess) ** 2).mean() / true.var() for guess in (exact, clean))
    assert best > 0.6 and found > best - 0.01


def test_a_constant_secret_has_nothing_to_lose() -> None:
    shown = np.sort(np.random.default_rng(1).integers(2, size=500))
    assert letters_in_order(np.zeros(500, dtype=np.int64), shown, one(500)) is None
    assert numbers_in_order(np.ones(500), shown.astype(np.float64), one(500)) is None


def test_many_rare_letters_are_guessed_too() -> None:
    true = np.sort(np.random.default_rng(1).integers(300, size=6_000))
    shown, channel = kept_or_redrawn(true, 0.3, 300, 2)
    assert gain(letters_in_order(true, shown, one(len(true)), channel)) > 0.8
