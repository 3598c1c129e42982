"""Composition where δ is just the chance that something is told for sure: 1 − Π(1 − δᵢ)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from leakgauge.claims import ApproximateDP
from leakgauge.mechanisms.steps import Claimed, KnownChannel, LaplaceNoise
from leakgauge.notions.composition import Method, compose
from leakgauge.probability import Channel
from leakgauge.randomness import simulation

Law = list[Fraction]


def law(draw: np.random.Generator, certain: int) -> list[int]:
    """Hundredths of a law on four outputs, of which the first happens so often."""
    rest = draw.multinomial(100 - certain - 3, [1 / 3] * 3) + 1
    return [certain, *rest.tolist()]


def pair(draw: np.random.Generator) -> tuple[Law, Law]:
    """Two laws, each with an output of its own."""
    first, second = law(draw, int(draw.integers(1, 20))), law(draw, int(draw.integers(1, 20)))
    rows = [*first, 0], [0, *second[1:], second[0]]
    return [Fraction(one, 100) for one in rows[0]], [Fraction(one, 100) for one in rows[1]]


def channel(laws: tuple[Law, Law]) -> KnownChannel:
    return KnownChannel(Channel("ab", range(5), [[float(one) for one in row] for row in laws]))


def together(laws: list[tuple[Law, Law]]) -> tuple[Law, Law]:
    first, second = (
        [math.prod(parts, start=Fraction(1)) for parts in product(*rows)] for rows in zip(*laws, strict=True)
    )
    return first, second


def infinite(laws: tuple[Law, Law]) -> Fraction:
    return sum((p for p, q in zip(*laws, strict=True) if q == 0), Fraction(0))


def epsilon(laws: tuple[Law, Law], delta: Fraction) -> float:
    """The least ε with Σ max(p − e^ε q, 0) ≤ δ, by rational arithmetic until the logarithm."""
    left = delta - infinite(laws)
    if left < 0:
        return math.inf
    ratios = sorted(((p / q, p, q) for p, q in zip(*laws, strict=True) if q > 0), reverse=True)
    least, above, below = Fraction(1), -left, Fraction(0)
    for _, p, q in ratios:
        above, below = above + p, below + q
        least = max(least, above / below)
    return math.log(least)


def in_every_order(laws: list[tuple[Law, Law]]) -> list[tuple[Law, Law]]:
    return [together(list(choice)) for choice in product(*([one, (one[1], one[0])] for one in laws))]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_delta_is_found_exactly(seed: int) -> None:
    draw = simulation(seed)
    laws = [pair(draw) for _ in range(2 + seed % 2)]
    truths = in_every_order(laws)
    worst = max(map(infinite, truths))
    steps = [channel(one) for one in laws]
    for delta in (worst, worst + Fraction(1, 10**9), worst + Fraction(1, 100), Fraction(4, 5)):
        truth = max(epsilon(one, delta) for one in truths)
        found = compose(steps, float(delta)).bounds[Method.EXACT]
        assert truth * (1 - 1e-14) <= found <= truth * (1 + 1e-7)
    assert compose(steps, math.nextafter(float(worst), 0)).epsilon == math.inf


CLAIMS = [
    Claimed(ApproximateDP(1.0, 0.1)),
    Claimed(ApproximateDP(0.5, 0.05)),
    Claimed(ApproximateDP(0.25, 1e-6), count=3),
]
CHANCE = 1 - (1 - Fraction(1, 10)) * (1 - Fraction(1, 20)) * (1 - Fraction(1, 10**6)) ** 3


@pytest.mark.parametrize("noise", [[], [LaplaceNoise(2.0)]], ids=["claims", "claims and noise"])
def test_claims_add_up_at_the_chance_that_one_of_them_fails(noise: list[LaplaceNoise]) -> None:
    delta = float(CHANCE)
    total = 2.25 + sum(one.pure_epsilon() for one in noise)
    found = compose([*CLAIMS, *noise], delta)
    assert found.epsilon == pytest.approx(total, rel=1e-12)
    assert found.bounds[Method.BASIC] == pytest.approx(total, rel=1e-15)
    assert compose([*CLAIMS, *noise], math.nextafter(delta, 0)).epsilon == math.inf


def test_chances_too_small_to_be_seen_beside_1_are_counted() -> None:
    claims = [Claimed(ApproximateDP(1.0, 1e-300), count=2)]
    assert compose(claims, 2e-300).epsilon == pytest.approx(2.0)
    assert compose(claims, 1.9e-300).epsilon == math.inf
