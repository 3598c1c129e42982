"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.assessment import Before, StoredAssessment
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.sentences import Sentence

__all__ = [
    "Before",
    "EachMeasurement",
    "Measurement",
    "Origin",
    "Quantity",
    "Real",
    "Sentence",
    "StoredAssessment",
    "StoredEvidence",
    "StoredImprovement",
]
