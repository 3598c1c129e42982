"""Criteria from evidence and scores: a weighted mean over the leaves, never better than the score.

Missing evidence counts at its unfavourable end and widens the interval, so leaving out a measurement or an answer never
improves a criterion, and never lowers the protection needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from leakgauge.artefacts.criteria import Criteria, Criterion, CriterionLeaf
from leakgauge.artefacts.evidence import Evidence, Standing, by_leaf, missing
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.scores import POINTS, Scores, confidence_of
from leakgauge.assessment.algebra import DIGITS
from leakgauge.assessment.criteria.diagram import AUDIT, NEEDED, Best, CriteriaDiagram, CriterionNode, LeafNode
from leakgauge.assessment.criteria.files import default_criteria, is_asked
from leakgauge.measures.binomial import require_confidence
from leakgauge.rounding import at_least
from leakgauge.sentences import Sentence

_STANDINGS = (Standing.MEASURED, Standing.DECLARED, Standing.ASKED)
"""The strongest first."""


def criteria_of(
    evidence: Iterable[Evidence], scores: Scores, diagram: CriteriaDiagram | None = None, *, confidence: float = 0.95
) -> Criteria:
    """The criteria of a release, the protection its data call for, and the strength of its audit.

    Args:
        evidence: of the leaves, in any order; one without evidence is missing.
        scores: of the secret; those that the diagram names bound its criteria.
        diagram: which leaf feeds which; ours by default.
        confidence: of the intervals of the evidence, and of means of answers.

    Raises:
        ModelError: two pieces of evidence of one leaf.
        OptionError: a confidence that is not between 0 and 1.

    Example:
        >>> from leakgauge.artefacts.scores import ScoreEvidence
        >>> from leakgauge.assessment.scores.reading import scores_of
        >>> from leakgauge.artefacts.scores import Guarantee
        >>> claimed = Guarantee("local-dp", level=0.5, delta=0.0, advantage=0.25)
        >>> found = criteria_of([], scores_of(ScoreEvidence(attackers=(), guarantee=claimed)))
        >>> [(one.key, one.points.value if one.points else str(one.said)) for one in found.criteria][1::3]
        [('guarantee', 75.0), ('experience', 'not asked')]
    """
    require_confidence(confidence)
    diagram = default_criteria() if diagram is None else diagram
    known = by_leaf(evidence)

    def read(node: CriterionNode) -> tuple[CriterionLeaf, ...]:
        shares = diagram.shares(node.key)
        return tuple(_leaf(diagram.leaves[key], known, share, confidence) for key, share in shares.items())

    criteria = tuple(_criterion(node, read(node), scores) for node in diagram.criteria.values())
    needed, audit = (
        _criterion(node, leaves, scores, worst) if (leaves := read(node)) else None
        for node, worst in ((NEEDED, 100.0), (AUDIT, 0.0))
    )
    return Criteria(
        criteria=criteria,
        needed=needed,
        beside=_beside(needed, scores),
        audit=audit,
        unused=tuple(leaf for leaf in known if leaf not in diagram.leaves),
    )


def _leaf(leaf: LeafNode, known: Mapping[str, Evidence], weight: float, confidence: float) -> CriterionLeaf:
    found = known.get(leaf.key) or missing(leaf.key, Sentence("Nothing was given."))
    points = _points(leaf.better, found, confidence)
    return CriterionLeaf(
        leaf=leaf.key,
        name=leaf.name,
        chinese=leaf.chinese,
        standing=found.standing,
        value=found.value,
        unit=found.unit,
        points=points,
        weight=weight,
        source=found.source,
    )


def _points(better: Best, found: Evidence, confidence: float) -> Quantity | None:
    """How good a leaf is from 0 to 100; None where nothing is known, or no release stands for the ends."""
    if found.standing is Standing.MISSING:
        return None
    places: Sequence[float]
    if found.standing is Standing.ASKED:
        people = sum(found.answers)
        mean = sum(at * count for at, count in enumerate(found.answers)) / 4 / people
        # Hoeffding's inequality, which holds for however few people and whatever they answer.
        reach = math.sqrt(math.log(2 / (1 - confidence)) / (2 * people))
        places = (mean, mean - reach, mean + reach)
    else:
        assert found.value is not None and found.scale is not None
        raw_values = (found.value, *found.interval)
        if better in (Best.HIGHER, Best.LOWER):
            places = found.scale.position(np.array(raw_values)).tolist()
        elif found.null is None or found.raw is None or found.raw == found.null:
            return None
        else:
            # From nothing told, 0, to everything kept, 1.
            places = [(value - found.null) / (found.raw - found.null) for value in raw_values]
            if any(map(math.isnan, places)):
                return None
    inside = [min(max(place, 0.0), 1.0) for place in places]
    value, *ends = (100 * (1 - one if better in (Best.LOWER, Best.NULL) else one) for one in inside)
    return _quantity(value, min(ends), max(ends), confidence)


def _quantity(value: float, low: float, high: float, confidence: float | None) -> Quantity:
    return Quantity(value, POINTS) if low == high else Quantity(value, POINTS, low, high, confidence)


def _criterion(node: CriterionNode, leaves: tuple[CriterionLeaf, ...], scores: Scores, worst: float = 0.0) -> Criterion:
    """The mean of its leaves, of which those that are missing count as ``worst``, and at most its score."""
    score = None if node.score is None else _bound(scores, node.score)
    counted = [leaf for leaf in leaves if leaf.weight]
    known = [leaf for leaf in counted if leaf.points is not None]
    score_known = score is not None and score.ends != (0.0, 100.0)
    points, said = None, Sentence("")
    if known or score_known:
        points = _mean(counted, worst, score)
    elif counted and all(is_asked(leaf.leaf) for leaf in counted):
        said = Sentence("not asked")
    else:
        said = Sentence("not known")
    # Leaves that are not counted say what the score rests on.
    rests_on = [leaf.standing for leaf in known or leaves if leaf.standing is not Standing.MISSING]
    return Criterion(
        key=node.key,
        name=node.name,
        chinese=node.chinese,
        points=points,
        score=node.score,
        standing=Standing.MISSING if points is None else max(rests_on, key=_STANDINGS.index, default=Standing.MEASURED),
        leaves=leaves,
        missing=tuple(leaf.leaf for leaf in counted if leaf.points is None),
        said=said,
    )


def _bound(scores: Scores, name: str) -> Quantity:
    """What bounds a criterion: a score, or how far the claim rules out that neighbours are told apart."""
    if name != "guarantee":
        return getattr(scores, name)  # type: ignore[no-any-return]
    return Quantity(0.0 if scores.guarantee is None else 100 * (1 - scores.guarantee.advantage), POINTS)


def _mean(counted: Sequence[CriterionLeaf], worst: float, score: Quantity | None) -> Quantity:
    """The value and both ends of the weighted mean, each at most that of the score."""
    known = [leaf.points for leaf in counted if leaf.points is not None] + ([] if score is None else [score])
    most = (100.0, 100.0, 100.0) if score is None else (score.value, *score.ends)
    rows = [(leaf.points.value, *leaf.points.ends) if leaf.points else (worst, 0.0, 100.0) for leaf in counted]
    means = np.array([leaf.weight for leaf in counted]) @ np.array(rows) if rows else most
    value, low, high = np.minimum(np.round(means, DIGITS), most).tolist()
    return _quantity(value, min(low, value), max(high, value), confidence_of(known))


def _beside(needed: Criterion | None, scores: Scores) -> Sentence:
    """How much protection is called for, beside what was found; at the unfavourable ends of both."""
    found = at_least(scores.protection.ends[0])
    if needed is None or needed.points is None:
        return Sentence("How sensitive these data are was not declared, so the protection they need is not known.")
    if needed.missing:
        return Sentence(
            "The data may need a protection of up to {needed:.3g} of 100 (not everything about them was "
            "declared); the release has {found:.3g}.",
            needed=needed.points.ends[1],
            found=found,
        )
    return Sentence(
        "The data need a protection of {needed:.3g} of 100; the release has {found:.3g}.",
        needed=needed.points.ends[1],
        found=found,
    )
