"""The ends of the curve: where nothing leaks, and where only the nearest letters are released."""

from __future__ import annotations

import numpy as np

from leakgauge.design.certificate import ROUNDING, Secrets
from leakgauge.design.columns import minimise_columns
from leakgauge.design.cones import Positive
from leakgauge.design.least_distortion import Window, least_distortion
from leakgauge.probability.cells import Codes, Floats

FORBIDDEN = 60.0
"""Nats that releasing another than a nearest letter costs: e^-60 of it is next to none."""


def best_letter(prior: Floats, excess: Floats) -> Floats:
    """The channel that always releases the one letter that is best on the whole."""
    channel = np.zeros(excess.shape)
    channel[:, int((prior @ excess).argmin())] = 1.0
    return channel


def best_untelling(secrets: Secrets, excess: Floats, window: Window | None) -> Floats:
    """The channel of least distortion that tells someone with the background nothing more.

    Secrets that are possible under the same background must have the same row, and so must all that are tied together
    by a chain of such; those that the background tells apart anyhow need not.
    """
    groups = _groups(secrets.joint)
    count = int(groups.max()) + 1
    if count == 1:
        return best_letter(secrets.prior, excess)
    shares = np.zeros(count)
    np.add.at(shares, groups, secrets.prior)
    totals = np.zeros((count, excess.shape[1]))
    np.add.at(totals, groups, secrets.prior[:, None] * excess)
    means = totals / shares[:, None]
    if window is not None:
        return np.asarray(least_distortion(shares, means, window.merged(groups)).channel[groups])
    channel = np.zeros(means.shape)
    channel[np.arange(count), means.argmin(axis=1)] = 1.0
    return np.asarray(channel[groups])


def best_nearest(secrets: Secrets, excess: Floats, gap: float) -> tuple[Floats, float, int]:
    """The channel of least weighted leakage among those that release nearest letters only, its bound, and the steps."""
    nearest = excess == 0
    if (nearest.sum(axis=1) == 1).all():
        channel = np.asarray(nearest, dtype=np.float64)
        leakage = secrets.leakage(channel)
        return channel, leakage - ROUNDING * (1 + leakage), 0
    # Where the others are only dear, a channel may cost less, never more: the bound holds where they are forbidden.
    found = minimise_columns(secrets, np.where(nearest, 0.0, FORBIDDEN), Positive(len(excess)), gap / 2)
    channel = np.where(nearest, found.channel, 0.0)
    return channel / channel.sum(axis=1, keepdims=True), found.lower, found.steps


def _groups(joint: Floats) -> Codes:
    """For each secret the number of its group: those tied together by backgrounds under which both are possible."""
    possible = joint > 0
    names = np.arange(len(joint))
    while True:
        of_background = np.where(possible, names[:, None], len(joint)).min(axis=0)
        after = np.where(possible, of_background, len(joint)).min(axis=1)
        if np.array_equal(after, names):
            return np.unique(names, return_inverse=True)[1].astype(np.int64)
        names = after
