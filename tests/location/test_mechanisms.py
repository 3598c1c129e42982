"""Mechanisms on areas: claims cell by cell on the exact channel, sets measured exactly, all against brute force."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest

from leakgauge.claims import LocalDP, MetricPrivacy
from leakgauge.distances import MapCells
from leakgauge.errors import LabelError, OptionError
from leakgauge.location.areas import distances_between
from leakgauge.location.mechanisms.by_distance import channel_by_distance, least_leaking, least_leaking_on_grid
from leakgauge.location.mechanisms.dummies import dummies_from_prior, uniform_dummies
from leakgauge.location.mechanisms.generalisation import areas_of_users, blocks, hidden
from leakgauge.location.mechanisms.placed import Placed, cascade, epsilon_per_km, on_areas, planar
from leakgauge.location.mechanisms.pseudonyms import recognised_by_places
from leakgauge.measures import mutual_information
from leakgauge.mechanisms.planar_laplace import MapUnit
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Simulated, simulation
from tests.randomness.goodness import FALSE_ALARM, p_value

CITY = MapCells(40.70, 40.82, -74.02, -73.92, rows=4, columns=5)
METRES = distances_between(CITY)


def random_prior(seed: int, zeros: int = 0) -> Distribution:
    shares = simulation(seed).dirichlet(np.full(CITY.count, 0.7))
    shares[:zeros] = 0.0
    return Distribution(CITY.labels, shares / shares.sum())


VISITED = np.repeat(np.arange(20), simulation(3).integers(0, 9, 20))


def every_mechanism() -> dict[str, Placed]:
    prior = random_prior(1)
    noise = planar(CITY, 1.5)
    return {
        "blocks": blocks(CITY, 1),
        "areas of users": areas_of_users(CITY, VISITED, 10),
        "hidden": hidden(CITY.labels, [0, 7]),
        "uniform dummies": uniform_dummies(CITY, 2),
        "dummies from the prior": dummies_from_prior(prior, 2),
        "planar Laplace": noise,
        "exponential": on_areas(channel_by_distance(CITY.labels, METRES, 2.0), METRES),
        "least leaking": least_leaking(prior, METRES, 800.0),
        "noise, then blocks": cascade(noise, blocks(CITY, 1), METRES),
    }


def test_every_claim_holds_cell_by_cell_on_the_exact_channel() -> None:
    for name, placed in every_mechanism().items():
        matrix, claims = placed.channel.matrix, {type(one): one.level for one in placed.mechanism.claims}
        with np.errstate(divide="ignore"):
            logs = np.log(matrix)
        local = metric = 0.0
        for x, other in permutations(range(CITY.count), 2):
            seen = matrix[x] > 0
            ratio = float((logs[x, seen] - logs[other, seen]).max())
            local, metric = max(local, ratio), max(metric, ratio / METRES[x, other] * 1000)
        assert local <= claims[LocalDP] * (1 + 1e-12), name
        if name != "planar Laplace":
            # Noise is charged between the furthest cells; all others claim what their channel has.
            assert local == pytest.approx(claims[LocalDP], rel=1e-9), name
        assert epsilon_per_km(placed.channel, METRES) == pytest.approx(metric, rel=1e-9), name
        if MetricPrivacy in claims:
            assert metric <= claims[MetricPrivacy] * (1 + 1e-12), name


def test_half_of_the_exponent_keeps_the_epsilon_asked_for() -> None:
    for epsilon in (0.1, 1.0, 5.0):
        exponential = on_areas(channel_by_distance(CITY.labels, METRES, epsilon), METRES)
        assert exponential.mechanism.claims[1].level <= epsilon


def test_sets_are_useful_by_what_they_contain_and_how_large_they_are() -> None:
    prior = random_prior(2)
    p, found = prior.probabilities, every_mechanism()
    assert {name: round(placed.contains(prior), 12) for name, placed in found.items() if placed.members} == {
        "blocks": 1,
        "areas of users": 1,
        "hidden": 1,
        "uniform dummies": 1,
        "dummies from the prior": 1,
        "noise, then blocks": round(found["noise, then blocks"].contains(prior), 12),
    }
    assert found["planar Laplace"].contains(prior) == pytest.approx(p @ np.diag(found["planar Laplace"].channel.matrix))
    assert found["planar Laplace"].contains(prior) < found["noise, then blocks"].contains(prior) < 1
    assert found["uniform dummies"].mean_size(prior) == pytest.approx(2)
    assert found["blocks"].mean_size(prior) == pytest.approx(
        sum(p[cell] * (4 if cell % 5 < 4 else 2) for cell in range(20))
    )
    assert found["hidden"].mean_size(prior) == pytest.approx(1 + p[0] + p[7])
    assert hidden(CITY.labels, [0, 7]).mean_distance(prior, METRES) == pytest.approx(p[7] * METRES[0, 7])


def test_distances_are_of_the_middle_of_a_set() -> None:
    prior, placed = random_prior(4), blocks(CITY, 2)
    expected = 0.0
    for cell, group in product(range(20), placed.groups):
        if cell in group:
            middle = min(group, key=lambda at: METRES[at, list(group)].sum())
            expected += prior.probabilities[cell] * METRES[cell, middle]
    assert placed.mean_distance(prior, METRES) == pytest.approx(expected)
    noise = planar(CITY, 1.5)
    joint = prior.probabilities[:, None] * noise.channel.matrix
    assert noise.mean_distance(prior, METRES) == pytest.approx((joint * METRES).sum())


def test_squares_of_users_hold_enough_of_them_or_nobody() -> None:
    draw = simulation(9)
    for seed in range(20):
        cells = MapCells(40.70, 40.82, -74.02, -73.92, rows=int(draw.integers(1, 9)), columns=int(draw.integers(2, 9)))
        visited = draw.integers(-1, cells.count, 60)
        users = draw.integers(0, 25, 60)
        least = int(draw.integers(1, len(np.unique(users[visited >= 0])) + 1))
        placed = areas_of_users(cells, visited, least, users)
        assert sorted(cell for group in placed.groups for cell in group) == list(range(cells.count))
        for group in placed.groups:
            crowd = len({user for user, cell in zip(users.tolist(), visited.tolist(), strict=True) if cell in group})
            assert crowd == 0 or crowd >= least, seed
        if least == 1:
            # Nobody is hidden among others: every cell with a user stands alone.
            assert all(len(group) == 1 for group in placed.groups if set(group) & set(visited.tolist()))
    assert areas_of_users(CITY, VISITED, 10).channel.outputs != CITY.labels
    with pytest.raises(OptionError, match=f"of at least 999 users cannot be made from {len(VISITED)}"):
        areas_of_users(CITY, VISITED, 999)


@pytest.mark.parametrize(("count", "zeros"), [(2, 0), (3, 0), (4, 0), (3, 2)])
def test_dummies_from_a_prior_are_drawn_one_after_another(count: int, zeros: int) -> None:
    shares = simulation(5).dirichlet(np.ones(6))
    shares[:zeros] = 0
    prior = Distribution("abcdef", shares / shares.sum())
    placed = dummies_from_prior(prior, count)
    at = {frozenset(group): output for output, group in enumerate(placed.groups)}
    expected = np.zeros(placed.channel.matrix.shape)
    for true in range(6):
        for order in permutations([one for one in range(6) if one != true], count - 1):
            chance, left = 1.0, 1 - prior.probabilities[true]
            for one in order:
                chance *= prior.probabilities[one] / left if prior.probabilities[one] else 0.0
                left -= prior.probabilities[one]
            if chance:
                expected[true, at[frozenset((true, *order))]] += chance
    np.testing.assert_allclose(placed.channel.matrix, expected, atol=1e-12)
    assert placed.contains(prior) == pytest.approx(1)


def test_dummies_from_the_prior_tell_no_more_than_uniform_ones_to_who_knows_it() -> None:
    draws = 0
    for seed in range(10):
        prior = random_prior(seed)
        told = [
            mutual_information(Scenario(prior, placed.channel))
            for placed in (dummies_from_prior(prior, 2), uniform_dummies(CITY, 2))
        ]
        draws += told[0] < told[1]
    assert draws == 10


def test_a_cascade_is_the_product_and_tells_no_more_than_its_parts() -> None:
    prior, noise, coarse = random_prior(6), planar(CITY, 1.0), blocks(CITY, 1)
    both = cascade(noise, coarse, METRES)
    np.testing.assert_allclose(both.channel.matrix, noise.channel.matrix @ coarse.channel.matrix, atol=1e-15)
    assert both.groups == coarse.groups
    told = [mutual_information(Scenario(prior, one.channel)) for one in (both, noise, coarse)]
    assert told[0] <= min(told[1:]) + 1e-9
    halves = Channel(coarse.channel.outputs, ["south", "north"], np.repeat(np.eye(2), 3, axis=0))
    after = cascade(coarse, on_areas(halves, members=((0, 1, 2), (3, 4, 5))))
    assert [sorted(group) for group in after.groups] == [list(range(10)), list(range(10, 20))]
    with pytest.raises(LabelError):
        cascade(coarse, noise)


def test_the_least_leaking_channel_keeps_its_distance_small_and_large_alike() -> None:
    prior = random_prior(7, zeros=3)
    dense = least_leaking(prior, METRES, 900.0)
    sparse = least_leaking_on_grid(prior, CITY, 900.0, gap=1e-5)
    assert dense.mean_distance(prior, METRES) == pytest.approx(900, rel=1e-6)
    told = mutual_information(Scenario(prior, dense.channel))
    assert sparse.claims[1].level == pytest.approx(told, abs=1e-4)
    drawn = sparse.law.draw(np.full(20_000, 9), Simulated(simulation_seed=1))
    row = np.exp(sparse.law.scores(np.array([9]), np.arange(20)))[0]
    assert p_value(np.bincount(drawn, minlength=20), row) >= FALSE_ALARM
    rows = np.array([sparse.law.solution.channel_row(cell).ravel() for cell in range(20)])
    seen = rows.any(axis=0)
    assert math.log(float((rows[:, seen].max(axis=0) / rows[:, seen].min(axis=0)).max())) <= sparse.claims[0].level


def by_brute_force(people: Codes, places: Codes, known: int) -> tuple[float, float, float]:
    """Every person, every choice of places: information, how often the likeliest is right, how often nobody else."""
    own = {one: sorted(set(places[people == one].tolist()) - {-1}) for one in set(people.tolist())}
    own = {one: held for one, held in own.items() if len(held) >= known}
    chances: Counter[tuple[tuple[int, ...], int]] = Counter()
    for one, held in own.items():
        for chosen in combinations(held, known):
            chances[chosen, one] += 1 / math.comb(len(held), known) / len(own)  # type: ignore[assignment]
    seen: Counter[tuple[int, ...]] = Counter()
    for (chosen, _), chance in chances.items():
        seen[chosen] += chance
    told = sum(chance * math.log2(chance / seen[chosen] * len(own)) for (chosen, _), chance in chances.items())
    right = sum(max(chance for (other, _), chance in chances.items() if other == chosen) for chosen in seen)
    alone = sum(seen[chosen] for chosen in seen if sum(set(chosen) <= set(held) for held in own.values()) == 1)
    return told, right, alone


@pytest.mark.parametrize("known", [1, 2, 3])
def test_what_places_tell_of_a_pseudonym_equals_a_brute_force_count(known: int) -> None:
    draw = simulation(known)
    for _ in range(10):
        people, places = draw.integers(0, 9, 80), draw.integers(-1, 12, 80)
        found = recognised_by_places(people, places, known)
        told, right, alone = by_brute_force(people, places, known)
        assert (found.information, found.recognised, found.alone) == pytest.approx((told, right, alone))
        assert found.information + found.remaining == pytest.approx(math.log2(found.people))
    with pytest.raises(OptionError, match="Nobody has 13"):
        recognised_by_places(people, places, 13)


def test_more_known_places_tell_more() -> None:
    draw = simulation(4)
    people = np.repeat(np.arange(40), 6)
    places = np.concatenate([draw.choice(30, 6, replace=False) for _ in range(40)])
    told = [recognised_by_places(people, places, known).information for known in (1, 2, 3, 4)]
    assert told == sorted(told) and told[-1] == pytest.approx(math.log2(40), abs=0.05)


def test_wrong_members_and_large_maps_are_refused() -> None:
    noise = planar(CITY, 1.0).mechanism
    with pytest.raises(LabelError, match="2 groups of areas for 20 outputs"):
        Placed(noise, ((0,), (1,)))
    with pytest.raises(LabelError, match="not areas"):
        Placed(blocks(CITY, 1).mechanism)
    with pytest.raises(OptionError, match="too many areas"):
        planar(MapCells(40.70, 40.82, -74.02, -73.92, rows=90, columns=90), 1.0, MapUnit.CELL)
    with pytest.raises(OptionError, match="to hide are missing"):
        hidden("abc", [3])
    with pytest.raises(OptionError, match="sets of 5 of the 40 areas"):
        dummies_from_prior(Distribution.uniform(range(40)), 5)
