"""Exact levels of a known channel, and what a channel or a statement implies in every notion."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.claims import (
    NOTIONS,
    AlphaLeakage,
    CentralDP,
    CentralIdentifiability,
    CentralMutualInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    SibsonLeakage,
    Statement,
)
from leakgauge.errors import OptionError
from leakgauge.languages import message
from leakgauge.measures import mutual_information, renyi
from leakgauge.notions import curves, ratios
from leakgauge.notions.circumstances import Circumstances, of_data_sets
from leakgauge.notions.graph import Implication, everything_implied, implied
from leakgauge.notions.neighbours import Structure, all_pairs, data_sets
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel, Distribution, Label, Scenario
from leakgauge.probability.files import Groups

PAIRWISE_CELLS = 1 << 20
"""Levels that need every pair of rows are computed up to this many numbers; beyond, ask for them by name."""
NO_NEIGHBOURS = message(
    "None of the data sets has a neighbour: there is nothing to compare, and levels over neighbours are left out."
)
_CENTRAL: set[type[Statement]] = {CentralDP, CentralIdentifiability, CentralMutualInformation}
"""For a channel of one record, these are the same as their local counterparts."""
SOME_ALONE = message("Some data sets have no neighbour: levels over neighbours do not cover them.")
NEVER_OCCURS = message(
    "The prior gives some values probability 0, which makes identifiability infinite by its definition; restricted to "
    "the values that occur it may be finite."
)
PERHAPS_UNORDERED = message(
    "No data set holds the same records as another in a different order: if their order means nothing, compare them "
    "unordered, which can only raise levels."
)


class ExactLevels(dict[str, Level]):
    """Levels by the names of their notions."""

    _repr_html_ = notebook.shown


@checked
def levels(
    channel: Channel,
    prior: Distribution | None = None,
    records: int | None = None,
    order: float = 2.0,
    delta: float = 1e-6,
    *,
    ordered: bool = True,
    restricted: bool = False,
) -> Mapping[str, Level]:
    """The tightest statement of each notion that the channel satisfies, by the name of the notion.

    Args:
        channel: from one record, or with ``records`` from data sets (tuples of that many records).
        prior: over the channel's inputs; without it the levels that need one are absent.
        records: how many records a data set has; None for a local channel.
        order: of the Rényi, Sibson and α-leakage levels.
        delta: of the (ε, δ) level.
        ordered: whether neighbouring data sets differ in the record at one position; if not, data sets are compared
            as multisets.
        restricted: leave out inputs that the prior gives probability 0; they make identifiability infinite.

    Where several data sets have no neighbour at all, levels over neighbours are absent, with a warning.

    Raises:
        ModelError: the inputs are not data sets of so many records.

    Example:
        >>> answer = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
        >>> round(levels(answer)["local-dp"].value, 4)
        1.0986
    """
    if restricted:
        prior = _occurring(prior)
        channel = channel.restrict(prior.outcomes)
    structure = _structure_of(channel.inputs, records, ordered)
    if structure is None:
        warnings.warn(NO_NEIGHBOURS, stacklevel=3)
    exact = _exact_levels(channel, prior, structure, order, delta, central=records is not None)
    return ExactLevels((level.statement.name, level) for level in exact)


@dataclass(frozen=True)
class Relation:
    """Exact levels by name (of a statement none), and what follows, under which circumstances, in every other notion.

    A prior over numbers has a skewness, without unit; warnings say in sentences what limits the answer.
    """

    levels: Mapping[str, Level]
    moment_skewness: float | None
    implied: Mapping[str, Implication]
    circumstances: Circumstances
    warnings: tuple[str, ...] = ()

    @property
    def skew(self) -> float | None:
        """Δ of the prior over the inputs compared, with several records neighbouring data sets, in nats, if known."""
        return self.circumstances.neighbour_skew


@checked
def relate_channel(
    channel: Channel,
    prior: Distribution | None = None,
    records: int | None = None,
    wanted: Circumstances | None = None,
    *,
    ordered: bool = True,
    restricted: bool = False,
    compared: Groups | None = None,
) -> Relation:
    """The exact levels of a channel, and for notions without one the tightest statement its levels imply.

    Its arguments are those of ``levels``; ``wanted`` says at which δ and order, and whether records are independent.
    Where inputs are ``compared`` in groups, those that agree in what everybody knows, every level is given that: the
    largest over the groups, and over a prior of pairs the mean.

    Raises:
        OptionError: groups of inputs beside data sets, or beside a restriction to the values that occur.
    """
    if compared is not None:
        return _relate_given(channel, prior, records, wanted or Circumstances(), restricted, compared)
    if restricted:
        prior = _occurring(prior)
        channel = channel.restrict(prior.outcomes)
    known = replace(wanted or Circumstances(), records=1 if records is None else records, ordered=ordered)
    known = known.with_domain(channel.inputs) if prior is None else known.with_prior(prior)
    structure = _structure_of(channel.inputs, records, ordered)
    found = _exact_levels(channel, prior, structure, known.order, known.delta, central=records is not None)
    skewness = None if prior is None else ratios.moment_skewness(prior)
    warnings = (*_about_neighbours(channel.inputs, structure, known), *_about_prior(prior))
    return _related(found, skewness, known, warnings, central=records is not None)


def _related(
    found: Iterator[Level], skewness: float | None, known: Circumstances, warnings: tuple[str, ...], central: bool
) -> Relation:
    """The exact levels, and the tightest implied for notions without one."""
    exact = {level.statement.name: level for level in found}
    covered = {type(level.statement) for level in exact.values()} | (set() if central else _CENTRAL)
    missing = {name: _tightest(exact, notion, known) for name, notion in NOTIONS.items() if notion not in covered}
    return Relation(exact, skewness, missing, known, warnings)


def _relate_given(
    channel: Channel,
    prior: Distribution | None,
    records: int | None,
    known: Circumstances,
    restricted: bool,
    structure: Structure,
) -> Relation:
    if restricted or (records or 1) > 1:
        raise OptionError(
            "The channel reads columns that everybody is assumed to know, so only rows that agree in them are "
            "compared; leave --records and --restrict out."
        )
    # As many secrets as any group has: bounds by their number are never too small then.
    largest = max(structure, key=len)
    known = known.with_domain([channel.inputs[place] for place in largest])
    found = _levels_given(channel, prior, structure, known.order, known.delta)
    return _related(found, None, known, tuple(_about_prior(prior)), central=False)


def _about_neighbours(inputs: tuple[Label, ...], structure: Structure | None, known: Circumstances) -> Iterator[str]:
    if structure is None:
        yield NO_NEIGHBOURS
    elif known.records > 1 and len({place for group in structure for place in group}) < len(inputs):
        yield SOME_ALONE
    if known.records > 1 and known.ordered:
        multisets = {frozenset(Counter(data_set).items()) for data_set in inputs if isinstance(data_set, tuple)}
        if len(multisets) == len(inputs) and any(len(multiset) > 1 for multiset in multisets):
            yield PERHAPS_UNORDERED


def _about_prior(prior: Distribution | None) -> Iterator[str]:
    if prior is not None and len(prior.support) < len(prior):
        yield NEVER_OCCURS


def _tightest(exact: Mapping[str, Level], notion: type[Statement], known: Circumstances) -> Implication:
    """The tightest that any exact level implies, so that nothing said of a known channel is looser than need be."""
    ways = [implied(level.statement, notion, known) for level in exact.values() if math.isfinite(level.value)]
    levels = [
        (way.statement.level, way)
        for way in ways
        # A way over a notion whose exact level is known would replace that level by a bound.
        if way.statement is not None and not any(edge.conclusion.name in exact for edge in way.path[:-1])
    ]
    return min(levels, key=lambda pair: pair[0], default=(0.0, Implication(None)))[1]


@checked
def relate_statement(
    statement: Statement,
    prior: Distribution | None = None,
    wanted: Circumstances | None = None,
    *,
    restricted: bool = False,
) -> Relation:
    """What a statement implies in every other notion, given a prior over records or data sets, and what is wanted."""
    known, skewness = wanted or Circumstances(), None
    if restricted:
        prior = _occurring(prior)
    if prior is not None:
        known, skewness = known.with_prior(prior), ratios.moment_skewness(prior)
    warnings = tuple(_about_prior(prior))
    if prior is not None and known.records > 1 and of_data_sets(prior, known.records):
        structure = _structure_of(prior.outcomes, known.records, known.ordered)
        warnings = (*_about_neighbours(prior.outcomes, structure, known), *warnings)
    return Relation({}, skewness, everything_implied(statement, known), known, warnings)


@checked
def relate_statements(
    statements: Iterable[Statement], wanted: Circumstances | None = None
) -> Mapping[str, Statement | None]:
    """For each notion the tightest that several statements about one mechanism say or imply; None where nothing is."""
    known, given = wanted or Circumstances(), tuple(statements)
    tightest: dict[str, Statement | None] = {}
    for name, notion in NOTIONS.items():
        follows = [known.cut(s) if isinstance(s, notion) else implied(s, notion, known).statement for s in given]
        finite = [statement for statement in follows if statement is not None and math.isfinite(statement.level)]
        tightest[name] = min(finite, key=lambda statement: statement.level, default=None)
    return tightest


def _occurring(prior: Distribution | None) -> Distribution:
    if prior is None:
        raise OptionError("Restricting to the values that occur needs a prior, but there is none; give one.")
    return prior.restrict(prior.support)


def _structure_of(inputs: tuple[Label, ...], records: int | None, ordered: bool) -> Structure | None:
    """Which inputs are compared; None where there are several data sets and none has a neighbour."""
    structure = all_pairs(inputs) if records is None else data_sets(inputs, records, ordered)
    return structure if structure or len(inputs) == 1 else None


def _exact_levels(
    channel: Channel, prior: Distribution | None, structure: Structure | None, order: float, delta: float, central: bool
) -> Iterator[Level]:
    """Without a structure those over any two inputs and those over the prior."""
    yield ratios.local_dp(channel)
    yield Level(MaximalLeakage(renyi.maximal_leakage(channel)))
    if prior is not None:
        scenario = Scenario(prior, channel)
        yield ratios.identifiability(channel, prior)
        yield Level(MutualInformation(mutual_information(scenario)))
        yield Level(MinEntropyLeakage(renyi.leakage(scenario, math.inf)))
        yield Level(SibsonLeakage(renyi.sibson_leakage(channel, prior, order), order))
        yield Level(AlphaLeakage(renyi.leakage(scenario, order), order))
    if structure is not None and central:
        yield ratios.local_dp(channel, structure, CentralDP)
        if prior is not None:
            yield ratios.identifiability(channel, prior, structure, CentralIdentifiability)
    if structure is not None:
        yield from _pairwise_levels(channel, structure, order, delta)
    if prior is not None and central:
        yield Level(CentralMutualInformation(mutual_information(Scenario(prior, channel))))


def _pairwise_levels(channel: Channel, structure: Structure, order: float, delta: float) -> Iterator[Level]:
    """Levels that need every pair of rows, where there are not too many."""
    if sum(len(group) ** 2 for group in structure) * len(channel.outputs) > PAIRWISE_CELLS:
        return
    yield curves.renyi_dp(channel, order, structure)
    yield curves.zero_concentrated_dp(channel, structure)
    yield curves.gaussian_dp(channel, structure)
    yield curves.approximate_dp_at(channel, delta, structure)
    yield curves.total_variation(channel, structure)
    yield curves.mutual_information_dp(channel, structure)


def _levels_given(
    channel: Channel, prior: Distribution | None, structure: Structure, order: float, delta: float
) -> Iterator[Level]:
    """Levels given what the inputs of a group share; averages over a prior that have no agreed form are left out."""
    parts = [channel.restrict([channel.inputs[place] for place in group]) for group in structure]
    yield ratios.local_dp(channel, structure)
    yield Level(MaximalLeakage(max(map(renyi.maximal_leakage, parts))))
    if prior is not None:
        shares = [prior.probabilities[list(group)] for group in structure]
        yield ratios.identifiability(channel, prior, structure)
        told = [
            float(share.sum()) * mutual_information(Scenario(Distribution(part.inputs, share / share.sum()), part))
            for part, share in zip(parts, shares, strict=True)
            if share.sum() > 0
        ]
        yield Level(MutualInformation(sum(told)))
    yield from _pairwise_levels(channel, structure, order, delta)
