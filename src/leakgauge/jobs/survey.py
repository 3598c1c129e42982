"""Survey a table before anything is released: which columns identify people, and which reveal a secret."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Unpack, cast

import msgspec

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity, Sentence
from leakgauge.artefacts.quantity import SHARE
from leakgauge.artefacts.request import FRAME
from leakgauge.artefacts.request.verbs import Surveying, SurveyOptions
from leakgauge.artefacts.survey import Combination, Suggested, Survey, SurveyedColumn, Told
from leakgauge.assessment import Policy
from leakgauge.audit.combinations import MANY_ALONE, sets_that_single_out
from leakgauge.audit.identifiers import NEARLY_ALL, identifies, is_free_text
from leakgauge.case.columns import values_of
from leakgauge.case.exposure import told_by_each
from leakgauge.case.reading import FEWEST_ROWS, require_people
from leakgauge.errors import ColumnError, OptionError, RefusalError, TableError, did_you_mean
from leakgauge.sentences import in_turn
from leakgauge.tables import Column, Kind, Table, in_bins, open_table
from leakgauge.tables.binnings import parse_binnings
from leakgauge.tables.postgresql.address import without_user
from leakgauge.tables.reading import reading_of
from leakgauge.tables.sampling import sampled
from leakgauge.tables.table import GroupSizes

MOST_COLUMNS = 500
"""A table with more columns is a matrix, and nobody would read its survey."""
TELLS_MUCH = 0.1
"""Share of a secret's information from which a column is better not published."""

_FREE_TEXT = Sentence("free text, which may contain anything")
_NO_SECRET = Sentence("depends on the secret, and none is named")
_NAMED = Sentence("as chosen")

Progress = Callable[[int, int], None]


@checked
def survey(
    table: object, secrets: Sequence[str] = (), *, progress: Progress | None = None, **options: Unpack[SurveyOptions]
) -> Survey:
    """Which columns of a table identify people, which single them out together, and what each reveals about each
    secret.

    Args:
        table: a path or a frame, as ``open_table`` takes it, or an open table, which stays open.
        secrets: the columns to protect.
        columns: the columns to look at besides the secrets; by default all.
        unit: the column that says which rows are of one person.
        bins: how columns are binned, such as ``age=width:10``; the bins are surveyed.
        levels: coarser values of columns, such as ``job=jobs.csv:2``; these are surveyed.
        confidence: of intervals.
        progress: called with the amounts done and in all.
        options: how the table is read, as ``open_table`` takes it: ``missing``, ``encoding``, ``date_format``, ….

    Raises:
        ColumnError: a secret that does not exist, or too many columns.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"id": list(range(100)), "city": ["A", "B"] * 50, "ill": ["yes", "no"] * 50})
        >>> found = survey(people, ["ill"])
        >>> found.column("id").suggested.value, found.column("city").suggested.value
        ('leave out', 'background')
    """
    names, asked, reading = tuple(secrets), Surveying.of_options(options), reading_of(options)
    is_open = Table in type(table).__mro__
    if is_open and reading:
        raise OptionError(
            "The table is open, so it is read already; give {name!s} to open_table, or leave it out.",
            name=next(iter(reading)),
        )
    with nullcontext(cast("Table", table)) if is_open else open_table(table, **reading) as opened:
        kinds = {column.name: column.kind for column in opened.columns()}
        known = list(kinds)
        wanted = tuple(dict.fromkeys((*names, *asked.columns, *(() if asked.unit is None else (asked.unit,)))))
        for name in wanted:
            if name not in known:
                raise ColumnError("There is no column {name!r}; {hint}", name=name, hint=did_you_mean(name, known))
            if kinds[name] is Kind.OTHER:
                opened.counts(name)  # refused, and the engine says why
        return surveyed(
            in_bins(opened, parse_binnings(asked.bins, tuple(known), asked.levels)),
            names,
            msgspec.structs.replace(asked, columns=wanted if asked.columns else ()),
            called=Path(without_user(str(table))).name if isinstance(table, str | Path) else FRAME,
            progress=progress,
        )


def surveyed(
    table: Table,
    secrets: tuple[str, ...],
    asked: Surveying,
    *,
    published: tuple[str, ...] = (),
    called: str = "",
    progress: Progress | None = None,
) -> Survey:
    """The survey of a table that is in its bins; of ``published`` columns also how they group rows."""
    columns, unit = _columns(table, asked.columns), asked.unit
    _require_enough(table, secrets, unit)
    stages, tell = 2 + len(secrets), progress or (lambda done, of: None)
    sample = sampled(table, tuple(columns), simulation_seed=0)
    sizes = {one.columns[0]: one for one in table.group_sizes([(name,) for name in columns], unit=unit)}
    tell(1, stages)
    given = {**dict.fromkeys(secrets, Suggested.SECRET), **({} if unit is None else {unit: Suggested.UNIT})}
    named = {
        name: identifies(columns[name], sample.columns[name], distinct=one.groups, alone=one.alone, rows=table.rows)
        for name, one in sizes.items()
    }
    # Columns that identify people by themselves need no others, and protected columns are not published.
    free = [name for name in columns if named[name] is None and name not in given]
    codes = {name: values_of(sample.columns[name], name) for name in free}
    units = None if unit is None else values_of(sample.columns[unit], unit)
    combinations = sets_that_single_out(table, codes, sizes, unit, units)
    tell(2, stages)
    told, entropies = list[dict[str, Told]](), dict[str, Quantity]()
    for secret in secrets:
        seen = [name for name in columns if name not in (secret, unit)]
        entropies[secret], each = told_by_each(sample, secret, seen, unit, asked.confidence)
        told.append(
            {
                one.columns[0]: Told(secret, one.information, one.success, significant=one.information.ends[0] > 0)
                for one in each
            }
        )
        tell(2 + len(told), stages)
    alone_by_itself = {name for name, one in sizes.items() if one.alone >= MANY_ALONE * table.rows}
    singling = alone_by_itself.union(*(one.columns for one in combinations))
    # Among columns that single people out together, the one with most values contributes most.
    finest = alone_by_itself.union(max(one.columns, key=lambda name: sizes[name].groups) for one in combinations)
    found = []
    for name, column in columns.items():
        unique = sizes[name].alone >= NEARLY_ALL * table.rows
        tells = [of[name] for of in told if name in of]
        if unique:
            # Counting cannot show what a column of unique values reveals, but it identifies everybody.
            whole = Quantity(1.0, SHARE)
            tells = [Told(one.secret, entropies[one.secret], whole, significant=True) for one in tells]
        one = SurveyedColumn(
            name,
            column.kind.words,
            sizes[name].groups,
            sample.missing[name],
            sizes[name].alone,
            named[name],
            is_free_text(column, sample.columns[name]),
            name in singling,
            tuple(tells),
        )
        role, reason = _suggested(one, entropies, name in finest) if name not in given else (given[name], _NAMED)
        found.append(msgspec.structs.replace(one, suggested=role, reason=reason))
    found.sort(key=lambda one: -max((told.information.value for told in one.tells), default=0.0))
    return Survey(
        called,
        table.rows,
        sample.rows,
        secrets,
        tuple(found),
        tuple(map(_combination, combinations)),
        {one.name: one.suggested for one in found},
        _combination(table.group_sizes([published], unit=unit)[0]) if published else None,
    )


def _require_enough(table: Table, secrets: tuple[str, ...], unit: str | None) -> None:
    """Refuse a table too small to be split, and columns with two roles."""
    if unit in secrets or len(set(secrets)) < len(secrets):
        raise OptionError("A column is named twice, as secret or as unit and secret; name each column once.")
    if table.rows < FEWEST_ROWS:
        raise TableError(
            "The table has {rows} rows, too few for a survey; at least {least} are needed.",
            rows=table.rows,
            least=FEWEST_ROWS,
        )
    if unit is not None:
        require_people(table, unit)


def _columns(table: Table, names: Sequence[str]) -> dict[str, Column]:
    """The columns to look at: those named, or all except nested and binary ones, which cannot be published."""
    columns = {one.name: one for one in table.columns() if one.kind is not Kind.OTHER}
    chosen = columns if not names else {name: columns[name] for name in names if name in columns}
    if len(chosen) > MOST_COLUMNS:
        raise ColumnError(
            "The table has {found} columns, more than {most}; name the relevant ones with --column.",
            found=len(chosen),
            most=MOST_COLUMNS,
        )
    return chosen


def _combination(sizes: GroupSizes) -> Combination:
    return Combination(sizes.columns, sizes.groups, sizes.alone, sizes.smallest)


def _suggested(column: SurveyedColumn, entropies: Mapping[str, Quantity], finer: bool) -> tuple[Suggested, Sentence]:
    """The role of a column, and why."""
    if column.identifier is not None:
        return Suggested.LEAVE_OUT, column.identifier
    if column.free_text:
        return Suggested.LEAVE_OUT, _FREE_TEXT
    if finer:
        return Suggested.COARSEN, Sentence("singles people out")
    for told in column.tells:
        if told.significant and told.information.ends[0] >= TELLS_MUCH * entropies[told.secret].value:
            return Suggested.BACKGROUND, Sentence("reveals much about {secret!s}", secret=told.secret)
    return Suggested.PUBLIC, Sentence("reveals little") if entropies else _NO_SECRET


def require_large_groups(found: Survey, policy: Policy) -> None:
    """Refuse to publish columns in which more rows are unique, or groups are smaller, than the given policy allows.

    Raises:
        RefusalError: says how many, or how small.
    """
    together, most = found.published, policy.max_alone if "max_alone" in policy.given else None
    if together is None:
        return
    if most is not None and together.alone / found.rows > most:
        raise RefusalError(
            "{share:.3%} of the rows are unique in the public columns {columns!s}, but the policy allows {most:.3%} "
            "(max_alone); publish fewer or coarser columns.",
            share=together.alone / found.rows,
            columns=together.columns,
            most=most,
        )
    if policy.min_k is not None and together.smallest < policy.min_k:
        raise RefusalError(
            "The smallest group of the public columns {columns!s} has {smallest} rows, or persons, but the policy "
            "asks for {least} (min_k); publish fewer or coarser columns, for instance with --min-k {least}.",
            columns=together.columns,
            smallest=together.smallest,
            least=policy.min_k,
        )


def require_publishable(found: Survey, public: Sequence[str], accepted: Sequence[str]) -> None:
    """Refuse to publish columns that identify people.

    Raises:
        RefusalError: names the columns, why they are refused, and how to publish them anyway.
    """
    named = [one for one in found.columns if one.name in public and one.name not in accepted]
    reasons = [
        Sentence("{column!s} ({reason})", column=one.name, reason=one.identifier or _FREE_TEXT)
        for one in named
        if one.identifier is not None or one.free_text
    ]
    if reasons:
        raise RefusalError(
            "Columns that identify people are to be published: {columns}; leave them out, or add --accept-unique "
            "for each.",
            columns=in_turn(reasons),
        )
