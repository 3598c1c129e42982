"""How often each combination of labels occurs: the only thing read from a table for measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.errors import LabelError, ModelError, did_you_mean
from leakgauge.probability.cells import Codes, as_codes, require_non_negative
from leakgauge.probability.distribution import Distribution, Frozen
from leakgauge.probability.joint import Joint
from leakgauge.probability.labels import Label, alphabet
from leakgauge.sentences import Sentence


class Counts(Frozen):
    """Whole numbers over named axes; only combinations that occur are stored.

    Args:
        array: one count for each combination, of the axes' shape.

    Raises:
        LabelError: an axis has repeated labels.
        ModelError: a count is negative, not whole, or all are 0.

    Example:
        >>> counts = Counts({"illness": ["flu", "none"], "city": ["A", "B"]}, [[3, 1], [2, 4]])
        >>> counts.n, float(counts.joint().matrix[0, 0])
        (10, 0.3)
    """

    @checked
    def __init__(self, axes: Mapping[str, Iterable[Label]], array: npt.ArrayLike) -> None:
        table = np.asarray(array)
        labels = {name: alphabet(letters, _labels_of(name)) for name, letters in axes.items()}
        shape = tuple(len(letters) for letters in labels.values())
        if table.shape != shape:
            raise ModelError(
                "The counts have shape {found}, but the axes have {shape}; give counts that fit the axes.",
                found=str(table.shape),
                shape=str(shape),
            )
        table = _whole(table)
        codes = np.nonzero(table)
        self._adopt(labels, np.stack(codes).astype(np.int64), table[codes])

    @classmethod
    @checked
    def from_cells(
        cls, axes: Mapping[str, Iterable[Label]], codes: Sequence[npt.ArrayLike], counts: npt.ArrayLike
    ) -> Counts:
        """Counts of some combinations only: ``codes[a][k]`` is the position on axis ``a`` of combination ``k``."""
        labels = {name: alphabet(letters, _labels_of(name)) for name, letters in axes.items()}
        where = np.stack([as_codes(axis) for axis in codes]) if len(codes) else np.empty((0, 0), dtype=np.int64)
        found = _whole(np.asarray(counts))
        if where.shape != (len(labels), len(found)):
            raise ModelError(
                "There are {found} counts, but codes of shape {codes}; give one count per row of codes.",
                found=len(found),
                codes=str(where.shape),
            )
        limits = np.array([len(letters) for letters in labels.values()])[:, None]
        if np.any((where < 0) | (where >= limits)):
            raise ModelError("A code is outside its axis; give the position of each label, from 0.")
        return cls._gathered(labels, where, found)

    @classmethod
    def _gathered(cls, labels: dict[str, tuple[Label, ...]], codes: Codes, counts: Codes) -> Counts:
        """Combinations sorted, equal ones added up, empty ones left out."""
        shape = tuple(len(letters) for letters in labels.values())
        key, inverse = _combined(codes, shape)
        summed = np.zeros(key.shape[1], dtype=np.int64)
        np.add.at(summed, inverse, counts)
        table = cls.__new__(cls)
        table._adopt(labels, key[:, summed > 0], summed[summed > 0])
        return table

    def _adopt(self, labels: dict[str, tuple[Label, ...]], codes: Codes, counts: Codes) -> None:
        if not labels:
            raise ModelError("Counts have no axis; give at least one.")
        if not len(counts):
            raise ModelError("All counts are 0; there is nothing to measure.")
        self._labels = labels
        self.codes, self.counts = codes, counts
        codes.setflags(write=False)
        counts.setflags(write=False)
        self._seal()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the axes."""
        return tuple(self._labels)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each axis has."""
        return tuple(len(letters) for letters in self._labels.values())

    @cached_property
    def n(self) -> int:
        """How many observations there are."""
        return int(self.counts.sum())

    @checked
    def labels(self, name: str) -> tuple[Label, ...]:
        """The labels of one axis."""
        return self._labels[self.names[self._axis(name)]]

    def array(self) -> npt.NDArray[np.int64]:
        """All combinations as one array, zeros included."""
        dense = np.zeros(self.shape, dtype=np.int64)
        dense[tuple(self.codes)] = self.counts
        return dense

    @checked
    def number_of(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """For each combination of some axes that occurs, in how many cells it does."""
        codes = np.stack([self.codes[self.names.index(name)] for name in names])
        return np.asarray(np.unique(codes, axis=1, return_counts=True)[1], dtype=np.int64)

    @checked
    def keep(self, *names: str) -> Counts:
        """The counts of some axes only, in the order given, summed over the others."""
        chosen = [self._axis(name) for name in names]
        return Counts._gathered({name: self._labels[name] for name in names}, self.codes[chosen], self.counts)

    @checked
    def merge(self, groups: Mapping[str, Sequence[str]]) -> Counts:
        """One axis per group; a group of several axes has the tuples that occur as its labels."""
        labels: dict[str, tuple[Label, ...]] = {}
        codes = []
        for group, names in groups.items():
            axes = [self._axis(name) for name in names]
            if len(axes) == 1:
                labels[group] = self._labels[names[0]]
                codes.append(self.codes[axes[0]])
            else:
                present, inverse = _combined(self.codes[axes], tuple(self.shape[axis] for axis in axes))
                parts = [[self._labels[name][at] for at in column] for name, column in zip(names, present, strict=True)]
                labels[group] = tuple(zip(*parts, strict=True))
                codes.append(inverse)
        return Counts._gathered(labels, np.stack(codes), self.counts)

    @checked
    def over(self, name: str, labels: Iterable[Label]) -> Counts:
        """The same counts with another alphabet for one axis, which must hold every label that occurs."""
        axis = self._axis(name)
        wider = alphabet(labels, _labels_of(name))
        index = {label: at for at, label in enumerate(wider)}
        lost = [label for label in self.labels(name) if label not in index]
        if lost:
            raise LabelError(
                "{lost} of the {count} values of {name!r} are not in the alphabet asked for; widen it or bin alike.",
                lost=len(lost),
                count=len(self.labels(name)),
                name=name,
            )
        codes = np.array(self.codes)
        codes[axis] = np.array([index[label] for label in self.labels(name)])[codes[axis]]
        return Counts._gathered({**self._labels, name: wider}, codes, self.counts)

    @checked
    def distribution(self, *names: str) -> Distribution:
        """Observed frequencies of one axis, or of the tuples of several; by default of all."""
        merged = self.merge({"all": names or self.names})
        shares = np.zeros(merged.shape)
        shares[merged.codes[0]] = merged.counts / merged.n
        return Distribution(merged.labels("all"), shares)

    @checked
    def joint(self, rows: Sequence[str] = (), columns: Sequence[str] = ()) -> Joint:
        """Observed frequencies as a joint; by default the first axis against the others."""
        first = tuple(rows) or self.names[:1]
        second = tuple(columns) or tuple(name for name in self.names if name not in first)
        if not second:
            raise ModelError("A joint needs two axes; these counts have only {name!r}.", name=self.names[0])
        merged = self.merge({"rows": first, "columns": second})
        shares = merged.counts / merged.n
        return Joint.from_cells(
            merged.labels("rows"), merged.labels("columns"), merged.codes[0], merged.codes[1], shares
        )

    def _axis(self, name: str) -> int:
        try:
            return self.names.index(name)
        except ValueError:
            raise LabelError(
                "The counts have no axis {name!r}; {hint}", name=name, hint=did_you_mean(name, self.names)
            ) from None

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}: {size}" for name, size in zip(self.names, self.shape, strict=True))
        return f"Counts({axes}; n={self.n})"

    _repr_html_ = notebook.shown


def _labels_of(name: str) -> Sentence:
    return Sentence("labels of {name!r}", name=name)


def _whole(array: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
    if array.dtype.kind not in "iuf":
        raise ModelError("The counts are not all numbers; give whole numbers.")
    require_non_negative(array, "counts")
    if array.dtype.kind == "f" and np.any(array != np.rint(array)):
        raise ModelError("The counts are not all whole numbers; give whole numbers.")
    return array.astype(np.int64)


def _combined(codes: Codes, shape: tuple[int, ...]) -> tuple[Codes, Codes]:
    """Distinct columns of ``codes`` in order, and which of them each column is."""
    key = np.zeros(codes.shape[1], dtype=np.int64)
    for axis, size in zip(codes, shape, strict=True):
        # Renumbering before each step keeps the key below cells × size however many axes there are.
        key = np.unique(key, return_inverse=True)[1] * np.int64(size) + axis
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return codes[:, first], inverse
