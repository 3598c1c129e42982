"""The protection effect graded from 28 indicators by an influence diagram."""

from leakgauge.artefacts.assessment import Grade, Lift, PolicyLine, Veto, grade_of, parse_target
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.assessment import Assessment, assess, assess_release
from leakgauge.assessment.diagram import Arc, Better, Diagram, Node
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.improvement import Goal, Improvement, Trial, improve, require_search
from leakgauge.assessment.indicators import (
    Questionnaire,
    answered_beyond,
    asked_leaves,
    collect,
    expected,
    protected_column,
    protected_histogram,
    protected_of_release,
    read_questionnaire,
    write_template,
)
from leakgauge.assessment.lifts import lifts
from leakgauge.assessment.pairwise import PairwiseWeights, pairwise_weights, with_pairwise_weights, with_weights
from leakgauge.assessment.policy import Policy, read_policy
from leakgauge.assessment.published import PublishedGrade, grade_evidence
from leakgauge.assessment.vetoes import every_veto

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
    "assess_release",
    "collect",
    "default_diagram",
    "every_veto",
    "expected",
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
    "with_pairwise_weights",
    "with_weights",
    "write_template",
]
