"""The loop: parameters first, then the mechanism, then the form of the data, until the target is met.

Every trial is computed from the mechanism's law over the counts of a column: nothing is drawn and no budget is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np

from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.collecting import expected
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.evidence import Standing
from leakgauge.assessment.grades import Grade, grade_of
from leakgauge.assessment.indicators import Setting, Source, histogram_source, setting_of, source_of
from leakgauge.assessment.questionnaire import Questionnaire
from leakgauge.assessment.vetoes import vetoes_of_claim
from leakgauge.design import RateDistortion, Slope, solve
from leakgauge.distances import Hamming
from leakgauge.errors import ColumnError, LeakgaugeError, OptionError, RefusalError
from leakgauge.mechanisms import (
    Mechanism,
    gaussian,
    laplace,
    randomized_response,
    spelled,
    subset_selection,
    through_channel,
    unary_encoding,
)
from leakgauge.probability import Distribution
from leakgauge.release.queries import Histogram
from leakgauge.release.queries.labels import label_text
from leakgauge.tables import Kind, Quantiles, Table

Target: TypeAlias = float | Grade

EPSILONS = (1.0, 0.5, 2.0, 0.2, 4.0, 0.1, 8.0, 0.05, 3.0, 0.3, 6.0, 1.5, 0.7, 0.02)
"""Budgets in nats, the usual ones first."""
SLOPES = (2.0, 1.0, 3.0, 0.5, 4.0, 1.5, 5.0, 0.25)
"""In nats per wrong letter, of designed channels."""
BINS = (8, 4, 16)
DELTA = 1e-6
MOST_LETTERS = 64
"""Columns with more values are binned, not released letter by letter."""
DESIGN_GAP = 1e-6


class Stage(Enum):
    """What is changed, the cheapest first."""

    PARAMETERS = "parameters"
    MECHANISM = "mechanism"
    FORM = "form of the data"


@dataclass(frozen=True)
class Candidate:
    """A way to release the column.

    Attributes:
        stage: what it changes against the start.
        name: the mechanism as on the command line, or a designed channel in words.
        form: what is released: the column, the column in bins, or its histogram.
        mechanism: which.
        setting: over the column.
    """

    stage: Stage
    name: str
    form: str
    mechanism: Mechanism = field(repr=False)
    setting: Setting = field(repr=False)


@dataclass(frozen=True)
class Trial:
    """A candidate with its grade.

    Attributes:
        candidate: what was tried.
        assessment: of it, from its law.
        meets: whether it meets the target.
    """

    candidate: Candidate
    assessment: Assessment
    meets: bool


@dataclass(frozen=True)
class Improvement:
    """What the loop found.

    Attributes:
        target: a score or a grade.
        trials: everything that was tried, in order.
        chosen: of the cheapest stage that meets the target the one whose lower of privacy and utility is highest; None
            where none does.
        best: the highest score.
        blocking: leaves that cost the best one most points, with the points; what keeps it from more.
    """

    target: Target
    trials: tuple[Trial, ...]
    chosen: Trial | None
    best: Trial
    blocking: tuple[tuple[str, float], ...]

    def require(self) -> None:
        """Refuse where nothing meets the target.

        Raises:
            RefusalError: says how close it came, and what blocks more.
        """
        if self.chosen is not None:
            return
        nodes = self.best.assessment.diagram.nodes
        raise RefusalError(
            "No setting reaches {target}: of {count} tried the best is {best} with {score:.1f} ({grade}); what keeps "
            "it from more is {blocking}.",
            target=self.target.value if isinstance(self.target, Grade) else f"a score of {self.target:g}",
            count=len(self.trials),
            best=self.best.candidate.name,
            score=self.best.assessment.score,
            grade=self.best.assessment.grade.value,
            blocking=", ".join(f"{nodes[leaf].name} ({points:.1f} points)" for leaf, points in self.blocking),
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
    progress: Callable[[int, int], None] | None = None,
) -> Improvement:
    """The cheapest setting that meets a target, with everything that was tried.

    Args:
        table: whose counts are used; see ``Improvement`` for what that means.
        column: what is protected.
        target: a score from 0 to 100, or a grade.
        diagram: by which it is graded.
        min_privacy: a privacy score to keep as well.
        min_utility: likewise.
        trials: how many settings are tried at most.
        lower: the declared bounds of numbers; without them numbers are released in bins or as a histogram only.
        upper: the upper one.
        questionnaire: what people answered.
        progress: told of every trial.

    Raises:
        OptionError: a target or a number of trials outside its range.
        ColumnError, TableError: a column that cannot be used.
    """
    if trials < 1:
        raise OptionError("{trials} trials try nothing; allow 1 or more.", trials=trials)
    for score in (min_privacy, min_utility, *(() if isinstance(target, Grade) else (target,))):
        grade_of(score)
    goal = _Goal(target, min_privacy, min_utility)
    found: list[Trial] = []
    met: Stage | None = None
    for candidate in _candidates(table, column, lower, upper):
        # A stage is finished once begun, so that the best balanced of the cheapest ones is chosen.
        if len(found) >= trials or (met is not None and candidate.stage is not met):
            break
        found.append(_tried(candidate, diagram, goal, questionnaire))
        if found[-1].meets:
            met = candidate.stage
        if progress is not None:
            progress(len(found), trials)
    if not found:
        raise ColumnError("Column {name!r} cannot be released by any mechanism known here.", name=column)
    best = max(found, key=lambda one: one.assessment.score)
    chosen = max((one for one in found if one.meets), key=_balance, default=None)
    return Improvement(target, tuple(found), chosen, best, _blocking(best.assessment))


@dataclass(frozen=True)
class _Goal:
    target: Target
    privacy: float
    utility: float

    def met_by(self, found: Assessment) -> bool:
        reached = found.grade >= self.target if isinstance(self.target, Grade) else found.score >= self.target
        return reached and (found.privacy or 0.0) >= self.privacy and (found.utility or 0.0) >= self.utility


def _tried(candidate: Candidate, diagram: Diagram, goal: _Goal, questionnaire: Questionnaire | None) -> Trial:
    vetoes = [veto for claim in candidate.setting.claims[:1] for veto in vetoes_of_claim(claim)]
    assessment = assess(diagram, expected(candidate.setting, questionnaire=questionnaire), vetoes, draws=0)
    # A channel that rules a secret out meets no target, however useful it is.
    return Trial(candidate, assessment, goal.met_by(assessment) and not vetoes)


def _balance(trial: Trial) -> float:
    found = trial.assessment
    return min(one for one in (found.privacy, found.utility, found.score) if one is not None)


def _blocking(assessment: Assessment) -> tuple[tuple[str, float], ...]:
    """The three leaves whose distance from their best costs most points."""
    lost = {
        leaf: abs(points) * ((1 - assessment.position(leaf)) if points > 0 else assessment.position(leaf))
        for leaf, points in assessment.sensitivities.items()
        if assessment.evidence[leaf].standing is not Standing.MISSING
    }
    return tuple(sorted(lost.items(), key=lambda one: -one[1])[:3])


def _candidates(table: Table, column: str, lower: float | None, upper: float | None) -> Iterator[Candidate]:
    """Settings in the order of their cost: other parameters, other mechanisms, other forms of the data."""
    source = source_of(table, column)
    numeric = source.kind in (Kind.INT, Kind.FLOAT)
    counts = table.counts(column, limit=1 << 20)
    letters = counts.distribution(column) if len(counts.labels(column)) <= MOST_LETTERS else None
    bounded = numeric and lower is not None and upper is not None
    if bounded:
        yield from _made(source, Stage.PARAMETERS, "column", [_laplace(e, lower, upper) for e in EPSILONS])
        yield from _made(source, Stage.MECHANISM, "column", [_gaussian(e, lower, upper) for e in EPSILONS])
    if letters is not None:
        first = Stage.MECHANISM if bounded else Stage.PARAMETERS
        yield from _made(source, first, "column", [_response(letters, e) for e in EPSILONS])
        yield from _made(source, Stage.MECHANISM, "column", _other_letters(letters))
    if numeric:
        for count in BINS:
            binned = table.counts(column, bins={column: Quantiles(count)}).distribution(column)
            form = f"column in {count} bins"
            makers = [*(_response(binned, e) for e in EPSILONS[:6]), *(_designed(binned, s) for s in SLOPES[:4])]
            yield from _made(source, Stage.FORM, form, makers)
    yield from _histograms(table, source)


Maker: TypeAlias = Callable[[], tuple[str, Mechanism]]


def _made(source: Source, stage: Stage, form: str, makers: list[Maker]) -> Iterator[Candidate]:
    for make in makers:
        try:
            name, mechanism = make()
            setting = setting_of(mechanism, source)
        except LeakgaugeError:
            # A mechanism that this column cannot go through is no candidate.
            continue
        yield Candidate(stage, name, form, mechanism, setting)


def _laplace(epsilon: float, lower: float | None, upper: float | None) -> Maker:
    return lambda: _named(laplace(epsilon, lower=lower, upper=upper))


def _gaussian(epsilon: float, lower: float | None, upper: float | None) -> Maker:
    return lambda: _named(gaussian(epsilon, DELTA, lower=lower, upper=upper))


def _response(letters: Distribution, epsilon: float) -> Maker:
    return lambda: (f"randomized-response:epsilon={epsilon:g}", randomized_response(letters.outcomes, epsilon))


def _other_letters(letters: Distribution) -> list[Maker]:
    makers = [_designed(letters, slope) for slope in SLOPES]
    for epsilon in EPSILONS[:6]:
        makers.append(_sets(letters, epsilon, "subset-selection"))
        makers.append(_sets(letters, epsilon, "unary-encoding"))
    return makers


def _sets(letters: Distribution, epsilon: float, name: str) -> Maker:
    factory: Mapping[str, Callable[..., Mechanism]] = {
        "subset-selection": subset_selection,
        "unary-encoding": unary_encoding,
    }
    return lambda: (f"{name}:epsilon={epsilon:g}", factory[name](letters.outcomes, epsilon))


def _designed(letters: Distribution, slope: float) -> Maker:
    def make() -> tuple[str, Mechanism]:
        solution = solve(RateDistortion(letters, Hamming(), Slope(slope)), gap=DESIGN_GAP)
        return f"designed channel at slope {slope:g}", through_channel(solution.channel)

    return make


def _histograms(table: Table, source: Source) -> Iterator[Candidate]:
    try:
        counted = histogram_source(source, table, _query(table, source))
    except LeakgaugeError:
        return
    makers: list[Maker] = []
    for epsilon in EPSILONS[:8]:
        makers.append(lambda epsilon=epsilon: _named(laplace(epsilon, sensitivity=2)))  # type: ignore[misc]
        makers.append(lambda epsilon=epsilon: _named(gaussian(epsilon, DELTA, sensitivity=2)))  # type: ignore[misc]
    yield from _made(counted, Stage.FORM, "histogram", makers)


def _query(table: Table, source: Source) -> Histogram:
    if source.kind in (Kind.INT, Kind.FLOAT):
        edges = np.unique(np.linspace(source.known.min(), source.known.max(), 9)).tolist()
        return Histogram(column=source.name, edges=edges, epsilon=1.0)
    labels = table.counts(source.name, limit=1 << 12).labels(source.name)
    return Histogram(column=source.name, labels=[label_text(one) for one in labels], epsilon=1.0)


def _named(mechanism: Mechanism) -> tuple[str, Mechanism]:
    return spelled(mechanism), mechanism
