"""For what, for whom, and what counts as one: as declared, not as found."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Grid, Inline, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "context"


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """What was declared."""
    tell = Teller(facts, language, edition)
    head = (language.say("Declared"), language.say("As"))
    rows = tuple(((what,), said) for what, said in _rows(tell))
    return Section(KEY, title_of(KEY, language), (Grid(language.say("Context"), head, rows),))


def _rows(tell: Teller) -> Iterator[tuple[str, Inline]]:
    facts, say = tell.facts, tell.language.say
    none = (say("not declared"),)
    for key, what in (("purpose", say("purpose")), ("recipient", say("recipient"))):
        stated = facts.get("job.json", "asked", key)
        yield what, (str(stated),) if stated else none
    unit = facts.get("release.json", "unit_of_protection")
    if unit:
        yield say("unit of protection"), tell.stored(unit)
    if facts.get("release.json", "neighbours") == "replace-one":
        yield say("neighbouring tables"), (say("the same but for the values of one row"),)
    background = facts.names("measurement.json", "background")
    yield say("what the attacker knows"), (str(tell.listed(background)),) if background else none
    if tell.bins:
        yield say("columns in bins"), (str(tell.listed(tell.bins)),)
    often = tell.maybe("job.json", "asked", "releases_per_period")
    if often is not None:
        yield say("how often such a release is made in a period"), (often,)
    yield from _aims(tell)


def _aims(tell: Teller) -> Iterator[tuple[str, Inline]]:
    say = tell.language.say
    aims = {
        "max_distortion": say("asked: mean distortion at most"),
        "max_leakage": say("asked: leakage in bits at most"),
        "local_dp": say("asked: local ε in nats at most"),
        "accounted": say("asked: ε in nats for the histogram of the design"),
    }
    for key, what in aims.items():
        number = tell.maybe("job.json", "asked", key)
        if number is not None:
            yield what, (number,)
    target = tell.facts.get("job.json", "asked", "target")
    if isinstance(target, str):
        yield say("asked: grade or score of at least"), tell.stored(target)
    elif target is not None:
        yield say("asked: grade or score of at least"), (tell.facts.number("job.json", "asked", "target"),)
    policy = tell.facts.get("job.json", "asked", "policy")
    if policy:
        yield say("policy"), (str(policy),)
