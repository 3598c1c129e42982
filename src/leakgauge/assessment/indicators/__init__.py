"""The 28 leaves of the diagram, one file a family, measured from a release or computed from its law."""

from leakgauge.assessment.indicators.audits import Audited, audited, audited_by, audited_in
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.families import FAMILIES, Family
from leakgauge.assessment.indicators.protected import (
    Protected,
    protected_column,
    protected_histogram,
    protected_of_release,
    released_again,
)
from leakgauge.assessment.indicators.setting import Setting, setting_of
from leakgauge.assessment.indicators.source import Source, histogram_source, source_of

__all__ = [
    "FAMILIES",
    "Audited",
    "Context",
    "Family",
    "Protected",
    "Setting",
    "Source",
    "audited",
    "audited_by",
    "audited_in",
    "histogram_source",
    "protected_column",
    "protected_histogram",
    "protected_of_release",
    "released_again",
    "setting_of",
    "source_of",
]
