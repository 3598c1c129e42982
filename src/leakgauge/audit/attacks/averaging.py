"""Averaging: the same secret released again and again, until the noise cancels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Anchors, Attack, independent_advantage, raw_advantage, scored
from leakgauge.audit.attacks.attribute_inference import Knowledge
from leakgauge.audit.attacks.rows import AT_ONCE, MOST_SCORES
from leakgauge.audit.outputs import Outputs
from leakgauge.case.columns import numbered
from leakgauge.case.drawn import Drawn, ReleasedSecret, fresh
from leakgauge.notions.ceilings import ceiling
from leakgauge.probability.cells import Codes, Truths

RELEASES = (1, 2, 4, 8, 16)
RELEASED_AGAIN = range(1, RELEASES[-1])
_TITLE = "averaging, {releases:d} releases"
_ONE_RELEASE = Sentence("averaging, 1 release")


def averaging(drawn: Drawn) -> tuple[Finding, ...]:
    """For each secret a curve of findings: the best guess from 1, 2, 4, 8 and 16 releases of the same values.

    The releases are drawn from a seed: a simulation of what repeated releases without a ledger would leak.
    The claim of k releases is k times that of one. Where people keep their noise, every release of the same value is
    the one that was drawn: its claim is that of one, and whoever knows that guesses from one of them.
    """
    return tuple(finding for secret in drawn.released_secrets for finding in _curve(drawn, secret))


def _curve(drawn: Drawn, secret: ReleasedSecret) -> Iterator[Finding]:
    draws = drawn.draws()
    column = secret.column
    # The columns the claim is conditional on are published, so an averaging attacker knows them too.
    known = numbered(drawn.background, column.given, rows=drawn.rows)
    knowledge = Knowledge.of(known, secret.letters, column.inputs)
    best = knowledge.best_without()
    most = max(MOST_SCORES // (2 * RELEASES[-1] * len(np.unique(column.inputs))), 16)
    targets = draws.permutation(drawn.rows)[: min(drawn.targets, most)]
    x, z = secret.letters[targets], known[targets]
    noise, kept = fresh(draws), drawn.keeps_noise(column)
    released = column.outputs[targets] if kept else column.law.draw(column.inputs[targets], noise)
    outputs = [released, *(column.law.draw(column.inputs[targets], noise) for _ in RELEASED_AGAIN if not kept)]
    shuffled = draws.permutation(len(targets))
    found = _guessed(secret, knowledge, z, outputs)
    by_chance = _guessed(secret, knowledge, z, [one[shuffled] for one in outputs])
    units = drawn.units[targets] if kept and drawn.units is not None else None
    before = Knowledge.of(drawn.background, secret.letters, secret.letters).best_without()
    without: Truths = before.guesses(drawn.background[targets]) == x
    for releases in RELEASES:
        draws_of_a_value = 1 if kept else releases
        score = scored(found[draws_of_a_value] == x, without, units)
        promised = [promise.times(draws_of_a_value) for promise in column.promises]
        yield score.finding(
            replace(AVERAGING, title=_ONE_RELEASE if releases == 1 else Sentence(_TITLE, releases=releases)),
            drawn,
            secret.names,
            drawn.knows,
            Anchors(
                independent=independent_advantage(
                    by_chance[draws_of_a_value] == x, without, draws, drawn.confidence, units
                ),
                raw=raw_advantage(without, drawn.confidence, units),
                ceiling=ceiling(promised, best.share, best.letters, best.rows),
            ),
        )


def _guessed(
    secret: ReleasedSecret, knowledge: Knowledge, background: Codes, outputs: list[Outputs]
) -> dict[int, Codes]:
    """The guesses after so many releases."""
    inputs = np.unique(knowledge.inputs)
    guessed = {releases: np.empty(len(background), dtype=np.int64) for releases in RELEASES}
    size = max(AT_ONCE // len(inputs), 1)
    for start in range(0, len(background), size):
        some = slice(start, start + size)
        total = np.zeros((len(inputs), len(background[some])))
        for number, made in enumerate(outputs, 1):
            total += secret.column.law.scores(inputs, made[some])
            if number in guessed:
                guessed[number][some] = knowledge.guesses(background[some], total, inputs)
    return guessed


AVERAGING = Attack(
    Sentence(_TITLE),
    Sentence("the most likely value, given simulated releases of the same value"),
    Aim.SECRET,
    averaging,
    judged=False,
    repeated=True,
)
