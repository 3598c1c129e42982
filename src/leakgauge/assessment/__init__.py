"""The protection effect graded from 28 indicators by an influence diagram."""

from leakgauge.assessment.assessment import Assessment, assess, assess_release
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.improvement import Goal, improve
from leakgauge.assessment.indicators import (
    Questionnaire,
    collect,
    expected,
    protected_column,
    protected_histogram,
    protected_of_release,
    read_questionnaire,
)
from leakgauge.assessment.lifts import lifts
from leakgauge.assessment.pairwise import pairwise_weights, with_pairwise_weights, with_weights
from leakgauge.assessment.policy import Policy, read_policy

__all__ = [
    "Assessment",
    "Diagram",
    "Goal",
    "Policy",
    "Questionnaire",
    "assess",
    "assess_release",
    "collect",
    "default_diagram",
    "expected",
    "improve",
    "lifts",
    "pairwise_weights",
    "protected_column",
    "protected_histogram",
    "protected_of_release",
    "read_diagram",
    "read_policy",
    "read_questionnaire",
    "with_pairwise_weights",
    "with_weights",
]
