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
from leakgauge.artefacts.dials import Attacker, share
from leakgauge.assessment.dials import law_of_noise
from leakgauge.assessment.dials.protection import CERTAIN, NEARER
from leakgauge.audit.attacks.attack import Truths
from leakgauge.audit.attacks.attacker import Attacker as Fitted
from leakgauge.audit.attacks.case import Case, Secret
from leakgauge.audit.attacks.columns import codes_of, columns_of, letters_of, numbered, ranks_of, sample_of, values_of
from leakgauge.audit.attacks.seen import Role, SeenColumn
from leakgauge.measures.held_out import held_out_information
from leakgauge.probability import Estimate
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Simulated

if TYPE_CHECKING:
    from leakgauge.assessment.outgoing.release import Outgoing
    from leakgauge.release.bound import BoundColumn

MOST_OUTPUTS = 128
"""Released values that are told apart: neighbours are taken as one where there are more."""
AT_ONCE = 1 << 22
"""Probabilities held in memory."""
MOST_SCORED = 5_000
"""Rows that outputs are averaged over: more change the last digit that is shown."""
FEWEST_HOLDERS = 50
"""Scored rows of a value below which it is counted together with others that are as rare."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """A fitted attacker, and of every scored row what the secret's own column may show.

    Attributes:
        before: r(x|known) of the scored rows.
        seen: r(x|v).
        letters: the class of the secret.
        named: classes that are one value each.
        right: of each scored row the chance that the best guess is right, the own column included.
        sure: the chance-weighted share by which its value is made all but certain.
        entropy: of the secret, in bits.
        independent: rows, or persons, that the scored rows are worth.
    """

    before: Floats
    seen: Floats
    letters: Codes
    named: int
    right: Floats
    sure: Floats
    entropy: float
    knows: tuple[str, ...]
    units: Codes | None
    confidence: float

    def attackers(self, own: float, of_numbers: bool) -> tuple[Attacker, ...]:
        """An attacker who knows the background, and one who only sees the release; ``own`` are bits of the own
        channel."""
        everything = held_out_information(self.letters, self.seen, self.units, self.confidence)
        nothing = Estimate(0.0, 0.0, 0.0, self.confidence, len(self.letters))
        known = nothing
        if self.knows:
            known = held_out_information(self.letters, self.before, self.units, self.confidence)
        guessed = self._guessed(self.before)
        most_common = np.full(len(self.letters), np.bincount(self.letters)[: self.named].argmax()) == self.letters
        # For an attacker who knows nothing, the background counts as learnt too: that errs towards privacy.
        found = [self._attacker((), most_common, self._told(everything, nothing, own, of_numbers))]
        if self.knows:
            found.append(self._attacker(self.knows, guessed, self._told(everything, known, own, of_numbers)))
        return tuple(found)

    def _attacker(self, knows: tuple[str, ...], before: Truths, told: Quantity) -> Attacker:
        return Attacker(knows, self._gained(before), told, 1 - float(before.mean()))

    def _guessed(self, probabilities: Floats) -> Truths:
        return np.asarray(probabilities[:, : self.named].argmax(axis=1) == self.letters)

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

    def _told(self, everything: Estimate, known: Estimate, own: float, of_numbers: bool) -> Quantity:
        def ratio(seen: float, before: float) -> float:
            left, told = self.entropy - before, min(seen + own, self.entropy) - before
            if left <= 0:
                return 1.0
            if of_numbers:
                return math.expm1(-2 * max(told, 0) * math.log(2)) / math.expm1(-2 * left * math.log(2))
            return max(told, 0.0) / left

        value = ratio(everything.value, known.value)
        # What is not seen twice over is at least what either tells: the own channel alone, or the rest.
        low, high = ratio(everything.low - own, min(known.high, everything.low)), ratio(everything.high, known.low)
        return share(value, float(min(low, value)), float(max(high, value)), self.confidence)

    def exposed(self) -> Quantity:
        """The largest share, over values, of those who are made all but certain."""
        held = np.bincount(self.letters, minlength=self.seen.shape[1])
        classes = np.where(held[self.letters] < FEWEST_HOLDERS, -1, self.letters)
        parts = [self.sure[classes == one] for one in np.unique(classes)]
        worst = max(parts, key=lambda part: float(part.mean()))
        from scipy.special import ndtri

        error = float(ndtri(self.confidence)) * float(worst.std()) / math.sqrt(len(worst))
        return self._share(float(worst.mean()), error)


def learnt_from(going: Outgoing, secret: tuple[str, ...]) -> Learnt:
    """What is learnt about a secret from the whole release; other mechanisms enter by a seeded simulation."""
    own = going.own(secret)
    fitted, before, seen, values, letters_by_row = _fitted(going, secret)
    rows = fitted.learner.rows
    scored = fitted.learner.score[:MOST_SCORED]
    letters = fitted.letters[:MOST_SCORED]
    counts = going.table.counts(*secret, limit=max(going.table.rows, 1)).distribution(*secret).probabilities
    entropy = float(-(counts[counts > 0] * np.log2(counts[counts > 0])).sum())
    units = None if fitted.units is None else fitted.units[:MOST_SCORED]
    if own is None:
        right = (seen[:, : fitted.learner.named].argmax(axis=1) == letters).astype(np.float64)
        at = seen[np.arange(len(letters)), letters]
        sure = sureness(at, before[np.arange(len(letters)), letters])
    else:
        inputs, matrix = _own_law(own, values)
        given = numbered(
            *(values_of(values[name], name) for name in own.reads if name not in secret), rows=len(letters_by_row)
        )
        right, sure = _by_own(
            seen, before, letters, fitted.learner.named, inputs, matrix, given, rows, scored, fitted.learner.letters
        )
    return Learnt(
        before,
        seen,
        letters,
        fitted.learner.named,
        right,
        sure,
        entropy,
        going.background,
        units,
        going.confidence,
    )


def _fitted(going: Outgoing, secret: tuple[str, ...]) -> tuple[Fitted, Floats, Floats, Mapping[str, Any], Codes]:
    """The attacker who learns from what is seen beside the secret's own column; once for settings that agree in it.

    With it what was known and what is seen of the scored rows, and the columns.
    """
    plan, own = going.plan, going.own(secret)
    others = [one for one in plan.columns if one is not own]
    public = tuple(name for name in plan.public if name not in going.background)
    key = (
        *(secret, going.background, public, going.unit, repr(sorted(plan.bins.items(), key=lambda one: one[0]))),
        repr(plan.suppression),
        tuple((one.name, repr(one.mechanism)) for one in others),
    )
    names = dict.fromkeys((*secret, *going.background, *plan.reads, *(() if going.unit is None else (going.unit,))))
    if key not in going.learnt:
        sample = sample_of(going.table.rows) if going.unit is None else None
        values = columns_of(going.table, tuple(names), sample)
        rows = len(values[secret[0]])
        columns = [SeenColumn(one, Role.BACKGROUND, *ranks_of(values[one], one)) for one in going.background]
        columns += [SeenColumn(one, Role.PUBLIC, *ranks_of(values[one], one)) for one in public]
        for number, one in enumerate(others):
            drawn = one.form.law.draw(one.form.inputs([values[name] for name in one.reads]), Simulated(number))
            columns.append(SeenColumn(one.name, Role.PROTECTED, codes_of(drawn), one.mechanism.noise is not None))
        letters, each = (
            numbered(*(of(values[one], one) for one in secret), rows=rows) for of in (letters_of, values_of)
        )
        hidden, nobody = Secret(secret, None, letters, each), np.zeros(rows, dtype=np.int64)
        units = None if going.unit is None else values_of(values[going.unit], going.unit)
        case = Case(
            *((), (hidden,), nobody, going.background, nobody, public, (), going.confidence),
            seen=tuple(columns),
            units=units,
        )
        fitted = Fitted.of(case, hidden)
        before, seen = (fitted.by(one.predictor)[:MOST_SCORED] for one in (fitted.known, fitted.plain))
        going.learnt[key] = fitted, before, seen, values, letters
    found: tuple[Fitted, Floats, Floats, Mapping[str, Any], Codes] = going.learnt[key]
    return found


def _own_law(own: BoundColumn, values: Mapping[str, Any]) -> tuple[Codes, Floats]:
    """Of each row the number of what its mechanism reads, and q(y|read) of each."""
    noise = own.mechanism.noise
    if noise is None:
        channel = own.mechanism.channel()
        assert channel is not None
        return own.form.inputs([values[name] for name in own.reads]), _merged(np.asarray(channel.matrix))
    steps = own.form.inputs([values[own.reads[0]]])
    numbers = np.asarray(noise.from_grid(steps), dtype=np.float64)
    law, points = law_of_noise(noise, numbers, np.full(len(numbers), 1 / len(numbers)), bins=32)
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


def sureness(posterior: Floats, before: Floats) -> Floats:
    """How far a value is made all but certain, from 0 to 1, by what was known of it before."""
    doubt = 1 - before
    room = np.minimum(1 - CERTAIN, doubt / NEARER)
    beyond = np.maximum(room - (1 - posterior), 0.0)
    return np.divide(beyond, room, where=room > 1e-12, out=np.zeros(np.shape(beyond)))


def _by_own(
    seen: Floats,
    before: Floats,
    letters: Codes,
    named: int,
    inputs: Codes,
    matrix: Floats,
    given: Codes,
    rows: Codes,
    scored: Codes,
    every_letter: Codes,
) -> tuple[Floats, Floats]:
    """Of each scored row how often the best guess is right, and how far its value is made certain, over its outputs."""
    width, outputs, groups = seen.shape[1], matrix.shape[1], int(given.max()) + 1
    # q(y|class, given): the mean over the rows that have both.
    place = given[rows] * width + every_letter
    weight = np.bincount(place, minlength=groups * width).astype(np.float64)
    chances = np.zeros((groups * width, outputs))
    read = np.bincount(place * len(matrix) + inputs[rows], minlength=groups * width * len(matrix))
    chances = read.reshape(groups * width, len(matrix)) @ matrix
    chances = np.divide(chances, weight[:, None], where=weight[:, None] > 0, out=chances).reshape(
        groups, width, outputs
    )
    right, sure = np.zeros(len(letters)), np.zeros(len(letters))
    step = max(AT_ONCE // (width * outputs), 1)
    for start in range(0, len(letters), step):
        part = slice(start, start + step)
        at = rows[scored[part]]
        joint = seen[part][:, :, None] * chances[given[at]]
        happens = matrix[inputs[at]]
        truth = letters[part]
        right[part] = (happens * (joint[:, :named].argmax(axis=1) == truth[:, None])).sum(axis=1)
        total = joint.sum(axis=1)
        own = joint[np.arange(len(truth)), truth]
        posterior = np.divide(own, total, where=total > 0, out=np.zeros(own.shape))
        known = before[part][np.arange(len(truth)), truth][:, None]
        sure[part] = (happens * sureness(posterior, np.broadcast_to(known, posterior.shape))).sum(axis=1)
    return right, sure
