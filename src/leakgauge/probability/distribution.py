"""p(x): a distribution over a finite alphabet, and when numbers that should sum to 1 do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.errors import ModelError
from leakgauge.probability.cells import Floats, as_floats
from leakgauge.probability.labels import Label, alphabet, position, repeated, tuples
from leakgauge.sentences import Sentence


class Frozen:
    """Attributes may be set until the constructor seals the value."""

    def _seal(self) -> None:
        self.__dict__["_sealed"] = True

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError(f"an object of type {type(self).__name__} cannot be changed; make a new one")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an object of type {type(self).__name__} cannot be changed; make a new one")


TOLERANCE = 1e-9
"""A total further than this from 1 is a mistake of the caller, not of rounding."""


def off_by_rounding(totals: Floats, terms: int) -> Floats:
    """The totals where dividing by them mends something, 1 where they are 1 up to rounding.

    Totals within rounding of 1 are left alone, so that what was written is read back bit for bit.
    """
    return np.where(np.abs(totals - 1) <= 4 * terms * np.finfo(np.float64).eps, 1.0, totals)


def require_unit_totals(totals: Floats, role: str) -> None:
    """Refuse totals that are not 1, naming the first one found."""
    wrong = np.flatnonzero(~(np.abs(totals - 1) <= TOLERANCE))
    if len(wrong):
        row = Sentence("{role} in row {row:d}", role=Sentence(role), row=int(wrong[0]) + 1)
        raise ModelError(
            "The {role} sum to {total:.12g}, not 1; divide by the sum if they were meant as weights.",
            role=role if len(totals) == 1 else row,
            total=float(totals[wrong[0]]),
        )


class Distribution(Frozen):
    """Probabilities of distinct outcomes.

    Args:
        outcomes: distinct hashable labels; ``None`` stands for missing.
        probabilities: one a label, finite, non-negative, summing to 1 within 1e-9.

    Raises:
        LabelError: a label repeats, is NaN or cannot be hashed.
        ModelError: a probability is negative, NaN or infinite, or they do not sum to 1.

    Example:
        >>> coin = Distribution(["heads", "tails"], [0.25, 0.75])
        >>> coin["tails"]
        0.75
    """

    @checked
    def __init__(self, outcomes: Iterable[Label], probabilities: object) -> None:
        self.outcomes = alphabet(outcomes, "outcomes")
        values = as_floats(probabilities, "probabilities")
        if values.shape != (len(self.outcomes),):
            raise ModelError(
                "There are {labels} outcomes, but {found} probabilities; give one for each.",
                labels=len(self.outcomes),
                found=values.size,
            )
        total = np.array([values.sum()])
        require_unit_totals(total, "probabilities")
        values /= off_by_rounding(total, len(values))
        values.setflags(write=False)
        self.probabilities: Floats = values
        self._seal()

    @classmethod
    def _trusted(cls, outcomes: tuple[Label, ...], values: Floats) -> Distribution:
        """A distribution of values that were looked at before, such as a marginal's; rounding alone is taken off."""
        made = cls.__new__(cls)
        made.outcomes = outcomes
        made.probabilities = values / off_by_rounding(np.array([values.sum()]), len(values))
        made.probabilities.setflags(write=False)
        made._seal()
        return made

    @classmethod
    @checked
    def from_mapping(cls, probabilities: Mapping[Label, float]) -> Distribution:
        """The distribution of ``{outcome: probability}``."""
        return cls(probabilities.keys(), list(probabilities.values()))

    @classmethod
    @checked
    def uniform(cls, outcomes: Iterable[Label]) -> Distribution:
        """Equal probabilities."""
        letters = alphabet(outcomes, "outcomes")
        return cls(letters, np.full(len(letters), 1 / len(letters)))

    @property
    def support(self) -> tuple[Label, ...]:
        """The outcomes that occur: those of a probability above 0."""
        return tuple(self.outcomes[at] for at in np.flatnonzero(self.probabilities))

    @cached_property
    def _index(self) -> dict[Label, int]:
        return {label: at for at, label in enumerate(self.outcomes)}

    def __getitem__(self, outcome: Label) -> float:
        return float(self.probabilities[position(self.outcomes, self._index, outcome, "outcomes")])

    def __len__(self) -> int:
        return len(self.outcomes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.outcomes == other.outcomes and np.array_equal(self.probabilities, other.probabilities)

    def __hash__(self) -> int:
        return hash((self.outcomes, self.probabilities.tobytes()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{x!r}: {p:.4g}" for x, p in zip(self.outcomes[:6], self.probabilities[:6], strict=True))
        return f"Distribution({shown}{', …' if len(self) > 6 else ''})"

    _repr_html_ = notebook.shown

    @checked
    def restrict(self, outcomes: Iterable[Label]) -> Distribution:
        """The distribution given that one of these outcomes occurs, in the order given.

        Raises:
            LabelError: an outcome repeats or is not one of the distribution's.
            ModelError: none of them ever occurs.
        """
        kept = alphabet(outcomes, "outcomes")
        p = self.probabilities[[position(self.outcomes, self._index, label, "outcomes") for label in kept]]
        if not p.any():
            raise ModelError("None of the {count} outcomes ever occurs; keep one that does.", count=len(kept))
        return Distribution(kept, p / p.sum())

    @checked
    def product(self, *others: Distribution) -> Distribution:
        """The distribution of independent draws, one from each: outcomes are tuples."""
        outcomes = tuples([law.outcomes for law in (self, *others)])
        p = self.probabilities
        for law in others:
            p = np.outer(p, law.probabilities).ravel()
        return Distribution(outcomes, p)

    @checked
    def power(self, records: int) -> Distribution:
        """The distribution of data sets of this many independent records."""
        return self.product(*repeated(self, records)[1:])
