"""Evidence carried through a diagram to a score, a grade and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from leakgauge import notebook
from leakgauge.artefacts import Finding
from leakgauge.artefacts.assessment import Grade, Veto, grade_of
from leakgauge.artefacts.evidence import Evidence, Standing, by_leaf, missing
from leakgauge.assessment.algebra import distributions, known_shares, mean_rating, position_of, rating
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.indicators import (
    Questionnaire,
    answered_beyond,
    audited_by,
    collect,
    protected_of_release,
)
from leakgauge.assessment.intervals import Draws, Interval, require_draws
from leakgauge.assessment.vetoes import capped, every_veto, vetoes_of_unknown
from leakgauge.audit.released_rows import shown_by_rows
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats
from leakgauge.release import Release
from leakgauge.sentences import Sentence
from leakgauge.tables import Table


@dataclass(frozen=True)
class Assessment:
    """A graded protection effect and what it rests on. Scores run from 0 to 100.

    Attributes:
        evidence: for each leaf of the diagram what is known of it, missing ones included.
        unused: leaves that there is evidence of and the diagram does not have.
        nodes: for each known node its distribution over the states; a node none of whose leaves is known is left out.
        score: the summary, in which trade-offs cancel.
        privacy: the mean of the privacy criteria; None where nothing is known of them; utility likewise.
        interval: of the score; None, as the other two, where it was not asked for.
        sensitivities: for each known leaf the points of score that a move over its whole scale would add; those of
            privacy and utility likewise.
        grade: the lowest of the grades of score, privacy and utility, after the vetoes; this one decides.
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
    def scores(self) -> dict[str, float | None]:
        """Score, privacy and utility by name; None where nothing is known of one."""
        return {"score": self.score, "privacy": self.privacy, "utility": self.utility}

    @property
    def sensitivities_of(self) -> dict[str, Mapping[str, float]]:
        """The sensitivities of the same three."""
        every = (self.sensitivities, self.privacy_sensitivities, self.utility_sensitivities)
        return dict(zip(self.scores, every, strict=True))

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

    def attainable(self, score: str) -> dict[str, float]:
        """The points of one of the scores that each known leaf would add at its best."""
        return {
            leaf: abs(gain) * (1 - self.position(leaf) if gain > 0 else self.position(leaf))
            for leaf, gain in self.sensitivities_of[score].items()
        }

    def _repr_html_(self) -> str:
        rows = [("grade", self.grade.value)]
        intervals = (self.interval, self.privacy_interval, self.utility_interval)
        for (name, value), ends in zip(self.scores.items(), intervals, strict=True):
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
        diagram: the leaves and what they lead to.
        evidence: of the leaves, in any order; one without evidence is missing.
        vetoes: reasons outside the average that cap the grade; that privacy, utility or a leaf that a verdict needs is
            not known is added.
        draws: of which the intervals are made; 0 for none.
        simulation_seed: of the draws.
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
    given = by_leaf(evidence)
    known_of = {key: given.get(key) or missing(key, Sentence("Nothing was given.")) for key in diagram.leaves}
    leaves = {key: states for key, one in known_of.items() if (states := one.states(diagram.states)) is not None}
    shares = known_shares(diagram, leaves)
    positions = {key: position_of(states) for key, states in leaves.items()}
    drawn = None
    if draws:
        known = {key: known_of[key] for key in leaves}
        drawn = Draws(diagram, shares, known, draws, simulation_seed, confidence)

    def scored(names: Iterable[str]) -> tuple[float | None, Interval | None, Mapping[str, float]]:
        """The mean score of some nodes, its interval, and what each known leaf adds to it."""
        ratings = {key: one for key in names if (one := rating(diagram, shares, positions, key)) is not None}
        mean = mean_rating(list(ratings.values()))
        if mean is None:
            return None, None, MappingProxyType(dict.fromkeys(leaves, 0.0))
        interval = None if drawn is None else drawn.interval(ratings, mean.score)
        return mean.score, interval, MappingProxyType(mean.sensitivities)

    score, interval, sensitivities = scored([diagram.value])
    if score is None:
        raise ModelError(
            "{file}: no leaf that moves the value {value!r} is known; give evidence of more leaves.",
            file=diagram.file,
            value=diagram.value,
        )
    privacy, privacy_interval, privacy_sensitivities = scored(diagram.privacy)
    utility, utility_interval, utility_sensitivities = scored(diagram.utility)
    absent = [key for key, one in {**given, **known_of}.items() if one.standing is Standing.MISSING]
    unknown = vetoes_of_unknown({"privacy": privacy, "utility": utility}, absent)
    every = tuple(dict.fromkeys((*vetoes, *unknown)))
    uncapped = min(grade_of(one) for one in (score, privacy, utility) if one is not None)
    return Assessment(
        diagram,
        MappingProxyType(known_of),
        tuple(key for key in given if key not in known_of),
        MappingProxyType(distributions(diagram, shares, leaves)),
        score,
        privacy,
        utility,
        interval,
        privacy_interval,
        utility_interval,
        confidence,
        sensitivities,
        privacy_sensitivities,
        utility_sensitivities,
        every,
        capped(uncapped, every),
        uncapped,
    )


def assess_release(
    release: Release | Path | str,
    findings: Iterable[Finding],
    original: Table,
    *,
    column: str | None = None,
    diagram: Diagram | None = None,
    questionnaire: Questionnaire | None = None,
    simulation_seed: int = 0,
) -> Assessment:
    """The grade of a column of a release, from its record, its rows and what attacks found.

    Args:
        release: the release, or the file of its record.
        findings: of ``audit.attack``.
        original: the table it was made from.
        column: the protected column; it may be left out where there is one.
        diagram: by which it is graded; the paper's by default.
        questionnaire: what people answered.
        simulation_seed: of the intervals.
    """
    protected, findings = protected_of_release(release, original, column=column), tuple(findings)
    shown = shown_by_rows(protected.released, 0.95)
    audit = audited_by(shown, findings, protected.setting.source.names)
    evidence = collect(protected, audit=audit, questionnaire=questionnaire, simulation_seed=simulation_seed)
    return assess(
        diagram or default_diagram(),
        (*evidence, *answered_beyond(questionnaire)),
        every_veto(protected.setting, evidence, shown=shown, findings=findings),
        simulation_seed=simulation_seed,
    )
