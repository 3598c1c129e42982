"""What was tried to find the settings, and what the search itself tells."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.report import Paragraph
from leakgauge.report.document import Content
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import Teller

_FILE = "improvement.json"


def tuning(tell: Teller) -> Iterator[Content]:
    """The trials and their cost."""
    if not tell.withheld:
        yield from _searched(tell) if tell.has(_FILE) else _designed(tell)


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
    elif tell.has("job.json", "repeated"):
        yield tell.say(
            "No settings were searched: the mechanism is that of an earlier release, and taking it over cost nothing."
        )
    elif tell.released and not tell.foreign:
        yield tell.say("No settings were searched: they were given, and cost nothing.")


def _searched(tell: Teller) -> Iterator[Content]:
    learned = tell.get(_FILE, "learned_from")
    if learned:
        yield Paragraph("warning", (tell.told(learned),))
    chosen = "chosen" if tell.has(_FILE, "chosen") else "best"
    if chosen == "best":
        yield tell.alarm("No setting that was tried meets the target.")
    if tell.has(_FILE, chosen):
        fields = {
            "mechanism": tell.mechanism(tell.get(_FILE, chosen, "mechanism")),
            "grade": str(tell.get(_FILE, chosen, "grade")),
            "score": tell.number(_FILE, chosen, "score", digits=3),
        }
        yield (
            tell.say("Chosen: {mechanism}, graded {grade} with a score of {score}.", **fields)
            if chosen == "chosen"
            else tell.say("The best of them: {mechanism}, graded {grade} with a score of {score}.", **fields)
        )
    for failed in tell.items(_FILE, "failed"):
        yield Paragraph("note", (tell.told(failed),))
    yield from pictures(tell, "tuning")
    rows = (
        (
            tell.mechanism(one["mechanism"]),
            tell.cell(_FILE, "trials", at, "claim"),
            *(tell.cell(_FILE, "trials", at, name, digits=3) for name in ("score", "privacy", "utility")),
            tell.told(one["grade"]),
            tell.yes_or_no(one.get("meets")),
        )
        for at, one in enumerate(tell.items(_FILE, "trials"))
    )
    yield from tell.grid(
        "Trials, in the order they were made", "Mechanism|Claim|Score|Privacy|Utility|Grade|Meets the target", rows
    )
