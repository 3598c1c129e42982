"""A problem as arrays of the letters that occur and their distances, and the way back to a labelled channel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leakgauge.design.certificate import Secrets
from leakgauge.design.cones import Window
from leakgauge.design.families import (
    BOUNDED_CELLS,
    COLUMN_CELLS,
    ChannelFamily,
    ChannelPerBackground,
    OneChannel,
    TiedChannel,
)
from leakgauge.design.inference import Inference, ThroughColumn
from leakgauge.design.keeping import KeepingShares
from leakgauge.design.problem import Keep, Knowledge, RateDistortion
from leakgauge.distances import Hamming
from leakgauge.errors import OptionError
from leakgauge.notions import prior_skew
from leakgauge.probability import Channel, Joint, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.sentences import Sentence

PRICED_CELLS = 1 << 21
"""The largest channel, inputs × outputs, whose ratios are bounded: some dozen arrays of twice that size."""
KEPT_CELLS = 1 << 12
"""The same where the shares are kept and an attacker knows a background: some seconds for a target."""
THROUGH_CELLS = 1 << 24
"""The largest column that tells on a secret, values² × outputs: so many numbers are held a few times."""
LARGEST_EPSILON = 100.0
"""A larger ε is kept as this one, beyond the prior's Δ where there is one: the stricter, so never less private.

No ratio of two multiples of 2^-53 is above e^37, and what e^-100 of a channel costs is far below what any proof counts
for rounding. A much larger number would spoil the digits of the others.
"""


@dataclass(frozen=True)
class ProblemArrays:
    """A problem as arrays."""

    family: ChannelFamily  # the channels to choose from, over the inputs that occur
    joint: Floats  # p(x, z), one column without a background
    distances: Floats
    least: float  # the least mean distortion any channel has
    occurring: Codes  # the positions of the inputs (for ``BOTH`` of the pairs) that occur, in the family's order
    inputs: tuple[Label, ...]
    reads: tuple[Codes, Codes]  # for each row of the channel the secret it reads, and the background or −1

    def channel(self, rows: Floats, outputs: tuple[Label, ...]) -> Channel:
        """The dyadic channel with one row per input.

        An input that never occurs acts like the one that occurs, with the same background, whose row has the least
        mean distance from it, or where infinite distances forbid all of them is released as the nearest letter; a
        background that never occurs acts like the one met with most inputs. So neither adds
        anything to what the channel tells, and every ratio is kept.
        """
        x, z = self.reads
        matrix = np.zeros((len(self.inputs), rows.shape[1]))
        matrix[self.occurring] = rows
        for at in self._missing.tolist():
            met = z[self.occurring]
            alike = np.flatnonzero(met == z[at])
            alike = alike if len(alike) else np.flatnonzero(met == np.bincount(met).argmax())
            own = self.distances[x[at]]
            # Whoever releases what is forbidden to this one is not like it.
            forbidden = (rows[alike][:, np.isinf(own)] > 0).any(axis=1)
            if forbidden.all():
                matrix[at, own.argmin()] = 1.0
                continue
            means = np.where(forbidden, np.inf, rows[alike] @ np.where(np.isinf(own), 0.0, own))
            matrix[at] = rows[alike[int(means.argmin())]]
        return Channel(self.inputs, outputs, matrix).dyadic()

    @property
    def _missing(self) -> Codes:
        """The positions of the inputs that never occur."""
        return np.setdiff1d(np.arange(len(self.inputs)), self.occurring)

    def spare_letters(self, letters: Codes) -> Codes:
        """The letters for inputs that never occur and may be released as none of these: the nearest to each.

        Since they never occur this tells nothing.
        """
        own = self.distances[self.reads[0][self._missing]]
        return np.unique(own[np.isinf(own[:, letters]).all(axis=1)].argmin(axis=1))


def arrays_of(problem: RateDistortion) -> ProblemArrays:
    """The problem as arrays.

    Raises:
        OptionError: bounds on ratios, or weights, for an alphabet too large for them.
    """
    matrix = problem.distortion.between(problem.inputs, problem.letters)
    _require_finite(problem, matrix)
    excess = matrix - matrix.min(axis=1, keepdims=True)
    joint = problem.source.matrix if isinstance(problem.source, Joint) else problem.source.probabilities[:, None]
    prior = np.asarray(joint.sum(axis=1))
    least = float(prior @ matrix.min(axis=1))
    matches = _matches(problem)
    if problem.knowledge is Knowledge.BOTH:
        return _per_background(problem, joint, matrix, excess, least, matches)
    occurring = np.flatnonzero(prior > 0)
    known = joint[occurring] if problem.knowledge is Knowledge.ATTACKER else prior[occurring, None]
    known = known[:, known.sum(axis=0) > 0]
    reads = np.arange(len(prior)), np.full(len(prior), -1)
    if problem.secret is not None:
        family = _through(problem, problem.secret, excess, occurring)
        return ProblemArrays(family, joint, matrix, least, occurring, problem.inputs, reads)
    if problem.keep is Keep.SHARES:
        kept = _keeping(problem, Secrets.of(known), excess, occurring)
        return ProblemArrays(kept, joint, matrix, least, occurring, problem.inputs, reads)
    weights = _weights(problem, occurring)
    window = _window(problem, prior[occurring])
    secrets, tied = Secrets.of(known, weights), None if window is None else window.tied()
    if window is not None and tied is not None:
        one: OneChannel = TiedChannel(secrets, excess[occurring], window, tied)
    else:
        one = OneChannel(secrets, excess[occurring], window, None if matches is None else matches[occurring])
    return ProblemArrays(one, joint, matrix, least, occurring, problem.inputs, reads)


def _require_finite(problem: RateDistortion, distances: Floats) -> None:
    """Refuse infinite distances that leave a value without a letter, or without a finite ratio."""
    forbidden = np.isinf(distances)
    stuck = int(forbidden.all(axis=1).sum())
    if stuck:
        raise OptionError(
            "{stuck} of the {count} values have only infinite distances, so nothing could be released for them; give "
            "each a finite one.",
            stuck=stuck,
            count=len(distances),
        )
    if forbidden.any() and (problem.local_dp, problem.identifiability) != (None, None):
        raise OptionError(
            "{count} infinite distances rule letters out for some values, so ε is infinite; leave the bound out, or "
            "make them finite.",
            count=int(forbidden.sum()),
        )


def inference_of(problem: RateDistortion) -> Inference:
    """What the column reveals about its secret, over the values that occur."""
    assert problem.secret is not None
    known = isinstance(problem.source, Joint) and problem.knowledge is Knowledge.ATTACKER
    backgrounds = problem.source.columns if known else (None,)  # type: ignore[union-attr]
    at = {label: place for place, label in enumerate(problem.secret.columns)}
    pairs = [[at[(x, z) if known else x] for z in backgrounds] for x in problem.inputs]
    joint = problem.secret.matrix.T[np.array(pairs)]
    occurring = joint.sum(axis=(1, 2)) > 0
    return Inference.of(joint[occurring])


def _through(problem: RateDistortion, secret: Joint, excess: Floats, occurring: Codes) -> ThroughColumn:
    cells = len(occurring) ** 2 * len(problem.letters)
    if cells > THROUGH_CELLS:
        raise OptionError(
            "A column that reveals a secret can have up to {limit} values² × outputs, but there are {found}; merge "
            "its values first.",
            limit=THROUGH_CELLS,
            found=cells,
        )
    letters = None
    if problem.keep is Keep.SHARES:
        letters = _own_letters(problem, excess, occurring)
    return ThroughColumn(inference_of(problem), excess[occurring], letters)


def _own_letters(problem: RateDistortion, excess: Floats, occurring: Codes) -> Codes:
    """The output that is each value.

    Raises:
        OptionError: a distortion by which a value is not nearest to itself: nothing released unchanged would be best.
    """
    letters = Hamming.matches(problem.inputs, problem.letters)[occurring]
    if excess[occurring, letters].any():
        raise OptionError(
            "Shares can be kept only if every value is nearest to itself, but this distortion has nearer ones; change "
            "the distances, or keep nothing."
        )
    return letters


def _keeping(problem: RateDistortion, secrets: Secrets, excess: Floats, occurring: Codes) -> KeepingShares:
    """The channels over some values that keep their shares."""
    letters = _own_letters(problem, excess, occurring)
    labels = [problem.inputs[at] for at in occurring.tolist()]
    floors = np.array([1.0 if one in problem.never_changed else problem.floor_of(one) for one in labels])
    hamming = isinstance(problem.distortion, Hamming)
    return KeepingShares(secrets, excess[occurring], letters, floors, hamming, _window(problem, secrets.prior))


def _matches(problem: RateDistortion) -> Codes | None:
    """The output that is each input, where the distances are Hamming's and there is one for all."""
    if not isinstance(problem.distortion, Hamming):
        return None
    matches = problem.distortion.matches(problem.inputs, problem.letters)
    return matches if (matches >= 0).all() else None


def _per_background(
    problem: RateDistortion, joint: Floats, matrix: Floats, excess: Floats, least: float, matches: Codes | None
) -> ProblemArrays:
    assert isinstance(problem.source, Joint)
    shares = joint.sum(axis=0)
    parts: list[OneChannel | KeepingShares] = []
    occurring = []
    backgrounds = len(shares)
    for z in np.flatnonzero(shares > 0).tolist():
        here = np.flatnonzero(joint[:, z] > 0)
        secrets = Secrets.of(joint[here, z][:, None] / shares[z])
        parts.append(
            OneChannel(
                secrets,
                excess[here],
                _window(problem, secrets.prior),
                None if matches is None else matches[here],
            )
            if problem.keep is Keep.NOTHING
            else _keeping(problem, secrets, excess, here)
        )
        occurring.append(here * backgrounds + z)
    pairs = tuple((x, z) for x in problem.source.rows for z in problem.source.columns)
    reads = np.divmod(np.arange(len(pairs)), backgrounds)
    family = ChannelPerBackground(shares[shares > 0], parts)
    return ProblemArrays(family, joint, matrix, least, np.concatenate(occurring), pairs, reads)


def _weights(problem: RateDistortion, occurring: Codes) -> Floats | None:
    """The weights of the secrets that occur."""
    if problem.weights is None:
        return None
    cells = len(occurring) ** 2 * len(problem.letters)
    if cells > COLUMN_CELLS:
        raise OptionError(
            "Weights work for up to {limit} inputs² × outputs, but there are {found}; merge rare letters.",
            limit=COLUMN_CELLS,
            found=cells,
        )
    return np.array(problem.weights)[occurring]


def _window(problem: RateDistortion, prior: Floats) -> Window | None:
    epsilon = problem.local_dp if problem.identifiability is None else problem.identifiability
    if epsilon is None:
        return None
    cells = len(prior) * len(problem.letters)
    alone = problem.knowledge is not Knowledge.ATTACKER and problem.weights is None
    limit = PRICED_CELLS if alone else BOUNDED_CELLS if problem.keep is Keep.NOTHING else KEPT_CELLS
    if cells > limit:
        raise OptionError(
            "Bounds on ratios{besides} work for up to {limit} inputs × outputs, but there are {found}; merge rare "
            "letters.",
            besides="" if alone else Sentence(" together with weights or what the attacker knows"),
            limit=limit,
            found=cells,
        )
    if problem.identifiability is None:
        return Window.within_ratio(np.ones(len(prior)), min(epsilon, LARGEST_EPSILON))
    return Window.within_ratio(prior, min(epsilon, prior_skew(problem.prior) + LARGEST_EPSILON))
