"""The main job: table in, leakage measured, channel designed, release written, attacked, graded, reported."""

from leakgauge.jobs.protect.asked import Asked
from leakgauge.jobs.protect.protecting import NAMES, Done, Progress, protect

__all__ = ["NAMES", "Asked", "Done", "Progress", "protect"]
