"""How far what is released lies from the original.

Letters are vectors with a 1 at their own place, so that each measure of numbers has its counterpart: the squared error
of two letters is 0 or 2, and their total variance 1 − Σp².
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Scale
from leakgauge.assessment.indicators.indicator import SHARE, SPREAD, Context, Family, Form, Indicator, UpTo
from leakgauge.assessment.indicators.protected import ProtectedColumn, released_again
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.assessment.indicators.source import cramers_v
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Simulated, simulation
from leakgauge.sentences import Sentence

_DRAWN_EVENLY = "its value for letters drawn evenly"
ERROR = Indicator(
    "squared-error",
    10,
    "mean squared error",
    "variances of the data",
    {Form.LETTERS: UpTo(_DRAWN_EVENLY, Sentence("no error, and values independent of the data")), Form.NUMBERS: SPREAD},
)
DISTANCE = Indicator(
    "mahalanobis-distance",
    11,
    "Mahalanobis distance",
    "pooled standard deviations",
    {
        Form.LETTERS: UpTo(_DRAWN_EVENLY, Sentence("no distance, and values independent of the data")),
        Form.NUMBERS: Scale(
            0.0, math.sqrt(2), reason=Sentence("no distance, and that of an independent copy of the data")
        ),
    },
)
CORRELATION = Indicator("correlation", 12, "Pearson correlation", "correlation", SHARE)
COSINE = Indicator("cosine", 13, "cosine similarity", "cosine", SHARE)
_MEASURES = (ERROR, DISTANCE, CORRELATION, COSINE)

DRAWS = 200
"""Releases that are simulated for the interval of letters."""
FEW_DRAWS = 20
MOST_CELLS = 20_000_000
BLOCKS = 50
_FOREIGN = Sentence("The released values are not values of the column, so they have no distance to it.")


def measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    """From what went in and came out."""
    setting, seed, confidence = protected.setting, context.simulation_seed, context.confidence
    if isinstance(setting, LetterSetting):
        counts = setting.counts(protected.inputs, protected.outputs)
        n = int(counts.sum())
        found = letter_measures(setting.of_secrets(counts / n), setting.same, n)
        # Where the middle of simulated releases of the same rows lie.
        drawn = _simulated_counts(setting, counts.sum(axis=1), seed)
        simulated = [letter_measures(setting.of_secrets(one / n), setting.same, n) for one in drawn]
        shares = setting.of_secrets(setting.prior.probabilities)
        return evidence_of(setting.form, shares, found, intervals(simulated, confidence), Sentence("from the rows"))
    inputs, outputs = (np.asarray(one, dtype=np.float64) for one in (protected.inputs, protected.outputs))
    return of_numbers(inputs, outputs, confidence, Sentence("from the rows"))


FAMILY = Family(_MEASURES, measured)


def letter_measures(joint: Floats, same: Floats | None, n: float = math.inf) -> tuple[float | None, ...]:
    """Squared error over the variance, Mahalanobis distance a dimension, Cramér's V, and the histograms' cosine.

    Args:
        joint: shares of inputs (rows) and outputs (columns).
        same: 1 where an output is the input's own letter; None where outputs are no letters of the column.
        n: how many rows the shares rest on.
    """
    p, r = joint.sum(axis=1), joint.sum(axis=0)
    rows, columns = p > 0, r > 0
    used = joint[np.ix_(rows, columns)]
    squares = float((used**2 / np.outer(p[rows], r[columns])).sum())
    v = cramers_v(squares - 1, int(rows.sum()), int(columns.sum()), n)
    association = 0.0 if v is None else v
    if same is None:
        return None, None, association, None
    own = float((joint * same).sum())
    error = 2 * (1 - own) / (1 - float((p**2).sum()))
    seen = same @ r
    pooled = (p + seen) / 2
    letters = pooled > 0
    inverse = np.divide(1.0, pooled, out=np.zeros_like(pooled), where=letters)
    # (e_x − e_y)ᵀ Σ⁺ (e_x − e_y) = 1/m_x + 1/m_y for two letters, 0 for one.
    apart = joint * (1 - same)
    squared = float(apart.sum(axis=1) @ inverse + apart.sum(axis=0) @ (inverse @ same))
    distance = math.sqrt(squared / (letters.sum() - 1))
    cosine = float(p @ seen) / math.sqrt(float(p @ p) * float(seen @ seen))
    return error, distance, association, min(cosine, 1.0)


def of_numbers(x: Floats, y: Floats, confidence: float, how: Sentence) -> tuple[Evidence, ...]:
    """The four measures of numbers and what is released of them."""
    found = tuple(number_measures(number_sums(x, y)[0], float(x.mean())).tolist())
    return evidence_of(Form.NUMBERS, x, found, row_intervals(x, y, confidence), how)


def number_sums(x: Floats, y: Floats, blocks: int = 1) -> Floats:
    """Sums of 1, x, y, x², y², xy and (y − x)², about the mean of x, a row for every so manieth number."""
    centre = float(x.mean())
    x, y = x - centre, y - centre
    at = np.arange(len(x)) % blocks
    terms = (np.ones_like(x), x, y, x * x, y * y, x * y, (y - x) ** 2)
    return np.stack([np.bincount(at, weights=term, minlength=blocks) for term in terms], axis=1)


def number_measures(sums: Floats, centre: float) -> Floats:
    """Squared error over the variance, pooled distance, Pearson's r and the cosine, from sums along the last axis."""
    n, x, y, xx, yy, xy, dd = np.moveaxis(sums, -1, 0)
    x, y, xx, yy, xy, dd = (one / n for one in (x, y, xx, yy, xy, dd))
    var_x, var_y = xx - x**2, yy - y**2
    both = np.sqrt(np.maximum(var_x * var_y, 0.0))
    raw = np.sqrt((xx + 2 * centre * x + centre**2) * (yy + 2 * centre * y + centre**2))
    product = xy + centre * (x + y) + centre**2
    # What has no spread or no length goes together with nothing.
    pearson = np.divide(xy - x * y, both, out=np.zeros_like(both), where=both > 0)
    cosine = np.divide(product, raw, out=np.zeros_like(raw), where=raw > 0)
    found = (dd / var_x, np.sqrt(dd / ((var_x + var_y) / 2)), np.clip(pearson, -1, 1), np.clip(cosine, -1, 1))
    return np.stack(found, axis=-1)


def row_intervals(x: Floats, y: Floats, confidence: float) -> list[tuple[float, float]]:
    """Intervals by leaving out one of 50 blocks of rows at a time (Quenouille's jackknife)."""
    from scipy.special import stdtrit

    blocks = min(BLOCKS, len(x))
    parts, centre = number_sums(x, y, blocks), float(x.mean())
    total = parts.sum(axis=0)
    left = number_measures(total - parts, centre)
    errors = np.sqrt((blocks - 1) / blocks * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    reach = float(stdtrit(blocks - 1, (1 + confidence) / 2)) * errors
    middle = number_measures(total, centre)
    return list(zip((middle - reach).tolist(), (middle + reach).tolist(), strict=True))


def _simulated_counts(setting: LetterSetting, inputs: Codes, seed: int) -> Iterator[Codes]:
    """How often each input gives each output in releases of the same rows."""
    matrix, draws = setting.channel.matrix, simulation(seed)
    if DRAWS * matrix.size <= MOST_CELLS:
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        rows = [draws.multinomial(count, row, size=DRAWS) for count, row in zip(inputs, shares, strict=True)]
        yield from np.stack(rows, axis=1)
        return
    # With so many cells it is quicker to release the rows themselves.
    for _ in range(FEW_DRAWS):
        again = released_again(setting, Simulated(int(draws.integers(1 << 62))))
        yield setting.counts(again.inputs, again.outputs)


def intervals(found: Sequence[tuple[float | None, ...]], confidence: float) -> list[tuple[float, float]]:
    """Where the middle of simulated measures lies, of each."""
    numbers = np.array([[math.nan if value is None else value for value in one] for one in found])
    low, high = np.quantile(numbers, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def evidence_of(
    form: Form, data: Floats, found: tuple[float | None, ...], between: list[tuple[float, float]], how: Sentence
) -> tuple[Evidence, ...]:
    """The four measures as evidence; ``data`` are the shares of letters, else the numbers themselves."""
    tops: tuple[float | None, ...] = (None,) * len(_MEASURES)
    if form is Form.LETTERS:
        shares, said = data, _of_letters(how)
        # The top of each scale is the value for letters drawn evenly, whatever the original.
        even = np.outer(shares, np.full(len(shares), 1 / len(shares)))
        tops = letter_measures(even, np.eye(len(shares)))
        cosine = float(shares.sum() / math.sqrt(len(shares) * (shares @ shares)))
    else:
        square, said = float((data**2).mean()), _of_numbers(how)
        cosine = float(data.mean()) ** 2 / square if square > 0 else 0.0
    # Of an independent copy of the data; the cosine of letters is that of letters all alike.
    nulls = (2.0, math.sqrt(2), 0.0, cosine)
    evidence = []
    for at, (indicator, value) in enumerate(zip(_MEASURES, found, strict=True)):
        if value is None:
            evidence.append(indicator.missing(_FOREIGN))
            continue
        lowest, highest, raw = (0.0, math.inf, 0.0) if indicator in (ERROR, DISTANCE) else (-1.0, 1.0, 1.0)
        ends = max(between[at][0], lowest), min(between[at][1], highest)
        evidence.append(indicator.evidence(form, value, said[at], between=ends, top=tops[at], null=nulls[at], raw=raw))
    return tuple(evidence)


def _of_numbers(how: Sentence) -> tuple[Sentence, ...]:
    return (
        Sentence("The mean squared difference over the variance of the data, {how}.", how=how),
        Sentence("The root mean square of the difference over the pooled standard deviation, {how}.", how=how),
        Sentence("Pearson's correlation of original and release, {how}.", how=how),
        Sentence("The cosine of original and release, {how}.", how=how),
    )


def _of_letters(how: Sentence) -> tuple[Sentence, ...]:
    return (
        Sentence("Twice the share of changed values over 1 − Σp², {how}.", how=how),
        Sentence("The root mean square of the Mahalanobis distance of two values, per dimension, {how}.", how=how),
        Sentence("Cramér's V of original and release, {how}.", how=how),
        Sentence("The cosine of the histograms of original and release, {how}.", how=how),
    )
