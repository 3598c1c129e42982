"""The main job: table in, leakage measured, channel designed, release written, attacked, graded, reported."""

from leakgauge.jobs.protect.protecting import Done, protect
from leakgauge.jobs.protect.running import NAMES, Progress

__all__ = ["NAMES", "Done", "Progress", "protect"]
