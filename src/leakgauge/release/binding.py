"""A plan bound to a table: which columns are read, what each releases, what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from leakgauge.errors import ColumnError, LabelError, OptionError, did_you_mean
from leakgauge.mechanisms import FiniteMechanism, Mechanism, NoisyNumber, parse_mechanism, through_channel
from leakgauge.notions.composition import Step, step_of
from leakgauge.probability import Interval, Label
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Randomness
from leakgauge.release.letters import Alphabet, Places, Written, numbers_of
from leakgauge.release.plan import Planned, ReleasePlan
from leakgauge.tables import Column, Kind, Table

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST_ALPHABET = 1 << 16
"""Letters that a table may bring of its own; more are a key rather than an alphabet."""


@runtime_checkable
class SetMechanism(Mechanism, Protocol):
    """A mechanism that releases a set of letters for each value."""

    @property
    def letters(self) -> tuple[Label, ...]:
        """All of them."""

    def run_places(self, rows: npt.NDArray[np.integer], randomness: Randomness) -> npt.NDArray[np.bool_]:
        """For the number of each value which letters are in its set."""

    def texts(self, matrix: npt.NDArray[np.bool_]) -> list[str]:
        """Each set as text."""


@dataclass(frozen=True)
class BoundColumn:
    """One mechanism, the columns it reads and those it writes.

    Attributes:
        name: the column in the plan.
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
            drawn = mechanism.run_places(places, randomness)
            return [written.take(drawn) for written in self._written]
        assert isinstance(mechanism, SetMechanism)
        return [pa.array(mechanism.texts(mechanism.run_places(places, randomness)), pa.string())]

    def counted_among(self, table: Table) -> bool:
        """Whether counting, which is faster than streaming, shows that every value is an input."""
        numeric = isinstance(self.mechanism, NoisyNumber)
        if numeric or len(self.reads) > 1 or any(isinstance(letter, Interval) for letter in self._inputs):
            return False
        try:
            found = table.counts(*self.reads, limit=len(self._inputs))
        except ColumnError:
            return False
        return set(found.labels(self.name)) <= set(self._inputs)

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
                "The columns {names} have a combination of values that is not an input of the channel; add it.",
                names=", ".join(map(repr, self.reads)),
            )
        return found

    @cached_property
    def _inputs(self) -> tuple[Any, ...]:
        """The labels of the inputs; tuples where several columns are read."""
        if isinstance(self.mechanism, SetMechanism):
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
    def _written(self) -> list[Written]:
        channel = self.mechanism.channel()
        assert channel is not None
        outputs: tuple[Any, ...] = channel.outputs
        if len(self.writes) == 1:
            return [Written.of(outputs)]
        return [Written.of(part) for part in zip(*outputs, strict=True)]


@dataclass(frozen=True)
class BoundPlan:
    """A plan whose columns are all in the table, with mechanisms that fit them."""

    columns: tuple[BoundColumn, ...]
    public: tuple[str, ...]
    order: tuple[str, ...]
    steps: tuple[Step, ...] = field(repr=False)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        return tuple(dict.fromkeys([*(name for one in self.columns for name in one.reads), *self.public]))

    def batches(self, table: Table, randomness: Randomness, size: int) -> Iterator[dict[str, Any]]:
        """The released columns, batch by batch."""
        for batch in table.batches(*self.reads, size=size):
            made: dict[str, Any] = {name: batch.column(name) for name in self.public}
            for one in self.columns:
                columns = one.released([batch.column(name) for name in one.reads], randomness)
                made.update(zip(one.writes, columns, strict=True))
            yield {name: made[name] for name in self.order}

    def require_known_values(self, table: Table) -> None:
        """Refuse, before anything is spent or written, a table with values that a mechanism cannot take.

        Raises:
            ColumnError: such a value; its kind is told, the value is not.
        """
        streamed = [one for one in self.columns if not one.letters_from_table and not one.counted_among(table)]
        reads = tuple(dict.fromkeys(name for one in streamed for name in one.reads))
        if reads:
            for batch in table.batches(*reads, size=1 << 17):
                for one in streamed:
                    one.require_known([batch.column(name) for name in one.reads])


def bind(plan: ReleasePlan, table: Table) -> BoundPlan:
    """The plan bound to a table.

    Raises:
        ColumnError: a column that is not in the table or of a kind its mechanism cannot take.
        OptionError: two mechanisms for one column, or one column written twice.
    """
    known = {column.name: column for column in table.columns()}
    for name in (*plan.columns, *plan.public):
        _require_known(name, known)
    columns = tuple(_bound(name, how, known, table) for name, how in plan.columns.items())
    _require_one_each(columns, plan.public)
    for one in columns:
        for name in one.reads:
            _require_known(name, known)
    made = [*(name for one in columns for name in one.writes), *plan.public]
    order = [name for name in known if name in made] + [name for name in made if name not in known]
    return BoundPlan(columns, plan.public, tuple(order), tuple(step_of(one.mechanism) for one in columns))


def _bound(name: str, how: Planned, known: Mapping[str, Column], table: Table) -> BoundColumn:
    if isinstance(how, NamedChannel):
        fixed = through_channel(how.channel)
        exact = NamedChannel(fixed.exact, how.inputs, how.outputs, how.prior_origin)
        return BoundColumn(name, fixed, how.inputs, how.outputs, channel=exact)
    column, own = known[name], isinstance(how, str) and _lacks_letters(how)
    mechanism = _mechanism(how, column, table, own) if isinstance(how, str) else how
    if column.kind not in mechanism.capabilities.columns:
        raise ColumnError(
            "Column {name!r} holds {kind}, which {mechanism} cannot release; {way}.",
            name=name,
            kind=column.kind.value,
            mechanism=mechanism.name,
            way="give lower and upper in place of a sensitivity"
            if isinstance(mechanism, NoisyNumber) and mechanism.capabilities.answers
            else "choose another mechanism",
        )
    channel = mechanism.channel() if isinstance(mechanism, FiniteMechanism) else None
    named = None if channel is None else NamedChannel(channel, (name,), (name,))
    return BoundColumn(name, mechanism, (name,), (name,), own, named)


def _mechanism(text: str, column: Column, table: Table, own: bool) -> Mechanism:
    if column.kind is Kind.INT and "grid=" not in text and text.split(":")[0] in ("laplace", "gaussian"):
        # Whole numbers stay whole: noise in steps of 1.
        text = f"{text}{',' if ':' in text else ':'}grid=1"
    return parse_mechanism(text, letters=_letters(table, column.name) if own else None)


def _lacks_letters(text: str) -> bool:
    name, _, parameters = text.partition(":")
    given = [part.partition("=")[0].strip() for part in parameters.split(",")]
    return name in ("randomized-response", "unary-encoding", "subset-selection") and "letters" not in given


def _letters(table: Table, name: str) -> tuple[Label, ...]:
    counts = table.counts(name, limit=LARGEST_ALPHABET)
    letters = counts.labels(name)
    if len(letters) < 2:
        raise LabelError("Column {name!r} has fewer than 2 values; declare its letters with letters=a|b|….", name=name)
    return tuple(letters)


def _require_known(name: str, known: Mapping[str, Column]) -> None:
    if name not in known:
        raise ColumnError(
            "The plan names column {name!r}, which is not in the table; {hint}",
            name=name,
            hint=did_you_mean(name, known),
        )


def _require_one_each(columns: Sequence[BoundColumn], public: Sequence[str]) -> None:
    written = [*(name for one in columns for name in one.writes), *public]
    for name in written:
        if written.count(name) > 1:
            raise OptionError("Column {name!r} would be released twice; give it one mechanism.", name=name)
    secret = [name for one in columns for name in one.reads if name not in public]
    for name in secret:
        if secret.count(name) > 1:
            raise OptionError("Two mechanisms read column {name!r}; give it one.", name=name)
