"""A plan as a record keeps it, as the public record may say it, and the mechanisms that it names."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from leakgauge.artefacts import ChannelFile, PublicRecord, Record
from leakgauge.artefacts.record import LearntEdges, Plan, PlannedColumn, RecordedBins
from leakgauge.errors import LeakgaugeError, OptionError, VerificationError
from leakgauge.mechanisms import CATALOGUE, Mechanism, parse_mechanism, spelled, through_channel
from leakgauge.mechanisms.spelling import with_letters
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import Binning, parse_binning
from leakgauge.tables.binnings import Learnt, spelled_binning

THIS_TABLE = PriorOrigin.THIS_TABLE.value
DECLARED = "declared"
"""Where letters come from: the table, or the plan."""
WITHHELD = "withheld"
"""In place of a mechanism that was chosen by what it does to the table."""
_CHANNEL = "channel"
"""The mechanism that is a file of its own."""
_ANY_LETTERS = ("a", "b")
"""Where the letters are left out: what is computed then follows from ε alone."""


def recorded_plan(plan: RecordedPlan) -> Plan:
    """The plan with everything needed to compute its claims again."""
    return Plan(
        public=plan.public,
        bins={name: _recorded_bins(how) for name, how in plan.bins.items()},
        columns={one.name: _planned_column(one) for one in plan.columns},
        unit=plan.unit.column,
        rows_per_unit=plan.unit.rows,
    )


def binnings(plan: Plan) -> dict[str, Binning]:
    """How the columns of a record's plan are binned; edges that were learnt from the table are those of the record."""
    return {name: parse_binning(one.binning) for name, one in plan.bins.items()}


def _recorded_bins(binning: Binning) -> RecordedBins:
    learnt = isinstance(binning, Learnt) and LearntEdges(spelled_binning(binning.quantiles), binning.merged)
    return RecordedBins(spelled_binning(binning), learnt or None)


def _planned_column(one: BoundColumn) -> PlannedColumn:
    channel, parameters = one.channel, one.mechanism.parameters
    epsilon = parameters.get("epsilon")
    return PlannedColumn(
        mechanism=spelled(one.mechanism),
        epsilon=epsilon if isinstance(epsilon, int | float) else None,
        reads=one.reads,
        writes=one.writes,
        letters=None if "letters" not in parameters else THIS_TABLE if one.letters_from_table else DECLARED,
        channel_prior=None if channel is None else channel.prior_origin,
        channel=None if channel is None else ChannelFile.of(channel),
    )


def public_plan(plan: Plan, *, chosen_from_table: bool) -> Plan:
    """What everybody may know of a plan: no mechanisms that were chosen by what they do to the table, no values that
    were taken from it, no channels of private counts. The bins are the labels of the released file.
    """

    def shown(column: PlannedColumn) -> PlannedColumn:
        if chosen_from_table:
            return replace(column, mechanism=WITHHELD, epsilon=None, channel_prior=None, channel=None)
        if column.follows_from_counts:
            return replace(column, mechanism=column.kind, epsilon=None, channel=None)
        if column.letters == THIS_TABLE:
            return replace(column, mechanism=re.split("[,:]letters=", column.mechanism, maxsplit=1)[0], channel=None)
        return column

    return replace(plan, columns={name: shown(column) for name, column in plan.columns.items()})


def lacks_letters(column: PlannedColumn) -> bool:
    """Whether the letters of a planned column are left out: how many there are tells of the table too."""
    return column.letters == THIS_TABLE and "letters=" not in column.mechanism and column.mechanism != WITHHELD


def names_a_file(column: PlannedColumn) -> bool:
    """Whether the mechanism of a column is known by a file alone, which nobody opens on a record's word."""
    return column.channel is None and (column.kind == _CHANNEL or column.kind not in CATALOGUE)


def plan_of(record: Record | PublicRecord, place: Path) -> RecordedPlan:
    """The plan of a record, without columns of which a public one claims nothing.

    Written down again it is the same, unless the record contradicts itself.
    """
    plan = record.plan
    known = {name: column for name, column in plan.columns.items() if record.claims.get(name, column) is not None}
    columns = tuple(_bound(name, column, place) for name, column in known.items())
    unit = UnitOfProtection(plan.unit, plan.rows_per_unit)
    return RecordedPlan(columns, plan.public, record.output.columns, binnings(plan), unit=unit)


def _bound(name: str, column: PlannedColumn, place: Path) -> BoundColumn:
    try:
        channel = None if column.channel is None else column.channel.named(place)
        mechanism = _mechanism(column, channel)
        if not mechanism.capabilities.columns:
            raise OptionError("{name} answers queries and releases no column.", name=mechanism.name)
    except LeakgaugeError as error:
        raise VerificationError("{path} names a mechanism that is none: {reason}", path=place, reason=error) from None
    reads, writes = ((name,), (name,)) if channel is None else (channel.inputs, channel.outputs)
    return BoundColumn(name, mechanism, reads, writes, column.letters == THIS_TABLE, channel)


def _mechanism(column: PlannedColumn, named: NamedChannel | None) -> Mechanism:
    kind, _, rest = column.mechanism.partition(":")
    if named is None:
        return parse_mechanism(column.mechanism, _ANY_LETTERS if lacks_letters(column) else None)
    if kind == _CHANNEL or kind not in CATALOGUE:
        # The channel stands in the record; the file it once came from is not opened.
        file = re.sub(r"\\(.)", r"\1", rest.removeprefix("file="), flags=re.DOTALL)
        return through_channel(named.channel, file or None)
    if column.epsilon is None:
        raise VerificationError("its randomized response has no ε.")
    mechanism = with_letters(parse_mechanism(column.mechanism), named.channel.inputs)
    if mechanism.channel() != named.channel:
        raise VerificationError("its randomized response is not the channel it keeps.")
    return mechanism
