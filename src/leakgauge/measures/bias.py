"""How far an entropy of observed frequencies lies below the truth, and how well that is known.

−Σ N/n (ψ(N) − ψ(n)) misses exactly Σ_i p_i Σ_{k≥n} (1 − p_i)^k / k ≈ Σ p_i E₁(n p_i) of the entropy (Zhang 2012;
the first part of Chao, Wang and Jost 2013). With f₀ values never seen, f₁ seen once and f₂ seen twice, three moments of
the rare values are known; as E₁(λ) e^λ is convex and λ E₁(λ) e^λ concave, Jensen's inequality puts what is missed
between f₁ h(2 f₂ / f₁) / n and f₁ h(f₁ / f₀) / n, where h(λ) = E₁(λ) e^λ.

All arrays here have one row per sample and one column a value.
"""

from __future__ import annotations

import numpy as np

from leakgauge.measures.information import quotient
from leakgauge.measures.terms import Grouping, gather
from leakgauge.probability.cells import Floats, log_or_zero


class GroupingShares:
    """What samples say of one grouping, from the shares of each cell.

    Attributes:
        share: p of each value.
        mass: p of each value times its weight.
        weight: mean weight of each value.
        sharp: from 0 to 1, how much of the sampling noise of p the value feels: 1 where it is counted itself.
        felt: the same with weights, Σ p q² (2w − mean w) / share, where q is the chance that a cell shows the value.
    """

    def __init__(self, grouping: Grouping, p: Floats) -> None:
        self.grouping = grouping
        self.share, self.mass = gather(grouping.spread, p), gather(grouping.weighted, p)
        self.weight = quotient(self.mass, self.share)
        if grouping.certain:
            self.sharp, self.felt = np.asarray(self.share > 0, dtype=np.float64), self.weight
            return
        self.sharp = quotient(gather(grouping.overlaps, p), self.share)
        # Cells that show a value more often than others do feel more: their weights count more than the mean weight.
        overlap = quotient(gather(grouping.weighted_overlaps, p), self.share)
        self.felt = 2 * overlap - self.weight * self.sharp

    @property
    def plug_in(self) -> Floats:
        """−Σ w p log p of the observed shares, in nats."""
        return -np.asarray((self.mass * log_or_zero(self.share)).sum(-1))

    @property
    def miller_madow(self) -> Floats:
        """The first-order correction Σ w (seen − p) / 2, in nats times n."""
        return np.asarray((self.felt - self.mass).sum(-1) / 2)

    def bracket(self, n: Floats) -> tuple[Floats, Floats]:
        """Between what the entropy lies but for chance, in nats."""
        from scipy.special import digamma

        times = self.share * n[:, None]
        # A value behind a channel is as uncertain as one counted so many times.
        alike = np.maximum(np.where(times > 0, quotient(times, self.sharp), 1.0), 0.1)
        excess = (np.log(alike) - digamma(alike)) * quotient(self.felt, self.weight * self.sharp)
        middle = self.plug_in + (self.mass * excess).sum(-1) - self.mass.sum(-1) * (np.log(n) - digamma(n))
        if not self.grouping.certain:
            return middle, middle
        low, high = self._missed(np.rint(times))
        return middle + low / n, middle + high / n

    def _missed(self, times: Floats) -> tuple[Floats, Floats]:
        """The bracket of what is missed, in nats times n."""
        once = times == 1
        never = np.maximum(self.grouping.size - (times > 0).sum(-1), 0.0)
        first, second = once.sum(-1) * 1.0, (times == 2).sum(-1) * 1.0
        weight = quotient((self.weight * once).sum(-1), first)
        # Without doubletons, the usual stand-in of Chao: as if (f1 − 1) / 2 values had been seen twice.
        homogeneous = quotient(np.where(second > 0, 2 * second, np.maximum(first - 1, 1)), first)
        sparse = quotient(first, never)
        # One singleton less below: a single one may be chance and proves nothing missed.
        low = (first - 1) * _tail(np.maximum(homogeneous, sparse))
        # One value more above: that all were seen may be chance too.
        high = first * _tail(np.minimum(homogeneous, quotient(first, never + 1)))
        return np.where((never > 0) & (first > 0), low * weight, 0.0), np.where(first > 0, high * weight, 0.0)


def _tail(rate: Floats) -> Floats:
    """E₁(λ) e^λ."""
    from scipy.special import exp1

    near = np.clip(rate, 1e-12, 50.0)
    return np.where(rate < 50.0, exp1(near) * np.exp(near), 1 / (np.maximum(rate, 50.0) + 1))
