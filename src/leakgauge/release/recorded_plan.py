"""A plan as a record keeps it, as the public record may say it, and the mechanisms that it names."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from leakgauge.artefacts import ChannelFile, PublicRecord, Record
from leakgauge.artefacts.record import LearntEdges, Plan, PlannedColumn, RecordedBins, RecordedLevels
from leakgauge.errors import LeakgaugeError, OptionError, VerificationError
from leakgauge.mechanisms import CATALOGUE, Mechanism, parse_mechanism, spelled, through_channel
from leakgauge.mechanisms.spelling import with_letters
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.kept import Noise
from leakgauge.release.plan import ReleasePlan
from leakgauge.release.unit import UnitOfProtection
from leakgauge.tables import Binning, Levels, Suppression, Table, in_bins, parse_binning, suppressed
from leakgauge.tables.binnings import Learnt, asked_binning, spelled_binning

THIS_TABLE = PriorOrigin.THIS_TABLE.value
ANOTHER_TABLE = PriorOrigin.ANOTHER_TABLE.value
DECLARED = "declared"
"""Where letters come from: the table, one that was released before, or the plan."""
PRIVATE_LETTERS = (THIS_TABLE, ANOTHER_TABLE)
"""Letters that are values of a private table."""
WITHHELD = "withheld"
"""Replaces a mechanism that was chosen by its effect on the table."""
CHANNEL = "channel"
"""The mechanism that is a file of its own."""
_ANY_LETTERS = ("a", "b")
"""Where the letters are left out: what is computed then follows from ε alone."""


def recorded_plan(plan: RecordedPlan) -> Plan:
    """The plan with everything needed to compute its claims again."""
    return Plan(
        public=plan.public,
        bins={name: _recorded_bins(how, name in plan.from_another_table) for name, how in plan.bins.items()},
        columns={one.name: _planned_column(one, one.name in plan.from_another_table) for one in plan.columns},
        unit=plan.unit.column,
        rows_per_unit=plan.unit.rows,
        suppress_below=None if plan.suppression is None else plan.suppression.below,
        suppress_unit=None if plan.suppression is None else plan.suppression.unit,
        suppressed=plan.suppressed,
        keep_order=plan.keep_order,
        order_by=plan.order_by,
        kept=plan.kept,
    )


def binnings(plan: Plan) -> dict[str, Binning]:
    """How the columns of a record's plan are binned; edges that were learnt from the table are those of the record.

    A level of which a public record has only the number is left out.
    """
    found: dict[str, Binning] = {}
    for name, one in plan.bins.items():
        if one.level is None:
            found[name] = parse_binning(one.binning)
        elif one.levels is not None:
            found[name] = Levels(one.levels.values, one.levels.coarser, one.level, one.levels.file)
    return found


def suppression(plan: Plan) -> Suppression | None:
    """What a record's plan suppresses."""
    return None if plan.suppress_below is None else Suppression(plan.public, plan.suppress_below, plan.suppress_unit)


def as_released(table: Table, plan: Plan) -> Table:
    """A table with its columns in the bins and levels of a record's plan, small groups suppressed."""
    return suppressed(in_bins(table, binnings(plan)), suppression(plan))


def _recorded_bins(binning: Binning, elsewhere: bool) -> RecordedBins:
    if isinstance(binning, Levels):
        levels = RecordedLevels(binning.file, binning.values, binning.coarser)
        return RecordedBins(spelled_binning(binning), levels=levels)
    asked, merged = asked_binning(binning), binning.merged if isinstance(binning, Learnt) else 0
    learnt = None if asked is binning else LearntEdges(spelled_binning(asked), merged)
    return RecordedBins(spelled_binning(binning), learnt, elsewhere)


def _planned_column(one: BoundColumn, elsewhere: bool) -> PlannedColumn:
    channel, parameters = one.channel, one.mechanism.parameters
    epsilon, table = parameters.get("epsilon"), ANOTHER_TABLE if elsewhere else THIS_TABLE
    return PlannedColumn(
        mechanism=spelled(one.mechanism),
        epsilon=epsilon if isinstance(epsilon, int | float) else None,
        reads=one.reads,
        writes=one.writes,
        letters=None if "letters" not in parameters else table if one.letters_from_table else DECLARED,
        channel_prior=None if channel is None else channel.prior_origin,
        channel=None if channel is None else ChannelFile.of(channel),
        unprotected=one.unprotected,
    )


def public_plan(plan: Plan, inside: Collection[str], *, chosen_from_table: bool) -> Plan:
    """The publishable part of a plan: no mechanisms chosen by their effect on the table, no values taken from it, no
    channels of columns whose channels are kept ``inside``. Bins are labels of the released file anyway; levels keep
    their number, and suppression its limit.
    """

    def shown(name: str, column: PlannedColumn) -> PlannedColumn:
        if chosen_from_table:
            return replace(column, mechanism=WITHHELD, epsilon=None, channel_prior=None, channel=None)
        if name in inside:
            return replace(column, mechanism=column.kind, epsilon=None, channel=None)
        if column.letters in PRIVATE_LETTERS:
            return replace(column, mechanism=re.split("[,:]letters=", column.mechanism, maxsplit=1)[0], channel=None)
        return column

    return replace(
        plan,
        columns={name: shown(name, column) for name, column in plan.columns.items()},
        bins={name: replace(one, levels=None) for name, one in plan.bins.items()},
        suppressed=None,
    )


def lacks_letters(column: PlannedColumn) -> bool:
    """Whether the letters of a planned column are left out: even their number reveals something about the table."""
    return column.letters in PRIVATE_LETTERS and "letters=" not in column.mechanism and column.mechanism != WITHHELD


def names_a_file(column: PlannedColumn) -> bool:
    """Whether the mechanism of a column is known only as a file, which is not opened because a record names it."""
    return column.channel is None and (column.kind == CHANNEL or column.kind not in CATALOGUE)


def plan_of(record: Record | PublicRecord, place: Path) -> RecordedPlan:
    """The plan of a record, without columns of which a public one claims nothing.

    Written down again it is the same, unless the record contradicts itself.
    """
    plan = record.plan
    known = {name: column for name, column in plan.columns.items() if record.claims.get(name, column) is not None}
    return RecordedPlan(
        tuple(_bound(name, column, plan.public, place) for name, column in known.items()),
        plan.public,
        record.output.columns,
        binnings(plan),
        unit=UnitOfProtection(plan.unit, plan.rows_per_unit),
        suppression=suppression(plan),
        from_another_table=from_another_table(plan),
        keep_order=plan.keep_order,
        order_by=plan.order_by,
        kept=plan.kept,
    )


def asked_again(plan: Plan, place: Path) -> ReleasePlan:
    """The plan of a record, to be bound to its table again: a mechanism kept as a channel is that channel."""
    planned = {
        written: column.mechanism if column.channel is None else column.channel.named(place)
        for name, column in plan.columns.items()
        # A channel of several columns is planned for each that it writes.
        for written in (name, *(column.writes if len(column.writes) > 1 else ()))
    }
    return ReleasePlan(
        planned,
        plan.public,
        binnings(plan),
        suppress_below=plan.suppress_below,
        suppress_unit=plan.suppress_unit,
        unit=plan.unit,
        rows_per_unit=plan.rows_per_unit,
        clamp=[name for name, column in plan.columns.items() if column.clamps],
        unprotected=[name for name, column in plan.columns.items() if column.unprotected],
        from_another_table=from_another_table(plan),
        keep_order=plan.keep_order,
        order_by=plan.order_by,
        noise=None if plan.kept is None else Noise.KEPT if plan.kept else Noise.FRESH,
    )


def from_another_table(plan: Plan) -> frozenset[str]:
    """The columns whose letters or edges a record says to come from another table."""
    letters = {name for name, column in plan.columns.items() if column.letters == ANOTHER_TABLE}
    return frozenset(letters | {name for name, one in plan.bins.items() if one.from_another_table})


def _bound(name: str, column: PlannedColumn, public: tuple[str, ...], place: Path) -> BoundColumn:
    if not set(column.given) <= set(public):
        # Its level would leave out of account what the release protects, or does not show.
        raise VerificationError(
            "{path} says of column {name!r} that its claims are given a column that is not public.",
            path=place,
            name=name,
        )
    try:
        channel = None if column.channel is None else column.channel.named(place)
        mechanism = _mechanism(column, channel)
        if not mechanism.capabilities.columns:
            raise OptionError("{name} answers queries and does not release a column.", name=mechanism.name)
    except LeakgaugeError as error:
        raise VerificationError(
            "{path} names a mechanism that cannot be used: {reason}", path=place, reason=error
        ) from None
    reads, writes = ((name,), (name,)) if channel is None else (channel.inputs, channel.outputs)
    own = column.letters in PRIVATE_LETTERS
    return BoundColumn(name, mechanism, reads, writes, own, channel, column.unprotected)


def _mechanism(column: PlannedColumn, named: NamedChannel | None) -> Mechanism:
    kind, _, rest = column.mechanism.partition(":")
    if named is None:
        return parse_mechanism(column.mechanism, _ANY_LETTERS if lacks_letters(column) else None)
    if kind == CHANNEL or kind not in CATALOGUE:
        # The channel stands in the record; the file it once came from is not opened.
        file = re.sub(r"\\(.)", r"\1", rest.removeprefix("file="), flags=re.DOTALL)
        return through_channel(named.channel, file or None, named.compared)
    if column.epsilon is None:
        raise VerificationError("its randomized response has no ε.")
    mechanism = with_letters(parse_mechanism(column.mechanism), named.channel.inputs)
    if mechanism.channel() != named.channel:
        raise VerificationError("its randomized response is not the channel it keeps.")
    return mechanism
