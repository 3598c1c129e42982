"""Targets and bounds of any kind of number and any size."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, largest_output_entropy, solve
from leakgauge.distances import Hamming
from leakgauge.errors import OptionError
from leakgauge.probability import Distribution, Joint

SOURCE = Distribution("abc", [0.5, 0.3, 0.2])
JOINT = Joint("abc", "uv", [[0.3, 0.2], [0.1, 0.2], [0.05, 0.15]])


@pytest.mark.parametrize("number", [np.int64(0), np.float32(0.25), Fraction(1, 4), 0, 0.25])
def test_any_real_number_is_a_target(number: float) -> None:
    assert MaxDistortion(number).distortion == float(number) and type(MaxDistortion(number).distortion) is float
    assert MaxLeakage(number).bits == Slope(number).nats_per_unit == float(number)
    kept = RateDistortion(SOURCE, Hamming(), Slope(1.0), local_dp=number).local_dp
    assert kept == float(number) and type(kept) is float
    assert solve(RateDistortion(SOURCE, Hamming(), MaxDistortion(number))).distortion <= float(number)


@pytest.mark.parametrize(
    "number", [True, np.True_, "0.1", Decimal(1), None, 1j, -1, float("nan"), pytest.param(10**400, id="huge")]
)
def test_what_is_no_such_number_is_refused(number: float) -> None:
    for target in (MaxDistortion, MaxLeakage, Slope):
        with pytest.raises(OptionError, match="at least 0"):
            target(number)


@pytest.mark.parametrize("bound", [np.int64(2), Fraction(2)])
def test_any_real_number_bounds_an_entropy(bound: float) -> None:
    found = largest_output_entropy(SOURCE, Hamming(), 0.4, local_dp=bound)
    assert found.bits == largest_output_entropy(SOURCE, Hamming(), 0.4, local_dp=2.0).bits


def test_a_huge_bound_is_as_good_as_none() -> None:
    size = 1000.0
    target = MaxDistortion(1e-6)
    free = solve(RateDistortion(SOURCE, Hamming(), target), 1e-6)
    for name in ("local_dp", "identifiability"):
        bounds = {name: size}
        found = solve(RateDistortion(SOURCE, Hamming(), target, **bounds), 1e-6)  # type: ignore[arg-type]
        assert found.leakage == pytest.approx(free.leakage, abs=2e-6)
        assert found.distortion <= 1e-6 and found.epsilon <= 37
    weights = (1.0, 2.0, 3.0)
    free = solve(RateDistortion(SOURCE, Hamming(), target, weights=weights), 1e-6)
    found = solve(RateDistortion(SOURCE, Hamming(), target, weights=weights, local_dp=size), 1e-6)
    assert found.objective == pytest.approx(free.objective, abs=2e-6)
    free = solve(RateDistortion(JOINT, Hamming(), target, Knowledge.ATTACKER), 1e-6)
    found = solve(RateDistortion(JOINT, Hamming(), target, Knowledge.ATTACKER, local_dp=size), 1e-6)
    assert found.objective == pytest.approx(free.objective, abs=2e-6)


def test_a_huge_identifiability_lies_above_the_skew_of_any_prior() -> None:
    skewed = Distribution("ab", [1 - 1e-60, 1e-60])
    found = solve(RateDistortion(skewed, Hamming(), MaxDistortion(0.1), identifiability=1000.0), 1e-6)
    assert found.distortion <= 0.1 and found.leakage <= 2e-6


def test_inputs_that_never_occur_are_counted_not_named() -> None:
    rare = Distribution(["flu", "none", "kuru"], [0.5, 0.5, 0.0])
    with pytest.raises(OptionError, match="1 of the 3 inputs never occur") as refused:
        RateDistortion(rare, Hamming(), MaxDistortion(0.6), identifiability=1.0)
    assert "kuru" not in str(refused.value)
