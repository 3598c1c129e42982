"""The search: the most useful setting that protects enough, or the most protective one that is useful enough.

Every setting is judged by its law over counts: nothing is drawn, and no budget is spent. The same law decides the
verdict on a drawn release, where an attack counts only by its proven gain, so no margin is needed. In each family
protection falls as usefulness rises, so a coarse grid and bisection find the last setting that keeps the limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias, Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts.scores import ScoreEvidence, Scores
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.search.column import CountedColumn, counted_column
from leakgauge.assessment.search.families import ROWS, Family, Stage, families, sampled
from leakgauge.assessment.search.found import Search, Trial
from leakgauge.assessment.search.goal import Goal, GoalOptions
from leakgauge.case.law import ReleaseLaw
from leakgauge.errors import ColumnError, InputError, OptionError
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Channel
from leakgauge.tables import Table

GRID = 10
"""Settings of a family that are tried before bisection."""
NEAR = 0.1
"""Points of usefulness between two settings below which no setting between them is looked for."""
DIGITS = 4
"""Of a parameter: more would be noise to whoever types it."""
MOST_STEPS = 16
MILDER, REFINED, FEW = 5, 3, 3
"""Values of ε for a sample of the rows, rounds in which those near the best are tried, and shares tried at each."""
AS_GOOD = 0.5
"""Points of usefulness, or protection, that a dearer change must be better by."""


Judge: TypeAlias = Callable[[Mechanism | Channel | None], ScoreEvidence | None]
"""What is known of a release of the column itself, through a mechanism or a channel, or of one without the column."""


@checked
def most_useful(
    table: Table, secret: str, *, progress: Callable[[int], None] | None = None, **asked: Unpack[GoalOptions]
) -> Search:
    """The most useful setting that protects enough; without ``min_protection``, the most protective useful one.

    Args:
        table: only its counts are read; nothing is drawn.
        progress: called with the number of settings tried.
        asked: fields of the ``Goal``, such as ``min_protection`` and ``published``.

    Raises:
        OptionError: limits or bounds outside their range, limits that contradict each other, or nothing asked.
        ColumnError, TableError: a column that cannot be used.
    """
    return searched(table, Goal.of(secret, asked), progress=progress)


def searched(
    table: Table, goal: Goal, judge: Judge | None = None, progress: Callable[[int], None] | None = None
) -> Search:
    """The same for a goal; releases of the column itself are judged as the whole release will be, if that is known."""
    if goal.min_protection is None and goal.min_usefulness is None:
        raise OptionError("No requirement is given; give a least protection, a least usefulness or both.")
    # What is beside the column itself is part of the whole release, which is judged apart.
    apart = judge is not None and goal.as_it_is
    column = counted_column(table, replace(goal, published=(), backgrounds=()) if apart else goal)
    tried = families(column, use=goal.use, keep=goal.keep, bounds=goal.bounds, delta=goal.delta)
    every = [one for one in tried if one.is_readable(goal.handed_out)]
    if goal.as_it_is:
        every = [one for one in every if one.form == ROWS]
        if not every:
            if column.numbers is None or column.is_binned:
                raise ColumnError(
                    "Column {name!r} has too many values to be released by name; merge them, for instance with --bins "
                    "{name!s}=auto.",
                    name=goal.secret,
                )
            raise ColumnError(
                "Column {name!r} has too many numbers to be released by name; bin them, for instance with --bins "
                "{name!s}=auto, or give publicly known bounds, lower and upper, and --publish-shares, so that noise "
                "can be added that recipients know.",
                name=goal.secret,
            )
    if judge is not None:
        every = [_judged_by(judge, one) if one.form == ROWS else one for one in every]
    without = partial(judge, None) if judge is not None and goal.published else None
    return _Searching(column, goal.limits, goal.start, without, progress).search(every)


def _judged_by(judge: Judge, family: Family) -> Family:
    """The family judged so; what is fitted to the counts is released as a channel of its own."""

    def as_channel(mechanism: Mechanism) -> ScoreEvidence | None:
        channel = mechanism.channel()
        return None if channel is None else judge(channel)

    return replace(family, judge=as_channel if family.is_fitted else judge)


@dataclass(eq=False)
class _Searching:
    """A search under way: what was tried, each setting once."""

    column: CountedColumn
    goal: Policy
    start: Mechanism | None = None
    without: Callable[[], ScoreEvidence | None] | None = None
    progress: Callable[[int], None] | None = None
    tried: list[Trial] = field(default_factory=list)

    def search(self, every: Iterable[Family]) -> Search:
        ends = [one for family in every for one in self._ends(self._staged(family))]
        if not self.tried:
            raise ColumnError(
                "No known mechanism can release column {name!r}; bin or coarsen it first.", name=self.column.name
            )
        meeting = [one for one in ends if not one.short]
        rows = [one for one in meeting if not one.family.counts_rows]
        answers = self._best(one for one in meeting if one.family.counts_rows)
        chosen = self._best(rows) or answers
        closest = chosen or min(self.tried, key=lambda one: (sum(one.short.values()), -self._worth(one)))
        return Search(
            self.column.name, self.goal, tuple(self.tried), chosen, closest, answers, self._started(), self._withheld()
        )

    def _staged(self, family: Family) -> Family:
        """Where there is a mechanism today, another one is a change of the mechanism."""
        if self.start is None or family.stage is Stage.FORM:
            return family
        same = family.name.template == self.start.name or (family.parameter == "slope" and self.start.name == "channel")
        return replace(family, stage=Stage.PARAMETERS if same else Stage.MECHANISM)

    def _ends(self, family: Family) -> Iterator[Trial]:
        """The best settings of a family: the last one on the way to less noise that keeps the limits of protection."""
        points = self._points(family)
        if found := self._end(family, points):
            yield found
        if family.is_sampled and points and (epsilon := self._sampled_at(family, points)):
            yield from self._ends_of_samples(family, points, epsilon)

    def _ends_of_samples(self, response: Family, points: list[Trial], epsilon: float) -> Iterator[Trial]:
        """The best sample of the rows at this ε and, where it makes somebody too sure, at smaller ones.

        Of a sample the sampled rows are the most exposed tenth, however few they are, so that only a smaller ε helps.
        """
        ends = dict[float, Trial | None]()

        def end(at: float) -> float:
            if at not in ends:
                part = self._staged(sampled(response, float(f"{at:.{DIGITS}g}")))
                ends[at] = self._end(part, self._points(part, FEW))
            found = ends[at]
            return -math.inf if found is None else self._worth(found)

        end(epsilon)
        least = max((one.parameter for one in points if not self._unsafe(one)), default=epsilon)
        if self.goal.max_surest is not None and least < epsilon:
            tried = [least * (epsilon / least) ** (step / MILDER) for step in range(MILDER + 1)]
            for _ in range(REFINED):
                at = max(range(len(tried)), key=lambda place: end(tried[place]))
                near = tried[max(at - 1, 0) : at + 2]
                tried = sorted({*near, *(math.sqrt(one * other) for one, other in pairwise(near))})
            max(tried, key=end)
        yield from (one for one in ends.values() if one is not None)

    def _points(self, family: Family, count: int = GRID) -> list[Trial]:
        low, high = family.span
        steps = (low * (high / low) ** (at / (count - 1)) for at in range(count))
        return [trial for step in steps if (trial := self._trial(family, step)) is not None]

    def _end(self, family: Family, points: list[Trial]) -> Trial | None:
        """The most useful setting that is safe or, where no protection is asked for, the safest that is useful."""
        if self.goal.min_protection is not None:
            safe = [at for at, one in enumerate(points) if not self._unsafe(one)]
            if not safe:
                return None
            # The last one: where a law is not quite monotone, more than the first crossing is looked at.
            inside, outside = points[safe[-1]], next(iter(points[safe[-1] + 1 :]), None)
            return self._bisected(family, inside, outside, lambda one: not self._unsafe(one))
        useful = [at for at, one in enumerate(points) if not one.useless]
        if not useful:
            return None
        inside, outside = points[useful[0]], points[useful[0] - 1] if useful[0] else None
        return self._bisected(family, inside, outside, lambda one: not one.useless)

    def _bisected(self, family: Family, inside: Trial, outside: Trial | None, keeps: Callable[[Trial], bool]) -> Trial:
        for _ in range(MOST_STEPS):
            if outside is None or abs(outside.usefulness - inside.usefulness) <= NEAR:
                break
            middle = self._trial(family, math.sqrt(inside.parameter * outside.parameter))
            if middle is None or middle.parameter in (inside.parameter, outside.parameter):
                break
            inside, outside = (middle, outside) if keeps(middle) else (inside, middle)
        return inside

    def _trial(self, family: Family, parameter: float) -> Trial | None:
        """The setting at a parameter, rounded; None where the mechanism does not take it."""
        rounded = float(f"{parameter:.{DIGITS}g}")
        for one in self.tried:
            if one.parameter == rounded and one.family is family:
                return one
        try:
            mechanism = family.make(rounded)
            evidence = family.judge(mechanism)
        except InputError:
            # A mechanism that this column cannot go through is no candidate.
            return None
        if evidence is None:
            return None
        lost = family.lost(mechanism)
        trial = Trial(family, rounded, mechanism, scores_of(evidence), lost, self.goal)
        self.tried.append(trial)
        if self.progress is not None:
            self.progress(len(self.tried))
        return trial

    def _unsafe(self, trial: Trial) -> bool:
        return bool(trial.short.keys() & {"min_protection", "max_surest", "max_epsilon"})

    def _sampled_at(self, response: Family, points: list[Trial]) -> float | None:
        """The ε at which a sample of the rows is most useful; None where no ε is better with a sample than without.

        What a sample of the rows gains, tells and is worth is that share of what all rows do, so that the best sample
        at an ε follows from all rows.
        """
        at = max(range(len(points)), key=lambda place: self._of_sample(points[place])[0])
        near = [points[place] for place in (at - 1, at, at + 1) if 0 <= place < len(points)]
        for _ in range(4):
            between = [math.sqrt(one.parameter * other.parameter) for one, other in pairwise(near)]
            more = [trial for step in between if (trial := self._trial(response, step)) is not None]
            every = sorted({id(one): one for one in (*near, *more)}.values(), key=lambda one: one.parameter)
            at = max(range(len(every)), key=lambda place: self._of_sample(every[place])[0])
            near = every[max(at - 1, 0) : at + 2]
        best = max(near, key=lambda one: self._of_sample(one)[0])
        return best.parameter if self._of_sample(best)[1] < 1 else None

    def _of_sample(self, trial: Trial) -> tuple[float, float]:
        """About how useful, or protecting, the best sample of the rows is, and its share of the rows."""
        scores, goal = trial.scores, self.goal
        if goal.min_protection is None:
            wanted, whole = goal.min_usefulness or 0.0, scores.usefulness.value
            share = min(wanted / whole, 1.0) if whole > 0 else 1.0
            return -share * (100 - scores.protection.ends[0]) if whole >= wanted else -math.inf, share
        told = 100 - scores.protection.ends[0]
        share = min((100 - goal.min_protection) / max(told, 1e-9), 1.0)
        return share * scores.usefulness.value, share

    def _worth(self, trial: Trial) -> float:
        """What is to be large: usefulness, or where no protection is asked for protection."""
        by_protection = self.goal.min_protection is None
        return trial.scores.protection.ends[0] if by_protection else trial.usefulness

    def _best(self, trials: Iterable[Trial]) -> Trial | None:
        """The best one; of those that are as good, the cheapest change."""
        every = list(trials)
        most = max(map(self._worth, every), default=0.0)
        good = [one for one in every if self._worth(one) >= most - AS_GOOD]
        order = list(Stage)
        # Among those that are as good, one that leaves a tenth of the limit is better than one that uses it up.
        limit = math.inf if self.goal.max_surest is None else 0.9 * self.goal.max_surest
        return min(
            good,
            key=lambda one: (order.index(one.family.stage), one.scores.surest.ends[1] >= limit, -self._worth(one)),
            default=None,
        )

    def _started(self) -> Trial | None:
        """The mechanism of today, judged as it is."""
        if self.start is None:
            return None
        for family in dict.fromkeys(one.family for one in self.tried):
            if family.name.template == self.start.name and not family.counts_rows:
                parameter = self.start.parameters.get(family.parameter)
                if isinstance(parameter, int | float):
                    return self._trial(family, float(parameter))
        return None

    def _withheld(self) -> Scores | None:
        """What the published columns tell although the secret is not released; None where there are none."""
        column = self.column
        if self.without is not None:
            evidence = self.without()
            return None if evidence is None else scores_of(evidence)
        if not column.published:
            return None
        law = ReleaseLaw(column.source, None, column.columns, column.published)
        return scores_of(evidence_by_law(law, backgrounds=column.backgrounds, numbers=column.numbers))
