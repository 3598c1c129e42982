"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.levels import Level, Levels
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.record import PublicRecord, Record
from leakgauge.sentences import Sentence

__all__ = [
    "ChannelFile",
    "EachMeasurement",
    "Level",
    "Levels",
    "Measurement",
    "Origin",
    "PublicRecord",
    "Quantity",
    "Real",
    "Record",
    "Sentence",
]
