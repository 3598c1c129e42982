"""Ways to release a column, the cheapest to change to first: parameters, then the mechanism, then the data's form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TypeAlias

import numpy as np

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.assessment.indicators import Setting, Source, histogram_source, setting_of, source_of
from leakgauge.assessment.indicators.setting import NumberSetting
from leakgauge.assessment.indicators.source import NUMERIC
from leakgauge.design import Keep, RateDistortion, Slope, solve
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
from leakgauge.tables import Table
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
        name: the mechanism as on the command line, or a designed channel in words.
        form: what is released: the column, the column in bins, or its histogram.
        bins: the labels or edges of a histogram, or the intervals of a column in bins.
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


Maker: TypeAlias = tuple[Sentence | None, Callable[[], Mechanism]]
"""A mechanism with its name in words where it was designed, else None: it goes by its own."""


def candidates(
    table: Table, column: str, bounds: Bounds | None = None, keep: Keep = Keep.SHARES
) -> Iterator[Candidate]:
    """Ways to release a column in the order of their cost; without bounds numbers are released in bins or counted.

    ``keep`` is what designed channels keep; mechanisms by name do not keep anything.
    """
    kinds = {one.name: one.kind for one in table.columns()}
    numeric = kinds.get(column) in NUMERIC
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
        lower, upper = bounds
        noisy = [(None, partial(laplace, e, lower=lower, upper=upper)) for e in EPSILONS]
        yield from _made(source, Stage.PARAMETERS, COLUMN, noisy)
        noisy = [(None, partial(gaussian, e, DELTA, lower=lower, upper=upper)) for e in EPSILONS]
        yield from _made(source, Stage.MECHANISM, COLUMN, noisy)
    if letters is not None:
        first = Stage.PARAMETERS if bounds is None else Stage.MECHANISM
        yield from _made(source, first, COLUMN, _of_letters(letters, EPSILONS, randomized_response))
        others = [
            *_designs(letters, SLOPES, keep),
            *_of_letters(letters, EPSILONS[:6], subset_selection, unary_encoding),
        ]
        yield from _made(source, Stage.MECHANISM, COLUMN, others)
    if numeric:
        for count in BINS:
            binned = table.counts(column, bins={column: Quantiles(count)}).distribution(column)
            makers = [*_of_letters(binned, EPSILONS[:6], randomized_response), *_designs(binned, SLOPES[:4], keep)]
            bins = {"intervals": tuple(None if one is None else str(one) for one in binned.outcomes)}
            yield from _made(source, Stage.FORM, Sentence("column in {count:d} bins", count=count), makers, bins)
    yield from _histograms(table, source)


def _made(
    source: Source,
    stage: Stage,
    form: Sentence,
    makers: Iterable[Maker],
    bins: Mapping[str, tuple[float | str | None, ...]] | None = None,
) -> Iterator[Candidate]:
    for words, make in makers:
        try:
            mechanism = make()
            setting = setting_of(mechanism, source)
            if isinstance(setting, NumberSetting):
                # Numbers that are missing show here that noise cannot take the column.
                _ = setting.taken
        except InputError:
            # A mechanism that this column cannot go through is no candidate.
            continue
        designed = None if words is None else mechanism.channel()
        if words is None and mechanism.letters is not None:
            # They are the column's own, so that the name leaves them out.
            words = Sentence(f"{mechanism.name}:epsilon={mechanism.parameters['epsilon']:g}")
        yield Candidate(stage, words or Sentence(spelled(mechanism)), form, mechanism, setting, bins or {}, designed)


def _of_letters(letters: Distribution, epsilons: Sequence[float], *factories: Callable[..., Mechanism]) -> list[Maker]:
    return [(None, partial(make, e, letters=letters.outcomes)) for e in epsilons for make in factories]


def _designs(letters: Distribution, slopes: Sequence[float], keep: Keep) -> list[Maker]:
    def design(slope: float) -> Mechanism:
        problem = RateDistortion(letters, Hamming(), Slope(slope), keep=keep)
        return through_channel(solve(problem, gap=DESIGN_GAP).channel)

    if keep is Keep.SHARES:
        names = [Sentence("least leaking that keeps the shares, at slope {slope:g}", slope=one) for one in slopes]
    else:
        names = [Sentence("designed channel at slope {slope:g}", slope=one) for one in slopes]
    return [(name, partial(design, slope)) for name, slope in zip(names, slopes, strict=True)]


def _histograms(table: Table, source: Source) -> Iterator[Candidate]:
    try:
        query = _query(table, source)
        counted = histogram_source(source, table, query)
    except InputError:
        return
    laws = ((laplace, ()), (gaussian, (DELTA,)))
    makers = [(None, partial(make, e, *delta, sensitivity=2)) for e in EPSILONS[:8] for make, delta in laws]
    bins = {"labels": tuple(query.labels)} if query.labels is not None else {"edges": tuple(query.edges or ())}
    yield from _made(counted, Stage.FORM, Sentence("histogram"), makers, bins)


def _query(table: Table, source: Source) -> Histogram:
    if source.kind in NUMERIC:
        edges = np.unique(np.linspace(source.known.min(), source.known.max(), 9)).tolist()
        return Histogram(column=source.name, edges=edges, epsilon=1.0)
    labels = table.counts(source.name, limit=1 << 12).labels(source.name)
    return Histogram(column=source.name, labels=[label_text(one) for one in labels], epsilon=1.0)
