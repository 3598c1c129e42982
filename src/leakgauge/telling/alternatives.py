"""Forms of release side by side, each with the command that makes it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from decimal import ROUND_CEILING
from pathlib import Path

from leakgauge.artefacts.verdict import Alternative, Form, Judgement
from leakgauge.languages import message
from leakgauge.telling.actions import survey_command
from leakgauge.telling.blocks import Content, commands, text_of
from leakgauge.telling.scores import is_of_release, score
from leakgauge.telling.verdict import THEN
from leakgauge.telling.voice import NOTHING, Cell, Voice, inline_of, own


def alternatives(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What else could be released of the same secret, and how each would be judged."""
    if len(found.alternatives) < 2:
        return
    rows = (
        (
            _form(voice, found, one),
            *(score(voice, one.scores, name) for name in ("protection", "surest")),
            NOTHING if one.error is None else voice.number(one, "error", digits=2, rounding=ROUND_CEILING),
            voice.say(THEN[one.recommendation] if one.recommendation else message("the column is not given out")),
        )
        for one in found.alternatives
    )
    yield from voice.grid(
        "Options side by side", "Option|Protection|Surest|A share is known to within, points|Recommendation", rows
    )
    lines = list[str]()
    for one in found.alternatives:
        if command := _command(voice, one):
            lines += [f"# {text_of(inline_of(_form(voice, found, one)), voice.language)}", command]
    if lines:
        yield commands(*lines)


def _form(voice: Voice, found: Judgement, one: Alternative) -> Cell:
    secret = own(found.deciding)
    if one.form is Form.WITHHELD:
        return voice.say("withhold {secret}", secret=secret)
    if one.form is Form.FEWER:
        return voice.say("the same requirements without {column}, noise designed anew", column=own(one.column or ""))
    if one.form is Form.COARSER:
        return voice.say("the same with {column} coarser", column=own(one.column or ""))
    if one.form is Form.GROUPED and one.asked is not None:
        least = one.asked.min_k or one.asked.suppress_below
        return voice.say("the same in groups of at least {least}", least=own(str(least)))
    return voice.say("this release") if is_of_release(voice, found) else voice.say("the release that was asked for")


def _command(voice: Voice, one: Alternative) -> str:
    """The command that makes it in a folder beside that of this job; empty of the release itself.

    A secret beside which nothing needs noise is withheld without us: the command shows what the others reveal of it.
    """
    job = voice.dossier.job
    words = [] if job is None else shlex.split(job.command)
    if one.form is Form.WITHHELD and one.asked is None and job is not None:
        return survey_command(job.request)
    if one.asked is None or "-o" not in words[-2:-1]:
        return ""
    folder = Path(words[-1])
    return one.asked.request().command(folder.with_name(f"{folder.name}-{one.form.value}"))
