"""The distortion of released sets: a set that contains the true value is not wrong, but large."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from leakgauge.distances.distortions import Distortion, require_room
from leakgauge.errors import OptionError
from leakgauge.probability import Interval
from leakgauge.probability.cells import Floats
from leakgauge.probability.labels import Label


@dataclass(frozen=True)
class Containment(Distortion):
    """0 where the released set contains the true value, 1 where it does not, plus a price for the size of the set.

    An interval contains its numbers or dates, a frozenset its members, a label of ``sets`` what is listed for it, the
    missing value every value, and any other label itself alone.

    Args:
        sets: the values below a label, such as those of a coarser one: ``Containment({"food": {"baker", "cook"}})``.
        price: what a set costs that contains all inputs; one that contains a single input costs nothing. Without a
            price the set of everything would be as good as the truth.

    Raises:
        OptionError: a price that is not a finite number of at least 0.

    Example:
        >>> jobs = Containment({"food": {"baker", "cook"}}, price=0.5)
        >>> jobs.between(["baker", "cook", "judge"], ["baker", "food", None]).tolist()
        [[0.0, 0.25, 0.5], [1.0, 0.25, 0.5], [1.0, 1.25, 0.5]]
    """

    sets: Mapping[Any, Collection[Label]] = field(default_factory=dict)
    price: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.price < math.inf:
            raise OptionError(
                "A price of {price} for large sets is not a finite number of at least 0; give one that is.",
                price=self.price,
            )

    def between(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """0 or 1, and the price in proportion to how many of the other inputs a set contains."""
        inside = self.contained(inputs, outputs)
        others = np.maximum(inside.sum(axis=0) - 1, 0) / max(len(inputs) - 1, 1)
        return np.asarray(1.0 - inside + self.price * others)

    def sizes(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """How many of the inputs each output contains."""
        return np.asarray(self.contained(inputs, outputs).sum(axis=0))

    def contained(self, inputs: Sequence[Label], outputs: Sequence[Label]) -> Floats:
        """1 where the output of a column contains the input of a row, else 0."""
        require_room(inputs, outputs)
        rows = {label: at for at, label in enumerate(inputs)}
        inside = np.zeros((len(inputs), len(outputs)))
        for column, made in enumerate(outputs):
            inside[[rows[label] for label in self._members(made, inputs) if label in rows], column] = 1.0
        return inside

    def outputs_for(self, inputs: Sequence[Label]) -> tuple[Label, ...]:
        """The inputs themselves, and the labels of sets that contain any of them."""
        known = set(inputs)
        return (*inputs, *(one for one, below in self.sets.items() if one not in known and not known.isdisjoint(below)))

    def _members(self, made: Label, inputs: Sequence[Label]) -> Iterable[Label]:
        if made is None:
            return inputs
        if isinstance(made, Interval):
            return (label for label in inputs if label == made or made.contains(label))
        return (made, *(made if isinstance(made, frozenset) else self.sets.get(made, ())))
