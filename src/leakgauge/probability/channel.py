"""q(y|x): a channel from a finite input alphabet to a finite output alphabet."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Cells, chain, gather, scaled_rows
from leakgauge.probability.distribution import Distribution, off_by_rounding, require_unit_totals
from leakgauge.probability.labels import Label, alphabet, repeated, same_alphabet, tuples
from leakgauge.probability.two_way import TwoWay

DYADIC_BITS = 53
"""Multiples of 2^-53 between 0 and 1 are exactly the numbers a float holds without rounding."""


class Channel(TwoWay):
    """Conditional probabilities of outputs given inputs; each row sums to 1.

    Args:
        matrix: ``matrix[i, j]`` is the probability of ``outputs[j]`` given ``inputs[i]``.

    Raises:
        LabelError: a label repeats, is NaN or cannot be hashed.
        ModelError: the shape differs, or a row is not a distribution.

    Example:
        >>> flip = Channel(["yes", "no"], ["yes", "no"], [[0.75, 0.25], [0.25, 0.75]])
        >>> flip.output(Distribution(["yes", "no"], [0.5, 0.5]))["yes"]
        0.5
    """

    _row_role = "inputs"
    _column_role = "outputs"
    _symbol = "q(y|x)"

    @staticmethod
    def _normalised(cells: Cells) -> Cells:
        totals = cells.row_sums()
        require_unit_totals(totals, "probabilities")
        mend = off_by_rounding(totals, cells.shape[1])
        return cells if np.all(mend == 1) else cells.with_values(cells.values / cells.across_rows(mend))

    @property
    def inputs(self) -> tuple[Label, ...]:
        """Labels of the rows."""
        return self._rows

    @property
    def outputs(self) -> tuple[Label, ...]:
        """Labels of the columns."""
        return self._columns

    @classmethod
    @checked
    def identity(cls, labels: Iterable[Label]) -> Channel:
        """The channel that reveals everything."""
        letters = alphabet(labels, cls._row_role)
        at = np.arange(len(letters))
        return cls._trusted(letters, letters, gather((len(letters), len(letters)), at, at, np.ones(len(letters))))

    @classmethod
    @checked
    def constant(cls, inputs: Iterable[Label], output: Distribution) -> Channel:
        """The channel whose output does not depend on the input, so that it reveals nothing."""
        letters = alphabet(inputs, cls._row_role)
        return cls(letters, output.outcomes, np.tile(output.probabilities, (len(letters), 1)))

    def row(self, label: Label) -> Distribution:
        """The distribution of the output given one input."""
        at = self._row_position(label)
        rows, columns, values = self.cells.nonzero()
        first, last = np.searchsorted(rows, [at, at + 1])
        probabilities = np.zeros(len(self.outputs))
        probabilities[columns[first:last]] = values[first:last]
        return Distribution(self.outputs, probabilities)

    @checked
    def output(self, source: Distribution) -> Distribution:
        """The distribution of the output when the input is drawn from ``source``."""
        same_alphabet(source.outcomes, self.inputs, "outcomes of the source", "inputs of the channel")
        return Distribution(self.outputs, scaled_rows(self.cells, source.probabilities).column_sums())

    @checked
    def then(self, next_channel: Channel) -> Channel:
        """The cascade: this channel, its output fed into the next one."""
        same_alphabet(self.outputs, next_channel.inputs, "outputs of the first channel", "inputs of the next")
        return Channel._trusted(self.inputs, next_channel.outputs, chain(self.cells, next_channel.cells))

    @checked
    def restrict(self, inputs: Iterable[Label]) -> Channel:
        """The same channel on some of its inputs, in the order given; its outputs stay.

        Raises:
            LabelError: an input repeats or is not one of the channel's.
        """
        kept = alphabet(inputs, self._row_role)
        rows, columns, values = self.cells.nonzero()
        place = np.full(len(self.inputs), -1)
        place[[self._row_position(label) for label in kept]] = np.arange(len(kept))
        here = place[rows] >= 0
        shape = (len(kept), len(self.outputs))
        return Channel._trusted(kept, self.outputs, gather(shape, place[rows[here]], columns[here], values[here]))

    @checked
    def product(self, *others: Channel) -> Channel:
        """All channels side by side, independently: inputs and outputs are tuples with one label per channel.

        Example:
            >>> bit = Channel.identity("01")
            >>> bit.product(bit, bit).inputs[1]
            ('0', '0', '1')
        """
        channels = (self, *others)
        inputs = tuples([channel.inputs for channel in channels])
        outputs = tuples([channel.outputs for channel in channels])
        (rows, columns, values), *following = (channel.cells.nonzero() for channel in channels)
        for channel, (i, j, p) in zip(others, following, strict=True):
            rows = (rows[:, None] * len(channel.inputs) + i).ravel()
            columns = (columns[:, None] * len(channel.outputs) + j).ravel()
            values = np.outer(values, p).ravel()
        return Channel._trusted(inputs, outputs, gather((len(inputs), len(outputs)), rows, columns, values))

    @checked
    def power(self, records: int) -> Channel:
        """The channel of data sets of this many records, each released independently by this channel."""
        return self.product(*repeated(self, records)[1:])

    def dyadic(self) -> Channel:
        """The nearest channel whose probabilities are multiples of 2^-53 and whose rows sum to exactly 1.

        What is sampled from integers can then be bit for bit what was analysed. Errs towards privacy: a
        positive probability is never rounded to 0, which would make a finite budget infinite; the largest
        probability of the row pays for it.
        """
        rows, columns, values = self.cells.nonzero()
        one = 1 << DYADIC_BITS
        if len(self.outputs) >= 1 << 26:
            raise ModelError(
                "{outputs} outputs are too many for multiples of 2^-53; merge some.", outputs=len(self.outputs)
            )
        numerators = np.maximum(np.rint(np.ldexp(values, DYADIC_BITS)).astype(np.int64), 1)
        starts = np.searchsorted(rows, np.arange(len(self.inputs)))
        missing = one - np.add.reduceat(numerators, starts)
        largest = np.flatnonzero(numerators == np.maximum.reduceat(numerators, starts)[rows])
        largest = largest[np.searchsorted(rows[largest], np.arange(len(self.inputs)))]
        numerators[largest] += missing
        exact = np.ldexp(numerators.astype(np.float64), -DYADIC_BITS)
        return Channel._trusted(self.inputs, self.outputs, gather(self.cells.shape, rows, columns, exact))
