"""Which partitions suit the outputs, learnt on outputs that prove nothing themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leakgauge.artefacts import Sentence
from leakgauge.audit.outputs import Outputs, codes_of, numbers_in
from leakgauge.audit.partitions import (
    LETTERS,
    FineBits,
    Letters,
    LowBits,
    OfColumn,
    OfNumbers,
    Partition,
    Places,
    Repeats,
    Rows,
    lowest_bits,
)
from leakgauge.audit.text_cells import Beginnings, Character, Endings, FrequentTexts, Trait
from leakgauge.audit.texts import NUMBERS, TEXT, TRAITS
from leakgauge.probability.cells import Floats

FEWEST = 8
"""From fewer outputs nothing is learnt."""
_OUTPUTS_A_LETTER = 8
_WIDE = 8.0
"""From this spread of the middle half on, remainders by 2 tell something that places do not."""
_AT_LEAST, _BEYOND = 4, 8
"""A number repeats that comes at least so often, and so many times as often as its neighbours."""
COLUMNS = 48
"""Of longer rows the columns that differ most."""
_FULL = 45
"""Bits from which on a float is taken to be used in full."""

LogRatio = Callable[[Outputs], Floats]


def learned(first: Outputs, second: Outputs, log_ratio: LogRatio | None) -> Iterator[Partition]:
    """Every partition that suits the kind of output.

    Args:
        first: outputs under one input, to learn from.
        second: outputs under the other.
        log_ratio: the logarithm of how much likelier an output is under the first, where the law is known.
    """
    if first.dtype.kind != "V":
        yield from _plain(first, second, log_ratio)
        return
    both = np.concatenate([first, second])
    yield from _of_texts(first, second)
    parts = [one[~np.isnan(one[NUMBERS]).any(axis=1)] for one in (first, second)]
    if both[NUMBERS].shape[1] and min(len(one) for one in parts) >= FEWEST:
        for inner in _plain(numbers_in(parts[0]), numbers_in(parts[1]), None):
            yield OfNumbers(inner, both)


def _of_texts(first: Outputs, second: Outputs) -> Iterator[Partition]:
    both = np.concatenate([first, second])
    texts = len(np.unique(both[TEXT]))
    if texts < len(both):
        yield FrequentTexts(both)
    if texts <= min(LETTERS, max(len(both) / _OUTPUTS_A_LETTER, 2)):
        return
    yield Beginnings(first, second)
    yield Endings(first, second)
    yield Character(first, second)
    for trait in np.flatnonzero((both[TRAITS] != both[TRAITS][0]).any(axis=0)).tolist():
        yield Trait(both, trait)


def _plain(first: Outputs, second: Outputs, log_ratio: LogRatio | None) -> Iterator[Partition]:
    both = np.concatenate([first, second])
    if log_ratio is not None:
        yield Places(both, log_ratio, Sentence("log-likelihood ratio"), known=True)
    if both.ndim > 1:
        if log_ratio is None:
            yield Places(both, combined(first, second), Sentence("combined score"))
            if both.shape[1] <= COLUMNS and len(np.unique(codes_of(both))) <= len(both) / _OUTPUTS_A_LETTER:
                yield Rows(both)
            if both.dtype.kind == "f":
                yield _telling_bits(first, second)
        return
    if both.dtype.kind not in "fiub":
        yield Letters(both)
        return
    values, counts = np.unique(both, return_counts=True)
    few = len(values) <= min(LETTERS, max(len(both) / _OUTPUTS_A_LETTER, 2))
    if few:
        yield Letters(both)
    else:
        yield Places(both)
        around = np.maximum(np.append(counts[1:], 0), np.append(0, counts[:-1]))
        repeated = values[counts >= np.maximum(_AT_LEAST, _BEYOND * around)]
        if len(repeated):
            yield Repeats(repeated)
        middle = values[np.isfinite(values.astype(np.float64))].astype(np.float64)
        if len(middle) and np.subtract(*np.quantile(middle, [0.75, 0.25])) > _WIDE:
            yield Places(both, _remainder, Sentence("remainder by 2"))
    if both.dtype.kind == "f":
        yield from _bits(both)


def _remainder(outputs: Outputs) -> Floats:
    # Whole numbers are divided as such: as floats the large ones would lose it.
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.mod(outputs, 2).astype(np.float64), nan=-1.0)


def _bits(both: Outputs) -> Iterator[Partition]:
    zeros = both == 0
    if not np.array_equal(both, np.rint(both)) or (zeros & np.signbit(both)).any():
        yield LowBits()
    _, lowest, exponents = lowest_bits(both)
    if (exponents - lowest >= _FULL).mean() > 0.01:
        yield FineBits()


def _telling_bits(first: Outputs, second: Outputs) -> Partition:
    """The low bits of the column in which they differ most."""
    bits = LowBits()
    differ = [
        float(np.abs(_shares(bits, first[:, at]) - _shares(bits, second[:, at])).sum())
        for at in range(min(first.shape[1], COLUMNS))
    ]
    return OfColumn(bits, int(np.argmax(differ)))


def _shares(partition: Partition, outputs: Outputs) -> Floats:
    return np.bincount(partition.places(outputs), minlength=partition.cells) / max(len(outputs), 1)


def combined(first: Outputs, second: Outputs) -> Callable[[Outputs], Floats]:
    """A score of rows of numbers: log-ratios of each coordinate added up, and of the best straight line between."""
    kept = _telling_columns(first, second)
    coordinates = [_coordinate_score(first[:, at], second[:, at]) for at in kept]
    direction = _discriminant(_finite(first[:, kept]), _finite(second[:, kept]))
    along = _coordinate_score(_finite(first[:, kept]) @ direction, _finite(second[:, kept]) @ direction)

    def score(outputs: Outputs) -> Floats:
        separate = sum(one(outputs[:, at]) for at, one in zip(kept, coordinates, strict=True))
        return np.asarray(separate + len(coordinates) * along(_finite(outputs[:, kept]) @ direction))

    return score


def _telling_columns(first: Outputs, second: Outputs) -> list[int]:
    """All columns, or of many those whose means lie furthest apart for their spread."""
    if first.shape[1] <= COLUMNS:
        return list(range(first.shape[1]))
    ours, theirs = _finite(first), _finite(second)
    with np.errstate(all="ignore"):
        apart = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / (ours.std(axis=0) + theirs.std(axis=0) + 1e-300)
    order = np.argsort(-np.nan_to_num(apart, nan=0.0, posinf=1e300), kind="stable")
    return sorted(order[:COLUMNS].tolist())


def _finite(rows: Outputs) -> Floats:
    """Infinite numbers as large ones, whose squares are still finite."""
    return np.clip(rows.astype(np.float64), -1e100, 1e100)


def _coordinate_score(first: Outputs, second: Outputs) -> Callable[[Outputs], Floats]:
    cells: Partition = Places(np.concatenate([first, second]))
    ours, theirs = (np.bincount(cells.places(one), minlength=cells.cells) + 0.5 for one in (first, second))
    ratios = np.log(ours / ours.sum()) - np.log(theirs / theirs.sum())
    return lambda outputs: np.asarray(ratios[cells.places(outputs)])


def _discriminant(first: Floats, second: Floats) -> Floats:
    """Fisher's direction, in which the two means lie furthest apart for the spread; 0 where there is none."""
    if min(len(first), len(second)) < 2:
        return np.zeros(first.shape[1])
    spread = np.atleast_2d(np.cov(first.T) + np.cov(second.T))
    spread += np.eye(len(spread)) * (1e-9 * np.trace(spread) + 1e-300)
    apart = first.mean(axis=0) - second.mean(axis=0)
    if not (np.isfinite(spread).all() and np.isfinite(apart).all()):
        return np.zeros(len(apart))
    return np.asarray(np.linalg.lstsq(spread, apart, rcond=None)[0])
