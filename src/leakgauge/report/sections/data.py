"""The table, its columns and their roles, and what was declared: names and counts, never a value."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.pictures import is_drawn
from leakgauge.report.sections.teller import AS_DECLARED, Cell, Teller, own


def context(tell: Teller) -> Iterator[Content]:
    """For what, for whom, and what counts as one: as declared, not as found."""
    yield from tell.grid("Context", "Declared|As", _declared(tell))


def _declared(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    say = tell.language.say
    if tell.has("release.json", "unit_of_protection"):
        yield say("unit of protection"), tell.unit_of_protection
    if tell.get("release.json", "neighbours") == "replace-one":
        other = say("the same but for the values of one row")
        if tell.protects_persons:
            other = say("the same but for the values in the rows of one person")
        yield say("neighbouring tables"), other
    unit = tell.get("job.json", "asked", "unit")
    if unit:
        yield say("column that says whose row it is"), own(str(unit))
    most = {"rows_per_unit": say("the most rows of one person, publicly known")}
    yield from tell.numbers(most, "job.json", "asked")
    yield say("what the attacker knows"), tell.listed(tell.background) if tell.background else say("nothing")
    if tell.bins:
        yield say("columns in bins"), tell.listed(tell.bins)
    if tell.levels:
        yield say("columns at a coarser level"), tell.listed(tell.levels)
    below = {"suppress_below": say("public values are suppressed where groups are smaller than")}
    yield from tell.numbers(below, "release.json", "plan")
    if tell.has("release.json"):
        yield say("order of the rows"), say("that of the table") if tell.keeps_order else say("random")
    asked = {
        "releases_per_period": say("how often such a release is made in a period"),
        "accounted": say("asked: ε for the histogram of the design"),
    }
    yield from tell.numbers(asked, "job.json", "asked")
    yield from _limits(tell)
    if tell.get("job.json", "asked", "use") == "rows":
        yield say("what the release is for"), say("its rows, one by one")
    elif tell.has("job.json", "asked", "use"):
        yield say("what the release is for"), say("statistics")
    policy = tell.get("job.json", "asked", "policy")
    if policy:
        yield say("policy"), str(policy)


def _limits(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
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
        place = ("job.json", "asked", name)
        if isinstance(tell.get(*place), dict):
            for column in tell.names(*place):
                number = tell.number(*place, column, digits=AS_DECLARED)
                yield say("{limit!s}, of {column}", limit=said, column=own(column)), number
        elif tell.has(*place):
            yield said, tell.number(*place, digits=AS_DECLARED)


def data(tell: Teller) -> Iterator[Content]:
    """The table and the roles of its columns."""
    yield from _made_elsewhere(tell)
    rows = [*_table(tell)]
    yield from tell.grid("The table", "What|Value", rows)
    columns = [(str(one["name"]), tell.told(one["kind"])) for one in tell.items("job.json", "table", "columns")]
    roles = ((own(name), kind, _role(tell, name)) for name, kind in columns)
    yield from tell.grid("Columns", "Column|Kind of values|Role", roles)
    if not columns and tell.has("release.json"):
        yield tell.say("Protected: {columns}.", columns=tell.listed(tell.secret))
        plain, binned, coarser = tell.public
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
    place = ("audit.json", "foreign", "columns")
    rows = [
        (
            own(str(one["name"])),
            tell.language.say("secret") if one["name"] in tell.secret else tell.language.say("public"),
            tell.number(*place, at, "contains", percent=True),
            tell.number(*place, at, "size", "value"),
            tell.number(*place, at, "values"),
        )
        for at, one in enumerate(tell.items(*place))
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
    for name, template in (
        ("withheld", message("Secrets that are not in the release: {columns}.")),
        ("added", message("Columns that the original does not have: {columns}.")),
    ):
        columns = tell.names("audit.json", "foreign", name)
        if columns:
            yield tell.say(template, columns=tell.listed(columns))


def _table(tell: Teller) -> Iterator[tuple[Cell, Cell]]:
    say = tell.language.say
    if tell.has("job.json", "table", "name"):
        yield say("name"), str(tell.get("job.json", "table", "name"))
    yield from tell.numbers({"rows": say("number of rows")}, "job.json", "table", count=True)
    for one in tell.each:
        letters = {"secret": say("different values of the secret")}
        if one.group:
            letters = {"secret": say("different values of {secret}", secret=tell.listed(one.group))}
        yield from one.numbers(letters, "measurement.json", "letters")
    known = {"background": say("combinations of the background")}
    yield from tell.each[0].numbers(known, "measurement.json", "letters")
    if tell.bins:
        yield say("bins, which count as values here"), tell.listed(tell.bins)
    if tell.levels:
        yield say("coarser levels, whose values count here"), tell.listed(tell.levels)
    hidden = {"suppressed": say("rows whose public values are suppressed")}
    yield from tell.numbers(hidden, "release.json", "plan", count=True)
    yield from tell.numbers({"bytes": say("bytes")}, "job.json", "table")
    if tell.has("job.json", "table", "sha256"):
        yield say("digest (SHA-256)"), str(tell.get("job.json", "table", "sha256"))


def _role(tell: Teller, column: str) -> str:
    say = tell.language.say
    if column in tell.names("job.json", "asked", "withhold"):
        return say("secret, withheld")
    if column in tell.secret:
        return say("secret, protected") if tell.released else say("secret")
    if column == tell.get("job.json", "asked", "unit"):
        return say("unit, not released")
    if column in tell.telling_less and tell.released:
        return say("public, released through a channel")
    known = column in tell.background
    plain, binned, coarser = tell.public
    if column in plain:
        return say("background, released unchanged") if known else say("public, released unchanged")
    if column in binned:
        return say("background, released in bins") if known else say("public, released in bins")
    if column in coarser:
        return say("background, released at a coarser level") if known else say("public, released at a coarser level")
    if known:
        return say("background, not released") if tell.released else say("background")
    return say("public") if column in tell.names("job.json", "asked", "public") else say("withheld")
