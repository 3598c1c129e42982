"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.assessment import Before, StoredAssessment
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.design import Compared, Comparison, Design, Frontier, Point
from leakgauge.artefacts.evidence import StoredEvidence
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.levels import Level, Witness
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.utility import Utility
from leakgauge.sentences import Sentence

__all__ = [
    "Before",
    "ChannelFile",
    "Compared",
    "Comparison",
    "Design",
    "EachMeasurement",
    "Frontier",
    "Level",
    "Measurement",
    "Origin",
    "Point",
    "Quantity",
    "Real",
    "Relation",
    "Sentence",
    "StoredAssessment",
    "StoredEvidence",
    "StoredImprovement",
    "Utility",
    "Witness",
]
