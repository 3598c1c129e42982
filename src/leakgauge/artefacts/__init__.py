"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.design import Compared, Comparison, Design, Frontier, Point
from leakgauge.artefacts.levels import Level, Levels, Witness
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.record import PublicRecord, Record
from leakgauge.artefacts.relation import Relation
from leakgauge.artefacts.utility import Utility
from leakgauge.sentences import Sentence

__all__ = [
    "ChannelFile",
    "Compared",
    "Comparison",
    "Design",
    "EachMeasurement",
    "Frontier",
    "Level",
    "Levels",
    "Measurement",
    "Origin",
    "Point",
    "PublicRecord",
    "Quantity",
    "Real",
    "Record",
    "Relation",
    "Sentence",
    "Utility",
    "Witness",
]
