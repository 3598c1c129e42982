"""Relate: what a channel satisfies exactly, or what a statement implies, in every notion."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from leakgauge.arguments import checked
from leakgauge.claims import NOTIONS, CentralDP, CentralIdentifiability, CentralMutualInformation, Statement
from leakgauge.languages import message
from leakgauge.notions.circumstances import Circumstances, of_data_sets
from leakgauge.notions.graph import Implication, everything_implied, implied
from leakgauge.notions.levels import NO_NEIGHBOURS, exact_levels, occurring, structure_of
from leakgauge.notions.neighbours import Structure
from leakgauge.notions.ratios import moment_skewness
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel, Distribution, Label

_CENTRAL: set[type[Statement]] = {CentralDP, CentralIdentifiability, CentralMutualInformation}
"""For a channel of one record these say what their local twins say."""
SOME_ALONE = message("Some data sets have no neighbour: levels over neighbours say nothing of them.")
NEVER_OCCURS = message(
    "The prior gives some values probability 0, which makes identifiability infinite by its definition; restricted to "
    "the values that occur it may be finite."
)
PERHAPS_UNORDERED = message(
    "No data set holds the same records as another in a different order: if their order means nothing, compare them "
    "unordered, which can only raise levels."
)


@dataclass(frozen=True)
class Relation:
    """Exact levels and implied statements.

    Attributes:
        levels: exact levels by name; empty for a statement.
        moment_skewness: of a prior over numbers, without unit; else None.
        implied: what follows in each notion that has no exact level, by name.
        circumstances: under which it follows.
        warnings: what limits the answer, in sentences.
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
) -> Relation:
    """The exact levels of a channel, and for notions without one the tightest statement its levels imply.

    Its arguments are those of ``levels``; ``wanted`` says at which δ and order, and whether records are independent.
    """
    if restricted:
        prior = occurring(prior)
        channel = channel.restrict(prior.outcomes)
    known = replace(wanted or Circumstances(), records=1 if records is None else records, ordered=ordered)
    known = known.with_domain(channel.inputs) if prior is None else known.with_prior(prior)
    structure = structure_of(channel.inputs, records, ordered)
    exact = exact_levels(channel, prior, structure, known.order, known.delta, central=records is not None)
    covered = {type(level.statement) for level in exact.values()} | (_CENTRAL if records is None else set())
    missing = {name: _tightest(exact, notion, known) for name, notion in NOTIONS.items() if notion not in covered}
    skewness = None if prior is None else moment_skewness(prior)
    warnings = (*_about_neighbours(channel.inputs, structure, known), *_about_prior(prior))
    return Relation(exact, skewness, missing, known, warnings)


def _about_neighbours(inputs: tuple[Label, ...], structure: Structure | None, known: Circumstances) -> Iterator[str]:
    if structure is None:
        yield NO_NEIGHBOURS
    elif known.records > 1 and len({place for group in structure.groups for place in group}) < len(inputs):
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
        prior = occurring(prior)
    if prior is not None:
        known, skewness = known.with_prior(prior), moment_skewness(prior)
    warnings = tuple(_about_prior(prior))
    if prior is not None and known.records > 1 and of_data_sets(prior, known.records):
        structure = structure_of(prior.outcomes, known.records, known.ordered)
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
