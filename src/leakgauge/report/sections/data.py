"""The table, its columns and their roles, and what was declared: names and counts, never a value."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.request import StoredRequest
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.columns import (
    asked_of,
    bins_of,
    by_coarseness,
    keeps_order,
    known_columns,
    less_telling_columns,
    levels_of,
    protected_columns,
)
from leakgauge.report.sections.pictures import is_drawn
from leakgauge.report.sections.promises import protects_persons, unit_of_protection
from leakgauge.report.sections.teller import AS_DECLARED, Cell, Teller, own


def context(tell: Teller) -> Iterator[Content]:
    """For what, for whom, and what counts as one: as declared, not as found."""
    yield from tell.grid("Context", "Declared|As", _declared(tell))


def _declared(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    say, record, asked = tell.language.say, tell.dossier.record, asked_of(tell)
    if record is not None:
        yield say("unit of protection"), unit_of_protection(tell)
    if record is not None and record.neighbours == "replace-one":
        other = say("the same but for the values of one row")
        if protects_persons(tell):
            other = say("the same but for the values in the rows of one person")
        yield say("neighbouring tables"), other
    if asked is not None and asked.unit:
        yield say("column that says whose row it is"), own(asked.unit)
    most = {"rows_per_unit": say("the most rows of one person, publicly known")}
    yield from tell.numbers(most, asked)
    known, bins, levels = known_columns(tell), bins_of(tell), levels_of(tell)
    yield say("what the attacker knows"), tell.listed(known) if known else say("nothing")
    if bins:
        yield say("columns in bins"), tell.listed(bins)
    if levels:
        yield say("columns at a coarser level"), tell.listed(levels)
    below = {"suppress_below": say("public values are suppressed where groups are smaller than")}
    yield from tell.numbers(below, tell.dossier.plan)
    if record is not None:
        yield say("order of the rows"), say("that of the table") if keeps_order(tell) else say("random")
    declared = {
        "releases_per_period": say("how often such a release is made in a period"),
        "accounted": say("asked: ε for the histogram of the design"),
    }
    yield from tell.numbers(declared, asked)
    if asked is None:
        return
    yield from _limits(tell, asked)
    if asked.use is not None:
        yield say("what the release is for"), say("its rows, one by one") if asked.use == "rows" else say("statistics")
    if asked.policy:
        yield say("policy"), asked.policy


def _limits(tell: Teller, asked: StoredRequest) -> Iterator[tuple[Cell, Cell]]:
    """What was asked for: of every secret, or of each."""
    say = tell.language.say
    limits = {
        "max_distortion": say("asked: mean distortion at most"),
        "max_leakage": say("asked: leakage in bits at most"),
        "local_dp": say("asked: local ε at most"),
        "min_protection": say("asked: protection of at least, of 100"),
        "min_usefulness": say("asked: usefulness of at least, of 100"),
    }
    for name, said in limits.items():
        limit = getattr(asked, name)
        if isinstance(limit, dict):
            for column in limit:
                number = tell.number(limit, column, digits=AS_DECLARED)
                yield say("{limit!s}, of {column}", limit=said, column=own(column)), number
        elif limit is not None:
            yield said, tell.number(asked, name, digits=AS_DECLARED)


def data(tell: Teller) -> Iterator[Content]:
    """The table and the roles of its columns."""
    yield from _made_elsewhere(tell)
    rows, job = [*_table(tell)], tell.dossier.job
    yield from tell.grid("The table", "What|Value", rows)
    columns = () if job is None else job.table.columns
    roles = ((own(one.name), tell.told(one.kind), _role(tell, one.name)) for one in columns)
    yield from tell.grid("Columns", "Column|Kind of values|Role", roles)
    if not columns and tell.dossier.record is not None:
        yield tell.say("Protected: {columns}.", columns=tell.listed(protected_columns(tell)))
        plain, binned, coarser = by_coarseness(tell)
        yield tell.say("Released unchanged: {columns}.", columns=tell.listed(plain))
        if binned:
            yield tell.say("Released in bins: {columns}.", columns=tell.listed(binned))
        if coarser:
            yield tell.say("Released at a coarser level: {columns}.", columns=tell.listed(coarser))
    if (rows or columns) and tell.external and is_drawn(tell, "shares", "channel"):
        yield tell.note("No row is in this report, but values of the secret are: those of pictures.")
    elif (rows or columns) and tell.external:
        yield tell.note("No value of any row is in this report.")
    elif rows or columns:
        yield tell.note(
            "No row is in this report, but values of the secret are: those that reach a guarantee, and those of "
            "pictures."
        )


def _made_elsewhere(tell: Teller) -> Iterator[Content]:
    """The columns of a release made elsewhere: how much of each is true, and how coarse it is."""
    foreign = tell.foreign
    if foreign is None:
        return
    secret = protected_columns(tell)
    rows = [
        (
            own(one.name),
            tell.language.say("secret") if one.name in secret else tell.language.say("public"),
            tell.number(one, "contains", percent=True),
            tell.number(one.size, "value"),
            tell.number(one, "values"),
        )
        for one in foreign.columns
    ]
    yield from tell.grid(
        "What was released of each column",
        "Column|Role|Is or contains the truth|Values it stands for on average|Different values in the original",
        rows,
    )
    if rows:
        yield tell.say(
            "A coarser value, such as an interval, a set or a mask, counts as true if it contains the true value; its "
            "cost is the number of values it stands for."
        )
    for columns, template in (
        (foreign.withheld, message("Secrets that are not in the release: {columns}.")),
        (foreign.added, message("Columns that the original does not have: {columns}.")),
    ):
        if columns:
            yield tell.say(template, columns=tell.listed(columns))


def _table(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    say = tell.language.say
    table = None if tell.dossier.job is None else tell.dossier.job.table
    if table is not None and table.name is not None:
        yield say("name"), table.name
    yield from tell.numbers({"rows": say("number of rows")}, table, count=True)
    letters = [None if one.results.measurement is None else one.results.measurement.letters for one in tell.each]
    for one, values in zip(tell.each, letters, strict=True):
        said = say("different values of the secret")
        if one.group:
            said = say("different values of {secret}", secret=tell.listed(one.group))
        yield from tell.numbers({"secret": said}, values)
    yield from tell.numbers({"background": say("combinations of the background")}, letters[0])
    bins, levels = bins_of(tell), levels_of(tell)
    if bins:
        yield say("bins, which count as values here"), tell.listed(bins)
    if levels:
        yield say("coarser levels, whose values count here"), tell.listed(levels)
    hidden = {"suppressed": say("rows whose public values are suppressed")}
    yield from tell.numbers(hidden, tell.dossier.plan, count=True)
    yield from tell.numbers({"bytes": say("bytes")}, table)
    if table is not None and table.sha256 is not None:
        yield say("digest (SHA-256)"), table.sha256


def _role(tell: Teller, column: str) -> str:
    say, asked = tell.language.say, asked_of(tell)
    if asked is not None and column in asked.withhold:
        return say("secret, withheld")
    if column in protected_columns(tell):
        return say("secret, protected") if tell.released else say("secret")
    if asked is not None and column == asked.unit:
        return say("unit, not released")
    if column in less_telling_columns(tell) and tell.released:
        return say("public, released through a channel")
    known = column in known_columns(tell)
    plain, binned, coarser = by_coarseness(tell)
    if column in plain:
        return say("background, released unchanged") if known else say("public, released unchanged")
    if column in binned:
        return say("background, released in bins") if known else say("public, released in bins")
    if column in coarser:
        return say("background, released at a coarser level") if known else say("public, released at a coarser level")
    if known:
        return say("background, not released") if tell.released else say("background")
    return say("public") if asked is not None and column in asked.public else say("withheld")
