"""What a notebook shows of a value that stands by itself, in the words of reports and screens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import islice
from typing import Any, Final

import numpy as np

from leakgauge.artefacts.audit import Audit, Finding, Shown
from leakgauge.artefacts.dossier import Dossier, SecretResults
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.survey import Survey
from leakgauge.artefacts.verdict import Judgement
from leakgauge.design import Solution
from leakgauge.errors import InternalError
from leakgauge.languages import message
from leakgauge.mechanisms import Mechanism
from leakgauge.notions import Level
from leakgauge.notions.relation import ExactLevels
from leakgauge.probability import Channel, Counts, Distribution, Estimate, Joint, Scenario
from leakgauge.probability.cells import Cells
from leakgauge.probability.labels import Label
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.plan import in_words
from leakgauge.tables import Table
from leakgauge.tables.binnings import spelled_binning
from leakgauge.telling import attacks, search
from leakgauge.telling import audit as audits
from leakgauge.telling import shown as copies
from leakgauge.telling import survey as surveys
from leakgauge.telling.blocks import Content
from leakgauge.telling.design import design
from leakgauge.telling.measurement import intervals
from leakgauge.telling.relation import exact_levels
from leakgauge.telling.releasing import release
from leakgauge.telling.risks import risk_in_people, risks, unchecked
from leakgauge.telling.scores import recommended, scores, worth
from leakgauge.telling.verdict import changes
from leakgauge.telling.voice import Cell, Plain, Voice, own, yes_or_no

MOST: Final = 20
"""The most rows, and columns besides the first, that are shown of a large table."""
_LONGEST: Final = 200
"""Letters of a label."""


@singledispatch
def shown(value: object, voice: Voice) -> Iterator[Content]:
    """The blocks that show a value; of a large table the first rows and columns, and how many more there are."""
    raise InternalError("A notebook is not told how to show {kind}.", kind=type(value).__name__)


@shown.register
def _(value: Distribution, voice: Voice) -> Iterator[Content]:
    first = zip(value.outcomes, value.probabilities[:MOST].tolist(), strict=False)
    rows = ((_label(voice, outcome), voice.number(share)) for outcome, share in first)
    yield from voice.grid("Distribution p(x) of {count:,} outcomes", "Outcome|Probability", rows, count=len(value))
    yield from _more(voice, len(value))


@shown.register
def _(value: Joint, voice: Voice) -> Iterator[Content]:
    caption = message("Joint p(x, z) of {height:,} rows and {width:,} columns")
    yield from _matrix(voice, caption, message("rows \\ columns"), value.rows, value.columns, value.cells)


@shown.register
def _(value: Channel, voice: Voice) -> Iterator[Content]:
    caption = message("Channel q(y|x) of {height:,} inputs and {width:,} outputs")
    yield from _matrix(voice, caption, message("inputs \\ outputs"), value.inputs, value.outputs, value.cells)


def _matrix(
    voice: Voice, caption: str, corner: str, rows: Sequence[Label], columns: Sequence[Label], cells: Cells
) -> Iterator[Content]:
    at, beside, numbers = cells.nonzero()
    near = (at < MOST) & (beside < MOST)
    first = np.zeros((min(len(rows), MOST), min(len(columns), MOST)))
    first[at[near], beside[near]] = numbers[near]
    heads: tuple[str | Plain, ...] = (corner, *(_label(voice, one) for one in columns[:MOST]))
    numbered: Iterator[tuple[Cell, ...]] = (
        (_label(voice, one), *map(voice.number, row)) for one, row in zip(rows, first.tolist(), strict=False)
    )
    yield from voice.grid(caption, heads, numbered, height=len(rows), width=len(columns))
    yield from _more(voice, len(rows), len(columns))


@shown.register
def _(value: Counts, voice: Voice) -> Iterator[Content]:
    letters = [value.labels(name) for name in value.names]
    rows: Iterator[tuple[Cell, ...]] = (
        (*(_label(voice, labels[at]) for labels, at in zip(letters, codes, strict=True)), voice.number(count))
        for codes, count in zip(value.codes.T[:MOST].tolist(), value.counts.tolist(), strict=False)
    )
    heads: tuple[str | Plain, ...] = (*map(own, value.names), message("Count"))
    yield from voice.grid("Counts of the combinations that occur, {count:,} rows in all", heads, rows, count=value.n)
    yield from _more(voice, len(value.counts))


@shown.register
def _(value: Estimate, voice: Voice) -> Iterator[Content]:
    yield voice.say(
        "Estimate: {value}, from {count} observations.",
        value=voice.number(Quantity.estimated(value, "")),
        count=voice.number(value, "n"),
    )
    yield intervals(voice, value)
    if not value.reliable:
        yield voice.alarm("The sample is too small for the alphabet.")


@shown.register
def _(value: Scenario, voice: Voice) -> Iterator[Content]:
    say, known, channel = voice.language.say, value.background, value.channel
    none = say("none")
    yield from voice.grid(
        "Scenario",
        "Part|Value",
        (
            (say("secrets X"), voice.number(len(value.source))),
            (say("releases Y"), none if channel is None else voice.number(len(channel.outputs))),
            (say("backgrounds Z"), none if known is None else voice.number(len(known.columns))),
            (say("the release depends on the background"), yes_or_no(voice, value.by_pairs)),
            (say("weights"), none if value.weights is None else Plain(" × ".join(map(str, value.weights.shape)))),
        ),
    )


@shown.register
def _(value: Mechanism, voice: Voice) -> Iterator[Content]:
    say = voice.language.say
    rows: list[tuple[Cell, Cell]] = [
        (own(name), voice.number(one) if isinstance(one, float) else _label(voice, one))
        for name, one in value.parameters.items()
    ]
    for claim in value.claims:
        level = voice.number(claim.level, unit=claim.unit)
        rows.append((say("claims"), voice.say("{notion} at most {level}", notion=own(claim.name), level=level)))
    if value.letters is not None:
        rows.append((say("values"), voice.number(len(value.letters))))
    yield from voice.grid("Mechanism {name}", "Part|Value", rows, name=own(value.name))


@shown.register
def _(value: ReleasePlan, voice: Voice) -> Iterator[Content]:
    through = {name: own(in_words(how)) for name, how in value.columns.items()}
    through |= dict.fromkeys(value.public, Plain(voice.language.say("nothing: it is public")))
    bins = {name: spelled_binning(how) for name, how in value.bins.items()}
    rows = ((own(name), how, own(bins.get(name, ""))) for name, how in through.items())
    yield from voice.grid("Plan that protects {unit!s}", "Column|Released through|Coarser by", rows, unit=value.unit)


@shown.register
def _(value: Table, voice: Voice) -> Iterator[Content]:
    # Names and kinds alone: no row of a table is shown by chance.
    columns = value.columns()
    rows = ((own(one.name), voice.told(one.kind.words)) for one in columns)
    yield from voice.grid(
        "Table of {height:,} rows and {width:,} columns",
        "Column|Kind of values",
        islice(rows, MOST),
        height=value.rows,
        width=len(columns),
    )
    yield from _more(voice, len(columns))


@shown.register
def _(value: Finding, voice: Voice) -> Iterator[Content]:
    yield from attacks.table(voice, [value])
    yield voice.say("Target: {target}. Method: {method}", target=voice.listed(value.target), method=value.method)
    if value.beats_claim:
        yield voice.alarm("It beats the claim.")


@shown.register
def _(value: Judgement, voice: Voice) -> Iterator[Content]:
    yield from (*recommended(voice, value), *risk_in_people(voice, value), *risks(voice, value))
    for secret in value.scores:
        yield from (*scores(voice, value, secret), *worth(voice, value, secret))
    yield from (*unchecked(voice, value), *changes(voice, value))


def _levels(caption: str, voice: Voice, found: Mapping[str, Level]) -> Iterator[Content]:
    return exact_levels(voice, {name: one.stored() for name, one in found.items()}, caption)


def _surveyed(voice: Voice) -> Iterator[Content]:
    found = voice.dossier.survey
    return iter(()) if found is None else surveys.surveyed(voice, found)


def _about(voice: Voice, **results: Any) -> Voice:
    return replace(voice, shown=copies.Shown(Dossier(**results)))


_ELSEWHERE: Final[Mapping[type, Callable[[Any, Voice], Iterator[Content]]]] = {
    Level: lambda one, voice: _levels(message("Exact level"), voice, {one.statement.name: one}),
    ExactLevels: lambda found, voice: _levels(message("Exact levels"), voice, found),
    Solution: lambda found, voice: design(voice, [found]),
    Release: lambda made, voice: release(voice, made),
    Shown: lambda found, voice: audits.shown(voice, found),
    Survey: lambda found, voice: _surveyed(_about(voice, survey=found)),
    Audit: lambda found, voice: audits.audited(_about(voice, audit=found)),
    StoredImprovement: lambda found, voice: search.tuning(_about(voice, secrets=(SecretResults(improvement=found),))),
}
"""What is worded as in a report or on a screen."""
for _kind, _tell in _ELSEWHERE.items():
    shown.register(_kind, _tell)


def _more(voice: Voice, rows: int, columns: int = 0) -> Iterator[Content]:
    """How many more rows and columns there are than are shown."""
    more = (rows - MOST, columns - MOST)
    if max(more) > 0:
        yield voice.note(
            "More rows: {rows}; more columns: {columns}." if columns else "More rows: {rows}.",
            rows=voice.number(max(more[0], 0)),
            columns=voice.number(max(more[1], 0)),
        )


def _label(voice: Voice, label: Any) -> Plain:
    """A label as it is; a missing one is not taken for the word."""
    missing = voice.language.say("(missing)")
    if label is None:
        return Plain(missing)
    if isinstance(label, Sequence) and not isinstance(label, str):
        return Plain("|".join(str(_label(voice, one)) for one in label))
    text = repr(label) if label == missing else str(label)
    return own(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
