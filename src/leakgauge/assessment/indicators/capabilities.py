"""What the mechanism can be run on, against this table."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.indicators.family import Context, Family
from leakgauge.assessment.indicators.indicator import SHARE, Form, Indicator
from leakgauge.assessment.indicators.setting import NumberSetting, Setting
from leakgauge.assessment.indicators.source import NUMERIC
from leakgauge.mechanisms import Capabilities
from leakgauge.mechanisms.finite import COUNTABLE
from leakgauge.release.bound import LARGEST_ALPHABET
from leakgauge.sentences import Sentence

SCENARIOS = Indicator("scenarios-supported", 20, "fit to scenarios", "share of three ways of use", SHARE)
DISTRIBUTIONS = Indicator("distributions-supported", 21, "distributions supported", "share of the rows", SHARE)
SIZES = Indicator("sizes-supported", 22, "sizes supported", "share of the table's columns", SHARE)
TYPES = Indicator("types-supported", 23, "types supported", "share of the table's columns", SHARE)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Shares of ways of use, of rows and of columns, whatever is drawn."""
    form, able = setting.form, _abilities(setting)
    columns = setting.source.columns
    # A histogram counts values of any countable kind; its bins are letters.
    kinds = COUNTABLE if form is Form.ANSWERS else able.columns
    bounded = form is not Form.NUMBERS
    sizes = [not bounded or one.distinct <= LARGEST_ALPHABET for one in columns]
    ways = (bool(able.columns), able.answers, able.finite)
    of_ways = Sentence("Of three ways of use those that are declared: rows, answers, a finite channel.")
    of_rows = Sentence("The share of the rows that the mechanism takes as they are.")
    of_sizes = (
        Sentence("The share of the columns with at most {most:d} different values.", most=LARGEST_ALPHABET)
        if bounded
        else Sentence("Numbers may have as many different values as they like.")
    )
    of_kinds = Sentence("The share of the columns that are of a kind the mechanism takes.")
    taken = sum(one.kind in kinds for one in columns)
    return (
        SCENARIOS.evidence(form, sum(ways) / len(ways), of_ways, standing=Standing.DECLARED),
        DISTRIBUTIONS.evidence(form, _taken(setting), of_rows),
        SIZES.evidence(form, sum(sizes) / len(sizes), of_sizes),
        TYPES.evidence(form, taken / len(columns), of_kinds),
    )


FAMILY = Family((SCENARIOS, DISTRIBUTIONS, SIZES, TYPES), expected)


def _abilities(setting: Setting) -> Capabilities:
    """What is declared; noise is for columns with bounds and for answers with a sensitivity alike."""
    declared = setting.mechanism.capabilities
    if setting.mechanism.noise is not None:
        return Capabilities(NUMERIC, True, declared.finite)
    return declared


def _taken(setting: Setting) -> float:
    """Numbers that are neither missing nor clamped; letters and counts are all taken."""
    if not isinstance(setting, NumberSetting):
        return 1.0
    span = setting.noise.span
    assert span.lowest is not None and span.highest is not None
    numbers = setting.source.numbers
    # Half a step beyond a bound is rounded to it like everywhere on the grid.
    low, high = ((end + more) * span.grid for end, more in ((span.lowest, -0.5), (span.highest, 0.5)))
    return float(np.mean((numbers >= low) & (numbers <= high)))
