"""What the reports of a trace say of each area, one step after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.mechanisms.mechanism import Law
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.labels import position

Scores: TypeAlias = Callable[[int], Floats]

KEPT = 1 << 25
"""Numbers that are kept of reports seen before (256 MiB)."""
SILENT = -1
"""Stands for a step without a report."""


class Evidence:
    """The logarithm of q(report|area) at each step; steps without a report are silent and say nothing.

    Args:
        which: which of the distinct reports each step has, from 0; −1 where it has none.
        scores: log q(y|x) of a distinct report for every area, up to one constant for all.
        repeated: whether someone who stays in an area repeats the last report instead of drawing a fresh one; then the
            scores must be exact and every step has a report.

    Raises:
        OptionError: no steps, or a silent one where reports are repeated.
    """

    def __init__(self, which: Codes, scores: Scores, areas: int, *, repeated: bool = False) -> None:
        if not len(which):
            raise OptionError("The trace has no steps; give at least one report.")
        if repeated and (which == SILENT).any():
            raise OptionError(
                "{silent} of {steps} steps have no report, but a report that is repeated is repeated at every step; "
                "give them all, or fresh reports.",
                silent=int((which == SILENT).sum()),
                steps=len(which),
            )
        self._which, self._areas, self._scores, self.repeated = which, areas, scores, repeated
        keep = lru_cache(maxsize=max(KEPT // areas, 16))
        self._logs, self._scaled = keep(self._log), keep(self._scale)

    def __len__(self) -> int:
        return len(self._which)

    @classmethod
    def through_channel(cls, channel: Channel, reports: Sequence[Label], *, repeated: bool = False) -> Evidence:
        """Reports that came out of a channel, by their labels; ``...`` where a step has none.

        Raises:
            LabelError: a report is not an output of the channel.
        """
        index = {label: at for at, label in enumerate(channel.outputs)}
        codes = [SILENT if y is ... else position(channel.outputs, index, y, "outputs of the channel") for y in reports]
        return cls.of_codes(channel, np.array(codes, dtype=np.int64), repeated=repeated)

    @classmethod
    def of_codes(cls, channel: Channel, reports: Codes, *, repeated: bool = False) -> Evidence:
        """The same by the positions of outputs; −1 where a step has none.

        Raises:
            LabelError: a position is not one of an output.
        """
        if len(reports) and not (reports.min() >= SILENT and reports.max() < len(channel.outputs)):
            raise LabelError(
                "The position of a report is not between 0 and {last}; give −1 for a step without one.",
                last=len(channel.outputs) - 1,
            )
        columns, rows, values = channel.cells.transpose().nonzero()

        def scores(output: int) -> Floats:
            first, last = np.searchsorted(columns, [output, output + 1])
            logs = np.full(len(channel.inputs), -math.inf)
            logs[rows[first:last]] = np.log(values[first:last])
            return logs

        return cls(reports, scores, len(channel.inputs), repeated=repeated)

    @classmethod
    def through_law(cls, law: Law, areas: int, outputs: npt.NDArray[Any], *, repeated: bool = False) -> Evidence:
        """Outputs of a mechanism's law, one per step: for maps too large for a channel."""
        distinct, which = np.unique(outputs, axis=0, return_inverse=True)
        inputs = np.arange(areas)
        return cls(which.ravel(), lambda at: law.scores(inputs, distinct[at : at + 1])[:, 0], areas, repeated=repeated)

    def part(self, start: int, end: int) -> Evidence:
        """Some of the steps, such as those of one person; what is known of reports is shared."""
        part = copy(self)
        part._which = self._which[start:end]
        return part

    def repeats(self, step: int) -> bool:
        """Whether a step has the report of the one before."""
        return step > 0 and bool(self._which[step] == self._which[step - 1])

    def logs(self, step: int) -> Floats:
        """The scores of a step."""
        return self._logs(int(self._which[step]))

    def weights(self, step: int) -> tuple[Floats, float]:
        """The likelihood of each area divided by the largest, and the logarithm of the largest.

        Raises:
            ModelError: no area could have led to the report.
        """
        return self._scaled(int(self._which[step]))

    def _log(self, at: int) -> Floats:
        return np.zeros(self._areas) if at == SILENT else self._scores(at)

    def _scale(self, at: int) -> tuple[Floats, float]:
        logs = self._log(at)
        largest = float(logs.max())
        if largest == -math.inf:
            raise ModelError(
                "A report never occurs under the channel; check that the channel is the one that was used."
            )
        return np.exp(logs - largest), largest
