"""Rounds of one secret: the next one adds least to what the others told, and what all tell is their sum."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leakgauge.design import (
    Keep,
    Knowledge,
    MaxDistortion,
    MaxLeakage,
    RateDistortion,
    Slope,
    sequence_leakage,
    solve,
)
from leakgauge.design.rounds import designing, leakage_by_round, next_round
from leakgauge.distances import Given, Hamming
from leakgauge.errors import LabelError, OptionError, RefusalError
from leakgauge.measures import background_floor, leakage_with_background, mutual_information
from leakgauge.notions.composition import compose_exactly
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.randomness import simulation
from tests.design.sources import conic_optimum

HEALTH = Distribution("abcd", [0.5, 0.3, 0.15, 0.05])


def _earlier(seed: int, count: int) -> list[Channel]:
    draw = simulation(seed)
    return [Channel("abcd", range(3), draw.dirichlet(np.ones(3), size=4)) for _ in range(count)]


@pytest.mark.parametrize("keep", [Keep.NOTHING, Keep.SHARES])
def test_all_rounds_tell_what_the_earlier_ones_told_and_what_the_next_adds(keep: Keep) -> None:
    problem = RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25), keep=keep)
    channels = _earlier(1, 2)
    for _ in range(2):
        found = next_round(problem, channels)
        channel = found.solution.channel
        assert found.exact and found.before.exact and found.solution.gap * math.log(2) <= 1e-9
        assert found.before.bits == pytest.approx(sequence_leakage(HEALTH, channels).bits, abs=1e-12)
        assert found.after == pytest.approx(found.before.bits + found.added, abs=1e-12)
        assert found.after == pytest.approx(sequence_leakage(HEALTH, [*channels, channel]).bits, abs=1e-10)
        assert found.solution.distortion <= 0.25
        if keep is Keep.SHARES:
            assert HEALTH.probabilities @ channel.matrix == pytest.approx(HEALTH.probabilities, abs=4 * 2.0**-53)
        # One that ignores the rounds before it is as useful, and adds more.
        alone = solve(problem).channel
        assert sequence_leakage(HEALTH, [*channels, alone]).bits >= found.after - 1e-9
        channels.append(channel)
    by_round = leakage_by_round(HEALTH, channels)
    assert [one.bits for one in by_round] == [sequence_leakage(HEALTH, channels[:at]).bits for at in range(1, 5)]


def test_after_identical_answers_the_next_round_prefers_what_was_told_already() -> None:
    source = Distribution.uniform("abc")
    first = solve(RateDistortion(source, Hamming(), MaxDistortion(0.3)))
    second = next_round(first.problem, [first.channel])
    anew = sequence_leakage(source, [first.channel] * 2).bits - first.leakage
    assert second.added <= anew + 1e-9
    told_all = Channel("abc", "abc", np.eye(3))
    assert next_round(first.problem, [told_all]).added == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("seed", [2, *(pytest.param(at, marks=pytest.mark.nightly) for at in range(3, 60))])
def test_what_a_round_adds_against_a_conic_solver(seed: int) -> None:
    draw = simulation(seed)
    distances, slope = draw.random((4, 4)), float(draw.uniform(0.5, 6))
    earlier = _earlier(seed, 2)
    found = next_round(RateDistortion(HEALTH, Given(distances), Slope(slope)), earlier)
    seen = HEALTH.probabilities[:, None] * compose_exactly(earlier).matrix
    cost = found.added * math.log(2) + slope * found.solution.distortion
    assert cost == pytest.approx(conic_optimum(seen, slope * distances), abs=2e-6)


def test_a_round_beside_a_background() -> None:
    draw = simulation(7)
    source = Joint("abcd", ["young", "old"], draw.dirichlet(np.ones(8)).reshape(4, 2))
    earlier = _earlier(8, 1)
    problem = RateDistortion(source, Hamming(), MaxDistortion(0.2), Knowledge.ATTACKER)
    found = next_round(problem, earlier)
    assert found.before.bits == pytest.approx(leakage_with_background(Scenario(source, earlier[0])), abs=1e-12)
    whole = sequence_leakage(source, [*earlier, found.solution.channel]).bits
    assert found.after == pytest.approx(whole, abs=1e-10)
    # Somebody who knows more gains no more of secrets that are told anyhow.
    assert found.after >= background_floor(Scenario(source))


def test_a_round_that_reads_what_was_seen_adds_no_more() -> None:
    problem = RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25))
    for count, keep in ((1, Keep.NOTHING), (2, Keep.SHARES)):
        earlier = _earlier(5, count)
        asked = RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25), keep=keep)
        plain, reading = next_round(asked, earlier), next_round(asked, earlier, reads_earlier=True)
        if keep is Keep.NOTHING:
            assert reading.added <= plain.added + 1e-9
        assert reading.solution.gap * math.log(2) <= 1e-9
        assert reading.solution.channel.inputs[0] == ("a", 0 if count == 1 else (0, 0))
        # By hand: the law of the secret, what was seen and what is released now.
        seen = (HEALTH.probabilities[:, None] * compose_exactly(earlier).matrix).ravel()
        cells = (seen[:, None] * reading.solution.channel.matrix).reshape(4, -1)
        together = Channel("abcd", range(cells.shape[1]), cells / HEALTH.probabilities[:, None])
        assert reading.after == pytest.approx(mutual_information(Scenario(HEALTH, together)), abs=1e-9)
    # The posterior is the prior of each value that was seen.
    first = _earlier(5, 1)[0]
    reading = next_round(problem, [first], reads_earlier=True)
    posterior = HEALTH.probabilities * first.matrix[:, 1]
    own = reading.solution.channel.matrix.reshape(4, 3, 4)[:, 1]
    apart = Scenario(Distribution("abcd", posterior / posterior.sum()), Channel("abcd", "abcd", own))
    slope = reading.solution.slope
    least = solve(RateDistortion(apart.source, Hamming(), Slope(slope)))
    assert mutual_information(apart) == pytest.approx(least.leakage, abs=1e-4)


def test_rounds_that_do_not_fit_are_left_out_and_nothing_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25))
    earlier = _earlier(9, 3)
    exact = next_round(problem, earlier)
    monkeypatch.setattr(designing, "ROUND_CELLS", 40)
    fewer = next_round(problem, earlier)
    assert exact.exact and not fewer.exact
    assert fewer.added >= exact.added - 1e-9
    assert fewer.after >= sequence_leakage(HEALTH, [*earlier, fewer.solution.channel]).bits - 1e-12
    with pytest.raises(OptionError, match="2 of the 3 earlier ones"):
        next_round(problem.with_target(MaxLeakage(1.5)), earlier)
    monkeypatch.setattr(designing, "ROUND_CELLS", 10)
    for reads in (False, True):
        with pytest.raises(OptionError, match="for which a round can be designed"):
            next_round(problem, earlier, reads_earlier=reads)


def test_many_rounds_through_one_channel_are_counted_by_their_letters() -> None:
    skewed = Channel("abcd", "abcd", 0.96 * np.eye(4) + 0.01)
    found = next_round(RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25)), [skewed] * 10)
    assert found.exact and found.before.bits > 1.6 and found.added < 1e-3


def test_a_largest_leakage_is_that_of_all_rounds() -> None:
    problem = RateDistortion(HEALTH, Hamming(), MaxLeakage(1.0))
    earlier = _earlier(11, 2)
    found = next_round(problem, earlier)
    assert sequence_leakage(HEALTH, [*earlier, found.solution.channel]).bits <= 1.0 + 1e-12
    with pytest.raises(RefusalError, match="reveals"):
        next_round(problem.with_target(MaxLeakage(found.before.bits - 0.01)), earlier)


def test_misuse_is_refused() -> None:
    problem = RateDistortion(HEALTH, Hamming(), MaxDistortion(0.25))
    with pytest.raises(OptionError, match="none is given"):
        next_round(problem, [])
    with pytest.raises(LabelError):
        next_round(problem, [Channel("ab", "ab", np.eye(2))])
    told = Joint("st", "abcd", np.full((2, 4), 1 / 8))
    through = RateDistortion(Distribution.uniform("abcd"), Hamming(), MaxDistortion(0.25), secret=told)
    with pytest.raises(OptionError, match="not for a column that reveals it"):
        next_round(through, _earlier(1, 1))
    source = Joint("abcd", "yz", np.full((4, 2), 1 / 8))
    both = RateDistortion(source, Hamming(), MaxDistortion(0.25), Knowledge.BOTH)
    with pytest.raises(OptionError, match="nobody or attacker"):
        next_round(both, _earlier(1, 1))
    attacker = RateDistortion(source, Hamming(), MaxDistortion(0.25), Knowledge.ATTACKER)
    with pytest.raises(OptionError, match="nobody or both"):
        next_round(attacker, _earlier(1, 1), reads_earlier=True)
    assert next_round(both, _earlier(1, 1), reads_earlier=True).exact
