"""Mechanisms on the cells of a map: exact probabilities, claims cell by cell, draws, and what is refused."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from leakgauge.claims import LocalDP, MaximalLeakage, MetricPrivacy
from leakgauge.distances import MapCells
from leakgauge.errors import LabelError, OptionError
from leakgauge.mechanisms import coarser_cells, dummies, parse_mechanism, planar_laplace
from leakgauge.mechanisms.planar_laplace import MapUnit, PlanarLaplace
from leakgauge.notions.ratios import local_dp, metric_privacy
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Simulated
from tests.randomness.goodness import FALSE_ALARM, p_value

BOX = {"south": 40.70, "north": 40.82, "west": -74.02, "east": -73.92}


def on_a_map(epsilon: float, rows: int, columns: int, unit: MapUnit = MapUnit.CELL) -> PlanarLaplace:
    return planar_laplace(epsilon, **BOX, rows=rows, columns=columns, unit=unit)


def written(mechanism: PlanarLaplace) -> Channel:
    channel = mechanism.channel()
    assert channel is not None
    return channel


def distances(mechanism: PlanarLaplace) -> Floats:
    return np.array([mechanism.distances.distances_from(cell).ravel() for cell in range(mechanism.cells.count)])


def by_brute_force(mechanism: PlanarLaplace) -> Floats:
    """Noise on a lattice so large that what is left out is below 1e-17, clipped cell by cell."""
    (height, width), cells = mechanism.distances.spacings, mechanism.cells
    epsilon = mechanism.claims[1].level
    up, along = (
        np.arange(-math.ceil(50 / epsilon / side) - 9, math.ceil(50 / epsilon / side) + 10) for side in (height, width)
    )
    noise = np.exp(-epsilon * np.hypot(height * up[:, None], width * along[None, :]))
    noise /= noise.sum()
    found = np.zeros((cells.count, cells.count))
    for cell in range(cells.count):
        row, column = divmod(cell, cells.columns)
        rows, columns = np.clip(row + up, 0, cells.rows - 1), np.clip(column + along, 0, cells.columns - 1)
        np.add.at(found[cell], (rows[:, None] * cells.columns + columns[None, :]), noise)
    return found


@pytest.mark.parametrize("shape", [(1, 2), (1, 7), (4, 1), (2, 2), (3, 5), (6, 6)])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_probabilities_are_those_of_clipped_noise(shape: tuple[int, int], epsilon: float) -> None:
    for unit in MapUnit:
        mechanism = on_a_map(epsilon, *shape, unit)
        np.testing.assert_allclose(written(mechanism).matrix, by_brute_force(mechanism), rtol=1e-11)
        assert mechanism.law.relative_error < 1e-11


@pytest.mark.parametrize("shape", [(1, 9), (2, 2), (2, 6), (3, 3), (5, 4), (9, 9)])
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 3.0])
def test_claims_hold_between_any_two_cells_and_metric_privacy_is_reached(
    shape: tuple[int, int], epsilon: float
) -> None:
    for unit in MapUnit:
        mechanism = on_a_map(epsilon, *shape, unit)
        channel, apart = written(mechanism), distances(mechanism)
        local, metric = mechanism.claims
        assert isinstance(local, LocalDP) and metric == MetricPrivacy(epsilon)
        near = 2 * mechanism.law.relative_error / apart[apart > 0].min()
        logs = np.log(channel.matrix)
        for cell in range(mechanism.cells.count):
            assert (np.abs(logs - logs[cell]).max(axis=1) <= epsilon * apart[cell] + near).all()
        assert local_dp(channel).value <= local.epsilon
        assert local.epsilon == pytest.approx(epsilon * apart.max(), rel=1e-15)
        found = metric_privacy(channel, apart).value
        assert found <= epsilon + near
        if min(shape) >= 3:
            assert found == pytest.approx(epsilon, rel=1e-9)


def test_rows_normalised_one_by_one_or_rounded_as_a_whole_would_break_the_claim() -> None:
    mechanism = on_a_map(1.0, 12, 12)
    apart = distances(mechanism)
    rows = np.exp(-apart)
    alone = Channel(mechanism.letters, mechanism.letters, rows / rows.sum(axis=1, keepdims=True))
    assert metric_privacy(alone, apart).value == pytest.approx(1.338, abs=5e-4)
    rounded = written(on_a_map(3.0, 12, 12)).dyadic()
    assert metric_privacy(rounded, apart).value == pytest.approx(3.256, abs=5e-4)


def test_draws_follow_the_channel() -> None:
    mechanism = on_a_map(0.7, 5, 6, MapUnit.KM)
    for cell in (0, 8, 17, 29):
        drawn = mechanism.law.draw(np.full(60_000, cell), Simulated(simulation_seed=cell))
        assert p_value(np.bincount(drawn, minlength=30), written(mechanism).matrix[cell]) >= FALSE_ALARM


def test_a_map_too_large_for_a_channel_has_a_law_all_the_same() -> None:
    mechanism = on_a_map(2.0, 70, 90)
    assert mechanism.channel() is None and not mechanism.capabilities.finite
    inside, corner = 35 * 90 + 45, 0
    scores = mechanism.law.scores(np.array([inside]), np.arange(mechanism.cells.count))
    assert np.exp(scores).sum() == pytest.approx(1.0, abs=1e-12)
    # From the opposite corner it is too unlikely for floats, but not ruled out.
    far = on_a_map(30.0, 70, 90).law.scores(np.array([69 * 90 + 89]), np.array([corner]))
    assert -30 * math.hypot(69, 89) - 5 < far[0, 0] < -30 * math.hypot(69, 89) + 5
    ratio = mechanism.log_ratio(*mechanism.neighbours()[0])
    assert ratio is not None and abs(ratio(np.array([0]))[0]) <= mechanism.claims[0].level


def test_it_is_spelled_with_its_map() -> None:
    text = "planar-laplace:epsilon=0.5,south=40.7,north=40.82,west=-74.02,east=-73.92,rows=12,columns=12"
    mechanism = parse_mechanism(text)
    assert mechanism.parameters["unit"] == "km" and mechanism.claims[1] == MetricPrivacy(0.5)
    with pytest.raises(OptionError, match="km or cell"):
        parse_mechanism(f"{text},unit=miles")
    with pytest.raises(LabelError, match="centre of one of the 144 cells"):
        mechanism.run(["40.7 -74.0"], Simulated(simulation_seed=0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0.0}, "not a finite number above 0"),
        ({"epsilon": 1e-12}, "no noise at all or noise without end"),
        ({"epsilon": 1e9}, "no noise at all or noise without end"),
        ({"epsilon": 1e-4}, "spreads over"),
        ({"rows": 1, "columns": 1}, "one cell"),
        ({"unit": "miles"}, "neither km nor cell"),
        ({"north": 40.0}, "south before its north"),
    ],
)
def test_maps_and_budgets_that_cannot_be_used_are_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        planar_laplace(**{"epsilon": 1.0, **BOX, "rows": 12, "columns": 12, **changes})  # type: ignore[arg-type]


def test_blocks_hold_their_cells_at_the_edges_too() -> None:
    mechanism = coarser_cells(2, **BOX, rows=10, columns=7)
    channel = mechanism.channel()
    assert channel.matrix.shape == (70, 6) and len(set(mechanism.released)) == 6
    assert mechanism.claims == (LocalDP(math.inf), MaximalLeakage(math.log2(6)))
    assert math.log2(channel.matrix.max(axis=0).sum()) == pytest.approx(mechanism.claims[1].level)
    assert local_dp(channel).value == math.inf
    cells, blocks = mechanism.cells, np.argmax(channel.matrix, axis=1)
    for block, label in enumerate(mechanism.released):
        held = cells.places[blocks == block]
        middle = (held.min(axis=0) + held.max(axis=0)) / 2
        assert [float(part) for part in str(label).split()] == pytest.approx(middle.tolist(), abs=1e-5)
    row, column = np.divmod(np.arange(70), 7)
    together = (row[:, None] // 4 == row // 4) & (column[:, None] // 4 == column // 4)
    assert np.array_equal(together, blocks[:, None] == blocks)
    whole = coarser_cells(5, **BOX, rows=10, columns=7)
    assert whole.claims[0] == LocalDP(0.0) and len(whole.released) == 1
    over_the_date_line = coarser_cells(1, south=-18, north=-17, west=179, east=-179, rows=1, columns=2)
    assert over_the_date_line.released == ("-17.50000 -180.00000",)
    with pytest.raises(OptionError, match="level of 21"):
        coarser_cells(21, **BOX, rows=10, columns=7)


def test_dummies_are_every_set_that_holds_the_true_cell_alike() -> None:
    mechanism = dummies(3, **BOX, rows=2, columns=3)
    channel = mechanism.channel()
    assert channel is not None and len(channel.outputs) == math.comb(6, 3)
    for cell, label in enumerate(mechanism.letters):
        for output, chance in zip(channel.outputs, channel.matrix[cell].tolist(), strict=True):
            assert chance == pytest.approx(1 / math.comb(5, 2) if str(label) in str(output).split("|") else 0.0)
    assert mechanism.claims[0] == LocalDP(math.inf) and local_dp(channel).value == math.inf
    assert math.log2(channel.matrix.max(axis=0).sum()) == pytest.approx(mechanism.claims[1].level)
    drawn = mechanism.law.draw(np.full(20_000, 4), Simulated(simulation_seed=2))
    sets: dict[tuple[int, ...], int] = {members: at for at, members in enumerate(combinations(range(6), 3))}
    seen = np.bincount([sets[tuple(np.flatnonzero(row).tolist())] for row in drawn], minlength=20)
    held = np.array([4 in members for members in sets])
    assert not seen[~held].any() and p_value(seen[held], np.full(10, 0.1)) >= FALSE_ALARM
    for count, rows, words in ((1, 2, "hides nothing"), (6, 2, "hides nothing"), (3, 600, "too large for dummies")):
        with pytest.raises(OptionError, match=words):
            dummies(count, **BOX, rows=rows, columns=3)
    assert mechanism.cells == MapCells(**BOX, rows=2, columns=3)
