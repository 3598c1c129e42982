"""How a job ended: on a screen, and in the numbers that jobs are compared by."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from leakgauge.artefacts.dossier import RECORD
from leakgauge.artefacts.job import Headline
from leakgauge.artefacts.record import Record
from leakgauge.artefacts.report import Paragraph
from leakgauge.artefacts.request import Request
from leakgauge.artefacts.scores import SCORES
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.languages import Language, message
from leakgauge.release.guarantees import said_of_bins, said_of_formulas, said_of_order, said_of_suppression
from leakgauge.release.recorded_plan import plan_of
from leakgauge.rounding import rounded, written
from leakgauge.telling.actions import given_out, instead, to_do
from leakgauge.telling.bits import bits
from leakgauge.telling.blocks import Content, commands
from leakgauge.telling.earlier import earlier
from leakgauge.telling.figures.scores import NAMES
from leakgauge.telling.guarantee import designed
from leakgauge.telling.headline import every_secret, numbers
from leakgauge.telling.measurement import too_small
from leakgauge.telling.promises import unprotected
from leakgauge.telling.public_columns import coarsening, telling
from leakgauge.telling.recipients import recipients
from leakgauge.telling.releasing import points, simulation, suppressed_rows
from leakgauge.telling.risks import risk_in_people, risks, unchecked
from leakgauge.telling.scores import judged_by, recommended, score, scores, worth
from leakgauge.telling.survey import published
from leakgauge.telling.usefulness import usefulness
from leakgauge.telling.voice import NOTHING, Cell, Voice, own

_WHOLE: Final = 20
"""Seconds from which on one digit counts: more would not be known."""


def expected_to_take(language: Language, seconds: float, *, as_the_last: bool) -> str:
    """How long a job is expected to take: as the last one did, or by what there is to count."""
    template = message("about {number} s, by the rows and values of this table")
    if as_the_last:
        template = message("about {number} s, as the last job on this table")
    return language.say(template, number=written(rounded(max(round(seconds), 1), 1 if seconds >= _WHOLE else 2)))


def in_short(voice: Voice, found: Headline) -> Iterator[Content]:
    """The scores of the secret that decides, and its leakage, guarantee and unchanged values."""
    after = found.leakage_after
    rows: list[tuple[Cell, Cell]] = [(voice.say(NAMES[name]), score(voice, found.scores, name)) for name in SCORES]
    rows += [
        (voice.say("leakage after the release"), NOTHING if after is None else bits(voice, after, exact=found.exact)),
        (voice.say("local ε"), voice.cell(found, "epsilon")),
        (voice.say("values published unchanged"), voice.cell(found, "unchanged")),
    ]
    yield from voice.grid("The release in numbers", "What|How much", rows)


def protected(voice: Voice, folder: Path, beside: Path, *, refused: bool) -> Iterator[Content]:
    """The numbers that matter, what they rest on, and the verdict at the end, where a screen still shows it.

    Args:
        folder: of the results.
        beside: the folder that another job would have.
        refused: whether nothing was released, or the release must not be handed out.
    """
    job = voice.dossier.job
    if job is None:
        return
    asked = job.request
    if job.headline is None or voice.dossier.record is None:
        yield voice.alarm("Nothing was released.")
        yield from telling(voice, short=True)
    else:
        yield from _released(voice, voice.dossier.record, folder)
        kept = [name for name in job.withheld if name not in (*asked.roles.withhold, asked.roles.unit)]
        if kept:
            columns = voice.listed(kept)
            yield voice.say("Not released: {columns!s}; --public NAME releases one unchanged.", columns=columns)
    if asked.budget.simulate is not None:
        yield simulation(voice)
    yield voice.say("Report: {path!s}", path=folder / "report.html")
    found = judged_by(voice)
    if not voice.released and not (found is not None and found.actions):
        yield from instead(voice, job, beside)
    if found is None:
        return
    yield from (*risks(voice, found), *scores(voice, found), *worth(voice, found, found.deciding))
    yield from (*recommended(voice, found), *risk_in_people(voice, found), *unchecked(voice, found))
    if voice.released or found.actions:
        yield from to_do(voice, found, job, beside)
    if voice.released and refused:
        yield voice.alarm("NOT APPROVED: keep the release and its records private. No kit was written for recipients.")
    elif found.recommendation is Recommendation.RELEASE:
        yield voice.say("The report to sign:")
        yield commands(report_command(folder, asked))
    elif not refused and asked.budget.simulate is None:
        yield from given_out(voice, found, job)


def _released(voice: Voice, record: Record, folder: Path) -> Iterator[Content]:
    """A release: its numbers, how it is read, what readers have of it, and what it adds to earlier ones."""
    plan = record.plan
    if voice.dossier.survey is not None:
        yield from published(voice, voice.dossier.survey)
    yield from (*numbers(voice, short=True), *every_secret(voice), *unprotected(voice), *coarsening(voice))
    if not all(one.measurement is None or one.measurement.reliable for one in voice.dossier.secrets):
        yield too_small(voice)
    yield from points(voice, (*said_of_bins(plan), *said_of_suppression(plan), *said_of_order(plan)))
    for column in plan_of(record, folder / RECORD.name).columns:
        sets = column.mechanism.sets
        if sets is not None and max(sets.law.sizes) > 1:
            template = message(
                "· Each cell of {column!s} is a set of values, joined by |. The true value is in its set more often "
                "than each of the others."
            )
            if 0 in sets.law.sizes:
                template = message(
                    "· Each cell of {column!s} is a set of values, joined by |; an empty cell is the set of none. The "
                    "true value is in its set more often than each of the others."
                )
            yield voice.say(template, column=own(column.name))
    yield from suppressed_rows(voice, record)
    for said in said_of_formulas(record.output):
        yield Paragraph("caution", (voice.told(said),))
    yield from earlier(voice)
    for one in voice.each:
        yield from (*designed(one), *usefulness(one, short=True))
    yield from (*recipients(voice, short=True), *telling(voice, short=True))


def report_command(folder: Path, asked: Request) -> str:
    """The command that writes the report to sign."""
    language = asked.declared.report_language
    words = ["leakgauge", "report", str(folder), "--format", "pdf"]
    return shlex.join([*words, *(() if language == "en" else ("--report-language", language))])
