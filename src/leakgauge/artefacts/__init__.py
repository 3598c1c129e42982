"""Every stored thing as a frozen type, and one codec that writes and reads them all."""

from leakgauge.artefacts.event import Ended, Event
from leakgauge.artefacts.job import Headline, Job, Outcome, PageJob, Spent, StageDone
from leakgauge.artefacts.measurement import EachMeasurement, Measurement
from leakgauge.artefacts.quantity import Origin, Quantity, Real
from leakgauge.artefacts.request import Request
from leakgauge.sentences import Sentence

__all__ = [
    "EachMeasurement",
    "Ended",
    "Event",
    "Headline",
    "Job",
    "Measurement",
    "Origin",
    "Outcome",
    "PageJob",
    "Quantity",
    "Real",
    "Request",
    "Sentence",
    "Spent",
    "StageDone",
]
