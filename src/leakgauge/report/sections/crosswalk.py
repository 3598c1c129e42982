"""Where this report answers what guidelines of assessment ask; their names, without clauses."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import Language
from leakgauge.report.document import Edition, Grid, Paragraph, Section
from leakgauge.report.facts import Facts
from leakgauge.report.sections.telling import Teller
from leakgauge.report.sections.titles import title_of

KEY = "crosswalk"
_RESTS_ON = {
    "guarantee": ("release.json", "claims"),
    "assumptions": ("release.json", "assumptions"),
    "attacks": ("audit.json", "attacks"),
    "usefulness": ("utility.json",),
    "grade": ("assessment.json",),
    "leakage": ("measurement.json", "entropy"),
    "data": ("job.json",),
}
"""Without these fields of artefacts there is nothing in such a section to point at."""


def section(facts: Facts, language: Language, edition: Edition) -> Section:
    """Topics beside the sections that answer them."""
    tell = Teller(facts, language, edition)
    say = language.say
    start = Paragraph(
        tell.say(
            "For those who assess by NIST SP 800-226, ISO/IEC 27559, GB/T 42460 or GB/T 37964: where this report "
            "answers what such guidelines ask. No clauses are named, because the table was not made from the texts of "
            "these documents, and it claims conformity with none of them."
        )
    )
    rows = tuple(
        ((topic,), (title_of(key, language),), (given,))
        for topic, key, given in _topics(tell)
        if key not in _RESTS_ON or facts.has(*_RESTS_ON[key])
    )
    head = (say("Topic"), say("Section"), say("What it gives"))
    return Section(KEY, title_of(KEY, language), (start, Grid(say("Topics"), head, rows)))


def _topics(tell: Teller) -> Iterator[tuple[str, str, str]]:
    say = tell.language.say
    yield say("Guarantee and its parameters"), "guarantee", say("ε, δ and every other notion, exact or implied")
    yield say("Unit of protection"), "context", say("what counts as one, and which tables are neighbours")
    yield say("Context of the release"), "context", say("purpose, recipient and what the attacker knows, as declared")
    yield say("Assumptions and limits"), "assumptions", say("what must hold for the guarantee, numbered")
    yield say("Data and identifiers"), "data", say("columns, their roles, and which were not released")
    yield (
        say("Risk of re-identification and inference"),
        "attacks",
        say("attacks between their anchors, and group sizes"),
    )
    yield say("Measured leakage"), "leakage", say("bits before and after, above what is known anyway")
    yield (
        say("Correctness of the implementation"),
        "attacks",
        say("what the rows show at least, and the record recomputed"),
    )
    yield say("Usefulness of the result"), "usefulness", say("change and distortion of each column")
    yield say("Effect of the protection, graded"), "grade", say("score, privacy, utility, vetoes and policy")
    tuning = (
        say("what the choice of settings cost") if tell.external else say("trials, and what the search itself tells")
    )
    yield say("Cost of choosing parameters"), "tuning", tuning
    yield say("Residual risk and review"), "residual", say("what is left, and when to look again")
    given = say("versions and a digest") if tell.external else say("commands, versions and digests")
    yield say("Documentation and repeatability"), "reproduction", given
