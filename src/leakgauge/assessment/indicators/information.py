"""Leaves 6 to 9: what the release tells of the original, and how uncertain it is in itself.

Numbers have no largest entropy, so I(O;O) is that of the numbers in bins of a quarter of their standard deviation;
the entropy of a noisy number is that at the same width. What numbers tell may be more than that: leaf 6 is not cut, its
place on the scale and leaf 7 are. A released number counts as spread evenly over its step of the grid, which changes
nothing of what it tells and makes its differential entropy finite.

What is public is no secret: where a mechanism reads public columns, O is the others, and everything is given those.
"""

from __future__ import annotations

import math

import numpy as np

from leakgauge.artefacts.evidence import Evidence, missing
from leakgauge.assessment.indicators.context import Context
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import Setting
from leakgauge.assessment.scales import INDICATORS, Form
from leakgauge.measures import Estimator, conditional_mutual_information, entropy, estimate, mutual_information
from leakgauge.measures.nearest_neighbours import differential_entropy, mutual_information_of_numbers
from leakgauge.probability import Counts, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

FINENESS = 4
"""Bins to a standard deviation."""

_NOTHING = 1e-12
"""Bits that are rounding errors."""

Ends = tuple[float, float, float]
"""A value, and the lower and the upper end of its interval."""


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From the rows; of a histogram, whose counts are too few, from its law."""
    if protected.form is Form.ANSWERS:
        return expected(protected.setting, context)
    if protected.form is Form.LETTERS:
        return _measured_letters(protected, context)
    setting, seed, confidence = protected.setting, context.simulation_seed, context.confidence
    assert setting.noise is not None
    grid = setting.noise.span.grid
    spread = protected.outputs + (simulation(seed).random(len(protected.outputs)) - 0.5) * grid
    told = mutual_information_of_numbers(protected.inputs, spread, confidence=confidence, simulation_seed=seed)
    own = differential_entropy(spread, confidence=confidence)
    shift = -0.5 * math.log2(setting.variance)
    return _of_numbers(
        setting,
        (told.value, told.low, told.high),
        (own.value + shift, own.low + shift, own.high + shift),
        Sentence("by nearest neighbours among the rows"),
    )


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """From the law."""
    if setting.form is Form.LETTERS:
        assert setting.channel is not None
        release = entropy(Distribution(setting.channel.outputs, setting.joint.sum(axis=0)))
        told = _told(setting)
        return _of_letters(setting, (told, told, told), (release, release, release), Sentence("by the law"))
    if setting.form is Form.ANSWERS:
        law = setting.mixture
        told, own = law.mutual_information(), law.differential_entropy()
    else:
        told, found = setting.summed.told, setting.summed.own
        if found is None:
            return _of_numbers(setting, (told, told, told), None, Sentence("by the law"))
        own = found
    own -= 0.5 * math.log2(setting.variance)
    return _of_numbers(setting, (told, told, told), (own, own, own), Sentence("by the law"))


def entropy_of(setting: Setting) -> float:
    """H(O) in bits, given what is public; of numbers in bins of a quarter of their standard deviation."""
    if setting.form is Form.LETTERS:
        public = np.bincount(setting.known, weights=setting.prior.probabilities)
        return entropy(setting.prior) - _entropy(np.asarray(public, dtype=np.float64))
    if setting.form is Form.ANSWERS:
        return _entropy(setting.groups[1])
    width = math.sqrt(setting.variance) / FINENESS
    bins = np.unique(np.floor(setting.numbers / width), return_counts=True)[1]
    return _entropy(bins / bins.sum())


def _entropy(shares: Floats) -> float:
    seen = shares[shares > 0]
    return float(-(seen * np.log2(seen)).sum())


def _told(setting: Setting) -> float:
    """I(O;N) of letters, given what is public: what all inputs tell less what the public ones do."""
    told = mutual_information(setting.scenario)
    if not setting.source.public:
        return told
    joint = np.zeros((int(setting.known.max()) + 1, setting.joint.shape[1]))
    np.add.at(joint, setting.known, setting.joint)
    public = _entropy(joint.sum(axis=0)) + _entropy(joint.sum(axis=1)) - _entropy(joint.ravel())
    return max(told - public, 0.0)


def _measured_letters(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    setting, confidence = protected.setting, context.confidence
    counts = _counts(protected)
    known = ["public"] if setting.source.public else []
    told = estimate(
        conditional_mutual_information if known else mutual_information,
        counts,
        ["original"],
        ["released"],
        known,
        estimator=Estimator.MILLER_MADOW,
        confidence=confidence,
    )
    own = estimate(
        entropy, counts.keep("released"), ["released"], estimator=Estimator.MILLER_MADOW, confidence=confidence
    )
    how = Sentence("from the counts of rows, without the bias of Miller and Madow")
    return _of_letters(setting, (told.value, told.low, told.high), (own.value, own.low, own.high), how)


def _counts(protected: Protected) -> Counts:
    """How often each secret letter, what is public of it, and each output occur together."""
    setting, cells = protected.setting, protected.counts
    if not setting.source.public:
        return Counts({"original": range(len(cells)), "released": range(cells.shape[1])}, cells)
    letters, at = setting.letters
    together = np.zeros((len(letters), int(setting.known.max()) + 1, cells.shape[1]), dtype=np.int64)
    np.add.at(together, (at, setting.known), cells)
    names = ("original", "public", "released")
    return Counts({name: range(size) for name, size in zip(names, together.shape, strict=True)}, together)


def _of_letters(setting: Setting, told: Ends, own: Ends, how: Sentence) -> tuple[Evidence, ...]:
    form, whole = Form.LETTERS, entropy_of(setting)
    # The entropy of a release that is spread evenly; of one output alone it is 0, which makes no scale.
    even = math.log2(max(setting.matrix.shape[1], 2))
    raw = _entropy(setting.of_secrets(setting.prior.probabilities))
    given = Sentence("given what is public, {how}", how=how) if setting.source.public else how
    return (
        *_information(form, whole, told, given),
        INDICATORS["8"].evidence(
            form, own[0], Sentence("H(N), {how}.", how=how), between=own[1:], top=even, null=even, raw=raw
        ),
        missing("9", Sentence("Letters have no differential entropy.")),
    )


def _information(form: Form, whole: float, told: Ends, how: Sentence) -> tuple[Evidence, Evidence]:
    if whole < _NOTHING:
        why = Sentence("What is public leaves nothing to tell.")
        return missing("6", why), missing("7", why)
    value, low, high = (max(one, 0.0) for one in told)
    share, least, most = (min(one / whole, 1.0) for one in (value, low, high))
    return (
        INDICATORS["6"].evidence(
            form, value, Sentence("I(O;N), {how}.", how=how), between=(low, high), top=whole, null=0.0, raw=whole
        ),
        INDICATORS["7"].evidence(
            form, share, Sentence("I(O;N)/H(O), {how}.", how=how), between=(least, most), null=0.0, raw=1.0
        ),
    )


def _of_numbers(setting: Setting, told: Ends, own: Ends | None, how: Sentence) -> tuple[Evidence, ...]:
    form, whole = setting.form, entropy_of(setting)
    information = _information(form, whole, told, how)
    if own is None:
        why = Sentence(
            "The noise is finer than the gaps between the numbers, so that the rows do not tell how it spreads."
        )
        return *information, missing("8", why), missing("9", why)
    # A count is a whole number by itself; other numbers are cut into bins.
    finer = math.log2(FINENESS) if form is Form.NUMBERS else 0.5 * math.log2(setting.variance)
    value, low, high = (max(one + finer, 0.0) for one in own)
    return (
        *information,
        INDICATORS["8"].evidence(
            form,
            value,
            Sentence("H(N) in bins of a quarter of the data's standard deviation, {how}.", how=how)
            if form is Form.NUMBERS
            else Sentence("H(N) of the count of a bin drawn evenly, {how}.", how=how),
            between=(low, high),
            raw=whole,
        ),
        INDICATORS["9"].evidence(form, own[0], Sentence("h(N), {how}.", how=how), between=own[1:]),
    )
