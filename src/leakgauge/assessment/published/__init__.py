"""The published grade, by the paper's fuzzy influence diagram: an algorithm offered beside ours, never to decide by.

Tian et al., Assessment method on protection effectiveness of differential privacy algorithms based on fuzzy influence
diagram, Journal on Communications, 2024 (doi:10.11959/j.issn.1000-436x.2024122). ``grade`` is the method,
``evaluate`` the multi-layer fuzzy comprehensive evaluation it is compared with, and ``WHY_NOT`` says what keeps its
grade from deciding anything. The paper's tables are in ``leakgauge.papers.influence_diagram``.
"""

from leakgauge.assessment.published.algebra import (
    WHY_NOT,
    LeafStates,
    PublishedGrade,
    compose,
    grade,
    grade_evidence,
    grade_matrix,
    leaf_matrix,
    propagate,
    relation,
)
from leakgauge.assessment.published.comprehensive_evaluation import (
    INDEX_SYSTEM_A,
    INDEX_SYSTEM_B,
    Evaluation,
    evaluate,
)
from leakgauge.assessment.published.fuzzy_sets import (
    DEGREES,
    FREQUENCIES,
    Frequency,
    State,
    fuzzify,
    label_shares,
    memberships,
)

__all__ = [
    "DEGREES",
    "FREQUENCIES",
    "INDEX_SYSTEM_A",
    "INDEX_SYSTEM_B",
    "WHY_NOT",
    "Evaluation",
    "Frequency",
    "LeafStates",
    "PublishedGrade",
    "State",
    "compose",
    "evaluate",
    "fuzzify",
    "grade",
    "grade_evidence",
    "grade_matrix",
    "label_shares",
    "leaf_matrix",
    "memberships",
    "propagate",
    "relation",
]
