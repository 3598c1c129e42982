"""Leaves 6 to 9: what the release tells of the original, and how uncertain it is in itself.

Numbers have no largest entropy, so I(O;O) is that of the numbers in bins of a quarter of their standard deviation;
the entropy of a noisy number is that at the same width. A released number counts as spread evenly over its step of the
grid, which changes nothing of what it tells and makes its differential entropy finite.
"""

from __future__ import annotations

import math

from leakgauge.assessment.evidence import Evidence, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.measures import Estimator, entropy, estimate, mutual_information
from leakgauge.measures.nearest_neighbours import differential_entropy, mutual_information_of_numbers
from leakgauge.probability import Counts, Distribution
from leakgauge.randomness import simulation

FINENESS = 4
"""Bins to a standard deviation."""


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From the rows; of a histogram, whose counts are too few, from its law."""
    if protected.form is Form.ANSWERS:
        return expected(protected.setting, context)
    if protected.form is Form.LETTERS:
        return _of_letters(protected)
    setting, seed = protected.setting, context.simulation_seed
    assert setting.noise is not None
    grid = setting.noise.span.grid
    spread = protected.outputs + (simulation(seed).random(len(protected.outputs)) - 0.5) * grid
    told = mutual_information_of_numbers(protected.inputs, spread, simulation_seed=seed)
    own = differential_entropy(spread)
    shift = -0.5 * math.log2(setting.source.variance)
    return _of_numbers(
        setting,
        (max(told.value, 0.0), max(told.low, 0.0), max(told.high, 0.0)),
        (own.value + shift, own.low + shift, own.high + shift),
        "nearest neighbours among the rows",
    )


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """From the law."""
    form, whole = setting.form, entropy_of(setting)
    if form is Form.LETTERS:
        told, letters = mutual_information(setting.scenario), len(setting.prior)
        assert setting.channel is not None
        how, release = "by the law", Distribution(setting.channel.outputs, setting.joint.sum(axis=0))
        return (
            INDICATORS["6"].evidence(form, told, f"I(O;N), {how}.", top=whole, null=0.0, raw=whole),
            INDICATORS["7"].evidence(form, told / whole, f"I(O;N)/H(O), {how}.", null=0.0, raw=1.0),
            INDICATORS["8"].evidence(
                form, entropy(release), f"H(N), {how}.", top=math.log2(letters), null=math.log2(letters), raw=whole
            ),
            missing("9", "Letters have no differential entropy."),
        )
    law = setting.mixture
    # Groups stand for the numbers, so that what they tell is at most what they are.
    told = min(law.mutual_information(), whole)
    own = law.differential_entropy() - 0.5 * math.log2(setting.source.variance)
    return _of_numbers(setting, (told, told, told), (own, own, own), "the law")


def entropy_of(setting: Setting) -> float:
    """H(O) in bits; of numbers in bins of a quarter of their standard deviation."""
    if setting.form is Form.LETTERS:
        return entropy(setting.prior)
    return setting.source.entropy(math.sqrt(setting.source.variance) / FINENESS)


def _of_letters(protected: Protected) -> tuple[Evidence, ...]:
    setting, form = protected.setting, Form.LETTERS
    channel, whole = setting.channel, entropy_of(setting)
    assert channel is not None
    letters = math.log2(len(channel.inputs))
    names = {"original": range(len(channel.inputs)), "released": range(len(channel.outputs))}
    counts = Counts(names, protected.counts)
    told = estimate(mutual_information, counts, ["original"], ["released"], estimator=Estimator.MILLER_MADOW)
    low, value, high = (min(max(one, 0.0), whole) for one in (told.low, told.value, told.high))
    own = estimate(entropy, counts.keep("released"), ["released"], estimator=Estimator.MILLER_MADOW)
    how = "from the counts of rows, without the bias of Miller and Madow"
    return (
        INDICATORS["6"].evidence(form, value, f"I(O;N), {how}.", between=(low, high), top=whole, null=0.0, raw=whole),
        INDICATORS["7"].evidence(
            form, value / whole, f"I(O;N)/H(O), {how}.", between=(low / whole, high / whole), null=0.0, raw=1.0
        ),
        INDICATORS["8"].evidence(
            form, own.value, f"H(N), {how}.", between=(own.low, own.high), top=letters, null=letters, raw=whole
        ),
        missing("9", "Letters have no differential entropy."),
    )


def _of_numbers(
    setting: Setting, told: tuple[float, float, float], own: tuple[float, float, float], how: str
) -> tuple[Evidence, ...]:
    form, whole = setting.form, entropy_of(setting)
    value, low, high = (min(one, whole) for one in told)
    # A count is a whole number by itself; other numbers are cut into bins.
    finer = math.log2(FINENESS) if form is Form.NUMBERS else 0.5 * math.log2(setting.source.variance)
    binned = [max(one + finer, 0.0) for one in own]
    return (
        INDICATORS["6"].evidence(
            form, value, f"I(O;N), by {how}.", between=(low, high), top=whole, null=0.0, raw=whole
        ),
        INDICATORS["7"].evidence(
            form, value / whole, f"I(O;N)/H(O), by {how}.", between=(low / whole, high / whole), null=0.0, raw=1.0
        ),
        INDICATORS["8"].evidence(
            form,
            binned[0],
            f"H(N) in bins of a quarter of the data's standard deviation, by {how}."
            if form is Form.NUMBERS
            else f"H(N) of the count of a bin drawn evenly, by {how}.",
            between=(binned[1], binned[2]),
            raw=whole,
        ),
        INDICATORS["9"].evidence(form, own[0], f"h(N), by {how}.", between=(own[1], own[2])),
    )
