"""Relate: what a channel satisfies exactly, or what a statement implies, in every notion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from leakgauge.claims import NOTIONS, CentralDP, CentralIdentifiability, CentralMutualInformation, Statement
from leakgauge.claims.quantities import statement_json
from leakgauge.notions.graph import Circumstances, Implication, everything_implied, implied
from leakgauge.notions.levels import levels
from leakgauge.notions.neighbours import data_sets
from leakgauge.notions.ratios import moment_skewness, prior_skew
from leakgauge.notions.witness import Level
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.labels import text_of

_CENTRAL: set[type[Statement]] = {CentralDP, CentralIdentifiability, CentralMutualInformation}
"""For a channel of one record these say what their local twins say."""


@dataclass(frozen=True)
class Relation:
    """Exact levels and implied statements.

    Attributes:
        subject: the statement, or None for a channel.
        levels: exact levels by name; empty for a statement.
        skew: Δ of the prior over the inputs compared, in nats; None without a prior.
        moment_skewness: of a prior over numbers, without unit; else None.
        implied: what follows in each notion that has no exact level, by name.
    """

    subject: Statement | None
    levels: Mapping[str, Level]
    skew: float | None
    moment_skewness: float | None
    implied: Mapping[str, Implication]


def relate_channel(
    channel: Channel,
    prior: Distribution | None = None,
    records: int | None = None,
    wanted: Circumstances | None = None,
) -> Relation:
    """The exact levels of a channel, and for notions without one the tightest statement its budget implies."""
    known = replace(wanted or Circumstances(), records=records or 1)
    if records is not None:
        known = known.with_domain(channel.inputs)
    if prior is not None:
        known = known.with_prior(prior)
    found = levels(channel, prior, records, known.order, known.delta)
    exact = {type(level.statement) for level in found.values()} | (_CENTRAL if records is None else set())
    missing = {
        name: _tightest(found.values(), notion, known) for name, notion in NOTIONS.items() if notion not in exact
    }
    skew = None
    if prior is not None:
        skew = prior_skew(prior, None if records is None else data_sets(channel.inputs, records))
    return Relation(None, found, skew, None if prior is None else moment_skewness(prior), missing)


def level_json(level: Level) -> dict[str, object]:
    """A level as it stands in JSON, with the witness that reaches it."""
    witness = level.witness and {
        "inputs": [text_of(label) for label in level.witness.inputs],
        "output": None if level.witness.output is None else text_of(level.witness.output),
    }
    return {**statement_json(level.statement), "witness": witness}


def _tightest(known_levels: Iterable[Level], notion: type[Statement], known: Circumstances) -> Implication:
    """The tightest that any exact level implies, so that nothing said of a known channel is looser than need be."""
    levels_known = list(known_levels)
    exact = {type(level.statement) for level in levels_known}
    spoken = [
        one
        for one in (implied(level.statement, notion, known) for level in levels_known if math.isfinite(level.value))
        # A way over a notion whose exact level is known would replace that level by a bound.
        if one.statement is not None and not exact & {edge.conclusion for edge in one.path[:-1]}
    ]
    return min(spoken, key=lambda one: one.statement.level if one.statement else 0.0, default=Implication(None))


def relate_statement(
    statement: Statement, prior: Distribution | None = None, wanted: Circumstances | None = None
) -> Relation:
    """What a statement implies in every other notion, given what is known of prior and records."""
    known = wanted or Circumstances()
    if prior is not None:
        known = known.with_prior(prior)
    return Relation(
        statement,
        {},
        known.skew,
        None if prior is None else moment_skewness(prior),
        everything_implied(statement, known),
    )


def relate_statements(
    statements: Iterable[Statement], wanted: Circumstances | None = None
) -> Mapping[str, Statement | None]:
    """For each notion the tightest that several statements about one mechanism say or imply; None where nothing is."""
    said, known = tuple(statements), wanted or Circumstances()
    found: dict[str, Statement | None] = {}
    for name, notion in NOTIONS.items():
        candidates = [one if isinstance(one, notion) else implied(one, notion, known).statement for one in said]
        spoken = [one for one in candidates if one is not None and math.isfinite(one.level)]
        found[name] = min(spoken, key=lambda one: one.level, default=None)
    return found
