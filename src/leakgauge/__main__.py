"""``python -m leakgauge``."""

from leakgauge.cli import run

run()
