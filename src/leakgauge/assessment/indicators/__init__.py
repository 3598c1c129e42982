"""The 28 indicators, one file per family, measured from a release."""

from leakgauge.assessment.indicators.attacks import audited_by
from leakgauge.assessment.indicators.catalogue import INDICATORS, answered_beyond, asked_leaves, collect
from leakgauge.assessment.indicators.indicator import Form
from leakgauge.assessment.indicators.protected import ProtectedColumn, protected_column, protected_of_release
from leakgauge.assessment.indicators.questionnaire import Questionnaire, read_questionnaire, write_template
from leakgauge.assessment.indicators.setting import Setting, setting_of
from leakgauge.assessment.indicators.source import Source, source_of

__all__ = [
    "INDICATORS",
    "Form",
    "ProtectedColumn",
    "Questionnaire",
    "Setting",
    "Source",
    "answered_beyond",
    "asked_leaves",
    "audited_by",
    "collect",
    "protected_column",
    "protected_of_release",
    "read_questionnaire",
    "setting_of",
    "source_of",
    "write_template",
]
