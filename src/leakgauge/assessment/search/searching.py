"""The search: the most useful setting that protects enough, or the most protective one that is useful enough.

Every setting is judged by its law over counts: nothing is drawn, and no budget is spent. The same law decides the
verdict on a drawn release, where an attack counts only by its proven gain, so no margin is needed. In each family
protection falls as usefulness rises, so a coarse grid and bisection find the last setting that keeps the limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from leakgauge.arguments import checked
from leakgauge.artefacts.dials import Dials
from leakgauge.assessment.dials import DialPolicy, ReleaseLaw, dials_of, evidence_by_law
from leakgauge.assessment.dials.usefulness import Use
from leakgauge.assessment.search.column import CountedColumn, counted_column
from leakgauge.assessment.search.families import DELTA, ROWS, Family, HandedOut, Stage, families, sampled
from leakgauge.assessment.search.found import MUCH_EXPOSED, Search, Trial
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, InputError, OptionError
from leakgauge.mechanisms import Mechanism
from leakgauge.tables import Table

GRID = 10
"""Settings of a family that are tried before bisection."""
NEAR = 0.1
"""Points of usefulness between two settings below which no setting between them is looked for."""
DIGITS = 4
"""Of a parameter: more would be noise to whoever types it."""
MOST_STEPS = 16
AS_GOOD = 0.5
"""Points of usefulness, or protection, that a dearer change must be better by."""


@checked
def most_useful(
    table: Table,
    secret: str,
    *,
    min_protection: float | None = None,
    min_usefulness: float | None = None,
    max_exposed: float | None = 10.0,
    max_lost: float | None = 0.01,
    min_guarantee: float | None = None,
    published: Sequence[str] = (),
    backgrounds: Iterable[str | Sequence[str]] = (),
    use: Use | str = Use.STATISTICS,
    keep: Keep = Keep.SHARES,
    lower: float | None = None,
    upper: float | None = None,
    delta: float = DELTA,
    start: Mechanism | None = None,
    rows: int | None = None,
    counts_are_private: bool = True,
    as_it_is: bool = False,
    handed_out: HandedOut = HandedOut.EVERYTHING,
    progress: Callable[[int], None] | None = None,
) -> Search:
    """The most useful setting that protects enough; without ``min_protection``, the most protective useful one.

    Args:
        table: only its counts are read; nothing is drawn.
        secret: the column to release.
        min_protection: from 0 to 100.
        min_usefulness: from 0 to 100.
        max_exposed: the people of one value, in percent, who may be made all but certain to have it; None for any.
        max_lost: the share of rows whose values may never be released; None for any.
        min_guarantee: from 0 to 100; a mechanism fitted to private counts has none.
        published: columns that are released unchanged.
        backgrounds: what an attacker may know, each a column or several.
        use: what readers do with the release.
        keep: what designed channels keep.
        lower: the publicly known least number of the column; without bounds no noise is added to numbers.
        upper: the greatest number.
        delta: of Gaussian noise.
        start: the mechanism of today: settings of the same kind are the cheapest to change to.
        rows: of the release, where the table stands for another, such as a noisy histogram.
        counts_are_private: whether the counts are private, so that a mechanism fitted to them reveals something; not if
            they were bought.
        as_it_is: whether the column itself must be released, not bins of it or counts.
        handed_out: what recipients get to know of the mechanism: settings from which they could then compute nothing
            are not tried.
        progress: called with the number of settings tried.

    Raises:
        OptionError: limits or bounds outside their range, limits that contradict each other, or nothing asked.
        ColumnError, TableError: a column that cannot be used.
    """
    if min_protection is None and min_usefulness is None:
        raise OptionError("Nothing is asked for; give a least protection, a least usefulness or both.")
    goal = DialPolicy(
        min_protection=min_protection,
        min_usefulness=min_usefulness,
        max_exposed=max_exposed,
        max_lost=max_lost,
        min_guarantee=min_guarantee,
        max_alone=None,
        declared=(),
    )
    bounds, wanted = _bounds(lower, upper), _use(use)
    column = counted_column(
        table,
        secret,
        published=published,
        backgrounds=backgrounds,
        rows=rows,
        counts_are_private=counts_are_private,
        has_bounds=bounds is not None,
    )
    tried = families(column, use=wanted, keep=keep, bounds=bounds, delta=delta)
    every = [one for one in tried if one.is_readable(handed_out)]
    if as_it_is:
        every = [one for one in every if one.form == ROWS]
        if not every:
            if column.numbers is None or column.is_binned:
                raise ColumnError(
                    "Column {name!r} has too many values to be released by name; merge them, for instance with --bins "
                    "{name!s}=auto.",
                    name=secret,
                )
            raise ColumnError(
                "Column {name!r} has too many numbers to be released by name; bin them, for instance with --bins "
                "{name!s}=auto, or give publicly known bounds, lower and upper, and --publish-shares, so that noise "
                "can be added that recipients know.",
                name=secret,
            )
    return _Searching(column, goal, start, progress).search(every)


def _use(use: Use | str) -> Use:
    if use not in (*Use, *(one.value for one in Use)):
        raise OptionError("--use {found!r} is neither statistics nor rows; use one of them.", found=str(use))
    return Use(use)


def _bounds(lower: float | None, upper: float | None) -> tuple[float, float] | None:
    if lower is None and upper is None:
        return None
    if lower is None or upper is None:
        raise OptionError("One bound of the numbers is given without the other; give lower and upper.")
    if not -math.inf < lower < upper < math.inf:
        raise OptionError(
            "The bounds {lower} and {upper} are not two finite numbers in order; give lower below upper.",
            lower=lower,
            upper=upper,
        )
    return lower, upper


@dataclass(eq=False)
class _Searching:
    """A search under way: what was tried, each setting once."""

    column: CountedColumn
    goal: DialPolicy
    start: Mechanism | None = None
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
            part = self._staged(sampled(family, epsilon))
            if found := self._end(part, self._points(part)):
                yield found

    def _points(self, family: Family) -> list[Trial]:
        low, high = family.span
        steps = (low * (high / low) ** (at / (GRID - 1)) for at in range(GRID))
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
        trial = Trial(family, rounded, mechanism, dials_of(evidence), lost, self.goal)
        self.tried.append(trial)
        if self.progress is not None:
            self.progress(len(self.tried))
        return trial

    def _unsafe(self, trial: Trial) -> bool:
        return bool(trial.short.keys() & {"min_protection", "max_exposed", "min_guarantee"})

    def _sampled_at(self, response: Family, points: list[Trial]) -> float | None:
        """The ε at which a sample of the rows is most useful; None where no ε is better with a sample than without.

        What a sample of the rows gains, tells, exposes and is worth is that share of what all rows do, so that the
        best sample at an ε follows from all rows.
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
        dials, goal = trial.dials, self.goal
        if goal.min_protection is None:
            wanted, whole = goal.min_usefulness or 0.0, dials.usefulness.value
            share = min(wanted / whole, 1.0) if whole > 0 else 1.0
            return -share * (100 - dials.protection.ends[0]) if whole >= wanted else -math.inf, share
        told, exposed = 100 - dials.protection.ends[0], dials.exposed.ends[1]
        share = min((100 - goal.min_protection) / max(told, 1e-9), 1.0)
        if goal.max_exposed is not None:
            share = min(share, goal.max_exposed / max(exposed, 1e-9))
        return share * dials.usefulness.value, share

    def _worth(self, trial: Trial) -> float:
        """What is to be large: usefulness, or where no protection is asked for protection."""
        by_protection = self.goal.min_protection is None
        return trial.dials.protection.ends[0] if by_protection else trial.usefulness

    def _best(self, trials: Iterable[Trial]) -> Trial | None:
        """The best one; of those that are as good, the cheapest change."""
        every = list(trials)
        most = max(map(self._worth, every), default=0.0)
        good = [one for one in every if self._worth(one) >= most - AS_GOOD]
        order = list(Stage)
        # Among those that are as good, one that exposes nobody is better than one that uses the limit up.
        return min(
            good,
            key=lambda one: (
                order.index(one.family.stage),
                one.dials.exposed.ends[1] >= MUCH_EXPOSED,
                -self._worth(one),
            ),
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

    def _withheld(self) -> Dials | None:
        """What the published columns tell although the secret is not released; None where there are none."""
        column = self.column
        if not column.published:
            return None
        law = ReleaseLaw(column.source, None, column.columns, column.published)
        return dials_of(evidence_by_law(law, backgrounds=column.backgrounds, numbers=column.numbers))
