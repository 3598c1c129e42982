"""Leaves 28 and 29: the variance and the kurtosis of the noise, exact from its law."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Evidence, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.sentences import Sentence


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The law is known, so that nothing has to be estimated."""
    return expected(protected.setting, context)


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """Noise of numbers over the data's variance; of letters what chance there is in them over 1 − Σp²."""
    form = setting.form
    if form is Form.LETTERS:
        p, matrix = setting.prior.probabilities, setting.matrix
        own = 1 - float((setting.of_secrets(p) ** 2).sum())
        chance = max(1 - float(p @ (matrix**2).sum(axis=1)), 0.0)
        return (
            INDICATORS["28"].evidence(
                form,
                chance / own,
                Sentence("The mean of 1 − Σq(y|x)² over 1 − Σp², exact from the channel."),
                top=(1 - 1 / matrix.shape[1]) / own,
                null=(1 - 1 / matrix.shape[1]) / own,
                raw=0.0,
            ),
            missing("29", Sentence("The noise of letters has no kurtosis.")),
        )
    assert setting.noise is not None
    return (
        INDICATORS["28"].evidence(
            form,
            setting.noise_variance / setting.variance,
            Sentence("The variance of the noise over that of the data, exact from the law."),
            raw=0.0,
        ),
        INDICATORS["29"].evidence(
            form, setting.noise.law.excess_kurtosis, Sentence("The excess kurtosis of the noise, exact from the law.")
        ),
    )
