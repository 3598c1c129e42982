"""Shares of the original values of a released column: by inverting the channel, or by maximum likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leakgauge.errors import InternalError, RefusalError
from leakgauge.measures.interior import minimise_from
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of

RANK = 1e-9
"""A singular value this much below the largest counts as 0: to use it would need 10^18 times the rows."""
GAP = 1e-10
"""How close the likelihood comes to the largest, in nats per row."""
LOOSE = 1e-8
"""The largest gap accepted: in 10^6 rows a hundredth of a nat, far less than they show."""
SELDOM = 1e-6
"""The least share of an output, relative to an even share, when outputs are weighted: rare ones must not dominate."""
SHOWN = 8
"""The most values that a message names."""


def confused_values(channel: Channel) -> tuple[tuple[Label, ...], ...]:
    """Groups of values whose shares no release through the channel can separate; none if its rows are independent.

    Shares p and p + v are released alike where v q = 0. Such v move shares within these groups only, so the share of a
    whole group can still be estimated.
    """
    sizes = np.linalg.svd(channel.matrix, compute_uv=False)
    rank = int((sizes > RANK * sizes[0]).sum())
    if rank == len(channel.inputs):
        return ()
    directions, _, _ = np.linalg.svd(channel.matrix)
    lost = directions[:, rank:]
    # Whatever basis the directions have, their projector is the same.
    linked = np.abs(lost @ lost.T) > RANK
    groups: list[tuple[Label, ...]] = []
    left = set(np.flatnonzero(linked.any(axis=1)).tolist())
    while left:
        group, found = set(), {min(left)}
        while found:
            group |= found
            found = set(np.flatnonzero(linked[sorted(found)].any(axis=0)).tolist()) - group
        groups.append(tuple(channel.inputs[at] for at in sorted(group)))
        left -= group
    return tuple(groups)


@dataclass(frozen=True, eq=False)
class Correction:
    """How the shares of a channel's inputs follow from those of its outputs.

    Attributes:
        scores: for each output (a row) and value (a column) a number; its mean over rows that had one value is 1 in
            the column of that value and 0 in the others, so that its mean over the release is unbiased.
    """

    channel: Channel
    scores: Floats

    @classmethod
    def of(cls, channel: Channel, released: Floats | None = None) -> Correction:
        """The correction for a channel; where it has more outputs than inputs, outputs are weighed by their shares.

        Raises:
            RefusalError: values that the channel does not distinguish.
        """
        confused = confused_values(channel)
        if confused:
            names = [text_of(label) for label in confused[0]]
            raise RefusalError(
                "The channel does not distinguish {values!s}, so no release shows how often each occurs; merge these "
                "values, or ask for a release whose channel distinguishes them.",
                values=(*map(repr, names[:SHOWN]), *("…" for _ in names[SHOWN : SHOWN + 1])),
            )
        matrix = channel.matrix
        if released is None or matrix.shape[0] == matrix.shape[1]:
            return cls.at(channel, np.full(len(matrix), 1 / len(matrix)))
        return cls.at(channel, _likeliest(matrix, released))

    @classmethod
    def at(cls, channel: Channel, shares: Floats) -> Correction:
        """The correction for a channel that distinguishes its inputs, outputs weighed as these shares release them."""
        matrix = channel.matrix
        if matrix.shape[0] == matrix.shape[1]:
            return cls(channel, np.asarray(np.linalg.inv(matrix), dtype=np.float64))
        weights = 1 / np.sqrt(np.maximum(shares @ matrix, SELDOM / matrix.shape[1]))
        # Least squares with the outputs' own variances, as likelihood weighs them; unbiased whatever the weights.
        scores = weights[:, None] * np.linalg.pinv(matrix * weights)
        # What the least weight leaves over is 0 on average, whatever the value; so shares sum to 1 in every release.
        return cls(channel, scores + np.outer(1 - scores.sum(axis=1), shares))

    def shares(self, released: Floats) -> Floats:
        """Unbiased shares of the values from shares of the outputs; some may fall outside 0 to 1."""
        return np.asarray(released @ self.scores)

    def likeliest(self, released: Floats) -> Floats:
        """The shares within 0 to 1 under which the release is likeliest, to a proven 1e-8 nats per row.

        This is the fixed point of expectation maximisation, also known as the iterative Bayesian update.
        """
        return _likeliest(self.channel.matrix, released)

    @cached_property
    def squares(self) -> Floats:
        """The squared scores, outputs by values."""
        return self.scores**2


def _likeliest(matrix: Floats, released: Floats) -> Floats:
    seen = released > 0
    found = minimise_from(np.ascontiguousarray(matrix[:, seen].T), released[seen], GAP, ())
    if found.gap > LOOSE:
        raise InternalError("The most likely shares were found only to {gap:.1e} nats per row.", gap=found.gap)
    # A tiny remaining share is rounding error.
    kept = np.where(found.weights > math.sqrt(GAP), found.weights, 0.0)
    return np.asarray(kept / kept.sum())
