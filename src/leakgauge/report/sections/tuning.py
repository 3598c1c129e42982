"""What was tried to find the settings, and what the search itself tells."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.report.document import Content, Grid, Inline, Paragraph
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import Teller, warning

_FILE = "improvement.json"


def tuning(tell: Teller) -> Iterator[Content]:
    """The trials and their cost."""
    yield from _searched(tell) if tell.facts.has(_FILE) else _designed(tell)


def _designed(tell: Teller) -> Iterator[Content]:
    accounted = tell.maybe("job.json", "asked", "accounted")
    if accounted is not None:
        yield tell.say(
            "The design used a noisy histogram of the table, paid with ε = {epsilon} of the budget.", epsilon=accounted
        )
    elif tell.from_this_table:
        yield tell.say(
            "No settings were searched. The design used the counts of this table as they are: no budget was spent "
            "on it, and none protects what the choice of the channel tells."
        )
    elif tell.keeps_guarantee_inside:
        yield tell.say(
            "The settings may follow from private counts: no budget was spent on them, and none protects what the "
            "choice of the mechanism tells."
        )
    elif tell.released:
        yield tell.say("No settings were searched: they were given, and cost nothing.")


def _searched(tell: Teller) -> Iterator[Content]:
    facts = tell.facts
    learned = facts.get(_FILE, "learned_from")
    if learned:
        yield warning(tell.stored(learned))
    chosen = "chosen" if facts.has(_FILE, "chosen") else "best"
    if not facts.has(_FILE, "chosen"):
        yield warning(tell.say("No setting that was tried meets the target."))
    if facts.has(_FILE, chosen):
        yield _best(tell, chosen)
    for failed in facts.items(_FILE, "failed"):
        yield Paragraph(tell.stored(failed), "note")
    yield from pictures(tell, "tuning")
    yield from _trials(tell)


def _best(tell: Teller, chosen: str) -> Inline:
    facts = tell.facts
    fields = {
        "mechanism": tell.mechanism(facts.get(_FILE, chosen, "mechanism")),
        "grade": str(facts.get(_FILE, chosen, "grade")),
        "score": facts.number(_FILE, chosen, "score", digits=3),
    }
    if chosen == "chosen":
        return tell.say("Chosen: {mechanism}, graded {grade} with a score of {score}.", **fields)
    return tell.say("The best of them: {mechanism}, graded {grade} with a score of {score}.", **fields)


def _trials(tell: Teller) -> Iterator[Content]:
    trials = tell.facts.items(_FILE, "trials")
    if not trials:
        return
    say = tell.language.say
    head = (
        say("Mechanism"),
        say("Claim"),
        say("Score"),
        say("Privacy"),
        say("Utility"),
        say("Grade"),
        say("Meets the target"),
    )
    rows = []
    for at, one in enumerate(trials):
        place = (_FILE, "trials", at)
        rows.append(
            (
                (str(tell.mechanism(one["mechanism"])),),
                tell.cell(*place, "claim"),
                tell.score(*place, "score"),
                tell.score(*place, "privacy"),
                tell.score(*place, "utility"),
                tell.stored(one["grade"]),
                tell.yes_or_no(one.get("meets")),
            )
        )
    yield Grid(say("Trials, in the order they were made"), head, tuple(rows))
