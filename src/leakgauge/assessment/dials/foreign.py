"""Evidence for a release made elsewhere: from its rows beside those of the original, and attacks on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

import msgspec
import numpy as np
import pyarrow as pa

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.dials import Attacker, DialEvidence, Statistic, share
from leakgauge.artefacts.exposure import Exposure
from leakgauge.assessment.dials.audited import attacker_of_audit
from leakgauge.assessment.dials.usefulness import association
from leakgauge.audit.foreign.linking import ForeignLinks
from leakgauge.audit.foreign.release import ForeignRelease
from leakgauge.case.attacker import Attacker as Fitted
from leakgauge.case.columns import numbered, values_of
from leakgauge.case.law import Sight
from leakgauge.case.learnt import LearntLaw
from leakgauge.case.linking import gaining_least
from leakgauge.case.numbers import TENTHS
from leakgauge.measures.countability import is_countable
from leakgauge.probability.cells import Codes, gather

FEWEST = 16
"""Rows from which on a correlation is told."""


def evidence_of_foreign(release: ForeignRelease, audit: Audit, secret: str, *, ruled_out: bool = False) -> DialEvidence:
    """The evidence on one secret; nothing is claimed, so nothing is guaranteed.

    If there is too much to count, the upper limit of what the best attacker learnt counts instead.
    """
    drawn = release.seen
    hidden = next(one for one in drawn.secrets if one.names == (secret,))
    fitted = Fitted.of(drawn, hidden)
    everything, before = fitted.everything, fitted.by(fitted.known.predictor)
    shares = np.bincount(hidden.each) / drawn.rows
    whole = float(-(shares[shares > 0] * np.log2(shares[shares > 0])).sum())
    right = fitted.is_right(everything).astype(np.float64)
    sure = everything[np.arange(len(fitted.letters)), fitted.letters][:, None]
    learnt = LearntLaw(
        *(before, everything, fitted.letters, fitted.learner.named, right, sure, np.ones(sure.shape)),
        *(release.roles.background, fitted.units, release.confidence),
        # The secret's own column is among what was learnt from.
        *(whole, 0.0, whole),
        of_numbers=False,
    )
    tried, statistics = attacker_of_audit(audit, (secret,)).gained, tuple(_worths(release, secret, hidden.each))
    exposure = next(one for one in audit.exposures if one.secret == (secret,))
    commonest = float(np.bincount(hidden.letters).max() / drawn.rows)
    by_rows = [_counted(one, exposure, commonest) for one in learnt.attackers]
    explained = _explained(release, secret)
    if explained is not None:
        # Of numbers a share of the variance is gained, and worth something, however few are guessed right.
        tried, statistics = _larger(tried, explained), (Statistic((), explained),)
    more = _stronger if explained is None else _larger
    attackers = tuple(
        msgspec.structs.replace(one, gained=more(one.gained, tried), left=None if explained else one.left)
        if explained is not None or one.knows == release.roles.background
        else one
        for one in by_rows
    )
    by_row = {one.knows: one for one in attackers}
    linked = (
        gaining_least(one, by_row[one.knows]) if one.knows in by_row else one
        for one in ForeignLinks.of(release, secret).attackers
    )
    return DialEvidence(attackers=(*(() if ruled_out else attackers), *linked), statistics=statistics)


def _counted(attacker: Attacker, exposure: Exposure, commonest: float) -> Attacker:
    """The attacker over everybody, where right guesses are counted so; else as tried on some."""
    if not (exposure.known.everybody and exposure.everything.everybody):
        return attacker
    base_rate = exposure.known.success.value if attacker.knows else commonest
    gained = (exposure.everything.success.value - base_rate) / (1 - base_rate) if base_rate < 1 else 1.0
    return msgspec.structs.replace(attacker, gained=share(max(gained, 0.0)), left=1 - base_rate)


def _stronger(known: Quantity | None, tried: Quantity | None) -> Quantity | None:
    """What is counted, unless an attack is shown to gain more; of two estimates the one that may be larger."""
    if known is None or tried is None or known.low is not None:
        return _larger(known, tried)
    return tried if tried.ends[0] > known.value else known


def _explained(release: ForeignRelease, secret: str) -> Quantity | None:
    """The share of the variance of numbers that the released ones explain, with Fisher's interval; None of letters."""
    released = release.released.get(secret)
    original = release.original.get(secret)
    if released is None or original is None or not (_are_numbers(released) and _are_numbers(original)):
        return None
    x, y = (np.asarray(one.to_numpy(zero_copy_only=False), dtype=np.float64) for one in (original, released))
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if len(x) < FEWEST or len(np.unique(x)) <= TENTHS:
        return None
    if y.std() == 0:
        return share(0.0)
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))
    away = NormalDist().inv_cdf((1 + release.confidence) / 2) / math.sqrt(len(x) - 3)
    z = math.atanh(min(abs(r), 1 - 1e-15))
    low, high = math.tanh(max(z - away, 0.0)) ** 2, math.tanh(z + away) ** 2
    return share(r * r, min(low, r * r), max(high, r * r), release.confidence)


def _are_numbers(values: pa.Array) -> bool:
    return bool(pa.types.is_integer(values.type) or pa.types.is_floating(values.type))


def _larger(one: Quantity | None, other: Quantity | None) -> Quantity | None:
    found = [gain for gain in (one, other) if gain is not None]
    return max(found, key=lambda gain: (gain.ends[1], gain.value), default=None)


def _worths(release: ForeignRelease, secret: str, values: Codes) -> Iterator[Statistic]:
    """What the released column is worth for the shares, and for each cross-table with rows enough to be read."""
    if secret not in release.released:
        return
    made = values_of(release.released[secret], secret)
    for columns in ((), *((name,) for name in release.published)):
        beside = numbered(*(values_of(release.released[name], name) for name in columns), rows=release.rows)
        letters, outputs, groups = (int(codes.max()) + 1 for codes in (values, made, beside))
        if not is_countable(letters * groups * outputs, release.rows):
            if not columns:
                # Every value once: what was changed cannot be told from what was not.
                yield Statistic(())
            continue
        p = np.full(release.rows, 1 / release.rows)
        x, seen, p = gather((letters, groups * outputs), values, beside * outputs + made, p).nonzero()
        every = np.arange(groups * outputs)
        worth = association(Sight(letters, x, seen, p, every // outputs, every % outputs))
        if worth is not None:
            yield Statistic(columns, share(worth))
