"""Leakgauge measures how much a data release leaks, designs releases that leak least, and backs both with evidence.

The rooms load when they are first asked for, so that ``import leakgauge`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from leakgauge.notebook import show_by as _show_by

if TYPE_CHECKING:
    from leakgauge import (
        assessment,
        audit,
        claims,
        design,
        distances,
        errors,
        measures,
        mechanisms,
        notions,
        probability,
        randomness,
        release,
        report,
        tables,
    )
    from leakgauge.artefacts import Request
    from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage
    from leakgauge.distances import Containment, Hamming
    from leakgauge.jobs.compare import compare
    from leakgauge.jobs.improve import improve
    from leakgauge.jobs.protect import protect
    from leakgauge.jobs.relate import relate
    from leakgauge.jobs.survey import survey
    from leakgauge.jobs.verdicts import assess
    from leakgauge.probability import Channel, Counts, Distribution, Estimate, Interval, Joint, Scenario, Seen
    from leakgauge.release import ReleasePlan
    from leakgauge.release.estimates import estimate
    from leakgauge.report import Report
    from leakgauge.tables import open_table

__version__ = "0.1.0"

_HOMES = {
    "artefacts": ("Request",),
    "design": ("Knowledge", "MaxDistortion", "MaxLeakage"),
    "distances": ("Containment", "Hamming"),
    "jobs.compare": ("compare",),
    "jobs.improve": ("improve",),
    "jobs.protect": ("protect",),
    "jobs.relate": ("relate",),
    "jobs.survey": ("survey",),
    "jobs.verdicts": ("assess",),
    "probability": ("Channel", "Counts", "Distribution", "Estimate", "Interval", "Joint", "Scenario", "Seen"),
    "release": ("ReleasePlan",),
    "release.estimates": ("estimate",),
    "report": ("Report",),
    "tables": ("open_table",),
}
"""The rooms of the names that are not rooms themselves."""

__all__ = [
    "Channel",
    "Containment",
    "Counts",
    "Distribution",
    "Estimate",
    "Hamming",
    "Interval",
    "Joint",
    "Knowledge",
    "MaxDistortion",
    "MaxLeakage",
    "ReleasePlan",
    "Report",
    "Request",
    "Scenario",
    "Seen",
    "assess",
    "assessment",
    "audit",
    "claims",
    "compare",
    "design",
    "distances",
    "errors",
    "estimate",
    "improve",
    "measures",
    "mechanisms",
    "notions",
    "open_table",
    "probability",
    "protect",
    "randomness",
    "relate",
    "release",
    "report",
    "survey",
    "tables",
]


def _html(value: object) -> str:
    html: str = import_module(f"{__name__}.report.notebook").html(value)
    return html


_show_by(_html)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
