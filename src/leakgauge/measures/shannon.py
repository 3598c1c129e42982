"""Shannon's measures of the four models: basic, with background, with subjective weights, several sources.

One formula serves all four. Weights w multiply the terms of each sum and are 1 where there are none; several
sources are one source of tuples; background knowledge widens what the attacker sees from y to (y, z).

Reference: Peng et al., Information entropy models and privacy metrics methods for privacy protection,
Journal of Software 27(8), 2016 (its slips are listed in ``docs/errata.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leakgauge.arguments import checked
from leakgauge.measures.information import Unit, gains, quotient, remaining, weighted
from leakgauge.probability import Distribution, Label, Scenario, Seen
from leakgauge.probability.cells import Floats, log_or_zero


@checked
def entropy(source: Scenario | Distribution, unit: Unit = Unit.BITS) -> float:
    """H(X), how uncertain the secret is before anything is seen, in bits; weighted if the scenario is.

    H_w(X) = −Σ w(x) p(x) log p(x), equations (3), (10) and (17). A weight matrix over pairs counts each
    secret by the mean of its weights under the channel.

    Example:
        >>> entropy(Distribution(["r1", "r2", "r3", "r4"], [1/4, 1/2, 1/8, 1/8]))
        1.75
    """
    if isinstance(source, Distribution):
        return unit.of_nats(_surprise(source.probabilities, source.probabilities))
    p = source.source.probabilities
    if source.weights is None or source.weights.ndim == 1:
        mass = p if source.weights is None else p * source.weights
    else:
        view = source.view(Seen.RELEASE)
        mass = view.cells.row_sums(weighted(view, view.cells.values))
    return unit.of_nats(_surprise(mass, p))


@checked
def conditional_entropy(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """H(X|Y), what stays uncertain after the release is seen, in bits; equations (4) and (11)."""
    return unit.of_nats(remaining(scenario.view(Seen.RELEASE)))


@checked
def mutual_information(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """I(X;Y), what the release reveals about the secret, in bits; equations (5), (12) and (18).

    I_w(X;Y) = Σ w p(x,y) log p(x,y) / (p(x) p(y)). With weights of secrets it is never negative; with a
    weight matrix over pairs it may be.
    """
    view = scenario.view(Seen.RELEASE)
    return unit.of_nats(_settle(float(gains(view).sum()), scenario))


@checked
def conditional_entropy_with_background(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """H(X|YZ), what stays uncertain for someone who also knows the background, in bits; equations (7), (13)."""
    return unit.of_nats(remaining(scenario.view(Seen.BOTH)))


@checked
def conditional_mutual_information(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """I(X;Y|Z), what the release adds for someone who knows the background, in bits.

    Equations (8), (14) and (19) as they were meant: Σ w p(x,y,z) log p(x,y|z) / (p(x|z) p(y|z)).
    """
    known = 0.0 if scenario.background is None else background_floor(scenario, Unit.NATS)
    gain = leakage_with_background(scenario, Unit.NATS) - known
    return unit.of_nats(_settle(gain, scenario))


@checked
def leakage_with_background(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """I(X;YZ), all that someone with background learns, in bits; its floor is I(X;Z)."""
    return unit.of_nats(_settle(float(gains(scenario.view(Seen.BOTH)).sum()), scenario))


@checked
def background_floor(scenario: Scenario, unit: Unit = Unit.BITS) -> float:
    """I(X;Z), what the background reveals before any release, in bits: no channel can undercut it."""
    return unit.of_nats(_settle(float(gains(scenario.view(Seen.BACKGROUND)).sum()), scenario))


@checked
def leakage_by_output(scenario: Scenario, unit: Unit = Unit.BITS) -> Mapping[Label, float]:
    """KL(p(x|y) ‖ p(x)) for each release y that occurs, in bits; its mean is I(X;Y)."""
    per_output = basic(scenario, unit=unit).leakage_by_output
    outputs = scenario.channel.outputs if scenario.channel is not None else ()
    seen = scenario.view(Seen.RELEASE).cells.column_sums()
    return {
        label: _settle(gain, scenario)
        for label, gain, p in zip(outputs, per_output.tolist(), seen.tolist(), strict=True)
        if p > 0
    }


@dataclass(frozen=True)
class Basic:
    """The basic measures of one scenario, in one unit."""

    entropy: float
    conditional_entropy: float
    mutual_information: float
    leakage_by_output: Floats


@checked
def basic(scenario: Scenario, seen_by: Seen = Seen.RELEASE, unit: Unit = Unit.BITS) -> Basic:
    """H(X), H(X|Y), I(X;Y) and KL for each letter seen, in one pass over the joint, in bits."""
    view = scenario.view(seen_by)
    gained = view.cells.column_sums(gains(view))
    per_output = quotient(gained, view.cells.column_sums())
    total, before = _settle(float(gained.sum()), scenario), entropy(scenario, Unit.NATS)
    return Basic(unit.of_nats(before), unit.of_nats(before - total), unit.of_nats(total), per_output / unit.value)


def _surprise(mass: Floats, probabilities: Floats) -> float:
    return max(float(-(mass * log_or_zero(probabilities)).sum()), 0.0)


def _settle(nats: float, scenario: Scenario) -> float:
    """Clip the rounding below zero of what cannot be negative."""
    return nats if scenario.weights is not None and scenario.weights.ndim == 2 else max(nats, 0.0)
