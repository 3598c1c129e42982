"""Which columns name people, which single them out together, and what each tells of a secret."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.bits import bits
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, ROWS, Cell, Teller, own

_FILE = "survey.json"


def survey(tell: Teller) -> Iterator[Content]:
    """What a survey of the table found, where there is one; everybody may know the groups of public columns alone."""
    yield from _published(tell)
    if tell.has(_FILE) and not tell.external:
        yield from (
            *_columns(tell),
            *(one for each in tell.each for one in pictures(each, "telling")),
            *_combinations(tell),
        )


def _published(tell: Teller) -> Iterator[Content]:
    if tell.has(_FILE, "published", "groups"):
        yield tell.say(
            "By the public columns together ({columns}) the rows fall into groups: {groups}. Rows, or persons, in the "
            "smallest: {smallest}; unique rows: {alone}.",
            columns=tell.listed(tell.names(_FILE, "published", "columns")),
            groups=tell.number(_FILE, "published", "groups"),
            smallest=tell.number(_FILE, "published", "smallest", count=True),
            alone=tell.number(_FILE, "published", "alone", count=True),
        )


def _columns(tell: Teller) -> Iterator[Content]:
    yield from tell.grid(
        "Every column, the most revealing first",
        "Column|Kind of values|Different values|Missing|Unique rows|Identifies people|Reveals about the "
        "secrets|Suggested role",
        (_column(tell, at) for at in range(len(tell.items(_FILE, "columns")))),
    )
    sampled = tell.number(_FILE, "sampled", unit=ROWS, count=True)
    if sampled.value != tell.get(_FILE, "rows"):
        yield tell.note("What the columns reveal was counted on {sampled} drawn at random.", sampled=sampled)


def _column(tell: Teller, at: int) -> Iterator[Cell]:
    place, say = (_FILE, "columns", at), tell.language.say
    yield from (own(str(tell.get(*place, "name"))), tell.told(tell.get(*place, "kind")))
    for name in ("distinct", "missing", "alone"):
        yield tell.number(*place, name, count=True)
    if tell.has(*place, "identifier"):
        yield tell.told(tell.get(*place, "identifier"))
    elif tell.get(*place, "free_text"):
        yield say("free text")
    else:
        yield say("together with others") if tell.get(*place, "singles_out") else say("no")
    yield _tells(tell, *place)
    role, reason = (tell.told(tell.get(*place, name)) for name in ("suggested", "reason"))
    yield say("{role!s}: {reason!s}", role=role, reason=reason)


def _tells(tell: Teller, file: str, *path: str | int) -> Inline:
    """What a column tells of each secret of which it tells more than chance does."""
    said: list[Inline] = []
    found = tell.items(file, *path, "tells")
    for at in (at for at, one in enumerate(found) if one["significant"]):
        told = (*path, "tells", at)
        enclosed = tell.has(file, *told, "information", "low")
        fields = {
            "secret": own(found[at]["secret"]),
            "bits": bits(tell, file, *told, "information", exact=not enclosed),
            "success": tell.number(file, *told, "success", "value", percent=True),
        }
        said.append(tell.say("{secret}: {bits}, guessed right {success}", **fields))
    between = tell.language.say("; ")
    nothing = tell.say("nothing beyond chance") if found else (NOTHING,)
    return tuple(part for one in said for part in (*one, between))[:-1] or nothing


def _combinations(tell: Teller) -> Iterator[Content]:
    found = tell.items(_FILE, "combinations")
    if not found:
        yield tell.say("No combination of up to three columns has many unique rows.")
    yield from tell.grid(
        "The smallest sets of columns in which many rows are unique",
        "Columns|Groups|Unique rows|Rows, or persons, in the smallest group",
        (
            (
                tell.listed(one["columns"]),
                tell.number(_FILE, "combinations", at, "groups"),
                tell.number(_FILE, "combinations", at, "alone", count=True),
                tell.number(_FILE, "combinations", at, "smallest", count=True),
            )
            for at, one in enumerate(found)
        ),
    )
