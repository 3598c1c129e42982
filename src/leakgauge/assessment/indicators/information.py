"""What the release reveals about the original, and its own entropy.

Numbers have no largest entropy, so I(O;O) is that of the numbers in bins of a quarter of their standard deviation;
the entropy of a noisy number is that at the same width. What numbers tell may be more than that: I(O;N) is not cut, its
place on the scale and its share of I(O;O) are. A released number counts as spread evenly over its step of the grid,
which changes nothing of what it tells and makes its differential entropy finite.

What is public is no secret: where a mechanism reads public columns, O is the others, and everything is given those.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Scale
from leakgauge.assessment.indicators.indicator import SHARE, Context, Family, Form, Indicator, UpTo
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.assessment.indicators.setting import LetterSetting, NumberSetting, Setting
from leakgauge.measures import Estimator, conditional_mutual_information, entropy, estimate, mutual_information
from leakgauge.measures.nearest_neighbours import differential_entropy, mutual_information_of_numbers
from leakgauge.probability import Counts, Estimate
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

FINENESS = 4
"""Bins to a standard deviation."""

_NOTHING = 1e-12
"""Bits that are rounding errors."""

Ends = tuple[float, float, float]
"""A value, and the lower and the upper end of its interval."""


INFORMATION = Indicator(
    "mutual-information", 6, "mutual information I(O;N)", "bits", UpTo("H(O)", Sentence("nothing, and all of it"))
)
SHARE_TOLD = Indicator("relative-information", 7, "relative mutual information I(O;N)/I(O;O)", "share", SHARE)
ENTROPY = Indicator(
    "release-entropy",
    8,
    "entropy of the release",
    "bits",
    {
        Form.LETTERS: UpTo("log₂ of the outputs", Sentence("one output, and all outputs alike")),
        Form.NUMBERS: Scale(0.0, 14.0, reason=Sentence("one value, and noise of about a thousand standard deviations")),
    },
)
DENSITY = Indicator(
    "differential-entropy",
    9,
    "differential entropy of the release",
    "bits, the data's standard deviation being 1",
    {Form.NUMBERS: Scale(0.0, 12.0, reason=Sentence("spread over one standard deviation, and over about 4,000"))},
)


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """From the rows."""
    setting, seed, confidence = protected.setting, context.simulation_seed, context.confidence
    if isinstance(setting, LetterSetting):
        return _measured_letters(setting, setting.counts(protected.inputs, protected.outputs), confidence)
    grid = setting.noise.span.grid
    spread = protected.outputs + (simulation(seed).random(len(protected.outputs)) - 0.5) * grid
    told = mutual_information_of_numbers(protected.inputs, spread, confidence=confidence, simulation_seed=seed)
    value, low, high = _ends(differential_entropy(spread, confidence=confidence))
    shift = 0.5 * math.log2(setting.variance)
    own = (value - shift, low - shift, high - shift)
    return _of_numbers(setting, _ends(told), own, Sentence("by nearest neighbours among the rows"))


FAMILY = Family((INFORMATION, SHARE_TOLD, ENTROPY, DENSITY), measured)


def _ends(found: Estimate) -> Ends:
    return found.value, found.low, found.high


def entropy_of(setting: Setting) -> float:
    """H(O) in bits, given what is public; of numbers in bins of a quarter of their standard deviation."""
    if isinstance(setting, LetterSetting):
        public = np.bincount(setting.known, weights=setting.prior.probabilities)
        return entropy(setting.prior) - _entropy_of_shares(np.asarray(public, dtype=np.float64))
    width = math.sqrt(setting.variance) / FINENESS
    bins = np.unique(np.floor(setting.numbers / width), return_counts=True)[1]
    return _entropy_of_shares(bins / bins.sum())


def _entropy_of_shares(shares: Floats) -> float:
    seen = shares[shares > 0]
    return float(-(seen * np.log2(seen)).sum())


def _measured_letters(setting: LetterSetting, cells: Codes, confidence: float) -> tuple[Evidence, ...]:
    names, known = ["original", "released"], []
    if setting.source.public:
        # How often each secret letter, what is public of it, and each output occur together.
        names, known = ["original", "public", "released"], ["public"]
        letters, at = setting.letters
        together = np.zeros((len(letters), int(setting.known.max()) + 1, cells.shape[1]), dtype=np.int64)
        np.add.at(together, (at, setting.known), cells)
        cells = together
    counts = Counts({name: range(size) for name, size in zip(names, cells.shape, strict=True)}, cells)
    unbiased = partial(estimate, estimator=Estimator.MILLER_MADOW, confidence=confidence)
    measure = conditional_mutual_information if known else mutual_information
    told = unbiased(measure, counts, ["original"], ["released"], known)
    own = unbiased(entropy, counts.keep("released"), ["released"])
    how = Sentence("from row counts, with the Miller–Madow bias correction")
    return _of_letters(setting, _ends(told), _ends(own), how)


def _of_letters(setting: LetterSetting, told: Ends, own: Ends, how: Sentence) -> tuple[Evidence, ...]:
    # The entropy of a release that is spread evenly; of one output alone it is 0, which makes no scale.
    even = math.log2(max(setting.channel.matrix.shape[1], 2))
    raw = _entropy_of_shares(setting.of_secrets(setting.prior.probabilities))
    given = Sentence("given what is public, {how}", how=how) if setting.source.public else how
    said = Sentence("H(N), {how}.", how=how)
    return (
        *_information(setting, told, given),
        ENTROPY.evidence(setting.form, own[0], said, between=own[1:], top=even, null=even, raw=raw),
        DENSITY.missing(Sentence("Categories have no differential entropy.")),
    )


def _information(setting: Setting, told: Ends, how: Sentence) -> tuple[Evidence, Evidence]:
    whole = entropy_of(setting)
    if whole < _NOTHING:
        why = Sentence("The public columns leave nothing to reveal.")
        return INFORMATION.missing(why), SHARE_TOLD.missing(why)
    value, low, high = (max(one, 0.0) for one in told)
    share, least, most = (min(one / whole, 1.0) for one in (value, low, high))
    bits, part = Sentence("I(O;N), {how}.", how=how), Sentence("I(O;N)/H(O), {how}.", how=how)
    return (
        INFORMATION.evidence(setting.form, value, bits, between=(low, high), top=whole, null=0.0, raw=whole),
        SHARE_TOLD.evidence(setting.form, share, part, between=(least, most), null=0.0, raw=1.0),
    )


def _of_numbers(setting: NumberSetting, told: Ends, own: Ends, how: Sentence) -> tuple[Evidence, ...]:
    said = Sentence("H(N) in bins of a quarter of the data's standard deviation, {how}.", how=how)
    value, low, high = (max(one + math.log2(FINENESS), 0.0) for one in own)
    return (
        *_information(setting, told, how),
        ENTROPY.evidence(setting.form, value, said, between=(low, high), raw=entropy_of(setting)),
        DENSITY.evidence(setting.form, own[0], Sentence("h(N), {how}.", how=how), between=own[1:]),
    )
