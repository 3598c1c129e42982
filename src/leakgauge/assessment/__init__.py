"""The verdict on a release: dials that decide, and 28 indicators that explain them."""

from leakgauge.assessment.criteria import CriteriaDiagram, criteria_of, default_criteria, open_diagram, write_diagram
from leakgauge.assessment.diagram import Diagram
from leakgauge.assessment.diagram_files import default_diagram, read_diagram
from leakgauge.assessment.dials.evidence import evidence_by_law
from leakgauge.assessment.dials.policy import DialPolicy, read_dial_policy
from leakgauge.assessment.dials.reading import dials_of
from leakgauge.assessment.indicators.catalogue import collect
from leakgauge.assessment.indicators.protected import protected_column, protected_of_release
from leakgauge.assessment.indicators.questionnaire import Questionnaire, read_questionnaire
from leakgauge.assessment.pairwise import pairwise_weights, with_weights
from leakgauge.assessment.search import most_useful
from leakgauge.assessment.verdict import verdict_of

__all__ = [
    "CriteriaDiagram",
    "Diagram",
    "DialPolicy",
    "Questionnaire",
    "collect",
    "criteria_of",
    "default_criteria",
    "default_diagram",
    "dials_of",
    "evidence_by_law",
    "most_useful",
    "open_diagram",
    "pairwise_weights",
    "protected_column",
    "protected_of_release",
    "read_diagram",
    "read_dial_policy",
    "read_questionnaire",
    "verdict_of",
    "with_weights",
    "write_diagram",
]
