"""A release beside its original, as arrays that attacks count with.

The rows of a release are matched to those of the table it was made from by the private key of their order; that is how
a guess is checked. Nothing here is written anywhere, and no value of a row is part of a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.case.columns import codes_of, letters_of, numbered, values_of
from leakgauge.measures.countability import is_countable
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.mechanism import Law, Outputs
from leakgauge.notions.ceilings import Promise
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Simulated, simulation

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.random import Generator

    from leakgauge.case.case import Case, CountedLaw
    from leakgauge.release.bound import RecordedPlan


class Role(Enum):
    """How the attacker comes to see a column."""

    BACKGROUND = "background"
    PUBLIC = "public"
    PROTECTED = "protected"
    """What the mechanism of another secret released."""
    OWN = "own"
    """What the secret's own mechanism released."""


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """One column, with the number of each row's value.

    Attributes:
        ordered: whether larger values have larger numbers.
    """

    name: str
    role: Role
    codes: Codes
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """A mechanism that has a law, with what went in and what came out, row by row and coded.

    Attributes:
        reads: columns of the original.
        writes: columns of the release.
        promises: what the record claims of it.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    mechanism: Mechanism
    inputs: Codes
    outputs: Outputs
    promises: tuple[Promise, ...]

    @cached_property
    def given(self) -> Codes:
        """For each row the number of what its claims are given; all 0 where they compare any two inputs."""
        if self.mechanism.compared is None:
            return np.zeros(len(self.inputs), dtype=np.int64)
        number = np.zeros(len(self.mechanism.letters or ()), dtype=np.int64)
        for at, places in enumerate(self.mechanism.compared):
            number[list(places)] = at
        return number[self.inputs]

    @property
    def law(self) -> Law:
        """How likely each output is."""
        law = self.mechanism.law
        assert law is not None
        return law


@dataclass(frozen=True, eq=False)
class Secret:
    """What an attacker guesses: some columns, their released column, and a letter per row.

    A withheld secret has no released column, but other columns may reveal it. For many numbers or dates the letter is a
    decile, which is guessed; bits are counted over the values.
    """

    names: tuple[str, ...]
    column: ReleasedColumn | None
    letters: Codes
    values: Codes | None = None

    @classmethod
    def of(cls, names: tuple[str, ...], rows: Mapping[str, pa.Array], column: ReleasedColumn | None = None) -> Secret:
        """The secret of some columns, given row by row."""
        count = len(next(iter(rows.values())))
        letters, each = (
            numbered(*(coded(rows[name], name) for name in names), rows=count) for coded in (letters_of, values_of)
        )
        return Secret(names, column, letters, each)

    @property
    def each(self) -> Codes:
        """The value of each row."""
        return self.letters if self.values is None else self.values


@dataclass(frozen=True, eq=False)
class ReleasedSecret(Secret):
    """A secret that is released through a mechanism."""

    column: ReleasedColumn


@dataclass(frozen=True, eq=False)
class Drawn:
    """Everything an attack needs.

    Attributes:
        columns: the released columns that are protected.
        secrets: what to guess.
        background: for each row the number of the combination of background values.
        knows: the background columns.
        classes: for each row the number of the combination of public values.
        public: the public columns.
        together: what the record claims of all columns of a row.
        confidence: of every interval.
        targets: how many rows the attacks that compare rows with rows are tried on, at most.
        simulation_seed: for splits, permutations and simulated releases; it protects nobody.
        seen: the background and the public columns one by one, as they are.
        units: for each row the number of the person it belongs to; None where rows are people. It is never seen.
        public_is_known: whether an attacker who looks for a row knows the public columns without the release; for a
            release made elsewhere, every column counts as revealed by it.
        is_sample: whether the rows are a sample of a larger release.
        altered: the public columns of the release that tell more than those of the table do.
        case: the table and who looks at it; None where nothing is known of how the rows were released.
        plan: by which they were.
    """

    columns: tuple[ReleasedColumn, ...]
    secrets: tuple[Secret, ...]
    background: Codes
    knows: tuple[str, ...]
    classes: Codes
    public: tuple[str, ...]
    together: tuple[Promise, ...]
    confidence: float = 0.95
    targets: int = 2000
    simulation_seed: int = 0
    seen: tuple[SeenColumn, ...] = ()
    units: Codes | None = None
    public_is_known: bool = True
    is_sample: bool = False
    altered: tuple[str, ...] = ()
    case: Case | None = None
    plan: RecordedPlan | None = None

    def counted_law(self, secret: tuple[str, ...]) -> CountedLaw | None:
        """The law of the release, where it is known, can be counted, and is what was released."""
        if self.case is None or self.plan is None or self.altered:
            return None
        law = self.case.counted_law(secret, self.plan)
        return None if law is None or law.by_points else law

    def keeps_noise(self, column: ReleasedColumn) -> bool:
        """Whether rows of one person and one value share the noise of a column."""
        names = () if self.plan is None else (self.plan.kept or ())
        columns = () if self.plan is None else self.plan.columns
        return any(one.name in names and one.writes == column.writes for one in columns)

    @property
    def rows(self) -> int:
        """That are attacked."""
        return len(self.classes)

    @cached_property
    def people(self) -> int:
        """Rows; where a person has several, persons."""
        return self.rows if self.units is None else len(np.unique(self.units))

    def base_rate(self, secret: tuple[str, ...]) -> float | None:
        """How often the secret is guessed right by what is known without the release, over everybody.

        None where what is known is too fine to count, or the rows are a sample. Where nothing is known it is the share
        of the commonest value, however many there are.
        """
        letters = next((one.letters for one in self.secrets if one.names == secret), None)
        known = numbered(*(one.codes for one in self.seen if one.role is Role.BACKGROUND), rows=self.rows)
        if letters is None or self.is_sample:
            return None
        width, groups = int(letters.max()) + 1, int(known.max()) + 1
        if groups > 1 and not is_countable(width * groups, self.people):
            return None
        counts = np.bincount(known * width + letters, minlength=groups * width).reshape(groups, width)
        return float(counts.max(axis=1).sum() / self.rows)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that goes into a mechanism, public ones left out."""
        return tuple(name for column in self.columns for name in column.reads if name not in self.public)

    def called(self, column: ReleasedColumn) -> str:
        """What a mechanism protects, by its columns: what is public it may read, but does not protect."""
        return ", ".join([name for name in column.reads if name not in self.public] or column.reads)

    @property
    def released_secrets(self) -> tuple[ReleasedSecret, ...]:
        """Those that go through a mechanism."""
        return tuple(
            ReleasedSecret(one.names, one.column, one.letters, one.values)
            for one in self.secrets
            if one.column is not None
        )

    def seen_beside(self, secret: Secret) -> tuple[SeenColumn, ...]:
        """Everything seen unchanged besides the secret's own column, including released columns of other secrets.

        Where nothing is known of how the secret was released, its own column is seen like the others.
        """
        others = [one for one in self.columns if one is not secret.column]
        seen = (
            replace(one, role=Role.OWN) if one.role is Role.PUBLIC and one.name in secret.names else one
            for one in self.seen
        )
        return (*seen, *(_as_seen(one) for one in others))

    @property
    def seen_besides(self) -> tuple[SeenColumn, ...]:
        """What mechanisms released that is of none of the secrets, such as public columns that go through channels."""
        return tuple(_as_seen(one) for one in self.columns if not self.hides_a_secret(one))

    def hides_a_secret(self, column: ReleasedColumn) -> bool:
        """Whether a released column is that of a secret to guess."""
        return any(secret.column is column for secret in self.secrets)

    def draws(self) -> Generator:
        """A seeded generator, for simulation only."""
        return simulation(self.simulation_seed)


def with_own_noise(drawn: Drawn, column: ReleasedColumn) -> ReleasedColumn:
    """A column in the rows whose noise is independent: where noise is kept, one of each person and value."""
    if drawn.units is None or not drawn.keeps_noise(column):
        return column
    rows = np.unique(numbered(drawn.units, column.inputs, rows=drawn.rows), return_index=True)[1]
    return replace(column, inputs=column.inputs[rows], outputs=column.outputs[rows])


def _as_seen(column: ReleasedColumn) -> SeenColumn:
    numeric = column.mechanism.noise is not None
    return SeenColumn(", ".join(column.writes), Role.PROTECTED, codes_of(column.outputs), ordered=numeric)


def fresh(draws: Generator) -> Simulated:
    """Noise for a release made afresh, for simulation only; its seed is drawn, so that it repeats nothing."""
    return Simulated(int(draws.integers(1 << 62)))
