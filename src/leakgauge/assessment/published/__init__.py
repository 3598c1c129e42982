"""The published grade, by the paper's fuzzy influence diagram: reproduced in full, and never to decide by.

Tian et al., Assessment method on protection effectiveness of differential privacy algorithms based on fuzzy influence
diagram, Journal on Communications, 2024 (doi:10.11959/j.issn.1000-436x.2024122). ``grade`` is the method,
``evaluate`` the multi-layer fuzzy comprehensive evaluation it is compared with, and ``WHY_NOT`` says what keeps its
grade from deciding anything.
"""

from leakgauge.assessment.published.comprehensive_evaluation import (
    INDEX_SYSTEM_A,
    INDEX_SYSTEM_B,
    Evaluation,
    evaluate,
)
from leakgauge.assessment.published.fuzzification import CUTS, fuzzify, label_shares, memberships
from leakgauge.assessment.published.fuzzy_sets import (
    DEGREES,
    FREQUENCIES,
    Frequency,
    State,
)
from leakgauge.assessment.published.grading import (
    WHY_NOT,
    PublishedGrade,
    grade,
    grade_evidence,
    grade_matrix,
)
from leakgauge.assessment.published.paper_tables import Directions, printed_matrix, table_1, table_2
from leakgauge.assessment.published.propagation import (
    LeafStates,
    NodeMatrices,
    compose,
    leaf_matrix,
    propagate,
    relation,
)

__all__ = [
    "CUTS",
    "DEGREES",
    "FREQUENCIES",
    "INDEX_SYSTEM_A",
    "INDEX_SYSTEM_B",
    "WHY_NOT",
    "Directions",
    "Evaluation",
    "Frequency",
    "LeafStates",
    "NodeMatrices",
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
    "printed_matrix",
    "propagate",
    "relation",
    "table_1",
    "table_2",
]
