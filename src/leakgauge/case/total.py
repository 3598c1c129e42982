"""What the whole release reveals about all secrets at once.

The sum over secrets is not a bound: for two fair coins X and X', X xor X' reveals nothing about either, but one bit
about both. What holds is I(XX';V,Y,Y') ≤ I(XX';V) + I(X;Y) + I(X';Y'), where each Y reads its own secret with noise of
its own; where Y reads a part Z of V too, I(X;Y|Z) takes the place of I(X;Y).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.exposure import Exposure, Total
from leakgauge.case.columns import numbered
from leakgauge.case.drawn import Drawn, Role, Secret
from leakgauge.case.exposure import BITS, LARGEST_CHANNEL, estimated, released_from
from leakgauge.measures.countability import is_countable
from leakgauge.measures.shannon import (
    conditional_mutual_information,
    entropy,
    leakage_with_background,
    mutual_information,
)
from leakgauge.probability import Channel
from leakgauge.probability.cells import Codes, Floats


def total_told(drawn: Drawn, exposures: Sequence[Exposure]) -> Total | None:
    """What is revealed about all secrets at once; None for a single one."""
    if len(drawn.secrets) < 2:
        return None
    letters = numbered(*(one.each for one in drawn.secrets), rows=drawn.rows)
    besides = drawn.seen_besides
    seen = numbered(*(one.codes for one in (*drawn.seen, *besides)), rows=drawn.rows)
    countable = is_countable((int(letters.max()) + 1) * (int(seen.max()) + 1), drawn.people)
    whole = estimated(drawn, entropy, letters)
    channel = (_product(drawn, letters) or _product(drawn, letters, seen)) if countable else None
    if countable and (channel is not None or not drawn.columns):
        told = (
            # No column has a mechanism that is known: all of them are among what is seen.
            estimated(drawn, mutual_information, letters, seen)
            if channel is None
            else estimated(drawn, leakage_with_background, letters, seen, channel)
        )
        # What other mechanisms drew is one sample of their noise: the unfavourable end stands for it.
        told = replace(told, value=told.high) if besides else told
        return Total(Quantity.estimated(told, BITS), exact=not besides, entropy=Quantity.estimated(whole, BITS))
    most = whole.high
    if countable:
        own = sum(_most_by_own(drawn, *one) for one in zip(drawn.secrets, exposures, strict=True))
        most = min(most, estimated(drawn, mutual_information, letters, seen).high + own)
    # Learning about one secret is learning as much about all.
    least = max(one.everything.information.ends[0] for one in exposures)
    between = Quantity(most, BITS, min(least, most), most, drawn.confidence)
    return Total(between, exact=False, entropy=Quantity.estimated(whole, BITS))


def _most_by_own(drawn: Drawn, secret: Secret, told: Exposure) -> float:
    """The bits that a secret's own released column adds at most; none where it has none."""
    column = secret.column
    if column is None or column.mechanism.compared is None:
        return sum(one.information.ends[1] for one in told.columns if Role.OWN.value in one.roles)
    width, given = int(secret.each.max()) + 1, int(column.given.max()) + 1
    law = released_from(column, secret.each * given + column.given, width * given)
    if law is None:
        return math.inf
    channel = Channel(product(range(width), range(given)), range(law.shape[1]), law)
    return estimated(drawn, conditional_mutual_information, secret.each, column.given, channel).high


def _product(drawn: Drawn, letters: Codes, seen: Codes | None = None) -> Channel | None:
    """From all secrets to all their released columns, each with noise of its own; None where one is not known.

    Where a mechanism reads what is seen too, from pairs of all secrets and what is seen.
    """
    values, others = int(letters.max()) + 1, 1 if seen is None else int(seen.max()) + 1
    cells, count = letters if seen is None else letters * others + seen, values * others
    matrix: Floats | None = None
    for one in drawn.secrets:
        if one.column is None:
            continue
        law = released_from(one.column, cells, count)
        if law is None or (matrix is not None and matrix.size * law.shape[1] > LARGEST_CHANNEL):
            return None
        matrix = law if matrix is None else np.einsum("iy,iz->iyz", matrix, law).reshape(count, -1)
    if matrix is None:
        return None
    inputs = range(values) if seen is None else product(range(values), range(others))
    return Channel(inputs, range(matrix.shape[1]), matrix)
