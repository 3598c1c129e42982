"""p(x, z): a joint distribution of two variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Cells, scaled_rows, sums_by
from leakgauge.probability.channel import Channel
from leakgauge.probability.distribution import Distribution, off_by_rounding, require_unit_totals
from leakgauge.probability.labels import Label, position, same_alphabet
from leakgauge.probability.two_way import TwoWay


class Joint(TwoWay):
    """Probabilities of pairs; the whole table sums to 1.

    Args:
        matrix: ``matrix[i, j]`` is the probability of ``(rows[i], columns[j])``.

    Raises:
        LabelError: a label repeats, is NaN or cannot be hashed.
        ModelError: the shape differs, or the table is not a distribution.

    Example:
        >>> joint = Joint(["ill", "well"], ["old", "young"], [[0.2, 0.1], [0.3, 0.4]])
        >>> joint.column_marginal()["old"]
        0.5
    """

    @staticmethod
    def _normalised(cells: Cells) -> Cells:
        total = np.array([cells.values.sum()])
        require_unit_totals(total, "probabilities")
        mend = off_by_rounding(total, cells.values.size)
        return cells if mend[0] == 1 else cells.with_values(cells.values / mend[0])

    @property
    def rows(self) -> tuple[Label, ...]:
        """Labels of the first variable."""
        return self._rows

    @property
    def columns(self) -> tuple[Label, ...]:
        """Labels of the second variable."""
        return self._columns

    @classmethod
    @checked
    def of(cls, source: Distribution, channel: Channel) -> Joint:
        """The joint of an input drawn from ``source`` and the channel's output."""
        same_alphabet(source.outcomes, channel.inputs, "outcomes of the source", "inputs of the channel")
        return cls._trusted(channel.inputs, channel.outputs, scaled_rows(channel.cells, source.probabilities))

    def row_marginal(self) -> Distribution:
        """The distribution of the first variable."""
        return Distribution._trusted(self.rows, self.cells.row_sums())

    def column_marginal(self) -> Distribution:
        """The distribution of the second variable."""
        return Distribution._trusted(self.columns, self.cells.column_sums())

    def transpose(self) -> Joint:
        """The same joint with the variables exchanged."""
        return Joint._trusted(self.columns, self.rows, self.cells.transpose())

    def second_through(self, channel: Channel, part: int | None = None) -> Joint:
        """The joint of the first variable and what a channel makes of the second, or of one part of its tuples."""
        inputs = {label: at for at, label in enumerate(channel.inputs)}
        groups: dict[Any, tuple[list[int], list[int]]] = {}
        for at, label in enumerate(cast("Sequence[Any]", self.columns)):
            rest, own = ((), label) if part is None else ((label[:part], label[part + 1 :]), label[part])
            places, letters = groups.setdefault(rest, ([], []))
            places.append(at)
            letters.append(position(channel.inputs, inputs, own, "inputs of the channel"))
        columns = [made if part is None else (*rest[0], made, *rest[1]) for rest in groups for made in channel.outputs]
        blocks = [self.matrix[:, places] @ channel.matrix[letters] for places, letters in groups.values()]
        return Joint(self.rows, columns, np.hstack(blocks))

    def row_given_column(self, label: Label) -> Distribution:
        """The posterior of the first variable when the second is seen to be ``label`` (Bayes)."""
        at = position(self.columns, {letter: at for at, letter in enumerate(self.columns)}, label, self._column_role)
        rows, columns, values = self.cells.nonzero()
        here = columns == at
        weights = sums_by(rows[here], values[here], len(self.rows))
        largest = weights.max()
        if largest == 0:
            raise ModelError(
                "{label!r} never occurs, so nothing can be concluded from it; ask about one that occurs.", label=label
            )
        weights = weights / largest  # first, so that denormal weights keep their ratios
        return Distribution(self.rows, weights / weights.sum())

    def channel(self) -> Channel:
        """The conditional distribution of the second variable given the first.

        A row that never occurs has no conditional distribution and is given the column marginal, which
        tells nothing.
        """
        totals = self.cells.row_sums()
        if np.all(totals > 0):
            conditional = self.cells.with_values(self.cells.values / self.cells.across_rows(totals))
            # Dividing denormal numbers by their sum can miss 1 by more than rounding: once more mends it.
            missed = off_by_rounding(conditional.row_sums(), conditional.shape[1])
            mended = conditional.with_values(conditional.values / conditional.across_rows(missed))
            return Channel._trusted(self.rows, self.columns, mended)
        matrix = np.array(self.cells.dense())
        matrix[totals == 0] = self.cells.column_sums()
        return Channel(self.rows, self.columns, matrix / matrix.sum(axis=1, keepdims=True))
