"""Actions: other settings of a job that would change its verdict, each evaluated before anything is drawn.

They are tried in the order of effort: declare, change a number, change a public column, both at once, design another
channel.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator

from msgspec import structs

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import Aim, Aiming, Roles, StoredRequest
from leakgauge.artefacts.request.aim import numbers_asked
from leakgauge.artefacts.request.terms import MAX_SUPPRESSED
from leakgauge.artefacts.verdict import Action, Judgement, Recommendation, Verdict
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.tuned import (
    Change,
    Setting,
    Trials,
    Tuning,
    is_useful,
    keeps,
    missed_lines,
    short_of,
    tuned_number,
)
from leakgauge.sentences import Sentence, in_turn
from leakgauge.tables import Kind

MOST_ACTIONS = 3
NEARER = 0.05
"""The share of a limit by which an action must come nearer if it does not change the verdict."""
CHANGED = 0.1
"""The share of a public column's values that is changed so that it reveals less."""
PERCENT = 100
FEW_BINS = "quantiles:4"
"""How numbers are published coarser."""
MOST_VALUES = 16
"""The most values of a public column for which a channel is tried: with more, its design takes seconds."""
_EPSILON = re.compile(r"(?<=epsilon=)[0-9.eE+-]+")


def with_actions(found: Judgement, asked: Request, judging: Judging) -> Judgement:
    """The judgement with the actions that would change it."""
    return structs.replace(found, actions=actions(found, asked, judging))


def actions(now: Verdict, asked: Request, judging: Judging) -> tuple[Action, ...]:
    """At most three settings that would change a verdict; the first changes the recommendation if any does.

    There are none if the verdict is to release, or if the release breaks its claims.
    """
    if now.recommendation is Recommendation.RELEASE:
        return ()
    if now.recommendation is Recommendation.RELEASE_IF:
        return (_declared(now, asked),)
    if asked.budget.simulate is not None and not now.vetoes and not missed_lines(now):
        # Every limit is kept: only that it is a simulation stands against it.
        return (_drawn(now, asked),)
    if asked.budget.accounted is not None or asked.repeat is not None:
        # The channel follows from a bought histogram or from another job, so the result of another run is unknown in
        # advance.
        return ()
    trials = Trials(judging)
    start = trials.of((), asked)
    if start is None or {*now.vetoes} - {*start.verdict.vetoes}:
        return ()
    if start.is_kept:
        # The drawn release reveals more than its law says: other settings must do better by as much.
        trials = Trials(_stricter(judging, now, start.verdict))
        start = trials.of((), asked) or start
    found = list[Setting]()
    for setting in _settings(start, trials):
        if setting.asked != asked and setting.asked not in [one.asked for one in found]:
            found.append(setting)
        if sum(one.is_kept for one in found) >= MOST_ACTIONS:
            break
    turning = [one for one in found if one.is_kept]
    useful = sorted(turning, key=lambda one: (len(one.said), -_lowest(one.verdict, "usefulness")))
    nearest = sorted(_nearer(found, start.verdict), key=lambda one: (short_of(one.verdict), len(one.said)))
    return tuple(action_of(one, asked) for one in (*useful, *nearest)[:MOST_ACTIONS])


def _stricter(judging: Judging, now: Verdict, by_law: Verdict) -> Judging:
    """The policy with its protection limit raised by as much as a drawn release fell short of its law."""
    short = _lowest(by_law, "protection") - _lowest(now, "protection")
    limit = min((judging.policy.min_protection or 0.0) + max(short, 0.0), 99.0)
    return dataclasses.replace(judging, policy=dataclasses.replace(judging.policy, min_protection=limit))


def _settings(start: Setting, trials: Trials) -> Iterator[Setting]:
    """Changes in the order of what they cost to do."""
    missed = missed_lines(start.verdict)
    vetoed = [name for name in start.asked.roles.public if _names_people(start.verdict, name)]
    fewer = start
    if vetoed:
        # Nothing else can help before these are taken out.
        said = Sentence("take out {columns!s}", columns=tuple(vetoed))
        named_nobody = trials.of((said,), start.asked, without(start.asked, vetoed))
        if named_nobody is None:
            return
        yield named_nobody
        fewer, missed = named_nobody, missed_lines(named_nobody.verdict)
    turned = False
    for setting in _tuned(fewer, trials):
        turned |= setting.is_kept
        yield setting
    if {"min_protection", "max_surest", "max_alone", "max_linked", "min_k"} & missed:
        changes: Iterable[Setting] = _public_changes(fewer, trials)
        if not trials.judging.learnt:
            # The nearest first; where each needs its own learner, one is followed up before the next is trained.
            changes = sorted(changes, key=lambda one: short_of(one.verdict))
        for changed in changes:
            turned |= changed.is_kept
            yield changed
            # Two changes are proposed only where one is not enough.
            for setting in () if turned else _tuned(changed, trials):
                turned |= setting.is_kept
                yield setting
    if not turned:
        yield from _designed(fewer, trials)


def _tuned(start: Setting, trials: Trials) -> Iterator[Setting]:
    """The noise of the secrets, with the least change that keeps the policy or comes nearest to it."""
    if "max_lost" in missed_lines(start.verdict) and start.asked.limits.keep == "nothing":
        said = Sentence("keep the shares, so that every value is released")
        kept = trials.of((*start.said, said), start.asked, {"keep": None})
        if kept is not None:
            yield kept
            start = kept
    yield from _each_tuned(start, trials)


def _each_tuned(start: Setting, trials: Trials) -> Iterator[Setting]:
    """One secret after the other, the worst first, until the policy is kept."""
    policy, tuned = trials.judging.policy, set[str]()
    for _ in start.asked.aims:
        aims = {", ".join(one.columns): one for one in start.asked.aims}
        missing = [name for name in aims if name not in tuned and not keeps(start, name, policy)]
        if not missing:
            return
        of = min(missing, key=lambda name: start.verdict.scores[name].protection.ends[0])
        tuned.add(of)
        tuning = tuning_of(start.asked, aims[of], trials.judging)
        best = None if tuning is None else tuned_number(start, tuning, of, trials)
        if best is not None:
            yield best
            start = best


def tuning_of(asked: Request, aim: Aim, judging: Judging) -> Tuning | None:
    """The number that sets the noise of a secret."""
    name = next((name for name in numbers_asked() if getattr(aim, name) is not None), None)
    columns = ", ".join(aim.columns)

    def set_to(value: float) -> Change:
        if len(asked.aims) == 1:
            return {str(name): value}
        each = {one.columns[0]: value if one == aim else getattr(one, str(name)) for one in asked.aims}
        return {str(name): {column: limit for column, limit in each.items() if limit is not None}}

    if len(aim.mechanism) == 1 and (match := _EPSILON.search(aim.mechanism[0])) and name is None:
        now = float(match.group())

        def by_epsilon(value: float) -> Change:
            old = aim.mechanism[0]
            new = _EPSILON.sub(f"{value:g}", old)
            return {"mechanism": tuple(one.replace(old, new) for one in Aiming.of(asked.aims).mechanism)}

        return Tuning(now, 0.0, by_epsilon, _spend(columns, now))
    if name is None:
        return None
    now = float(getattr(aim, name))
    if name == "max_distortion" and aim.distortion == "hamming":
        said = Sentence(
            "change {value:.3g}% of the values of {columns!s} instead of {now:.3g}%",
            columns=columns,
            value=100 * now,
            now=100 * now,
        )
        return Tuning(now, 1.0, set_to, said, PERCENT)
    if name in ("max_distortion", "within"):
        # A constant is off by less than the standard deviation; of other distances four times as far is looked at.
        said = Sentence(
            "let {columns!s} be off by {value:g} on average instead of {now:g}", columns=columns, value=now, now=now
        )
        return Tuning(now, max(4 * now, _spread(aim, judging) or 0.0), set_to, said)
    if name == "local_dp":
        return Tuning(now, 0.0, set_to, _spend(columns, now))
    said = Sentence("let {columns!s} reveal {value:g} bits instead of {now:g}", columns=columns, value=now, now=now)
    return Tuning(now, 0.0, set_to, said)


def _spend(columns: str, now: float) -> Sentence:
    return Sentence("give {columns!s} an ε of {value:g} instead of {now:g}", columns=columns, value=now, now=now)


def _public_changes(start: Setting, trials: Trials) -> Iterator[Setting]:
    """Every way to make a public column reveal less: coarser, through a channel, or not published."""
    for name in by_values(start.asked, trials.judging)[:2]:
        ways = list(_less_telling(start.asked, name, trials.judging))
        # Where each needs its own learner, the most helpful comes first.
        for said, change in reversed(ways) if trials.judging.learnt else ways:
            found = trials.of((*start.said, said), start.asked, change) if trials.may_learn(start.asked) else None
            if found is not None:
                yield found


def by_values(asked: Request, judging: Judging) -> list[str]:
    """The public columns released unchanged, those with most values first: they single out and reveal most."""
    names = asked.roles.public_as_is
    sizes = judging.table.group_sizes([(name,) for name in names]) if names else []
    return [one.columns[0] for one in sorted(sizes, key=lambda one: -one.groups)]


def _less_telling(asked: Request, name: str, judging: Judging) -> Iterator[tuple[Sentence, Change]]:
    kinds = {one.name: one.kind for one in judging.table.columns()}
    (size,) = judging.table.group_sizes([(name,)])
    options = (*asked.coarsening.bins, *asked.coarsening.levels)
    coarse = asked.coarsening.min_k is not None or any(text.startswith(f"{name}=") for text in options)
    if kinds[name] in (Kind.INT, Kind.FLOAT) and not coarse:
        said = Sentence("publish {column!s} coarser", column=name)
        yield said, {"bins": (*asked.coarsening.bins, f"{name}={FEW_BINS}")}
    hidden = (
        asked.coarsening.min_k is not None
        or asked.coarsening.suppress_below is not None
        or name in asked.roles.background
    )
    if (
        size.groups <= MOST_VALUES
        and not hidden
        and len(asked.roles.public_as_is) > (asked.limits.keep == "associations")
    ):
        said = Sentence(
            "release {column!s} through a channel that changes {share:.3g}% of its values",
            column=name,
            share=100 * CHANGED,
        )
        yield said, {"public": {**_shares(asked.roles), name: CHANGED}}
    yield Sentence("take out {columns!s}", columns=(name,)), without(asked, [name])


def _shares(roles: Roles) -> dict[str, float | None]:
    """The public columns, and the shares of them that are changed."""
    return {name: (roles.public_distortion or {}).get(name) for name in roles.public}


def without(asked: Request, names: list[str]) -> Change:
    """The changes that leave public columns, and all options about them, out of a job."""
    public = {name: share for name, share in _shares(asked.roles).items() if name not in names}

    def about_others(texts: tuple[str, ...]) -> tuple[str, ...]:
        gone = [name for name in names if name not in asked.roles.background]
        return tuple(text for text in texts if not any(text.startswith(f"{name}=") for name in gone))

    changed: Change = {
        "public": public,
        "accept_unique": tuple(name for name in asked.roles.accept_unique if name in public),
        "bins": about_others(asked.coarsening.bins),
        "levels": about_others(asked.coarsening.levels),
    }
    if not public:
        kept = None if asked.limits.keep == "associations" else asked.limits.keep
        changed = {**changed, "min_k": None, "suppress_below": None, "keep": kept, "max_suppressed": MAX_SUPPRESSED}
    return changed


def _designed(start: Setting, trials: Trials) -> Iterator[Setting]:
    """Another kind of channel: one that keeps shares instead of a named mechanism, one with small errors for numbers.

    A search has already tried all kinds.
    """
    asked, policy = start.asked, trials.judging.policy
    if asked.limits.clamp or len(asked.aims) > 1 or asked.is_searched:
        return
    (aim,) = asked.aims
    columns, spread = ", ".join(aim.columns), _spread(aim, trials.judging)
    plain: Change = {"mechanism": (), "max_distortion": None, "max_leakage": None}
    if spread is not None and aim.within is None and aim.local_dp is None:
        values = [float(f"{part * spread:.2g}") for part in (0.4, 0.6, 0.8)]
        said = Sentence(
            "design a channel for {columns!s} that is off by {value:g} on average", columns=columns, value=0.0
        )
        tuning = Tuning(values[0], spread, lambda value: {**plain, "within": value, "distortion": ("hamming",)}, said)
    elif aim.mechanism:
        values = [0.2, 0.3, 0.4, 0.5]
        said = Sentence(
            "design a channel for {columns!s} that keeps its shares and changes {value:.3g}% of its values",
            columns=columns,
            value=0.0,
        )
        tuning = Tuning(values[0], 1.0, lambda value: {**plain, "max_distortion": value}, said, PERCENT)
    else:
        return
    tried = list[tuple[float, Setting]]()
    for value in values:
        found = trials.of((*start.said, tuning.said(value)), asked, tuning.change(value))
        if found is not None:
            tried.append((value, found))
            if found.is_kept or not is_useful(found, columns, policy):
                # Later ones have more noise.
                break
    if not tried:
        return
    value, nearest = min(tried, key=lambda one: short_of(one[1].verdict))
    from_there = dataclasses.replace(nearest, said=start.said)
    best = (
        None if nearest.is_kept else tuned_number(from_there, dataclasses.replace(tuning, now=value), columns, trials)
    )
    yield best or nearest


def _spread(aim: Aim, judging: Judging) -> float | None:
    """The standard deviation of a secret of numbers."""
    kinds = {one.name: one.kind for one in judging.table.columns()}
    if len(aim.columns) > 1 or kinds.get(aim.columns[0]) not in (Kind.INT, Kind.FLOAT):
        return None
    variance = judging.table.moments(*aim.columns)[aim.columns[0]].variance
    return None if not variance else math.sqrt(variance)


def _declared(now: Verdict, asked: Request) -> Action:
    """The declarations still missing, whose words the user must write."""
    options = {"purpose": "--purpose TEXT", "recipient": "--recipient TEXT", "review": "--review DATE"}
    missing = [option for name, option in options.items() if not getattr(asked.declared, name)]
    return Action(
        said=now.conditions[0],
        options=tuple(missing),
        asked=None,
        promised=now.scores,
        recommendation=Recommendation.RELEASE,
    )


def _drawn(now: Verdict, asked: Request) -> Action:
    """The same job with noise that nobody can draw again."""
    return Action(
        said=Sentence("generate real noise"),
        options=(),
        left_out=(f"--simulate {asked.budget.simulate}",),
        asked=StoredRequest.of(asked.having(simulate=None)),
        promised=now.scores,
        recommendation=Recommendation.RELEASE_IF if now.conditions else Recommendation.RELEASE,
    )


def action_of(one: Setting, before: Request) -> Action:
    """A setting as something to do instead of a job."""
    had, has = _options(before), _options(one.asked)
    return Action(
        said=in_turn(one.said),
        options=tuple(option for option in has if option not in had),
        left_out=tuple(option for option in had if option not in has),
        asked=StoredRequest.of(one.asked),
        promised=one.verdict.scores,
        recommendation=one.verdict.recommendation,
    )


def _options(asked: Request) -> list[str]:
    """The options to type after the table, each with its value if it has one."""
    words = asked.arguments()[1:]
    return [
        word
        if "=" in word or words[at + 1 : at + 2] in ([], ["--"]) or words[at + 1].startswith("--")
        else f"{word} {words[at + 1]}"
        for at, word in enumerate(words)
        if word.startswith("--")
    ]


def _nearer(found: list[Setting], now: Verdict) -> Iterator[Setting]:
    """The settings that come nearer to a release than fewer changes do, without losing nearly all use or protection."""
    for one in found:
        fewer = [other.verdict for other in found if len(other.said) < len(one.said)]
        is_nearer = short_of(one.verdict) < min(map(short_of, (now, *fewer))) - NEARER
        if not one.is_kept and is_nearer and 2 * _balance(one.verdict) >= _balance(now):
            yield one


def _balance(verdict: Verdict) -> float:
    """The geometric mean of protection and usefulness, which is lost with either."""
    return math.sqrt(_lowest(verdict, "protection") * _lowest(verdict, "usefulness"))


def _lowest(verdict: Verdict, score: str) -> float:
    return min(float(getattr(one, score).ends[0]) for one in verdict.scores.values())


def _names_people(verdict: Verdict, column: str) -> bool:
    return any(veto.fields.get("column") == column and "reason" in veto.fields for veto in verdict.vetoes)
