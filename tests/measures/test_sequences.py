"""What several releases tell together: against the explicit joint channel, and as laws."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from leakgauge import randomness
from leakgauge.errors import LabelError, OptionError
from leakgauge.measures import (
    background_floor,
    entropy,
    leakage_with_background,
    mutual_information,
    sequences,
    vulnerability,
)
from leakgauge.measures.sequences import sequence_leakage
from leakgauge.notions.composition import compose_exactly
from leakgauge.probability import Channel, Distribution, Joint, Scenario, Seen


def random_channel(draw: np.random.Generator, inputs: int, outputs: int) -> Channel:
    matrix = draw.dirichlet(np.full(outputs, 0.4), size=inputs)
    matrix[draw.random(matrix.shape) < 0.1] = 0
    matrix[:, 0] += 1e-3
    return Channel(range(inputs), range(outputs), matrix / matrix.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("backgrounds", [0, 3])
def test_it_is_what_the_joint_channel_tells(backgrounds: int) -> None:
    draw = randomness.simulation(41)
    for _ in range(30):
        inputs = int(draw.integers(2, 6))
        joint = Joint(range(inputs), range(3), draw.dirichlet(np.ones(3 * inputs)).reshape(inputs, 3))
        source = joint if backgrounds else joint.row_marginal()
        kinds = [random_channel(draw, inputs, int(draw.integers(1, 5))) for _ in range(3)]
        channels = [kinds[at] for at in draw.integers(0, 3, size=int(draw.integers(1, 6)))]
        found = sequence_leakage(source, channels)
        measure = leakage_with_background if backgrounds else mutual_information
        assert found.exact and found.jointly == len(channels)
        together = Scenario(source, compose_exactly(channels))
        assert found.bits == pytest.approx(measure(together), abs=1e-12)
        seen = Seen.BOTH if backgrounds else Seen.RELEASE
        assert found.success == pytest.approx(vulnerability.posterior(together, seen=seen), abs=1e-12)


def test_more_releases_tell_more_but_never_more_than_there_is() -> None:
    draw = randomness.simulation(42)
    joint = Joint(range(5), range(2), draw.dirichlet(np.ones(10)).reshape(5, 2))
    for source in (joint, joint.row_marginal()):
        channels = [random_channel(draw, 5, outputs) for outputs in (4, 5, 2)] * 20
        floor = background_floor(Scenario(joint)) if source is joint else 0.0
        whole = entropy(joint.row_marginal())
        alone = [sequence_leakage(source, [one]).bits - floor for one in channels]
        told = [sequence_leakage(source, channels[:count]) for count in range(1, 61, 6)]
        bits = [one.bits for one in told]
        assert all(after >= before - 1e-12 for before, after in itertools.pairwise(bits))
        for one, count in zip(told, range(1, 61, 6), strict=True):
            assert one.bits <= min(whole, floor + sum(alone[:count])) + 1e-12
        assert told[0].exact and not told[-1].exact and told[-1].jointly < 60
        guessed = [one.success for one in told]
        assert all(after >= before - 1e-12 for before, after in itertools.pairwise(guessed))
        assert guessed[-1] <= 1


def test_the_best_guess_is_bounded_where_releases_are_too_many_to_count(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = randomness.simulation(44)
    source = Distribution(range(4), draw.dirichlet(np.ones(4)))
    channels = [random_channel(draw, 4, 3) for _ in range(4)]
    exact = sequence_leakage(source, channels)
    monkeypatch.setattr(sequences, "JOINT_CELLS", 40)
    bound = sequence_leakage(source, channels)
    assert exact.exact and not bound.exact
    assert exact.bits <= bound.bits and exact.success <= bound.success <= 1


def test_repeats_of_one_channel_stay_exact() -> None:
    draw = randomness.simulation(43)
    channel, source = random_channel(draw, 5, 5), Distribution.uniform(range(5))
    ten = sequence_leakage(source, [channel] * 10)
    assert ten.exact and ten.jointly == 10
    # By hand for two letters: the number of heads is all that counts.
    coin = Channel("ab", "ht", [[0.75, 0.25], [0.25, 0.75]])
    heads = np.array([[np.prod(range(11 - k, 11)) / np.prod(range(1, k + 1)) for k in range(11)]])
    laws = heads * np.array([[p**k * (1 - p) ** (10 - k) for k in range(11)] for p in (0.75, 0.25)])
    by_hand = mutual_information(Scenario(Distribution.uniform("ab"), Channel("ab", range(11), laws)))
    assert sequence_leakage(Distribution.uniform("ab"), [coin] * 10).bits == pytest.approx(by_hand, abs=1e-12)


def test_beyond_the_limit_a_bound_is_given_that_is_above_the_truth() -> None:
    draw = randomness.simulation(44)
    coins = [Channel("ab", "ht", [[0.5 + tilt, 0.5 - tilt], [0.5, 0.5]]) for tilt in 0.05 + 0.05 * draw.random(21)]
    source = Distribution("ab", [0.3, 0.7])
    found = sequence_leakage(source, coins)
    assert not found.exact and found.jointly == 19, "two rows of 2^19 cases are the most"
    laws = [functools.reduce(np.kron, [coin.matrix[row] for coin in coins]) for row in (0, 1)]
    joint = source.probabilities[:, None] * np.array(laws)
    truth = (joint * np.log2(joint / joint.sum(axis=0) / source.probabilities[:, None])).sum()
    assert truth <= found.bits <= truth * 1.1
    assert sequence_leakage(source, coins[:19]).exact
    large = random_channel(draw, 1100, 1000)
    assert sequence_leakage(Distribution.uniform(range(1100)), [large]).exact, "a single release is always counted"


def test_misuse_is_refused() -> None:
    with pytest.raises(OptionError, match="no channels"):
        sequence_leakage(Distribution.uniform("ab"), [])
    with pytest.raises(LabelError):
        sequence_leakage(Distribution.uniform("ab"), [Channel("ac", "ac", np.eye(2))])
