"""How the settings were found: what a search tried, and what the choice itself tells."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator

from leakgauge.artefacts.improvement import StoredImprovement, TriedSetting
from leakgauge.artefacts.report import Paragraph, Points
from leakgauge.artefacts.request import Request
from leakgauge.artefacts.scores import SCORES, Scores
from leakgauge.assessment.search import Search
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline, commands, unprinted
from leakgauge.telling.columns import asked_of, is_from_this_table, is_withheld
from leakgauge.telling.pictures import pictures
from leakgauge.telling.promises import keeps_guarantee_inside
from leakgauge.telling.scores import guarantee_row, score, told_all
from leakgauge.telling.voice import Plain, Voice, mechanism_of, yes_or_no


def tuning(voice: Voice) -> Iterator[Content]:
    """What was tried, or how the settings were found otherwise."""
    found = voice.results.improvement
    if not is_withheld(voice):
        yield from _designed(voice) if found is None else searched(voice, found, reported=True)


def _designed(voice: Voice) -> Iterator[Content]:
    accounted = voice.maybe(asked_of(voice), "accounted")
    if accounted is not None:
        yield voice.say(
            "The design used a noisy histogram of the table, which cost ε = {epsilon} of the budget.", epsilon=accounted
        )
    elif is_from_this_table(voice):
        yield voice.say(
            "No settings were searched. The channel was designed with this table's exact counts; no privacy "
            "budget covers what that choice reveals."
        )
    elif keeps_guarantee_inside(voice):
        yield voice.say(
            "The settings may have been tuned on private counts; no privacy budget covers what that tuning reveals."
        )
    elif voice.dossier.job is not None and voice.dossier.job.repeated is not None:
        yield voice.say(
            "No settings were searched: the mechanism is that of an earlier release, and reusing it costs nothing."
        )
    elif voice.released and voice.foreign is None:
        yield voice.say("No settings were searched: they were given, and cost nothing.")


def improved(
    voice: Voice, found: StoredImprovement, search: Search, table: str, job: Request | None
) -> Iterator[Content]:
    """A search that stands by itself, and the command that releases what it chose."""
    yield from searched(voice, found)
    chosen = search.chosen
    if chosen is None:
        return
    if job is not None and not job.aims[0].mechanism and chosen.channel is None:
        template = message("{setting} ({form}) protects too little beside all else that leaves; let the job search.")
        yield Paragraph("caution", voice.say(template, setting=chosen.said, form=chosen.family.form))
    if job is None:
        words = ["leakgauge", "query", table, "histogram", "--column", search.secret, "--labels", "A|B|…"]
        yield voice.say("This command answers it, with the values of {column!s} as labels:", column=search.secret)
        yield commands(shlex.join([*words, "--epsilon", f"{chosen.parameter:.4g}", "--ledger", "LEDGER"]))
    else:
        yield voice.say("This command releases it:")
        yield commands(job.command("out"))


def searched(voice: Voice, found: StoredImprovement, *, reported: bool = False) -> Iterator[Content]:
    """The setting that a search chose, or what came closest, and the best of each kind.

    A report has the best of each kind, and the stages only in its data.
    """
    yield Paragraph("note", (voice.told(found.learned_from),))
    if found.chosen is not None:
        scores = found.promised or found.chosen.scores
        yield voice.say("Chosen: {setting}.", setting=_setting(voice, found.chosen, scores))
    else:
        yield voice.alarm("No setting that was tried meets the limits.")
        yield voice.say("The closest one: {setting}.", setting=_setting(voice, found.closest, found.closest.scores))
        yield Points(numbered=False, items=tuple((one,) for one in told_all(voice, found.blocking)))
    yield from unprinted(_stages(voice, found)) if reported else _stages(voice, found)
    yield from pictures(voice, "tuning")
    rows = (
        (
            mechanism_of(voice, one.mechanism),
            Plain(voice.told(one.form)),
            *(score(voice, one.scores, name) for name in SCORES),
            guarantee_row(voice, one.scores)[1],
            yes_or_no(voice, one.meets),
        )
        for one in _best(found)
    )
    yield from voice.grid(
        "Best setting of each mechanism (calculated in advance)",
        "Mechanism|What is released|Protection|Surest|Usefulness|Guarantee|Meets the limits",
        rows,
    )
    for note in told_all(voice, found.notes):
        yield Paragraph("note", (note,))


def _stages(voice: Voice, found: StoredImprovement) -> Iterator[Content]:
    """What each stage of the search reached; a search of an earlier version has none."""
    rows = (
        (
            voice.told(one.stage),
            voice.number(one, "tried"),
            voice.number(one, "meeting"),
            mechanism_of(voice, one.best.mechanism),
            Plain(voice.told(one.best.form)),
            *(score(voice, one.best.scores, name) for name in SCORES),
        )
        for one in found.stages
    )
    yield from voice.grid(
        "Stages of the search, the cheapest change first",
        "What is changed|Settings tried|Meet the limits|Best setting|What is released|Protection|Surest|Usefulness",
        rows,
    )


def _setting(voice: Voice, one: TriedSetting, scores: Scores) -> Inline:
    """A setting with its scores."""
    return voice.say(
        "{mechanism} ({form}), protection {protection}, surest {surest}, usefulness {usefulness}",
        mechanism=mechanism_of(voice, one.mechanism),
        form=Plain(voice.told(one.form)),
        **{name: score(voice, scores, name) for name in SCORES},
    )


def _best(found: StoredImprovement) -> list[TriedSetting]:
    """Of each kind of setting the trial that keeps the limits and is best of those that do, else the one that balances
    protection and usefulness best."""
    wanted = "usefulness" if "min_protection" in found.asked or "min_usefulness" not in found.asked else "protection"
    kinds: dict[tuple[str, str], list[TriedSetting]] = {}
    for one in found.trials:
        # Settings of one kind differ in what follows the first sign: their parameters.
        name = re.split("[:,]", str(one.mechanism))[0]
        kinds.setdefault((name, str(one.form)), []).append(one)

    def worth(one: TriedSetting) -> tuple[bool, float]:
        of = {"protection": one.scores.protection.ends[0], "usefulness": one.scores.usefulness.ends[0]}
        return one.meets, of[wanted] if one.meets else math.prod(of.values())

    return [max(settings, key=worth) for settings in kinds.values()]
