"""What a solver hands back: a channel and what is proven of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leakgauge import notebook
from leakgauge.claims import LocalDP
from leakgauge.design.problem import Knowledge, RateDistortion
from leakgauge.notions import Level, Witness
from leakgauge.probability import Channel, Joint, Label
from leakgauge.probability.cells import Codes


def exact_level(channel: Channel) -> Level:
    """The local ε of a channel of multiples of 2^-53 in nats, rounded up, with the output and inputs that reach it."""
    matrix = channel.matrix
    highest, lowest = matrix.max(axis=0), matrix.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The difference of two multiples of 2^-53 is exact, so that a tiny ε keeps all its digits.
        above = np.where(highest > lowest, (highest - lowest) / lowest, 0.0)
    output = int(above.argmax())
    if above[output] == 0:
        return Level(LocalDP(0.0))
    column = matrix[:, output]
    inputs = channel.inputs[int(column.argmax())], channel.inputs[int(column.argmin())]
    epsilon = math.log1p(float(above[output])) * (1 + 1e-15)
    return Level(LocalDP(epsilon), Witness(inputs, channel.outputs[output]))


def level_given(channel: Channel, backgrounds: Codes) -> Level:
    """The local ε of a channel that reads pairs, given the number of each one's background: of two with the same."""
    levels = [
        exact_level(Channel([channel.inputs[at] for at in rows.tolist()], channel.outputs, channel.matrix[rows]))
        for rows in (np.flatnonzero(backgrounds == known) for known in np.unique(backgrounds))
    ]
    return max(levels, key=lambda level: level.value)


@dataclass(frozen=True, eq=False)
class Solution:
    """A channel of multiples of 2^-53, and the numbers of just this channel.

    Attributes:
        channel: reads the secret, or for ``BOTH`` pairs (x, z); an input that never occurs acts like the nearest one.
        leakage: I(X;Y) in bits; where the source tells on a secret S, I(S;Y), and so in what follows.
        weighted_leakage: I_w(X;Y) in bits; None without weights.
        leakage_with_background: I(X;Y,Z) in bits; None without a background.
        background_floor: I(X;Z) in bits, which no channel undercuts; None without a background.
        local_dp: the local ε with its witness, the output and the two inputs that reach it; for ``BOTH`` given the
            background, of two secrets with the same one. A channel that reads pairs may tell backgrounds apart, so
            that this is a statement about the secret to somebody who knows the background, not about the background.
        identifiability: the level with its witness; None where an input never occurs or the channel reads pairs.
        told_unprotected: I(S;X) in bits where the source X tells on a secret S; None where it is the secret.
        gap: in bits. No channel of the problem with at most this distortion (for ``MaxDistortion`` at most the asked
            one) has less of what is made small than this one has, less the gap. For ``MaxLeakage`` it is counted from
            the asked leakage, and where the slope is above 0 the distortion is within gap · ln 2 / slope of the least.
        slope: in nats per unit of distortion, of the line that proves the gap: it supports the curve where this point
            lies, so that ``Slope`` of it leads to the same point, within the gap, or along a straight piece to another
            one. 0 where a larger distortion would save nothing; infinite at the least distortion of all.
    """

    problem: RateDistortion
    channel: Channel = field(repr=False)
    leakage: float
    weighted_leakage: float | None
    leakage_with_background: float | None
    background_floor: float | None
    distortion: float
    local_dp: Level = field(repr=False)
    identifiability: Level | None = field(repr=False)
    gap: float
    slope: float
    iterations: int
    letters: int
    told_unprotected: float | None = None

    @property
    def epsilon(self) -> float:
        """The local ε in nats, rounded up, for ``BOTH`` given Z; infinite where a letter rules an input out."""
        return self.local_dp.value

    @property
    def never_occurring(self) -> tuple[Label, ...]:
        """The channel's inputs of probability 0: each acts like one that occurs, and counts in no mean."""
        source, pairs = self.problem.source, self.problem.knowledge is Knowledge.BOTH
        shares = source.matrix.ravel() if pairs and isinstance(source, Joint) else self.problem.prior.probabilities
        return tuple(self.channel.inputs[at] for at in np.flatnonzero(shares == 0).tolist())

    @property
    def lost(self) -> float:
        """The share of rows whose values are never released."""
        prior, released = self.problem.prior, self.channel.matrix.max(axis=0) > 0
        kept = {label for label, ever in zip(self.channel.outputs, np.asarray(released), strict=True) if ever}
        return float(sum(prior.probabilities[[label not in kept for label in prior.outcomes]]))

    @property
    def certain(self) -> float:
        """The share of rows whose value is released as it is for certain."""
        source, places = self.problem.source, {label: at for at, label in enumerate(self.channel.outputs)}
        pairs = self.problem.knowledge is Knowledge.BOTH and isinstance(source, Joint)
        shares = source.matrix.ravel() if pairs and isinstance(source, Joint) else self.problem.prior.probabilities
        secrets = [label[0] if pairs and isinstance(label, tuple) else label for label in self.channel.inputs]
        own = [self.channel.matrix[at, places[one]] if one in places else 0.0 for at, one in enumerate(secrets)]
        return float(shares[np.array(own) == 1].sum())

    @property
    def objective(self) -> float:
        """The minimised quantity in bits: I(X;Y), or I_w(X;Y) with weights, or I(X;Y,Z) where a background is known."""
        if self.weighted_leakage is not None:
            return self.weighted_leakage
        if self.problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH):
            assert self.leakage_with_background is not None
            return self.leakage_with_background
        return self.leakage

    _repr_html_ = notebook.shown
