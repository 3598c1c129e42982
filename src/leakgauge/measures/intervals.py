"""Confidence intervals for Shannon's measures, from the cumulants of their sampling law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.measures.terms import Grouping, Layout
from leakgauge.probability.cells import Floats, log_or_zero


@dataclass(frozen=True)
class Moments:
    plug_in: Floats
    low: Floats
    high: Floats
    variance: Floats
    slope: Floats
    third: Floats
    trace2: Floats
    trace3: Floats


def ratio(a, b):
    return np.divide(a, b, where=b > 0, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)))


def g_fun(x):
    """E1(x)e^x."""
    from scipy.special import exp1

    x = np.clip(x, 1e-12, None)
    small = x < 50
    return np.where(small, exp1(np.minimum(x, 50)) * np.exp(np.minimum(x, 50)), (1 - 1 / x) / x)


def residual(g: Grouping, N: Floats, M: Floats, n: Floats):
    """Bracket of what the digamma estimate of one entropy misses."""
    one = (N > 0.5) & (N < 1.5)
    two = (N > 1.5) & (N < 2.5)
    f1 = one.sum(-1).astype(float)
    f2 = two.sum(-1).astype(float)
    f0 = np.maximum(g.size - (N > 0.5).sum(-1), 0).astype(float)
    w1 = ratio((M * one).sum(-1), f1)
    a = ratio(2 * f2 + (f2 == 0) * np.maximum(f1 - 1, 1), f1)
    b = ratio(f1, f0)
    lo = np.where((f0 > 0) & (f1 > 0), f1 * g_fun(np.maximum(a, b)), 0.0)
    hi = np.where((f0 > 0) & (f1 > 0), f1 * g_fun(np.minimum(a, b)), 0.0)
    return lo * w1 / n, hi * w1 / n, f1, f0


def moments(layout: Layout, counts: Floats) -> Moments:
    from scipy.special import digamma

    n = counts.sum(-1)
    p = counts / n[:, None]
    B, m = counts.shape
    plug = np.zeros(B)
    low = np.zeros(B)
    high = np.zeros(B)
    D = np.zeros((B, m))
    parts = []
    for g in layout.groupings:
        P = g.gather(p)
        M = g.gather_weighted(p)
        logs = log_or_zero(P)
        v = 1.0 if g.known else np.clip(ratio(np.asarray((g.spread.multiply(g.spread).T @ p.T).T), P), 0, 1)
        N = P * n[:, None]
        psi = digamma(np.maximum(N, 1e-3))
        gap = np.where(N > 0, np.minimum(log_or_zero(N) - psi, 1.0), 0.0)
        plug -= g.sign * (M * logs).sum(-1)
        fixed = -(M * logs).sum(-1) + (M * v * gap).sum(-1) - ratio((M.sum(-1)), n) * 0.5 * (1 if g.known else 1)
        # digamma(n) - log n
        lo_r, hi_r, f1, f0 = residual(g, N, M / np.maximum(P, 1e-300), n) if g.known else (0.0, 0.0, 0, 0)
        if g.sign > 0:
            low += fixed + lo_r
            high += fixed + hi_r
        else:
            low -= fixed + hi_r
            high -= fixed + lo_r
        mean_w = ratio(M, P)
        D -= g.sign * (g.scatter_weighted(logs) + g.scatter(mean_w))
        parts.append((g, P, M, mean_w, v))
    D -= (p * D).sum(-1, keepdims=True)
    D[counts == 0] = 0
    V = (p * D**2).sum(-1)
    ED3 = (p * D**3).sum(-1)
    DQD = np.zeros(B)
    for g, P, M, mean_w, v in parts:
        a = g.gather(p * D)
        am = g.gather_weighted(p * D)
        DQD -= g.sign * (2 * ratio(am * a, P) - mean_w * ratio(a * a, P)).sum(-1)
    t2, t3 = traces(layout, p, parts)
    eps = 1.0 / n * t2
    base = ratio(t3, t2)
    slope = ratio(ED3 + 2 * DQD + 2 * base * eps, V + eps)
    third = ratio(ED3 + 3 * DQD + 3 * base * eps, V + eps)
    up = np.max(D, -1); down = np.min(D, -1)
    new_up = np.zeros(B); new_dn = np.zeros(B); unseen = np.zeros(B, bool)
    wmax = max(g.weighted.data.max() for g, *_ in parts)
    for g, P, M, mw, v in parts:
        f0 = (g.size > (P > 0).sum(-1)) if g.known else np.zeros(B, bool)
        big = np.where(f0, np.log(n), -np.log(np.where(P > 0, P, 1).min(-1)))
        small = -np.log(P.max(-1))
        if g.known and g is max((q[0] for q in parts), key=lambda q: q.size):
            unseen = f0
            new_up += g.sign * np.log(n); new_dn += g.sign * np.log(n)
        else:
            new_up += big if g.sign > 0 else -small
            new_dn += small if g.sign > 0 else -big
    new_up = np.minimum(new_up, np.log(n)) - ratio(plug, np.full(B, wmax))
    new_dn = np.maximum(new_dn, -np.log(n)) - ratio(plug, np.full(B, wmax))
    hi_one = np.maximum(up, -down)
    return Moments(plug, low, high, V, slope, third, t2, t3), D, (np.where(unseen, np.maximum(hi_one, wmax * new_up), hi_one), np.where(unseen, np.maximum(hi_one, -wmax * new_dn), hi_one))


def traces(layout, p, parts):
    """tr Q² and tr Q³ (sign-like) of the second derivative."""
    t2 = np.zeros(len(p))
    t1 = np.zeros(len(p))
    for i, (g, P, M, mw, v) in enumerate(parts):
        t1 -= g.sign * (mw * v * (P > 0)).sum(-1)
        for j, (h, R, M2, mw2, v2) in enumerate(parts):
            if j < i:
                continue
            if i == j:
                if g.known:
                    t2 += (mw**2 * (P > 0)).sum(-1)
                    continue
            if g.known and h.known:
                cell = ratio(p * p, g.scatter(P) * h.scatter(R)) * g.scatter(mw) * h.scatter(mw2)
                # finest partition: nested
                if g.spread.shape[1] == p.shape[1]:
                    cell = (mw2 * mw2 * (R > 0))
                elif h.spread.shape[1] == p.shape[1]:
                    cell = (mw * mw * (P > 0))
                val = cell.sum(-1)
            else:
                val = np.zeros(len(p))
                from scipy import sparse
                for b in range(len(p)):
                    W = (g.spread.T @ sparse.diags(p[b]) @ h.spread)
                    W = W.multiply(W).tocoo()
                    x, y = P[b][W.row], R[b][W.col]
                    ok = (x > 0) & (y > 0)
                    val[b] = (W.data[ok] / (x[ok] * y[ok]) * mw[b][W.row][ok] * mw2[b][W.col][ok]).sum()
            t2 += (1 if i == j else 2) * g.sign * h.sign * val
    # constant direction
    s = -sum(g.sign for g, *_ in parts)
    t2 = np.maximum(t2 - s * s, 0)
    return t2, t1 - s


def quantile(z, skew):
    """Pearson III quantile by Wilson and Hilferty."""
    k = np.where(np.abs(skew) < 1e-4, 1e-4, skew)
    return 2 / k * (np.maximum(1 + k * z / 6 - k * k / 36, 0) ** 3 - 1)


def interval(layout, counts, z=1.959964, opts=None):
    o = dict(pseudo=1.0)
    o.update(opts or {})
    m, D, (eu, ed) = moments(layout, counts)
    n = counts.sum(-1)
    big = np.abs(D).max(-1)
    def solve(centre, zz, out):
        # end on side sign(zz)
        side = -np.sign(zz)
        near = centre.copy()
        far = np.full_like(centre, layout.highest if side > 0 else layout.lowest)
        near = np.clip(near, layout.lowest, layout.highest)
        for _ in range(40):
            mid = (near + far) / 2
            V = np.maximum(m.variance + m.slope * (mid - m.plug_in), 0)
            V = V + out / n
            var = V / n + m.trace2 / (2 * n * n)
            k3 = m.third * V / n**2 + m.trace3 / n**3
            sd = np.sqrt(np.maximum(var, 1e-30))
            sk = np.clip(k3 / sd**3, -2.83, 2.83)
            q = quantile(zz, sk)
            # mid still inside if centre within quantile
            inside = (centre - mid - q * sd) * side > 0
            near = np.where(inside, mid, near)
            far = np.where(inside, far, mid)
        return far
    lo = solve(m.low, z, o["pseudo"] * ed**2)
    hi = solve(m.high, -z, o["pseudo"] * eu**2)
    lo = np.minimum(lo, np.minimum(m.low, m.plug_in))
    return np.clip(lo, layout.lowest, layout.highest), np.clip(hi, layout.lowest, layout.highest), m, D
