"""Levels shown by the rows of a release, whatever the code or the record says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts import Shown
from leakgauge.audit.levels import least_level
from leakgauge.audit.lower_bound import lower_bound
from leakgauge.audit.outputs import Outputs
from leakgauge.audit.subjects import Subject
from leakgauge.case.drawn import ReleasedColumn, Secret
from leakgauge.claims import ApproximateDP, LocalDP, Statement
from leakgauge.measures.binomial import at_least, at_most
from leakgauge.probability import Label
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import text_of

FEWEST_ROWS = 40
"""Rows that each of two inputs must have."""
_INPUTS = 8
"""The most frequent inputs, of which a pair is chosen."""
_BACKGROUNDS = 16
"""The most frequent values of what a claim is given, within each of which a pair is chosen."""


Met: TypeAlias = dict[int, int]
"""Rows by the number of their input."""
Groups: TypeAlias = tuple[dict[str, Outputs], Callable[[Outputs], Floats] | None]
"""Released outputs by the two inputs, or groups of them, and their log-likelihood ratio as the record has it."""


def shown_by_rows(column: ReleasedColumn, confidence: float, secrets: Sequence[Secret] = ()) -> Shown | None:
    """The level that the released rows of a column show, held to what the record claims of it.

    Letters: the two of the most frequent inputs that the record's channel lets expect most of; where the claim is given
    other columns, two for each of their most frequent values. Numbers: the rows of the lowest quarter against those of
    the highest, which are mixtures of inputs and no easier to tell apart than they are. So are the rows of a value of
    another secret, which the digits of a noisy number could carry.

    Returns:
        None where nothing is claimed or too few rows share an input.
    """
    if not column.promises:
        return None
    pure = [one.epsilon for one in column.promises if one.delta == 0]
    approximate = column.promises[0]
    claim = LocalDP(min(pure)) if pure else ApproximateDP(approximate.epsilon, approximate.delta)
    if column.mechanism.noise is None:
        tried = [_letters(column, claim, inputs) for inputs in _compared(column)]
    else:
        tried = [_quarters(column)]
        for secret in secrets:
            tried += [] if secret.column is column else _of_secret(column, secret)
    groups = [one for one in tried if one is not None]
    # Each may miss its share of the time.
    shown = [shown_by_groups(one, claim, 1 - (1 - confidence) / len(groups)) for one in groups]
    return max(shown, key=lambda one: one.at_least, default=None)


def shown_by_groups(groups: Groups, claim: Statement | None, confidence: float) -> Shown:
    """The level that the outputs of two inputs, or of two groups of them, show; each output counts once."""
    outputs, ratio = groups
    first, second = outputs
    used = dict.fromkeys(outputs, 0)

    def draw(name: str, count: int, until: float) -> Outputs:
        """The next ones, each handed out once; fewer where there are no more."""
        used[name] += count
        return outputs[name][used[name] - count : used[name]]

    # Rows are not runs on one input: repetition may come from the table.
    rows = Subject(draw, lambda *_: ratio, runs=False)
    samples = min(len(one) for one in outputs.values())
    return lower_bound(rows, claim, [(first, second)], samples=samples, confidence=confidence, stop_early=False)


def _quarters(column: ReleasedColumn) -> Groups | None:
    low, high = np.quantile(column.inputs, [0.25, 0.75], method="inverted_cdf")
    if low == high:
        low, high = column.inputs.min(), column.inputs.max()
    ends = {"rows of the lowest quarter": column.inputs <= low, "rows of the highest quarter": column.inputs >= high}
    if low == high or min(int(rows.sum()) for rows in ends.values()) < FEWEST_ROWS:
        return None
    outputs = {name: column.outputs[rows] for name, rows in ends.items()}
    inputs = [np.unique(column.inputs[rows]).tolist() for rows in ends.values()]
    if any(len(values) > 1 for values in inputs):
        return outputs, None
    ratio = column.law.log_ratio(inputs[0][0], inputs[1][0])
    return outputs, lambda steps: ratio(steps.astype(np.float64))


def _of_secret(column: ReleasedColumn, secret: Secret) -> list[Groups]:
    """The outputs of the rows that have one value of another secret, and of all that do not."""
    values, counts = np.unique(secret.letters, return_counts=True)
    enough = values[(counts >= FEWEST_ROWS) & (len(secret.letters) - counts >= FEWEST_ROWS)]
    # Of two values each is what the other is not.
    frequent = enough[np.argsort(-counts[np.isin(values, enough)], kind="stable")][: min(len(values) - 1, _INPUTS)]
    name = ", ".join(secret.names)
    return [
        (
            {
                f"rows of value {at} of {name}": column.outputs[secret.letters == value],
                f"rows of other values of {name}": column.outputs[secret.letters != value],
            },
            None,
        )
        for at, value in enumerate(frequent.tolist(), 1)
    ]


def _compared(column: ReleasedColumn) -> list[Met]:
    """The inputs that the claim compares with each other and how many rows have each, the most rows first."""
    inputs, counts = np.unique(column.inputs, return_counts=True)
    met = dict(zip(inputs.tolist(), counts.tolist(), strict=True))
    groups = [{one: met[one] for one in group if one in met} for group in column.mechanism.compared or (tuple(met),)]
    return sorted(groups, key=lambda group: -sum(group.values()))[:_BACKGROUNDS]


def _letters(column: ReleasedColumn, claim: Statement, met: Met) -> Groups | None:
    frequent = sorted(met, key=lambda one: -met[one])[:_INPUTS]
    rows = {one: met[one] for one in frequent if met[one] >= FEWEST_ROWS}
    if len(rows) < 2:
        return None
    pairs = itertools.permutations(rows, 2)
    channel = column.mechanism.channel() if column.mechanism.sets is None else None
    if channel is None:
        # A set tells any two letters apart as well as any other two, so that those of most rows show most.
        first, second = max(pairs, key=lambda pair: min(rows[one] for one in pair))
        sets = {f"letter {one + 1}": column.outputs[column.inputs == one] for one in (first, second)}
        return sets, column.law.log_ratio(first, second)
    places = np.arange(len(channel.outputs))

    def promised(pair: tuple[int, int]) -> float:
        order = np.argsort(-column.law.log_ratio(*pair)(places), kind="stable")
        first, second = (channel.matrix[one][order] for one in pair)
        return expected_level(claim, first, second, min(rows[one] for one in pair))

    first, second = max(pairs, key=promised)
    # By their texts, so that the event names them.
    texts = np.array(_told_apart(channel.outputs))
    order = np.argsort(texts)
    ratios = column.law.log_ratio(first, second)(places)[order]
    names = _told_apart(channel.inputs)
    outputs = {names[one]: texts[column.outputs[column.inputs == one].astype(int)] for one in (first, second)}
    return outputs, lambda released: np.asarray(ratios[np.searchsorted(texts[order], released)])


def expected_level(claim: Statement, first: Floats, second: Floats, trials: int) -> float:
    """The level that so many rows of two inputs would show, from the shares of each output, the most telling first."""
    low = at_least(np.floor(np.cumsum(first) * trials), trials, 0.02)
    high = at_most(np.ceil(np.cumsum(second) * trials), trials, 0.02)
    return float(least_level(claim, low, np.minimum(high, 1.0)).max())


def _told_apart(labels: Sequence[Label]) -> list[str]:
    texts = [text_of(label) for label in labels]
    return texts if len(set(texts)) == len(texts) else [repr(label) for label in labels]
