"""Reading a release beside the table it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leakgauge.artefacts import Record
from leakgauge.case.case import Case
from leakgauge.case.columns import (
    columns_of,
    follows_from,
    letters_of,
    numbered,
    ranks_of,
    released_columns,
    sample_of,
    values_of,
)
from leakgauge.case.drawn import Drawn, ReleasedColumn, Role, Secret, SeenColumn
from leakgauge.errors import ColumnError, OptionError, TableError, did_you_mean
from leakgauge.measures.binomial import require_confidence
from leakgauge.notions.ceilings import promises
from leakgauge.release import Release
from leakgauge.release.bound import BoundColumn, BoundPlan, bind
from leakgauge.release.record import whole_record_error
from leakgauge.release.recorded_plan import asked_again
from leakgauge.tables import Table, in_bins, open_table
from leakgauge.tables.binnings import Bins
from leakgauge.tables.suppression import whole

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_ROWS = 16
"""Below this nothing is left to tell after the rows are split."""


@dataclass(frozen=True)
class Asked:
    """The columns of the original that an attack uses.

    Attributes:
        secrets: the protected columns to guess; none for all of them.
        withheld: columns to guess that are not released.
        background: columns that the attacker knows.
        unit: the column that identifies people.
    """

    secrets: tuple[str, ...]
    withheld: tuple[str, ...]
    background: tuple[str, ...]
    unit: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is read beside those of the plan."""
        return (*self.withheld, *self.background, *(() if self.unit is None else (self.unit,)))

    def require_columns(self, plan: BoundPlan, original: Table) -> None:
        """Refuse columns that are not there, or cannot have the role they are given."""
        known = [column.name for column in original.columns()]
        for name in (*self.names, *self.secrets):
            if name not in known:
                raise ColumnError(
                    "The original has no column {name!r}; {hint}", name=name, hint=did_you_mean(str(name), known)
                )
        protected = {name for one in plan.columns for name in (one.name, *one.writes)}
        for name in self.background:
            if name in (*self.secrets, *self.withheld):
                raise OptionError("Column {name!r} is named as secret and as background; choose one.", name=name)
            if self.background.count(name) > 1:
                raise OptionError("Column {name!r} is named twice as background; name it once.", name=name)
            if name in protected:
                raise OptionError(
                    "Column {name!r} is named as background, but the release protects it; "
                    "name columns that it does not.",
                    name=name,
                )
        readable = [name for one in plan.columns for name in one.reads if name not in plan.public]
        for name in self.secrets:
            if name in plan.public:
                raise OptionError("Column {name!r} is released unchanged; there is nothing to guess.", name=name)
            if name not in readable:
                raise ColumnError(
                    "Column {name!r} is not released through a mechanism; {hint}",
                    name=name,
                    hint=did_you_mean(name, readable),
                )
        for name in self.withheld:
            if name in plan.public:
                raise OptionError("Column {name!r} is released unchanged; there is nothing to guess.", name=name)
            if name in plan.reads:
                raise OptionError(
                    "Column {name!r} is named as withheld, but the release contains it; name it as a secret.", name=name
                )
            if self.withheld.count(name) > 1 or name == self.unit:
                raise OptionError("Column {name!r} is named twice; give it one role.", name=name)


def read_drawn(
    release: Release | Path | str,
    original: Table,
    *,
    secret: str | Iterable[str] | None = None,
    withheld: Iterable[str] = (),
    background: Iterable[str] = (),
    unit: str | None = None,
    bins: Bins | None = None,
    released: Path | str | None = None,
    confidence: float = 0.95,
    targets: int = 2000,
    simulation_seed: int = 0,
) -> Drawn:
    """A release beside its original; arguments and errors as of ``attack``."""
    require_settings(confidence, targets, simulation_seed)
    made = Release.read(release)
    record, place = made.record, made.record_file
    # No name at all is the default, as at the command line.
    secrets = (secret,) if isinstance(secret, str) else tuple(secret or ())
    asked = Asked(secrets, tuple(withheld), tuple(background), unit or record.plan.unit)
    with open_table(made.source if released is None else str(released)) as opened:
        plan = bind(asked_again(record.plan, place), original)
        _require_rows(original, opened)
        asked.require_columns(plan, original)
        if asked.unit is not None:
            require_people(original, asked.unit)
        # Part of a person's rows would hide what the others tell: with a unit all rows are read.
        sample = sample_of(original.rows, simulation_seed) if asked.unit is None else None
        read = tuple(dict.fromkeys((*plan.reads, *asked.names)))
        values = columns_of(in_bins(plan.table, bins or {}), read, sample)
        # What is suppressed in the release is known all the same to whoever knows the column.
        knowing = columns_of(in_bins(whole(plan.table), bins or {}), asked.background, sample)
        published = columns_of(plan.table, plan.public, sample)
        # Public columns too: what was swapped on the way is seen by everybody, whatever the table has.
        shown = [*plan.public, *(name for one in plan.columns for name in one.writes)]
        written = released_columns(opened, shown, made.order, sample)
    columns = tuple(_column(one, values, written, record, place) for one in plan.columns)
    rows = len(next(iter(values.values())))
    known, only_public = asked.background, tuple(name for name in plan.public if name not in asked.background)
    return Drawn(
        columns,
        tuple(_secrets(columns, values, plan.public, asked)),
        numbered(*(letters_of(knowing[name], name) for name in known), rows=rows),
        known,
        # Not by quantile: a public number is known to the last digit.
        numbered(*(values_of(written[name], name) for name in plan.public), rows=rows),
        plan.public,
        promises(record.together),
        confidence,
        targets,
        simulation_seed,
        tuple(
            SeenColumn(name, role, *ranks_of(of[name], name))
            for role, names, of in ((Role.BACKGROUND, known, knowing), (Role.PUBLIC, only_public, written))
            for name in names
        ),
        None if asked.unit is None else values_of(values[asked.unit], asked.unit),
        is_sample=sample is not None,
        altered=tuple(name for name in plan.public if not follows_from(written[name], published[name], name)),
        case=Case(in_bins(plan.table, bins or {}), known, asked.unit, confidence),
        plan=plan,
    )


def require_settings(confidence: float, targets: int, simulation_seed: int) -> None:
    """Refuse settings of attacks outside their range."""
    require_confidence(confidence)
    if targets < 16:
        raise OptionError("{targets} targets are too few to show anything; try 1000 or more.", targets=targets)
    if simulation_seed < 0:
        raise OptionError(
            "A simulation seed of {seed} is below 0; give a whole number of at least 0.", seed=simulation_seed
        )


def _column(
    bound: BoundColumn, values: Mapping[str, pa.Array], written: Mapping[str, pa.Array], record: Record, place: Path
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
    columns: Sequence[ReleasedColumn], values: Mapping[str, pa.Array], public: Sequence[str], asked: Asked
) -> Iterator[Secret]:
    for column in columns:
        names = tuple(name for name in column.reads if name not in (*public, *asked.background))
        if asked.secrets:
            names = tuple(name for name in names if name in asked.secrets)
        if names:
            yield Secret.of(names, values, column)
    for name in asked.withheld:
        yield Secret.of((name,), values)


def require_people(table: Table, unit: str) -> None:
    """Refuse a unit with too few values to split people into parts."""
    (sizes,) = table.group_sizes([(unit,)])
    if sizes.groups < FEWEST_ROWS:
        raise OptionError(
            "The unit {name!r} has {found} values, too few to be people; name a column with at least {least}, or "
            "leave it out.",
            name=unit,
            found=sizes.groups,
            least=FEWEST_ROWS,
        )


def _require_rows(original: Table, released: Table) -> None:
    if original.rows != released.rows:
        raise TableError(
            "The release has {released} rows, but the original has {original}; name the table that was released.",
            released=released.rows,
            original=original.rows,
        )
    if original.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few for an attack; at least {fewest} are needed.",
            rows=original.rows,
            fewest=FEWEST_ROWS,
        )
