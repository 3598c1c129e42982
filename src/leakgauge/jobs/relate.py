"""Relate: what a channel satisfies exactly, or what a statement implies, ready to be stored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from leakgauge.arguments import checked
from leakgauge.artefacts import Quantity, Relation
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.relation import Derivation, Implied, Order, Telling
from leakgauge.claims import MinEntropyLeakage, MutualInformation, Statement, parse_statement
from leakgauge.design.guesses import nearest_guess, nearest_guess_from
from leakgauge.distances import Distortion, Hamming
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import ModelError, OptionError
from leakgauge.jobs.capacities import capacities_of
from leakgauge.measures import vulnerability
from leakgauge.notions import Circumstances, implied
from leakgauge.notions.edges import Edge
from leakgauge.notions.graph import Implication
from leakgauge.notions.refinement import Refinement, refined_by
from leakgauge.notions.relation import Relation as Related
from leakgauge.notions.relation import relate_channel, relate_statement
from leakgauge.probability import Channel, Distribution, Label, Scenario
from leakgauge.probability.files import NamedChannel, match_labels, read_label_values
from leakgauge.probability.labels import text_of

DISTORTION_RATE = Edge(
    MutualInformation,
    MinEntropyLeakage,
    lambda statement, known: None,
    "log₂ (1 − D(ε))/V, D the least share of wrong guesses, V the chance of the best guess",
    "the distortion–rate function under Hamming's distance (Shannon 1959; Erokhin 1958)",
    "the prior is known",
)
"""What a known prior adds to the graph: it takes the solver of designs, which is above the room of notions."""


@checked
def relate(
    subject: str | Path | Channel | NamedChannel | Statement,
    prior: Path | str | Distribution | None = None,
    records: int | None = None,
    *,
    against: Path | str | Channel | None = None,
    ordered: bool = True,
    restricted: bool = False,
    wanted: Circumstances | None = None,
    distortion: Distortion | str | None = None,
) -> Relation:
    """The exact levels of a channel, or what a statement implies in every other notion.

    Args:
        subject: a channel, a statement, the path of a channel file, or a statement as text. Levels of a channel that is
            conditional on columns are conditional on them too.
        prior: over the channel's inputs, or the values of a record; or a CSV file ``label,value`` with it, for data
            sets with a field for each record before the value. Of one record it is also that of a channel's data sets
            where records are independent.
        records: how many records a data set has; None for a local channel.
        against: another channel with the same inputs, or its file: which of the two is safer for everybody.
        ordered: whether neighbouring data sets differ in the record at one position; if not, they are multisets.
        restricted: leave out values that the prior gives probability 0.
        wanted: at which δ and order, whether records are independent, and how many values a record has.
        distortion: how far a guess is from the secret, by name or file: the least mean distance of any guess is given
            then, which needs a prior.

    Raises:
        FileError: a file that cannot be read.
        OptionError: a text that is not a statement, or a statement beside another channel.
        LabelError: another channel with other inputs.
        ModelError: a prior that is not one.

    Example:
        >>> relate("local-dp:1.0").implied[0].notion
        'identifiability'
    """
    known = replace(wanted or Circumstances(), records=1 if records is None else records, ordered=ordered)
    told = "" if isinstance(subject, Channel | NamedChannel) else str(subject)
    if isinstance(subject, Path) or (isinstance(subject, str) and (told.endswith(".json") or Path(told).is_file())):
        subject = read_channel(subject)
    if isinstance(subject, Channel):
        subject = NamedChannel(subject, (), ())
    given: tuple[str, ...] = ()
    order = most = None
    if known.values is not None and (prior is not None or isinstance(subject, NamedChannel)):
        raise OptionError(
            "How many values a record has is said by the prior or the channel, and by --values {found} again; leave "
            "--values out.",
            found=known.values,
        )
    loss = distortion_named(distortion) if isinstance(distortion, str) else distortion
    if loss is not None and prior is None:
        raise OptionError("How near a guess comes depends on the prior, but there is none; give one with --prior.")
    if isinstance(subject, NamedChannel):
        channel, given, compared = subject.channel, subject.given, subject.compared
        believed = _prior(prior, channel.inputs, records, independent=known.independent and ordered)
        found = relate_channel(
            channel, believed, records, known, ordered=ordered, restricted=restricted, compared=compared
        )
        order = None if against is None else _order(channel, against)
        occurring = channel.restrict(believed.support) if restricted and believed is not None else channel
        most = capacities_of(occurring, compared)
        guessed = _guessed_from(channel, believed, loss) if compared is None else Guessed()
    else:
        if against is not None:
            raise OptionError("{subject!s} is a statement, not a channel; give two channel files.", subject=told)
        statement = parse_statement(subject) if isinstance(subject, str) else subject
        believed = _prior(prior, records=records)
        found = relate_statement(statement, believed, known, restricted=restricted)
        guessed = _guessed(statement, found, believed, loss)
    follows = {**{name: _implied(name, one) for name, one in found.implied.items()}, **guessed.implied}
    levels = {name: level.stored() for name, level in found.levels.items()}
    return Relation(
        subject=told,
        records=found.circumstances.records,
        ordered=found.circumstances.ordered,
        restricted=restricted,
        identifiability=levels.get("identifiability"),
        local_dp=levels.get("local-dp"),
        mutual_information=levels.get("mutual-information"),
        levels=levels,
        prior_skew=None if found.skew is None else Quantity(found.skew, "nats"),
        moment_skewness=None if found.moment_skewness is None else Quantity(found.moment_skewness, "1"),
        implied=tuple(follows.values()),
        warnings=found.warnings,
        given=given,
        order=order,
        capacities=most,
        guess=guessed.chance,
        distance=guessed.distance,
        distortion="" if guessed.distance is None else str(distortion),
    )


@dataclass(frozen=True)
class Guessed:
    """What one guess reaches under a prior, and what it says in place of what was implied."""

    chance: Quantity | None = None
    distance: Quantity | None = None
    implied: Mapping[str, Implied] = field(default_factory=dict)


def _guessed_from(channel: Channel, prior: Distribution | None, loss: Distortion | None) -> Guessed:
    if prior is None:
        return Guessed()
    chance = Quantity(vulnerability.posterior(Scenario(prior, channel)), "probability")
    return Guessed(chance, None if loss is None else Quantity(nearest_guess_from(channel, prior, loss), "distortion"))


def _guessed(statement: Statement, found: Related, prior: Distribution | None, loss: Distortion | None) -> Guessed:
    """What the bits that a statement allows leave of one guess, by the distortion–rate function of the prior."""
    if prior is None or found.circumstances.records > 1:
        return Guessed()
    told = implied(statement, MutualInformation, found.circumstances)
    if told.statement is None:
        return Guessed()
    bits = told.statement.level
    chance = min(1 - nearest_guess(prior, Hamming(), bits).low, 1.0)
    before = found.circumstances.best_guess or 1.0
    multiplied = math.log2(chance / before)
    known = implied(statement, MinEntropyLeakage, found.circumstances).statement
    replaced = {}
    if known is not None and known.level <= multiplied:
        chance = min(before * 2**known.level, 1.0)
    elif not isinstance(statement, MinEntropyLeakage):
        leakage = MinEntropyLeakage(max(multiplied, 0.0))
        path = (*told.path, DISTORTION_RATE)
        sharp = not told.path and not told.cut
        replaced = {leakage.name: _implied(leakage.name, Implication(leakage, path, sharp=sharp))}
    distance = None if loss is None else Quantity(nearest_guess(prior, loss, bits).low, "distortion")
    return Guessed(Quantity(chance, "probability"), distance, replaced)


def _order(channel: Channel, against: Path | str | Channel) -> Order:
    other = against if isinstance(against, Channel) else read_channel(against).channel
    ours, theirs = refined_by(other, channel), refined_by(channel, other)
    return Order(
        against="" if isinstance(against, Channel) else str(against),
        subject_safe=ours.holds,
        other_safe=theirs.holds,
        subject_tells=_telling(ours),
        other_tells=_telling(theirs),
    )


def _telling(found: Refinement) -> Telling | None:
    if found.holds or found.gain is None:
        return None
    return Telling(
        secrets=tuple(text_of(secret) for secret in found.gain.secrets),
        gains=tuple(tuple(row) for row in found.gain.matrix.tolist()),
        from_it=found.refined,
        from_other=found.channel,
    )


def _implied(name: str, one: Implication) -> Implied:
    told: dict[str, Any] = {}
    if one.statement is not None:
        told = {"statement": str(one.statement), "value": one.statement.level, "unit": one.statement.unit}
        told |= dict(one.statement.parameters)
    return Implied(
        **told,
        notion=name,
        sharp=one.sharp,
        cut=one.cut,
        path=tuple(
            Derivation(edge.conclusion.name, edge.formula, edge.status.value, edge.reference) for edge in one.path
        ),
        counterexample=one.counterexample or None,
    )


def _prior(
    prior: Path | str | Distribution | None,
    labels: tuple[Label, ...] | None = None,
    records: int | None = None,
    *,
    independent: bool = False,
) -> Distribution | None:
    if prior is None or isinstance(prior, Distribution):
        return prior
    first = labels[0] if labels else ()
    parts = len(first) if isinstance(first, tuple) and first else records or 1
    values = read_label_values(prior, parts)
    try:
        if labels is None:
            return Distribution(_read_labels(values, parts), list(values.values()))
        if independent and parts == records and not any("|" in text for text in values):
            # Data sets of independent records, from the prior of each.
            sets = [one if isinstance(one, tuple) else (one,) for one in labels]
            by_value = match_labels(values, tuple(dict.fromkeys(chain(*sets))), "entries of the prior")
            return Distribution(labels, [math.prod(by_value[value] for value in one) for one in sets])
        by_label = match_labels(values, labels, "entries of the prior")
        return Distribution(labels, [by_label[label] for label in labels])
    except ModelError as error:
        raise ModelError("The prior in {path} is not a prior: {reason}", path=prior, reason=error) from None


def _read_labels(texts: Iterable[str], records: int) -> list[object]:
    """Labels as meant: data sets if every text has this many parts, numbers if every text is one."""
    labels: list[object] = list(texts)
    parts = [tuple(str(text).split("|")) for text in labels]
    if records > 1 and all(len(part) == records for part in parts):
        return list(parts)
    try:
        return [float(str(text)) for text in labels]
    except ValueError:
        return labels
