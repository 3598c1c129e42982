"""What the data and the mechanism are like by themselves, whatever is drawn: columns, ways of use, noise."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment.indicators.indicator import SHARE, SPREAD, Context, Family, Form, Indicator, UpTo
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.setting import LetterSetting, NumberSetting, Setting
from leakgauge.assessment.indicators.source import NUMERIC, Source
from leakgauge.mechanisms.mechanism import Capabilities
from leakgauge.release.bound import LARGEST_ALPHABET
from leakgauge.sentences import Sentence

CORRELATION = Indicator("column-correlation", 16, "correlation of the data's columns", "association", SHARE)
COVARIANCE = Indicator("column-covariance", 18, "covariance of the data's columns", "share of the variance", SHARE)
SCENARIOS = Indicator("scenarios-supported", 20, "fit to scenarios", "share of three ways of use", SHARE)
DISTRIBUTIONS = Indicator("distributions-supported", 21, "distributions supported", "share of the rows", SHARE)
SIZES = Indicator("sizes-supported", 22, "sizes supported", "share of the table's columns", SHARE)
TYPES = Indicator("types-supported", 23, "types supported", "share of the table's columns", SHARE)
VARIANCE = Indicator(
    "noise-variance",
    28,
    "variance of the noise",
    "variances of the data",
    {
        Form.LETTERS: UpTo("its value for outputs drawn evenly", Sentence("no noise, and nothing but noise")),
        Form.NUMBERS: SPREAD,
    },
)
KURTOSIS = Indicator(
    "noise-kurtosis",
    29,
    "kurtosis of the noise",
    "excess kurtosis",
    {Form.NUMBERS: Scale(-1.2, 6.0, reason=Sentence("uniform noise, and tails as heavy as the exponential law's"))},
)


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """The same whatever is drawn."""
    setting = protected.setting
    return (*of_columns(setting.form, setting.source), *_of_use(setting), *_of_noise(setting))


FAMILY = Family((CORRELATION, COVARIANCE, SCENARIOS, DISTRIBUTIONS, SIZES, TYPES, VARIANCE, KURTOSIS), measured)


def of_columns(form: Form, source: Source) -> tuple[Evidence, ...]:
    """The strongest association with another column, and its square: the variance that is shared."""
    # The mean over the columns would fall with every column that has nothing to do with the data.
    found = [one.association for one in source.columns if one.association is not None]
    if not found:
        why = Sentence("The table has no other column to associate the protected one with.")
        return CORRELATION.missing(why), COVARIANCE.missing(why)
    how = Sentence("(Pearson's r for numbers, Cramér's V for categories, the correlation ratio for one of each)")
    strongest = Sentence(
        "The strongest association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    squared = Sentence(
        "The largest squared association with one of {count:d} other columns {how}.", count=len(found), how=how
    )
    return (CORRELATION.evidence(form, max(found), strongest), COVARIANCE.evidence(form, max(found) ** 2, squared))


def _of_use(setting: Setting) -> tuple[Evidence, ...]:
    """Shares of ways of use, of rows and of columns."""
    form, able, columns = setting.form, setting.mechanism.capabilities, setting.source.columns
    if setting.mechanism.noise is not None:
        # Noise is for columns with bounds and for answers with a sensitivity alike.
        able = Capabilities(NUMERIC, True, able.finite)
    bounded = form is not Form.NUMBERS
    sizes = [not bounded or one.distinct <= LARGEST_ALPHABET for one in columns]
    ways = (bool(able.columns), able.answers, able.finite)
    of_ways = Sentence("How many of three ways of use are declared: rows, answers, a finite channel.")
    of_rows = Sentence("The share of the rows that the mechanism takes as they are.")
    of_sizes = (
        Sentence("The share of the columns with at most {most:,d} different values.", most=LARGEST_ALPHABET)
        if bounded
        else Sentence("Numbers may have any number of different values.")
    )
    of_kinds = Sentence("The share of the columns that are of a kind the mechanism takes.")
    taken = sum(one.kind in able.columns for one in columns)
    return (
        SCENARIOS.evidence(form, sum(ways) / len(ways), of_ways, standing=Standing.DECLARED),
        DISTRIBUTIONS.evidence(form, _taken(setting), of_rows),
        SIZES.evidence(form, sum(sizes) / len(sizes), of_sizes),
        TYPES.evidence(form, taken / len(columns), of_kinds),
    )


def _taken(setting: Setting) -> float:
    """The share of numbers that are neither missing nor clamped; letters are all taken."""
    if not isinstance(setting, NumberSetting):
        return 1.0
    span, numbers = setting.noise.span, setting.source.numbers
    # Half a step beyond a bound is rounded to it like everywhere on the grid.
    low, high = ((end + more) * span.grid for end, more in zip(span.bounds, (-0.5, 0.5), strict=True))
    return float(np.mean((numbers >= low) & (numbers <= high)))


def _of_noise(setting: Setting) -> tuple[Evidence, ...]:
    """Noise of numbers over the data's variance; of letters what chance there is in them over 1 − Σp²."""
    if isinstance(setting, LetterSetting):
        p, matrix = setting.prior.probabilities, setting.channel.matrix
        own = 1 - float((setting.of_secrets(p) ** 2).sum())
        chance = max(1 - float(p @ (matrix**2).sum(axis=1)), 0.0)
        how = Sentence("The mean of 1 − Σq(y|x)² over 1 − Σp², exact from the channel.")
        even = (1 - 1 / matrix.shape[1]) / own
        return (
            VARIANCE.evidence(setting.form, chance / own, how, top=even, null=even, raw=0.0),
            KURTOSIS.missing(Sentence("The noise of categories has no kurtosis.")),
        )
    share = setting.noise_variance / setting.variance
    how = Sentence("The variance of the noise over that of the data, exact from the law.")
    tails = Sentence("The excess kurtosis of the noise, exact from the law.")
    return (
        VARIANCE.evidence(setting.form, share, how, raw=0.0),
        KURTOSIS.evidence(setting.form, setting.noise.added.excess_kurtosis, tails),
    )
