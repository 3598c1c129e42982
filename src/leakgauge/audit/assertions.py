"""Audits as assertions, for the tests of other projects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leakgauge.artefacts import Shown
from leakgauge.audit.checks import DeclaredNoise
from leakgauge.audit.lower_bound import lower_bound
from leakgauge.audit.neighbours import Pair
from leakgauge.audit.subjects import SECONDS
from leakgauge.claims import Statement
from leakgauge.randomness import Randomness

SAMPLES = 20_000
CONFIDENCE = 1 - 1e-6
"""A right mechanism fails one test run in a million, so that a red test means something."""


def assert_satisfies(
    mechanism: Any,
    claim: Statement,
    pairs: Iterable[Pair] | None = None,
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    batched: bool = False,
    declared: DeclaredNoise | None = None,
    seconds: float = SECONDS,
    randomness: Randomness | None = None,
) -> Shown:
    """What was shown of a mechanism whose claim stands; otherwise the test fails.

    Args:
        mechanism: a function from an input to an output, a mechanism of the catalogue, or an OpenDP measurement.
        claim: what it must keep.
        pairs: neighbouring inputs, of which the most telling is audited.
        samples: outputs to draw on each of the two inputs, at most.
        confidence: with which a mechanism that keeps its claim is not accused.
        batched: whether the function takes a count too and returns so many outputs at once.
        declared: noise whose scale and sensitivity are checked as well.
        seconds: how long to draw.
        randomness: for mechanisms of the catalogue.

    Raises:
        AssertionError: the claim is disproved; the message says by which inputs and which event.

    Example:
        >>> from leakgauge.claims import LocalDP
        >>> from leakgauge.mechanisms import randomized_response
        >>> assert_satisfies(randomized_response(["yes", "no"], 1.0), LocalDP(1.0)).violated
        False
    """
    shown = lower_bound(
        mechanism,
        claim,
        pairs,
        samples=samples,
        confidence=confidence,
        batched=batched,
        declared=declared,
        seconds=seconds,
        randomness=randomness,
    )
    if shown.violated:
        raise AssertionError(_why(shown, claim, confidence))
    return shown


def _why(shown: Shown, claim: Statement, confidence: float) -> str:
    failed = "; ".join(map(str, shown.failures))
    if failed and not shown.stopped_early and not shown.at_least > claim.level:
        return f"{claim} is in doubt after {shown.samples} outputs on each input: {failed}."
    how = "exactly" if shown.estimate is None else f"with a confidence of {confidence:.6g}"
    first, second = shown.inputs
    fixed = ", each always with the same output" if shown.deterministic else ""
    return (
        f"{claim} is disproved: it is {shown.said} {how}, by the inputs "
        f"{first} and {second}{fixed}, by {shown.event}, after {shown.samples} outputs on each."
    )
