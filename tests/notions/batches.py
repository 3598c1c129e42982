"""Exact levels of a hundred thousand small channels at once, by plain numpy that shares no code with the library."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge import randomness
from leakgauge.probability.cells import Floats

ORDER = 2.0
ALPHAS = 1 + np.geomspace(1e-3, 1e3, 48)


@dataclass(frozen=True)
class Batch:
    """Channels ``q[b, x, y]`` with full support and priors ``p[b, x]``."""

    q: Floats
    p: Floats

    @property
    def ratios(self) -> Floats:
        return np.asarray(np.log(self.q))

    def local_dp(self) -> Floats:
        return np.asarray(np.ptp(np.log(self.q), axis=1).max(axis=1))

    def identifiability(self) -> Floats:
        return np.asarray(np.ptp(np.log(self.q * self.p[:, :, None]), axis=1).max(axis=1))

    def skew(self) -> Floats:
        return np.asarray(np.ptp(np.log(self.p), axis=1))

    def entropy(self) -> Floats:
        return np.asarray(-(self.p * np.log2(self.p)).sum(axis=1))

    def information(self, p: Floats | None = None) -> Floats:
        """I(X;Y) in nats."""
        prior = self.p if p is None else p
        r = np.einsum("bx,bxy->by", prior, self.q)
        return np.asarray(np.einsum("bx,bxy,bxy->b", prior, self.q, np.log(self.q / r[:, None, :])))

    def capacity(self, sweeps: int = 25) -> tuple[Floats, Floats]:
        """A lower and an upper bound on the capacity in nats, by Blahut–Arimoto with its certificate."""
        p = np.full(self.p.shape, 1 / self.p.shape[1])
        for _ in range(sweeps):
            r = np.einsum("bx,bxy->by", p, self.q)
            divergence = np.einsum("bxy,bxy->bx", self.q, np.log(self.q / r[:, None, :]))
            p = p * np.exp(divergence)
            p /= p.sum(axis=1, keepdims=True)
        r = np.einsum("bx,bxy->by", p, self.q)
        divergence = np.einsum("bxy,bxy->bx", self.q, np.log(self.q / r[:, None, :]))
        # Rounding can leave a useless channel a hair below 0.
        return np.maximum(np.einsum("bx,bx->b", p, divergence), 0.0), np.maximum(divergence.max(axis=1), 0.0)

    def maximal_leakage(self) -> Floats:
        return np.asarray(np.log(self.q.max(axis=1).sum(axis=1)))

    def min_entropy_leakage(self) -> Floats:
        joint = self.q * self.p[:, :, None]
        return np.asarray(np.log(joint.max(axis=1).sum(axis=1) / self.p.max(axis=1)))

    def sibson(self, order: float = ORDER) -> Floats:
        inner = np.einsum("bx,bxy->by", self.p, self.q**order)
        return np.asarray(order / (order - 1) * np.log((inner ** (1 / order)).sum(axis=1)))

    def arimoto(self, order: float = ORDER) -> Floats:
        joint = self.q * self.p[:, :, None]
        posterior = order / (1 - order) * np.log(((joint**order).sum(axis=1) ** (1 / order)).sum(axis=1))
        return np.asarray(np.log((self.p**order).sum(axis=1)) / (1 - order) - posterior)

    def renyi(self, order: float = ORDER) -> Floats:
        """max over pairs of D_α in nats."""
        logs = np.log(self.q)
        exponent = order * logs[:, :, None, :] + (1 - order) * logs[:, None, :, :]
        peak = exponent.max(axis=3, keepdims=True)
        total = peak[..., 0] + np.log(np.exp(exponent - peak).sum(axis=3))
        return np.asarray((total / (order - 1)).max(axis=(1, 2)))

    def divergence(self) -> Floats:
        """max over pairs of Kullback–Leibler in nats."""
        logs = np.log(self.q)
        gaps = (self.q[:, :, None, :] * (logs[:, :, None, :] - logs[:, None, :, :])).sum(axis=3)
        return np.asarray(gaps.max(axis=(1, 2)))

    def concentration(self) -> Floats:
        """sup over a grid of orders of D_α/α: from below, within about 1%."""
        return np.asarray(np.maximum.reduce([self.divergence(), *(self.renyi(alpha) / alpha for alpha in ALPHAS)]))

    def hockey_stick(self, epsilon: Floats) -> Floats:
        excess = self.q[:, :, None, :] - np.exp(np.minimum(epsilon, 700))[:, None, None, None] * self.q[:, None, :, :]
        return np.asarray(np.maximum(excess, 0).sum(axis=3).max(axis=(1, 2)))

    def gaussian(self) -> Floats:
        """The smallest μ, from the vertices of each pair's trade-off curve."""
        from scipy.special import ndtri

        best = np.zeros(len(self.q))
        for x in range(self.q.shape[1]):
            for other in range(self.q.shape[1]):
                if x != other:
                    p, q = self.q[:, x], self.q[:, other]
                    order = np.argsort(-(q / p), axis=1)
                    first = np.cumsum(np.take_along_axis(p, order, 1), axis=1)[:, :-1]
                    second = np.cumsum(np.take_along_axis(q, order, 1)[:, ::-1], axis=1)[:, ::-1][:, 1:]
                    best = np.maximum(best, (-ndtri(first) - ndtri(second)).max(axis=1, initial=0.0))
        return best


def draw(seed: int, size: int, letters: int, outputs: int) -> Batch:
    """A third random, a third near randomized response, a third near the staircase that is extreme."""
    random = randomness.simulation(seed)
    third = size // 3
    rough = random.dirichlet(np.full(outputs, random.choice([0.3, 1.0, 5.0])), (third, letters))
    epsilon = random.exponential(1.0, (third, 1, 1)) + 1e-3
    same = np.arange(letters)[:, None] % outputs == np.arange(outputs)[None, :]
    response = np.where(same, np.exp(epsilon), 1.0)
    rest = size - 2 * third
    steep = np.exp((random.exponential(1.0, (rest, 1, 1)) + 1e-3) * random.integers(0, 2, (rest, letters, outputs)))
    # Normalising columns' weights moves the rows off the staircase a little; a few sweeps bring them near.
    for _ in range(5):
        steep /= steep.sum(axis=2, keepdims=True)
        steep *= random.uniform(0.95, 1.05, (rest, 1, outputs))
    q = np.concatenate([rough, response, steep])
    q = np.maximum(q / q.sum(axis=2, keepdims=True), 1e-12)
    q /= q.sum(axis=2, keepdims=True)
    p = random.dirichlet(np.ones(letters), size)
    p = np.maximum(p, 1e-6)
    return Batch(q, p / p.sum(axis=1, keepdims=True))
