"""The most a channel can reveal, over all priors, or a refusal where the proof is not as close as asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from leakgauge.errors import UnprovedError
from leakgauge.measures import capacities
from leakgauge.probability import Channel, Distribution


@dataclass(frozen=True, eq=False)
class Capacity:
    """The capacity of a channel between two proven bounds.

    Attributes:
        bits: what the channel tells about a secret with this source, in bits; the capacity is not below it.
        gap: the capacity is at most ``bits + gap``, in bits.
        source: a prior at which ``bits`` are told.
    """

    bits: float
    gap: float
    source: Distribution = field(repr=False)


def capacity(channel: Channel, gap: float = 1e-9) -> Capacity:
    """max over p(x) of I(X;Y) in bits, with the prior that reaches it; no prior makes the channel leak more.

    Args:
        gap: how far the bounds may be apart, in nats.

    Raises:
        OptionError: a gap that is not above 0.
        UnprovedError: the gap was not reached; the message says how close it came.

    Example:
        >>> found = capacity(Channel("ab", "ab", [[0.9, 0.1], [0.1, 0.9]]))
        >>> round(found.bits, 6), found.gap < 1e-8
        (0.531004, True)
    """
    found = capacities.shannon(channel, gap)
    apart = found.high - found.value
    # Rounding, which the upper bound gives away, is no lack of proof.
    if apart * math.log(2) > gap + 2 * capacities.ROUNDING * (1 + found.high):
        raise UnprovedError(
            "The capacity is proven to within {found:.3g} nats, not within {asked:.3g}; ask for a larger gap.",
            found=apart * math.log(2),
            asked=gap,
        )
    return Capacity(found.value, apart, found.prior)
