"""Evidence carried through a diagram to a score, a grade and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from leakgauge import notebook
from leakgauge.artefacts.assessment import Grade, Veto, grade_of
from leakgauge.artefacts.evidence import Evidence, Standing, missing
from leakgauge.assessment.algebra import (
    Ends,
    Rating,
    distributions,
    known_shares,
    mean_rating,
    position_of,
    rating,
)
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.intervals import Draws, Interval, interval_of, require_draws
from leakgauge.assessment.vetoes import capped, vetoes_of_unknown
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats
from leakgauge.sentences import Sentence


@dataclass(frozen=True)
class Assessment:
    """A graded protection effect and what it rests on. Scores run from 0 to 100.

    Attributes:
        diagram: what was computed.
        evidence: for each leaf of the diagram what is known of it, missing ones included.
        unused: leaves that there is evidence of and the diagram does not have.
        nodes: for each known node its distribution over the states; a node none of whose leaves is known is left out.
        score: the summary, in which trade-offs cancel.
        privacy: the mean of the privacy criteria; None where nothing is known of them.
        utility: likewise of the utility criteria.
        interval: of the score; None where it was not asked for.
        privacy_interval: likewise.
        utility_interval: likewise.
        confidence: of the intervals.
        sensitivities: for each known leaf the points of score that a move over its whole scale would add.
        privacy_sensitivities: likewise of privacy.
        utility_sensitivities: likewise of utility.
        vetoes: reasons that cap the grade.
        grade: the lowest of the grades of score, privacy and utility, after the vetoes; this one decides.
        grade_uncapped: the same before the vetoes.
    """

    diagram: Diagram
    evidence: Mapping[str, Evidence]
    unused: tuple[str, ...]
    nodes: Mapping[str, Floats]
    score: float
    privacy: float | None
    utility: float | None
    interval: Interval | None
    privacy_interval: Interval | None
    utility_interval: Interval | None
    confidence: float
    sensitivities: Mapping[str, float]
    privacy_sensitivities: Mapping[str, float]
    utility_sensitivities: Mapping[str, float]
    vetoes: tuple[Veto, ...]
    grade: Grade
    grade_uncapped: Grade

    @property
    def missing(self) -> tuple[str, ...]:
        """The leaves of which nothing is known; the others share their weight."""
        return tuple(key for key in self.diagram.leaves if key not in self.nodes)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The nodes left out because nothing that leads to them is known."""
        return tuple(key for key in self.diagram.nodes if key not in self.nodes and key not in self.missing)

    def position(self, key: str) -> float:
        """Where a known node lies between the lowest state, 0, and the highest, 1."""
        return position_of(self.nodes[key])

    def _repr_html_(self) -> str:
        scores = (
            ("score", self.score, self.interval),
            ("privacy", self.privacy, self.privacy_interval),
            ("utility", self.utility, self.utility_interval),
        )
        rows = [("grade", self.grade.value)]
        for name, value, ends in scores:
            if value is None:
                rows.append((name, "not known"))
            elif ends is None:
                rows.append((name, notebook.number(value, "of 100")))
            else:
                rows.append((name, notebook.interval(value, *ends, self.confidence, "of 100")))
        criteria = (*self.diagram.privacy, *self.diagram.utility)
        rows += [
            (self.diagram.nodes[key].name, notebook.number(self.position(key), "from 0 to 1"))
            for key in criteria
            if key in self.nodes
        ]
        rows += [(f"veto, at best {veto.cap.value}", str(veto.reason)) for veto in self.vetoes]
        rows.append(("leaves of which nothing is known", ", ".join(self.missing) or "none"))
        return notebook.table_html((), rows, f"Assessment by {len(self.diagram.leaves)} indicators")


def assess(
    diagram: Diagram,
    evidence: Iterable[Evidence],
    vetoes: Iterable[Veto] = (),
    *,
    draws: int = 10_000,
    simulation_seed: int = 0,
    confidence: float = 0.95,
) -> Assessment:
    """The grade of what is known, by weighted means along the arcs.

    Args:
        diagram: which leaves there are, and what they lead to.
        evidence: of its leaves, in any order; a leaf without evidence is missing.
        vetoes: reasons outside the average that cap the grade; that privacy, utility or a leaf that a verdict needs is
            not known is added.
        draws: of which the intervals are made; 0 for none.
        simulation_seed: of the draws, to see the same again.
        confidence: of the intervals.

    Raises:
        ModelError: two pieces of evidence of one leaf, or nothing known that moves the value.
        OptionError: draws, a seed or a confidence outside their range.

    Example:
        >>> from leakgauge.assessment.diagram_files import default_diagram
        >>> from leakgauge.artefacts.evidence import Scale, Standing
        >>> by_hand = Sentence("by hand")
        >>> error = Evidence("10", Standing.MEASURED, by_hand, 0.1, "squared units", Scale(0, 1))
        >>> found = assess(default_diagram(), [error], draws=0)
        >>> found.score, found.grade.value, found.utility, found.privacy
        (90.0, 'poor', 90.0, None)
    """
    require_draws(draws, confidence, simulation_seed)
    given = _by_leaf(evidence)
    known_of = {key: given.get(key) or missing(key, Sentence("Nothing was given.")) for key in diagram.leaves}
    leaves = _states(diagram, known_of)
    shares = known_shares(diagram, leaves)
    value, criteria = _ratings(diagram, shares, leaves)
    privacy, utility = (_mean(criteria, names) for names in (diagram.privacy, diagram.utility))
    intervals = _Intervals(diagram, shares, {key: known_of[key] for key in leaves}, draws, simulation_seed, confidence)
    scores = {"privacy": _score(privacy), "utility": _score(utility)}
    listed = _listed(vetoes, scores, {**given, **known_of})
    uncapped = min(grade_of(one.score) for one in (value, privacy, utility) if one is not None)
    return Assessment(
        diagram,
        MappingProxyType(known_of),
        tuple(key for key in given if key not in known_of),
        MappingProxyType({key: _frozen(one) for key, one in distributions(diagram, shares, leaves).items()}),
        value.score,
        scores["privacy"],
        scores["utility"],
        intervals.of({diagram.value: value}, value),
        intervals.of({key: criteria[key] for key in diagram.privacy}, privacy),
        intervals.of({key: criteria[key] for key in diagram.utility}, utility),
        confidence,
        _sensitivities(value, leaves),
        _sensitivities(privacy, leaves),
        _sensitivities(utility, leaves),
        listed,
        capped(uncapped, listed),
        uncapped,
    )


def _states(diagram: Diagram, evidence: Mapping[str, Evidence]) -> dict[str, Floats]:
    """The distribution over the states of each leaf that is known."""
    states = {key: one.states(diagram.states) for key, one in evidence.items()}
    return {key: _frozen(one) for key, one in states.items() if one is not None}


def _mean(criteria: Mapping[str, Rating | None], names: Iterable[str]) -> Rating | None:
    return mean_rating([one for key in names if (one := criteria[key]) is not None])


def _ratings(
    diagram: Diagram, shares: Mapping[Ends, float], leaves: Mapping[str, Floats]
) -> tuple[Rating, dict[str, Rating | None]]:
    """The rating of the value, and of each criterion."""
    positions = {key: position_of(one) for key, one in leaves.items()}
    value = rating(diagram, shares, positions, diagram.value)
    if value is None:
        raise ModelError(
            "{file}: no leaf that moves the value {value!r} is known; give evidence of more leaves.",
            file=diagram.file,
            value=diagram.value,
        )
    criteria = (*diagram.privacy, *diagram.utility)
    return value, {key: rating(diagram, shares, positions, key) for key in criteria}


class _Intervals:
    def __init__(
        self,
        diagram: Diagram,
        shares: Mapping[Ends, float],
        evidence: Mapping[str, Evidence],
        draws: int,
        simulation_seed: int,
        confidence: float,
    ) -> None:
        self._draws = Draws(diagram, shares, evidence, draws, simulation_seed) if draws else None
        self._confidence = confidence

    def of(self, criteria: Mapping[str, Rating | None], mean: Rating | None) -> Interval | None:
        """The interval of the mean of some nodes' scores."""
        if self._draws is None or mean is None:
            return None
        drawn = [self._draws.scores(one, key) for key, one in criteria.items() if one is not None]
        return interval_of(np.mean(drawn, axis=0), mean.score, self._confidence)


def _by_leaf(evidence: Iterable[Evidence]) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for one in evidence:
        if one.leaf in found:
            raise ModelError("There are two pieces of evidence of leaf {leaf!r}; give one.", leaf=one.leaf)
        found[one.leaf] = one
    return found


def _listed(
    vetoes: Iterable[Veto], scores: Mapping[str, float | None], known_of: Mapping[str, Evidence]
) -> tuple[Veto, ...]:
    """Those given, and one where something that a verdict needs is not known."""
    absent = [key for key, one in known_of.items() if one.standing is Standing.MISSING]
    return tuple(dict.fromkeys((*vetoes, *vetoes_of_unknown(scores, absent))))


def _score(of: Rating | None) -> float | None:
    return None if of is None else of.score


def _sensitivities(of: Rating | None, leaves: Iterable[str]) -> Mapping[str, float]:
    return MappingProxyType({key: 0.0 if of is None else of.sensitivities[key] for key in leaves})


def _frozen(states: Floats) -> Floats:
    states.setflags(write=False)
    return states
