"""Channels that do not use the prior, those that just meet a target, and how many bits they leak beyond the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from leakgauge.design.arrays import inference_of
from leakgauge.design.points import costs_at, induced
from leakgauge.design.problem import Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Slope, below_nearest
from leakgauge.design.solution import Solution
from leakgauge.design.solving import GAP, solve
from leakgauge.distances import Distortion
from leakgauge.distances.distortions import mean_distance
from leakgauge.errors import OptionError
from leakgauge.measures import leakage_with_background, mutual_information
from leakgauge.probability import Channel, Distribution, Joint, Label, Scenario
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import alphabet, same_alphabet
from leakgauge.rounding import from_below

HALVINGS = 60
OCTAVES = 400.0
"""The exponential mechanism is looked for at slopes from 2^-400 to 2^400 nats per mean distance."""


def symmetric_channel(labels: Iterable[Label], distortion: float) -> Channel:
    """The dyadic channel that keeps a letter with probability 1 − distortion, else releases any other one alike.

    It is randomized response; for Hamming distortion also the exponential mechanism. A distortion above that of the
    uniform channel, (n − 1)/n, is refused: such a channel says what a letter is not.

    Raises:
        OptionError: fewer than 2 labels, or a distortion outside 0 to (n − 1)/n.
    """
    letters = alphabet(labels, "labels")
    count = len(letters)
    if count < 2 or not 0 <= distortion <= (count - 1) / count:
        raise OptionError(
            "A symmetric channel on {count} letters cannot have a distortion of {distortion}; give 2 letters or more, "
            "and a distortion from 0 to {most:.6g}.",
            count=count,
            distortion=distortion,
            most=from_below((count - 1) / count, 6),
        )
    matrix = np.full((count, count), distortion / (count - 1))
    np.fill_diagonal(matrix, 1 - distortion)
    return Channel(letters, letters, matrix).dyadic()


def maximum_entropy_channel(
    source: Distribution | Joint, distortion: Distortion, target: Slope | MaxDistortion
) -> Channel:
    """The dyadic channel of largest H(Y|X) at a slope or below a distortion: q(y|x) ∝ e^(−slope · d(x, y)).

    With utility −d it is the exponential mechanism of ε = 2 · slope · Δu. It releases to the distortion's own outputs.

    Raises:
        RefusalError: a distortion below that of the nearest letters.
    """
    problem = RateDistortion(source, distortion, target)
    distances = distortion.between(problem.inputs, problem.letters)

    def at(slope: float) -> Channel:
        return Channel(problem.inputs, problem.letters, _exponential(distances, slope)).dyadic()

    def mean(channel: Channel) -> float:
        return mean_distance(problem.prior.probabilities, channel.matrix, distances)

    if isinstance(target, Slope):
        return at(target.nats_per_unit)
    last = at(math.inf)
    if mean(last) > target.distortion:
        raise below_nearest(target.distortion, mean(last))
    if mean(at(0.0)) <= target.distortion:
        return at(0.0)
    low, high = 0.0, 1 / float(distances[(distances > 0) & np.isfinite(distances)].mean())
    while mean(at(high)) > target.distortion:
        low, high = high, 2 * high
        if math.isinf(high):
            return last
    # The mean distortion falls with the slope; the end that is kept is always on the safe side.
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if mean(at(middle)) > target.distortion else (low, middle)
    return at(high)


@dataclass(frozen=True, eq=False)
class Waste:
    """How much more a channel leaks than the best one with the same mean distortion.

    Attributes:
        leakage: of the channel, in bits: I(X;Y), weighted if the problem is, or I(X;Y,Z) where the attacker
            knows the background; of a column that tells on a secret S likewise with S.
        best: the channel that leaks least at this distortion, with its gap.
    """

    leakage: float
    distortion: float
    best: Solution = field(repr=False)

    @property
    def bits(self) -> float:
        """What the channel leaks beyond the best one found, in bits; at most ``best.gap`` too small."""
        return max(self.leakage - self.best.objective, 0.0)


def waste(channel: Channel, problem: RateDistortion, gap: float = GAP) -> Waste:
    """The bits that a channel leaks beyond the least leaking one of a problem at the channel's own distortion.

    Args:
        channel: reads the problem's secret and releases its letters; beside channels that read the background it may
            read pairs (x, z) as they do.
        problem: source, distortion, knowledge; its target is not used.

    Raises:
        LabelError: the channel reads or releases other letters.
    """
    distortion = mean_distortion(channel, problem)
    if math.isinf(distortion):
        raise forbidden_change()
    best = solve(problem.with_target(MaxDistortion(distortion)), gap)
    return Waste(Leakages.of(channel, problem).objective, distortion, best)


@dataclass(frozen=True)
class Leakages:
    """What a channel of a problem's source reveals, in bits, by the names of the fields of ``Solution``."""

    leakage: float
    weighted_leakage: float | None
    leakage_with_background: float | None
    objective: float

    @classmethod
    def of(cls, channel: Channel, problem: RateDistortion) -> Leakages:
        """Of a channel with the inputs and outputs of the problem, in their order."""
        weighted = known = None
        if problem.secret is None:
            scenario = Scenario(problem.source, channel)
            alone = mutual_information(scenario)
            if problem.weights is not None:
                weighted = mutual_information(Scenario(problem.source, channel, weights=problem.weights))
            known = leakage_with_background(scenario) if isinstance(problem.source, Joint) else None
        else:
            inference, rows = inference_of(problem), channel.matrix[problem.prior.probabilities > 0]
            alone = inference.without_background().leakage(rows) / math.log(2)
            if problem.knowledge is Knowledge.ATTACKER:
                known = (inference.floor + inference.leakage(rows)) / math.log(2)
        counted = known if problem.knowledge in (Knowledge.ATTACKER, Knowledge.BOTH) else weighted
        return cls(alone, weighted, known, alone if counted is None else counted)


def forbidden_change() -> OptionError:
    """The error for a compared channel that makes changes which an infinite distance forbids."""
    return OptionError("This channel makes changes that an infinite distance forbids; compare one that does not.")


def mean_distortion(channel: Channel, problem: RateDistortion) -> float:
    """The mean distortion of a channel that reads the problem's secret, or where its channels do so pairs of it and a
    background, and releases its letters.
    """
    same_alphabet(channel.outputs, problem.letters, "outputs of the channel", "outputs of the problem")
    distances = problem.distortion.between(problem.inputs, problem.letters)
    source = problem.source
    if problem.knowledge is Knowledge.BOTH and isinstance(source, Joint) and channel.inputs == problem_pairs(source):
        return mean_distance(source.matrix.ravel(), channel.matrix, np.repeat(distances, len(source.columns), axis=0))
    same_alphabet(channel.inputs, problem.inputs, "inputs of the channel", "inputs of the problem")
    return mean_distance(problem.prior.probabilities, channel.matrix, distances)


def problem_pairs(source: Joint) -> tuple[tuple[Label, Label], ...]:
    """What channels read that read the background too: every pair of a secret and a background."""
    return tuple(product(source.rows, source.columns))


def _exponential(distances: Floats, slope: float) -> Floats:
    if math.isinf(slope):
        nearest = distances == distances.min(axis=1, keepdims=True)
        return np.asarray(nearest / nearest.sum(axis=1, keepdims=True))
    return induced(-costs_at(slope, distances), forbids=bool(np.isinf(distances).any()))


def symmetric_meeting(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel | None:
    """The symmetric channel that just meets the target; None where there is none, or not even the truth meets it."""
    if len(problem.inputs) == 1 or not set(problem.inputs) <= set(problem.letters):
        return None
    most = (len(problem.inputs) - 1) / len(problem.inputs)

    def at(share: float) -> Channel:
        return symmetric_channel(problem.inputs, min(share, most))

    if isinstance(target, MaxLeakage):
        bits = target.bits
        return at(_least(lambda share: _objective(at(share), problem) <= bits, most))
    # The mean distortion is linear in the share of wrong letters.
    truth, worst = (
        mean_distortion(aligned(at(share), problem.inputs, problem.letters), problem) for share in (0.0, most)
    )
    if worst <= target.distortion:
        return at(most)
    return at(most * (target.distortion - truth) / (worst - truth)) if truth <= target.distortion else None


def exponential_meeting(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel:
    """The exponential mechanism that just meets the target."""
    source = problem.source
    if isinstance(target, MaxDistortion):
        return maximum_entropy_channel(source, problem.distortion, target)
    bits = target.bits
    distances = problem.distortion.between(problem.inputs, problem.letters)
    # The search is over the logarithm of the slope, relative to the distances, whose unit may be any.
    others = distances[(distances > 0) & np.isfinite(distances)]
    scale = float(others.mean()) if len(others) else 1.0

    def at(fall: float) -> Channel:
        ends = {0.0: np.inf, 2 * OCTAVES: 0.0}
        slope = ends[fall] if fall in ends else 2.0 ** (OCTAVES - fall) / scale
        return maximum_entropy_channel(source, problem.distortion, Slope(slope))

    return at(_least(lambda fall: _objective(at(fall), problem) <= bits, 2 * OCTAVES))


def _least(holds: Callable[[float], bool], most: float) -> float:
    """Nearly the least number from 0 to ``most`` at which a condition holds, given that it holds at ``most``."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _objective(channel: Channel, problem: RateDistortion) -> float:
    return Leakages.of(aligned(channel, problem.inputs, problem.letters), problem).objective


def aligned(channel: Channel, inputs: Sequence[Label], letters: Sequence[Label]) -> Channel:
    """The channel with just these inputs, and with these outputs, some of which it may never release."""
    columns = {label: at for at, label in enumerate(letters)}
    matrix = np.zeros((len(inputs), len(letters)))
    matrix[:, [columns[label] for label in channel.outputs]] = channel.restrict(inputs).matrix
    return Channel(inputs, letters, matrix)
