"""What attacks find in a release made elsewhere, and the level that its rows show: from the matched rows alone."""

from __future__ import annotations

import itertools

import msgspec
import numpy as np

from leakgauge.artefacts import Finding, Sentence, Shown
from leakgauge.audit.attacks.attack import Aim, Attack
from leakgauge.audit.attacks.catalogue import ATTACKS
from leakgauge.audit.experiment import Counting
from leakgauge.audit.foreign.columns import Changed
from leakgauge.audit.foreign.release import ForeignRelease
from leakgauge.audit.released_rows import FEWEST_ROWS, expected_level, shown_by_groups
from leakgauge.case.drawn import Drawn
from leakgauge.claims import LocalDP
from leakgauge.probability.cells import Codes
from leakgauge.randomness import simulation

_INPUTS = 8
"""The most frequent values, of which a pair is chosen."""
_CHOOSING = 4
"""One row in so many chooses the pair; the others prove."""


def attack_foreign(release: ForeignRelease, progress: Counting | None = None) -> tuple[Finding, ...]:
    """The findings of every possible attack, in a fixed order; each uses only the matched rows."""
    findings: list[Finding] = []
    for done, one in enumerate(ATTACKS.values(), 1):
        drawn = _case(release, one)
        if drawn is not None:
            findings += [_told(one, found) for found in one.find(drawn)]
        if progress is not None:
            progress(done, len(ATTACKS))
    return tuple(findings)


def left_out(release: ForeignRelease) -> tuple[Sentence, ...]:
    """The attacks that cannot be tried."""
    return tuple(Sentence(_name(one)) for one in ATTACKS.values() if _case(release, one) is None)


def _case(release: ForeignRelease, attack: Attack) -> Drawn | None:
    """What an attack is tried on; None where it would have to make the release again, or has nothing to compare."""
    if not attack.judged:
        return None
    if attack.aim in (Aim.ROW, Aim.PERSON):
        return release.linking if release.changed else None
    return release.guessing if attack.knows_mechanism else release.seen


def _name(attack: Attack) -> str:
    return attack.title.template.partition(",")[0]


def _told(attack: Attack, found: Finding) -> Finding:
    if not attack.knows_mechanism:
        return found
    method = Sentence("{method}; the changes of values are estimated from the matched rows", method=found.method)
    return msgspec.structs.replace(found, method=method)


def shown_by_matched_rows(column: Changed, confidence: float, simulation_seed: int) -> Shown | None:
    """The ε that the released values of two true values show at least; None where too few rows share a value.

    If too few rows share a number, rows of the lowest quarter are compared with those of the highest: mixtures are no
    easier to distinguish than the values in them.
    """
    order = simulation(simulation_seed).permutation(len(column.original))
    chooses, proves = order[::_CHOOSING], np.delete(order, slice(None, None, _CHOOSING))
    pair = _pair(column.original, column.released, chooses, proves)
    if pair is not None:
        groups = {f"value {at}": proves[column.original[proves] == one] for at, one in enumerate(pair, 1)}
    elif column.ordered:
        low, high = np.quantile(column.original, [0.25, 0.75], method="inverted_cdf")
        groups = {
            "rows of the lowest quarter": proves[column.original[proves] <= low],
            "rows of the highest quarter": proves[column.original[proves] >= high],
        }
        if low == high or min(map(len, groups.values())) < FEWEST_ROWS:
            return None
    else:
        return None
    # Their numbers, not their texts: no value of the table is shown.
    outputs = {name: column.released[rows] for name, rows in groups.items()}
    if not column.ordered:
        outputs = {name: np.array([f"output {one + 1}" for one in codes]) for name, codes in outputs.items()}
    return shown_by_groups((outputs, None), None, confidence)


def _pair(x: Codes, y: Codes, chooses: Codes, proves: Codes) -> tuple[int, int] | None:
    """The two frequent values that some rows promise to tell apart best; None where fewer than two are frequent."""
    values, counts = np.unique(x[proves], return_counts=True)
    frequent = np.argsort(-counts, kind="stable")[:_INPUTS]
    rows = {int(values[at]): int(counts[at]) for at in frequent if counts[at] >= FEWEST_ROWS}
    if len(rows) < 2:
        return None
    size = int(y.max()) + 1
    made = {one: np.bincount(y[chooses][x[chooses] == one], minlength=size) + 0.5 for one in rows}
    shares = {one: counted / counted.sum() for one, counted in made.items()}

    def promised(pair: tuple[int, int]) -> float:
        first, second = (shares[one] for one in pair)
        order = np.argsort(-first / second, kind="stable")
        return expected_level(LocalDP(0.0), first[order], second[order], min(rows[one] for one in pair))

    return max(itertools.permutations(rows, 2), key=promised)
