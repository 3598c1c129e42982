"""What the release tells of the original, and how uncertain it is in itself.

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
from leakgauge.assessment.indicators.indicator import SHARE, TOLD, Context, Family, Form, Indicator, UpTo, alike
from leakgauge.assessment.indicators.noisy_numbers import entropy_of_shares
from leakgauge.assessment.indicators.protected import Protected
from leakgauge.assessment.indicators.setting import AnswerSetting, LetterSetting, NumberSetting, Setting
from leakgauge.measures import Estimator, conditional_mutual_information, entropy, estimate, mutual_information
from leakgauge.measures.nearest_neighbours import differential_entropy, mutual_information_of_numbers
from leakgauge.probability import Counts, Distribution, Estimate, Scenario
from leakgauge.probability.cells import Codes
from leakgauge.randomness import simulation
from leakgauge.sentences import Sentence

FINENESS = 4
"""Bins to a standard deviation."""

_NOTHING = 1e-12
"""Bits that are rounding errors."""

Ends = tuple[float, float, float]
"""A value, and the lower and the upper end of its interval."""


def _tells_all(share: float, of_rows: bool) -> Sentence | None:
    # What counts of many rows tell of the true counts is no secret of anyone.
    if share < TOLD or not of_rows:
        return None
    return Sentence("the release tells nearly everything: it keeps {share:.4g} of the information", share=share)


INFORMATION = Indicator(
    "mutual-information",
    6,
    "mutual information I(O;N)",
    "bits",
    alike(UpTo("H(O)", Sentence("nothing, and all of it"))),
    limit="max_leakage_bits",
    needed=Sentence("what the release tells (leaf 6)"),
)
SHARE_TOLD = Indicator(
    "relative-information", 7, "relative mutual information I(O;N)/I(O;O)", "share", SHARE, veto=_tells_all
)
ENTROPY = Indicator(
    "release-entropy",
    8,
    "entropy of the release",
    "bits",
    {
        Form.LETTERS: UpTo("log₂ of the outputs", Sentence("one output, and all outputs alike")),
        Form.NUMBERS: Scale(0.0, 14.0, reason=Sentence("one value, and noise of about a thousand standard deviations")),
        Form.ANSWERS: Scale(0.0, 20.0, reason=Sentence("one count, and a million counts alike")),
    },
)
DENSITY = Indicator(
    "differential-entropy",
    9,
    "differential entropy of the release",
    "bits, the data's standard deviation being 1",
    {
        Form.NUMBERS: Scale(0.0, 12.0, reason=Sentence("spread over one standard deviation, and over about 4,000")),
        Form.ANSWERS: Scale(-12.0, 6.0, reason=Sentence("spread over a 4,000th standard deviation, and over 64")),
    },
)


def measured(protected: Protected, context: Context) -> tuple[Evidence, ...]:
    """From the rows; of a histogram, whose counts are too few, from its law."""
    setting, seed, confidence = protected.setting, context.simulation_seed, context.confidence
    if isinstance(setting, AnswerSetting):
        return expected(setting, context)
    if isinstance(setting, LetterSetting):
        return _measured_letters(setting, setting.counts(protected.inputs, protected.outputs), confidence)
    grid = setting.noise.span.grid
    spread = protected.outputs + (simulation(seed).random(len(protected.outputs)) - 0.5) * grid
    told = mutual_information_of_numbers(protected.inputs, spread, confidence=confidence, simulation_seed=seed)
    value, low, high = _ends(differential_entropy(spread, confidence=confidence))
    shift = 0.5 * math.log2(setting.variance)
    own = (value - shift, low - shift, high - shift)
    return _of_numbers(setting, _ends(told), own, Sentence("by nearest neighbours among the rows"))


def expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    """From the law."""
    how = Sentence("by the law")
    if isinstance(setting, LetterSetting):
        release = entropy(Distribution(setting.channel.outputs, setting.joint.sum(axis=0)))
        return _of_letters(setting, (_told(setting),) * 3, (release,) * 3, how)
    told, own = (
        setting.summed
        if isinstance(setting, NumberSetting)
        else (setting.mixture.mutual_information(), setting.mixture.differential_entropy())
    )
    spread = None if own is None else (own - 0.5 * math.log2(setting.variance),) * 3
    return _of_numbers(setting, (told,) * 3, spread, how)


FAMILY = Family((INFORMATION, SHARE_TOLD, ENTROPY, DENSITY), expected, measured)


def _ends(found: Estimate) -> Ends:
    return found.value, found.low, found.high


def entropy_of(setting: Setting) -> float:
    """H(O) in bits, given what is public; of numbers in bins of a quarter of their standard deviation."""
    if isinstance(setting, LetterSetting):
        public = np.bincount(setting.known, weights=setting.prior.probabilities)
        return entropy(setting.prior) - entropy_of_shares(np.asarray(public, dtype=np.float64))
    if isinstance(setting, AnswerSetting):
        return entropy_of_shares(setting.groups[1])
    width = math.sqrt(setting.variance) / FINENESS
    bins = np.unique(np.floor(setting.numbers / width), return_counts=True)[1]
    return entropy_of_shares(bins / bins.sum())


def _told(setting: LetterSetting) -> float:
    """I(O;N) of letters, given what is public: what all inputs tell less what the public ones do."""
    told = mutual_information(Scenario(setting.prior, setting.channel))
    if not setting.source.public:
        return told
    joint = np.zeros((int(setting.known.max()) + 1, setting.joint.shape[1]))
    np.add.at(joint, setting.known, setting.joint)
    sides = entropy_of_shares(joint.sum(axis=0)) + entropy_of_shares(joint.sum(axis=1))
    return max(told - (sides - entropy_of_shares(joint.ravel())), 0.0)


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
    how = Sentence("from the counts of rows, without the bias of Miller and Madow")
    return _of_letters(setting, _ends(told), _ends(own), how)


def _of_letters(setting: LetterSetting, told: Ends, own: Ends, how: Sentence) -> tuple[Evidence, ...]:
    # The entropy of a release that is spread evenly; of one output alone it is 0, which makes no scale.
    even = math.log2(max(setting.channel.matrix.shape[1], 2))
    raw = entropy_of_shares(setting.of_secrets(setting.prior.probabilities))
    given = Sentence("given what is public, {how}", how=how) if setting.source.public else how
    said = Sentence("H(N), {how}.", how=how)
    return (
        *_information(setting, told, given),
        ENTROPY.evidence(setting.form, own[0], said, between=own[1:], top=even, null=even, raw=raw),
        DENSITY.missing(Sentence("Letters have no differential entropy.")),
    )


def _information(setting: Setting, told: Ends, how: Sentence) -> tuple[Evidence, Evidence]:
    whole = entropy_of(setting)
    if whole < _NOTHING:
        why = Sentence("What is public leaves nothing to tell.")
        return INFORMATION.missing(why), SHARE_TOLD.missing(why)
    value, low, high = (max(one, 0.0) for one in told)
    share, least, most = (min(one / whole, 1.0) for one in (value, low, high))
    bits, part = Sentence("I(O;N), {how}.", how=how), Sentence("I(O;N)/H(O), {how}.", how=how)
    return (
        INFORMATION.evidence(setting.form, value, bits, between=(low, high), top=whole, null=0.0, raw=whole),
        SHARE_TOLD.evidence(setting.form, share, part, between=(least, most), null=0.0, raw=1.0),
    )


def _of_numbers(
    setting: NumberSetting | AnswerSetting, told: Ends, own: Ends | None, how: Sentence
) -> tuple[Evidence, ...]:
    information = _information(setting, told, how)
    if own is None:
        why = Sentence(
            "The noise is finer than the gaps between the numbers, so that the rows do not tell how it spreads."
        )
        return *information, ENTROPY.missing(why), DENSITY.missing(why)
    # A count is a whole number by itself; other numbers are cut into bins.
    if isinstance(setting, NumberSetting):
        finer = math.log2(FINENESS)
        said = Sentence("H(N) in bins of a quarter of the data's standard deviation, {how}.", how=how)
    else:
        finer = 0.5 * math.log2(setting.variance)
        said = Sentence("H(N) of the count of a bin drawn evenly, {how}.", how=how)
    value, low, high = (max(one + finer, 0.0) for one in own)
    return (
        *information,
        ENTROPY.evidence(setting.form, value, said, between=(low, high), raw=entropy_of(setting)),
        DENSITY.evidence(setting.form, own[0], Sentence("h(N), {how}.", how=how), between=own[1:]),
    )
