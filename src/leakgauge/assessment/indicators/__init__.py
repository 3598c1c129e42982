"""The 28 indicators, one file per family, measured from a release or computed from its law."""

from leakgauge.assessment.indicators.attacks import Audited, audited, audited_by, audited_in
from leakgauge.assessment.indicators.catalogue import (
    FAMILIES,
    INDICATORS,
    answered_beyond,
    asked_leaves,
    collect,
    expected,
)
from leakgauge.assessment.indicators.indicator import Context, Family, Form, Indicator
from leakgauge.assessment.indicators.protected import (
    Protected,
    ProtectedColumn,
    protected_column,
    protected_histogram,
    protected_of_release,
    released_again,
)
from leakgauge.assessment.indicators.questionnaire import Questionnaire, read_questionnaire, write_template
from leakgauge.assessment.indicators.setting import LetterSetting, Setting, setting_of
from leakgauge.assessment.indicators.source import Source, histogram_source, source_of

__all__ = [
    "FAMILIES",
    "INDICATORS",
    "Audited",
    "Context",
    "Family",
    "Form",
    "Indicator",
    "LetterSetting",
    "Protected",
    "ProtectedColumn",
    "Questionnaire",
    "Setting",
    "Source",
    "answered_beyond",
    "asked_leaves",
    "audited",
    "audited_by",
    "audited_in",
    "collect",
    "expected",
    "histogram_source",
    "protected_column",
    "protected_histogram",
    "protected_of_release",
    "read_questionnaire",
    "released_again",
    "setting_of",
    "source_of",
    "write_template",
]
