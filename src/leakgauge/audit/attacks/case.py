"""A release beside its original, as arrays that attacks count with.

The rows of a release stand in the order of the table it was made from; that is how a guess is checked. Nothing here is
written anywhere, and no value of a row is part of a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leakgauge.artefacts import Record
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.ceilings import Promise, promises
from leakgauge.audit.attacks.columns import columns_of, letters_of, numbered, values_of
from leakgauge.audit.binomial import require_confidence
from leakgauge.audit.outputs import Outputs
from leakgauge.errors import ColumnError, OptionError, TableError, did_you_mean
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability.cells import Codes
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.bound import BoundColumn, BoundPlan, bind
from leakgauge.release.record import whole_record_error
from leakgauge.release.recorded_plan import binnings
from leakgauge.tables import Binning, Table, in_bins, open_table

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.random import Generator

FEWEST_ROWS = 16
"""Below this nothing is left to tell after the rows are split."""


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

    @property
    def law(self) -> Law:
        """How likely each output is."""
        law = self.mechanism.law
        assert law is not None
        return law


@dataclass(frozen=True, eq=False)
class Secret:
    """What an attacker guesses: some columns, the released column that tells of them, and a letter per row."""

    names: tuple[str, ...]
    column: ReleasedColumn
    letters: Codes


@dataclass(frozen=True, eq=False)
class Case:
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
        simulation_seed: for splits, permutations and releases made afresh; it protects nobody.
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

    @property
    def rows(self) -> int:
        """Of the release."""
        return len(self.classes)

    @property
    def reads(self) -> tuple[str, ...]:
        """Every column that goes into a mechanism."""
        return tuple(name for column in self.columns for name in column.reads)

    @property
    def verdict_confidence(self) -> float:
        """Of each finding that is held against the claim, so that all of them together use half of the miss.

        The other half is for what the rows show.
        """
        # The catalogue imports the attacks, and they this module.
        from leakgauge.audit.attacks.catalogue import ATTACKS

        judged = [one.aim for one in ATTACKS.values() if one.judged]
        findings = sum(len(self.secrets) if aim is Aim.SECRET else 1 for aim in judged)
        # Twice the share, because of an interval with two ends only the lower one accuses.
        return 1 - (1 - self.confidence) / findings

    def draws(self) -> Generator:
        """A seeded generator, for simulation only."""
        return simulation(self.simulation_seed)


def fresh(draws: Generator) -> Simulated:
    """Noise for a release made afresh, for simulation only; its seed is drawn, so that it repeats nothing."""
    return Simulated(int(draws.integers(1 << 62)))


def read_case(
    release: Release | Path | str,
    original: Table,
    *,
    secret: str | None = None,
    background: Iterable[str] = (),
    bins: Mapping[str, Binning] | None = None,
    released: Path | str | None = None,
    confidence: float = 0.95,
    targets: int = 2000,
    simulation_seed: int = 0,
) -> Case:
    """A release beside its original; arguments and errors as of ``attack``."""
    require_confidence(confidence)
    if targets < 16:
        raise OptionError("{targets} targets cannot show anything; try 1000 or more.", targets=targets)
    if simulation_seed < 0:
        raise OptionError(
            "A simulation seed of {seed} is below 0; give a whole number from 0 on.", seed=simulation_seed
        )
    made, known = Release.read(release), tuple(background)
    record, place = made.record, made.record_file
    with open_table(str(made.output if released is None else released)) as opened:
        plan = _bound(record, place, original)
        _require_rows(original, opened)
        _require_columns(plan, original, secret, known)
        names = tuple(dict.fromkeys((*plan.reads, *known)))
        values = columns_of(in_bins(plan.table, bins or {}), names)
        written = columns_of(opened, [name for one in plan.columns for name in one.writes])
    columns = tuple(_column(one, values, written, record, place) for one in plan.columns)
    rows = len(next(iter(values.values())))
    return Case(
        columns,
        tuple(_secrets(columns, values, plan.public, secret, known)),
        numbered(*(letters_of(values[name], name) for name in known), rows=rows),
        known,
        # Not by quantile: a public number is known to the last digit.
        numbered(*(values_of(values[name], name) for name in plan.public), rows=rows),
        plan.public,
        promises(record.together),
        confidence,
        targets,
        simulation_seed,
    )


def _bound(record: Record, place: Path, original: Table) -> BoundPlan:
    """The record's plan, bound to the original: a mechanism kept as a channel is run as that channel."""
    plan = record.plan
    planned = {
        written: column.mechanism if column.channel is None else column.channel.named(place)
        for name, column in plan.columns.items()
        # A channel of several columns is planned for each that it writes.
        for written in (name, *(column.writes if len(column.writes) > 1 else ()))
    }
    return bind(ReleasePlan(planned, list(plan.public), binnings(plan)), original)


def _column(
    bound: BoundColumn,
    values: Mapping[str, pa.Array],
    written: Mapping[str, pa.Array],
    record: Record,
    place: Path,
) -> ReleasedColumn:
    if bound.name not in record.claims:
        raise whole_record_error(place, "claims")
    return ReleasedColumn(
        bound.reads,
        bound.writes,
        bound.mechanism,
        bound.form.inputs([values[name] for name in bound.reads]),
        bound.form.outputs([written[name] for name in bound.writes]),
        promises(record.claims[bound.name].levels),
    )


def _secrets(
    columns: Sequence[ReleasedColumn],
    values: Mapping[str, pa.Array],
    public: Sequence[str],
    secret: str | None,
    background: Sequence[str],
) -> list[Secret]:
    secrets = []
    for column in columns:
        names = tuple(name for name in column.reads if name not in (*public, *background))
        if secret is not None:
            names = tuple(name for name in names if name == secret)
        if names:
            letters = numbered(*(letters_of(values[name], name) for name in names), rows=len(column.inputs))
            secrets.append(Secret(names, column, letters))
    return secrets


def _require_rows(original: Table, released: Table) -> None:
    if original.rows != released.rows:
        raise TableError(
            "The release has {released} rows and the original {original}; name the table that was released.",
            released=released.rows,
            original=original.rows,
        )
    if original.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few to try an attack on; it needs {fewest}.",
            rows=original.rows,
            fewest=FEWEST_ROWS,
        )


def _require_columns(plan: BoundPlan, original: Table, secret: str | None, background: tuple[str, ...]) -> None:
    known = [column.name for column in original.columns()]
    for name in (*background, *(() if secret is None else (secret,))):
        if name not in known:
            raise ColumnError(
                "The original has no column {name!r}; {hint}", name=name, hint=did_you_mean(str(name), known)
            )
    protected = {name for one in plan.columns for name in (one.name, *one.writes)}
    for name in background:
        if name == secret:
            raise OptionError("Column {name!r} is named as secret and as background; choose one.", name=name)
        if background.count(name) > 1:
            raise OptionError("Column {name!r} is named twice as background; name it once.", name=name)
        if name in protected:
            raise OptionError(
                "Column {name!r} is named as background, but the release protects it; name columns that it does not.",
                name=name,
            )
    if secret is None:
        return
    if secret in plan.public:
        raise OptionError("Column {name!r} is released as it is; there is nothing to guess.", name=secret)
    readable = [name for one in plan.columns for name in one.reads if name not in plan.public]
    if secret not in readable:
        raise ColumnError(
            "Column {name!r} is not released through a mechanism; {hint}",
            name=secret,
            hint=did_you_mean(secret, readable),
        )
