"""Lower bounds on the level of a mechanism, from its outputs."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from leakgauge.artefacts import Sentence, Shown
from leakgauge.audit.checks import DeclaredNoise, declared_noise
from leakgauge.audit.experiment import Counting, Experiment
from leakgauge.audit.levels import exact_level, held_to, require_auditable
from leakgauge.audit.subjects import SECONDS, known_pairs, subject_of
from leakgauge.claims import LocalDP, Statement
from leakgauge.errors import OptionError
from leakgauge.measures.binomial import require_confidence
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.mechanism import Pair
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Randomness

SAMPLES = 20_000
CONFIDENCE = 1 - 1e-6
"""A right mechanism fails one test run in a million, so that a red test means something."""


def lower_bound(
    mechanism: Any,
    claim: Statement | None = None,
    pairs: Iterable[Pair] | None = None,
    *,
    samples: int = 200_000,
    confidence: float = 0.95,
    batched: bool = False,
    stop_early: bool = True,
    declared: DeclaredNoise | None = None,
    seconds: float = SECONDS,
    randomness: Randomness | None = None,
    progress: Counting | None = None,
) -> Shown:
    """A lower bound on the level of a mechanism, at a stated confidence.

    Args:
        mechanism: a function from an input to an output, a mechanism of the catalogue, an OpenDP measurement, a
            ``Program``, or a channel, whose level is computed exactly, conditional on its given columns if it has any.
        claim: the claim to test; by default that of a mechanism of the catalogue, else none.
        pairs: neighbouring inputs, of which the most revealing pair is audited, chosen on outputs that are not used
            again; by default those of the catalogue.
        samples: outputs to draw on each of the two inputs, at most.
        confidence: that the level is at least its lower end, and that a mechanism that keeps its claim is not accused.
        batched: whether the function also takes a count and returns that many outputs at once.
        stop_early: whether to stop as soon as the claim is disproved; the level shown is then lower than it could be.
        declared: noise whose scale and sensitivity are checked; known of mechanisms of the catalogue.
        seconds: how long to draw.
        randomness: for mechanisms of the catalogue; the operating system's by default.
        progress: called after every round.

    Raises:
        OptionError: a claim that no pair can disprove, no inputs, inputs that are not neighbours, too few samples, or
            pairs for a channel.
        ModelError: outputs that are NaN, of different kinds, or that cannot be compared.
        EngineError: the mechanism raises, or gives no output in time.

    Example:
        >>> from leakgauge.mechanisms import laplace
        >>> from leakgauge.randomness import Simulated
        >>> found = lower_bound(laplace(1.0, sensitivity=1), randomness=Simulated(1))
        >>> 0.97 < found.at_least < 1, found.violated
        (True, False)
    """
    miss = 1 - require_confidence(confidence)
    if samples < 4:
        raise OptionError("{samples} outputs are too few to show anything; ask for 1000 or more.", samples=samples)
    held = claim or (mechanism.claims[0] if isinstance(mechanism, Mechanism) else None)
    target = held or LocalDP(0.0)
    require_auditable(target)
    if isinstance(mechanism, Channel):
        mechanism = NamedChannel(mechanism, (), ())
    if isinstance(mechanism, NamedChannel):
        if pairs is not None:
            raise OptionError("A channel is computed over all of its inputs; leave the pairs out.")
        return _of_channel(mechanism, target, held is not None)
    subject = subject_of(mechanism, batched=batched, randomness=randomness)
    chosen = known_pairs(mechanism, pairs)
    noise = mechanism.noise if isinstance(mechanism, Mechanism) else None
    if declared is None and noise is not None:
        declared = declared_noise(noise)
    experiment = Experiment(
        subject, target, held is not None, samples, miss, time.monotonic() + seconds, stop_early, declared, progress
    )
    return experiment.run(*experiment.most_telling(chosen, in_order=pairs is None))


def _of_channel(named: NamedChannel, claim: Statement, held: bool) -> Shown:
    level = exact_level(named.channel, claim, named.compared)
    witness = level.witness
    pair = (None, None) if witness is None else witness.inputs
    output = None if witness is None else witness.output
    event = Sentence("") if output is None else Sentence("output {one!s}", one=repr(output))
    return held_to(claim, held, level.value, pair, event)


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
    """The lower bound on the level of a mechanism if its claim stands; otherwise raises, so that a test fails.

    The arguments are those of ``lower_bound``.

    Raises:
        AssertionError: the claim is disproved; the message says by which inputs and which event.

    Example:
        >>> from leakgauge.claims import LocalDP
        >>> from leakgauge.mechanisms import randomized_response
        >>> assert_satisfies(randomized_response(1.0, letters=["yes", "no"]), LocalDP(1.0)).violated
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
