"""Record linkage: which released row is this person's?"""

from __future__ import annotations

import numpy as np

from leakgauge.artefacts import Finding, Sentence
from leakgauge.audit.attacks.attack import Aim, Anchors, Attack, scored
from leakgauge.audit.attacks.rows import AS_IS, Crowd
from leakgauge.case.columns import equal_rows
from leakgauge.case.drawn import Drawn
from leakgauge.notions.ceilings import ceiling
from leakgauge.probability.cells import Codes, Floats, Truths

_SAME = 1e-9
"""Likelihoods whose logarithms differ by less are equal but for rounding."""


def record_linkage(drawn: Drawn) -> tuple[Finding, ...]:
    """One finding: the attacker knows all values of a person that went into the release, and looks for the row.

    Among the rows with the same public values, as if their order were unknown, it takes the one with the largest
    Π q(y|x)/r(y), r being how often y is released: likely for this person and unlikely for others. Of equals it takes
    one at random. Without the protected columns it takes any row with the same public values, or any row at all where
    these are not known. In the independent release the protected values, or all of them, stand in random order. Chance
    follows from a seed: simulation only.
    """
    draws = drawn.draws()
    targets = draws.permutation(drawn.rows)[: drawn.targets]
    luck = draws.random(len(targets))
    laws = [column.law for column in drawn.columns]
    made = [column.outputs for column in drawn.columns]
    shuffled = draws.permutation(drawn.rows)
    right, by_chance, as_is = (
        _linked(drawn, crowd, targets, luck)
        for crowd in (
            Crowd.of(laws, drawn.classes, made),
            Crowd.of(
                laws,
                drawn.classes if drawn.public_is_known else drawn.classes[shuffled],
                [column[shuffled] for column in made],
            ),
            Crowd.of([AS_IS] * len(laws), drawn.classes, [column.inputs for column in drawn.columns]),
        )
    )
    sizes = np.bincount(drawn.classes)[drawn.classes[targets]]
    # The same luck with and without: who is found among n is found among fewer.
    without = luck < 1 / (sizes if drawn.public_is_known else drawn.rows)
    score = scored(right, without)
    return (
        score.finding(
            RECORD_LINKAGE,
            drawn,
            tuple(name for column in drawn.columns for name in column.writes),
            (*drawn.reads, *drawn.public),
            Anchors(
                independent=scored(by_chance, without).advantage(drawn.confidence),
                raw=scored(as_is, without).advantage(drawn.confidence),
                ceiling=ceiling([one.swapped() for one in drawn.together], 1 / sizes, sizes, np.ones(len(sizes))),
            ),
        ),
    )


def _linked(drawn: Drawn, crowd: Crowd, targets: Codes, luck: Floats) -> Truths:
    """Whether each target's own row is taken."""
    inputs = [column.inputs[targets] for column in drawn.columns]
    different, place = equal_rows(drawn.classes[targets], inputs)
    by_kind = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[by_kind], np.arange(len(different) + 1))
    own = crowd.kind[targets]
    shares = crowd.log_shares([column.inputs for column in drawn.columns])
    right = np.zeros(len(targets), dtype=np.bool_)
    for some, rows, scores in crowd.compared(
        drawn.classes[targets[different]], [column[different] for column in inputs]
    ):
        scores -= shares[rows]
        best = scores.max(axis=1)
        slack = np.where(np.isfinite(best), _SAME * (1 + np.abs(best)), 0.0)
        equals = scores >= (best - slack)[:, None]
        among = equals @ crowd.copies[rows]
        for at, kind in enumerate(some.tolist()):
            mine = by_kind[starts[kind] : starts[kind + 1]]
            # Where public values are not those of the person, the row is not among those that are compared.
            compared = mine[(own[mine] >= rows.start) & (own[mine] < rows.stop)]
            right[compared] = equals[at, own[compared] - rows.start] & (luck[compared] < 1 / among[at])
    return right


RECORD_LINKAGE = Attack(
    Sentence("record linkage"),
    Sentence(
        "among rows with the same public values, the one with the highest likelihood for this person relative to others"
    ),
    Aim.ROW,
    record_linkage,
)
