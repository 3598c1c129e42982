"""How far somebody is made certain of a value."""

from __future__ import annotations

import numpy as np

from leakgauge.probability.cells import Floats

NOTHING_LEFT = 1e-9
"""Chances of a wrong guess, or nats of uncertainty, below which nothing is left to protect."""
CERTAIN, NEARER = 0.9, 5.0
"""A value is all but certain from this probability on; a common one, once four fifths of the doubt are gone."""


def sureness(posterior: Floats, before: Floats) -> Floats:
    """How far a value is made all but certain, from 0 to 1, by what was known of it before.

    (t − c)₊ / (1 − c) of the posterior t, with c as ``CERTAIN`` and ``NEARER`` say; 0 of what was certain before.
    """
    doubt = 1 - before
    room = np.minimum(1 - CERTAIN, doubt / NEARER)
    # t − c = (1 − c) − (1 − t), which keeps the digits of a small doubt.
    beyond = np.maximum(room - (1 - posterior), 0.0)
    return np.divide(beyond, room, where=doubt > NOTHING_LEFT, out=np.zeros(np.shape(beyond)))
