"""What to do: hand out what was released, meet its conditions, or run the job again with other settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from leakgauge.artefacts.report import Code
from leakgauge.artefacts.verdict import Action, Judgement, Recommendation, why_no_action
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.dials import unfavourable
from leakgauge.telling.voice import Plain, Voice, own


def to_do(voice: Voice, found: Judgement | None) -> Iterator[Content]:
    """The first thing to do about a verdict, with the command that does it."""
    job = voice.dossier.job
    if found is None:
        return
    if voice.released and found.recommendation is Recommendation.RELEASE:
        handed = () if job is None else job.shareable
        if handed:
            yield voice.say(
                "Next step: hand out {files}; keep everything else private.",
                files=voice.listed(handed),
            )
        else:
            yield voice.say("Next step: hand out the released table; keep its record private.")
    elif found.actions:
        first = found.actions[0]
        yield voice.say(
            "Next step: {action}; {outcome}.",
            action=own(voice.told(first.said)),
            outcome=action_of(voice, found, first),
        )
        command = _command(first, "" if job is None else job.command)
        if command:
            yield Code(command)
    else:
        reason = why_no_action(None if job is None else job.request, vetoed=bool(found.vetoes))
        template = message("Next step: do not hand out this table, because {reason}.")
        if voice.released:
            template = message("Next step: do not hand out this release, because {reason}.")
        yield voice.say(template, reason=Plain(voice.language.retell(reason)))


def _command(action: Action, command: str) -> str:
    """The command of an action; a word in capitals stands for a declaration that the user must type."""
    words = shlex.split(command)
    if "-o" not in words[-2:-1]:
        # A table in memory, or a release that no job made.
        return "  ".join(action.options)
    request = action.request
    if request is None:
        # The same release is judged again with what was declared.
        options = [word for one in action.options for word in shlex.split(one)]
        return shlex.join([*words[:-2], *options, *words[-2:]])
    folder = Path(words[-1])
    return request.command(folder.with_name(f"{folder.name}-2"))


def action_of(voice: Voice, found: Judgement, action: Action) -> Inline:
    """What an action would do at the ends that decide, to the secret that it changes most."""
    secret = action.most_changed(found)
    now, then = found.dials[secret], action.promised[secret]
    template = message("protection {safe} → {safer}, usefulness {useful} → {as_useful}")
    if len(action.promised) > 1:
        template = message("of {secret}, protection {safe} → {safer}, usefulness {useful} → {as_useful}")
    return voice.say(
        template,
        secret=own(secret),
        safe=unfavourable(voice, now.protection),
        safer=unfavourable(voice, then.protection),
        useful=unfavourable(voice, now.usefulness),
        as_useful=unfavourable(voice, then.usefulness),
    )
