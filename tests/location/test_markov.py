"""Filter and smoother equal a sum over every path; a tracker's own predictions hold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.location.areas import distances_apart
from leakgauge.location.tracking.evidence import Evidence
from leakgauge.location.tracking.guessing import Guesser
from leakgauge.location.tracking.markov import track
from leakgauge.location.tracking.messages import Logarithms, Probabilities, TooUnlikelyError
from leakgauge.location.tracking.movement import Movement, gravity, observed_moves, speed_limit
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Codes, DenseCells, Floats
from leakgauge.randomness.sources import simulation

AREAS, OUTPUTS = "abcd", "xyz"


def rows(count: int, width: int, seed: int) -> Floats:
    drawn = simulation(seed).gamma(0.5, size=(count, width))
    drawn[drawn < 0.1] = 0.0
    drawn[:, 0] += 0.01
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def world(seed: int) -> tuple[Movement, Channel]:
    start = Distribution(AREAS, rows(1, 4, seed)[0])
    return Movement(start, Channel(AREAS, AREAS, rows(4, 4, seed + 1))), Channel(AREAS, OUTPUTS, rows(4, 3, seed + 2))


def path_weights(
    movement: Movement, channel: Channel, reports: list[int], repeated: bool
) -> dict[tuple[int, ...], float]:
    """p(path, reports) of every path."""
    found = {}
    moves, law = movement.transitions.matrix, channel.matrix
    for path in itertools.product(range(4), repeat=len(reports)):
        weight = movement.start.probabilities[path[0]]
        for step, (x, y) in enumerate(zip(path, reports, strict=True)):
            weight *= moves[path[step - 1], x] if step else 1.0
            if step and repeated and x == path[step - 1]:
                weight *= float(y == reports[step - 1])
            else:
                weight *= law[x, y] if y >= 0 else 1.0
        found[path] = float(weight)
    return found


def possible(movement: Movement, channel: Channel, steps: int, seed: int, repeated: bool) -> list[int]:
    """Reports that the movement allows."""
    generator = simulation(seed)
    while True:
        reports: list[int] = generator.integers(0, 3, size=steps).tolist()
        if repeated:
            reports[2] = reports[1]
        elif seed % 2:
            reports[1] = -1
        if sum(path_weights(movement, channel, reports, repeated).values()) > 0:
            return reports


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_every_belief_equals_a_sum_over_all_paths(seed: int, repeated: bool) -> None:
    movement, channel = world(seed * 10)
    reports = possible(movement, channel, 5, seed, repeated)
    evidence = Evidence.of_codes(channel, np.array(reports), repeated=repeated)
    weights = path_weights(movement, channel, reports, repeated)
    total = sum(weights.values())
    smoothed = np.zeros((5, 4))
    filtered = np.zeros((5, 4))
    for path, weight in weights.items():
        smoothed[np.arange(5), path] += weight / total
    for step in range(5):
        for path, weight in path_weights(movement, channel, reports[: step + 1], repeated).items():
            filtered[step, path[-1]] += weight
    filtered /= filtered.sum(axis=1, keepdims=True)
    for messages in (Probabilities(movement, evidence), Logarithms(movement, evidence)):
        for hindsight, truth in ((False, filtered), (True, smoothed)):
            for step, belief in messages.beliefs(hindsight=hindsight):
                assert belief == pytest.approx(truth[step], abs=1e-12)
            assert messages.likelihood == pytest.approx(math.log(total), abs=1e-12)


def test_traces_too_unlikely_for_floats_are_followed_by_logarithms() -> None:
    """Each report is e^−800 as likely from where someone must be as from elsewhere."""
    tiny = 1e-200
    channel = Channel("ab", "xy", [[1.0, tiny], [tiny, 1.0]])
    movement = Movement(Distribution("ab", [1.0, 0.0]), Channel("ab", "ab", [[1 - 1e-5, 1e-5], [0.0, 1.0]]))
    evidence = Evidence.through_channel(channel, "yyxxyy")
    with pytest.raises(TooUnlikelyError):
        list(Probabilities(movement, evidence).beliefs(hindsight=True))
    found = dict(Logarithms(movement, evidence).beliefs(hindsight=True))
    guesses = track(movement, evidence, [[0, 0], [1, 0]], hindsight=True).guesses
    assert guesses.tolist() == [int(np.argmax(found[step])) for step in range(6)]
    # Two wrong reports on either path; going over later costs one step more, but has more ways to stay.
    logs = {}
    for moved in range(1, 7):
        wrong = sum((y == "x") == (step >= moved) for step, y in enumerate("yyxxyy"))
        logs[moved] = wrong * math.log(tiny) + (moved - 1) * math.log1p(-1e-5) + (math.log(1e-5) if moved < 6 else 0)
    weights = {moved: math.exp(log - max(logs.values())) for moved, log in logs.items()}
    for step in range(6):
        late = sum(weight for moved, weight in weights.items() if moved > step) / sum(weights.values())
        assert found[step][0] == pytest.approx(late, abs=1e-9)
    with pytest.raises(ModelError, match="No path of the movement leads to the report of step 1"):
        track(movement, Evidence.through_channel(Channel("ab", "xy", [[1, 0], [0, 1]]), "y"), [[0, 0], [1, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_guesses_are_the_best_of_all_areas(seed: int) -> None:
    generator = simulation(seed)
    points = generator.normal(size=(60, 2)) * [3, 1]
    belief = generator.gamma(0.2, size=60)
    belief /= belief.sum()
    far = np.hypot(*(points[:, None] - points).T)
    costs, guess = far @ belief, Guesser(points).guess(belief)
    assert costs[guess.area] == pytest.approx(costs.min(), rel=1e-12)
    assert guess.error == pytest.approx(float(far[guess.area] @ belief), rel=1e-12)
    # Too many rivals to try: tangent planes leave the same one.
    median = Guesser(points)
    start = int(np.argmax(belief))
    assert median._cut(median._held(belief), np.arange(60), start) == median.guess(belief).area


def grid(side: int) -> Floats:
    east, north = np.meshgrid(np.arange(side), np.arange(side))
    return np.stack([east.ravel(), north.ravel()], axis=-1).astype(np.float64)


def blurred(points: Floats, epsilon: float) -> Channel:
    weights = np.exp(-epsilon * np.hypot(*(points[:, None] - points).T))
    return Channel(range(len(points)), range(len(points)), weights / weights.sum(axis=1, keepdims=True))


def reported(channel: Channel, truth: Codes, seed: int) -> Codes:
    marks = simulation(seed).random(truth.shape)
    return np.asarray((np.cumsum(channel.matrix, axis=1)[truth] < marks[..., None]).sum(axis=-1))


def test_a_tracker_errs_as_it_predicts_and_less_the_more_it_uses() -> None:
    """On simulated traces the filter beats the single report, the smoother the filter; each errs as it says."""
    points = grid(6)
    limit = speed_limit(range(36), points, reach=1)
    ways = (limit.matrix > 0).sum(axis=1)
    # Where a speed limit leads to in the long run: the prior of every step.
    stationary = Distribution(range(36), ways / ways.sum())
    movement = Movement(stationary, limit)
    assert movement.marginals(9)[-1] == pytest.approx(stationary.probabilities)
    channel = blurred(points, 0.8)
    truth = movement.simulate(80, 15, simulation_seed=1)
    seen = reported(channel, truth, 2)
    missed: dict[str, list[float]] = {"one": [], "filter": [], "smoother": []}
    predicted: dict[str, list[float]] = {"one": [], "filter": [], "smoother": []}
    for trace, reports in zip(truth, seen, strict=True):
        evidence = Evidence.of_codes(channel, reports)
        single = track(Movement.independent(stationary), evidence, points)
        missed["one"].append(float(distances_apart(points, single.guesses, trace).mean()))
        predicted["one"].append(float(single.errors.mean()))
        for name, hindsight in (("filter", False), ("smoother", True)):
            found = track(movement, evidence, points, hindsight=hindsight)
            missed[name].append(float(distances_apart(points, found.guesses, trace).mean()))
            predicted[name].append(float(found.errors.mean()))
    for name in missed:
        gap = np.array(missed[name]) - predicted[name]
        assert abs(gap.mean()) < 4 * gap.std() / math.sqrt(len(gap)), name
    assert np.mean(missed["one"]) > np.mean(missed["filter"]) > np.mean(missed["smoother"])
    assert np.mean(predicted["one"]) > np.mean(predicted["filter"]) > np.mean(predicted["smoother"])


def test_someone_who_rests_is_found_by_averaging() -> None:
    points = grid(4)
    movement, channel = Movement.resting(Distribution.uniform(range(16))), blurred(points, 0.5)
    reports = reported(channel, np.full(400, 6), 3)
    found = track(movement, Evidence.of_codes(channel, reports), points)
    assert found.guesses[-1] == 6
    assert found.errors[0] > 1 > 0.05 > found.errors[-1]
    assert found.entropies[-1] < 0.1
    # A report that is repeated tells no more than one.
    once = Evidence.of_codes(channel, np.full(400, reports[0]), repeated=True)
    again = track(movement, once, points)
    assert again.errors == pytest.approx(np.full(400, found.errors[0]), abs=1e-12)


def test_parts_of_traces_are_those_of_a_whole() -> None:
    movement, channel = world(30)
    whole = Evidence.of_codes(channel, np.array([0, 1, -1, 0, 0]))
    part = Evidence.of_codes(channel, np.array([1, -1, 0]))
    points = grid(2)
    assert track(movement, whole.part(1, 4), points).errors.tolist() == track(movement, part, points).errors.tolist()


def test_a_speed_limit_reaches_whole_cells() -> None:
    law = speed_limit(range(9), grid(3) * 0.1, reach=0.1)
    assert law.matrix[4].round(3).tolist() == [0.0, 0.2, 0.0, 0.2, 0.2, 0.2, 0.0, 0.2, 0.0]
    large = speed_limit(range(1600), grid(40), reach=2)
    assert not isinstance(large.cells, DenseCells)
    assert len(large.cells.nonzero()[0]) < 13 * 1600


def test_gravity_pulls_to_what_is_near_and_heavy() -> None:
    law = gravity("abc", [[0, 0], [1, 0], [2, 0]], [1, 2, 0], reach=1, scale=1)
    assert law.matrix[0].round(4).tolist() == [round(1 / (1 + 2 / math.e), 4), round(2 / (2 + math.e), 4), 0.0]
    assert gravity("ab", [[0, 0], [5, 0]], [0, 1], reach=1, scale=1).matrix.tolist() == [[1, 0], [0, 1]]


def test_observed_moves_are_mixed_with_a_model() -> None:
    base = Channel("ab", "ab", [[0.5, 0.5], [0.5, 0.5]])
    law = observed_moves([0, 0, 1, -1, 1, 0, 1], base, smoothing=2, traces=[1, 1, 1, 1, 1, 2, 2])
    assert law.matrix == pytest.approx(np.array([[2 / 5, 3 / 5], [0.5, 0.5]]))


def test_what_does_not_fit_a_trace_is_refused() -> None:
    channel = Channel.identity("ab")
    with pytest.raises(LabelError):
        Evidence.through_channel(channel, "abz")
    with pytest.raises(OptionError, match="no steps"):
        Evidence.through_channel(channel, "")
    with pytest.raises(OptionError, match="1 of 2 steps have no report"):
        Evidence.through_channel(channel, ["a", ...], repeated=True)
    with pytest.raises(OptionError, match="not a length"):
        speed_limit("ab", [[0, 0], [1, 0]], reach=math.nan)
    with pytest.raises(ModelError, match="3 centres for 2 areas"):
        track(
            Movement.resting(Distribution.uniform("ab")),
            Evidence.through_channel(channel, "a"),
            [[0, 0], [1, 0], [2, 0]],
        )
