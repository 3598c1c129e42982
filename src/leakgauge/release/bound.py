"""Mechanisms bound to the columns of a table: what is read, what is written, what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError
from leakgauge.mechanisms import FiniteMechanism, LetterSets, Mechanism, NoisyNumber
from leakgauge.mechanisms.steps import Step
from leakgauge.probability import Label
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Randomness
from leakgauge.release.letters import Alphabet, Places, Written, numbers_of
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

    def released(self, values: Sequence[pa.Array], randomness: Randomness) -> list[pa.Array]:
        """The columns written, for a batch of the columns read."""
        import pyarrow as pa

        mechanism = self.mechanism
        if isinstance(mechanism, NoisyNumber):
            return [pa.array(mechanism.run(numbers_of(values[0]), randomness))]
        places = self.places(values)
        if isinstance(mechanism, FiniteMechanism):
            drawn = mechanism.law.draw(places, randomness)
            return [written.take(drawn) for written in self.written]
        assert isinstance(mechanism, LetterSets)
        return [pa.array(mechanism.texts(mechanism.law.draw(places, randomness)), pa.string())]

    def counted_among(self, table: Table) -> bool:
        """Whether counting, which is faster than streaming, shows that every value is an input."""
        numeric = isinstance(self.mechanism, NoisyNumber)
        if numeric or len(self.reads) > 1:
            return False
        try:
            found = table.counts(*self.reads, limit=len(self._inputs))
        except ColumnError:
            return False
        return set(found.labels(self.reads[0])) <= set(self._inputs)

    def require_known(self, values: Sequence[pa.Array]) -> None:
        """Refuse values that the mechanism cannot take.

        Raises:
            ColumnError: such a value.
        """
        if not isinstance(self.mechanism, NoisyNumber):
            self.places(values)
        elif values[0].null_count and self.mechanism.missing is None:
            raise ColumnError(
                "Column {name!r} has missing values and no number that stands for them; add missing=NUMBER to its "
                "mechanism.",
                name=self.name,
            )

    def places(self, values: Sequence[pa.Array]) -> Places:
        """The number of the channel's input in each row.

        Raises:
            ColumnError: a value, or combination of values, is not an input.
        """
        parts = [alphabet.places(column) for alphabet, column in zip(self._alphabets, values, strict=True)]
        if len(parts) == 1:
            return parts[0]
        together = np.ravel_multi_index(parts, self._numbers.shape)
        found = self._numbers.ravel()[together]
        if (found < 0).any():
            raise ColumnError(
                "The columns {names!s} have a combination of values that is not an input of the channel; add it.",
                names=tuple(map(repr, self.reads)),
            )
        return found

    @cached_property
    def _inputs(self) -> tuple[Any, ...]:
        """The labels of the inputs; tuples where several columns are read."""
        if isinstance(self.mechanism, LetterSets):
            return self.mechanism.letters
        channel = self.mechanism.channel()
        assert channel is not None
        return channel.inputs

    @cached_property
    def _letters(self) -> list[list[Label]]:
        """The distinct letters of each column read."""
        if len(self.reads) == 1:
            return [list(self._inputs)]
        return [list(dict.fromkeys(parts)) for parts in zip(*self._inputs, strict=True)]

    @cached_property
    def _alphabets(self) -> list[Alphabet]:
        return [Alphabet(name, letters) for name, letters in zip(self.reads, self._letters, strict=True)]

    @cached_property
    def _numbers(self) -> npt.NDArray[np.int64]:
        """The number of the input for each combination of letters; -1 where there is none."""
        numbers = np.full([len(letters) for letters in self._letters], -1, dtype=np.int64)
        at = [{letter: place for place, letter in enumerate(letters)} for letters in self._letters]
        for number, label in enumerate(self._inputs):
            numbers[tuple(places[part] for places, part in zip(at, label, strict=True))] = number
        return numbers

    @cached_property
    def written(self) -> list[Written]:
        """The letters of each column that a channel writes."""
        channel = self.mechanism.channel()
        assert channel is not None
        outputs: tuple[Any, ...] = channel.outputs
        if len(self.writes) == 1:
            return [Written.of(outputs)]
        return [Written.of(part) for part in zip(*outputs, strict=True)]


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
                    one.require_known([batch.column(name) for name in one.reads])
