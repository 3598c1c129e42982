"""Which of two channels is safer, whatever the prior and whatever an attacker gains: the refinement order.

A channel is refined by another where the other is the first with something done to its outputs (Blackwell 1951). Then
no prior and no gain make the refined one leak less. Where it is not, there is a gain that shows it: McIver,
Morgan, Smith, Espinoza and Meinicke, Abstract channels and their robust information-leakage ordering, 2014.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import EngineError, LabelError
from leakgauge.measures import vulnerability
from leakgauge.measures.vulnerability import Gain
from leakgauge.probability import Channel, Distribution, Scenario
from leakgauge.probability.cells import LARGEST, Floats
from leakgauge.probability.labels import same_alphabet

SAME = 1e-9
"""Rows that differ by so much in total are the same: what rounding in the probabilities of a channel may do."""

LARGE = 10_000
"""Inputs × outputs × outputs from which an interior-point method decides."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """Whether another channel is a channel with something done to its outputs, and what shows it.

    Attributes:
        holds: whether it is; then it reveals no more than the channel to any attacker.
        through: what is done to the outputs of the channel so that they come nearest to those of the other.
        shortfall: how far they stay apart, in total over all inputs: 0 where it holds.
        gain: where it does not hold, gains between 0 and 1 by which an attacker who takes all secrets for equally
            likely gets more from the other.
        channel: what that attacker gains from the channel, in expectation.
        refined: and from the one that would have to be it with something done to its outputs: more.
    """

    holds: bool
    through: Channel
    shortfall: float
    gain: Gain | None = None
    channel: float = 0.0
    refined: float = 0.0


@checked
def refined_by(channel: Channel, other: Channel) -> Refinement:
    """Whether ``other`` is ``channel`` with something done to its outputs: then it is at least as safe for everybody.

    Raises:
        LabelError: the channels have different inputs, or are too large to compare.

    Example:
        >>> flip = Channel("ab", "ab", [[0.9, 0.1], [0.1, 0.9]])
        >>> refined_by(flip, flip.then(flip)).holds, refined_by(flip.then(flip), flip).holds
        (True, False)
    """
    from scipy.optimize import nnls

    same_alphabet(channel.inputs, other.inputs, "inputs of one channel", "inputs of the other")
    cells = len(channel.inputs) * len(channel.outputs) * len(other.outputs)
    if cells > LARGEST:
        raise LabelError(
            "Channels with {inputs} inputs, {ours} and {theirs} outputs are too large to compare; merge outputs.",
            inputs=len(channel.inputs),
            ours=len(channel.outputs),
            theirs=len(other.outputs),
        )
    # The weights nearest to each output by itself first: quick, and a proof where they succeed. The linear program then
    # decides.
    fitted = np.stack([nnls(channel.matrix, column)[0] for column in other.matrix.T], axis=1)
    through, shortfall = _done(channel, other, fitted)
    if shortfall > SAME * len(channel.inputs):
        weights, gains = _solved(channel.matrix, other.matrix)
        through, shortfall = _done(channel, other, weights)
    if shortfall <= SAME * len(channel.inputs):
        return Refinement(True, through, 0.0)
    gain = Gain([f"act on {at + 1}" for at in range(len(other.outputs))], channel.inputs, gains)
    uniform = Distribution(channel.inputs, np.full(len(channel.inputs), 1 / len(channel.inputs)))
    more, less = (vulnerability.posterior(Scenario(uniform, one), gain) for one in (other, channel))
    # Judged by the witness: without one that an evaluation confirms, the difference is the solver's.
    return Refinement(more - less <= SAME, through, shortfall, gain, less, more)


def _done(channel: Channel, other: Channel, weights: Floats) -> tuple[Channel, float]:
    """A channel of these weights between the outputs, and how far it leaves the two apart."""
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), 1 / weights.shape[1])
    through = Channel(channel.outputs, other.outputs, shares)
    return through, float(np.abs(channel.then(through).matrix - other.matrix).sum())


def _solved(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Weights between the outputs, and the gains that tell the two apart most.

    max ⟨G, B⟩ − Σ_z v(z) with v(z) ≥ Σ_x A(x, z) G(x, w) and −1 ≤ G ≤ 1: its value is the least Σ |A R − B| over all
    stochastic R, and R is what its constraints are worth.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack, identity, kron

    outputs, actions = first.shape[1], second.shape[1]
    # Rows are pairs (output, action), unknowns are gains by (input, action) and then the v.
    gained = kron(csr_matrix(first.T), identity(actions), format="csr")
    upper = hstack([gained, -kron(identity(outputs), np.ones((actions, 1)))], format="csr")
    found = linprog(
        np.concatenate([-second.ravel(), np.ones(outputs)]),
        A_ub=upper,
        b_ub=np.zeros(outputs * actions),
        bounds=[(-1, 1)] * second.size + [(None, None)] * outputs,
        # Where large ones nearly refine each other the simplex method takes five times as long.
        method="highs-ipm" if second.size * outputs > LARGE else "highs",
    )
    if not found.success:
        raise EngineError("The order of the two channels was not found; merge outputs that hardly occur.")
    worth = np.maximum(-found.ineqlin.marginals.reshape(outputs, actions), 0.0)
    return worth, np.clip((found.x[: second.size].reshape(second.shape).T + 1) / 2, 0.0, 1.0)
