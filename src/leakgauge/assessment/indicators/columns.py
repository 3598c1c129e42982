"""Leaves 16 and 18: how closely the data's columns go together; facts of the data."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Evidence, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS
from leakgauge.sentences import Sentence


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The same whatever is released."""
    return expected(protected.setting, context)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """The strongest association with another column, and its square: the variance that is shared.

    The mean over the columns would fall with every column that has nothing to do with the data.
    """
    found = [one.association for one in setting.source.columns if one.association is not None]
    if not found:
        why = Sentence("The table has no other column that the protected one could go together with.")
        return missing("16", why), missing("18", why)
    how = Sentence("(Pearson's r of numbers, Cramér's V of categories, the correlation ratio of one of each)")
    strongest = Sentence(
        "The strongest association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    squared = Sentence(
        "The largest squared association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    return (
        INDICATORS["16"].evidence(setting.form, max(found), strongest),
        INDICATORS["18"].evidence(setting.form, max(found) ** 2, squared),
    )
