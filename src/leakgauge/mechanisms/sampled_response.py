"""Randomized response on a sample of the rows; nothing is released of the others."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from leakgauge.claims import LocalDP, MaximalLeakage
from leakgauge.errors import OptionError
from leakgauge.mechanisms.finite import UNITS, ChannelLaw, FiniteMechanism, randomized_response, units_above
from leakgauge.probability import Channel, Label


def sampled_randomized_response(
    epsilon: float, *, sampling_probability: float, letters: Iterable[Label]
) -> FiniteMechanism:
    """A row is sampled with this probability and then answers by randomized response; else its value is missing.

    The release shows who was sampled, so sampling does not lower ε: a row that answers is protected by ε, no more.
    Sampling lowers the total leakage: mutual information is multiplied by s, and maximal leakage becomes log2(1 + s
    (2^L − 1)) bits, L being that of randomized response. The second claim is this with L ≤ ε, whatever the letters; the
    channel has it exactly. The same formula as an ε, ln(1 + s (e^ε − 1)) (Balle, Barthe and Gaboardi, Privacy
    amplification by subsampling, 2018), holds only where nobody learns who is in the sample.

    Args:
        epsilon: the budget of a row that is sampled, in nats.
        sampling_probability: s, above 0 and below 1.
        letters: all values the column may have; missing ones must have a value of their own first.

    Raises:
        LabelError: a letter repeats.
        OptionError: a budget or probability outside its range, missing values among the letters, or letters that
            randomized response does not take.

    Example:
        >>> answer = sampled_randomized_response(1.0, sampling_probability=0.5, letters=["yes", "no"])
        >>> answer.channel().outputs, [round(q, 4) for q in answer.channel().matrix[0].tolist()]
        (('yes', 'no', None), [0.3655, 0.1345, 0.5])
    """
    known = randomized_response(epsilon, letters=letters).letters
    if not 0 < sampling_probability < 1:
        raise OptionError(
            "A sampling probability of {found} is not between 0 and 1; give a share of the rows, such as 0.1.",
            found=sampling_probability,
        )
    if None in known:
        raise OptionError(
            "Rows that are not sampled are released as missing, but missing is one of the letters; replace missing "
            "values by a text first."
        )
    sampled, count = round(sampling_probability * UNITS), len(known)
    # The true letter is told a little less often, never more: the ratio of two letters stays within e^ε.
    other = units_above(1, epsilon, count - 1, whole=sampled)
    same = sampled - (count - 1) * other
    if sampled == UNITS or same < other:
        raise OptionError(
            "A sampling probability of {found} leaves no room for {count} letters in multiples of 2^-53; give a "
            "larger one.",
            found=sampling_probability,
            count=count,
        )
    matrix = np.full((count, count + 1), other / UNITS)
    np.fill_diagonal(matrix, same / UNITS)
    matrix[:, -1] = (UNITS - sampled) / UNITS
    # For any number of letters, which may be secret; rounded up.
    told = math.log1p(sampled / UNITS * math.expm1(min(epsilon, 700.0))) / math.log(2) * (1 + 1e-15)
    return FiniteMechanism(
        "sampled-randomized-response",
        {"epsilon": epsilon, "sampling_probability": sampling_probability, "letters": known},
        (LocalDP(epsilon), MaximalLeakage(told)),
        ChannelLaw(Channel(known, (*known, None), matrix)),
    )
