"""The worth of released columns: left as they are, released through a channel, or coarser."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.measurement import ColumnUtility, ValueShares
from leakgauge.distances import Absolute, Distortion
from leakgauge.distances.distortions import mean_distance
from leakgauge.measures.coarsening import information_lost, values_covered
from leakgauge.probability import Counts, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import text_of

HALF_A_ROW = 0.5
MOST_SHARES = 40
"""The most values whose shares are listed."""
UNCHANGED = ColumnUtility(
    protected=False,
    distortion=Quantity(0.0, "distortion"),
    unchanged=Quantity(1.0, "share"),
    total_variation=Quantity(0.0, "share"),
)
"""The worth of a column released as it is."""


def through_channel(named: NamedChannel, prior: Distribution, distortion: Distortion, rows: int) -> ColumnUtility:
    """The worth of columns released through a channel, by its law.

    Args:
        prior: of what the channel reads.
        rows: of the release; a value expected in less than half a row of them is practically never released.
    """
    channel, secrets = named.channel, named.secrets
    p, q = prior.probabilities, channel.matrix
    place = {label: at for at, label in enumerate(channel.outputs)}
    same = [(row, place[label]) for row, label in enumerate(secrets) if label in place]
    kept = sum(p[row] * q[row, column] for row, column in same)
    shares = np.zeros(len(channel.outputs))
    for row, column in same:
        shares[column] += p[row]
    lost = float(sum(p[row] for row, label in enumerate(secrets) if label not in place))
    distance = (np.abs(p @ q - shares).sum() + lost) / 2
    values = {label: at for at, label in enumerate(dict.fromkeys(secrets))}
    distances = distortion.between(tuple(values), channel.outputs)
    mean = mean_distance(p, q, distances[[values[label] for label in secrets]])
    found = ColumnUtility(
        protected=True,
        distortion=Quantity(mean, "distortion"),
        unchanged=Quantity(min(float(kept), 1.0), "share"),
        total_variation=Quantity(max(float(distance), 0.0), "share"),
        shares=_shares(named, p),
    )
    if not same or isinstance(distortion, Absolute):
        # A number that is never released has near neighbours that are, and a set of values contains many.
        return found
    reached = (p @ q) * rows >= HALF_A_ROW
    dropped = lost + float(sum(p[row] for row, column in same if not reached[column]))
    return replace(found, dropped=Quantity(dropped, "share"))


def _shares(named: NamedChannel, prior: Floats) -> tuple[ValueShares, ...]:
    """The shares of the values before and after, if they are few enough to show."""
    secrets, outputs = named.secrets, named.channel.outputs
    before = dict.fromkeys(secrets, 0.0)
    for secret, share in zip(secrets, prior.tolist(), strict=True):
        before[secret] += share
    after = dict(zip(outputs, (prior @ named.channel.matrix).tolist(), strict=True))
    values = tuple(dict.fromkeys((*secrets, *outputs)))
    if len(values) > MOST_SHARES:
        return ()
    return tuple(
        ValueShares(
            tuple(None if part is None else text_of(part) for part in (one if isinstance(one, tuple) else (one,))),
            Quantity(before.get(one, 0.0), "share"),
            Quantity(min(after.get(one, 0.0), 1.0), "share"),
        )
        for one in values
    )


def coarsened(pairs: Counts) -> ColumnUtility:
    """The worth of a column that is released coarser, or with small groups suppressed.

    A coarser value is not wrong: the set of values it stands for contains the true one, and a missing value stands for
    all. Its cost is the information lost, and the number of values it stands for.

    Args:
        pairs: rows by their value and what is released of it, in this order.
    """
    values, released = (pairs.labels(name) for name in pairs.names)
    together = list(zip(*pairs.codes.tolist(), pairs.counts.tolist(), strict=True))
    same = sum(count for value, made, count in together if text_of(values[value]) == text_of(released[made]))
    gone = sum(count for value, made, count in together if values[value] is not None and released[made] is None)
    return ColumnUtility(
        protected=False,
        distortion=Quantity(0.0, "distortion"),
        unchanged=Quantity(same / pairs.n, "share"),
        total_variation=Quantity(gone / pairs.n, "share"),
        lost=Quantity(information_lost(pairs), "bits"),
        covered=Quantity(values_covered(pairs), "letters"),
    )
