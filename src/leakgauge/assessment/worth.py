"""The worth of released columns: left as they are, through a channel, or coarser; and of numbers their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.measurement import ColumnUtility, NumberUtility, ValueShares
from leakgauge.artefacts.request import Aim
from leakgauge.case.columns import released_columns
from leakgauge.distances import Absolute, Distortion
from leakgauge.distances.centres import centres
from leakgauge.distances.distortions import mean_distance
from leakgauge.languages import message
from leakgauge.measures.coarsening import information_lost, values_covered
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Counts, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import text_of
from leakgauge.release import Release
from leakgauge.tables import Binning, Kind, Table, open_table
from leakgauge.tables.chosen_bins import bin_error, places_of

HALF_A_ROW = 0.5
MOST_SHARES = 40
UNCHANGED = ColumnUtility(
    protected=False,
    distortion=Quantity(0.0, "distortion"),
    unchanged=Quantity(1.0, "share"),
    total_variation=Quantity(0.0, "share"),
)
"""The worth of a column released as it is."""
_DATES = (Kind.DATE, Kind.TIMESTAMP)


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


def numbers_through_channel(
    table: Table, aim: Aim, binning: Binning | None, named: NamedChannel, distortion: float, release: Release
) -> NumberUtility:
    """The worth of a table's numbers, or of their bins, released through a channel with this mean absolute
    distortion."""
    (column,) = aim.columns
    unit = _unit(table, column)
    inputs, outputs = tuple(dict.fromkeys(named.secrets)), named.channel.outputs
    places = centres(outputs, inputs)
    by_text = dict(zip(map(text_of, outputs), places.tolist(), strict=True))
    true, shown = _numbers(table, column), _released(release, column, lambda values: _placed(values, by_text))
    known = centres(inputs, outputs)
    # As in the distance itself: a value in place of a missing one, or the reverse.
    missing = float(np.ptp(known[~np.isnan(known)])) or 1.0
    wrong = np.where(np.isnan(true) == np.isnan(shown), np.nan_to_num(np.abs(true - shown)), missing)
    # Errors in missing values are included but shared only among rows with a number, so the bound is never too small.
    numbers = int((~np.isnan(true)).sum())
    promised = distortion * len(true) / max(numbers, 1)
    promised += 0.0 if binning is None else bin_error(table, column, binning)
    return NumberUtility(
        Quantity(float(wrong.sum()) / max(numbers, 1), unit),
        allowed=None if aim.within is None else Quantity(aim.within, unit, origin=Origin.DECLARED),
        promised=Quantity(promised, unit),
    )


def numbers_through_noise(table: Table, column: str, noise: NoisyNumber, release: Release) -> NumberUtility:
    """The worth of noisy numbers between declared bounds; missing values count as their replacement."""
    true = _numbers(table, column)
    if noise.missing is not None:
        true = np.where(np.isnan(true), noise.missing, true)
    lower, upper = noise.declared
    beyond = (true < lower) | (true > upper)
    return NumberUtility(
        Quantity(float(np.abs(true - _released(release, column, places_of)).mean()), ""),
        lower=Quantity(lower, "", origin=Origin.DECLARED),
        upper=Quantity(upper, "", origin=Origin.DECLARED),
        beyond=Quantity(float(beyond.mean()), "share"),
        released_beyond=Quantity(noise.share_beyond(noise.on_grid(true)), "share"),
        clamped=noise.clamps,
    )


def variance_before_noise(table: Table, column: str, noise: NoisyNumber) -> float:
    """The variance of a column's numbers as noise is added to them: between the bounds and on the grid."""
    return float(np.var(noise.from_grid(noise.on_grid(_numbers(table, column)))))


def _unit(table: Table, column: str) -> str:
    return message("days") if next(one.kind for one in table.columns() if one.name == column) in _DATES else ""


def _numbers(table: Table, column: str) -> Floats:
    return np.concatenate([places_of(batch.column(0)) for batch in table.batches(column)])


def _released(release: Release, column: str, placed: Callable[[pa.Array], Floats]) -> Floats:
    """The numbers of a released column, row by row with the table's."""
    with open_table(release.source) as table:
        return placed(released_columns(table, [column], release.order)[column])


def _placed(values: pa.Array, by_text: Mapping[str, float]) -> Floats:
    """The number that each released value stands for: that of its text for bins, else itself."""
    if not pa.types.is_string(values.type) and not pa.types.is_large_string(values.type):
        return places_of(values)
    encoded = pc.dictionary_encode(values, null_encoding="encode")
    known = np.array([by_text.get(text or "", np.nan) for text in encoded.dictionary.to_pylist()], dtype=np.float64)
    return np.asarray(known[np.asarray(encoded.indices)])
