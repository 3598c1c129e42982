"""Actions: other settings of a job, each evaluated before anything is drawn, that would change a verdict.

They are tried in the order of what they cost to do: declare, change a number, change a public column, both at once, let
another channel be designed.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import structs

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import MAX_SUPPRESSED, Aim, PerSecret
from leakgauge.artefacts.verdict import Action, Judgement, Recommendation, Verdict
from leakgauge.assessment.dials import DialPolicy
from leakgauge.errors import EngineError, InputError, RefusalError
from leakgauge.jobs.protect.judged import Judging
from leakgauge.sentences import Sentence, in_turn
from leakgauge.tables import Kind

MOST_ACTIONS = 3
MOST_TRIALS = 32
"""Settings that are evaluated, a tenth of a second each for tables whose columns can be counted."""
LEARNT_AT_ONCE = 6000
"""Values that a learner takes as long for as a setting that is counted."""
ASSOCIATED_TRIALS = 1
"""What more one costs whose channel reads public columns."""
STEPS = 8
"""Halvings of the range of a number: to a 250th of it."""
MOST_NATS = 8.0
"""An ε, or bits, up to which less noise is looked for."""
CHANGED = 0.1
"""The share of a public column's values that is changed where it is to tell less."""
MOST_VALUES = 16
"""Of a public column for which a channel is tried: with more, its design takes seconds."""
_EPSILON = re.compile(r"(?<=epsilon=)[0-9.eE+-]+")
Change: TypeAlias = Mapping[str, Any]
"""Fields of a request."""
_WORDS = ("max_distortion", "max_leakage", "local_dp", "within")


@dataclass(frozen=True)
class _Setting:
    """A job with a change, in words, and what it comes to."""

    said: tuple[Sentence, ...]
    asked: Request
    found: Judgement

    @property
    def verdict(self) -> Verdict:
        return self.found

    @property
    def is_kept(self) -> bool:
        """Whether nothing speaks against it but what is left to declare."""
        return self.verdict.recommendation is not Recommendation.DO_NOT_RELEASE


@dataclass(frozen=True)
class _Dial:
    """A number of a job that more noise makes larger or smaller.

    Attributes:
        now: the number.
        most: the number at which a release tells nothing, or as near as is looked at.
        change: of the job for another number.
        said: what is done then.
    """

    now: float
    most: float
    change: Callable[[float], Change]
    said: Callable[[float], Sentence]


class _Trials:
    """Settings that were evaluated, each once, as long as there are trials left."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self.left = MOST_TRIALS
        self.done: dict[tuple[str, ...], Judgement | None] = {}

    def of(self, said: tuple[Sentence, ...], asked: Request, change: Change | None = None) -> _Setting | None:
        """The job with a change; None where it is impossible, or no trial is left."""
        try:
            changed = structs.replace(asked, **(change or {}))
        except InputError:
            return None
        key = tuple(changed.arguments())
        if key not in self.done:
            if self.left <= 0:
                return None
            fits = len(self.judging.learnt)
            try:
                self.done[key] = self.judging.before(changed)
            except (InputError, RefusalError, EngineError):
                # What cannot be made is no way out.
                self.done[key] = None
            cells = self.judging.table.rows * len(changed.seen)
            self.left -= 1 + (len(self.judging.learnt) - fits) * (cells // LEARNT_AT_ONCE)
            self.left -= ASSOCIATED_TRIALS if changed.keep == "associations" else 0
        found = self.done[key]
        return None if found is None else _Setting(said, changed, found)


def with_actions(found: Judgement, asked: Request, judging: Judging) -> Judgement:
    """The judgement with what would change it."""
    return structs.replace(found, actions=actions(found, asked, judging))


def actions(now: Verdict, asked: Request, judging: Judging) -> tuple[Action, ...]:
    """At most three settings that would change a verdict; the first turns it, where any does.

    Where the verdict is to release, or what was released breaks its claims, there is nothing that settings could do.
    """
    if now.recommendation is Recommendation.RELEASE:
        return ()
    if now.recommendation is Recommendation.RELEASE_IF:
        return (_declared(now, asked),)
    if asked.accounted is not None or asked.repeat is not None or asked.is_searched:
        # Its channel follows from what was bought, or from another job.
        return ()
    trials = _Trials(judging)
    start = trials.of((), asked)
    if start is None or {*now.vetoes} - {*start.verdict.vetoes}:
        return ()
    if start.is_kept:
        # What was drawn shows more than its law: as much more is asked of other settings.
        trials = _Trials(_stricter(judging, now, start.verdict))
        start = trials.of((), asked) or start
    found = list[_Setting]()
    for setting in _settings(start, trials):
        if setting.asked != asked and setting.asked not in [one.asked for one in found]:
            found.append(setting)
        if sum(one.is_kept for one in found) >= MOST_ACTIONS:
            break
    turning = [one for one in found if one.is_kept]
    useful = sorted(turning, key=lambda one: (len(one.said), -_lowest(one.verdict, "usefulness")))
    better = [one for one in found if not one.is_kept and _lowest(one.verdict, "effect") > _lowest(now, "effect") + 1]
    nearest = sorted(better, key=lambda one: (_short(one.verdict), -_lowest(one.verdict, "effect")))
    return tuple(_action(one, asked) for one in (*useful, *nearest)[:MOST_ACTIONS])


def _stricter(judging: Judging, now: Verdict, by_law: Verdict) -> Judging:
    """The same with a limit of protection that is higher by what a drawn release fell short of its law."""
    short = _lowest(by_law, "protection") - _lowest(now, "protection")
    limit = min((judging.policy.min_protection or 0.0) + max(short, 0.0), 99.0)
    return dataclasses.replace(judging, policy=dataclasses.replace(judging.policy, min_protection=limit))


def _settings(start: _Setting, trials: _Trials) -> Iterator[_Setting]:
    """Changes in the order of what they cost to do."""
    missed = _missed_lines(start.verdict)
    vetoed = [name for name in start.asked.public if _names_people(start.verdict, name)]
    fewer = start
    if vetoed:
        # Nothing else can help before these are out.
        said = Sentence("take out {columns!s}", columns=tuple(vetoed))
        without = trials.of((said,), start.asked, _without(start.asked, vetoed))
        if without is None:
            return
        yield without
        fewer, missed = without, _missed_lines(without.verdict)
    turned = False
    for setting in _tuned(fewer, trials):
        turned |= setting.is_kept
        yield setting
    if {"min_protection", "max_exposed", "max_alone", "min_k"} & missed:
        for changed in list(_public_changes(fewer, trials)):
            yield changed
            # Two changes are asked for only where one is not enough.
            for setting in () if turned or changed.is_kept else _tuned(changed, trials):
                turned |= setting.is_kept
                yield setting
    if not turned:
        designed = list(_designed(fewer, trials))
        yield from designed
        if designed and not designed[-1].is_kept:
            yield from _tuned(min(designed, key=lambda one: _short(one.verdict)), trials)


def _tuned(start: _Setting, trials: _Trials) -> Iterator[_Setting]:
    """The noise of the secrets, changed by as little as keeps the policy, or comes nearest to it."""
    if "max_lost" in _missed_lines(start.verdict) and start.asked.keep == "nothing":
        said = Sentence("keep the shares, so that every value is released")
        kept = trials.of((*start.said, said), start.asked, {"keep": None})
        if kept is not None:
            yield kept
            start = kept
    yield from _each_tuned(start, trials)


def _each_tuned(start: _Setting, trials: _Trials) -> Iterator[_Setting]:
    """One secret after the other, the worst first, until the policy is kept."""
    policy, tuned = trials.judging.policy, set[str]()
    for _ in start.asked.aims:
        aims = {", ".join(one.columns): one for one in start.asked.aims}
        missing = [name for name in aims if name not in tuned and not _keeps(start, name, policy)]
        if not missing:
            return
        of = min(missing, key=lambda name: start.verdict.dials[name].protection.ends[0])
        tuned.add(of)
        dial = _dial(start.asked, aims[of], trials.judging)
        best = None if dial is None else _searched(start, dial, of, trials)
        if best is not None:
            yield best
            start = best


def _keeps(setting: _Setting, secret: str, policy: DialPolicy) -> bool:
    return _is_safe(setting, secret, policy) and _is_useful(setting, secret, policy)


def _is_safe(setting: _Setting, secret: str, policy: DialPolicy) -> bool:
    """Whether noise enough is in one secret."""
    dials, beyond = setting.verdict.dials[secret], {"max_epsilon", "max_leakage_bits"} & _missed_lines(setting.verdict)
    return (
        not beyond
        and dials.protection.ends[0] >= (policy.min_protection or 0)
        and dials.exposed.ends[1] <= (100 if policy.max_exposed is None else policy.max_exposed)
        and dials.guarantee.ends[0] >= (policy.min_guarantee or 0)
    )


def _is_useful(setting: _Setting, secret: str, policy: DialPolicy) -> bool:
    dials = setting.verdict.dials[secret]
    return (
        "max_lost" not in _missed_lines(setting.verdict)
        and dials.usefulness.ends[0] >= (policy.min_usefulness or 0)
        and dials.effect.ends[0] >= (policy.min_effect or 0)
    )


def _searched(start: _Setting, dial: _Dial, of: str, trials: _Trials) -> _Setting | None:
    """By halving between the number as it is and the other end; the one that keeps the policy with least change."""
    policy = trials.judging.policy
    noisier = not _is_safe(start, of, policy)
    less = 0.0 if dial.most > dial.now else max(4 * dial.now, MOST_NATS)
    near, far = dial.now, dial.most if noisier else less
    tried = list[tuple[bool, float, float, _Setting]]()
    for _ in range(STEPS):
        middle = (near + far) / 2
        rounded = [float(f"{middle:.{digits}g}") for digits in (2, 3)]
        value = next((number for number in rounded if number not in (near, far)), None)
        if value is None:
            break
        one = trials.of((*start.said, dial.said(value)), start.asked, dial.change(value))
        if one is not None:
            tried.append((_keeps(one, of, policy), -_short(one.verdict), -abs(value - dial.now), one))
        # What cannot be made is too far.
        enough = one is None or (_is_safe if noisier else _is_useful)(one, of, policy)
        near, far = (near, value) if enough else (value, far)
    return max(tried, key=lambda one: one[:3])[3] if tried else None


def _dial(asked: Request, aim: Aim, judging: Judging) -> _Dial | None:
    """The number that says how much noise a secret gets."""
    name = next((name for name in _WORDS if getattr(aim, name) is not None), None)
    columns = ", ".join(aim.columns)

    def set_to(value: float) -> Change:
        limits = getattr(asked, name or "")
        changed: PerSecret = {**limits, aim.columns[0]: value} if isinstance(limits, dict) else value
        if not isinstance(limits, dict) and len(asked.aims) > 1:
            changed = {one.columns[0]: value if one == aim else limits for one in asked.aims}
        return {str(name): changed}

    if len(aim.mechanism) == 1 and (match := _EPSILON.search(aim.mechanism[0])) and name is None:
        now = float(match.group())

        def by_epsilon(value: float) -> Change:
            old = aim.mechanism[0]
            new = _EPSILON.sub(f"{value:g}", old)
            return {"mechanism": tuple(one.replace(old, new) for one in asked.mechanism)}

        return _Dial(now, 0.0, by_epsilon, _spend(columns, now))
    if name is None:
        return None
    now = float(getattr(aim, name))
    if name == "max_distortion" and aim.distortion == "hamming":
        return _Dial(now, 1.0, set_to, _change(columns, now))
    if name in ("max_distortion", "within"):
        # A constant is off by less than the standard deviation; of other distances four times as far is looked at.
        return _Dial(now, max(4 * now, _spread(aim, judging) or 0.0), set_to, _be_off(columns, now))
    return _Dial(now, 0.0, set_to, (_spend if name == "local_dp" else _tell)(columns, now))


def _spend(columns: str, now: float) -> Callable[[float], Sentence]:
    return lambda value: Sentence(
        "give {columns!s} an ε of {value:g} instead of {now:g}", columns=columns, value=value, now=now
    )


def _tell(columns: str, now: float) -> Callable[[float], Sentence]:
    return lambda value: Sentence(
        "let {columns!s} tell {value:g} bits instead of {now:g}", columns=columns, value=value, now=now
    )


def _be_off(columns: str, now: float) -> Callable[[float], Sentence]:
    return lambda value: Sentence(
        "let {columns!s} be off by {value:g} on average instead of {now:g}", columns=columns, value=value, now=now
    )


def _change(columns: str, now: float) -> Callable[[float], Sentence]:
    return lambda value: Sentence(
        "change {value:.3g} % of the values of {columns!s} instead of {now:.3g} %",
        columns=columns,
        value=100 * value,
        now=100 * now,
    )


def _public_changes(start: _Setting, trials: _Trials) -> Iterator[_Setting]:
    """Every way in which the most telling public column could tell less: coarser, through a channel, or not at all."""
    for name in _by_values(start.asked, trials.judging)[:2]:
        ways = list(_less_telling(start.asked, name, trials.judging))
        # Where each takes a learner of its own, the one that helps most comes first.
        for said, change in reversed(ways) if trials.judging.learnt else ways:
            found = trials.of((*start.said, said), start.asked, change)
            if found is not None:
                yield found


def _by_values(asked: Request, judging: Judging) -> list[str]:
    """The public columns that leave as they are, those with most values first: they single out and tell most."""
    names = asked.public_as_is
    sizes = judging.table.group_sizes([(name,) for name in names]) if names else []
    return [one.columns[0] for one in sorted(sizes, key=lambda one: -one.groups)]


def _less_telling(asked: Request, name: str, judging: Judging) -> Iterator[tuple[Sentence, Change]]:
    kinds = {one.name: one.kind for one in judging.table.columns()}
    (size,) = judging.table.group_sizes([(name,)])
    coarse = [text for text in asked.bins if text.startswith(f"{name}=")]
    on_a_line = kinds[name] in (Kind.INT, Kind.FLOAT)
    if on_a_line and not coarse and asked.min_k is None and not _has_levels(asked, name):
        said = Sentence("publish {column!s} coarser", column=name)
        yield said, {"bins": (*asked.bins, f"{name}=quantiles:4")}
    hidden = asked.min_k is not None or asked.suppress_below is not None or name in asked.background
    if size.groups <= MOST_VALUES and not hidden and len(asked.public_as_is) > (asked.keep == "associations"):
        said = Sentence(
            "release {column!s} through a channel that changes {share:.3g} % of its values",
            column=name,
            share=100 * CHANGED,
        )
        yield said, {"public_distortion": {**(asked.public_distortion or {}), name: CHANGED}}
    yield Sentence("take out {columns!s}", columns=(name,)), _without(asked, [name])


def _has_levels(asked: Request, name: str) -> bool:
    return any(text.startswith(f"{name}=") for text in asked.levels)


def _without(asked: Request, names: list[str]) -> Change:
    """What leaves some public columns out of a job, and what was said of them alone."""
    public = tuple(name for name in asked.public if name not in names)
    shares = {name: share for name, share in (asked.public_distortion or {}).items() if name in public}

    def about_others(texts: tuple[str, ...]) -> tuple[str, ...]:
        gone = [name for name in names if name not in asked.background]
        return tuple(text for text in texts if not any(text.startswith(f"{name}=") for name in gone))

    changed: Change = {
        "public": public,
        "public_distortion": shares or None,
        "accept_unique": tuple(name for name in asked.accept_unique if name in public),
        "bins": about_others(asked.bins),
        "levels": about_others(asked.levels),
    }
    if not public:
        kept = None if asked.keep == "associations" else asked.keep
        changed = {**changed, "min_k": None, "suppress_below": None, "keep": kept, "max_suppressed": MAX_SUPPRESSED}
    return changed


def _designed(start: _Setting, trials: _Trials) -> Iterator[_Setting]:
    """Another kind of channel: for a mechanism that is named one that keeps shares, for numbers one that keeps near."""
    asked = start.asked
    if asked.clamp or len(asked.aims) > 1:
        return
    (aim,) = asked.aims
    columns = ", ".join(aim.columns)
    plain: Change = {"mechanism": (), "max_distortion": None, "max_leakage": None}
    moments = _spread(aim, trials.judging)
    ways = list[tuple[Sentence, Change]]()
    if moments is not None and aim.within is None and aim.local_dp is None:
        for part in (0.4, 0.6, 0.8):
            value = float(f"{part * moments:.2g}")
            said = Sentence(
                "design a channel for {columns!s} that is off by {value:g} on average", columns=columns, value=value
            )
            ways.append((said, {**plain, "within": value, "distortion": ("hamming",)}))
    elif aim.mechanism:
        for value in (0.2, 0.3, 0.4, 0.5):
            said = Sentence(
                "design a channel for {columns!s} that keeps its shares and changes {value:.3g} % of its values",
                columns=columns,
                value=100 * value,
            )
            ways.append((said, {**plain, "max_distortion": value}))
    for said, change in ways:
        found = trials.of((*start.said, said), asked, change)
        if found is not None:
            yield found
            if found.is_kept:
                return


def _spread(aim: Aim, judging: Judging) -> float | None:
    """The standard deviation of a secret of numbers."""
    kinds = {one.name: one.kind for one in judging.table.columns()}
    if len(aim.columns) > 1 or kinds.get(aim.columns[0]) not in (Kind.INT, Kind.FLOAT):
        return None
    variance = judging.table.moments(*aim.columns)[aim.columns[0]].variance
    return None if not variance else math.sqrt(variance)


def _declared(now: Verdict, asked: Request) -> Action:
    """What is left to be declared, in words that are somebody else's to write."""
    options = {"purpose": "--purpose TEXT", "recipient": "--recipient TEXT", "review": "--review 2027-11-16"}
    missing = [option for name, option in options.items() if not getattr(asked, name)]
    return Action(
        said=now.conditions[0],
        options=tuple(missing),
        asked=None,
        promised=now.dials,
        recommendation=Recommendation.RELEASE,
    )


def _action(one: _Setting, before: Request) -> Action:
    had, has = _options(before), _options(one.asked)
    return Action(
        said=in_turn(one.said),
        options=tuple(option for option in has if option not in had),
        left_out=tuple(option for option in had if option not in has),
        asked=one.asked,
        promised=one.verdict.dials,
        recommendation=one.verdict.recommendation,
    )


def _options(asked: Request) -> list[str]:
    """What is typed after the table, an option with its value each; one without a value is followed by another."""
    words = asked.arguments()[1:]
    return [
        word
        if "=" in word or words[at + 1 : at + 2] in ([], ["--"]) or words[at + 1].startswith("--")
        else f"{word} {words[at + 1]}"
        for at, word in enumerate(words)
        if word.startswith("--")
    ]


def _missed_lines(verdict: Verdict) -> frozenset[str]:
    return frozenset(line.name for line in verdict.policy if not line.holds)


def _short(verdict: Verdict) -> float:
    """How far a verdict is from a release: 1 for a veto, and of each limit the share of it that is missed."""
    short = float(len(verdict.vetoes))
    for line in verdict.policy:
        if not line.holds and line.found is not None:
            off = abs(line.limit - line.found)
            short += min(off / max(line.limit, off), 1.0) if off else 0.0
        elif not line.holds:
            short += 1
    return short


def _lowest(verdict: Verdict, dial: str) -> float:
    return min(float(getattr(one, dial).ends[0]) for one in verdict.dials.values())


def _names_people(verdict: Verdict, column: str) -> bool:
    return any(veto.fields.get("column") == column and "reason" in veto.fields for veto in verdict.vetoes)
