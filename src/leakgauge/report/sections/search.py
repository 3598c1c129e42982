"""How the settings were found: what a search tried, and what the choice itself tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from leakgauge.artefacts.codec import sentence_of
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.report.document import Content, Inline
from leakgauge.report.figures.search import least
from leakgauge.report.sections.dials import dial, told_all
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import Cell, Plain, Teller

_FILE = "improvement.json"


def tuning(tell: Teller) -> Iterator[Content]:
    """What was tried, or how the settings were found otherwise."""
    if not tell.withheld:
        yield from _searched(tell) if tell.has(_FILE, "trials") else _designed(tell)


def _designed(tell: Teller) -> Iterator[Content]:
    accounted = tell.maybe("job.json", "asked", "accounted")
    if accounted is not None:
        yield tell.say(
            "The design used a noisy histogram of the table, paid with ε = {epsilon} of the budget.", epsilon=accounted
        )
    elif tell.from_this_table:
        yield tell.say(
            "No settings were searched. The design used the exact counts of this table: no budget was spent on it, "
            "and none covers what the choice of the channel reveals."
        )
    elif tell.keeps_guarantee_inside:
        yield tell.say(
            "The settings may follow from private counts: no budget was spent on them, and none covers what the "
            "choice of the mechanism reveals."
        )
    elif tell.has("job.json", "repeated"):
        yield tell.say(
            "No settings were searched: the mechanism is that of an earlier release, and reusing it cost nothing."
        )
    elif tell.released and not tell.foreign:
        yield tell.say("No settings were searched: they were given, and cost nothing.")


def _searched(tell: Teller) -> Iterator[Content]:
    yield Paragraph("note", (tell.told(tell.get(_FILE, "learned_from")),))
    if tell.has(_FILE, "chosen"):
        yield tell.say("Chosen by its law: {setting}.", setting=_setting(tell, "chosen"))
    else:
        yield tell.alarm("No setting that was tried keeps the limits.")
        yield tell.say("The closest one: {setting}.", setting=_setting(tell, "closest"))
        yield Points(numbered=False, items=tuple((one,) for one in told_all(tell, _FILE, "blocking")))
    yield from pictures(tell, "tuning")
    trials = tell.items(_FILE, "trials")
    rows = ((*_row(tell, at), tell.yes_or_no(trials[at]["meets"])) for at in _best(tell, trials))
    yield from tell.grid(
        "The best setting of each kind, by its law",
        "Mechanism|What is released|Protection|Exposed|Usefulness|Guarantee|Keeps the limits",
        rows,
    )
    for note in told_all(tell, _FILE, "notes"):
        yield Paragraph("note", (note,))


def _setting(tell: Teller, which: str) -> Inline:
    """A setting with its dials."""
    return tell.say(
        "{mechanism}, protection {protection}, usefulness {usefulness}",
        mechanism=tell.mechanism(tell.get(_FILE, which, "mechanism")),
        protection=dial(tell, _FILE, which, "dials", "protection"),
        usefulness=dial(tell, _FILE, which, "dials", "usefulness"),
    )


def _row(tell: Teller, at: int) -> Iterator[Cell]:
    yield tell.mechanism(tell.get(_FILE, "trials", at, "mechanism"))
    yield Plain(tell.told(tell.get(_FILE, "trials", at, "form")))
    for name in ("protection", "exposed", "usefulness", "guarantee"):
        yield dial(tell, _FILE, "trials", at, "dials", name)


def _best(tell: Teller, trials: list[dict[str, Any]]) -> list[int]:
    """Of each kind of setting the trial that keeps the limits and is best of those that do, else the most effective."""
    asked = tell.get(_FILE, "asked")
    wanted = "usefulness" if "min_protection" in asked or "min_usefulness" not in asked else "protection"
    kinds: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(trials):
        # Settings of one kind differ in what follows the first sign: their parameters.
        name = re.split("[:,]", str(sentence_of(one["mechanism"])))[0]
        kinds.setdefault((name, str(sentence_of(one["form"]))), []).append(at)

    def worth(at: int) -> tuple[bool, float]:
        meets, dials = trials[at]["meets"], trials[at]["dials"]
        return meets, least(dials[wanted if meets else "effect"])

    return [max(places, key=worth) for places in kinds.values()]
