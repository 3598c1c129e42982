"""What an audit shows of a mechanism."""

from __future__ import annotations

import math
import reprlib

import msgspec

from leakgauge.artefacts import Check, Level, Quantity, Sentence, Shown
from leakgauge.audit.neighbours import Pair
from leakgauge.claims import Statement


def held_to(
    claim: Statement,
    claimed: bool,
    at_least: float,
    pair: Pair,
    event: Sentence,
    *,
    estimate: float | None = None,
    confidence: float | None = None,
    samples: int = 0,
    stopped_early: bool = False,
    deterministic: bool = False,
    checks: tuple[Check, ...] = (),
) -> Shown:
    """What is shown of a mechanism, held to its claim; without a confidence the level is exact."""
    level = Quantity(at_least, claim.unit)
    if confidence is not None:
        level = Quantity(at_least, claim.unit, at_least, math.inf, confidence)
    held = Level.stated(claim) if claimed else None
    is_epsilon = claim.unit == "nats" and claim.name != "zcdp"
    return Shown(
        notion=claim.name,
        claim=held,
        epsilon_lower_bound=level if is_epsilon else None,
        lower_bound=level,
        estimate=estimate,
        violated=_is_violated(held, level, stopped_early, checks),
        deterministic=deterministic,
        stopped_early=stopped_early,
        samples=samples,
        inputs=tuple(value if isinstance(value, str) else reprlib.repr(value) for value in pair),
        event=event,
        checks=checks,
    )


def without_checks(found: Shown) -> Shown:
    """The same, judged by the level alone."""
    violated = _is_violated(found.claim, found.lower_bound, found.stopped_early, ())
    return msgspec.structs.replace(found, checks=(), violated=violated)


def _is_violated(claim: Level | None, level: Quantity, stopped_early: bool, checks: tuple[Check, ...]) -> bool:
    if claim is None:
        return False
    # An exact level is rounded up a little, which must not accuse a claim of exactly that level.
    most = claim.value * (1 + 1e-9) + 1e-12 if level.confidence is None else claim.value
    return level.value > most or stopped_early or not all(check.holds for check in checks)
