"""Channels that keep the shares, and columns that tell on a secret: seconds of CPU beside their peers, in one run.

The peers of keeping the shares are Sinkhorn's algorithm in the log domain, written here in numpy as OTT has it, and
that of POT, both until the gap of their plans is ours; and the invariant matrix of sdcMicro's ``pram``, written here in
numpy, for what it leaks at the distortion it happens to have. The peer of inference is cvxpy with Clarabel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from bench.clock import timed
from leakgauge import randomness
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Slope, frontier, solve
from leakgauge.design.transport import cost_of, rounded_to_shares, transport
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
    _invariant(draw)
    for count, distortion, slope in cases:
        places = np.arange(count) / 100 if isinstance(distortion, Squared) else np.arange(count)
        _keeping(Distribution(places.tolist(), draw.dirichlet(np.ones(count))), distortion, slope)
    _within_a_bound(draw)
    _inference(draw)
    _attacker(draw)


def _keeping(source: Distribution, distortion: Distortion, slope: float) -> None:
    problem = RateDistortion(source, distortion, Slope(slope), keep=Keep.SHARES)
    whole, best = timed(lambda: solve(problem, GAP))
    prior = source.probabilities
    costs = slope * problem.distortion.between(problem.inputs, problem.letters)
    # What the peers do: a plan in floating point. The rest makes a channel of multiples of 2^-53 and measures it.
    floors, equal = np.zeros(len(prior)), slope if isinstance(distortion, Hamming) else None
    ours, _ = timed(lambda: transport(prior, costs, floors, GAP / 8, equal))
    name = type(distortion).__name__.lower()
    print(
        f"keep shares, {name}, {len(source.outcomes)} values, slope {slope:g}: {whole:.2f} s, {ours:.3f} s of it for "
        f"the plan with its proof, gap {best.gap * math.log(2):.1e} nats; target 1 s at 1e-9"
    )
    seconds, (sweeps, gap) = timed(lambda: _sinkhorn(prior, costs))
    print(f"  Sinkhorn in numpy: {seconds:.2f} s, {seconds / ours:.1f} × our plan, {sweeps} sweeps, gap {gap:.1e}")
    try:
        pot: Any = import_module("ot")
    except ImportError:
        print("  POT: not installed")
        return

    def work(threshold: float) -> Floats:
        # Its stopping rule is how far the shares are off; it knows no gap.
        options = {"method": "sinkhorn_log", "stopThr": threshold, "numItermax": PATIENCE, "warn": False}
        return np.asarray(pot.sinkhorn(prior, prior, costs, 1.0, **options))

    # The loosest of its thresholds at which the plan, rounded to the shares, is as close to the best as asked.
    for threshold in (1e-5, 1e-9):
        seconds, plan = timed(lambda threshold=threshold: work(threshold))  # type: ignore[misc]
        kept = rounded_to_shares(plan / prior[:, None], prior, np.zeros(len(prior)), costs)
        off = cost_of(prior, costs, kept) - (best.leakage * math.log(2) + slope * best.distortion)
        if off <= GAP:
            break
    print(
        f"  POT: {seconds:.2f} s, {seconds / ours:.1f} × our plan, {seconds / whole:.1f} × ours in all, "
        f"{max(off, 0.0):.1e} nats above ours"
    )


def _invariant(draw: np.random.Generator) -> None:
    """sdcMicro's way: a matrix P with a chosen diagonal, times the matrix of its Bayes posteriors, which keeps the
    shares; its least diagonal is then mixed with doing nothing."""
    count = 20
    prior = draw.dirichlet(np.ones(count))
    for alpha in (0.25, 0.5, 0.75):
        first = draw.random((count, count)) * (1 - np.eye(count))
        own = draw.uniform(0.8, 1.0, count)
        first *= ((1 - own) / first.sum(axis=1))[:, None]
        first[np.diag_indices(count)] = own
        back = (prior[:, None] * first / (prior @ first)).T
        matrix = alpha * first @ back + (1 - alpha) * np.eye(count)
        source = Distribution(range(count), prior)
        changed = float(prior @ (1 - matrix.diagonal()))
        told = cost_of(prior, np.zeros_like(matrix), matrix) / math.log(2)
        seconds, best = timed(
            lambda source=source, changed=changed: solve(  # type: ignore[misc]
                RateDistortion(source, Hamming(), MaxDistortion(changed), keep=Keep.SHARES)
            )
        )
        print(
            f"keep shares, 20 values, {changed:.3f} changed: {best.leakage:.4f} bits in {seconds:.3f} s, "
            f"sdcMicro's invariant matrix {told:.4f} bits"
        )


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
    cases: list[tuple[Distortion, tuple[float, ...], int]] = [
        (Hamming(), (0.02, 0.1, 0.2, 0.4, 0.6, 0.8), 3),
        (Absolute(), (0.5, 2.0, 5.0, 15.0, 40.0), 10),
    ]
    for keep in (Keep.NOTHING, Keep.SHARES):
        for distortion, targets, limit in cases:
            spent = []
            for most in targets:
                problem = RateDistortion(joint, distortion, MaxDistortion(most), Knowledge.ATTACKER, keep=keep)
                spent.append(timed(lambda problem=problem: solve(problem))[0])  # type: ignore[misc]
            print(
                f"{type(distortion).__name__.lower()} distance, 300 values, 8 attacker backgrounds, keep {keep.value}: "
                f"{min(spent):.2f} to {max(spent):.2f} s by distortion ({targets[0]:g} to {targets[-1]:g}), gap 1e-9; "
                f"target {limit} s"
            )
    _frontier("100 values, 8 attacker backgrounds", Joint(range(100), range(8), _cells(draw, 100)), Knowledge.ATTACKER)
    _frontier("500 values, nobody", Distribution(range(500), draw.dirichlet(np.ones(500))), Knowledge.NOBODY)


def _cells(draw: np.random.Generator, count: int) -> Floats:
    return np.asarray(draw.dirichlet(np.full(8 * count, 0.5)).reshape(count, 8))


def _frontier(name: str, source: Joint | Distribution, knowledge: Knowledge) -> None:
    problem = RateDistortion(source, Absolute(), MaxDistortion(2.0), knowledge, keep=Keep.SHARES)
    one = timed(lambda: solve(problem))[0]
    many, points = timed(lambda: frontier(problem, 50))
    print(f"frontier of {len(points)}, keep shares, {name}: {many:.2f} s, {many / one:.1f} × one target; target 12 ×")
