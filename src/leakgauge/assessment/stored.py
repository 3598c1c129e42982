"""What is stored of an assessment."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import asdict

from leakgauge.artefacts.assessment import (
    Leaf,
    Lift,
    NodeStates,
    PolicyLine,
    Published,
    ScoreInterval,
    Scores,
    StoredAssessment,
)
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.assessment.assessment import Assessment
from leakgauge.assessment.published import PublishedGrade
from leakgauge.sentences import Sentence

ONE_RELEASE = Sentence("The grade is of one release; how often it is repeated counts in a policy's max_epsilon alone.")


def stored(
    found: Assessment,
    *,
    column: str | None = None,
    record: str | None = None,
    published: PublishedGrade | None = None,
    lifts: Iterable[Lift] = (),
    blocked: Sentence | None = None,
    lines: Iterable[PolicyLine] = (),
) -> StoredAssessment:
    """An assessment to be stored, with the digest of the release's record and what was found beside it."""

    def interval(ends: tuple[float, float] | None) -> ScoreInterval | None:
        return None if ends is None else ScoreInterval(*ends, found.confidence)

    return StoredAssessment(
        **asdict(scores_of(found)),
        column=column,
        interval=interval(found.interval),
        privacy_interval=interval(found.privacy_interval),
        utility_interval=interval(found.utility_interval),
        graded=ONE_RELEASE,
        vetoes=found.vetoes,
        leaves=leaves_of(found),
        missing=found.missing,
        nodes=nodes_of(found),
        lifts=tuple(lifts),
        blocked=blocked,
        policy=tuple(lines),
        published=None if published is None else _published(published),
        evidence=StoredEvidence(tuple(found.evidence.values()), column, record),
    )


def _published(found: PublishedGrade) -> Published:
    return Published(found.score, found.grade.value, found.credibility, found.decides, found.why_not)


def scores_of(found: Assessment) -> Scores:
    """The grade and the three scores."""
    return Scores(found.score, found.grade, found.grade_uncapped, found.privacy, found.utility)


def nodes_of(found: Assessment) -> dict[str, NodeStates]:
    """Each known node with its names and states."""
    nodes = found.diagram.nodes
    return {
        key: NodeStates(nodes[key].name, nodes[key].chinese, tuple(states.tolist()))
        for key, states in found.nodes.items()
    }


def leaves_of(found: Assessment) -> tuple[Leaf, ...]:
    """For each leaf what is known of it and what it is worth."""
    return tuple(
        Leaf(
            key,
            node.name,
            node.chinese,
            None if node.better is None else node.better.value,
            one.standing,
            one.value,
            one.unit,
            found.position(key) if key in found.nodes else None,
            tuple(found.nodes[key].tolist()) if key in found.nodes else None,
            found.sensitivities.get(key),
            found.privacy_sensitivities.get(key),
            found.utility_sensitivities.get(key),
            one.null,
            one.raw,
            one.source,
        )
        for key, one in found.evidence.items()
        for node in [found.diagram.nodes[key]]
    )
