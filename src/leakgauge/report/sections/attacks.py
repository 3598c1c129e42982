"""What attackers found, between what they find without a release and what they find in the raw data."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.audit.attacks.columns import LETTERS
from leakgauge.report.document import Content, Grid, Inline, Paragraph, Points
from leakgauge.report.sections.guarantee import notion_of
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Own, Plain, Teller, warning
from leakgauge.tables import Kind

_FILE = "audit.json"
_ORDERED = [kind.words for kind in (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)]


def attacks(tell: Teller) -> Iterator[Content]:
    """What the audit found, where there is one."""
    if tell.facts.has(_FILE):
        yield from (*_verdict(tell), *_attacks(tell), *pictures(tell, "attacks"))
        yield from (*_bounds(tell), *_anonymity(tell), *_checks(tell))


def _verdict(tell: Teller) -> Iterator[Content]:
    wrong = tell.facts.items(_FILE, "violations")
    for violation in wrong:
        yield warning(tell.accusation(violation))
    confidence = tell.maybe(_FILE, "confidence", percent=True)
    if not wrong and confidence is not None:
        said_good = tell.say(
            "Nothing was found that contradicts what the release claims, at a confidence of {confidence}.",
            confidence=confidence,
        )
        yield Paragraph(said_good, "good")


def _attacks(tell: Teller) -> Iterator[Content]:
    attacks = tell.facts.items(_FILE, "attacks")
    if not attacks:
        return
    say = tell.language.say
    head = (
        say("Attack"),
        say("Right without the release"),
        say("Right with it"),
        say("Advantage, in percentage points"),
        say("Advantage from a release of others"),
        say("Advantage from the raw data"),
        say("Exposed"),
        say("Right at most, by the claim"),
    )
    yield tell.say(
        "Each attack stands between two anchors: a release that has nothing to do with its targets, from which it "
        "must gain nothing, and the raw data, from which it gains most. Exposed are the targets that it is right "
        "about with the release and wrong without."
    )
    if _is_guessed_by_tenths(tell):
        yield Paragraph(
            tell.say(
                "Of numbers and dates with more than 32 different values a guess counts as right where it names the "
                "right one of ten groups of about as many rows each."
            ),
            "note",
        )
    yield Grid(say("Attacks"), head, tuple(_attack(tell, at, one) for at, one in enumerate(attacks)))
    if any(not one.get("judged", True) for one in attacks):
        yield Paragraph(
            tell.say(
                "Attacks marked * were made on releases drawn afresh, or need more than this release: they say what "
                "would happen, not what this release did."
            ),
            "note",
        )
    methods: dict[str, list[str]] = {}
    for one in attacks:
        methods.setdefault(tell.told(one.get("method") or ""), []).append(tell.told(one["attack"]))
    yield Points(tuple(_method(tell, names, method) for method, names in methods.items() if method))


def _is_guessed_by_tenths(tell: Teller) -> bool:
    if tell.secret_bins:
        # What is guessed is the bin.
        return False
    kinds = {str(one["name"]): one["kind"] for one in tell.facts.items("job.json", "table", "columns")}
    letters = tell.facts.get("measurement.json", "letters", "secret") or 0
    return letters > LETTERS and any(kinds.get(column) in _ORDERED for column in tell.secret)


def _attack(tell: Teller, at: int, one: dict[str, object]) -> tuple[Inline, ...]:
    def cell(name: str) -> Inline:
        return tell.cell(_FILE, "attacks", at, name, percent=True)

    name = tell.told(one["attack"]) + ("" if one.get("judged", True) else " *")
    knows = tell.facts.names(_FILE, "attacks", at, "knows")
    said = tell.say("{attack}; knows {columns}", attack=Own(name), columns=tell.listed(knows)) if knows else (name,)
    exposed = tell.cell(_FILE, "attacks", at, "exposed", count=True)
    ceiling = cell("ceiling")
    if one.get("beats_claim"):
        ceiling = (*ceiling, *tell.say(" – exceeded"))
    anchors = (cell("independent"), cell("raw"))
    return said, cell("baseline"), cell("success"), cell("advantage"), *anchors, exposed, ceiling


def _method(tell: Teller, attacks: list[str], method: str) -> Inline:
    names = dict.fromkeys((attacks[0], attacks[-1]))
    return tell.say("{attacks}: {method}", attacks=Plain(" … ".join(names)), method=Plain(method))


def _bounds(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    for column in facts.names(_FILE, "columns"):
        place = (_FILE, "columns", column)
        if not facts.has(*place, "lower_bound"):
            yield tell.say("The rows of {column} are too few to show a level.", column=Own(column))
            continue
        shown = facts.number(*place, "lower_bound", "value", unit=str(facts.get(*place, "lower_bound", "unit")))
        claim = tell.maybe(*place, "claim")
        notion = notion_of(tell, str(facts.get(*place, "notion")))
        if claim is None:
            said = tell.say(
                "The released rows of {column} show at least {shown} of {notion}.",
                column=Own(column),
                shown=shown,
                notion=Own(notion),
            )
        else:
            said = tell.say(
                "The released rows of {column} show at least {shown} of {notion}, where {claim} is claimed.",
                column=Own(column),
                shown=shown,
                notion=Own(notion),
                claim=claim,
            )
        yield said


def _anonymity(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    if not facts.has(_FILE, "anonymity"):
        return
    yield tell.say(
        "By the public columns ({columns}) the rows fall into groups: {classes}. Rows in the "
        "smallest: {k}; rows that stand alone: {unique}.",
        columns=tell.listed(facts.names(_FILE, "anonymity", "quasi_identifiers")),
        classes=facts.number(_FILE, "anonymity", "classes"),
        k=facts.number(_FILE, "anonymity", "k", count=True),
        unique=facts.number(_FILE, "anonymity", "unique", count=True),
    )


def _checks(tell: Teller) -> Iterator[Content]:
    checks = tell.facts.items(_FILE, "checks")
    if checks:
        say = tell.language.say
        words = {True: say("holds"), False: say("fails"), None: say("not checked")}
        head = (say("Check"), say("Result"), say("Why"))
        rows = tuple(
            (
                tell.stored(one["name"]),
                (words[one["holds"]],),
                tell.stored(one["reason"]) if one.get("reason") else NOTHING,
            )
            for one in checks
        )
        # A reason may name the place of a file; without reasons their column is left out.
        wide = len(head) if any("reason" in one for one in checks) else len(head) - 1
        yield Grid(say("The record, computed again"), head[:wide], tuple(row[:wide] for row in rows))
