"""Families of settings: a mechanism with one parameter, from much noise to little, ordered by the cost of the change.

Parameters are changed first, then the mechanism, then the form of the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial

import numpy as np
from msgspec import structs

from leakgauge.artefacts.scores import Neighbours, ScoreEvidence, Statistic, share
from leakgauge.assessment.scores.answers import evidence_of_answers
from leakgauge.assessment.scores.evidence import evidence_by_law, readings_of
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.assessment.scores.usefulness import Use, statistics_of, worth_of_rows
from leakgauge.assessment.search.column import CountedColumn
from leakgauge.assessment.search.goal import DELTA, HandedOut
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise
from leakgauge.design import Keep, RateDistortion, Slope, solve
from leakgauge.distances import Absolute, Hamming
from leakgauge.errors import OptionError
from leakgauge.mechanisms import (
    Mechanism,
    gaussian,
    geometric,
    keep_or_redraw,
    laplace,
    randomized_response,
    sampled_randomized_response,
    spelled,
    subset_selection,
    through_channel,
    unary_encoding,
)
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.release.estimates.effective_rows import keeps_shares
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import Protected, protected_column
from leakgauge.sentences import Sentence

MOST_DESIGNED = 64
"""Values up to which channels are designed."""
MOST_CELLS = 1 << 16
"""Of values, what is beside them, and sets; beyond, a setting would take longer to judge than a search may."""
MOST_OUTPUTS = 128
"""Cells of released numbers where they are counted together with other columns."""
DESIGN_GAP = 1e-6
ROWS, COUNTS = Sentence("column"), Sentence("histogram")


class Stage(Enum):
    """What is changed, the cheapest first."""

    PARAMETERS = "parameters"
    MECHANISM = "mechanism"
    FORM = "form of the data"


@dataclass(frozen=True, eq=False)
class Family:
    """Settings that differ in one parameter, which adds noise as it falls.

    Attributes:
        form: what is released: the column, the column in bins, or its histogram.
        judge: what is known of its release; None where it has too many outputs to count.
        span: the parameters that are tried, from the noisiest on.
        is_fitted: whether the mechanism is fitted to the counts.
        keeps_shares: whether it releases every value as often as it occurs, so that recipients can count what they
            get whatever they know of the mechanism.
        is_sampled: whether a sample of the rows may be released so, as ``sampled`` does.
        read: how often each value is that a designed channel reads; None of other mechanisms.
    """

    stage: Stage
    name: Sentence
    form: Sentence
    make: Callable[[float], Mechanism] = field(repr=False)
    judge: Callable[[Mechanism], ScoreEvidence | None] = field(repr=False)
    span: tuple[float, float] = (1e-3, 40.0)
    parameter: str = "epsilon"
    is_fitted: bool = False
    keeps_shares: bool = False
    is_sampled: bool = False
    read: Distribution | None = field(default=None, repr=False)

    @property
    def counts_rows(self) -> bool:
        """Whether counts leave in place of rows."""
        return self.form == COUNTS

    def is_readable(self, handed_out: HandedOut) -> bool:
        """Whether recipients can compute anything from its release."""
        if self.keeps_shares or self.counts_rows or handed_out is HandedOut.EVERYTHING:
            return True
        return handed_out is HandedOut.DECLARED and not self.is_fitted

    def said(self, mechanism: Mechanism, parameter: float) -> Sentence:
        """The setting in words; letters are the column's own, so that they are left out."""
        if self.parameter == "slope":
            return Sentence("{family}, at slope {slope:g}", family=self.name, slope=parameter)
        shown = {key: value for key, value in mechanism.parameters.items() if key not in ("letters", "shares")}
        return Sentence("{mechanism!s}", mechanism=spelled(replace(mechanism, parameters=shown)))

    def lost(self, mechanism: Mechanism) -> float:
        """The share of rows whose values are never released; only what is designed loses any."""
        channel = mechanism.channel() if self.read is not None else None
        if channel is None or self.read is None:
            return 0.0
        released = dict(zip(channel.outputs, channel.matrix.max(axis=0), strict=True))
        shares = zip(self.read.outcomes, self.read.probabilities, strict=True)
        return float(sum(p for value, p in shares if released.get(value, 0.0) <= 0))


def families(
    column: CountedColumn,
    *,
    use: Use = Use.STATISTICS,
    keep: Keep = Keep.SHARES,
    bounds: tuple[float, float] | None = None,
    delta: float = DELTA,
) -> Iterator[Family]:
    """Ways to release a column, the cheapest to change to first.

    Sampled randomized response has two parameters: ``sampled`` is the family at one ε.
    """
    if bounds is not None:
        yield from _noisy(column, use, bounds, delta)
    values = column.values
    if column.by_name:
        judged = partial(by_channel, column, use)
        stage, form = Stage.PARAMETERS, ROWS
        if column.is_binned:
            stage, form = Stage.FORM, Sentence("column in {count:d} bins", count=len(values))
        yield from _named(column, values, stage, form, judged, keep, use)
    for into in column.bins:
        shares = values.probabilities @ into.matrix
        if len(into.outputs) < 2 or shares.max() >= 1:
            # All rows in one bin tell nothing.
            continue
        judged = partial(by_channel, column, use, into=into)
        form = Sentence("column in {count:d} bins", count=len(into.outputs))
        binned = Distribution(into.outputs, shares / shares.sum())
        yield from _named(column, binned, Stage.FORM, form, judged, keep, use)
    if use is Use.STATISTICS and not column.columns:
        yield from _answers(column)


def sampled(response: Family, epsilon: float) -> Family:
    """Randomized response at this ε of a sample of the rows; its parameter is the share of rows in the sample."""

    def make(probability: float) -> Mechanism:
        letters = response.make(epsilon).letters
        assert letters is not None
        return sampled_randomized_response(epsilon, sampling_probability=probability, letters=letters)

    return replace(
        response,
        name=Sentence("sampled-randomized-response"),
        make=make,
        span=(1e-3, 0.999),
        parameter="sampling_probability",
        is_sampled=False,
    )


def _named(
    column: CountedColumn,
    values: Distribution,
    stage: Stage,
    form: Sentence,
    judge: Callable[..., ScoreEvidence | None],
    keep: Keep,
    use: Use,
) -> Iterator[Family]:
    """Mechanisms that tell values apart by name, of the column's own or of bins."""
    letters, shares = values.outcomes, values.probabilities
    later = Stage.FORM if stage is Stage.FORM else Stage.MECHANISM
    make: Callable[[float], Mechanism] = partial(randomized_response, letters=letters)
    yield Family(stage, Sentence("randomized-response"), form, make, judge, is_sampled=True)
    make = partial(keep_or_redraw, letters=letters, shares=shares.tolist())
    fitted = partial(judge, given_counts=column.learnt)
    yield Family(stage, Sentence("keep-or-redraw"), form, make, fitted, is_fitted=True, keeps_shares=True)
    if len(letters) <= MOST_DESIGNED:
        yield _designed(column, values, later, form, fitted, keep)
    if use is Use.STATISTICS:
        for name, factory in (("subset-selection", subset_selection), ("unary-encoding", unary_encoding)):
            yield Family(later, Sentence(name), form, partial(factory, letters=letters), judge)


def _designed(
    column: CountedColumn,
    values: Distribution,
    stage: Stage,
    form: Sentence,
    judge: Callable[[Mechanism], ScoreEvidence | None],
    keep: Keep,
) -> Family:
    # Two bins without an end have no centres; any two are alike far apart.
    distortion = Hamming() if column.numbers is None or len(values) < 3 else Absolute()
    p, apart = values.probabilities, distortion.between(values.outcomes, values.outcomes)
    # A slope is per unit of distance, of which a redrawn value has so much on average.
    unit = float(p @ apart @ p) / float(1 - p @ p)

    def make(slope: float) -> Mechanism:
        return through_channel(
            solve(RateDistortion(values, distortion, Slope(slope), keep=keep), gap=DESIGN_GAP).channel
        )

    words = "least leaking that keeps the shares" if keep is Keep.SHARES else "least leaking"
    span = (0.05 / unit, 12.0 / unit)
    kept = keep is Keep.SHARES
    return Family(
        stage, Sentence(words), form, make, judge, span, "slope", is_fitted=True, keeps_shares=kept, read=values
    )


def _noisy(column: CountedColumn, use: Use, bounds: tuple[float, float], delta: float) -> Iterator[Family]:
    if column.numbers is None:
        raise OptionError(
            "Column {name!r} has values that are missing or not numbers, so no noise can be added; leave lower and "
            "upper out, and bin it with --bins {name!s}=auto.",
            name=column.name,
        )
    lower, upper = bounds
    whole = all(float(one).is_integer() for one in bounds)
    makers: list[tuple[Stage, str, Callable[[float], Mechanism]]] = [
        (Stage.PARAMETERS, "laplace", partial(laplace, lower=lower, upper=upper)),
        (Stage.MECHANISM, "gaussian", partial(gaussian, delta=delta, lower=lower, upper=upper)),
    ]
    if whole and bool((column.numbers == np.rint(column.numbers)).all()) and column.by_name:
        makers.insert(1, (Stage.PARAMETERS, "geometric", partial(geometric, lower=int(lower), upper=int(upper))))
    for stage, name, make in makers:
        yield Family(stage, Sentence(name), ROWS, make, partial(by_noise, column, use), (1e-2, 1e4))


def _answers(column: CountedColumn) -> Iterator[Family]:
    """Counts of all values, or of the finest bins; a replaced person moves two of them by one."""
    shares = column.values.probabilities
    if column.numbers is not None:
        if not column.bins:
            return
        shares = shares @ column.bins[-1].matrix

    def judge(mechanism: Mechanism) -> ScoreEvidence:
        assert mechanism.noise is not None
        return evidence_of_answers(shares, mechanism.noise, column.rows, Neighbours.VALUE_IN_A_TABLE)

    yield Family(Stage.FORM, Sentence("laplace"), COUNTS, partial(laplace, sensitivity=2, grid=1), judge, (1e-3, 20.0))


def by_channel(
    column: CountedColumn, use: Use, mechanism: Mechanism, *, into: Channel | None = None, given_counts: bool = False
) -> ScoreEvidence | None:
    """What is known of a release through a mechanism that reads values by name, or bins; None where it is too wide."""
    sets = mechanism.sets
    if sets is not None:
        outputs = sum(math.comb(len(sets.letters), held) for held in sets.law.sizes)
        if column.combinations * outputs > MOST_CELLS:
            return None
    channel = mechanism.channel()
    if channel is None:
        return None
    law = ReleaseLaw(column.source, channel if into is None else into.then(channel), column.columns, column.published)
    read = column.values if into is None else Distribution(into.outputs, column.values.probabilities @ into.matrix)
    return _judged(column, use, law, mechanism, _offered(column, channel, read, fitted=given_counts))


def by_noise(column: CountedColumn, use: Use, mechanism: Mechanism) -> ScoreEvidence:
    """What is known of a release of numbers with noise."""
    assert mechanism.noise is not None and column.numbers is not None
    law, _ = law_of_noise(mechanism.noise, column.numbers, column.values.probabilities, bins=len(column.numbers))
    assert law.channel is not None
    released = (np.array(law.channel.outputs, dtype=np.float64), np.asarray(law.channel.matrix))
    if column.columns:
        released = _gathered(*released, column.values.probabilities)
    channel = Channel(column.values.outcomes, *released)
    law = ReleaseLaw(column.source, channel, column.columns, column.published)
    return _judged(column, use, law, mechanism, Offered(protected_column(column.name, mechanism)))


def _gathered(outputs: Floats, matrix: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Released numbers in cells that are about as likely as each other, where they are counted with other columns.

    An attacker would see a little more, but next to nothing where the noise is no smaller than the numbers' spread.
    """
    weights = shares @ matrix
    at = ((np.cumsum(weights) - weights / 2) * MOST_OUTPUTS).astype(np.int64)
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    sums = np.add.reduceat(weights, starts)
    centres = np.divide(np.add.reduceat(weights * outputs, starts), sums, where=sums > 0, out=outputs[starts].copy())
    return centres, np.add.reduceat(matrix, starts, axis=1)


def _offered(column: CountedColumn, channel: Channel, read: Distribution, *, fitted: bool) -> Offered:
    """What recipients are handed of a channel; one that is fitted to private counts follows from them."""
    known = column.handed_out is HandedOut.EVERYTHING or (column.handed_out is HandedOut.DECLARED and not fitted)
    kept = fitted and keeps_shares(channel, read)
    return Offered(Protected(column.name, channel if known else None, keeps_shares=kept), fitted)


def _judged(column: CountedColumn, use: Use, law: ReleaseLaw, mechanism: Mechanism, offered: Offered) -> ScoreEvidence:
    assert law.channel is not None
    found = evidence_by_law(
        law,
        backgrounds=column.backgrounds,
        numbers=column.numbers,
        statistics=tuple(statistics_of(law, column.numbers, offered, column.rows))
        if use is Use.STATISTICS
        else _worth(column, law.channel),
    )
    return structs.replace(found, guarantee=guaranteed(mechanism.claims, given_counts=offered.fitted))


def _worth(column: CountedColumn, channel: Channel) -> tuple[Statistic, ...]:
    """What the rows are worth as they are: by wrong values, or for numbers by how far off they are."""
    values = column.values
    if column.numbers is None:
        near, apart = (Hamming().between(values.outcomes, outputs) for outputs in (values.outcomes, channel.outputs))
    else:
        near, apart = _distances(column.numbers, column.numbers), _distances(column.numbers, readings_of(channel))
    worth = worth_of_rows(values.probabilities, channel.matrix, apart, near)
    return (Statistic((), None if worth is None else share(worth)),)


def _distances(numbers: Floats, readings: Floats) -> Floats:
    """|x − y|; what is not a number is as far off as can be."""
    apart = np.abs(numbers[:, None] - readings[None, :])
    return np.asarray(np.where(np.isnan(apart), np.ptp(numbers), apart))
