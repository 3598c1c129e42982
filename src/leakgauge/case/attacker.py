"""The attacker who sees the whole release: one fit, and its predictions for the scored rows.

r(x|v) is learnt from everything seen unchanged. The secret's own released column enters through its mechanism, p(x|v,y)
∝ r(x|v) q(y|x), because its noise is independent of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.case.drawn import Drawn, Role, Secret
from leakgauge.case.learner import Chosen, Learner
from leakgauge.case.lookups import Predictor
from leakgauge.case.own_column import ByCounts, ByLaw, Likelihood, read_among_seen
from leakgauge.measures.held_out import bits_lost
from leakgauge.probability.cells import Codes, Floats, Truths

SHARPNESSES = (1.0, 2.0, 4.0)
_FITTED: WeakKeyDictionary[Drawn, dict[tuple[str, ...], Attacker]] = WeakKeyDictionary()
"""Fits by case: an audit asks for the same fit more than once."""


@dataclass(frozen=True, eq=False)
class Attacker:
    """What was learnt of one secret.

    Attributes:
        known: by what is known without the release.
        plain: by everything seen as it is but the secret's own released column.
        whole: by everything seen as it is. The secret's own column is among it where its mechanism is not known.
        own: what the secret's own released column says; None where it has none.
        sharpness: what r(x|v) is raised to before a guess. Where r knows the likeliest value better than how likely it
            is, a released value would outvote it too often.
    """

    learner: Learner
    known: Chosen
    plain: Chosen
    whole: Chosen
    own: Likelihood | None
    units: Codes | None
    sharpness: float = 1.0

    @classmethod
    def of(cls, drawn: Drawn, secret: Secret) -> Attacker:
        """Learnt once for each secret of a case."""
        fitted = _FITTED.setdefault(drawn, {})
        if secret.names not in fitted:
            learner = Learner.of(drawn, secret)
            known = learner.best(learner.places(Role.BACKGROUND), learner.prior)
            everywhere, seen_own = range(len(learner.columns)), learner.places(Role.OWN)
            plain = learner.best([at for at in everywhere if at not in seen_own], known)
            whole = learner.best(everywhere, plain) if seen_own else plain
            units = None if drawn.units is None else drawn.units[learner.rows[learner.score]]
            own = _own(drawn, secret, learner, whole.predictor)
            sharpness = _sharpness(learner, whole.predictor, own)
            fitted[secret.names] = cls(learner, known, plain, whole, own, units, sharpness)
        return fitted[secret.names]

    @cached_property
    def letters(self) -> Codes:
        """The class of each scored row."""
        return self.learner.letters[self.learner.score]

    @property
    def title(self) -> Sentence:
        """Which predictor was best."""
        return self.whole.title

    def by(self, predictor: Predictor) -> Floats:
        """r(x|v) of the scored rows."""
        return predictor(self.learner.seen[self.learner.score])

    @cached_property
    def everything(self) -> Floats:
        """p(x|v,y) of the scored rows."""
        return self.with_own(self.by(self.whole.predictor))

    def with_own(self, given: Floats, order: Codes | None = None) -> Floats:
        """r(x|v) q(y|x), normalised, y being that of the scored rows, or of the same in another order."""
        if self.own is None:
            return given
        rows = self.learner.rows[self.learner.score]
        return posterior(given, self.own(rows if order is None else rows[order], rows))

    def independent(self, order: Codes) -> Floats:
        """r(x|v) where everything released stands in another order, and what is known as it is."""
        seen = self.learner.seen[self.learner.score].copy()
        released = [at for at, one in enumerate(self.learner.columns) if one.role is not Role.BACKGROUND]
        seen[:, released] = seen[order][:, released]
        return self.whole.predictor(seen)

    def is_right(self, probabilities: Floats) -> Truths:
        """Whether the likeliest value is the secret of each scored row."""
        return _is_right(self.learner, probabilities, self.letters)

    def is_right_with_own(self, given: Floats, order: Codes | None = None) -> Truths:
        """The same by r(x|v) q(y|x), y being that of the scored rows, or of the same in another order."""
        return self.is_right(self.with_own(given**self.sharpness, order))


def posterior(given: Floats, logs: Floats) -> Floats:
    """r(x) q(y|x), normalised, for each row."""
    with np.errstate(divide="ignore"):
        scores = np.log(given) + logs
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _own(drawn: Drawn, secret: Secret, learner: Learner, plain: Predictor) -> Likelihood | None:
    """The law of the record, unless counted frequencies predict other rows clearly better."""
    if secret.column is None:
        return None
    rows, letters = learner.rows[learner.learn], learner.letters[learner.learn]
    law = ByLaw.of(secret.column, read_among_seen(drawn, secret.column), rows, letters, learner.width)
    counted = ByCounts.of(secret.column, rows, letters, learner.width)
    chosen, given = learner.rows[learner.choose], plain(learner.seen[learner.choose])
    truth = learner.letters[learner.choose]
    first, second = (
        Chosen(plain, bits_lost(posterior(given, one(chosen, chosen)), truth), Sentence()) for one in (law, counted)
    )
    return counted if second.is_clearly_better_than(first) else law


def _sharpness(learner: Learner, plain: Predictor, own: Likelihood | None) -> float:
    """That with which most of the rows to choose by are guessed."""
    if own is None:
        return 1.0
    rows, truth = learner.rows[learner.choose], learner.letters[learner.choose]
    given, logs = plain(learner.seen[learner.choose]), own(rows, rows)
    return max(SHARPNESSES, key=lambda one: int(_is_right(learner, posterior(given**one, logs), truth).sum()))


def _is_right(learner: Learner, probabilities: Floats, letters: Codes) -> Truths:
    """Whether the likeliest value is the secret of each row; the rest of the values is never guessed."""
    return np.asarray(probabilities[:, : learner.named].argmax(axis=1) == letters)
