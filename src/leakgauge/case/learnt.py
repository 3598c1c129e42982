"""What is learnt about a secret from columns that are too many to count, combined with its own channel by law.

A learner gives r(x|v) on rows that it was not trained on. The secret's own column enters by p(x|v,y) ∝ r(x|v) q(y|x),
averaged over q(y|x) of the true x: no noise is drawn, and settings that differ only in that channel share a learner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import Attacker, share
from leakgauge.case.attacker import Attacker as Fitted
from leakgauge.case.certainty import surest_of
from leakgauge.case.columns import codes_of, columns_of, numbered, ranks_of, sample_of, values_of
from leakgauge.case.drawn import Drawn, Role, Secret, SeenColumn
from leakgauge.case.learner import Learner
from leakgauge.case.numbers import FEWEST_BINS, law_of_noise, mid_ranks
from leakgauge.measures.held_out import held_out_information
from leakgauge.measures.shannon import entropy
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats, Truths
from leakgauge.randomness import Simulated

if TYPE_CHECKING:
    from leakgauge.case.case import Case
    from leakgauge.release.bound import BoundColumn, RecordedPlan

MOST_OUTPUTS = 128
"""Released values that are told apart: neighbours are taken as one where there are more."""
AT_ONCE = 1 << 22
"""Probabilities held in memory."""
MOST_SCORED = 5_000
"""Rows that outputs are averaged over: more change the last digit that is shown."""
FEWEST_HOLDERS = 50
"""Scored rows of a value below which it is counted together with others that are as rare."""


@dataclass(frozen=True, eq=False)
class LearntLaw:
    """A fitted attacker, and of every scored row what the secret's own column may show.

    Attributes:
        before: r(x|known) of the scored rows.
        seen: r(x|v).
        letters: the class of the secret.
        named: classes that are one value each.
        right: of each scored row the chance that the best guess is right, the own column included.
        sure: of each scored row how probable its value is made, by each released value of the own column.
        happens: how probable each of these is.
        knows: the columns of the declared background.
        units: of each scored row the person it belongs to; None where rows are people.
        confidence: of every interval.
        entropy: of the secret, in bits.
        by_own: bits that the secret's own column adds at most.
        bits: that everything released or known reveals at most.
        of_numbers: whether the secret's values stand for numbers.
        ranks: of each class of numbers the rank, from 0 to 1; NaN of missing ones, which are not judged.
        off: of each scored row the squared error of the best estimate of its rank, the own column included.
    """

    before: Floats
    seen: Floats
    letters: Codes
    named: int
    right: Floats
    sure: Floats
    happens: Floats
    knows: tuple[str, ...]
    units: Codes | None
    confidence: float
    entropy: float
    by_own: float
    bits: float
    of_numbers: bool
    ranks: Floats | None = None
    off: Floats | None = None

    @cached_property
    def attackers(self) -> tuple[Attacker, ...]:
        """An attacker who only sees the release, and one who knows the background as well."""
        everything = held_out_information(self.letters, self.seen, self.units, self.confidence)
        nothing = Estimate(0.0, 0.0, 0.0, self.confidence, len(self.letters))
        most_common = np.full(len(self.letters), np.bincount(self.letters)[: self.named].argmax()) == self.letters
        # For an attacker who knows nothing, the background counts as learnt too: that errs towards privacy.
        shares = np.bincount(self.letters, minlength=self.seen.shape[1]) / len(self.letters)
        nobody = self._attacker((), most_common, self._told(everything, nothing), shares[self.letters])
        if not self.knows:
            return (nobody,)
        known = held_out_information(self.letters, self.before, self.units, self.confidence)
        guessed = np.asarray(self.before[:, : self.named].argmax(axis=1) == self.letters)
        anyway = self.before[np.arange(len(self.letters)), self.letters]
        return nobody, self._attacker(self.knows, guessed, self._told(everything, known), anyway)

    def _attacker(self, knows: tuple[str, ...], guessed: Truths, told: Quantity, anyway: Floats) -> Attacker:
        gained = self._gained(guessed) if self.ranks is None else self._explained(self.before if knows else None)
        return Attacker(knows, gained, told, 1 - float(guessed.mean()), surest=self._surest(self.sure, anyway))

    def _explained(self, before: Floats | None) -> Quantity:
        """The share of the variance of ranks that the release explains beyond what is known."""
        assert self.ranks is not None and self.off is not None
        truth = self.ranks[self.letters]
        there = ~np.isnan(truth)
        truth = truth[there]
        guess = truth.mean() if before is None else mean_ranks(before[there], self.ranks)
        known = (truth - guess) ** 2
        left = float(known.mean())
        if left <= 0:
            return self._share(1.0, 1.0)
        gain = known - self.off[there]
        # The error of a ratio: both are of the same rows.
        each = (gain - float(gain.mean()) / left * known) / left
        return self._share(float(gain.mean()) / left, self._error(each))

    @cached_property
    def _independent(self) -> int:
        return len(self.letters) if self.units is None else len(np.unique(self.units))

    def _gained(self, before: Truths) -> Quantity:
        gain = self.right - before
        left = max(1 - float(before.mean()), 1e-9)
        return self._share(float(gain.mean()) / left, self._error(gain) / left)

    def _error(self, each: Floats) -> float:
        from scipy.special import ndtri

        # The last term is for outcomes of which none was scored.
        sure = float(ndtri((1 + self.confidence) / 2))
        return sure * float(each.std()) / math.sqrt(self._independent) + 1 / self._independent

    def _share(self, value: float, error: float) -> Quantity:
        inside = min(max(value, 0.0), 1.0)
        return share(inside, min(value - error, inside), max(value + error, inside), self.confidence)

    def _told(self, everything: Estimate, known: Estimate) -> Quantity:
        own = self.by_own

        def ratio(seen: float, before: float) -> float:
            left, told = self.entropy - before, min(seen + own, self.entropy) - before
            if left <= 0:
                return 1.0
            if self.of_numbers:
                return math.expm1(-2 * max(told, 0) * math.log(2)) / math.expm1(-2 * left * math.log(2))
            return max(told, 0.0) / left

        value = ratio(everything.value, known.value)
        # What is not seen twice over is at least what either tells: the own channel alone, or the rest.
        low, high = ratio(everything.low - own, min(known.high, everything.low)), ratio(everything.high, known.low)
        return share(value, float(min(low, value)), float(max(high, value)), self.confidence)

    def _surest(self, sure: Floats, anyway: Floats) -> Quantity:
        """How much surer somebody becomes; of values too rare to score by themselves, of all of them together."""
        from scipy.special import ndtri

        held = np.bincount(self.letters, minlength=self.seen.shape[1])
        classes = np.unique(np.where(held[self.letters] < FEWEST_HOLDERS, -1, self.letters), return_inverse=True)[1]
        x = np.repeat(classes, sure.shape[1])
        gains = (sure - anyway[:, None]).ravel()
        value, worst = surest_of(x, gains, self.happens.ravel(), np.bincount(classes).astype(np.float64))
        of_worst = gains[x == worst]
        spread = float(np.sqrt(np.average((of_worst - np.average(of_worst)) ** 2)))
        # Of a mean over the tenth that is largest, as if that tenth were a sample of its own.
        error = float(ndtri(self.confidence)) * spread / math.sqrt(max(int((classes == worst).sum()) / 10, 1))
        return self._share(value, error)


def learnt_law(
    case: Case, secret: tuple[str, ...], plan: RecordedPlan, by_own: float, *, of_numbers: bool
) -> LearntLaw:
    """What is learnt about a secret from the whole release; other mechanisms enter by a seeded simulation.

    Args:
        by_own: bits that the secret's own column adds at most.
    """
    own, known = plan.hiding(secret), _learnt(case, secret, plan)
    ranks = known.ranks(secret[0]) if of_numbers else None
    right, sure, happens, off = known.without_own(ranks) if own is None else _averaged(own, secret, known, ranks)
    return LearntLaw(
        *(known.before, known.seen, known.letters, known.fitted.learner.named, right, sure, happens),
        *(case.background, known.units, case.confidence),
        *(entropy(case.shares(secret)), by_own, most_bits(case, secret, plan, by_own)),
        *(of_numbers, ranks, off),
    )


def most_bits(case: Case, secret: tuple[str, ...], plan: RecordedPlan, by_own: float) -> float:
    """I(X;W) ≤ min(H(X), H(V) + I(X;Y|V)): nothing beside the secret's own column tells more than it holds itself."""
    whole, beside = entropy(case.shares(secret)), dict.fromkeys((*case.background, *plan.public))
    if len(plan.columns) > (plan.hiding(secret) is not None) or not case.is_countable(tuple(beside)):
        return whole
    return min(whole, entropy(case.shares(tuple(beside))) + by_own)


@dataclass(frozen=True, eq=False)
class _Learnt:
    """What was learnt beside the secret's own column: r(x|known) and r(x|v) of the scored rows, and all columns."""

    fitted: Fitted
    before: Floats
    seen: Floats
    values: Mapping[str, Any]

    @property
    def letters(self) -> Codes:
        return self.fitted.letters[:MOST_SCORED]

    @property
    def units(self) -> Codes | None:
        return None if self.fitted.units is None else self.fitted.units[:MOST_SCORED]

    def ranks(self, name: str) -> Floats:
        """The mean rank of the numbers of each class; NaN of a class of missing ones."""
        learner, values = self.fitted.learner, self.values[name]
        codes, _ = ranks_of(values, name)
        rows = learner.rows[np.asarray(values.is_valid())[learner.rows]]
        letters = learner.letters[np.asarray(values.is_valid())[learner.rows]]
        different, codes = np.unique(codes[rows], return_inverse=True)
        ranks = mid_ranks(np.bincount(codes, minlength=len(different)).astype(np.float64))[codes]
        count = np.bincount(letters, minlength=self.seen.shape[1])
        sums = np.bincount(letters, ranks, minlength=self.seen.shape[1])
        return np.asarray(np.divide(sums, count, where=count > 0, out=np.full(len(sums), np.nan)))

    def without_own(self, ranks: Floats | None) -> tuple[Floats, Floats, Floats, Floats | None]:
        """Of each scored row whether the best guess is right, how probable its value is made, and that for sure, and
        how far off the best estimate of its rank is."""
        right = (self.seen[:, : self.fitted.learner.named].argmax(axis=1) == self.letters).astype(np.float64)
        sure = self.seen[np.arange(len(self.letters)), self.letters][:, None]
        off = None if ranks is None else (ranks[self.letters] - mean_ranks(self.seen, ranks)) ** 2
        return right, sure, np.ones(sure.shape), off


def _learnt(case: Case, secret: tuple[str, ...], plan: RecordedPlan) -> _Learnt:
    """The attacker who learns from what is seen beside the secret's own column; once for settings that agree in it."""
    own = plan.hiding(secret)
    others = [one for one in plan.columns if one is not own]
    public = tuple(name for name in plan.public if name not in case.background)
    key = (
        *(secret, case.background, public, case.unit, repr(sorted(plan.bins.items(), key=lambda one: one[0]))),
        repr(plan.suppression),
        tuple((one.name, repr(one.mechanism)) for one in others),
    )
    if key not in case.memory:
        names = dict.fromkeys((*secret, *case.background, *plan.reads, *(() if case.unit is None else (case.unit,))))
        sample = sample_of(case.table.rows) if case.unit is None else None
        values = columns_of(case.table, tuple(names), sample)
        columns = [SeenColumn(one, Role.BACKGROUND, *ranks_of(values[one], one)) for one in case.background]
        columns += [SeenColumn(one, Role.PUBLIC, *ranks_of(values[one], one)) for one in public]
        for number, one in enumerate(others):
            made = one.form.law.draw(one.form.inputs([values[name] for name in one.reads]), Simulated(number))
            columns.append(SeenColumn(one.name, Role.PROTECTED, codes_of(made), one.mechanism.noise is not None))
        rows = len(values[secret[0]])
        hidden, nobody = Secret.of(secret, values), np.zeros(rows, dtype=np.int64)
        units = None if case.unit is None else values_of(values[case.unit], case.unit)
        drawn = Drawn(
            *((), (hidden,), nobody, case.background, nobody, public, (), case.confidence),
            seen=tuple(columns),
            units=units,
        )
        fitted = Fitted.of(drawn, hidden)
        before, seen = (fitted.by(one.predictor)[:MOST_SCORED] for one in (fitted.known, fitted.plain))
        case.memory[key] = _Learnt(fitted, before, seen, values)
    found: _Learnt = case.memory[key]
    return found


def mean_ranks(chances: Floats, ranks: Floats) -> Floats:
    """The mean rank by the chances of each class (the second axis), of those that have one."""
    there = ~np.isnan(ranks)
    known = chances[:, there]
    total = known.sum(axis=1)
    sums = np.tensordot(ranks[there], known, axes=(0, 1))
    middle = float(ranks[there].mean())
    return np.asarray(np.divide(sums, total, where=total > 0, out=np.full(total.shape, middle)))


def _averaged(
    own: BoundColumn, secret: tuple[str, ...], known: _Learnt, ranks: Floats | None
) -> tuple[Floats, Floats, Floats, Floats | None]:
    """The same as without the secret's own column, over the outputs of that column by its law, how probable each output
    is among it."""
    seen, letters, learner = known.seen, known.letters, known.fitted.learner
    inputs, matrix = _own_law(own, known.values)
    # The public values that the mechanism reads too.
    read = (values_of(known.values[name], name) for name in own.reads if name not in secret)
    given = numbered(*read, rows=len(inputs))
    chances = _chances(learner, inputs, given, matrix, seen.shape[1])
    right, off, sure = np.zeros(len(letters)), np.zeros(len(letters)), np.zeros((len(letters), matrix.shape[1]))
    happens = matrix[inputs[learner.rows[learner.score[:MOST_SCORED]]]]
    step = max(AT_ONCE // (seen.shape[1] * matrix.shape[1]), 1)
    for start in range(0, len(letters), step):
        part = slice(start, start + step)
        at, truth = learner.rows[learner.score[:MOST_SCORED][part]], letters[part]
        joint = seen[part][:, :, None] * chances[given[at]]
        right[part] = (happens[part] * (joint[:, : learner.named].argmax(axis=1) == truth[:, None])).sum(axis=1)
        total = joint.sum(axis=1)
        true = joint[np.arange(len(truth)), truth]
        sure[part] = np.divide(true, total, where=total > 0, out=np.zeros(true.shape))
        if ranks is not None:
            off[part] = (happens[part] * (ranks[truth][:, None] - mean_ranks(joint, ranks)) ** 2).sum(axis=1)
    return right, sure, happens, None if ranks is None else off


def _chances(learner: Learner, inputs: Codes, given: Codes, matrix: Floats, width: int) -> Floats:
    """q(y|class, given): the mean over the rows that have both."""
    groups = int(given.max()) + 1
    place = given[learner.rows] * width + learner.letters
    weight = np.bincount(place, minlength=groups * width).astype(np.float64)
    read = np.bincount(place * len(matrix) + inputs[learner.rows], minlength=groups * width * len(matrix))
    chances = read.reshape(groups * width, len(matrix)) @ matrix
    chances = np.divide(chances, weight[:, None], where=weight[:, None] > 0, out=chances)
    return np.asarray(chances).reshape(groups, width, -1)


def _own_law(own: BoundColumn, values: Mapping[str, Any]) -> tuple[Codes, Floats]:
    """Of each row the number of what its mechanism reads, and q(y|read) of each."""
    noise = own.mechanism.noise
    if noise is None:
        channel = own.mechanism.channel()
        assert channel is not None
        return own.form.inputs([values[name] for name in own.reads]), _merged(np.asarray(channel.matrix))
    steps = own.form.inputs([values[own.reads[0]]])
    numbers = np.asarray(noise.from_grid(steps), dtype=np.float64)
    law, points = law_of_noise(noise, numbers, np.full(len(numbers), 1 / len(numbers)), FEWEST_BINS)
    assert law.channel is not None
    near = np.clip(np.searchsorted((points[1:] + points[:-1]) / 2, numbers), 0, len(points) - 1)
    return near.astype(np.int64), _merged(np.asarray(law.channel.matrix))


def _merged(matrix: Floats) -> Floats:
    """At most so many outputs: neighbours as one."""
    if matrix.shape[1] <= MOST_OUTPUTS:
        return matrix
    share_before = np.cumsum(matrix.mean(axis=0))
    at = np.minimum((share_before * MOST_OUTPUTS).astype(np.int64), MOST_OUTPUTS - 1)
    starts = np.unique(at, return_index=True)[1]
    return np.asarray(np.add.reduceat(matrix, starts, axis=1))
