"""The variance and the kurtosis of the noise, exact from its law."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Evidence, Scale
from leakgauge.assessment.indicators.family import Context, Family
from leakgauge.assessment.indicators.indicator import SPREAD, Indicator, UpTo, of_numbers
from leakgauge.assessment.indicators.setting import LetterSetting, Setting
from leakgauge.sentences import Sentence

VARIANCE = Indicator(
    "noise-variance",
    28,
    "variance of the noise",
    "variances of the data",
    of_numbers(SPREAD, UpTo("its value for outputs drawn evenly", Sentence("no noise, and nothing but noise"))),
)
KURTOSIS = Indicator(
    "noise-kurtosis",
    29,
    "kurtosis of the noise",
    "excess kurtosis",
    of_numbers(Scale(-1.2, 6.0, reason=Sentence("uniform noise, and tails as heavy as the exponential law's"))),
)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Noise of numbers over the data's variance; of letters what chance there is in them over 1 − Σp²."""
    if isinstance(setting, LetterSetting):
        p, matrix = setting.prior.probabilities, setting.matrix
        own = 1 - float((setting.of_secrets(p) ** 2).sum())
        chance = max(1 - float(p @ (matrix**2).sum(axis=1)), 0.0)
        how = Sentence("The mean of 1 − Σq(y|x)² over 1 − Σp², exact from the channel.")
        even = (1 - 1 / matrix.shape[1]) / own
        return (
            VARIANCE.evidence(setting.form, chance / own, how, top=even, null=even, raw=0.0),
            KURTOSIS.missing(Sentence("The noise of letters has no kurtosis.")),
        )
    share = setting.noise_variance / setting.variance
    how = Sentence("The variance of the noise over that of the data, exact from the law.")
    tails = Sentence("The excess kurtosis of the noise, exact from the law.")
    return (
        VARIANCE.evidence(setting.form, share, how, raw=0.0),
        KURTOSIS.evidence(setting.form, setting.noise.law.excess_kurtosis, tails),
    )


FAMILY = Family((VARIANCE, KURTOSIS), expected)
