"""The worth of released numbers: their errors, and how many lie outside their bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.artefacts import Origin, Quantity
from leakgauge.artefacts.measurement import NumberUtility
from leakgauge.artefacts.request import Aim
from leakgauge.case.columns import released_columns
from leakgauge.distances.centres import centres
from leakgauge.languages import message
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.probability.labels import text_of
from leakgauge.release import Release
from leakgauge.tables import Binning, Kind, Table, open_table
from leakgauge.tables.chosen_bins import bin_error, places_of

_DATES = (Kind.DATE, Kind.TIMESTAMP)


def numbers_through_channel(
    table: Table, aim: Aim, binning: Binning | None, named: NamedChannel, distortion: float, release: Release
) -> NumberUtility:
    """The worth of a table's numbers, or of their bins, released through a channel with this mean absolute
    distortion."""
    (column,) = aim.columns
    unit = _unit(table, column)
    inputs, outputs = tuple(dict.fromkeys(named.secrets)), named.channel.outputs
    places = centres(outputs, inputs)
    true, shown = _numbers(table, column), _shown(release, column, outputs, places)
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


def _shown(release: Release, column: str, outputs: Sequence[Label], places: Floats) -> Floats:
    """The number that each released value stands for: that of its text for bins, else itself."""
    by_text = dict(zip(map(text_of, outputs), places.tolist(), strict=True))
    return _released(release, column, lambda values: _placed(values, by_text))


def _placed(values: pa.Array, by_text: Mapping[str, float]) -> Floats:
    if not pa.types.is_string(values.type) and not pa.types.is_large_string(values.type):
        return places_of(values)
    encoded = pc.dictionary_encode(values, null_encoding="encode")
    known = np.array([by_text.get(text or "", np.nan) for text in encoded.dictionary.to_pylist()], dtype=np.float64)
    return np.asarray(known[np.asarray(encoded.indices)])
