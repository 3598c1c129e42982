"""Attribute inference by the best guess: the attacker knows the mechanism and how often everything occurs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Attack, independent_advantage, raw_advantage, scored
from leakgauge.audit.attacks.case import Case, ReleasedSecret
from leakgauge.audit.attacks.ceilings import ceiling
from leakgauge.audit.attacks.columns import numbered
from leakgauge.audit.attacks.posterior import Knowledge
from leakgauge.audit.attacks.rows import AT_ONCE, MOST_SCORES, equal_rows
from leakgauge.audit.outputs import Outputs
from leakgauge.probability.cells import Codes

if TYPE_CHECKING:
    from numpy.random import Generator


def attribute_inference(case: Case) -> tuple[Finding, ...]:
    """A finding for each released secret: x̂ = argmax p(x|z) q(y|x), p being the shares in the original itself.

    z is what is known, and what is published as it is where the table has five rows for each cell.

    Its success is expected to be the Bayes vulnerability of the secret given release and background, and nobody does
    better. The rows of the independent release are those of the release in random order (simulation only), and the
    attacker looks at half of them to see whether they help at all. In the raw release every guess is right.
    """
    return tuple(_finding(case, secret) for secret in case.released_secrets)


def _finding(case: Case, secret: ReleasedSecret) -> Finding:
    draws = case.draws()
    seen = _seen(case, secret)
    knowledge = Knowledge.of(seen, secret.letters, secret.column.inputs)
    plain = knowledge.best_without()
    known = Knowledge.of(case.background, secret.letters, secret.letters).best_without()
    targets = _targets(case, secret, seen, draws)
    units = None if case.units is None else case.units[targets]
    x, z, outputs = secret.letters[targets], seen[targets], secret.column.outputs[targets]
    without = known.guesses(case.background[targets]) == x
    right = guesses(secret, knowledge, z, outputs) == x
    order = draws.permutation(len(x))
    permuted = guesses(secret, knowledge, z, outputs[order]) == x
    score = scored(right, without, units)
    return score.finding(
        ATTRIBUTE_INFERENCE,
        case,
        secret.names,
        case.knows,
        independent=independent_advantage(permuted, plain.guesses(z) == x, draws, case.confidence, units),
        raw=raw_advantage(without, case.confidence, units),
        # Relative to what is seen unchanged: a public column that reveals the secret is not held against the mechanism.
        ceiling=ceiling(secret.column.promises, plain.share, plain.letters, plain.rows),
    )


def _seen(case: Case, secret: ReleasedSecret) -> Codes:
    """For each row the number of what is known and published of it, where that is seen often enough to be counted."""
    together = numbered(case.background, case.classes, rows=case.rows)
    cells = (int(together.max()) + 1) * (int(secret.letters.max()) + 1)
    if 5 * cells <= case.rows:
        return together
    # The columns a claim is conditional on always count as known: the ceiling is relative to them.
    return numbered(case.background, secret.column.given, rows=case.rows)


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


def _targets(case: Case, secret: ReleasedSecret, seen: Codes, draws: Generator) -> Codes:
    inputs = len(np.unique(secret.column.inputs))
    different = len(equal_rows(seen, (secret.column.outputs,))[0])
    if inputs * different <= MOST_SCORES:
        return np.arange(case.rows)
    return np.sort(draws.choice(case.rows, max(MOST_SCORES // inputs, min(case.targets, case.rows)), replace=False))


ATTRIBUTE_INFERENCE = Attack(
    Sentence("attribute inference, best guess"),
    Sentence("the likeliest secret, given the mechanism and how often each secret occurs with what is known"),
    Aim.SECRET,
    attribute_inference,
)
