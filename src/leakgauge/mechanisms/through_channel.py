"""A channel of one's own: designed, or written by hand."""

from __future__ import annotations

from leakgauge.claims import LocalDP
from leakgauge.mechanisms.finite import FiniteMechanism, exact_epsilon
from leakgauge.probability import Channel


def through_channel(channel: Channel, file: str | None = None) -> FiniteMechanism:
    """The channel in its dyadic form, with the local ε it has exactly.

    Args:
        channel: from the values of a column to what is released; None is the letter of missing values.
        file: where it was read from, for records.

    Example:
        >>> mechanism = through_channel(Channel(["ill", "well"], ["ill", "well"], [[0.75, 0.25], [0.25, 0.75]]))
        >>> str(mechanism.claims[0])
        'local-dp:1.09861'
    """
    exact = channel.dyadic()
    return FiniteMechanism("channel", {} if file is None else {"file": file}, (LocalDP(exact_epsilon(exact)),), exact)
