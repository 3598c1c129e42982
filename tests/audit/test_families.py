"""Published mechanisms: what is broken is found, and at least as much is shown as by the logistic attack."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.audit import lower_bound
from leakgauge.randomness import simulation
from tests.audit.families import FALSE, Family, families, family
from tests.audit.logistic_attack import logistic_level
from tests.grids import nightly

BROKEN = [one.name for one in families(1.0) if one.broken]
QUICK = ("ReportNoisyMax4", "SVT5", "SVT6")
HARD = ("SVT34Parallel",)
"""At a claim of 0.2 a million outputs do not prove reliably what two sparse vectors side by side leak."""
RUNS = 10


def shown(one: Family, samples: int, seed: int) -> float:
    found = lower_bound(one.sampler(seed), one.claim, one.pairs, samples=samples, batched=True, stop_early=False)
    return found.at_least


@pytest.mark.parametrize("name", [name if name in QUICK else nightly(name) for name in BROKEN])
def test_what_is_broken_is_found(name: str) -> None:
    one = family(name, 1.0)
    samples = 20_000 if name in QUICK else 400_000
    found = lower_bound(one.sampler(1), one.claim, one.pairs, samples=samples, batched=True)
    assert found.violated
    assert found.at_least <= one.level


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "epsilon"),
    [
        *((one.name, 0.1) for one in families(0.1) if one.broken and one.name not in HARD),
        *((one.name, 1.0) for one in families(1.0) if one.broken),
    ],
)
def test_what_is_broken_is_found_with_a_million_outputs(name: str, epsilon: float) -> None:
    one = family(name, epsilon)
    levels = [shown(one, 1_000_000, seed) for seed in range(RUNS)]
    assert np.median(levels) > one.epsilon, np.quantile(levels, [0.25, 0.5, 0.75])


@pytest.mark.nightly
@pytest.mark.parametrize("name", [one.name for one in families()])
def test_no_less_is_shown_than_by_the_logistic_attack(name: str) -> None:
    one = family(name)
    ours = [shown(one, 200_000, seed) for seed in range(RUNS)]
    theirs = [logistic_level(one, 200_000, seed) for seed in range(RUNS)]
    assert np.median(ours) >= 0.95 * np.median(theirs), (np.quantile(ours, [0.25, 0.75]), np.median(theirs))


def test_what_the_sum_of_noisy_steps_tells_is_learnt_from_their_differences() -> None:
    """The steps of prefix sums are independent; in the sums themselves each is hidden by all before it."""
    one = family("PrefixSum")
    found = lower_bound(one.sampler(2), one.claim, one.pairs[-3:], samples=60_000, batched=True, stop_early=False)
    assert "score" in str(found.event)
    assert found.at_least > 1.2 * logistic_level(one, 60_000, 2)


def test_a_number_that_stands_for_none_is_told_from_numbers() -> None:
    """Whether there is an answer, and how large it is, go together: neither tells anything alone."""
    draw = simulation(3)

    def run(value: float, count: int) -> object:
        sign = draw.integers(0, 2, count)
        number = (2 * (sign ^ int(value)) - 1) * np.ceil(draw.exponential(50.0, count))
        return np.column_stack([np.where(sign, number, FALSE), np.where(sign, FALSE, number)])

    found = lower_bound(run, family("SVT3").claim, [(0.0, 1.0)], samples=20_000, batched=True, stop_early=False)
    assert found.at_least > 5


def test_what_is_shown_of_a_learnt_score_is_the_same_for_the_same_simulation() -> None:
    one = family("PrefixSum")
    assert shown(one, 8_000, 5) == shown(one, 8_000, 5)
