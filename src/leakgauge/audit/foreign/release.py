"""A release made elsewhere beside its original, as the cases that attacks are tried on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from leakgauge.artefacts import Sentence
from leakgauge.audit.attacks.rows import MOST_SCORES
from leakgauge.audit.foreign.columns import Changed
from leakgauge.audit.foreign.matching import Matched
from leakgauge.audit.identifiers import identifies
from leakgauge.case.columns import columns_of, letters_of, numbered, ranks_of, values_of
from leakgauge.case.drawn import Drawn, ReleasedColumn, Role, Secret, SeenColumn
from leakgauge.case.reading import FEWEST_ROWS, require_people, require_settings
from leakgauge.errors import ColumnError, InputError, OptionError, TableError, did_you_mean
from leakgauge.probability.cells import Codes
from leakgauge.tables import Column, Kind, Table, in_bins, open_table
from leakgauge.tables.binnings import Bins
from leakgauge.tables.reading import ReadingOptions

FEWEST_TARGETS = 200
"""Rows that are looked for, however large the table."""
_DOUBTFUL_ORDER = Sentence(
    "Matched by order, the rows agree no more than by chance: their order may differ, and then every number "
    "here is too low; match them with --key."
)


@dataclass(frozen=True)
class ForeignRoles:
    """Which columns of the original are guessed, which are known, and which says whose a row is.

    Attributes:
        secrets: columns to guess, released in some form or not at all.
        withheld: more of them, which are not released.
    """

    secrets: tuple[str, ...]
    withheld: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    unit: str | None = None
    key: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every column to guess."""
        return (*self.secrets, *self.withheld)

    @property
    def read(self) -> tuple[str, ...]:
        """Every column of the original that is named."""
        return (*self.names, *self.background, *(one for one in (self.unit, self.key) if one is not None))

    def require(self, original: Table, released: Table) -> None:
        """Refuse columns that are not there, or cannot have the role they are given."""
        known = [column.name for column in original.columns()]
        written = [column.name for column in released.columns()]
        for name in self.read:
            if name not in known:
                raise ColumnError(
                    "The original has no column {name!r}; {hint}", name=name, hint=did_you_mean(name, known)
                )
        if self.key is not None and self.key not in written:
            raise ColumnError(
                "The release has no column {name!r} to match rows by; {hint}",
                name=self.key,
                hint=did_you_mean(self.key, written),
            )
        for name in self.withheld:
            if name in written:
                raise OptionError(
                    "Column {name!r} is named as withheld, but the release contains it; name it as a secret.", name=name
                )
        for name in self.read:
            # The key may be the unit: a person with one row.
            if self.read.count(name) > 1 and not (name == self.unit == self.key):
                raise OptionError("Column {name!r} is named twice; give it one role.", name=name)


@dataclass(frozen=True, eq=False)
class ForeignRelease:
    """The matched rows of a release and its original.

    Attributes:
        known: its background columns, as coarsely as they are known.
        released: the columns of the release without the key.
        warnings: what a person should look at first.
    """

    roles: ForeignRoles
    matched: Matched
    original: Mapping[str, pa.Array]
    known: Mapping[str, pa.Array]
    released: Mapping[str, pa.Array]
    changed: Mapping[str, Changed]
    warnings: tuple[Sentence, ...]
    confidence: float
    targets: int
    simulation_seed: int

    @property
    def is_matched(self) -> bool:
        """Whether rows are those of the original that they are taken for; where they may not be, nothing is known."""
        return _DOUBTFUL_ORDER not in self.warnings

    @property
    def rows(self) -> int:
        """Those that were matched."""
        return len(self.matched.original)

    @property
    def withheld(self) -> tuple[str, ...]:
        """The secrets that are not in the release."""
        return tuple(name for name in self.roles.names if name not in self.released)

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the release that are neither the key nor a secret."""
        return tuple(name for name in self.released if name not in self.roles.names)

    @property
    def linkable(self) -> tuple[str, ...]:
        """The published columns whose values are mostly true, or new, by which a row may be linked.

        Someone who knows the truth cannot link rows by values that are mostly changed.
        """
        if _order_is_doubtful(self.matched, self.changed):
            # Which values are true cannot be told then; all of them may be.
            return self.published
        changed = self.changed.items()
        mostly = {name for name, one in changed if one.contains.mean() >= 0.5 or one.recoded is not None}
        return tuple(name for name in self.published if name in mostly or name not in self.changed)

    @property
    def added(self) -> tuple[str, ...]:
        """The columns of the release that the original does not have."""
        return tuple(name for name in self.released if name not in self.changed)

    @property
    def looked_at(self) -> pa.Table:
        """The columns of the original that are looked at, their matched rows."""
        return pa.table(dict(self.original))

    @cached_property
    def seen(self) -> Drawn:
        """For who learns from what is seen: everything that is released, the secrets' own columns included."""
        known = tuple(
            SeenColumn(name, Role.BACKGROUND, *ranks_of(self.known[name], name)) for name in self.roles.background
        )
        shown = tuple(SeenColumn(name, Role.PUBLIC, *ranks_of(one, name)) for name, one in self.released.items())
        return Drawn(
            (),
            tuple(self._secret(name, None) for name in self.roles.names),
            numbered(*(letters_of(self.known[name], name) for name in self.roles.background), rows=self.rows),
            self.roles.background,
            self._together(self.published),
            self.published,
            (),
            self.confidence,
            self.targets,
            self.simulation_seed,
            (*known, *shown),
            None if self.roles.unit is None else values_of(self.original[self.roles.unit], self.roles.unit),
            public_is_known=False,
        )

    @cached_property
    def guessing(self) -> Drawn:
        """For who knows how values were changed: the secrets that are released, with what is estimated of it."""
        columns = {name: self.changed[name].as_released for name in self.roles.names if name in self.changed}
        laws = {name: column for name, column in columns.items() if column is not None}
        return replace(
            self.seen,
            columns=tuple(laws.values()),
            secrets=tuple(self._secret(name, column) for name, column in laws.items()),
            seen=tuple(one for one in self.seen.seen if one.role is Role.BACKGROUND or one.name not in laws),
        )

    @cached_property
    def linking(self) -> Drawn:
        """For who knows the original values of a person and looks for the row: the columns that both tables have."""
        unchanged = tuple(name for name, one in self.changed.items() if one.is_unchanged)
        laws = (one.as_released for name, one in self.changed.items() if name not in unchanged)
        columns = tuple(one for one in laws if one is not None)
        return replace(
            self.seen,
            columns=columns,
            # Every target is compared with every row, column by column.
            targets=min(self.targets, max(MOST_SCORES // (self.rows * max(len(columns), 1)), FEWEST_TARGETS)),
            classes=self._together(unchanged),
            public=unchanged,
        )

    def _secret(self, name: str, column: ReleasedColumn | None) -> Secret:
        values = self.original[name]
        letters, each = (numbered(of(values, name), rows=self.rows) for of in (letters_of, values_of))
        return Secret((name,), column, letters, each)

    def _together(self, names: Sequence[str]) -> Codes:
        """For each row the number of its combination of released values."""
        return numbered(*(values_of(self.released[name], name) for name in names), rows=self.rows)


def open_foreign(released: Path | str, reading: ReadingOptions | None) -> Table:
    """The release, read as the original is; its numbers and dates may be coarser, and then they are read as text."""
    options = reading or {}
    try:
        return open_table(str(released), **options)
    except InputError:
        plain = options.copy()
        plain.pop("thousands", None)
        plain.pop("decimal", None)
        plain.pop("date_format", None)
        if plain == options:
            raise
        return open_table(str(released), **plain)


def read_foreign(
    released: Path | str,
    original: Table,
    roles: ForeignRoles,
    *,
    bins: Bins | None = None,
    reading: ReadingOptions | None = None,
    confidence: float = 0.95,
    targets: int = 2000,
    simulation_seed: int = 0,
) -> ForeignRelease:
    """A release made elsewhere, its rows matched with the original's by the key, or else by their order.

    Raises:
        TableError: as many rows as the original's are needed to match them by order, and enough of them to try attacks.
        ColumnError: a column that is not there, a key that comes again or matches no row.
        OptionError: a column that cannot have the role it is given, or a setting outside its range.
    """
    require_settings(confidence, targets, simulation_seed)
    with open_foreign(released, reading) as opened:
        roles.require(original, opened)
        if roles.unit is not None:
            require_people(original, roles.unit)
        columns = [column for column in opened.columns() if column.kind is not Kind.OTHER]
        written, rows = columns_of(opened, [column.name for column in columns]), opened.rows
    if not written.keys() - {roles.key}:
        raise TableError("The release has no column besides the key; name another table.")
    comparable = [column.name for column in original.columns() if column.kind is not Kind.OTHER]
    values = columns_of(original, [name for name in comparable if name in (*written, *roles.read)])
    if roles.key is None:
        matched = Matched.by_order(original.rows, rows)
    else:
        matched = Matched.by_key(roles.key, values[roles.key], written[roles.key])
    if len(matched.original) < FEWEST_ROWS:
        raise TableError(
            "{rows} rows are matched, too few for an attack; at least {fewest} are needed.",
            rows=len(matched.original),
            fewest=FEWEST_ROWS,
        )
    true, shown = matched.taken(values, released=False), matched.taken(written, released=True)
    known = matched.taken(columns_of(in_bins(original, bins or {}), roles.background), released=False)
    pairs = ((name, column) for name, column in shown.items() if name in true and name != roles.key)
    changed = {name: Changed.of(name, true[name], column) for name, column in pairs}
    warnings = tuple(_identifiers(columns, written, changed, roles))
    if _order_is_doubtful(matched, changed):
        warnings += (_DOUBTFUL_ORDER,)
    shown.pop(roles.key or "", None)
    return ForeignRelease(roles, matched, true, known, shown, changed, warnings, confidence, targets, simulation_seed)


def _identifiers(
    columns: Sequence[Column], written: Mapping[str, pa.Array], changed: Mapping[str, Changed], roles: ForeignRoles
) -> Iterator[Sentence]:
    """Columns of the release that name people, the key included: what is in the file is released."""
    for column in columns:
        # A changed value identifies nobody by being unique.
        if column.name in roles.names or (column.name in changed and not changed[column.name].is_mostly_unchanged):
            continue
        sizes = np.bincount(values_of(written[column.name], column.name))
        alone, rows = int((sizes == 1).sum()), int(sizes.sum())
        reason = identifies(column, written[column.name], distinct=len(sizes), alone=alone, rows=rows)
        if reason is not None:
            yield Sentence(
                "Column {name!r} is in the released file and identifies people ({reason}); do not hand it out, unless "
                "it is in this copy only for the audit.",
                name=column.name,
                reason=reason,
            )


def _order_is_doubtful(matched: Matched, changed: Mapping[str, Changed]) -> bool:
    """Whether rows that were matched by order have nothing to do with each other."""
    return matched.key is None and not any(one.follows_the_original for one in changed.values())
