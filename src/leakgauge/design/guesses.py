"""How near a guess can come after a release that tells so many bits: the distortion–rate function, certified.

A guess made from what was released is a channel from the secret to the guess, and tells no more than the release does.
So no guess is nearer to the secret on average than the least distortion of any channel with so much leakage, and the
channel that has it is a release from which that guess is made.

Reference: Shannon, Coding theorems for a discrete source with a fidelity criterion, IRE National Convention Record,
1959.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge.design.certificate import ROUNDING
from leakgauge.design.problem import MaxLeakage, RateDistortion
from leakgauge.design.solving import solve
from leakgauge.distances import Distortion
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.labels import same_alphabet


@dataclass(frozen=True, eq=False)
class NearestGuess:
    """The least mean distance between a secret and a guess that is one of its values, between two bounds."""

    distance: float  # what the guess reaches that ``channel`` makes
    low: float  # no guess from a release that tells so little is nearer on average
    channel: Channel = field(repr=False)  # a release that is its own best guess


def nearest_guess(prior: Distribution, distortion: Distortion, bits: float) -> NearestGuess:
    """How near to the secret a guess can come, on average, after a release with I(X;Y) of at most so many bits.

    Raises:
        OptionError: bits below 0, or distances that are not of these values.
        UnprovedError: the proof was not closed; the message says how close it came.

    Example:
        >>> from leakgauge.distances import Hamming
        >>> found = nearest_guess(Distribution("ab", [0.5, 0.5]), Hamming(), 0.531004)
        >>> round(found.distance, 4), found.distance - found.low < 1e-6
        (0.1, True)
    """
    found = solve(RateDistortion(prior, distortion, MaxLeakage(bits)))
    short = found.gap * math.log(2) / found.slope if found.slope > 0 else 0.0
    short += ROUNDING * (1 + found.distortion)
    return NearestGuess(found.distortion, max(found.distortion - short, 0.0), found.channel)


def nearest_guess_from(channel: Channel, prior: Distribution, distortion: Distortion) -> float:
    """The mean distance between the secret and the best guess after this channel's output: Σ_y min_u Σ_x p q d(x, u).

    Example:
        >>> from leakgauge.distances import Hamming
        >>> flip = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> nearest_guess_from(flip, Distribution("ab", [0.5, 0.5]), Hamming())
        0.25
    """
    same_alphabet(prior.outcomes, channel.inputs, "outcomes of the prior", "inputs of the channel")
    occurs = prior.probabilities > 0
    distances = distortion.between(channel.inputs, distortion.outputs_for(channel.inputs))[occurs]
    joint = (channel.matrix * prior.probabilities[:, None])[occurs]
    # A forbidden guess, at an infinite distance, is as far where the secret cannot be: 0 · ∞ counts as nothing.
    forbidden = (joint > 0).T.astype(np.float64) @ np.isinf(distances) > 0
    expected = np.where(forbidden, math.inf, joint.T @ np.where(np.isinf(distances), 0.0, distances))
    return float(expected.min(axis=1).sum())
