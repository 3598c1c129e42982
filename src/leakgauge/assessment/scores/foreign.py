"""Evidence for a release made elsewhere: from its rows beside those of the original, and attacks on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist

import msgspec
import numpy as np
import pyarrow as pa

from leakgauge.artefacts import Audit, Quantity
from leakgauge.artefacts.exposure import Exposure
from leakgauge.artefacts.scores import Attacker, ScoreEvidence, Statistic, share
from leakgauge.assessment.scores.audited import attacker_of_audit
from leakgauge.assessment.scores.evidence import at_least
from leakgauge.assessment.scores.protection import gained, told
from leakgauge.assessment.scores.usefulness import precision_said
from leakgauge.audit.foreign.linking import ForeignLinks
from leakgauge.audit.foreign.release import ForeignRelease
from leakgauge.case.attacker import Attacker as Fitted
from leakgauge.case.certainty import surest
from leakgauge.case.columns import binned, numbered, quantile_edges, ranks_of, values_of
from leakgauge.case.law import Sight
from leakgauge.case.learnt import LearntLaw
from leakgauge.case.linking import gaining_least
from leakgauge.case.numbers import TENTHS, ranked
from leakgauge.measures.countability import PEOPLE_PER_CELL, is_countable
from leakgauge.probability.cells import Codes, Floats, gather
from leakgauge.probability.labels import text_of
from leakgauge.release.estimates.offered import Precision, worth_of_counted, worth_of_counted_mean
from leakgauge.release.letters import spelling_of

FEWEST = 16
"""Rows from which on a correlation is told."""


def evidence_of_foreign(
    release: ForeignRelease, audit: Audit, secret: str, *, ruled_out: bool = False
) -> ScoreEvidence:
    """The evidence on one secret; nothing is claimed, so nothing is guaranteed.

    If there is too much to count, the upper limit of what the best attacker learnt counts instead.
    """
    if not release.is_matched:
        # What the wrong rows say is too low, whoever looks at them.
        return ScoreEvidence(attackers=(Attacker(),), statistics=(Statistic(()),))
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
    tried, explained = attacker_of_audit(audit, (secret,)).gained, _explained(release, secret)
    statistics = tuple(_worths(release, secret, hidden.letters, of_numbers=explained is not None))
    exposure = next(one for one in audit.exposures if one.secret == (secret,))
    commonest = float(np.bincount(hidden.letters).max() / drawn.rows)
    by_rows = [_counted(one, exposure, commonest) for one in learnt.attackers]
    if explained is not None:
        # Of numbers a share of the variance is gained, however few are guessed right.
        tried = _larger(tried, explained)
    more = _stronger if explained is None else _larger
    attackers = tuple(
        msgspec.structs.replace(one, gained=more(one.gained, tried), left=None if explained else one.left)
        if explained is not None or one.knows == release.roles.background
        else one
        for one in by_rows
    )
    by_its_own = _at_least_by_its_own if explained is None else _at_least_by_its_own_tenths
    attackers = tuple(by_its_own(one, release, secret) for one in attackers)
    by_row = {one.knows: one for one in attackers}
    linked = (
        gaining_least(one, by_row[one.knows]) if one.knows in by_row else one
        for one in ForeignLinks.of(release, secret).attackers
    )
    return ScoreEvidence(attackers=(*(() if ruled_out else attackers), *linked), statistics=statistics)


def _at_least_by_its_own(attacker: Attacker, release: ForeignRelease, secret: str) -> Attacker:
    """The attacker with at least what the released column gives away by itself, beside what she knows.

    It is a part of what she sees, and counted over everybody: a learner that is scored on some of the rows misses a
    value that is in the clear for a few people.
    """
    if secret not in release.released:
        return attacker
    values = values_of(release.original[secret], secret)
    made = values_of(release.released[secret], secret)
    known = numbered(*(values_of(release.original[name], name) for name in attacker.knows), rows=release.rows)
    letters, outputs, groups = (int(codes.max()) + 1 for codes in (values, made, known))
    if not is_countable(letters * outputs * groups, release.rows):
        return attacker
    p = np.full(release.rows, 1 / release.rows)
    x, seen, p = gather((letters, groups * outputs), values, known * outputs + made, p).nonzero()
    every = np.arange(groups * outputs)
    sight = Sight(letters, x, seen, p, every // outputs, every % outputs)
    sure, worst = surest(sight)
    labels = release.original[secret].dictionary_encode(null_encoding="encode").dictionary.to_pylist()
    named = text_of(labels[worst]) if len(labels) == letters else attacker.worst
    part = Attacker(gained=share(gained(sight)), told=share(told(sight)), surest=share(sure), worst=named)
    return at_least(attacker, part)


def _at_least_by_its_own_tenths(attacker: Attacker, release: ForeignRelease, secret: str) -> Attacker:
    """The same of numbers: how sure somebody becomes of the tenth that a number is in, by where the released one stands
    among all. Where the tail is released as it is, the tenth of those in it is."""
    true, made = (ranks_of(one[secret], secret)[0] for one in (release.original, release.released))
    tenth = binned(true, quantile_edges(true, TENTHS))
    places = binned(made, quantile_edges(made, max(release.rows // (PEOPLE_PER_CELL * TENTHS), 1)))
    letters, outputs = int(tenth.max()) + 1, int(places.max()) + 1
    p = np.full(release.rows, 1 / release.rows)
    x, seen, p = gather((letters, outputs), tenth, places, p).nonzero()
    sight = Sight(letters, x, seen, p, np.zeros(outputs, dtype=np.int64), np.arange(outputs))
    sure, worst = surest(sight)
    return at_least(attacker, Attacker(surest=share(sure), worst=f"{worst + 1}/{letters}"))


def _counted(attacker: Attacker, exposure: Exposure, commonest: float) -> Attacker:
    """The attacker over everybody, where right guesses are counted so; else as tried on some."""
    if not (exposure.known.everybody and exposure.everything.everybody):
        return attacker
    base_rate = exposure.known.success.value if attacker.knows else commonest
    gain = (exposure.everything.success.value - base_rate) / (1 - base_rate) if base_rate < 1 else 1.0
    return msgspec.structs.replace(attacker, gained=share(max(gain, 0.0)), left=1 - base_rate)


def _stronger(known: Quantity | None, tried: Quantity | None) -> Quantity | None:
    """What is counted, unless an attack is shown to gain more; of two estimates the one that may be larger."""
    if known is None or tried is None or known.low is not None:
        return _larger(known, tried)
    return tried if tried.ends[0] > known.value else known


def _explained(release: ForeignRelease, secret: str) -> Quantity | None:
    """The share of the variance of ranks that the released numbers explain, with Fisher's interval; None of letters."""
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
    r = float(np.clip(np.corrcoef(_ranks(x), _ranks(y))[0, 1], -1, 1))
    away = NormalDist().inv_cdf((1 + release.confidence) / 2) / math.sqrt(len(x) - 3)
    z = math.atanh(min(abs(r), 1 - 1e-15))
    low, high = math.tanh(max(z - away, 0.0)) ** 2, math.tanh(z + away) ** 2
    return share(r * r, min(low, r * r), max(high, r * r), release.confidence)


def _ranks(numbers: Floats) -> Floats:
    classes, ranks = ranked(numbers, np.full(len(numbers), 1 / len(numbers)))
    return ranks[classes]


def _are_numbers(values: pa.Array) -> bool:
    return bool(pa.types.is_integer(values.type) or pa.types.is_floating(values.type))


def _larger(one: Quantity | None, other: Quantity | None) -> Quantity | None:
    found = [gain for gain in (one, other) if gain is not None]
    return max(found, key=lambda gain: (gain.ends[1], gain.value), default=None)


def _worths(release: ForeignRelease, secret: str, values: Codes, *, of_numbers: bool) -> Iterator[Statistic]:
    """What the released column is worth for the shares, or the mean, and for each cross-table with rows enough to be
    read: nothing is known of how it was made, so that recipients count what they get."""
    if secret not in release.released:
        return
    original, made = release.original[secret], release.released[secret]
    tells, rows = len(made.unique()) > 1, release.rows
    precision = _of_means(original, made) if of_numbers else _of_shares(original, made)
    for columns in ((), *((name,) for name in release.published)):
        beside = numbered(*(values_of(release.released[name], name) for name in columns), rows=rows)
        if not is_countable((int(values.max()) + 1) * (int(beside.max()) + 1), rows):
            if not columns:
                # Every value once: what was changed cannot be told from what was not.
                yield Statistic(())
            continue
        found = precision(beside)
        if found is not None:
            # What is the same in every row tells nothing of the table.
            yield precision_said(columns, found, rows) if tells else Statistic(columns, share(0.0))


def _of_shares(original: pa.Array, made: pa.Array) -> Callable[[Codes], Precision | None]:
    """The precision of the shares, by what they are cross-tabulated with; equal texts are one value."""
    texts = [
        pa.array([None if one is None else spelling_of(one) for one in each.to_pylist()], pa.string())
        for each in (original, made)
    ]
    both, count = values_of(pa.concat_arrays(texts), ""), len(original)
    return partial(worth_of_counted, both[:count], both[count:])


def _of_means(original: pa.Array, made: pa.Array) -> Callable[[Codes], Precision | None]:
    """The same of the mean."""
    before, after = (np.asarray(one.to_numpy(zero_copy_only=False), dtype=np.float64) for one in (original, made))
    return partial(worth_of_counted_mean, before, after)
