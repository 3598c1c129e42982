"""Information measures of a population, estimated from a sample of it, with a confidence interval.

Counts are a sample: at the observed frequencies, mutual information comes out too large by about
(|X|−1)(|Y|−1)/(2n) nats and entropy too small. The interval allows for that bias, whichever point estimate is
asked for; its measured coverage is in ``tests/measures/test_coverage.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import product

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import LabelError, OptionError
from leakgauge.measures.bias import GroupingShares
from leakgauge.measures.bootstrap import CountedCells, bootstrap
from leakgauge.measures.corrected_entropies import chao_shen, grassberger, nemenman_shafee_bialek
from leakgauge.measures.countability import is_countable
from leakgauge.measures.information import Unit
from leakgauge.measures.intervals import intervals
from leakgauge.measures.terms import FORMULAS, AxisRoles, Layout, Measure, gather, require_one_role
from leakgauge.probability import Channel, Counts, Estimate, Scenario
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.scenario import Weights

_LARGEST = 1 << 22


class Estimator(Enum):
    """The method of the point estimate.

    ``PLUG_IN`` takes observed frequencies for probabilities. ``MILLER_MADOW`` adds to each entropy (seen − 1)/(2n)
    nats (Miller 1955). ``SHRINKAGE`` draws the frequencies towards the uniform law by the amount that minimises the
    expected squared error (Hausser and Strimmer 2009); of these three it errs least where n is below the cells.
    ``CHAO_SHEN`` (2003), ``GRASSBERGER`` (2003) and ``NSB`` (Nemenman, Shafee and Bialek 2002) estimate each entropy
    of a measure by itself, for counts without weights and without a known channel.
    """

    PLUG_IN = "plug-in"
    MILLER_MADOW = "miller-madow"
    SHRINKAGE = "shrinkage"
    CHAO_SHEN = "chao-shen"
    GRASSBERGER = "grassberger"
    NSB = "nsb"


_OF_COUNTS: Mapping[Estimator, Callable[[Codes, int], float]] = {
    Estimator.CHAO_SHEN: chao_shen,
    Estimator.GRASSBERGER: grassberger,
    Estimator.NSB: nemenman_shafee_bialek,
}
"""Estimators of one entropy from how often each of so many values was seen."""


@checked
def estimate(
    measure: Measure,
    counts: Counts,
    secret: Sequence[str],
    release: Sequence[str] = (),
    background: Sequence[str] = (),
    *,
    channel: Channel | None = None,
    weights: Weights | None = None,
    estimator: Estimator = Estimator.PLUG_IN,
    confidence: float = 0.95,
    unit: Unit = Unit.BITS,
    simulation_seed: int = 0,
) -> Estimate:
    """A measure of the population the counts were drawn from, with its interval, in bits (or its own unit).

    Args:
        measure: a function of a scenario, such as ``mutual_information``. Shannon's are treated analytically, any
            other by redrawing the counts.
        channel: a known channel to the release, instead of release axes: it has no sampling error. It reads the secret,
            or every pair of a secret and a background.
        estimator: how the point estimate is made; the interval does not depend on it and is widened to hold it.
        unit: of Shannon's measures; others keep their own.
        simulation_seed: what the redraws start from.

    Returns:
        The estimate; ``reliable`` is False where there are fewer than 5 observations a cell of the alphabets the
        measure involves. The interval is then still the best there is, but its coverage is not promised.

    Raises:
        OptionError: the confidence is not between 0 and 1, both a channel and release axes are given, or the
            estimator does not suit the measure.
        LabelError: an axis is unknown or plays two roles, or alphabets do not match.

    Example:
        >>> from leakgauge.measures.shannon import entropy
        >>> counts = Counts({"illness": ["flu", "none"]}, [30, 70])
        >>> print(estimate(entropy, counts, ["illness"]))
        0.8813 [0.7449, 0.9731]
    """
    (found,) = estimates(
        [measure],
        counts,
        AxisRoles(tuple(secret), tuple(release), tuple(background), channel),
        weights=weights,
        estimators=[estimator],
        confidence=confidence,
        unit=unit,
        simulation_seed=simulation_seed,
    )
    return found[estimator]


def estimates(
    measures: Sequence[Measure],
    counts: Counts,
    roles: AxisRoles,
    *,
    weights: Weights | None = None,
    estimators: Sequence[Estimator] = (Estimator.PLUG_IN,),
    confidence: float = 0.95,
    unit: Unit = Unit.BITS,
    simulation_seed: int = 0,
) -> list[dict[Estimator, Estimate]]:
    """What ``estimate`` finds of each measure by each estimator; each interval is made once, all from the same redraws.

    It raises what ``estimate`` does.
    """
    roles = _require_sound(counts, roles, confidence)
    scenario = _observed(counts, roles, weights)
    redrawn = [measure for measure in measures if measure not in FORMULAS]
    of_entropies = [one for one in estimators if one is Estimator.MILLER_MADOW or one in _OF_COUNTS]
    for measure, estimator in product(redrawn, of_entropies):
        raise OptionError(
            "The estimator {estimator!s} is for Shannon's measures, not for {name}; choose another estimator.",
            estimator=estimator.value,
            name=getattr(measure, "__name__", str(measure)),
        )
    ends = iter(bootstrap(redrawn, counts, roles, weights, confidence, simulation_seed) if redrawn else ())
    found = []
    for measure in measures:
        analytic = measure in FORMULAS
        laid = Layout(measure, counts, roles, scenario.weights) if analytic else None
        if laid is not None:
            table = laid.observed[None, :].astype(np.float64)
            low, high = (unit.of_nats(float(end[0])) for end in intervals(laid, table, confidence))
            cells = laid.cells
        else:
            low, high = next(ends)
            cells = roles.size(counts, roles.letters(measure))
        by_estimator = {}
        for estimator in estimators:
            shrunk = estimator is Estimator.SHRINKAGE
            chosen = shrunken(counts, roles, measure, scenario.weights) if shrunk else scenario
            value = float(measure(chosen, unit=unit) if analytic else measure(chosen))
            if laid is not None and estimator in of_entropies:
                added = estimator is Estimator.MILLER_MADOW
                nats = _correction(laid, table) if added else _summed(laid, estimator)
                corrected = unit.of_nats(nats) + (value if added else 0.0)
                value = min(max(corrected, unit.of_nats(laid.lowest)), unit.of_nats(laid.highest))
            # The point estimate may be biased out of the interval (the plug-in is, where cells are many): widening
            # only errs to the safe side.
            by_estimator[estimator] = Estimate(
                value, min(low, value), max(high, value), confidence, counts.n, is_countable(cells, counts.n)
            )
        found.append(by_estimator)
    return found


def _require_sound(counts: Counts, roles: AxisRoles, confidence: float) -> AxisRoles:
    """The roles, with the columns a channel reads; inconsistent ones are refused."""
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {found} is not between 0 and 1; try 0.95.", found=confidence)
    if roles.channel is not None and roles.release:
        raise OptionError(
            "The release is given twice, as {axes!s} and as a channel; leave one out.", axes=", ".join(roles.release)
        )
    names = (*roles.secret, *roles.release, *roles.background)
    if not roles.secret:
        raise OptionError("No axis is named as the secret; name at least one.")
    for name in names:
        counts.labels(name)
    require_one_role(names)
    if roles.channel is None:
        return roles
    labels = counts.merge({"secret": roles.secret}).labels("secret")
    if roles.channel.inputs == labels:
        return roles
    known = counts.merge({"background": roles.background}).labels("background") if roles.background else ()
    if roles.channel.inputs == tuple(product(labels, known)):
        return replace(roles, by_pairs=True)
    raise LabelError(
        "The channel has {inputs} inputs that are not the {labels} secrets of the counts in their order; "
        "build it on the labels of the counts.",
        inputs=len(roles.channel.inputs),
        labels=len(labels),
    )


def _observed(counts: Counts, roles: AxisRoles, weights: Weights | None) -> Scenario:
    if roles.channel is None:
        return Scenario.from_counts(counts, roles.secret, roles.release, roles.background, weights=weights)
    if roles.background:
        return Scenario(counts.joint(roles.secret, roles.background), roles.channel, weights=weights)
    return Scenario(counts.distribution(*roles.secret), roles.channel, weights=weights)


def _correction(laid: Layout, table: Floats) -> float:
    """Miller and Madow's correction in nats."""
    n = float(table.sum())
    return sum(g.sign * float(GroupingShares(g, table / n).miller_madow[0]) for g in laid.groupings) / n


def _summed(laid: Layout, estimator: Estimator) -> float:
    """The measure as the sum of its entropies in nats, each estimated by itself."""
    if not all(grouping.certain and grouping.weighted is grouping.spread for grouping in laid.groupings):
        raise OptionError(
            "The estimator {estimator!s} is for counts alone, without weights and without a known channel; choose "
            "another estimator.",
            estimator=estimator.value,
        )
    entropy = _OF_COUNTS[estimator]
    seen = laid.observed.astype(np.float64)
    return sum(g.sign * entropy(np.rint(gather(g.spread, seen)).astype(np.int64), g.size) for g in laid.groupings)


def shrunken(counts: Counts, roles: AxisRoles, measure: Measure, weights: Floats | None) -> Scenario:
    """The scenario whose probabilities are λ/cells + (1 − λ) × frequency, over the cells the measure involves.

    λ = (1 − Σ p²) / ((n − 1) Σ (1/cells − p)²), at most 1, minimises the expected squared error.

    Reference: Hausser and Strimmer, Entropy inference and the James–Stein estimator, with application to nonlinear gene
    association networks, Journal of Machine Learning Research 10, 2009.

    Raises:
        OptionError: shrinking gives every cell a probability, and there are more cells than fit.
    """
    merged = roles.merged(counts, roles.letters(measure, pair_weights=weights is not None and weights.ndim == 2))
    size = np.prod(merged.shape, dtype=float)
    if size > _LARGEST:
        raise OptionError(
            "Shrinkage fills all {cells} cells, more than {limit}; choose another estimator or merge rare labels.",
            cells=int(size),
            limit=_LARGEST,
        )
    cells = CountedCells(merged, roles.channel, weights, _LARGEST)
    p, target = cells.times / merged.n, 1 / len(cells.times)
    spread = float(((target - p) ** 2).sum())
    noise = 1 - float((p**2).sum())
    intensity = 1.0 if merged.n == 1 or noise >= (merged.n - 1) * spread else noise / ((merged.n - 1) * spread)
    return cells.scenario(intensity * target + (1 - intensity) * p)
