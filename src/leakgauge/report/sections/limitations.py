"""What the report does not say."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Inline, Points, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Plain, Teller
from leakgauge.report.sections.titles import title_of
from leakgauge.report.sections.usefulness import never_released

KEY = "limitations"


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """The limitations of what was found."""
    tell = Teller(facts, language, edition)
    return Section(KEY, title_of(KEY, language), (Points(tuple(_points(tell))),))


def _points(tell: Teller) -> Iterator[Inline]:
    facts = tell.facts
    background = facts.names("measurement.json", "background")
    if background:
        yield tell.say(
            "The attacker is taken to know {background} of everybody and nothing else; who knows more learns more than "
            "this report says.",
            background=tell.listed(background),
        )
    else:
        yield tell.say(
            "No background knowledge was declared; who knows something of a person learns more than this report says."
        )
    if tell.from_this_table:
        yield tell.say(
            "The channel was designed from this table's own counts: its ε holds for the fixed channel only, and which "
            "channel was chosen is protected by nothing."
        )
    if tell.keeps_guarantee_inside:
        yield tell.say(
            "The settings of the mechanism may follow from private counts: a bound on ε holds for the fixed mechanism "
            "only, and nothing protects what the choice of the mechanism tells."
        )
    for file, what in (("measurement.json", _before), ("leakage.json", _after)):
        if facts.get(file, "reliable") is False:
            yield what(tell)
    if facts.items("audit.json", "attacks"):
        yield _of_attacks(tell)
    yield from _of_the_grade(tell)
    if facts.names("release.json", "plan", "public"):
        yield tell.say("Public columns are protected by nothing here.")
        if not tell.external:
            yield from _not_counted(tell)
    yield from never_released(tell)
    if tell.released and not facts.has("release.json", "budget", "ledger"):
        yield tell.say(
            "No ledger counted this release: whether others of the same people were made, and what they add up to, is "
            "not known here."
        )
    if not tell.external and tell.released and facts.get("release.json", "keep_inside"):
        yield tell.say(
            "Keep the record and the channel inside: the exact counts of the table can be computed from them. "
            "release.public.json is the record that may be handed out."
        )
    if not tell.external and tell.released:
        yield tell.say("This edition was made from the private table and holds numbers of it; keep it inside.")


def _of_attacks(tell: Teller) -> Inline:
    if tell.promises_nothing:
        return tell.say(
            "Attacks show what these attackers find, not what the best imaginable one would; no guarantee bounds what "
            "others may find."
        )
    return tell.say(
        "Attacks show what these attackers find, not what the best imaginable one would; the guarantee bounds what can "
        "be inferred of the secret's value in one row."
    )


def _not_counted(tell: Teller) -> Iterator[Inline]:
    """Public columns that the attacker was not declared to know."""
    background = tell.facts.names("measurement.json", "background")
    public = [one for one in tell.facts.names("release.json", "plan", "public") if one not in background]
    if public:
        yield tell.say(
            "Public columns are not counted in the bits: what {columns} tell of the secret comes on top of the "
            "leakage.",
            columns=tell.listed(public),
        )


def _of_the_grade(tell: Teller) -> Iterator[Inline]:
    missing = tell.facts.names("assessment.json", "missing")
    if missing:
        names = [
            tell.named(one) for one in tell.facts.items("assessment.json", "leaves") if str(one["leaf"]) in missing
        ]
        joined = tell.language.say(", ").join(names)
        yield tell.say(
            "Nothing is known of some indicators, whose weight the others share: {names}.", names=Plain(joined)
        )
    if tell.facts.has("assessment.json", "graded"):
        yield tell.stored(tell.facts.get("assessment.json", "graded"))


def _before(tell: Teller) -> Inline:
    return tell.say(
        "The table is small for so many combinations of values: the leakage before is uncertain beyond its interval."
    )


def _after(tell: Teller) -> Inline:
    return tell.say(
        "The table is small for so many combinations of values: the leakage after is uncertain beyond its interval."
    )
