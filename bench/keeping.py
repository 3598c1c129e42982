"""Channels that keep the shares, and columns that tell on a secret: seconds of CPU beside their peers, in one run.

The peers of keeping the shares are Sinkhorn's algorithm, written here in numpy in the log domain, and that of POT; the
peer of inference is cvxpy with Clarabel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from bench.clock import timed
from leakgauge import randomness
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Slope, solve
from leakgauge.design.transport import cost_of, rounded_to_shares
from leakgauge.distances import Absolute, Distortion, Hamming, Squared
from leakgauge.probability import Distribution, Joint
from leakgauge.probability.cells import Floats

GAP = 1e-9
"""In nats; Sinkhorn's algorithm is held to it by its own bound."""
LOOK = 50
"""Sweeps of Sinkhorn's algorithm between two looks at its bound, so that looking costs next to nothing."""
PATIENCE = 5_000
"""Its sweeps at most."""


def run() -> None:
    draw = randomness.simulation(0)
    solve(RateDistortion(Distribution([1, 2], [0.4, 0.6]), Squared(), Slope(1.0), keep=Keep.SHARES))  # imports
    cases: list[tuple[int, Distortion, float]] = [
        (500, Hamming(), 3.0),
        (500, Hamming(), 30.0),
        (1000, Squared(), 1.0),
        (1000, Squared(), 10.0),
    ]
    for count, distortion, slope in cases:
        places = np.arange(count) / 100 if isinstance(distortion, Squared) else np.arange(count)
        _keeping(Distribution(places.tolist(), draw.dirichlet(np.ones(count))), distortion, slope)
    _within_a_bound(draw)
    _inference(draw)
    _attacker(draw)


def _keeping(source: Distribution, distortion: Distortion, slope: float) -> None:
    problem = RateDistortion(source, distortion, Slope(slope), keep=Keep.SHARES)
    ours, best = timed(lambda: solve(problem, GAP))
    name = type(distortion).__name__.lower()
    print(
        f"keep shares, {name}, {len(source.outcomes)} values, slope {slope:g}: {ours:.2f} s, "
        f"gap {best.gap * math.log(2):.1e} nats; target 1 s at 1e-9"
    )
    prior = source.probabilities
    costs = slope * problem.distortion.between(problem.inputs, problem.letters)
    seconds, (sweeps, gap) = timed(lambda: _sinkhorn(prior, costs))
    print(f"  Sinkhorn in numpy: {seconds:.2f} s, {seconds / ours:.1f} × ours, {sweeps} sweeps, gap {gap:.1e}")
    try:
        pot: Any = import_module("ot")
    except ImportError:
        print("  POT: not installed")
        return

    def work() -> Floats:
        # Its stopping rule is how far the shares are off; it knows no gap.
        plan = pot.sinkhorn(prior, prior, costs, 1.0, method="sinkhorn_log", stopThr=GAP, numItermax=PATIENCE)
        return np.asarray(plan)

    seconds, plan = timed(work)
    off = float(abs(plan.sum(axis=0) - prior).sum() + abs(plan.sum(axis=1) - prior).sum())
    print(f"  POT: {seconds:.2f} s, {seconds / ours:.1f} × ours, shares off by {off:.1e}")


def _sinkhorn(prior: Floats, costs: Floats) -> tuple[int, float]:
    """Sweeps, and their gap: the cost of the plan rounded to the shares, less the bound of its potentials."""
    logs = np.log(prior)
    left, right = np.zeros(len(prior)), np.zeros(len(prior))
    for sweep in range(1, PATIENCE + 1):
        left = -_log_sum(right + logs - costs, 1)
        right = -_log_sum((left + logs)[:, None] - costs, 0)
        if sweep % LOOK == 0:
            channel = np.exp(left[:, None] + right + logs - costs)
            kept = rounded_to_shares(channel, prior, np.zeros(len(prior)), costs)
            gap = cost_of(prior, costs, kept) - float(prior @ (left + right))
            if gap <= GAP:
                break
    return sweep, gap


def _log_sum(scores: Floats, axis: int) -> Floats:
    highest = scores.max(axis=axis, keepdims=True)
    total = np.log(np.exp(scores - highest).sum(axis=axis, keepdims=True))
    return np.asarray((highest + total).squeeze(axis))


def _within_a_bound(draw: np.random.Generator) -> None:
    for count in (60, 200):
        source = Distribution(range(count), draw.dirichlet(np.ones(count)))
        for distortion, slope in ((Hamming(), 5.0), (Absolute(), 0.5)):
            problem = RateDistortion(source, distortion, Slope(slope), keep=Keep.SHARES, local_dp=2.0)
            seconds, best = timed(lambda problem=problem: solve(problem, 1e-8))  # type: ignore[misc]
            name = type(distortion).__name__.lower()
            print(
                f"keep shares within ε = 2, {name}, {count} values: {seconds:.2f} s, "
                f"gap {best.gap * math.log(2):.1e} nats"
            )


def _inference(draw: np.random.Generator) -> None:
    joint = Joint(range(50), range(50), draw.dirichlet(np.full(2500, 0.2)).reshape(50, 50))
    prior, slope = joint.column_marginal(), 0.5
    for keep in (Keep.NOTHING, Keep.SHARES):
        problem = RateDistortion(prior, Hamming(), Slope(slope), secret=joint, keep=keep)
        ours, best = timed(lambda problem=problem: solve(problem, 1e-6))  # type: ignore[misc]
        print(
            f"inference 50 × 50, keep {keep.value}: {ours:.2f} s, gap {best.gap * math.log(2):.1e} nats; "
            "target 2 s at 1e-6"
        )
        value = best.leakage * math.log(2) + slope * best.distortion
        seconds, found = timed(_conic(joint, prior.probabilities, slope, keep))
        print(f"  cvxpy with Clarabel: {seconds:.1f} s, {seconds / ours:.1f} × ours, {found - value:+.1e} nats")


def _conic(joint: Joint, prior: Floats, slope: float, keep: Keep) -> Callable[[], float]:
    cvxpy: Any = import_module("cvxpy")  # its types do not cover what is used here
    count = len(prior)

    def work() -> float:
        plan = cvxpy.Variable((count, count), nonneg=True)
        rules = [cvxpy.sum(plan, axis=1) == prior]
        if keep is Keep.SHARES:
            rules.append(cvxpy.sum(plan, axis=0) == prior)
        seen = cvxpy.reshape(cvxpy.sum(plan, axis=0), (1, count), order="C")
        told = cvxpy.sum(
            cvxpy.rel_entr((joint.matrix / prior) @ plan, joint.row_marginal().probabilities[:, None] @ seen)
        )
        paid = slope * (1 - cvxpy.trace(plan))
        asked = cvxpy.Problem(cvxpy.Minimize(told + paid), rules)
        asked.solve(solver=cvxpy.CLARABEL)
        return float(asked.value)

    return work


def _attacker(draw: np.random.Generator) -> None:
    joint = Joint(range(300), range(8), draw.dirichlet(np.full(2400, 0.5)).reshape(300, 8))
    for distortion, slopes, most in ((Hamming(), (2.0, 4.0), 0.2), (Absolute(), (0.02, 0.1), 5.0)):
        name = type(distortion).__name__.lower()
        for slope in slopes:
            problem = RateDistortion(joint, distortion, Slope(slope), Knowledge.ATTACKER)
            seconds, best = timed(lambda problem=problem: solve(problem))  # type: ignore[misc]
            print(
                f"{name} distance, 300 values, 8 attacker backgrounds, slope {slope:g}: {seconds:.2f} s, "
                f"gap {best.gap * math.log(2):.1e} nats; target 3 s at 1e-9"
            )
        problem = RateDistortion(joint, distortion, MaxDistortion(most), Knowledge.ATTACKER)
        seconds, best = timed(lambda problem=problem: solve(problem))  # type: ignore[misc]
        print(f"{name} distance, distortion at most {most:g}: {seconds:.2f} s, gap {best.gap * math.log(2):.1e} nats")
