"""Few outputs, little time, large claims, many pairs: an audit goes on with what it has, and says what it found."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest

from leakgauge.artefacts import Sentence
from leakgauge.audit import assert_satisfies, lower_bound
from leakgauge.audit.betting import Bets
from leakgauge.audit.events import Event
from leakgauge.audit.levels import held_to
from leakgauge.audit.partitions import letters
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.errors import EngineError, OptionError
from leakgauge.mechanisms import exponential, laplace
from leakgauge.probability import Channel
from leakgauge.randomness import Simulated, simulation
from tests.audit import broken

CLAIM, PAIR = CentralDP(1.0), [(0.0, 1.0)]


@pytest.mark.parametrize("samples", [4, 5, 7, 8, 12, 16, 31])
def test_few_outputs_show_nothing_and_break_nothing(samples: int) -> None:
    draw = simulation(1)
    assert lower_bound(laplace(1.0, sensitivity=1), samples=samples, randomness=Simulated(1)).at_least <= 1.0
    rows = lower_bound(lambda v, n: v + draw.laplace(0, 1, (n, 3)), CLAIM, PAIR, samples=samples, batched=True)
    assert rows.samples == samples
    assert not rows.violated


def test_a_scale_two_times_too_small_is_caught_with_five_hundred_outputs() -> None:
    found = [lower_bound(broken.laplace(seed, 0.5), CLAIM, PAIR, samples=500, batched=True) for seed in range(20)]
    assert sum(one.violated for one in found) >= 17


@pytest.mark.parametrize(
    "claim",
    [
        *(LocalDP(level) for level in (360.0, 400.0, 800.0, math.inf)),
        ApproximateDP(900.0, 0.1),
        GaussianDP(400.0),
        RenyiDP(4000.0, 20.0),
        ZeroConcentratedDP(1e4),
    ],
    ids=str,
)
def test_large_claims_stand(claim: Statement) -> None:
    shown = lower_bound(lambda value: value, claim, PAIR, samples=1_000)
    assert not shown.violated
    assert 3 < shown.at_least < math.inf


def test_a_large_level_of_the_catalogue_is_audited() -> None:
    assert not lower_bound(laplace(400.0, sensitivity=1), samples=1_000, randomness=Simulated(1)).violated


def test_what_was_drawn_in_time_is_used() -> None:
    draw = simulation(2)

    def slow(value: float) -> float:
        time.sleep(0.002)
        return float(value + draw.laplace(0, 0.05))

    shown = lower_bound(slow, CLAIM, PAIR, seconds=1.3)
    assert shown.violated
    assert shown.samples >= 100


def test_labels_and_then_a_hang_give_no_output_in_time() -> None:
    def run(value: float) -> str:
        if value:
            time.sleep(30)
        return "a"

    with pytest.raises(EngineError, match="no output in time"):
        lower_bound(run, CLAIM, PAIR, seconds=0.5)


def test_the_clock_stops_a_mechanism_of_the_catalogue() -> None:
    start = time.process_time()
    shown = lower_bound(laplace(1.0, sensitivity=1), samples=10**9, seconds=0.5, randomness=Simulated(1))
    assert 1_000 < shown.samples < 10**9
    assert time.process_time() - start < 20


def test_of_two_pairs_nearly_alike_the_better_one_is_audited() -> None:
    draw = simulation(3)
    centres = {0: 0.0, 1: 0.9, 2: 0.0, 3: 1.06}
    shown = lower_bound(
        lambda v, n: broken.on_grid(centres[v] + draw.laplace(0, 1, n)),
        CLAIM,
        [(0, 1), (2, 3)],
        samples=200_000,
        batched=True,
        stop_early=False,
    )
    assert set(shown.inputs) == {"2", "3"}
    assert shown.violated


def test_the_sixtieth_pair_is_tried_too() -> None:
    draw = simulation(4)
    shown = lower_bound(
        lambda v, n: broken.on_grid((3.0 if v == 60 else 0.0) + draw.laplace(0, 1, n)),
        CLAIM,
        [(place, place + 1) for place in range(60)],
        samples=20_000,
        batched=True,
    )
    assert shown.violated
    assert "60" in shown.inputs


def test_pairs_without_end_are_refused() -> None:
    with pytest.raises(OptionError, match="More than 1024 pairs"):
        lower_bound(lambda value: value, CLAIM, ((at, at + 1) for at in itertools.count()))


def test_inputs_of_different_lengths_are_no_neighbours() -> None:
    with pytest.raises(OptionError, match="same shape"):
        lower_bound(exponential(1.0, sensitivity=1.0), pairs=[([0, 0], [1])])


def test_a_channel_takes_no_pairs() -> None:
    with pytest.raises(OptionError, match="leave the pairs out"):
        lower_bound(Channel([0, 1], [0, 1], [[0.5, 0.5], [0.5, 0.5]]), LocalDP(1.0), [(0, 1)])


def test_wide_rows_are_told_apart_in_little_time() -> None:
    draw = simulation(5)
    start = time.process_time()
    shown = lower_bound(lambda v, n: v + draw.normal(0, 1, (n, 1000)), CLAIM, PAIR, samples=2_000, batched=True)
    assert shown.violated
    assert time.process_time() - start < 5


def test_a_claim_that_is_just_disproved_is_said_to_be_exceeded() -> None:
    just = held_to(ZeroConcentratedDP(0.0), True, 0.0, (0, 1), Sentence("output"), samples=500, stopped_early=True)
    assert just.violated and str(just.said).startswith("more than 0 ")
    far = held_to(LocalDP(1.0), True, 1.5, (0, 1), Sentence("output"), samples=500, stopped_early=True)
    assert str(far.said) == "at least 1.5 nats"


def test_large_inputs_are_not_told_in_full() -> None:
    with pytest.raises(AssertionError) as found:
        assert_satisfies(sum, CLAIM, [([1] * 20_000, [1] * 19_999)], samples=1_000)
    assert len(str(found.value)) < 600


def test_the_text_of_a_failure_is_nowhere_in_the_chain() -> None:
    def fails(value: float) -> float:
        raise RuntimeError(f"secret {value}")

    with pytest.raises(EngineError) as found:
        lower_bound(fails, CLAIM, PAIR)
    assert found.value.__cause__ is None
    assert found.value.__suppress_context__ or found.value.__context__ is None


def test_a_purse_that_is_opened_late_brings_no_money() -> None:
    bets = Bets(CLAIM, miss=0.5)
    members = np.array([True, False, False])
    losing, other = (
        Event(letters(np.array(["a", "b"]), name), members, False, 0.9, 0.1, 1.0) for name in ("one", "two")
    )
    bets.play([losing], np.full(200, "b"), np.full(200, "a"))
    before = bets.log_wealth
    assert before[0] < 0
    bets.play([other], np.full(0, "a"), np.full(0, "a"))
    assert bets.log_wealth == pytest.approx(before)
    bets.play([other], np.full(200, "a"), np.full(200, "b"))
    assert bets.log_wealth[0] > 3
    assert bets.disproved is not None
