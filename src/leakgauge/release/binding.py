"""From a plan and a table to mechanisms that fit its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime

from leakgauge.errors import ColumnError, LabelError, OptionError, did_you_mean
from leakgauge.mechanisms import Mechanism, parse_mechanism, through_channel
from leakgauge.probability import Channel, Interval, Label
from leakgauge.probability.files import NamedChannel
from leakgauge.release.bound import BoundColumn, BoundPlan
from leakgauge.release.files import NOT_PRIVATE
from leakgauge.release.plan import Planned, ReleasePlan
from leakgauge.tables import BinnedTable, Binning, Column, Kind, Table, in_bins

LARGEST_ALPHABET = 1 << 12
"""Letters that a table may bring of its own; more are a key rather than an alphabet."""
_THIS_TABLE = "letters=this-table"
"""Written out in a plan, because it leaves unprotected which values occur."""


def bind(plan: ReleasePlan, table: Table) -> BoundPlan:
    """The plan bound to a table.

    Raises:
        ColumnError: a column that is not in the table or of a kind its bins or its mechanism cannot take.
        OptionError: two mechanisms for one column, or one column written twice.
    """
    known = {column.name: column for column in table.columns()}
    for name in (*plan.columns, *plan.public, *plan.bins):
        how = plan.columns.get(name)
        # A channel of several columns may give them new names; those that it reads are looked for below.
        if not (isinstance(how, NamedChannel) and name in how.outputs):
            _require_known(name, known)
    seen = in_bins(table, plan.bins)
    kinds = {column.name: column for column in seen.columns()}
    columns = tuple(_bound(name, how, kinds, seen, plan.bins) for name, how in _once(plan.columns))
    _require_one_each(columns, plan.public)
    for one in columns:
        for name in one.reads:
            _require_known(name, known)
    made = [*(name for one in columns for name in one.writes), *plan.public]
    order = [name for name in known if name in made] + [name for name in made if name not in known]
    steps = tuple(one.mechanism.step() for one in columns)
    bins = seen.bins if isinstance(seen, BinnedTable) else {}
    return BoundPlan(columns, plan.public, tuple(order), steps, bins, seen)


def _once(columns: Mapping[str, Planned]) -> Iterator[tuple[str, Planned]]:
    """Each mechanism once, under the first of the columns that it is planned for."""
    joint: list[NamedChannel] = []
    for name, how in columns.items():
        if isinstance(how, NamedChannel) and len(how.outputs) > 1:
            if how in joint:
                continue
            joint.append(how)
        yield name, how


def _bound(
    name: str, how: Planned, known: Mapping[str, Column], table: Table, bins: Mapping[str, Binning]
) -> BoundColumn:
    if isinstance(how, NamedChannel):
        fixed = through_channel(_in_text(how, bins))
        exact = NamedChannel(fixed.exact, how.inputs, how.outputs, how.prior_origin)
        return BoundColumn(name, fixed, how.inputs, how.outputs, channel=exact)
    column, own = known[name], isinstance(how, str) and _takes_the_tables_letters(how)
    mechanism = _mechanism(how, column, table, own) if isinstance(how, str) else how
    if column.kind not in mechanism.capabilities.columns:
        raise ColumnError(
            "Column {name!r} holds {kind}, which {mechanism!s} cannot release; {way}.",
            name=name,
            kind="bins" if name in bins else column.kind.words,
            mechanism=mechanism.name,
            way="leave its bins out, or choose another mechanism"
            if name in bins
            else "give lower and upper in place of a sensitivity"
            if mechanism.noise is not None and mechanism.capabilities.answers
            else "choose another mechanism",
        )
    channel = mechanism.channel() if mechanism.sets is None else None
    named = None if channel is None else NamedChannel(channel, (name,), (name,))
    return BoundColumn(name, mechanism, (name,), (name,), own, named)


def _in_text(named: NamedChannel, bins: Mapping[str, Binning]) -> Channel:
    """The channel with the texts of the intervals of columns that the plan bins; they are what the channel is given."""

    def spelled(names: Sequence[str], labels: Sequence[Label]) -> list[Label]:
        parts = [label if len(names) > 1 and isinstance(label, tuple) else (label,) for label in labels]
        texts = [
            tuple(
                str(part) if name in bins and isinstance(part, Interval) else part
                for name, part in zip(names, label, strict=True)
            )
            for label in parts
        ]
        return [text if len(names) > 1 else text[0] for text in texts]

    channel = named.channel
    return Channel(spelled(named.inputs, channel.inputs), spelled(named.outputs, channel.outputs), channel.matrix)


def _mechanism(text: str, column: Column, table: Table, own: bool) -> Mechanism:
    if own:
        return parse_mechanism(_without_letters(text), letters=_letters(table, column.name))
    mechanism = parse_mechanism(text)
    written = mechanism.parameters.get("letters")
    if column.kind is Kind.STRING or not isinstance(written, tuple):
        return mechanism
    # Letters in a text are texts; the column has them as numbers, dates or truths.
    return parse_mechanism(
        f"{mechanism.name}:epsilon={mechanism.parameters['epsilon']!r}",
        letters=tuple(_read_letter(letter, column) for letter in written),
    )


_READERS: dict[Kind, Callable[[str], Label]] = {
    Kind.INT: int,
    Kind.FLOAT: float,
    Kind.BOOL: lambda text: {"true": True, "false": False}[text.casefold()],
    Kind.DATE: date.fromisoformat,
    Kind.TIMESTAMP: datetime.fromisoformat,
}


def _read_letter(letter: object, column: Column) -> Label:
    if letter is None:
        return None
    try:
        return _READERS[column.kind](str(letter))
    except (ValueError, KeyError):
        # The letter stands in the plan, so it may be shown.
        raise ColumnError(
            "Column {name!r} holds {kind}, and the letter {letter!r} of its mechanism is none; write one that is.",
            name=column.name,
            kind=column.kind.words,
            letter=letter,
        ) from None


def _takes_the_tables_letters(text: str) -> bool:
    return _THIS_TABLE in text.partition(":")[2].split(",")


def _without_letters(text: str) -> str:
    name, _, parameters = text.partition(":")
    return f"{name}:{','.join(part for part in parameters.split(',') if part != _THIS_TABLE)}"


def _letters(table: Table, name: str) -> tuple[Label, ...]:
    counts = table.counts(name, limit=LARGEST_ALPHABET)
    letters = counts.labels(name)
    if len(letters) < 2:
        raise LabelError("Column {name!r} has fewer than 2 values; declare its letters with letters=a|b|….", name=name)
    return tuple(letters)


def _require_known(name: str, known: Mapping[str, Column]) -> None:
    if name not in known:
        raise ColumnError(
            "The plan names column {name!r}, which is not in the table; {hint}",
            name=name,
            hint=did_you_mean(name, known),
        )


def _require_one_each(columns: Sequence[BoundColumn], public: Sequence[str]) -> None:
    written = [*(name for one in columns for name in one.writes), *public]
    if NOT_PRIVATE in written:
        raise OptionError("A column named {name!r} marks simulations; rename it first.", name=NOT_PRIVATE)
    for name in written:
        if written.count(name) > 1:
            raise OptionError("Column {name!r} would be released twice; give it one mechanism.", name=name)
    secret = [name for one in columns for name in one.reads if name not in public]
    for name in secret:
        if secret.count(name) > 1:
            raise OptionError("Two mechanisms read column {name!r}; give it one.", name=name)
