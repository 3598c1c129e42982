"""Settings of a job, each evaluated once, and the least change of one secret's number that keeps a policy."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from leakgauge.artefacts import Request
from leakgauge.artefacts.verdict import Judgement, Recommendation, Verdict
from leakgauge.assessment.scores.policy import Policy
from leakgauge.case.learner import MOST_ROWS
from leakgauge.errors import EngineError, InputError, RefusalError
from leakgauge.jobs.protect.judged import Judging
from leakgauge.sentences import Sentence

MOST_WORK = 40
"""The budget for evaluating settings; one whose columns are counted costs 1, below a twentieth of a second on 30,000
rows. Work is counted, not timed, so that the same job has the same actions everywhere."""
LEARNT_AT_ONCE = 8_000
"""The number of values for which a learner takes as long as counting one setting."""
LEAST_LEARNT = 5
"""The fixed cost of a learner, however few rows there are: a quarter of a second."""
OF_ASSOCIATIONS, OF_A_PUBLIC_CHANNEL, OF_A_SEARCH = 1, 4, 10
"""The extra cost of a setting whose channel reads public columns, that designs a channel for a public column, or that
is searched for."""
STEPS = 7
"""The most numbers tried for one secret."""
AIMED, NEAR = 0.5, 1.0
"""Points above a limit at which a number is searched for, and within which it is near enough."""
IDLE = 0.1
"""Points by which a limit must come nearer for the search to go on."""
LEAST_PART = 0.05
"""The least and greatest share of the way between two numbers that a step takes."""
MOST_NATS = 8.0
"""The largest ε, or bits, tried when less noise is searched for."""
Change: TypeAlias = Mapping[str, Any]
"""Options of a request."""
_BUDGETS = ("max_epsilon", "max_leakage_bits")
_BY_MORE = ("min_protection", "max_surest", *_BUDGETS)
_BY_LESS = ("min_usefulness",)
"""Limits that more noise keeps, and less."""


@dataclass(frozen=True)
class Setting:
    """A job with a change, the change in words, and its result."""

    said: tuple[Sentence, ...]
    asked: Request
    verdict: Judgement

    @property
    def is_kept(self) -> bool:
        """Whether only declarations are missing."""
        return self.verdict.recommendation is not Recommendation.DO_NOT_RELEASE


@dataclass(frozen=True)
class Tuning:
    """A number of a job that more noise makes larger or smaller.

    Attributes:
        now: the number.
        most: the number at which a release reveals nothing, or the last one tried.
        change: the changed job for another number.
        words: for the change, with the number as their ``value``.
        factor: of the number in words.
    """

    now: float
    most: float
    change: Callable[[float], Change]
    words: Sentence
    factor: float = 1.0

    def said(self, value: float) -> Sentence:
        """The change to a number in words."""
        words = copy.copy(self.words)
        words.fields = {**words.fields, "value": self.factor * value}
        return words


class Trials:
    """Settings evaluated, each once, until the budget for work is used up."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self.left = MOST_WORK
        self._fits = 0
        self._limits_budgets = (judging.policy.max_epsilon, judging.policy.max_delta) != (None, None)
        self._done: dict[tuple[str, ...], Judgement | None] = {}

    def of(self, said: tuple[Sentence, ...], asked: Request, change: Change | None = None) -> Setting | None:
        """The job with a change; None if it is impossible, or the budget is used up."""
        try:
            changed = asked.having(**(change or {}))
        except InputError:
            return None
        key = tuple(changed.arguments())
        if key not in self._done:
            if self.left <= 0:
                return None
            fits = len(self.judging.learnt)
            try:
                self._done[key] = self.judging.before(changed, budgets=self._limits_budgets)
            except (InputError, RefusalError, EngineError):
                # An impossible setting is not an action.
                self._done[key] = None
            fits = len(self.judging.learnt) - fits
            self._fits += fits
            self.left -= self._work(changed, fits)
        found = self._done[key]
        return None if found is None else Setting(said, changed, found)

    def may_learn(self, asked: Request) -> bool:
        """Whether the budget allows another learner, if settings need one; the first is always allowed."""
        return not self.judging.learnt or not self._fits or self.left >= self._learning(asked)

    def _learning(self, asked: Request) -> int:
        return LEAST_LEARNT + min(self.judging.table.rows, MOST_ROWS) * len(asked.roles.seen) // LEARNT_AT_ONCE

    def _work(self, asked: Request, fits: int) -> int:
        return (
            1
            + fits * self._learning(asked)
            + OF_ASSOCIATIONS * (asked.limits.keep == "associations")
            + OF_A_PUBLIC_CHANNEL * bool(asked.roles.public_through)
            + OF_A_SEARCH * asked.is_searched
        )


def keeps(setting: Setting, secret: str, policy: Policy) -> bool:
    """Whether the noise of one secret satisfies the policy."""
    return _is_safe(setting, secret, policy) and is_useful(setting, secret, policy)


def _is_safe(setting: Setting, secret: str, policy: Policy) -> bool:
    """Whether one secret has enough noise."""
    scores, beyond = setting.verdict.scores[secret], {*_BUDGETS} & missed_lines(setting.verdict)
    return (
        not beyond
        and scores.protection.ends[0] >= (policy.min_protection or 0)
        and scores.surest.ends[1] <= (100 if policy.max_surest is None else policy.max_surest)
    )


def is_useful(setting: Setting, secret: str, policy: Policy) -> bool:
    """Whether one secret has no more noise than it may."""
    scores = setting.verdict.scores[secret]
    return "max_lost" not in missed_lines(setting.verdict) and scores.usefulness.ends[0] >= (policy.min_usefulness or 0)


def tuned_number(start: Setting, tuning: Tuning, of: str, trials: Trials) -> Setting | None:
    """The number that keeps the policy with least change, or comes nearest to it.

    For each limit, linear interpolation between the nearest number that misses it and the nearest that keeps it says
    where it would just be kept; the farthest of these is tried next.
    """
    policy = trials.judging.policy
    noisier = not _is_safe(start, of, policy)
    less = 0.0 if tuning.most > tuning.now else max(4 * tuning.now, MOST_NATS)
    near, far = tuning.now, tuning.most if noisier else less
    missing, spare = _spare(start, of, policy, noisier), _at_best(policy, noisier)
    tried, in_a_row = list[tuple[bool, float, float, Setting]](), 0
    for _ in range(STEPS if _may_help(start, of, policy) else 0):
        parts = [
            (AIMED - missing[name]) / (spare[name] - missing[name])
            for name in missing
            if missing[name] < AIMED < spare[name]
        ]
        # If only one end moves, interpolation is too slow, so the step is widened.
        value = _between(near, far, 0.5 if in_a_row > 1 else max(parts, default=0.5))
        if value is None:
            break
        one = trials.of((*start.said, tuning.said(value)), start.asked, tuning.change(value))
        if one is None:
            # An impossible setting counts as too far.
            far = value
            continue
        tried.append((keeps(one, of, policy), -short_of(one.verdict), -abs(value - tuning.now), one))
        found = _spare(one, of, policy, noisier)
        if (_is_safe if noisier else is_useful)(one, of, policy):
            others = _spare(one, of, policy, not noisier)
            if min(found.values(), default=0.0) <= NEAR and not -NEAR < min(others.values(), default=0.0) < 0:
                # Near enough; other limits are missed by more than the remaining way could gain.
                break
            far, spare, in_a_row = value, found, max(in_a_row, 0) + 1
        else:
            if not _may_help(one, of, policy) or not _nearer(found, missing):
                break
            near, missing, in_a_row = value, found, 0
    return max(tried, key=lambda one: one[:3])[3] if tried else None


def _nearer(found: Mapping[str, float], missing: Mapping[str, float]) -> bool:
    """Whether a setting misses less than before."""
    short = [name for name, points in missing.items() if points < 0]
    return not short or any(found[name] > missing[name] + IDLE for name in short)


def _may_help(setting: Setting, secret: str, policy: Policy) -> bool:
    """Whether more or less noise could keep the policy; not where both protection and usefulness are missing."""
    return _is_safe(setting, secret, policy) or is_useful(setting, secret, policy)


def _spare(setting: Setting, secret: str, policy: Policy, noisier: bool) -> dict[str, float]:
    """The points by which each limit that noise decides is kept; below 0 where it is missed."""
    scores, lines = setting.verdict.scores[secret], {line.name: line for line in setting.verdict.policy}
    found = dict[str, float]()
    for name, limit in _decided_by_noise(policy, noisier).items():
        kind, score = name.split("_", 1)
        if name in _BUDGETS:
            spent = lines[name].found
            # In percent of it.
            finite = isinstance(spent, float) and math.isfinite(spent) and limit > 0
            found[name] = 100 * (1 - float(spent) / limit) if finite else -100.0  # type: ignore[arg-type]
        elif kind == "min":
            found[name] = getattr(scores, score).ends[0] - limit
        else:
            found[name] = limit - getattr(scores, score).ends[1]
    return found


def _at_best(policy: Policy, noisier: bool) -> dict[str, float]:
    """The same for a release that reveals nothing, or for the table itself."""
    limits = _decided_by_noise(policy, noisier)
    return {
        name: 100.0 if name in _BUDGETS else limit if name[:3] == "max" else 100 - limit
        for name, limit in limits.items()
    }


def _decided_by_noise(policy: Policy, noisier: bool) -> dict[str, float]:
    """The limits that more noise keeps, or less."""
    return {name: limit for name, limit in policy.limits().items() if name in (_BY_MORE if noisier else _BY_LESS)}


def _between(near: float, far: float, part: float) -> float | None:
    """A number with few digits at this share of the way between two others; None where there is none between them."""
    # Never so close to an end that the other does not move.
    value = near + min(max(part, LEAST_PART), 1 - LEAST_PART) * (far - near)
    rounded = [float(f"{value:.{digits}g}") for digits in (2, 3)]
    return next((number for number in rounded if min(near, far) < number < max(near, far)), None)


def missed_lines(verdict: Verdict) -> frozenset[str]:
    """The limits of a policy that are not kept."""
    return frozenset(line.name for line in verdict.policy if not line.holds)


def short_of(verdict: Verdict) -> float:
    """How far a verdict is from a release: 1 for a veto, and of each limit the share of it that is missed."""
    short = float(len(verdict.vetoes))
    for line in verdict.policy:
        if not line.holds and line.found is not None:
            off = abs(line.limit - line.found)
            short += min(off / max(line.limit, off), 1.0) if off else 0.0
        elif not line.holds:
            short += 1
    return short
