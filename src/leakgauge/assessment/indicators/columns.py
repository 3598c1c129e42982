"""How closely the data's columns go together; facts of the data."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators.family import Context, Family
from leakgauge.assessment.indicators.indicator import SHARE, Indicator
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.sentences import Sentence

CORRELATION = Indicator("column-correlation", 16, "correlation of the data's columns", "association", SHARE)
COVARIANCE = Indicator("column-covariance", 18, "covariance of the data's columns", "share of the variance", SHARE)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """The strongest association with another column, and its square: the variance that is shared.

    The mean over the columns would fall with every column that has nothing to do with the data.
    """
    found = [one.association for one in setting.source.columns if one.association is not None]
    if not found:
        why = Sentence("The table has no other column that the protected one could go together with.")
        return CORRELATION.missing(why), COVARIANCE.missing(why)
    how = Sentence("(Pearson's r of numbers, Cramér's V of categories, the correlation ratio of one of each)")
    strongest = Sentence(
        "The strongest association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    squared = Sentence(
        "The largest squared association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    return (
        CORRELATION.evidence(setting.form, max(found), strongest),
        COVARIANCE.evidence(setting.form, max(found) ** 2, squared),
    )


FAMILY = Family((CORRELATION, COVARIANCE), expected)
