"""Attribute inference by the best guess: the attacker knows the mechanism and how often everything occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Anchors, Attack, independent_advantage, raw_advantage, scored
from leakgauge.audit.attacks.rows import AT_ONCE, MOST_SCORES
from leakgauge.audit.outputs import Outputs
from leakgauge.case.columns import equal_rows, groups, numbered
from leakgauge.case.drawn import Drawn, ReleasedSecret
from leakgauge.measures.countability import is_countable
from leakgauge.notions.ceilings import ceiling
from leakgauge.probability.cells import Codes, Floats


def attribute_inference(drawn: Drawn) -> tuple[Finding, ...]:
    """A finding for each released secret: x̂ = argmax p(x|z) q(y|x), p being the shares in the original itself.

    z is what is known, and what is published as it is where the table has five rows for each cell.

    Its success is expected to be the Bayes vulnerability of the secret given release and background, and nobody does
    better. The rows of the independent release are those of the release in random order (simulation only), and the
    attacker looks at half of them to see whether they help at all. In the raw release every guess is right.
    """
    return tuple(_finding(drawn, secret) for secret in drawn.released_secrets)


def _finding(drawn: Drawn, secret: ReleasedSecret) -> Finding:
    draws = drawn.draws()
    seen = _seen(drawn, secret)
    knowledge = Knowledge.of(seen, secret.letters, secret.column.inputs)
    plain = knowledge.best_without()
    known = Knowledge.of(drawn.background, secret.letters, secret.letters).best_without()
    targets = _targets(drawn, secret, seen, draws)
    units = None if drawn.units is None else drawn.units[targets]
    x, z, outputs = secret.letters[targets], seen[targets], secret.column.outputs[targets]
    without = known.guesses(drawn.background[targets]) == x
    right = guesses(secret, knowledge, z, outputs) == x
    order = draws.permutation(len(x))
    permuted = guesses(secret, knowledge, z, outputs[order]) == x
    score = scored(right, without, units)
    return score.finding(
        ATTRIBUTE_INFERENCE,
        drawn,
        secret.names,
        drawn.knows,
        Anchors(
            independent=independent_advantage(permuted, plain.guesses(z) == x, draws, drawn.confidence, units),
            raw=raw_advantage(without, drawn.confidence, units),
            # Relative to what is seen unchanged: a public column that reveals the secret is not held against it.
            ceiling=ceiling(secret.column.promises, plain.share, plain.letters, plain.rows),
        ),
    )


def _seen(drawn: Drawn, secret: ReleasedSecret) -> Codes:
    """For each row the number of what is known and published of it, where that is seen often enough to be counted."""
    together = numbered(drawn.background, drawn.classes, rows=drawn.rows)
    cells = (int(together.max()) + 1) * (int(secret.letters.max()) + 1)
    if is_countable(cells, drawn.people):
        return together
    # The columns a claim is conditional on always count as known: the ceiling is relative to them.
    return numbered(drawn.background, secret.column.given, rows=drawn.rows)


def guesses(secret: ReleasedSecret, knowledge: Knowledge, background: Codes, outputs: Outputs) -> Codes:
    """The likeliest secret for each target; equal outputs with equal background are guessed once."""
    inputs = np.unique(knowledge.inputs)
    different, place = equal_rows(background, (outputs,))
    guessed = np.empty(len(different), dtype=np.int64)
    size = max(AT_ONCE // len(inputs), 1)
    for start in range(0, len(different), size):
        some = different[start : start + size]
        scores = secret.column.law.scores(inputs, outputs[some])
        guessed[start : start + size] = knowledge.guesses(background[some], scores, inputs)
    return guessed[place]


def _targets(drawn: Drawn, secret: ReleasedSecret, seen: Codes, draws: Generator) -> Codes:
    inputs = len(np.unique(secret.column.inputs))
    different = len(equal_rows(seen, (secret.column.outputs,))[0])
    if inputs * different <= MOST_SCORES:
        return np.arange(drawn.rows)
    return np.sort(draws.choice(drawn.rows, max(MOST_SCORES // inputs, min(drawn.targets, drawn.rows)), replace=False))


@dataclass(frozen=True, eq=False)
class Best:
    """For each background, increasing: its likeliest secret, the share it has, how many secrets occur, and rows."""

    background: Codes
    secret: Codes
    share: Floats
    letters: Codes
    rows: Codes

    def guesses(self, background: Codes) -> Codes:
        """The likeliest secret for each target."""
        return self.secret[np.searchsorted(self.background, background)]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """How often each background z, secret x and input u of the mechanism occur together, sorted by z, then x.

    The input need not be the secret: a mechanism may read other columns as well, or the secret may be a quantile.
    """

    background: Codes
    secrets: Codes
    inputs: Codes
    counts: Codes

    @classmethod
    def of(cls, background: Codes, secrets: Codes, inputs: Codes) -> Knowledge:
        """Counted over rows."""
        rows = np.lexsort((inputs, secrets, background))
        kept = np.stack([background[rows], secrets[rows], inputs[rows]])
        first = np.flatnonzero(np.concatenate([[True], (np.diff(kept, axis=1) != 0).any(axis=0)]))
        counts = np.diff(np.append(first, kept.shape[1]))
        return cls(kept[0, first], kept[1, first], kept[2, first], counts.astype(np.int64))

    def best_without(self) -> Best:
        """For each background its likeliest secret, without any release."""
        first = np.flatnonzero(np.concatenate([[True], (np.diff(self.background) != 0) | (np.diff(self.secrets) != 0)]))
        per_secret = np.add.reduceat(self.counts, first)
        background, secrets = self.background[first], self.secrets[first]
        starts = np.flatnonzero(np.concatenate([[True], np.diff(background) != 0]))
        sizes = np.diff(np.append(starts, len(first)))
        totals = np.add.reduceat(per_secret, starts)
        most = np.maximum.reduceat(per_secret, starts)
        # The first of equals, as everywhere.
        order = np.lexsort((np.arange(len(first)), -per_secret, background))
        return Best(background[starts], secrets[order[starts]], most / totals, sizes.astype(np.int64), totals)

    def guesses(self, background: Codes, scores: Floats, inputs: Codes) -> Codes:
        """The likeliest secret for each target, from log q(y|u) for each of some increasing inputs and each target."""
        guessed = np.empty(len(background), dtype=np.int64)
        at = np.searchsorted(inputs, self.inputs)
        for z, targets in groups(background):
            first, last = np.searchsorted(self.background, [z, z + 1])
            logs = scores[np.ix_(at[first:last], targets)]
            top = logs.max(axis=0)
            top[~np.isfinite(top)] = 0.0
            weights = self.counts[first:last, None] * np.exp(logs - top)
            secrets = self.secrets[first:last]
            starts = np.flatnonzero(np.concatenate([[True], np.diff(secrets) != 0]))
            guessed[targets] = secrets[starts][np.add.reduceat(weights, starts, axis=0).argmax(axis=0)]
        return guessed


ATTRIBUTE_INFERENCE = Attack(
    Sentence("attribute inference, best guess"),
    Sentence("the most likely value, given the mechanism and how often each value occurs with what is known"),
    Aim.SECRET,
    attribute_inference,
)
