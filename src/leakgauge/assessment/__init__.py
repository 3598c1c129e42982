"""The verdict on a release: scores that decide, and 28 indicators that explain them."""

from leakgauge.assessment.criteria import CriteriaDiagram, criteria_of, default_criteria, open_diagram, write_diagram
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.indicators.catalogue import collect
from leakgauge.assessment.indicators.protected import protected_column, protected_of_release
from leakgauge.assessment.indicators.questionnaire import Questionnaire, read_questionnaire
from leakgauge.assessment.pairwise import pairwise_weights, with_weights
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.policy import Policy, read_policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.search import most_useful
from leakgauge.assessment.verdict import verdict_of

__all__ = [
    "CriteriaDiagram",
    "Diagram",
    "Policy",
    "Questionnaire",
    "collect",
    "criteria_of",
    "default_criteria",
    "default_diagram",
    "evidence_by_law",
    "most_useful",
    "open_diagram",
    "pairwise_weights",
    "protected_column",
    "protected_of_release",
    "read_diagram",
    "read_policy",
    "read_questionnaire",
    "scores_of",
    "verdict_of",
    "with_weights",
    "write_diagram",
]
