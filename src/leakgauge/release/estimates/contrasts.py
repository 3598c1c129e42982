"""Differences, ratios, odds ratios and weighted sums of estimates, each with an interval.

Groups of published columns have rows of their own, so their estimates are independent, but for the error of a rebuilt
channel. Then an interval follows from those of the parts by squaring and adding: with g = Σ w h(p), the lower end is
g − √Σ (w h(p) − its own nearest end)². On the logarithmic scale this holds for ratios and odds ratios. As the intervals
of the parts are score intervals, few rows are no problem. Where parts share rows, as the means of protected groups and
two values of one group do, the delta method is used, on the logarithmic scale too.

Reference: Zou and Donner, Construction of confidence limits about effect measures: a general approach, Statistics in
Medicine 27 (2008); Newcombe, ibid. 17 (1998).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from leakgauge.artefacts.estimates import ContrastKind
from leakgauge.errors import OptionError, RefusalError, did_you_mean
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.means import GroupSums, Mean

FORM = "illness=flu,city=A,city=B"
"""How a contrast is written."""


@dataclass(frozen=True)
class Contrast:
    """What is compared: a column's mean, the share of one of its values, or one value against another, by group.

    Attributes:
        values: none of a mean, one of a share; of odds against a second value, two.
        weights: of each group, by its value; of a ratio 1 and −1, for its numerator and denominator.
    """

    kind: ContrastKind
    column: str
    values: tuple[str, ...]
    by: str
    weights: tuple[tuple[str, float], ...]

    def __post_init__(self) -> None:
        groups = [group for group, _ in self.weights]
        if len(self.values) > (2 if self.kind is ContrastKind.ODDS_RATIO else 1) or (
            not self.values and self.kind is ContrastKind.ODDS_RATIO
        ):
            raise OptionError(
                "{kind!s} of {column!r} names {found} values; name one value, of odds against a second one two, and of "
                "a mean none.",
                kind=self.kind.sentence,
                column=self.column,
                found=len(self.values),
            )
        repeated = len(set(groups)) < len(groups) or len(set(self.values)) < len(self.values)
        if repeated or len(groups) < 2 or (self.kind is not ContrastKind.WEIGHTED and len(groups) != 2):
            raise OptionError(
                "{kind!s} compares {found} groups of {by!r}; name two different ones, or more with weights.",
                kind=self.kind.sentence,
                found=len(set(groups)),
                by=self.by,
            )

    @classmethod
    def parsed(cls, kind: ContrastKind, texts: Sequence[str], columns: Sequence[str]) -> Contrast:
        """A contrast from its parts: ``illness=flu``, ``city=A``, ``city=B``; of means ``age``, ``city=A``, ``city=B``.

        A weighted one has a weight behind each group: ``illness=flu``, ``city=A*1``, ``city=B*-0.5``, ``city=C*-0.5``.

        Raises:
            OptionError: a text of another form, or a column that is not there.
        """
        text, (first, *others) = ",".join(texts), texts
        parts = [_part(one, columns) for one in others]
        if first in columns:
            column, values = first, list[str]()
        elif (named := _part(first, columns)) is not None:
            column, values = named[0], [named[1]]
        else:
            raise _not_a_contrast(text)
        if None in parts or not parts:
            raise _not_a_contrast(text)
        known = [one for one in parts if one is not None]
        values += [value for name, value in known if name == column]
        groups = [(name, value) for name, value in known if name != column]
        if len({name for name, _ in groups}) != 1:
            raise _not_a_contrast(text)
        weights = (_weighted(value, kind, at) for at, (_, value) in enumerate(groups))
        return cls(kind, column, tuple(values), groups[0][0], tuple(weights))

    def weight_of(self, groups: Sequence[str]) -> Floats:
        """The weight of each group; 0 of those that are not named.

        Raises:
            OptionError: a group that is not there.
        """
        for group, _ in self.weights:
            if group not in groups:
                raise OptionError(
                    "Column {by!r} has no group {group!r}; {hint}",
                    by=self.by,
                    group=group,
                    hint=did_you_mean(group, groups),
                )
        weights = dict(self.weights)
        return np.array([weights.get(group, 0.0) for group in groups])

    @property
    def is_ratio(self) -> bool:
        """Whether it is a ratio, which is computed as the difference of logarithms."""
        return self.kind in (ContrastKind.RATIO, ContrastKind.ODDS_RATIO)

    @property
    def scale(self) -> Callable[[float], float]:
        """On which differences are taken."""
        if self.kind is ContrastKind.ODDS_RATIO:
            # Odds of one value against another come as logarithms.
            return _logit if len(self.values) == 1 else float
        return _log if self.is_ratio else float

    def slopes(self, parts: Sequence[Floats], weights: Floats) -> Floats:
        """By how much each number of the parts moves the contrast, a row per part; 0 where that is not finite."""
        each = np.array(parts)
        if self.kind is ContrastKind.ODDS_RATIO:
            slopes = 1 / np.maximum(each * (1 - each), TINY) if len(self.values) == 1 else 1 / np.maximum(each, TINY)
            slopes = slopes * np.array([1.0, -1.0][: len(self.values)])
        else:
            slopes = 1 / np.maximum(each, TINY) if self.is_ratio else np.ones_like(each)
        return np.asarray(slopes * weights[:, None])

    def told(self, value: float, low: float, high: float) -> Mean:
        """A number on the scale with its interval, as it is told.

        Raises:
            RefusalError: a ratio of which nothing can be told.
        """
        if not math.isfinite(value) or (self.is_ratio and math.isinf(low) and math.isinf(high)):
            raise RefusalError(
                "{kind!s} of {column!r} cannot be told: a part of it may be 0; compare larger groups, or ask for the "
                "difference.",
                kind=self.kind.sentence,
                column=self.column,
            )
        if not self.is_ratio:
            return Mean(value, low, high)
        return Mean(*(math.exp(min(one, LARGEST)) for one in (value, low, high)))


LARGEST = 700.0
"""A logarithm beyond which numbers overflow."""
TINY = 1e-9
"""A share, or mean, that counts as 0 in a ratio."""


def of_independent(contrast: Contrast, parts: Sequence[Mean], weights: Floats, error: float) -> Mean:
    """A contrast of parts whose rows are their own; ``error`` is the squared half-width of what they share."""
    value = below = above = 0.0
    for part, weight in zip(parts, weights.tolist(), strict=True):
        if weight:
            here, *ends = (weight * contrast.scale(one) for one in (part.value, part.low, part.high))
            low, high = min(ends), max(ends)
            if math.isinf(here):
                return contrast.told(math.inf, -math.inf, math.inf)
            value, below, above = value + here, math.hypot(below, here - low), math.hypot(above, high - here)
    shared = math.sqrt(error)
    return contrast.told(value, value - math.hypot(below, shared), value + math.hypot(above, shared))


def against_another(released: Floats, scores: Floats, quantile: float) -> Mean:
    """log p₁ − log p₂ of two values of the same rows, by the delta method; infinite ends where one may be 0.

    Args:
        released: rows by output.
        scores: of each output (a row) and of the two values.
        quantile: z².
    """
    rows = released.sum()
    shares = released @ scores / rows
    spread = quantile * np.maximum(released @ scores**2 / rows - shares**2, 0.0) / rows
    if shares.min() <= 0 or (shares**2 <= spread).any():
        return Mean(math.log(shares[0] / shares[1]) if shares.min() > 0 else math.inf, -math.inf, math.inf)
    value, influence = math.log(shares[0] / shares[1]), scores @ (np.array([1.0, -1.0]) / shares)
    varied = float(released @ influence**2 / rows - (released @ influence / rows) ** 2)
    half = math.sqrt(quantile * max(varied, 0.0) / rows)
    return Mean(value, value - half, value + half)


def of_protected_groups(
    contrast: Contrast, sums: GroupSums, scores: Floats, weights: Floats, quantile: float, error: float
) -> Mean:
    """A contrast of the means of protected groups, which all rows count for, by the delta method.

    With the score a(y) of a group, the row's number v and the group's mean μ, a row moves Σ w h(μ) by
    Σ w h'(μ) a(y) (v − μ) / Σ a(y).
    """
    sizes, products = scores.T @ sums.rows, scores.T @ sums.first
    squares = (scores**2).T @ sums.rows
    if ((sizes <= 0) | (sizes**2 <= quantile * squares))[weights != 0].any():
        # A group that may be empty has any mean.
        return contrast.told(math.inf, -math.inf, math.inf)
    used = np.flatnonzero(weights)
    centred = products[used] / sizes[used]
    found = centred + sums.centre
    if contrast.is_ratio and found.min() <= 0:
        return contrast.told(math.inf, -math.inf, math.inf)
    slopes = weights[used] / (found if contrast.is_ratio else 1.0) / sizes[used]
    lead, constant = scores[:, used] @ slopes, scores[:, used] @ (slopes * centred)
    moved = float(lead**2 @ sums.second - 2 * (lead * constant) @ sums.first + constant**2 @ sums.rows)
    value = float(weights[used] @ np.array([contrast.scale(one) for one in found.tolist()]))
    half = math.sqrt(quantile * sums.doubt * max(moved, 0.0) + error)
    return contrast.told(value, value - half, value + half)


def _part(text: str, columns: Sequence[str]) -> tuple[str, str] | None:
    """A column and a value; the name of a column may itself hold an ``=``."""
    name = max((one for one in columns if text.startswith(f"{one}=")), key=len, default=None)
    return None if name is None else (name, text[len(name) + 1 :])


def _weighted(text: str, kind: ContrastKind, at: int) -> tuple[str, float]:
    if kind is not ContrastKind.WEIGHTED:
        return text, 1.0 if at == 0 else -1.0
    group, star, weight = text.rpartition("*")
    try:
        number = float(weight) if star else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise OptionError(
            "The group {group!r} of a contrast has no weight; write e.g. {example!s}.",
            group=text,
            example="illness=flu,city=A*1,city=B*-0.5,city=C*-0.5",
        )
    return group, number


def _not_a_contrast(text: str) -> OptionError:
    return OptionError(
        "{text!r} does not say what to compare in which groups; write e.g. {example!s}, with columns of the release.",
        text=text,
        example=FORM,
    )


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _logit(share: float) -> float:
    return _log(share) - _log(1 - share)
