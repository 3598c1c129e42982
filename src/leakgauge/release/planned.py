"""The plan in a record as what it was written from."""

from __future__ import annotations

import re
from pathlib import Path

from leakgauge.artefacts.record import PlannedColumn, Released
from leakgauge.errors import LeakgaugeError, OptionError, VerificationError
from leakgauge.mechanisms import Mechanism, parse_mechanism, randomized_response, through_channel
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.record import THIS_TABLE, binnings


def plan_of(record: Released, place: Path) -> RecordedPlan:
    """The plan of a record; written down again it is the same, unless the record contradicts itself.

    Raises:
        VerificationError: a mechanism that there is not.
    """
    plan = record.plan
    columns = tuple(_column(name, column, place) for name, column in plan.columns.items())
    steps = tuple(one.mechanism.step() for one in columns)
    return RecordedPlan(columns, plan.public, record.output.columns, steps, binnings(plan))


def _column(name: str, column: PlannedColumn, place: Path) -> BoundColumn:
    try:
        channel = None if column.channel is None else column.channel.named(place)
        mechanism = mechanism_of(column, channel)
        if not mechanism.capabilities.columns:
            raise OptionError("{name} answers queries and releases no column.", name=mechanism.name)
    except LeakgaugeError as error:
        raise VerificationError("{path} names a mechanism that is none: {reason}", path=place, reason=error) from None
    reads, writes = ((name,), (name,)) if channel is None else (channel.inputs, channel.outputs)
    return BoundColumn(name, mechanism, reads, writes, column.letters == THIS_TABLE, channel)


def mechanism_of(
    column: PlannedColumn, named: NamedChannel | None, letters: tuple[str, ...] | None = None
) -> Mechanism:
    """The mechanism of a planned column of a record.

    Args:
        column: as the record has it.
        named: its channel, where the record holds one.
        letters: where the record leaves them out.

    Raises:
        LeakgaugeError: there is no such mechanism, or it is not the one whose channel is kept.
    """
    text = column.mechanism
    if named is None:
        return parse_mechanism(text, letters)
    kind, _, rest = text.partition(":")
    if kind != "randomized-response":
        # The channel stands in the record; the file it once came from is not opened.
        file = re.sub(r"\\(.)", r"\1", rest.removeprefix("file="), flags=re.DOTALL)
        return through_channel(named.channel, file or None)
    if column.epsilon is None:
        raise VerificationError("its randomized response has no ε.")
    made = randomized_response(column.epsilon, letters=named.channel.inputs)
    if made.exact != named.channel:
        raise VerificationError("its randomized response is not the channel it keeps.")
    return made
