"""The next step: give out the release, meet its conditions, or run the job again with other settings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from leakgauge.artefacts.job import Job
from leakgauge.artefacts.request import FRAME, Reading, Request
from leakgauge.artefacts.request.request import arguments_of
from leakgauge.artefacts.verdict import Action, Judgement, Recommendation, why_no_action
from leakgauge.languages import message
from leakgauge.telling.blocks import Content, Inline, commands
from leakgauge.telling.scores import is_of_release, unfavourable
from leakgauge.telling.voice import NOTHING, Plain, Voice, own


def to_do(voice: Voice, found: Judgement, job: Job | None, beside: Path | None = None) -> Iterator[Content]:
    """The first thing to do about a verdict, with the command that does it.

    Args:
        found: the verdict.
        job: that made the release; None where none did.
        beside: the folder of another job; by default one named after that of this job.
    """
    first = next(iter(found.actions), None)
    if is_of_release(voice, found) and found.recommendation is Recommendation.RELEASE:
        yield from given_out(voice, found, job)
    elif first is not None:
        outcome = action_of(voice, found, first)
        template = message("Next step: {action}; {outcome}.") if outcome else message("Next step: {action}.")
        if first.recommendation is Recommendation.DO_NOT_RELEASE:
            template = message(
                "Best change that was tried: {action}; {outcome}. It is not enough: no change that was tried makes "
                "this release acceptable."
            )
        yield voice.say(template, action=own(voice.told(first.said)), outcome=outcome or NOTHING)
        if command := _command(first, "" if job is None else job.command, beside):
            yield commands(command)
    elif found.recommendation is not Recommendation.RELEASE:
        reason = why_no_action(None if job is None else job.request, vetoed=bool(found.vetoes))
        template = message("Next step: do not hand out this table; {reason}.")
        if is_of_release(voice, found):
            template = message("Next step: do not hand out this release; {reason}.")
        yield voice.say(template, reason=Plain(voice.language.retell(reason)))


def instead(voice: Voice, job: Job, beside: Path | None = None) -> Iterator[Content]:
    """What to do where nothing was released: the first change with which something can be, or a look at the table."""
    found = None if job.outcome is None else job.outcome.instead
    if found is None:
        survey = survey_command(job.request)
        if survey:
            yield voice.say("Next step: see which columns reveal the secrets, and publish fewer of them or allow more.")
            yield commands(survey)
        return
    scores = min(found.promised.values(), key=lambda one: one.protection.ends[0])
    template = message("Next step: {action}; protection is then {protection}, usefulness {usefulness}.")
    if found.recommendation is Recommendation.DO_NOT_RELEASE:
        template = message(
            "Next step: {action}; protection is then {protection}, usefulness {usefulness}, which the policy still "
            "advises against."
        )
    yield voice.say(
        template,
        action=own(voice.told(found.said)),
        protection=unfavourable(voice, scores.protection),
        usefulness=unfavourable(voice, scores.usefulness),
    )
    if command := _command(found, job.command, beside):
        yield commands(command)


def survey_command(asked: Request) -> str:
    """The command that shows what the columns of a table reveal of the secrets; empty for a table in memory."""
    if asked.table == FRAME:
        return ""
    options = {name: value for name, value in asked.options().items() if name in Reading.__struct_fields__}
    unit = {} if asked.roles.unit is None else {"unit": asked.roles.unit}
    words = arguments_of(asked.table, {"secret": asked.roles.secrets, **unit, **options})
    return shlex.join(["leakgauge", "survey", *words])


def given_out(voice: Voice, found: Judgement, job: Job | None) -> Iterator[Content]:
    """Which files the recipients may have, and when."""
    files = () if job is None else job.shareable
    if not files:
        yield voice.say("Next step: give the released table to the recipient; keep its record private.")
        return
    template = {
        Recommendation.RELEASE: message("Next step: give {files} to the recipient; keep everything else private."),
        Recommendation.RELEASE_IF: message(
            "Once the conditions are met, give {files} to the recipient; keep everything else private."
        ),
        Recommendation.DO_NOT_RELEASE: message(
            "Do not hand out anything yet: {files} were written; keep them private, like everything else."
        ),
    }[found.recommendation]
    yield voice.say(template, files=voice.listed(files))


def _command(action: Action, command: str, beside: Path | None) -> str:
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
    return request.command(beside or folder.with_name(f"{folder.name}-2"))


def action_of(voice: Voice, found: Judgement, action: Action) -> Inline:
    """What an action would do at the ends that decide, to the secret it changes most; empty where it is nothing."""
    secret = action.most_changed(found)
    now, then = found.scores[secret], action.promised.get(secret)
    if then is None or then == now:
        return ()
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
