"""Earlier releases of a secret, seen together with this one by whoever has them all.

Given the value the releases are independent, so that together they are one channel: the product of theirs. Outputs with
equal likelihood ratios say the same and become one, so that ten releases of five values are 1001 outputs, not 5^10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leakgauge.case.law import ReleaseLaw
from leakgauge.probability import Channel, Distribution, Label
from leakgauge.probability.cells import Floats
from leakgauge.release.bound import BoundColumn

MOST_CELLS = 1 << 20
"""Combinations of a value, of what is seen beside it and of what all releases show, counted jointly."""
FEWEST_CELLS = 16
"""Of released numbers, below which the releases are bounded instead of counted jointly."""
_DIGITS = 12
"""Likelihood ratios that agree in so many digits are equal."""


@dataclass(frozen=True, eq=False)
class EarlierChannel:
    """An earlier release of a secret, for a person who is in both with the same value.

    Attributes:
        own: the mechanism that it went through; None where only its levels are known.
        bits: I(X;Y) at most; what the mechanism itself says is not repeated here.
        epsilon: in nats, by which the odds of any two values change at most.
        rho: zCDP level in nats.
    """

    own: BoundColumn | None = None
    bits: float = math.inf
    epsilon: float = math.inf
    rho: float = math.inf

    @classmethod
    def of(cls, own: BoundColumn) -> EarlierChannel:
        """Through a mechanism, with the levels that it claims of one row."""
        step = own.mechanism.step()
        return cls(own, epsilon=step.pure_epsilon(), rho=step.rho())

    @property
    def nats(self) -> float:
        """I(X;Y) at most: the divergence between the outputs of any two values bounds it too."""
        return min(self.bits * math.log(2), self.divergence)

    @property
    def divergence(self) -> float:
        """KL divergence between the outputs of any two values, at most."""
        return min(self.epsilon, self.rho)

    @property
    def contraction(self) -> float:
        """The share of H(X|W), and of a number's variance given W, that Y removes at most, whatever W is.

        By ε tanh²(ε/2) (Zamanlooy and Asoodeh, Strong data processing inequalities for locally differentially private
        mechanisms, 2023), by ρ the largest total variation (Dobrushin, Pinsker).
        """
        by_rho = math.sqrt(self.divergence / 2) if math.isfinite(self.divergence) else 1.0
        return min(math.tanh(self.epsilon / 2) ** 2, by_rho, 1.0)


def together(law: ReleaseLaw, earlier: Sequence[Channel], numbers: Floats | None = None) -> tuple[ReleaseLaw, int]:
    """The law of this release and earlier ones of the same value, and how many of them it contains.

    It contains them in order until they have too many outputs to be counted jointly. Of numbers neighbouring outputs
    are taken as one before that.

    Args:
        law: of this release; its secret may be withheld.
        earlier: channels that read what the law's own one reads.
        numbers: that the secret's values stand for; None of letters.

    Example:
        >>> flip = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> both, count = together(ReleaseLaw(Distribution.uniform("ab"), flip), [flip])
        >>> count, len(both.channel.outputs), both.sight().guessed()
        (1, 3, 0.75)
    """
    source, released = law.source, law.channel
    cells = int(np.count_nonzero(source.probabilities)) if isinstance(source, Distribution) else len(_pairs(law))
    for count, channel in enumerate(earlier):
        if released is None:
            released = channel
            continue
        room = MOST_CELLS // max(cells, len(released.inputs), 1)
        both = product(released, channel, room, None if numbers is None else (numbers, law.shares))
        if both is None:
            return replace(law, channel=released), count
        released = both
    return replace(law, channel=released), len(earlier)


def _pairs(law: ReleaseLaw) -> Floats:
    assert not isinstance(law.source, Distribution)
    return law.source.cells.nonzero()[2]


def product(first: Channel, second: Channel, room: int, numbers: tuple[Floats, Floats] | None = None) -> Channel | None:
    """Both outputs at once, in at most so many classes; None where that is too few to say the same.

    Args:
        numbers: those that the inputs stand for, and their shares; None of letters.
    """
    inputs = max(first.inputs, second.inputs, key=len)
    if max(len(first.outputs), len(second.outputs)) * len(inputs) > 4 * MOST_CELLS:
        return None
    left, right = (_merged(_rows_of(one, inputs)) for one in (first, second))
    if left.shape[1] * right.shape[1] > 4 * room:
        # What neighbouring numbers say is nearly the same; of letters nothing is lost silently.
        cells = math.isqrt(room)
        if numbers is None or len(numbers[0]) != len(inputs) or cells < FEWEST_CELLS:
            return None
        left, right = (_neighbours_merged(one, *numbers, cells) for one in (left, right))
    both = _merged((left[:, :, None] * right[:, None, :]).reshape(len(inputs), -1))
    if both.shape[1] > room:
        return None
    # Each row is a law: rounding is taken out again.
    return Channel(inputs, range(both.shape[1]), both / both.sum(axis=1, keepdims=True))


def _rows_of(channel: Channel, inputs: Sequence[Label]) -> Floats:
    """Its rows for these inputs; if they are pairs of the secret and other columns, it may read the secret alone."""
    matrix = np.asarray(channel.matrix)
    if tuple(channel.inputs) == tuple(inputs):
        return matrix
    places = {label: at for at, label in enumerate(channel.inputs)}
    return matrix[[places[one] if one in places else places[one[0]] for one in inputs]]  # type: ignore[index]


def _merged(matrix: Floats) -> Floats:
    """One output for all with equal likelihood ratios: nothing is lost."""
    occurring = matrix[:, matrix.any(axis=0)]
    ratios = np.round(occurring / occurring.max(axis=0), _DIGITS)
    _, classes = np.unique(ratios, axis=1, return_inverse=True)
    return _of_classes(occurring, classes)


def _neighbours_merged(matrix: Floats, numbers: Floats, shares: Floats, cells: int) -> Floats:
    """At most so many outputs, each of neighbours by the mean number given the output."""
    if matrix.shape[1] <= cells:
        return matrix
    seen = shares @ matrix
    means = np.divide((shares * numbers) @ matrix, seen, where=seen > 0, out=np.zeros(len(seen)))
    order = np.argsort(means, kind="stable")
    # By weight and by width in equal parts, as numbers are condensed.
    weight = np.cumsum(seen[order]) - seen[order] / 2
    span = max(float(np.ptp(means)), np.finfo(float).tiny)
    places = ((weight + (means[order] - means.min()) / span) / 2 * cells).astype(np.int64)
    classes = np.empty(len(seen), dtype=np.int64)
    classes[order] = np.minimum(places, cells - 1)
    return _of_classes(matrix, np.unique(classes, return_inverse=True)[1])


def _of_classes(matrix: Floats, classes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
    merged = np.zeros((int(classes.max()) + 1, matrix.shape[0]))
    np.add.at(merged, classes.ravel(), matrix.T)
    return merged.T
