"""The protection effect graded from 28 indicators by an influence diagram."""

from leakgauge.artefacts.assessment import Grade, Lift, PolicyLine, Veto, grade_of, parse_target
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.assessment import Assessment, assess
from leakgauge.assessment.collecting import collect, expected
from leakgauge.assessment.diagram import Arc, Better, Diagram, Node
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.every_veto import every_veto
from leakgauge.assessment.grading import grade
from leakgauge.assessment.improving import Goal, Improvement, Trial, improve, require_search
from leakgauge.assessment.indicators import (
    protected_column,
    protected_histogram,
    protected_of_release,
)
from leakgauge.assessment.lifts import lifts
from leakgauge.assessment.pairwise import PairwiseWeights, pairwise_weights, with_pairwise_weights, with_weights
from leakgauge.assessment.policy import Policy, read_policy
from leakgauge.assessment.published import PublishedGrade, grade_evidence
from leakgauge.assessment.questionnaire import (
    Questionnaire,
    answered_beyond,
    asked_leaves,
    read_questionnaire,
    write_template,
)
from leakgauge.assessment.vetoes import (
    vetoes_of_audit,
    vetoes_of_claim,
    vetoes_of_evidence,
    vetoes_of_finding,
    vetoes_of_shown,
)

__all__ = [
    "Arc",
    "Assessment",
    "Better",
    "Diagram",
    "Evidence",
    "Goal",
    "Grade",
    "Improvement",
    "Lift",
    "Node",
    "PairwiseWeights",
    "Policy",
    "PolicyLine",
    "PublishedGrade",
    "Questionnaire",
    "Scale",
    "Standing",
    "Trial",
    "Veto",
    "answered_beyond",
    "asked_leaves",
    "assess",
    "collect",
    "default_diagram",
    "every_veto",
    "expected",
    "grade",
    "grade_evidence",
    "grade_of",
    "improve",
    "lifts",
    "pairwise_weights",
    "parse_target",
    "protected_column",
    "protected_histogram",
    "protected_of_release",
    "read_diagram",
    "read_policy",
    "read_questionnaire",
    "require_search",
    "vetoes_of_audit",
    "vetoes_of_claim",
    "vetoes_of_evidence",
    "vetoes_of_finding",
    "vetoes_of_shown",
    "with_pairwise_weights",
    "with_weights",
    "write_template",
]
