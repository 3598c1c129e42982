"""How much a count by groups sends between machines, by a formula and by simulation.

A task of n rows counts its own keys before anything is sent, so that it sends one record for each key that it met:
Σ_k 1 − (1 − p_k)^n of them on average, where p_k is the share of rows with key k and rows come in no particular order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from leakgauge.jobs.samples import adult_rows

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
SEED = 21


@dataclass(frozen=True, eq=False)
class Keys:
    """How rows are shared among keys.

    Attributes:
        shares: of the rows, of a key each.
        times: how many keys have each of these shares.
    """

    shares: Floats
    times: Floats

    @classmethod
    def of(cls, codes: Codes) -> Keys:
        """The keys of rows: equal numbers are one key."""
        sizes = np.unique(codes, return_counts=True)[1]
        return cls(sizes / len(codes), np.ones(len(sizes)))

    @classmethod
    def zipf(cls, number: float, exponent: float) -> Keys:
        """So many keys, the k-th of which has a share in proportion to k^-exponent.

        The first thousand stand by themselves; beyond, those whose ranks differ by less than 1% are given one share.
        """
        edges = np.unique(np.concatenate([np.arange(1, 1001), np.geomspace(1000, number + 1, 4000).round()]))
        times = np.diff(edges[edges <= number + 1], append=number + 1)
        ranks = edges[: len(times)] + (times - 1) / 2
        weights = ranks**-exponent
        kept = times > 0
        return cls((weights / (weights @ times))[kept], times[kept])

    @property
    def number(self) -> float:
        """Of keys."""
        return float(self.times.sum())

    def met(self, rows: float) -> Floats:
        """For each share the chance that a task of so many rows meets a key that has it."""
        return -np.expm1(rows * np.log1p(-np.minimum(self.shares, 1 - 1e-15)))

    def expected(self, rows: float) -> float:
        """The records that a task of so many rows sends on average."""
        return float(self.times @ self.met(rows))

    def deviation(self, rows: float) -> float:
        """At least the standard deviation of the records of one task: meeting one key makes no other more likely."""
        met = self.met(rows)
        return float(np.sqrt(self.times @ (met * (1 - met))))

    def sent(self, rows: int, tasks: int, draws: np.random.Generator) -> npt.NDArray[np.int64]:
        """For each key by how many of some tasks it is sent, with rows drawn at random; each key has its own share."""
        each = np.repeat(self.shares, self.times.astype(np.int64))
        by = np.zeros(len(each), dtype=np.int64)
        for _ in range(tasks):
            by += draws.multinomial(rows, each / each.sum()) > 0
        return by


def skew(loads: npt.NDArray[np.generic], reducers: int, draws: np.random.Generator) -> float:
    """What the busiest of some reducers gets, over their mean, where keys are dealt to them by a hash."""
    total = np.bincount(draws.integers(reducers, size=len(loads)), weights=loads.astype(np.float64), minlength=reducers)
    return float(total.max() / total.mean())


def codes_of(table: pa.Table) -> dict[str, Codes]:
    """Each column as numbers, equal values alike."""
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    plain = {n: c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for n, c in columns.items()}
    return {
        name: np.asarray(pc.dictionary_encode(column, null_encoding="encode").indices, dtype=np.int64)
        for name, column in plain.items()
    }


def together(columns: Sequence[Codes]) -> Codes:
    """One number for each combination of values."""
    key = columns[0]
    for codes in columns[1:]:
        key = np.unique(key, return_inverse=True)[1] * (np.int64(codes.max()) + 1) + codes
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def adult() -> tuple[str, dict[str, Codes]]:
    """People of Adult: all of them where the larger data are, otherwise the bundled sample."""
    whole = data() / "adult_train.parquet"
    if whole.exists():
        return "Adult, 15 columns", codes_of(pq.read_table(whole))
    return "Adult, bundled sample", codes_of(adult_rows())


def pickups() -> dict[str, Codes] | None:
    """Pickups in New York by hour, minute and cells of about a kilometre and 100 m; None without the larger data."""
    file = data() / "nyc_pickups_april_2014.parquet"
    if not file.exists():
        return None
    rows = pq.read_table(file)
    time = np.asarray(rows.column("time").cast(pa.int64()))
    cells = {
        name: np.stack([np.floor(np.asarray(rows.column(axis)) * scale) for axis in ("lat", "lon")])
        for name, scale in (("kilometre cell", 100), ("100 m cell", 1000))
    }
    found = {"hour": time // 3_600_000, "minute": time // 60_000}
    found |= {
        name: together([axis.astype(np.int64) - int(axis.min()) for axis in cell]) for name, cell in cells.items()
    }
    return {name: np.unique(codes, return_inverse=True)[1].astype(np.int64) for name, codes in found.items()}


def data() -> Path:
    """Where the larger data are, if they are."""
    return Path(os.environ.get("LEAKGAUGE_DATA", "../shared/data"))


def sets_of(columns: Mapping[str, Codes], sizes: Sequence[int]) -> Iterator[tuple[tuple[str, ...], Codes]]:
    """All sets of so many columns, with the key of each row."""
    for size in sizes:
        for names in combinations(columns, size):
            yield names, together([columns[name] for name in names])


def run() -> None:
    draws = np.random.default_rng(SEED)
    rows, tasks = 8_000, 4
    name, columns = adult()
    for size in (2, 3):
        expected, found, worst = 0.0, 0, 0.0
        sets = list(sets_of(columns, (size,)))
        for _, codes in sets:
            keys = Keys.of(codes)
            sent = int(keys.sent(rows, tasks, draws).sum())
            expected, found = expected + tasks * keys.expected(rows), found + sent
            sigma = np.sqrt(tasks) * keys.deviation(rows)
            worst = max(worst, abs(sent - tasks * keys.expected(rows)) / sigma if sigma > 1e-6 else 0.0)
        print(
            f"{name}, all {len(sets)} sets of {size}, {tasks} tasks × {rows} rows: {expected:,.0f} records by the "
            f"formula, {found:,} simulated ({found / expected:.4f} ×; worst set {worst:.1f} standard deviations)",
            flush=True,
        )
    _in_the_order_of_the_file()
    for number, exponent in ((1e4, 1.0), (1e6, 0.8), (1e6, 1.1)):
        keys = Keys.zipf(number, exponent)
        by, expected = keys.sent(100_000, 8, draws), 8 * keys.expected(100_000)
        print(
            f"Zipf {exponent:g} of {number:.0e} keys, 8 tasks × 1e+05 rows: {expected:,.0f} by the formula, "
            f"{by.sum():,} simulated ({by.sum() / expected:.4f} ×); of 64 reducers the busiest gets "
            f"{skew(by, 64, draws):.2f} × the mean, without counting first "
            f"{skew(np.repeat(keys.shares, keys.times.astype(np.int64)), 64, draws):.2f} ×",
            flush=True,
        )


def _in_the_order_of_the_file() -> None:
    """Rows of a file are not in random order, and a sample lacks rare keys: what that does to the formula."""
    found = pickups()
    if found is None:
        print("New York's pickups are not here; set LEAKGAUGE_DATA.")
        return
    draws = np.random.default_rng(SEED)
    for names in (("hour", "kilometre cell"), ("minute", "kilometre cell"), ("minute", "100 m cell")):
        codes = together([found[name] for name in names])
        parts, mixed = np.array_split(codes, 10), np.array_split(draws.permutation(codes), 10)
        each, tenth = len(parts[0]), Keys.of(draws.choice(codes, len(codes) // 10, replace=False))
        in_order, at_random = (sum(len(np.unique(part)) for part in split) for split in (parts, mixed))
        print(
            f"pickups by {' and '.join(names)}, 10 tasks × {each} rows: {10 * Keys.of(codes).expected(each):,.0f} by "
            f"the formula, {at_random:,} in random order, {in_order:,} in the file's order; all rows have "
            f"{codes.max() + 1:,} keys, shares of a tenth of the rows foretell {tenth.expected(len(codes)):,.0f}",
            flush=True,
        )
