"""The orders into which whoever sees a release can put its rows, and who is judged by them.

Rows leave in a random order unless the table's is kept. A column that orders the rows, such as their time, puts them
back where it is published, and so does a published number or date that is different in every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.artefacts.scores import Attacker
from leakgauge.case.case import Case, read_beside
from leakgauge.case.columns import numbered, ranks_of, values_of
from leakgauge.case.counted import channel_of
from leakgauge.case.in_order import letters_in_order, numbers_in_order, strongest
from leakgauge.case.series import Series
from leakgauge.mechanisms.mechanism import Outputs
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Simulated, simulation
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release.letters import encoded, numbers_of
from leakgauge.tables import Table, open_table
from leakgauge.tables.sampling import decoded, taken
from leakgauge.tables.table import Kind

if TYPE_CHECKING:
    import pyarrow as pa

    from leakgauge.release import Release
    from leakgauge.release.bound import BoundColumn, RecordedPlan

MOST_READ = 1 << 20
"""Rows: of a longer table a few pieces, since rows drawn one by one would have no neighbours."""
_DRAWN = 1 << 17
"""Noisy numbers at least, by which the variance of the noise is known."""
_AT_ONCE = 1 << 15
_SEED = 20_261_119
"""Of the simulated release, and of permutations: not one that a rehearsal is likely to have."""
_ORDERED = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)


def ordered_attackers(
    case: Case, plan: RecordedPlan, secret: tuple[str, ...], release: Release | None = None
) -> tuple[Attacker, ...]:
    """Who knows the order of the rows, where that is known and matters for a secret; nobody otherwise.

    Args:
        release: what was drawn; None before, when a simulated draw of the mechanism stands for it.
    """
    own, by = plan.hiding(secret), _orders(case, plan)
    if own is None or not (plan.keep_order or by):
        return ()
    key = ("in order", secret, own.name, repr(own.mechanism), plan.keep_order, by, repr(case.table.bins))
    if release is None and key in case.memory:
        known: tuple[Attacker, ...] = case.memory[key]
        return known
    unit = () if case.unit is None else (case.unit,)
    rows = _Rows.read(case, tuple(dict.fromkeys((*secret, *own.reads, *unit, *by))))
    whose = np.zeros(len(rows.places), np.int64) if not unit else values_of(rows.values[unit[0]], unit[0])
    shown = _Shown.of(case, own, secret, rows, release)
    orders = list(_in_order(rows, whose, by, kept=plan.keep_order))
    found = strongest([one for order, series in orders if (one := shown.attacker(order, series, case.confidence))])
    if release is None:
        case.memory[key] = found
    return found


def _orders(case: Case, plan: RecordedPlan) -> tuple[str, ...]:
    """The columns by which rows can be put in order: the declared one, and published ones that differ in every row."""
    declared = () if plan.order_by is None else (plan.order_by,)
    public = [one.name for one in case.table.columns() if one.name in plan.public and one.kind in _ORDERED]
    looked = [name for name in public if name not in declared]
    unit = () if case.unit is None else (case.unit,)
    sizes = case.table.group_sizes([(*unit, name) for name in looked]) if looked else ()
    return (*declared, *(name for name, one in zip(looked, sizes, strict=True) if one.groups == case.table.rows))


def _in_order(rows: _Rows, whose: Codes, columns: Sequence[str], *, kept: bool) -> Iterator[tuple[Codes, Series]]:
    """The rows in each order that can be restored, as series: by a column a series per person."""
    together = np.arange(len(whose))
    persons = len(np.unique(whose))
    if kept:
        yield together, Series.of(rows.pieces)
    if kept and 1 < persons < len(whose):
        # Whoever can tell persons apart sees each one's rows in the table's order.
        order = np.lexsort((together, whose))
        yield order, Series.of(whose[order])
    # Rows that agree in the column, because it is published coarser, stand in any order unless the table's is kept.
    ties = together if kept else simulation(_SEED).permutation(len(whose))
    for name in columns:
        order = np.lexsort((ties, _sorted(rows.values[name], name), whose))
        yield order, Series.of(whose[order])


def _sorted(values: pa.Array, name: str) -> Codes:
    """The number of each value in ascending order; of texts, in which files may hold times, by their letters."""
    import pyarrow.compute as pc

    ranks, ordered = ranks_of(values, name)
    if ordered:
        return ranks
    different, codes = encoded(values, name)
    place = np.empty(len(different), dtype=np.int64)
    place[np.asarray(pc.sort_indices(different))] = np.arange(len(different))
    return place[codes]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Some columns of the table at some places.

    Attributes:
        pieces: of each row which piece of the table it is of.
    """

    places: Codes
    pieces: Codes
    values: Mapping[str, pa.Array]

    @classmethod
    def read(cls, case: Case, names: tuple[str, ...]) -> _Rows:
        """Once for settings that read the same columns."""
        key = ("rows in order", names)
        if key not in case.memory:
            places, series = Series(np.array([case.table.rows])).pieces(MOST_READ)
            case.memory[key] = cls(places, series.whose, _taken(case.table, names, places))
        found: _Rows = case.memory[key]
        return found


def _taken(table: Table, names: Sequence[str], places: Codes, order: RowOrder | None = None) -> dict[str, pa.Array]:
    """Columns at some places, or where the rows of these places left in a random order."""
    import pyarrow as pa

    there = places if order is None else order.places(places, table.rows)
    ascending = np.sort(there)
    whole = pa.Table.from_batches(list(taken(table.batches(*names), ascending)))
    back = pa.array(np.searchsorted(ascending, there))
    return {name: decoded(pa.concat_arrays(whole.column(name).chunks)).take(back) for name in names}


@dataclass(frozen=True, eq=False)
class _Shown:
    """A secret and its released column, row by row: letters, or numbers where the secret's values are numbers.

    Attributes:
        letters: of each row the number of its value, and of the released one; None of numbers.
        channel: between them, where the secret is all that it reads.
        labels: of the values.
        numbers: of each row, and its released number; None of letters.
        noise_variance: of the released number, given the true one.
    """

    letters: tuple[Codes, Codes] | None = None
    channel: Floats | None = None
    labels: tuple[str, ...] = ()
    numbers: tuple[Floats, Floats] | None = None
    noise_variance: float | None = None

    @classmethod
    def of(cls, case: Case, own: BoundColumn, secret: tuple[str, ...], rows: _Rows, release: Release | None) -> _Shown:
        """As it was drawn, or in a simulated draw."""
        inputs = own.form.inputs([rows.values[name] for name in own.reads])
        if release is None:
            outputs = own.form.law.draw(inputs, Simulated(_SEED))
        else:
            with open_table(release.source) as opened:
                written = _taken(opened, own.writes, rows.places, release.order)
            outputs = own.form.outputs([written[name] for name in own.writes])
        noise = own.mechanism.noise
        if noise is not None:
            true = _numbers(rows.values[secret[0]], noise)
            return cls(numbers=(true, _read(noise, outputs)), noise_variance=_variance(own, inputs, noise))
        codes = numbered(*(values_of(rows.values[name], name) for name in secret), rows=len(inputs))
        first = np.unique(codes, return_index=True)[1]
        labels = [", ".join(str(rows.values[name][at].as_py()) for name in secret) for at in first.tolist()]
        released, channel = _letters(own, secret, inputs[first], outputs)
        counted = case.counted(secret, read_beside(secret, own), own)
        places = None if counted is None else counted.numbers
        if counted is None or places is None or channel is None:
            return cls(letters=(codes, released), channel=channel, labels=tuple(labels))
        stands = dict(zip(map(str, counted.values), places.tolist(), strict=True))
        if not {*labels} <= {*stands}:
            return cls(letters=(codes, released), channel=channel, labels=tuple(labels))
        return _as_numbers(codes, np.array([stands[label] for label in labels]), released, channel)

    def attacker(self, order: Codes, series: Series, confidence: float) -> Attacker | None:
        """In one order of the rows; None where it does not matter."""
        if self.numbers is not None:
            true, released = (one[order] for one in self.numbers)
            return numbers_in_order(
                true, released, series, self.noise_variance, confidence=confidence, simulation_seed=_SEED + 3
            )
        assert self.letters is not None
        letters, shown = (one[order] for one in self.letters)
        return letters_in_order(
            letters, shown, series, self.channel, labels=self.labels, confidence=confidence, simulation_seed=_SEED + 3
        )


def _numbers(values: pa.Array, noise: NoisyNumber) -> Floats:
    """The true numbers; a missing one is what stands for it."""
    numbers = np.asarray(numbers_of(values), dtype=np.float64)
    return np.where(np.isnan(numbers), noise.missing if noise.missing is not None else 0.0, numbers)


def _read(noise: NoisyNumber, outputs: Outputs) -> Floats:
    return np.asarray(noise.from_grid(outputs), dtype=np.float64)


def _variance(own: BoundColumn, inputs: Codes, noise: NoisyNumber) -> float:
    """Of the noise with what is done to it afterwards, by half the squared difference of two simulated draws."""
    several = np.tile(inputs, -(-_DRAWN // len(inputs)))
    one, other = (_read(noise, own.form.law.draw(several, Simulated(_SEED + at))) for at in (1, 2))
    return float(((one - other) ** 2).mean() / 2)


def _letters(own: BoundColumn, secret: tuple[str, ...], inputs: Codes, outputs: Outputs) -> tuple[Codes, Floats | None]:
    """Of each row the number of its released value, and the channel to them, where the secret is all that it reads.

    Args:
        inputs: the input of each value of the secret.
    """
    law, channel = own.form.law, channel_of(own)
    if outputs.ndim > 1 or channel is None:
        # A set is as good as the letter that it makes likeliest.
        parts = np.array_split(outputs, -(-len(outputs) // _AT_ONCE))
        return np.concatenate([np.asarray(law.scores(inputs, part)).argmax(axis=0) for part in parts]), None
    if {*own.reads} != {*secret}:
        return np.asarray(outputs, dtype=np.int64), None
    likely = np.exp(np.asarray(law.scores(inputs, np.arange(len(channel.outputs)))))
    return np.asarray(outputs, dtype=np.int64), likely / likely.sum(axis=1, keepdims=True)


def _as_numbers(codes: Codes, places: Floats, released: Codes, channel: Floats) -> _Shown:
    """Numbers through a channel: a released value stands for the mean rank of those that are released so."""
    from scipy.stats import rankdata

    true = places[codes]
    ranks = np.bincount(codes, rankdata(true) / len(true)) / np.bincount(codes)
    joint = channel * (np.bincount(codes) / len(codes))[:, None]
    means = (ranks @ joint) / np.maximum(joint.sum(axis=0), 1e-300)
    variance = float((joint * (means - (channel @ means)[:, None]) ** 2).sum())
    return _Shown(numbers=(true, means[released]), noise_variance=variance)
