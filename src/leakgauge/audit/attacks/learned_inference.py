"""Attribute inference learnt from data: the attacker knows no mechanism, but saw both sides of some rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Attack, Score, Truths, scored
from leakgauge.audit.attacks.case import Case, Secret
from leakgauge.audit.attacks.ceilings import ceiling
from leakgauge.audit.attacks.columns import binned, numbered, quantile_edges
from leakgauge.audit.attacks.posterior import Knowledge
from leakgauge.audit.attacks.rows import equal_rows
from leakgauge.audit.outputs import Outputs
from leakgauge.probability.cells import Codes, Floats

BINS = (4, 16, 64)
"""Released numbers are gathered into so many quantiles; which number serves best is learnt as well."""
MOST_CELLS = 1 << 24
"""Beyond this the guess by a table of likelihoods is left out."""

Guess = Callable[[Codes], Codes]
"""From rows to guessed secrets."""


def learned_inference(case: Case, training_share: float = 0.5) -> tuple[Finding, ...]:
    """A finding for each secret: guesses learnt on a random part of the rows, counted on the rest.

    The ways to guess are: the commonest secret among training rows with the same background alone, with the same
    release and background, and the likeliest by p(x|z) p(y|x). A quarter of the training rows chooses among those
    learnt on the others, and keeps to the background alone unless the release clearly helps, so that a release that
    tells nothing gains nothing. In the independent release the outputs stand in random order; in the raw one the
    output is the secret itself. Splits follow from a seed: simulation only.
    """
    return tuple(_finding(case, secret, training_share) for secret in case.secrets)


def _finding(case: Case, secret: Secret, training_share: float) -> Finding:
    draws = case.draws()
    order = draws.permutation(case.rows)
    cut = min(max(round(training_share * case.rows), 4), case.rows - 4)
    training, targets = order[:cut], order[cut:]
    x, z = secret.letters, case.background
    numeric = secret.column.mechanism.noise is not None
    shuffled = secret.column.outputs[draws.permutation(case.rows)]
    score, by_chance, as_is = (
        _score(_Learner(outputs, z, x, bins), training, targets)
        for outputs, bins in ((secret.column.outputs, numeric), (shuffled, numeric), (x, False))
    )
    # Of the targets themselves: not even who knew their shares could do better.
    best = Knowledge.of(z[targets], x[targets], x[targets]).best_without()
    return score.finding(
        LEARNED_INFERENCE,
        case,
        secret.names,
        case.knows,
        independent=by_chance.advantage(case.confidence),
        raw=as_is.advantage(case.confidence),
        ceiling=ceiling(secret.column.promises, best.share, best.letters, best.rows),
    )


def _score(learner: _Learner, training: Codes, targets: Codes) -> Score:
    truth = learner.x[targets]
    without: Truths = learner.by_background(training)(targets) == truth
    right: Truths = learner.learnt(training)(targets) == truth
    return scored(right, without)


@dataclass(frozen=True, eq=False)
class _Learner:
    """Outputs, background and secrets of all rows; what is learnt is learnt from the rows named alone."""

    outputs: Outputs
    z: Codes
    x: Codes
    numeric: bool

    def learnt(self, rows: Codes) -> Guess:
        """The way to guess that did best on rows it was not learnt from, learnt again from all."""
        held = max(len(rows) // 4, 1)
        kept, rest = rows[held:], rows[:held]
        truth = self.x[rest]
        without: Truths = self.by_background(kept)(rest) == truth
        chosen, most = 0, 0.0
        for number, guess in enumerate(self._ways(kept), 1):
            score = scored(guess(rest) == truth, without)
            # Two standard deviations of the difference, else it may be chance.
            gain = score.gained - score.lost - 2 * np.sqrt(score.gained + score.lost)
            if gain > most:
                chosen, most = number, gain
        if not chosen:
            return self.by_background(rows)
        return next(guess for number, guess in enumerate(self._ways(rows), 1) if number == chosen)

    def by_background(self, rows: Codes) -> Guess:
        """The commonest secret with the same background; where that was not seen, the commonest of all."""
        return _commonest(self.z, self.x, rows, _always(int(np.bincount(self.x[rows]).argmax())))

    def _ways(self, rows: Codes) -> Iterator[Guess]:
        fallback = self.by_background(rows)
        for codes in self._codings(rows):
            both = numbered(self.z, codes, rows=len(codes))
            yield _commonest(both, self.x, rows, fallback)
            yield self._likeliest(codes, rows) or fallback

    def _codings(self, rows: Codes) -> Iterator[Codes]:
        """Each way to number the outputs."""
        if not self.numeric:
            yield equal_rows(np.zeros(len(self.x), dtype=np.int64), (self.outputs,))[1]
            return
        for bins in BINS:
            yield binned(self.outputs, quantile_edges(self.outputs[rows], bins))

    def _likeliest(self, codes: Codes, rows: Codes) -> Guess | None:
        """argmax p(x|z) p(y|x): few counts where background and release do not meet often. None where too large."""
        secrets, background = int(self.x.max()) + 1, int(self.z.max()) + 1
        kinds, place = equal_rows(self.z, (codes,))
        if secrets * max(background, int(codes.max()) + 1, len(kinds)) > MOST_CELLS:
            return None
        prior = np.bincount(self.x[rows] * background + self.z[rows], minlength=secrets * background)
        common = np.bincount(self.x[rows], minlength=secrets) / len(rows)
        # Half an observation shared by all, so that a background not seen before is as the others.
        prior_logs = np.log(prior.reshape(secrets, background) + 0.5 * common[:, None] + 1e-12)
        scores = prior_logs[:, self.z[kinds]] + self._output_logs(codes, rows, secrets, kinds)
        guessed = scores.argmax(axis=0)[place]
        return lambda some: np.asarray(guessed[some])

    def _output_logs(self, codes: Codes, rows: Codes, secrets: int, kinds: Codes) -> Floats:
        """log p(y|x), learnt; of a set of letters letter by letter."""
        if self.outputs.ndim == 2:
            held = np.zeros((secrets, self.outputs.shape[1]))
            np.add.at(held, self.x[rows], self.outputs[rows])
            shares = (held + 0.5) / (np.bincount(self.x[rows], minlength=secrets)[:, None] + 1)
            sets = self.outputs[kinds].T.astype(np.float64)
            return np.asarray(np.log(shares) @ sets + np.log(1 - shares) @ (1 - sets))
        letters = int(codes.max()) + 1
        counts = np.bincount(self.x[rows] * letters + codes[rows], minlength=secrets * letters)
        smooth = counts.reshape(secrets, letters) + 0.5
        return np.asarray(np.log(smooth / smooth.sum(axis=1, keepdims=True))[:, codes[kinds]])


def _always(secret: int) -> Guess:
    return lambda rows: np.full(len(rows), secret, dtype=np.int64)


def _commonest(keys: Codes, x: Codes, rows: Codes, otherwise: Guess) -> Guess:
    """The commonest secret among rows with the same key."""
    best = Knowledge.of(keys[rows], x[rows], x[rows]).best_without()

    def guess(some: Codes) -> Codes:
        at = np.minimum(np.searchsorted(best.background, keys[some]), len(best.background) - 1)
        known = best.background[at] == keys[some]
        return np.where(known, best.secret[at], otherwise(some))

    return guess


LEARNED_INFERENCE = Attack(
    Sentence("attribute inference, learnt"),
    Sentence("the secret that other rows with such a release and background had, learnt from rows seen on both sides"),
    Aim.SECRET,
    learned_inference,
    knows_mechanism=False,
)
