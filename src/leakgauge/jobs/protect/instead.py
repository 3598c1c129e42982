"""What can be released where nothing meets the target: the least change of the target that is met."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from leakgauge.artefacts import Request
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.verdict import Action
from leakgauge.assessment.terms import policy_of
from leakgauge.errors import InputError
from leakgauge.jobs.protect.actions import action_of, by_values, tuning_of, without
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.tuned import Change, Setting, Trials
from leakgauge.rounding import at_least, at_most
from leakgauge.sentences import Sentence

_FACTORS: Final = (1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)
"""By how much a target is loosened, in turn."""


def instead(asked: Request, found: Dossier, judging: Judging) -> Action | None:
    """The first change with which something can be released, one that is not advised against if there is one.

    None where every change that was tried is impossible too, and of a job that follows from another one or from a
    histogram, which is not known before it is run.

    Args:
        found: what the job found before it was refused.
    """
    if asked.budget.accounted is not None or asked.repeat is not None:
        return None
    trials, possible = Trials(judging), list[Setting]()
    for said, change in _changes(asked, found, judging):
        with suppress(InputError):
            # Looser limits are those by which it is judged.
            policy = policy_of(asked.having(**change).limits, asked.declared)
            trials.judging = replace(judging, policy=policy)
        setting = trials.of((said,), asked, change)
        if setting is None or setting.verdict.vetoes or setting.verdict.failed:
            continue
        possible.append(setting)
        if setting.is_kept:
            return action_of(setting, asked)
    return action_of(possible[0], asked) if possible else None


def _changes(asked: Request, found: Dossier, judging: Judging) -> Iterator[tuple[Sentence, Change]]:
    """Changes in the order of what they cost to do."""
    if asked.is_searched:
        yield from _as_near_as_was_found(asked, found)
    for aim in asked.aims:
        tuning = tuning_of(asked, aim, judging)
        if tuning is None:
            continue
        values = [at_most(tuning.now * factor, 2) for factor in _FACTORS]
        if aim.max_leakage is not None:
            values = sorted({*values, *_least_leakage(found, aim.columns)})
        tried = dict.fromkeys(min(value, tuning.most) if tuning.most > tuning.now else value for value in values)
        for value in tried:
            if value > tuning.now:
                yield tuning.said(value), tuning.change(value)
    if any(aim.mechanism and aim.is_limited for aim in asked.aims):
        yield Sentence("let a channel be designed"), {"mechanism": ()}
    for name in by_values(asked, judging)[:2]:
        yield Sentence("take out {columns!s}", columns=(name,)), without(asked, [name])


def _as_near_as_was_found(asked: Request, found: Dossier) -> Iterator[tuple[Sentence, Change]]:
    """The limits that the closest setting of a search meets."""
    for one in found.secrets:
        if one.improvement is None or one.improvement.chosen is not None:
            continue
        closest, limits = one.improvement.closest.scores, dict[str, float]()
        for name in ("protection", "usefulness"):
            limit, reached = getattr(asked.limits, f"min_{name}"), getattr(closest, name).ends[0]
            if limit is not None:
                limits[f"min_{name}"] = min(limit, max(at_least(reached - _SPARE, 2), 0.0))
        loosened = {name: value for name, value in limits.items() if value < getattr(asked.limits, name)}
        if len(loosened) > 1:
            yield (
                Sentence(
                    "ask for a protection of {protection:g} and a usefulness of {usefulness:g}",
                    protection=loosened["min_protection"],
                    usefulness=loosened["min_usefulness"],
                ),
                loosened,
            )
        elif "min_protection" in loosened:
            yield Sentence("ask for a protection of {protection:g}", protection=loosened["min_protection"]), loosened
        elif loosened:
            yield Sentence("ask for a usefulness of {usefulness:g}", usefulness=loosened["min_usefulness"]), loosened


_SPARE: Final = 0.5
"""Points that are left between a limit and what was reached: a drawn release falls a little short of its law."""


def _least_leakage(found: Dossier, secret: tuple[str, ...]) -> Iterator[float]:
    """The bits that the least leaking channel reveals, rounded up."""
    for one in found.secrets:
        if one.secret == secret and one.frontier is not None:
            bits = [point.leakage_with_background or point.leakage for point in one.frontier.points]
            yield at_most(min(each.value for each in bits) * 1.01, 2)
