"""Leaves 26 and 27: how often something is sent, and how much."""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of
from leakgauge.sentences import Sentence

NUMBER = 8
"""Bytes of a number."""


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """The volume from the record's file where there is one, else from the letters that came out."""
    setting = protected.setting
    if protected.bytes_per_record is not None:
        return _evidence(
            setting, context, protected.bytes_per_record, None, Sentence("The bytes of the released file by row.")
        )
    if protected.form is not Form.LETTERS:
        return expected(setting, context)
    sizes, counts = _sizes(setting), protected.counts.sum(axis=0)
    shares = counts / counts.sum()
    mean = float(shares @ sizes)
    doubt = _normal(context.confidence) * float(np.sqrt((shares @ (sizes - mean) ** 2) / counts.sum()))
    return _evidence(
        setting,
        context,
        mean,
        (max(mean - doubt, 0.0), mean + doubt),
        Sentence("The mean length of the letters released."),
    )


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """The volume by the law: the mean length of a letter's text, 8 bytes a number."""
    if setting.form is Form.LETTERS:
        mean = float(setting.joint.sum(axis=0) @ _sizes(setting))
        return _evidence(setting, context, mean, None, Sentence("The mean length of the letters released, by the law."))
    if setting.form is Form.NUMBERS:
        return _evidence(setting, context, float(NUMBER), None, Sentence("Eight bytes a number."))
    volume = NUMBER * len(setting.source.numbers) / setting.source.rows
    return _evidence(setting, context, volume, None, Sentence("Eight bytes a count, by row of the table."))


def _normal(confidence: float) -> float:
    """How many standard errors an interval reaches."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _sizes(setting: Setting) -> Floats:
    assert setting.channel is not None
    return np.array([_size(letter) for letter in setting.channel.outputs], dtype=np.float64)


def _size(letter: Label) -> int:
    """The bytes of a letter's text and of what ends it."""
    return (0 if letter is None else len(text_of(letter).encode())) + 1


def _evidence(
    setting: Setting, context: Context, volume: float, between: tuple[float, float] | None, how: Sentence
) -> tuple[Evidence, ...]:
    return (
        INDICATORS["26"].evidence(
            setting.form,
            context.releases_per_period,
            Sentence("Declared: how often such a release is made."),
            standing=Standing.DECLARED,
        ),
        INDICATORS["27"].evidence(setting.form, volume, how, between=between),
    )
