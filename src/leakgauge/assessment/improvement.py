"""The loop: parameters first, then the mechanism, then the form of the data, until the target is met.

Every trial is computed from the mechanism's law over the counts of a column: nothing is drawn and no budget is spent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from leakgauge import notebook
from leakgauge.artefacts.assessment import Grade, grade_of
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.candidates import Bounds, Candidate, Stage, candidates
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.indicators import Questionnaire, answered_beyond, expected
from leakgauge.assessment.vetoes import every_veto
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, OptionError, RefusalError
from leakgauge.sentences import Sentence, in_turn
from leakgauge.tables import Table

Target: TypeAlias = float | Grade


@dataclass(frozen=True)
class Goal:
    """What a setting must reach: a score or a grade, and what privacy and utility must be as well."""

    target: Target
    min_privacy: float = 0.0
    min_utility: float = 0.0

    def __post_init__(self) -> None:
        for score in (self.min_privacy, self.min_utility, *(() if isinstance(self.target, Grade) else (self.target,))):
            grade_of(score)

    @property
    def said(self) -> Sentence:
        """The target and what else must be kept, in words."""
        target = self.target
        said = Sentence(target.value) if isinstance(target, Grade) else Sentence("a score of {score:g}", score=target)
        if self.min_privacy > 0:
            said = Sentence("{target} with privacy of at least {privacy:g}", target=said, privacy=self.min_privacy)
        if self.min_utility > 0:
            said = Sentence("{target} with utility of at least {utility:g}", target=said, utility=self.min_utility)
        return said

    def asked(self) -> dict[str, float]:
        """What the score, privacy and utility must be at least; a grade asks for its cut of all three."""
        score, cut = (self.target.lowest_score,) * 2 if isinstance(self.target, Grade) else (self.target, 0.0)
        return {"score": score, "privacy": max(cut, self.min_privacy), "utility": max(cut, self.min_utility)}

    def short(self, found: Assessment) -> dict[str, float]:
        """By how many points each score that is too low is; what is not known counts as 0."""
        scores = {name: score or 0.0 for name, score in found.scores.items()}
        return {name: least - scores[name] for name, least in self.asked().items() if scores[name] < least}


@dataclass(frozen=True)
class Trial:
    """A candidate with its grade, from its law, and whether it meets the target."""

    candidate: Candidate
    assessment: Assessment
    meets: bool


@dataclass(frozen=True)
class Improvement:
    """What the loop found.

    Attributes:
        trials: in the order of the search.
        chosen: of the cheapest stage that meets the target the one whose lower of privacy and utility is highest; None
            where none does.
        best: the one that comes closest: without a veto, and least short of what is asked.
        blocking: leaves that cost the best one most points of what it is short of, with the points.
    """

    goal: Goal
    trials: tuple[Trial, ...]
    chosen: Trial | None
    best: Trial
    blocking: tuple[tuple[str, float], ...]

    @property
    def failed(self) -> tuple[Sentence, ...]:
        """What the best one fails on, in short sentences without a full stop; empty where it fails on nothing."""
        found, asked, short = self.best.assessment, self.goal.asked(), []
        for name in self.goal.short(found):
            said: dict[str, Any] = {"name": Sentence(name), "asked": asked[name]}
            if (score := found.scores[name]) is None:
                short.append(Sentence("its {name} is not known where {asked:g} is asked", **said))
            else:
                short.append(Sentence("its {name} is {found:.1f} where {asked:g} is asked", found=score, **said))
        return (*short, *(veto.reason for veto in found.vetoes))

    def _repr_html_(self) -> str:
        def points(score: float | None) -> str:
            return "not known" if score is None else notebook.number(score)

        rows = (
            (
                str(one.candidate.name),
                str(one.candidate.form),
                one.candidate.stage.value,
                *map(points, one.assessment.scores.values()),
                one.assessment.grade.value,
                "chosen" if one is self.chosen else "yes" if one.meets else "no",
            )
            for one in self.trials
        )
        chosen = "nothing meets it" if self.chosen is None else f"{self.chosen.candidate.name} meets it"
        return notebook.table_html(
            ("mechanism", "released", "changes", "score of 100", "privacy of 100", "utility of 100", "grade", "meets"),
            rows,
            f"Improvement towards {self.goal.said}: {chosen}",
            of_rows=len(self.trials),
        )

    def require(self) -> None:
        """Refuse where nothing meets the target: how close it came, what it fails on, and what blocks more."""
        if self.chosen is not None:
            return
        nodes = self.best.assessment.diagram.nodes
        raise RefusalError(
            "No setting reaches {goal}: of {count} tried the closest is {best}; {failed}; what costs it most is "
            "{blocking}.",
            goal=self.goal.said,
            count=len(self.trials),
            best=Sentence("{mechanism} ({form})", mechanism=self.best.candidate.name, form=self.best.candidate.form),
            failed=in_turn(self.failed),
            blocking=tuple(
                Sentence("{name} ({points:.1f} points)", name=Sentence(nodes[leaf].name), points=points)
                for leaf, points in self.blocking
            ),
        )


def improve(
    table: Table,
    column: str,
    target: Target,
    diagram: Diagram,
    *,
    min_privacy: float = 0.0,
    min_utility: float = 0.0,
    trials: int = 60,
    lower: float | None = None,
    upper: float | None = None,
    questionnaire: Questionnaire | None = None,
    keep: Keep = Keep.SHARES,
    progress: Callable[[int, int], None] | None = None,
) -> Improvement:
    """The cheapest setting that meets a target, with everything that was tried.

    The settings are those of ``leakgauge.improve``, on a table, a diagram and answers that were read. Without the
    bounds of numbers, lower and upper, these are released in bins or as a histogram only.

    Raises:
        OptionError: a target, bounds or a number of trials outside its range.
        ColumnError, TableError: a column that cannot be used.
    """
    goal, bounds = require_search(
        target, min_privacy=min_privacy, min_utility=min_utility, trials=trials, lower=lower, upper=upper
    )
    found: list[Trial] = []
    met: Stage | None = None
    for candidate in candidates(table, column, bounds, keep):
        # A stage is finished once begun, so that the best balanced of the cheapest ones is chosen.
        if len(found) >= trials or (met is not None and candidate.stage is not met):
            break
        found.append(_tried(candidate, diagram, goal, questionnaire))
        met = candidate.stage if found[-1].meets else met
        if progress is not None:
            progress(len(found), trials)
    if not found:
        raise ColumnError("Column {name!r} cannot be released by any mechanism known here.", name=column)
    chosen = max((one for one in found if one.meets), key=_balance, default=None)
    best = chosen or min(found, key=lambda one: _distance(goal, one.assessment))
    return Improvement(goal, tuple(found), chosen, best, _blocking(goal, best.assessment))


def require_search(
    target: Target,
    *,
    min_privacy: float = 0.0,
    min_utility: float = 0.0,
    trials: int = 60,
    lower: float | None = None,
    upper: float | None = None,
    **others: object,
) -> tuple[Goal, Bounds | None]:
    """The goal and the bounds among a search's settings, checked before anything is read or bought."""
    goal = Goal(target, min_privacy, min_utility)
    if trials < 1:
        raise OptionError("{trials} trials try nothing; allow 1 or more.", trials=trials)
    if lower is None and upper is None:
        return goal, None
    if lower is None or upper is None:
        raise OptionError("One bound of the numbers is given without the other; give lower and upper.")
    if not -math.inf < lower < upper < math.inf:
        raise OptionError(
            "The bounds {lower} and {upper} are not two finite numbers, the lower one first.", lower=lower, upper=upper
        )
    return goal, (lower, upper)


def _tried(candidate: Candidate, diagram: Diagram, goal: Goal, questionnaire: Questionnaire | None) -> Trial:
    evidence = expected(candidate.setting, questionnaire=questionnaire)
    vetoes = every_veto(candidate.setting, evidence)
    assessment = assess(diagram, (*evidence, *answered_beyond(questionnaire)), vetoes, draws=0)
    # What rules a secret out meets no target.
    return Trial(candidate, assessment, not goal.short(assessment) and not assessment.vetoes)


def _balance(trial: Trial) -> tuple[float, float]:
    found = trial.assessment
    return min(found.privacy or 0.0, found.utility or 0.0), found.score


def _distance(goal: Goal, found: Assessment) -> tuple[bool, float, float]:
    """How far from the goal: those with a veto last, then by what they are short of, then by the score."""
    return bool(found.vetoes), max(goal.short(found).values(), default=0.0), -found.score


def _blocking(goal: Goal, found: Assessment) -> tuple[tuple[str, float], ...]:
    """The three leaves whose distance from their best costs most points of what is most short, else of the score."""
    short = goal.short(found)
    most = max(short, key=lambda name: short[name]) if short else "score"
    return tuple(sorted(found.attainable(most).items(), key=lambda one: -one[1])[:3])
