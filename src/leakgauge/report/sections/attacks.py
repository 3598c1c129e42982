"""What attackers found, between what they find without a release and what they find in the raw data."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR

from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.case.columns import LETTERS
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.guarantee import notion_of
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller, own
from leakgauge.tables import Kind

_FILE = "audit.json"
_DIVERSITY = ("distinct", "entropy", "closeness", "largest_share", "likeness", "enhanced_likeness", "disclosure")
_ORDERED = [kind.words for kind in (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)]


def attacks(tell: Teller) -> Iterator[Content]:
    """What the audit found, where there is one."""
    if not tell.has(_FILE):
        return
    yield from tell.accusations()
    if tell.foreign:
        yield tell.say("There is no record, so there is no claim that could be contradicted.")
    elif not tell.items(_FILE, "violations") and tell.has(_FILE, "confidence"):
        said_good = tell.say(
            "Nothing was found that contradicts the claims of the release, at a confidence of {confidence}.",
            confidence=tell.number(_FILE, "confidence", percent=True),
        )
        yield Paragraph("good", said_good)
    yield from (*_attacks(tell), *pictures(tell, "attacks"), *_bounds(tell), *_anonymity(tell), *_checks(tell))


def _attacks(tell: Teller) -> Iterator[Content]:
    attacks = tell.items(_FILE, "attacks")
    if not attacks:
        return
    yield tell.say(
        "Each attack is shown between two anchors: an independent release, from which it must gain nothing, and the "
        "raw data, from which it gains most. “Right only with it” counts the targets, among those it was tried on, "
        "that it is right about with the release and wrong about without it."
    )
    if tell.has(_FILE, "attacked"):
        yield tell.note(
            "The attacks were tried on {some} of the {rows} rows, drawn at random.",
            some=tell.number(_FILE, "attacked"),
            rows=tell.number(_FILE, "rows"),
        )
    if _is_guessed_by_tenths(tell):
        yield tell.note(
            "For numbers and dates with more than 32 different values, a guess is right if it names the right one of "
            "ten groups of about equally many rows."
        )
    yield from tell.grid(
        "Attacks",
        "Attack|Right without the release|Right with it|Advantage, in percentage points|"
        "Advantage from a release of others|Advantage from the raw data|Right only with it|Right at most, by the claim",
        (_attack(tell, at, one) for at, one in enumerate(attacks)),
    )
    if any(not one.get("judged", True) for one in attacks):
        yield tell.note(
            "Attacks marked * were made on simulated releases, or need more than this release: they show what could "
            "happen, not what this release did."
        )
    methods: dict[str, list[str]] = {}
    for one in attacks:
        methods.setdefault(tell.told(one.get("method") or ""), []).append(tell.told(one["attack"]))
    spans = {method: " … ".join(dict.fromkeys((names[0], names[-1]))) for method, names in methods.items() if method}
    said = (tell.say("{attacks}: {method}", attacks=Plain(span), method=Plain(how)) for how, span in spans.items())
    yield Points(numbered=False, items=tuple(said))
    yield from _few_false_alarms(tell)


def _few_false_alarms(tell: Teller) -> Iterator[Content]:
    """The members recognised at low rates of false alarms, which an average hides."""
    places = [
        (_FILE, "attacks", at, "few_false_alarms", which)
        for at, attack in enumerate(tell.items(_FILE, "attacks"))
        for which, _ in enumerate(attack.get("few_false_alarms") or ())
    ]
    if places:
        yield from tell.grid(
            "Members recognised with few false alarms",
            "Others taken for members|Members recognised|Recognised at most, by the claim",
            (
                [tell.cell(*place, share, percent=True) for share in ("false_alarms", "recognised", "ceiling")]
                for place in places
            ),
        )


def _is_guessed_by_tenths(tell: Teller) -> bool:
    if tell.foreign:
        columns = tell.items(_FILE, "foreign", "columns")
        return any(one["values"] > LETTERS for one in columns if one["name"] in tell.secret)
    kinds = {str(one["name"]): one["kind"] for one in tell.items("job.json", "table", "columns")}
    return any(
        # Of bins what is guessed is the bin.
        not one.secret_bins
        and (one.get("measurement.json", "letters", "secret") or 0) > LETTERS
        and any(kinds.get(column) in _ORDERED for column in one.secret)
        for one in tell.each
    )


def _attack(tell: Teller, at: int, one: dict[str, object]) -> Iterator[Cell]:
    place = (_FILE, "attacks", at)
    name = tell.told(one["attack"])
    if tell.own:
        target = tell.listed(tell.names(*place, "target"))
        name = tell.language.say("{attack!s} on {target}", attack=name, target=target)
    name += "" if one.get("judged", True) else " *"
    knows = tell.names(*place, "knows")
    yield tell.say("{attack}; knows {columns}", attack=Plain(name), columns=tell.listed(knows)) if knows else name
    for share in ("baseline", "success", "advantage", "independent", "raw"):
        yield tell.cell(*place, share, percent=True)
    yield tell.cell(*place, "exposed", count=True)
    ceiling = tell.cell(*place, "ceiling", percent=True)
    yield (ceiling, *tell.say(" – exceeded")) if one.get("beats_claim") else ceiling


def _bounds(tell: Teller) -> Iterator[Content]:
    for column in tell.names(_FILE, "columns"):
        place = (_FILE, "columns", column)
        if not tell.has(*place, "lower_bound"):
            yield tell.say("The rows of {column} are too few to show a level.", column=own(column))
            continue
        claim, unit = tell.maybe(*place, "claim"), str(tell.get(*place, "lower_bound", "unit"))
        yield tell.say(
            message("The released rows of {column} show at least {shown} of {notion}.")
            if claim is None
            else message("The released rows of {column} show at least {shown} of {notion}, where {claim} is claimed."),
            column=own(column),
            shown=tell.number(*place, "lower_bound", "value", unit=unit, rounding=ROUND_FLOOR),
            notion=own(notion_of(tell, str(tell.get(*place, "notion")))),
            claim=claim,
        )


def _anonymity(tell: Teller) -> Iterator[Content]:
    if tell.has(_FILE, "anonymity"):
        yield tell.say(
            "By the public columns ({columns}) the rows fall into groups: {classes}. Rows, or persons, in the "
            "smallest: {k}; unique rows: {unique}.",
            columns=tell.listed(tell.names(_FILE, "anonymity", "quasi_identifiers")),
            classes=tell.number(_FILE, "anonymity", "classes"),
            k=tell.number(_FILE, "anonymity", "k", count=True),
            unique=tell.number(_FILE, "anonymity", "unique", count=True),
        )
    found = tell.items(_FILE, "diversity")
    if found:
        yield from tell.grid(
            "The secrets within the groups of the public columns, at worst",
            "Secret|Distinct l|Entropy l|t-closeness|α of (α, k)|β-likeness|Enhanced β|δ-disclosure",
            (
                (own(str(one["secret"])), *(tell.number(_FILE, "diversity", at, name) for name in _DIVERSITY))
                for at, one in enumerate(found)
            ),
        )
        yield tell.note(
            "These numbers describe this table and promise nothing: they do not hold against someone who knows more, "
            "or sees another release of the same people. They make no claim of differential privacy."
        )


def _checks(tell: Teller) -> Iterator[Content]:
    checks, say = tell.items(_FILE, "checks"), tell.language.say
    words = {True: say("holds"), False: say("fails"), None: say("not checked")}
    rows = [
        (tell.told(one["name"]), words[one["holds"]], tell.told(one["reason"]) if one.get("reason") else NOTHING)
        for one in checks
    ]
    # A reason may name the place of a file; without reasons their column is left out.
    wide = 3 if any("reason" in one for one in checks) else 2
    yield from tell.grid("The record, computed again", "Check|Result|Why", (row[:wide] for row in rows))
