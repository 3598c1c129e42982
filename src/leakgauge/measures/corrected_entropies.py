"""Entropies of a population from few observations: estimators of the literature, in nats.

Each takes how often each value was seen. None errs least everywhere: ``tests/measures/test_corrected_entropies.py``
measures the bias of each beside ours.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from leakgauge.probability.cells import Codes, Floats

_NODES = 600
"""Points at which the integral over concentrations is evaluated; doubling them moves it by less than 1e-9."""


def chao_shen(counts: Codes, size: int) -> float:
    """Seen values weighted by how likely they were to be seen, their shares lessened by what the unseen have.

    Reference: Chao and Shen, Nonparametric estimation of Shannon's index of diversity when there are unseen species in
    sample, Environmental and Ecological Statistics 10, 2003.
    """
    n, seen = int(counts.sum()), counts[counts > 0]
    once = int((seen == 1).sum())
    # If every value was seen once, nothing would be left to share out.
    covered = 1 - min(once, n - 1) / n
    shares = covered * seen / n
    with np.errstate(divide="ignore"):
        inclusion = -np.expm1(n * np.log1p(-np.minimum(shares, 1.0)))
    return float(-(shares * np.log(shares) / inclusion).sum())


def grassberger(counts: Codes, size: int) -> float:
    """ln n − Σ N G(N) / n, whose bias falls exponentially with the number of observations a value.

    Reference: Grassberger, Entropy estimates from insufficient samplings, arXiv physics/0307138, 2003.
    """
    from scipy.special import digamma

    seen = counts[counts > 0].astype(np.float64)
    n = seen.sum()
    sign = np.where(seen % 2 == 0, 1.0, -1.0)
    g = digamma(seen) + sign / 2 * (digamma((seen + 1) / 2) - digamma(seen / 2))
    return float(math.log(n) - (seen * g).sum() / n)


def nemenman_shafee_bialek(counts: Codes, size: int) -> float:
    """The mean over all laws on so many values, by a prior of Dirichlet laws that is flat in the entropy they expect.

    Reference: Nemenman, Shafee and Bialek, Entropy and inference, revisited, Advances in Neural Information Processing
    Systems 14, 2002.
    """
    from scipy.special import digamma, gammaln

    if size == 1:
        return 0.0
    times, values = np.unique(counts[counts > 0], return_counts=True)
    n, unseen = int(counts.sum()), size - int(values.sum())
    betas, flat = _concentrations(size)
    # The evidence for each concentration, up to a constant.
    evidence = gammaln(size * betas) - gammaln(n + size * betas)
    # The mean entropy given each concentration: of seen values by how often they were seen, then of the others.
    total = n + size * betas
    mean = digamma(total + 1) - unseen * betas / total * digamma(betas + 1)
    for time, many in zip(times.tolist(), values.tolist(), strict=True):
        evidence += many * (gammaln(time + betas) - gammaln(betas))
        mean -= many * (time + betas) / total * digamma(time + betas + 1)
    weights = np.exp(evidence - evidence.max()) * flat
    return float((weights * mean).sum() / weights.sum())


@lru_cache(maxsize=64)
def _concentrations(size: int) -> tuple[Floats, Floats]:
    """Concentrations of Dirichlet laws, and the weight of each: that of the entropies between it and its neighbours."""
    from scipy.special import polygamma

    # Even steps of ln β are exact for what falls off at both ends; beyond these the entropy expected is within 1e-9 of
    # 0 or of its largest.
    betas = np.exp(np.linspace(-21 - math.log(size), 21.0, _NODES))
    slope = size * polygamma(1, size * betas + 1) - polygamma(1, betas + 1)
    return betas, np.asarray(np.maximum(slope, 0.0) * betas)
