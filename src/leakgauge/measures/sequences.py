"""What several releases of one secret reveal together: exact while that is small, bounded by their sum beyond.

Given the secret the releases are independent, so that runs of the same channel tell what their counts of letters tell,
in whatever order the letters came: ten releases of five letters are 1001 cases, not 5^10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leakgauge.errors import OptionError
from leakgauge.measures import (
    background_floor,
    entropy,
    leakage_with_background,
    mutual_information,
    vulnerability,
)
from leakgauge.probability import Channel, Distribution, Joint, Scenario, Seen
from leakgauge.probability.cells import Codes, Floats, log_or_zero
from leakgauge.probability.labels import same_alphabet
from leakgauge.randomness import simulation

JOINT_CELLS = 1 << 20
"""Cases of the releases counted jointly × inputs (or the most letters of a channel), at most; one is always counted."""


@dataclass(frozen=True)
class SequenceLeakage:
    """What a sequence of releases reveals about the secret.

    Attributes:
        bits: I(X;Y1…Yk), or I(X;Y1…Yk,Z) with a background; at most that where it is not exact.
        exact: whether it is the leakage itself; if not, it is an upper bound.
        jointly: how many of the releases were counted jointly; the others were added up.
        success: the chance of guessing the secret in one try from all of them; at most that where it is not exact.
    """

    bits: float
    exact: bool
    jointly: int
    success: float


def sequence_leakage(source: Distribution | Joint, channels: Sequence[Channel]) -> SequenceLeakage:
    """What releases through these channels reveal together about one secret, in bits.

    Releases whose joint law has at most 2^20 cells are counted exactly. Each further one adds its own I(X;Y), or
    I(X;Y|Z), which is never too little; and no sequence tells more than H(X).

    Args:
        source: p(x), or p(x, z) where the columns are a background that the attacker knows.
        channels: each reads the secret; the same one may occur many times.

    Raises:
        OptionError: no channels.
        LabelError: a channel reads other letters.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> [round(sequence_leakage(Distribution.uniform("ab"), [answer] * k).bits, 4) for k in (1, 2, 10)]
        [0.1887, 0.3319, 0.8368]
    """
    if not channels:
        raise OptionError("A sequence of no channels reveals nothing; give one or more.")
    prior = source.row_marginal() if isinstance(source, Joint) else source
    for channel in channels:
        same_alphabet(channel.inputs, prior.outcomes, "inputs of the channel", "outcomes of the source")
    jointly, added = counted_jointly(channels, JOINT_CELLS)
    if not jointly:
        # One is always counted, however large.
        jointly = Counter(channels[:1])
        added -= jointly
    floor = background_floor(Scenario(source)) if isinstance(source, Joint) else 0.0
    together = joint_channel(jointly)
    told = _leakage(source, together)
    told += math.fsum(count * (_leakage(source, one) - floor) for one, count in added.items())
    seen = Seen.BOTH if isinstance(source, Joint) else Seen.RELEASE
    success = vulnerability.posterior(Scenario(source, together), seen=seen)
    # No prior gains more by a further release than the uniform one: its largest probabilities, added up.
    success *= math.prod(float(one.matrix.max(axis=0).sum()) ** count for one, count in added.items())
    return SequenceLeakage(min(told, entropy(prior)), not added, jointly.total(), min(success, 1.0))


SIMULATED_PEOPLE, SIMULATION_SEED = 20_000, 1
"""Of a simulation in the place of a count: how many values are drawn, and from which seed."""


def repeated_leakage(prior: Distribution, channel: Channel, times: int) -> SequenceLeakage:
    """What repeated releases of one value through one channel reveal together: counted, or simulated if too large.

    Other than ``sequence_leakage`` it bounds nothing: what is simulated is not ``exact``, and lies on both sides of the
    truth. Of each value as many people are drawn, and they count by its probability.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> round(repeated_leakage(Distribution.uniform("ab"), answer, 10).bits, 4)
        0.8368
    """
    if not counted_jointly([channel] * times, JOINT_CELLS)[1]:
        return sequence_leakage(prior, [channel] * times)
    draws = simulation(SIMULATION_SEED)
    occurring = np.flatnonzero(prior.probabilities > 0)
    shares, rows = prior.probabilities[occurring], channel.matrix[occurring]
    each = max(SIMULATED_PEOPLE // len(occurring), 1)
    # Where a probability is 0 its logarithm must rule the value out, and not make a NaN of 0 · ∞.
    logs = np.where(rows > 0, log_or_zero(rows), -1e9)
    left = success = 0.0
    for share, row in zip(shares, rows, strict=True):
        scores = draws.multinomial(times, row / row.sum(), size=each) @ logs.T + np.log(shares)
        posterior = np.exp(scores - scores.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        success += share * float(posterior.max(axis=1).mean())
        left -= share * float((posterior * log_or_zero(posterior)).sum(axis=1).mean()) / math.log(2)
    return SequenceLeakage(min(max(entropy(prior) - left, 0.0), entropy(prior)), False, times, min(success, 1.0))


def _leakage(source: Distribution | Joint, channel: Channel) -> float:
    measure = leakage_with_background if isinstance(source, Joint) else mutual_information
    return measure(Scenario(source, channel))


def _cells(runs: Counter[Channel]) -> int:
    """How many numbers their joint law takes."""
    cases = math.prod(math.comb(count + len(one.outputs) - 1, count) for one, count in runs.items())
    return cases * max(max(len(one.inputs), len(one.outputs)) for one in runs)


def counted_jointly(channels: Sequence[Channel], cells: int) -> tuple[Counter[Channel], Counter[Channel]]:
    """The channels whose joint law takes at most so many numbers, taken as they come, and those that do not fit."""
    jointly: Counter[Channel] = Counter()
    others: Counter[Channel] = Counter()
    for channel in channels:
        fits = _cells(jointly + Counter([channel])) <= cells
        (jointly if fits else others)[channel] += 1
    return jointly, others


def joint_channel(runs: Counter[Channel]) -> Channel:
    """The channel from the secret to how often each letter of each channel was released."""
    inputs = next(iter(runs)).inputs
    matrix = np.ones((len(inputs), 1))
    for channel, count in runs.items():
        matrix = (matrix[:, :, None] * _of_counts(channel.matrix, count)[:, None, :]).reshape(len(inputs), -1)
    # Rounding of the logarithms is taken out again: each row is a law.
    return Channel(inputs, range(matrix.shape[1]), matrix / matrix.sum(axis=1, keepdims=True))


def _of_counts(rows: Floats, count: int) -> Floats:
    """The multinomial laws of the letters' counts, one row per input."""
    if count == 1:
        return rows
    counts = _splits(count, rows.shape[1])
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    orders = factorials[count] - factorials[counts].sum(axis=1)
    impossible = (rows == 0).astype(np.float64) @ counts.T > 0
    return np.where(impossible, 0.0, np.exp(log_or_zero(rows) @ counts.T + orders))


def _splits(total: int, parts: int) -> Codes:
    """Every way to write a total as so many whole numbers from 0 on, a row each."""
    done, left = np.zeros((1, 0), dtype=np.int64), np.array([total])
    for _ in range(parts - 1):
        at = np.repeat(np.arange(len(left)), left + 1)
        taken = np.arange(len(at)) - np.repeat(np.cumsum(left + 1) - (left + 1), left + 1)
        done, left = np.column_stack([done[at], taken]), left[at] - taken
    return np.column_stack([done, left])
