"""Levels of a notion: the lower bound that an event proves, the exact level of a channel, and their comparison with a
claim.

An event that has probability p under one input and q under a neighbour shrinks every divergence to that of two coins,
so that a level below that of the coins is disproved. p is bounded from below and q from above, so errors favour the
claim.
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import replace

import numpy as np

from leakgauge.artefacts import Check, Level, Quantity, Sentence, Shown
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.notions import Level as ExactLevel
from leakgauge.notions import approximate_dp_at, gaussian_dp, renyi_dp, zero_concentrated_dp
from leakgauge.notions.ratios import local_dp
from leakgauge.probability import Channel
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import Groups

_ORDERS = np.geomspace(1.02, 200, 60)
"""Rényi orders at which a zero-concentrated claim is tried; fewer orders prove less, never something wrong."""
_LARGEST = 700.0
"""The largest ε whose exponential is a float; beyond it only p ≤ 1 is said."""


def require_auditable(claim: Statement) -> None:
    """Refuse a notion that no pair of inputs can disprove."""
    if not isinstance(claim, LocalDP | CentralDP | ApproximateDP | GaussianDP | RenyiDP | ZeroConcentratedDP):
        raise OptionError(
            "{notion!s} is not a claim about two inputs, so no pair of inputs can disprove it; claim local-dp, dp, "
            "approximate-dp, renyi-dp, zcdp or gaussian-dp.",
            notion=claim.name,
        )
    if isinstance(claim, RenyiDP) and not 1 < claim.order < math.inf:
        raise OptionError("A Rényi order of {order} cannot be audited; give a finite one above 1.", order=claim.order)


def least_level(claim: Statement, p: Floats, q: Floats) -> Floats:
    """The least level of the claim's notion for each pair of probabilities; 0 where p is not above q."""
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(claim, GaussianDP):
            from scipy.special import ndtri

            found = ndtri(p) - ndtri(q)
        elif isinstance(claim, RenyiDP):
            found = _renyi(p, q, claim.order)
        elif isinstance(claim, ZeroConcentratedDP):
            found = (_renyi(p[..., None], q[..., None], _ORDERS) / _ORDERS).max(axis=-1)
        else:
            delta = getattr(claim, "delta", 0.0)
            # The event, and its complement with the inputs exchanged.
            found = np.fmax(np.log((p - delta) / q), np.log((1 - q - delta) / (1 - p)))
        return np.where(p > q, np.maximum(np.nan_to_num(found, nan=0.0, posinf=math.inf), 0.0), 0.0)


def at_level(claim: Statement, level: float) -> Statement:
    """The same notion at another level."""
    return replace(claim, **{next(iter(vars(claim))): level})


def line(claim: Statement, p: float, q: float) -> tuple[float, float]:
    """s and t of a line p' ≤ s·q' + t that holds of every event if the claim does, cutting near the given p and q."""
    if isinstance(claim, ZeroConcentratedDP):
        best = float(_ORDERS[int(np.argmax(_renyi(np.array(p), np.array(q), _ORDERS) / _ORDERS))])
        return line(RenyiDP(claim.rho * best, best), p, q)
    inside = min(max(q, 1e-12), 1 - 1e-9)
    if isinstance(claim, GaussianDP):
        from scipy.special import ndtr, ndtri

        z = float(ndtri(inside))
        slope = math.exp(-claim.mu * z - claim.mu**2 / 2)
        return slope, float(ndtr(z + claim.mu)) - slope * inside + 1e-12
    if isinstance(claim, RenyiDP):
        return _renyi_line(claim, inside)
    epsilon, delta = claim.level, getattr(claim, "delta", 0.0)
    if epsilon > _LARGEST:
        return 0.0, 1.0
    lines = ((math.exp(epsilon), delta), (math.exp(-epsilon), 1 - math.exp(-epsilon) * (1 - delta)))
    return min(lines, key=lambda one: one[0] * q + one[1])


def _renyi(p: Floats, q: Floats, order: float | Floats) -> Floats:
    """The divergence of two coins in nats, at each order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(p > 0, order * np.log(p) + (1 - order) * np.log(q), -np.inf)
        tails = np.where(p < 1, order * np.log1p(-p) + (1 - order) * np.log1p(-q), -np.inf)
        return np.asarray(np.logaddexp(heads, tails) / (order - 1))


def _renyi_line(claim: RenyiDP, q: float) -> tuple[float, float]:
    """The tangent of the convex set of coins within the claim, at a point just outside it."""
    order, most = claim.order, (claim.order - 1) * claim.epsilon

    def moment(p: float) -> float:
        heads = order * math.log(p) + (1 - order) * math.log(q)
        tails = order * math.log1p(-p) + (1 - order) * math.log1p(-q)
        return max(heads, tails) + math.log1p(math.exp(-abs(heads - tails)))

    inside, outside = q, 1 - 1e-12
    if moment(outside) < most:
        return 0.0, 1.0
    for _ in range(50):
        middle = (inside + outside) / 2
        if moment(middle) < most:
            inside = middle
        else:
            outside = middle
    # Every coin within the claim lies on the near side of the tangent at any coin that is not.
    heads, tails = outside / q, (1 - outside) / (1 - q)
    if not heads > tails:
        return 0.0, 1.0
    shrunk = tails / heads
    slope = (order - 1) / order * heads * (1 - shrunk**order) / (1 - shrunk ** (order - 1))
    return slope, outside - slope * q + 1e-12 * (1 + slope)


def exact_level(channel: Channel, claim: Statement, compared: Groups | None = None) -> ExactLevel:
    """The level of the claim's notion that a channel has, with the inputs that reach it: over any two of them, or over
    those that are compared.
    """
    if isinstance(claim, ApproximateDP):
        return approximate_dp_at(channel, claim.delta, compared)
    if isinstance(claim, RenyiDP):
        return renyi_dp(channel, claim.order, compared)
    if isinstance(claim, ZeroConcentratedDP):
        return zero_concentrated_dp(channel, compared)
    return gaussian_dp(channel, compared) if isinstance(claim, GaussianDP) else local_dp(channel, compared)


def held_to(
    claim: Statement,
    claimed: bool,
    at_least: float,
    pair: tuple[object, ...],
    event: Sentence,
    *,
    estimate: float | None = None,
    confidence: float | None = None,
    samples: int = 0,
    stopped_early: bool = False,
    deterministic: bool = False,
    checks: tuple[Check, ...] = (),
) -> Shown:
    """The level shown, compared with the claim; without a confidence the level is exact."""
    if confidence is None:
        # An exact level is rounded up a little, which must not accuse a claim of exactly that level.
        level, most = Quantity(at_least, claim.unit), claim.level * (1 + 1e-9) + 1e-12
    else:
        level, most = Quantity(at_least, claim.unit, at_least, math.inf, confidence), claim.level
    is_epsilon = claim.unit == "nats" and claim.name != "zcdp"
    return Shown(
        notion=claim.name,
        claim=Level.stated(claim) if claimed else None,
        epsilon_lower_bound=level if is_epsilon else None,
        lower_bound=level,
        estimate=estimate,
        violated=claimed and (at_least > most or stopped_early or not all(check.holds for check in checks)),
        deterministic=deterministic,
        stopped_early=stopped_early,
        samples=samples,
        inputs=tuple(value if isinstance(value, str) else reprlib.repr(value) for value in pair),
        event=event,
        checks=checks,
    )
