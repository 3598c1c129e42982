"""Audits: outputs and seconds of CPU to show 95% of ε beside a plain histogram auditor, and published mechanisms
beside the logistic attack of DP-Sniper."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.clock import timed
from leakgauge.artefacts import Shown
from leakgauge.audit import lower_bound
from leakgauge.audit.levels import least_level
from leakgauge.audit.subjects import subject_of
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, Statement
from leakgauge.measures.binomial import at_least, at_most
from leakgauge.mechanisms import exponential_channel, gaussian, laplace, randomized_response
from leakgauge.randomness import Simulated, simulation
from tests.audit.families import Family, families
from tests.audit.logistic_attack import logistic_level

SHARE, RUNS, MOST = 0.95, 3, 4_000_000
OUTPUTS, FAMILY_RUNS = 200_000, 10
SCORES = -np.abs(np.subtract.outer(np.arange(8), np.arange(8))).astype(float)


def vectorised(seed: int) -> Callable[[float, int], Any]:
    draw = simulation(seed)
    return lambda value, count: np.rint((value + draw.laplace(0, 1, count)) * 1024) / 1024


MILLION = 1_000_000
MILLIONS: dict[str, Callable[[], Shown]] = {
    "a vectorised function": lambda: lower_bound(
        vectorised(1), CentralDP(1.0), [(0.0, 1.0)], samples=MILLION, batched=True
    ),
    "the catalogue, simulated": lambda: lower_bound(
        laplace(1.0, sensitivity=1), samples=MILLION, randomness=Simulated(1)
    ),
    "the catalogue, drawn by the operating system": lambda: lower_bound(laplace(1.0, sensitivity=1), samples=MILLION),
}


def run() -> None:
    noise = gaussian(1.0, 1e-3, sensitivity=1)
    local = LocalDP(0.0)
    cases: list[tuple[str, Any, Statement, float]] = [
        ("Laplace, ε", laplace(1.0, sensitivity=1), local, 1.0),
        # Of the same noise ε at δ = 10^-3 needs events of that probability, μ does not.
        ("Gaussian (1, 10^-3), μ", noise, GaussianDP(0.0), math.sqrt(2 * noise.claims[1].level)),
        ("Gaussian (1, 10^-3), ε at that δ", noise, ApproximateDP(0.0, 1e-3), 1.0),
        ("randomized response of 8 letters, ε", randomized_response(1.0, letters=range(8)), local, 1.0),
    ]
    choice = exponential_channel(range(8), range(8), SCORES, 1.0)
    cases.insert(3, ("exponential mechanism of 8 letters, ε", choice, local, choice.claims[0].level))
    for name, mechanism, notion, level in cases:
        ours = fewest(lambda count, seed: shown(mechanism, notion, count, seed), level)  # noqa: B023
        plain = fewest(lambda count, seed: histogram(mechanism, notion, count, seed), level)  # noqa: B023
        print(f"{name}: {SHARE:.0%} of {level:.3g} shown with {said(ours)}; plain histogram {said(plain)}")
    for how, audit in MILLIONS.items():
        seconds, found = timed(audit)
        print(
            f"Laplace, 10^6 outputs a side, {how}: at least {found.at_least:.4f} in {seconds:.2f} s; target 0.98 in 2 s"
        )
    print("  peers' figures as recorded: 10^7 outputs and minutes for 0.99 of ε = 1")
    for family in families():
        beside_the_logistic_attack(family)


def beside_the_logistic_attack(family: Family) -> None:
    """Medians and quartiles of what is shown with as many outputs, after pilots of as many."""
    seconds, ours = timed(
        lambda: [
            lower_bound(
                family.sampler(seed), family.claim, family.pairs, samples=OUTPUTS, batched=True, stop_early=False
            ).at_least
            for seed in range(FAMILY_RUNS)
        ]
    )
    theirs_seconds, theirs = timed(lambda: [logistic_level(family, OUTPUTS, seed) for seed in range(FAMILY_RUNS)])
    print(
        f"{family.name}, claims {family.epsilon:.3g}, level {family.level:.3g}, {OUTPUTS:,} outputs a side: "
        f"{spread(ours)} in {seconds / FAMILY_RUNS:.1f} s; "
        f"logistic attack {spread(theirs)} in {theirs_seconds / FAMILY_RUNS:.1f} s"
    )


def spread(levels: list[float]) -> str:
    low, middle, high = np.quantile(levels, [0.25, 0.5, 0.75])
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def shown(mechanism: Any, notion: Statement, count: int, seed: int) -> float:
    pairs = mechanism.neighbours()[:1]
    return lower_bound(mechanism, notion, pairs, samples=count, stop_early=False, randomness=Simulated(seed)).at_least


def histogram(mechanism: Any, notion: Statement, count: int, seed: int, bins: int = 40) -> float:
    """Equal bins over what was seen, every bin tested in both directions, the miss shared out over all of them."""
    subject, pair = subject_of(mechanism, randomness=Simulated(seed)), mechanism.neighbours()[0]
    first, second = (subject.draw(value, count, np.inf).astype(float) for value in pair)
    ends = np.linspace(min(first.min(), second.min()), max(first.max(), second.max()) + 1e-9, bins + 1)
    hits = [np.histogram(one, ends)[0] for one in (first, second)]
    miss = 0.05 / (4 * bins)
    levels = [
        least_level(notion, at_least(a, count, miss), at_most(b, count, miss)).max() for a, b in (hits, hits[::-1])
    ]
    return float(max(levels))


def fewest(level: Callable[[int, int], float], reach: float) -> tuple[int, float] | None:
    """The fewest outputs, of powers of √2, that reach the share in most runs, and the seconds of one run."""
    count = 1_000.0
    while count <= MOST:
        seconds, found = timed(lambda: [level(int(count), seed) for seed in range(RUNS)])  # noqa: B023
        if np.median(found) >= SHARE * reach:
            return int(count), seconds / RUNS
        count *= 2**0.5
    return None


def said(found: tuple[int, float] | None) -> str:
    return f"more than {MOST:,} outputs a side" if found is None else f"{found[0]:,} a side in {found[1]:.2f} s"
