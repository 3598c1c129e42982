"""What a stage would take on a cluster: bytes scanned, rows counted, records sent, and rows through one process."""

from __future__ import annotations

from dataclasses import dataclass

from bench.passes import Asked

RECORD = 32.0
"""Bytes of a record between machines: a key and a count. Packed, Spark takes 10 to 25 of them here."""
SENDING_ALL = 16
"""Sets of two and three columns that a survey of a large table counts at most: in the worst case no key comes twice."""


@dataclass(frozen=True)
class Cluster:
    """Machines that are alike, beside a store of objects; bytes, and bytes per second.

    Attributes:
        network: of one machine, in each direction.
        store: what a core reads from the store.
        disk: of one machine, for what is sent and spilled.
    """

    machines: int = 20
    cores: int = 16
    memory: float = 64 * 2**30
    network: float = 1.25e9
    store: float = 200e6
    disk: float = 1e12

    @property
    def reads(self) -> float:
        """All machines together: the network binds before the cores do, where they are many."""
        return self.machines * min(self.cores * self.store, self.network)


@dataclass(frozen=True)
class Rates:
    """What an engine does here; seconds are those of a core.

    Attributes:
        count: for a row in a joint count of two columns.
        group: for a row in a set of columns.
        stream: bytes of rows per second that come to one process.
        draw: for a row that one process draws and writes.
    """

    count: float
    group: float
    stream: float
    draw: float


@dataclass(frozen=True)
class Cost:
    """Seconds that a stage takes on a cluster, and the bytes behind them.

    Attributes:
        driver: of one process, through which rows go one after the other.
    """

    scan: float
    count: float
    shuffle: float
    driver: float
    sent: float
    through_driver: float

    @property
    def seconds(self) -> float:
        """Rows are counted, sent and taken in while columns are read: the slowest part is waited for."""
        return max(self.scan, self.count, self.shuffle, self.driver)

    @property
    def in_the_engine(self) -> float:
        """Without the rows that go through one process."""
        return max(self.scan, self.count, self.shuffle)


def projected(stage: str, asked: Asked, measured: int, rows: float, cluster: Cluster, rates: Rates) -> Cost:
    """What a stage asks of so many rows, from what it asked of those measured."""
    per_row = rows / measured
    work = rows * (asked.counts * rates.count + asked.sets * rates.group) / (cluster.machines * cluster.cores)
    # A number for each person is a key of its own in every row, and the survey groups by it once.
    sent, through = rows * RECORD if stage == "survey" else 0.0, asked.streamed * per_row
    drawn = rows * rates.draw if stage == "release" else 0.0
    return Cost(
        asked.scanned * per_row / cluster.reads,
        work,
        sent / (cluster.machines * cluster.network),
        max(through / min(cluster.network, rates.stream), drawn),
        sent,
        through,
    )
