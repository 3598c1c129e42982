"""Mechanisms bound to the columns of a table: what is read, what is written, what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from leakgauge.errors import ColumnError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.steps import Step
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Randomness
from leakgauge.release.forms import ColumnForm, form_of
from leakgauge.tables import Binning, Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class BoundColumn:
    """One mechanism, the columns it reads and those it writes.

    Attributes:
        name: the column in the plan; of a channel that writes several, the first of them.
        mechanism: with all its letters.
        reads: columns of the table.
        writes: columns of the release.
        letters_from_table: whether the alphabet was taken from the table itself.
        channel: the channel with its columns, where there is one.
    """

    name: str
    mechanism: Mechanism
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    letters_from_table: bool = False
    channel: NamedChannel | None = None

    @cached_property
    def form(self) -> ColumnForm:
        """How its columns are read and written."""
        return form_of(self)

    def released(self, values: Sequence[pa.Array], randomness: Randomness) -> list[pa.Array]:
        """The columns written, for a batch of the columns read."""
        return self.form.written(self.form.law.draw(self.form.inputs(values), randomness))

    def counted_among(self, table: Table) -> bool:
        """Whether counting, which is faster than streaming, shows that every value is an input."""
        labels = self.form.labels
        if not labels or len(self.reads) > 1:
            return False
        try:
            found = table.counts(*self.reads, limit=len(labels))
        except ColumnError:
            return False
        return set(found.labels(self.reads[0])) <= set(labels)


@dataclass(frozen=True)
class RecordedPlan:
    """What a plan says of columns that are there, as a record keeps it.

    Attributes:
        columns: through mechanisms.
        public: released as they are in the table.
        order: of the columns that are written.
        steps: what each mechanism costs.
        bins: how columns are binned, edges that were learnt from the table included.
    """

    columns: tuple[BoundColumn, ...]
    public: tuple[str, ...]
    order: tuple[str, ...]
    steps: tuple[Step, ...] = field(repr=False)
    bins: Mapping[str, Binning]

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        return tuple(dict.fromkeys([*(name for one in self.columns for name in one.reads), *self.public]))


@dataclass(frozen=True)
class BoundPlan(RecordedPlan):
    """A plan whose columns are all in the table, with mechanisms that fit them.

    Attributes:
        table: the table, columns that the plan bins in bins.
    """

    table: Table = field(repr=False)

    def batches(self, randomness: Randomness, size: int) -> Iterator[dict[str, pa.Array]]:
        """The released columns, batch by batch."""
        for batch in self.table.batches(*self.reads, size=size):
            yield self.made(batch, randomness)

    def made(self, batch: pa.RecordBatch, randomness: Randomness) -> dict[str, pa.Array]:
        """The released columns of one batch."""
        made: dict[str, pa.Array] = {name: batch.column(name) for name in self.public}
        for one in self.columns:
            columns = one.released([batch.column(name) for name in one.reads], randomness)
            made.update(zip(one.writes, columns, strict=True))
        return {name: made[name] for name in self.order}

    def require_known_values(self) -> None:
        """Refuse, before anything is spent or written, a table with values that a mechanism cannot take.

        Raises:
            ColumnError: such a value; its kind is told, the value is not.
        """
        streamed = [one for one in self.columns if not one.letters_from_table and not one.counted_among(self.table)]
        reads = tuple(dict.fromkeys(name for one in streamed for name in one.reads))
        if reads:
            for batch in self.table.batches(*reads, size=1 << 17):
                for one in streamed:
                    one.form.inputs([batch.column(name) for name in one.reads])
