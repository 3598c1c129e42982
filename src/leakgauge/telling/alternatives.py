"""Forms of release side by side, each with the command that makes it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from decimal import ROUND_CEILING
from pathlib import Path

from leakgauge.artefacts.verdict import Alternative, Form, Judgement
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, commands
from leakgauge.telling.scores import is_of_release, score
from leakgauge.telling.verdict import THEN
from leakgauge.telling.voice import NOTHING, Cell, Voice, own


def alternatives(voice: Voice, found: Judgement) -> Iterator[Content]:
    """What else could be released of the same secret, and how each would be judged."""
    if len(found.alternatives) < 2:
        return
    rows = (
        (
            _form(voice, found, one),
            *(score(voice, one.scores, name) for name in ("protection", "surest")),
            NOTHING if one.error is None else voice.number(one, "error", digits=2, rounding=ROUND_CEILING),
            voice.say(THEN[one.recommendation] if one.recommendation else message("nothing of it leaves")),
        )
        for one in found.alternatives
    )
    yield from voice.grid(
        "Options side by side", "Option|Protection|Surest|A share is known to within, points|Recommendation", rows
    )
    others = [line for one in found.alternatives if (line := _command(voice, one))]
    if others:
        yield commands(*others)


def _form(voice: Voice, found: Judgement, one: Alternative) -> Cell:
    secret = own(found.deciding)
    if one.form is Form.WITHHELD:
        return voice.say("withhold {secret}", secret=secret)
    if one.form is Form.FEWER:
        return voice.say("the same without {column}", column=own(one.column or ""))
    return voice.say("this release") if is_of_release(voice, found) else voice.say("the release that was asked for")


def _command(voice: Voice, one: Alternative) -> str:
    """The command that makes it in a folder beside that of this job; empty where no command does."""
    job = voice.dossier.job
    words = [] if job is None else shlex.split(job.command)
    if one.asked is None or "-o" not in words[-2:-1]:
        return ""
    folder = Path(words[-1])
    return one.asked.request().command(folder.with_name(f"{folder.name}-{one.form.value}"))
