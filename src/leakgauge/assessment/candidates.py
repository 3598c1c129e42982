"""Ways to release a column, the cheapest to change to first: parameters, then the mechanism, then the data's form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.assessment.indicators import Setting, Source, histogram_source, setting_of, source_of
from leakgauge.assessment.indicators.setting import NumberSetting
from leakgauge.design import RateDistortion, Slope, solve
from leakgauge.distances import Hamming
from leakgauge.errors import ColumnError, InputError
from leakgauge.mechanisms import (
    Mechanism,
    gaussian,
    laplace,
    randomized_response,
    spelled,
    subset_selection,
    through_channel,
    unary_encoding,
)
from leakgauge.probability import Channel, Distribution, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release.queries import Histogram
from leakgauge.release.queries.labels import label_text
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table
from leakgauge.tables.binnings import Quantiles

EPSILONS = (1.0, 0.5, 2.0, 0.2, 4.0, 0.1, 8.0, 0.05, 3.0, 0.3, 6.0, 1.5, 0.7, 0.02)
"""Budgets in nats, the usual ones first."""
SLOPES = (2.0, 1.0, 3.0, 0.5, 4.0, 1.5, 5.0, 0.25)
"""In nats per wrong letter, of designed channels."""
BINS = (8, 4, 16)
DELTA = 1e-6
MOST_LETTERS = 64
"""Columns with more values are binned, not released letter by letter."""
DESIGN_GAP = 1e-6
COLUMN = Sentence("column")
"""The form of a release that keeps a row a row."""

Bounds: TypeAlias = tuple[float, float]


class Stage(Enum):
    """What is changed, the cheapest first."""

    PARAMETERS = "parameters"
    MECHANISM = "mechanism"
    FORM = "form of the data"


@dataclass(frozen=True)
class Candidate:
    """A way to release the column.

    Attributes:
        stage: what it changes against the start.
        name: the mechanism as on the command line, or a designed channel in words.
        form: what is released: the column, the column in bins, or its histogram.
        bins: the labels or edges of a histogram, or the intervals of a column in bins; empty where there are none.
        designed: the designed channel; None where the name says it all.
    """

    stage: Stage
    name: Sentence
    form: Sentence
    mechanism: Mechanism = field(repr=False)
    setting: Setting = field(repr=False)
    bins: Mapping[str, tuple[float | str | None, ...]] = field(default_factory=dict, repr=False)
    designed: Channel | None = field(default=None, repr=False)

    def channel_file(self) -> ChannelFile | None:
        """The designed channel, to be stored."""
        if self.designed is None:
            return None
        names = self.setting.source.names
        return ChannelFile.of(NamedChannel(self.designed, names, names, PriorOrigin.THIS_TABLE))


Maker: TypeAlias = Callable[[], tuple[str | Sentence, Mechanism]]
"""A mechanism with its name: as on the command line, or in words where it was designed."""


def candidates(table: Table, column: str, bounds: Bounds | None = None) -> Iterator[Candidate]:
    """Ways to release a column in the order of their cost; without bounds numbers are released in bins or counted.

    Raises:
        ColumnError: a column that cannot be used: bounds of what are no numbers, or infinite numbers.
    """
    kinds = {one.name: one.kind for one in table.columns()}
    numeric = kinds.get(column) in (Kind.INT, Kind.FLOAT)
    if bounds is not None and not numeric and column in kinds:
        raise ColumnError("Column {name!r} holds no numbers; leave lower and upper out.", name=column)
    moments = table.moments(column)[column] if numeric else None
    ends = [] if moments is None else [one for one in (moments.minimum, moments.maximum) if one is not None]
    if not all(map(math.isfinite, ends)):
        raise ColumnError("Column {name!r} holds infinite numbers; leave those rows out.", name=column)
    source = source_of(table, column)
    counts = table.counts(column, limit=1 << 20)
    letters = counts.distribution(column) if len(counts.labels(column)) <= MOST_LETTERS else None
    if bounds is not None:
        span = {"lower": bounds[0], "upper": bounds[1]}
        yield from _made(source, Stage.PARAMETERS, COLUMN, [_laplace(e, **span) for e in EPSILONS])
        yield from _made(source, Stage.MECHANISM, COLUMN, [_gaussian(e, **span) for e in EPSILONS])
    if letters is not None:
        first = Stage.PARAMETERS if bounds is None else Stage.MECHANISM
        yield from _made(source, first, COLUMN, [_of_letters(randomized_response, letters, e) for e in EPSILONS])
        yield from _made(source, Stage.MECHANISM, COLUMN, _other_letters(letters))
    if numeric:
        for count in BINS:
            binned = table.counts(column, bins={column: Quantiles(count)}).distribution(column)
            makers = [
                *(_of_letters(randomized_response, binned, e) for e in EPSILONS[:6]),
                *(_designed(binned, s) for s in SLOPES[:4]),
            ]
            bins = {"intervals": tuple(None if one is None else str(one) for one in binned.outcomes)}
            yield from _made(source, Stage.FORM, Sentence("column in {count:d} bins", count=count), makers, bins)
    yield from _histograms(table, source)


def _made(
    source: Source,
    stage: Stage,
    form: Sentence,
    makers: list[Maker],
    bins: Mapping[str, tuple[float | str | None, ...]] | None = None,
) -> Iterator[Candidate]:
    for make in makers:
        try:
            name, mechanism = make()
            setting = setting_of(mechanism, source)
            if isinstance(setting, NumberSetting):
                # Numbers that are missing show here that noise cannot take the column.
                _ = setting.taken
        except InputError:
            # A mechanism that this column cannot go through is no candidate.
            continue
        designed = mechanism.channel() if isinstance(name, Sentence) else None
        said = name if isinstance(name, Sentence) else Sentence(name)
        yield Candidate(stage, said, form, mechanism, setting, bins or {}, designed)


def _laplace(epsilon: float, **span: float) -> Maker:
    return lambda: _named(laplace(epsilon, **span))


def _gaussian(epsilon: float, **span: float) -> Maker:
    return lambda: _named(gaussian(epsilon, DELTA, **span))


def _of_letters(factory: Callable[..., Mechanism], letters: Distribution, epsilon: float) -> Maker:
    def make() -> tuple[str | Sentence, Mechanism]:
        mechanism = factory(epsilon, letters=letters.outcomes)
        return f"{mechanism.name}:epsilon={epsilon:g}", mechanism

    return make


def _other_letters(letters: Distribution) -> list[Maker]:
    makers = [_designed(letters, slope) for slope in SLOPES]
    for epsilon in EPSILONS[:6]:
        makers += [_of_letters(one, letters, epsilon) for one in (subset_selection, unary_encoding)]
    return makers


def _designed(letters: Distribution, slope: float) -> Maker:
    def make() -> tuple[str | Sentence, Mechanism]:
        solution = solve(RateDistortion(letters, Hamming(), Slope(slope)), gap=DESIGN_GAP)
        return Sentence("designed channel at slope {slope:g}", slope=slope), through_channel(solution.channel)

    return make


def _histograms(table: Table, source: Source) -> Iterator[Candidate]:
    try:
        query = _query(table, source)
        counted = histogram_source(source, table, query)
    except InputError:
        return
    makers = [make(epsilon, sensitivity=2) for epsilon in EPSILONS[:8] for make in (_laplace, _gaussian)]
    bins = {"labels": tuple(query.labels)} if query.labels is not None else {"edges": tuple(query.edges or ())}
    yield from _made(counted, Stage.FORM, Sentence("histogram"), makers, bins)


def _query(table: Table, source: Source) -> Histogram:
    if source.kind in (Kind.INT, Kind.FLOAT):
        edges = np.unique(np.linspace(source.known.min(), source.known.max(), 9)).tolist()
        return Histogram(column=source.name, edges=edges, epsilon=1.0)
    labels = table.counts(source.name, limit=1 << 12).labels(source.name)
    return Histogram(column=source.name, labels=[label_text(one) for one in labels], epsilon=1.0)


def _named(mechanism: Mechanism) -> tuple[str, Mechanism]:
    return spelled(mechanism), mechanism
