"""The table, its columns and their roles, and what was declared: names and counts, never a value."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.request import StoredRequest
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, unprinted
from leakgauge.telling.columns import (
    asked_of,
    bins_of,
    by_coarseness,
    keeps_order,
    known_columns,
    less_telling_columns,
    levels_of,
    protected_columns,
)
from leakgauge.telling.pictures import is_drawn
from leakgauge.telling.promises import protects_persons, unit_of_protection
from leakgauge.telling.voice import AS_DECLARED, Cell, Voice, own


def context(voice: Voice) -> Iterator[Content]:
    """For what, for whom, and what counts as one: as declared, not as found."""
    yield from voice.grid("Context", "Declared|As", _declared(voice))


def _declared(voice: Voice) -> Iterator[tuple[Cell, Cell]]:
    say, record, asked = voice.language.say, voice.dossier.record, asked_of(voice)
    if record is not None:
        yield say("unit of protection"), unit_of_protection(voice)
    if record is not None and record.neighbours == "replace-one":
        yield say("neighbouring tables"), neighbours(voice)
    if asked is not None and asked.unit:
        yield say("column that says whose row it is"), own(asked.unit)
    most = {"rows_per_unit": say("the most rows of one person, publicly known")}
    yield from voice.numbers(most, asked)
    known, bins, levels = known_columns(voice), bins_of(voice), levels_of(voice)
    yield say("what the attacker knows"), voice.listed(known) if known else say("nothing")
    if bins:
        yield say("columns in bins"), voice.listed(bins)
    if levels:
        yield say("columns at a coarser level"), voice.listed(levels)
    below = {"suppress_below": say("public values are suppressed where groups are smaller than")}
    yield from voice.numbers(below, voice.dossier.plan)
    if record is not None:
        yield say("order of the rows"), say("that of the table") if keeps_order(voice) else say("random")
    declared = {
        "releases_per_period": say("how often such a release is made in a period"),
        "accounted": say("required: ε for the histogram of the design"),
    }
    yield from voice.numbers(declared, asked)
    if asked is None:
        return
    yield from _limits(voice, asked)
    if asked.use is not None:
        yield say("what the release is for"), say("its rows, one by one") if asked.use == "rows" else say("statistics")
    if asked.policy:
        yield say("policy"), asked.policy


def neighbours(voice: Voice) -> str:
    """How tables differ that the guarantee compares by replacing one."""
    if protects_persons(voice):
        return voice.language.say("differ in the rows of one person only")
    return voice.language.say("differ in one row only")


def _limits(voice: Voice, asked: StoredRequest) -> Iterator[tuple[Cell, Cell]]:
    """What was asked for: of every secret, or of each."""
    say = voice.language.say
    limits = {
        "max_distortion": say("required mean distortion, at most"),
        "max_leakage": say("required leakage in bits, at most"),
        "local_dp": say("required local ε, at most"),
        "min_protection": say("required protection (of 100), at least"),
        "min_usefulness": say("required usefulness (of 100), at least"),
    }
    for name, said in limits.items():
        limit = getattr(asked, name)
        if isinstance(limit, dict):
            for column in limit:
                number = voice.number(limit, column, digits=AS_DECLARED)
                yield say("{limit!s}, of {column}", limit=said, column=own(column)), number
        elif limit is not None:
            yield said, voice.number(asked, name, digits=AS_DECLARED)


def data(voice: Voice) -> Iterator[Content]:
    """The table and the roles of its columns."""
    yield from made_elsewhere(voice)
    rows, job = [*_table(voice)], voice.dossier.job
    yield from voice.grid("The table", "What|Value", rows)
    columns = () if job is None else job.table.columns
    roles = ((own(one.name), voice.told(one.kind), role(voice, one.name)) for one in columns)
    listed = voice.grid("Columns", "Column|Kind of values|Role", roles)
    # A survey has a line for every column with its role.
    yield from listed if voice.external or voice.dossier.survey is None else unprinted(listed)
    if not columns and voice.dossier.record is not None:
        yield voice.say("Protected: {columns}.", columns=voice.listed(protected_columns(voice)))
        plain, binned, coarser = by_coarseness(voice)
        yield voice.say("Released unchanged: {columns}.", columns=voice.listed(plain))
        if binned:
            yield voice.say("Released in bins: {columns}.", columns=voice.listed(binned))
        if coarser:
            yield voice.say("Released at a coarser level: {columns}.", columns=voice.listed(coarser))
    if (rows or columns) and voice.external and is_drawn(voice, "shares", "channel"):
        yield voice.note("This report contains no individual rows. It does name values of the secret, in charts.")
    elif (rows or columns) and voice.external:
        yield voice.note("This report contains no value of any row.")
    elif rows or columns:
        yield voice.note(
            "This report contains no individual rows. It does name values of the secret, in the guarantee "
            "table and in charts."
        )


def made_elsewhere(voice: Voice) -> Iterator[Content]:
    """The columns of a release made elsewhere: how much of each is true, and how coarse it is."""
    foreign = voice.foreign
    if foreign is None:
        return
    secret = protected_columns(voice)
    rows = [
        (
            own(one.name),
            voice.language.say("secret") if one.name in secret else voice.language.say("public"),
            voice.number(one, "contains", percent=True),
            voice.number(one.size, "value"),
            voice.number(one, "values"),
        )
        for one in foreign.columns
    ]
    yield from voice.grid(
        "What was released in each column",
        "Column|Role|Is or contains the truth|Values it stands for on average|Different values in the original",
        rows,
    )
    if rows:
        yield voice.say(
            "A coarser value, such as an interval, a set or a mask, counts as true if it contains the true value; its "
            "cost is the number of values it stands for."
        )
    for columns, template in (
        (foreign.withheld, message("Secrets that are not in the release: {columns}.")),
        (foreign.added, message("Columns that the original does not have: {columns}.")),
    ):
        if columns:
            yield voice.say(template, columns=voice.listed(columns))


def _table(voice: Voice) -> Iterator[tuple[Cell, Cell]]:
    say = voice.language.say
    table = None if voice.dossier.job is None else voice.dossier.job.table
    if table is not None and table.name is not None:
        yield say("name"), table.name
    yield from voice.numbers({"rows": say("number of rows")}, table, count=True)
    letters = [None if one.results.measurement is None else one.results.measurement.letters for one in voice.each]
    for one, values in zip(voice.each, letters, strict=True):
        said = say("different values of the secret")
        if one.group:
            said = say("different values of {secret}", secret=voice.listed(one.group))
        yield from voice.numbers({"secret": said}, values)
    yield from voice.numbers({"background": say("combinations of background values")}, letters[0])
    bins, levels = bins_of(voice), levels_of(voice)
    if bins:
        yield say("bins, which count as values here"), voice.listed(bins)
    if levels:
        yield say("coarser levels, whose values count here"), voice.listed(levels)
    hidden = {"suppressed": say("rows whose public values are suppressed")}
    yield from voice.numbers(hidden, voice.dossier.plan, count=True)
    yield from voice.numbers({"bytes": say("bytes")}, table)
    if table is not None and table.sha256 is not None:
        yield say("digest (SHA-256)"), table.sha256


def role(voice: Voice, column: str) -> str:
    """What a column is in this job."""
    say, asked = voice.language.say, asked_of(voice)
    if asked is not None and column in asked.withhold:
        return say("secret, withheld")
    if column in protected_columns(voice):
        return say("secret, protected") if voice.released else say("secret")
    if asked is not None and column == asked.unit:
        return say("unit, not released")
    if column in less_telling_columns(voice) and voice.released:
        return say("public, released through a channel")
    known = column in known_columns(voice)
    plain, binned, coarser = by_coarseness(voice)
    if column in plain:
        return say("background, released unchanged") if known else say("public, released unchanged")
    if column in binned:
        return say("background, released in bins") if known else say("public, released in bins")
    if column in coarser:
        return say("background, released at a coarser level") if known else say("public, released at a coarser level")
    if known:
        return say("background, not released") if voice.released else say("background")
    return say("public") if asked is not None and column in asked.public else say("withheld")
