"""The criteria that explain the scores, the protection that data call for, and the diagram that says so."""

from leakgauge.assessment.criteria.diagram import CriteriaDiagram
from leakgauge.assessment.criteria.files import asked_by, default_criteria, open_diagram, write_diagram
from leakgauge.assessment.criteria.reading import criteria_of

__all__ = ["CriteriaDiagram", "asked_by", "criteria_of", "default_criteria", "open_diagram", "write_diagram"]
