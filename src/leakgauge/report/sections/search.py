"""How the settings were found: what a search tried, and what the choice itself tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leakgauge.artefacts.improvement import StoredImprovement, TriedSetting
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.report.document import Content, Inline
from leakgauge.report.sections.columns import asked_of, is_from_this_table, is_withheld
from leakgauge.report.sections.dials import dial, told_all
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.promises import keeps_guarantee_inside
from leakgauge.report.sections.teller import Cell, Plain, Teller, mechanism_of, yes_or_no


def tuning(tell: Teller) -> Iterator[Content]:
    """What was tried, or how the settings were found otherwise."""
    found = tell.results.improvement
    if not is_withheld(tell):
        yield from _designed(tell) if found is None else _searched(tell, found)


def _designed(tell: Teller) -> Iterator[Content]:
    accounted = tell.maybe(asked_of(tell), "accounted")
    if accounted is not None:
        yield tell.say(
            "The design used a noisy histogram of the table, paid with ε = {epsilon} of the budget.", epsilon=accounted
        )
    elif is_from_this_table(tell):
        yield tell.say(
            "No settings were searched. The design used the exact counts of this table: no budget was spent on it, "
            "and none covers what the choice of the channel reveals."
        )
    elif keeps_guarantee_inside(tell):
        yield tell.say(
            "The settings may follow from private counts: no budget was spent on them, and none covers what the "
            "choice of the mechanism reveals."
        )
    elif tell.dossier.job is not None and tell.dossier.job.repeated is not None:
        yield tell.say(
            "No settings were searched: the mechanism is that of an earlier release, and reusing it cost nothing."
        )
    elif tell.released and tell.foreign is None:
        yield tell.say("No settings were searched: they were given, and cost nothing.")


def _searched(tell: Teller, found: StoredImprovement) -> Iterator[Content]:
    yield Paragraph("note", (tell.told(found.learned_from),))
    if found.chosen is not None:
        yield tell.say("Chosen by its law: {setting}.", setting=_setting(tell, found.chosen))
    else:
        yield tell.alarm("No setting that was tried keeps the limits.")
        yield tell.say("The closest one: {setting}.", setting=_setting(tell, found.closest))
        yield Points(numbered=False, items=tuple((one,) for one in told_all(tell, found.blocking)))
    yield from pictures(tell, "tuning")
    rows = ((*_row(tell, one), yes_or_no(tell, one.meets)) for one in _best(found))
    yield from tell.grid(
        "The best setting of each kind, by its law",
        "Mechanism|What is released|Protection|Exposed|Usefulness|Guarantee|Keeps the limits",
        rows,
    )
    for note in told_all(tell, found.notes):
        yield Paragraph("note", (note,))


def _setting(tell: Teller, one: TriedSetting) -> Inline:
    """A setting with its dials."""
    return tell.say(
        "{mechanism}, protection {protection}, usefulness {usefulness}",
        mechanism=mechanism_of(tell, one.mechanism),
        protection=dial(tell, one.dials, "protection"),
        usefulness=dial(tell, one.dials, "usefulness"),
    )


def _row(tell: Teller, one: TriedSetting) -> Iterator[Cell]:
    yield mechanism_of(tell, one.mechanism)
    yield Plain(tell.told(one.form))
    for name in ("protection", "exposed", "usefulness", "guarantee"):
        yield dial(tell, one.dials, name)


def _best(found: StoredImprovement) -> list[TriedSetting]:
    """Of each kind of setting the trial that keeps the limits and is best of those that do, else the most effective."""
    wanted = "usefulness" if "min_protection" in found.asked or "min_usefulness" not in found.asked else "protection"
    kinds: dict[tuple[str, str], list[TriedSetting]] = {}
    for one in found.trials:
        # Settings of one kind differ in what follows the first sign: their parameters.
        name = re.split("[:,]", str(one.mechanism))[0]
        kinds.setdefault((name, str(one.form)), []).append(one)

    def worth(one: TriedSetting) -> tuple[bool, float]:
        dial: Quantity = getattr(one.dials, wanted if one.meets else "effect")
        return one.meets, dial.ends[0]

    return [max(settings, key=worth) for settings in kinds.values()]
