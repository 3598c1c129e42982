"""Measure a table: what a secret column leaks through a release, to someone who knows other columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import log2, prod

from leakgauge import measures
from leakgauge.artefacts import Measurement, Quantity
from leakgauge.artefacts.measurement import ZeroLeakage
from leakgauge.errors import ColumnError, LabelError, OptionError
from leakgauge.measures import Estimator, guessing, renyi, vulnerability
from leakgauge.measures.clusters import independent_rows, scaled, widened
from leakgauge.measures.estimation import estimates as estimates_of
from leakgauge.measures.sequences import JOINT_CELLS, counted_jointly, joint_channel
from leakgauge.measures.terms import AxisRoles, Measure
from leakgauge.probability import Channel, Counts, Estimate, Interval, Seen
from leakgauge.probability.files import NamedChannel, match_labels
from leakgauge.probability.labels import Label, label_parts
from leakgauge.tables import Table

SECRET, RELEASE, BACKGROUND = "secret", "release", "background"
REDRAWN = 20_000
"""Beyond this many cells, companions, which are estimated by redrawing the counts, would take minutes: they are left
out."""


@dataclass(frozen=True)
class Roles:
    """Which columns are secret, which are released, which the attacker knows, and which says whose row it is.

    Rows with the same value of ``unit`` belong to one person: intervals assume that only persons are independent.
    """

    secret: tuple[str, ...]
    release: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    unit: str | None = None

    def __post_init__(self) -> None:
        if not self.secret:
            raise OptionError("No secret column is named; name at least one.")
        seen: dict[str, str] = {}
        for role in (SECRET, RELEASE, BACKGROUND):
            for column in getattr(self, role):
                if seen.get(column) == role:
                    raise OptionError(
                        "Column {column!r} is named twice as {role}; name it once.", column=column, role=role
                    )
                if column in seen:
                    raise OptionError(
                        "Column {column!r} is named both as {first} and as {second}; give it one role.",
                        column=column,
                        first=seen[column],
                        second=role,
                    )
                seen[column] = role

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is measured."""
        return self.secret + self.release + self.background


def measure(
    table: Table,
    roles: Roles,
    *,
    called: str = "",
    channels: Sequence[NamedChannel] = (),
    weights: Mapping[str, float] | None = None,
    estimator: Estimator = Estimator.PLUG_IN,
    confidence: float = 0.95,
) -> Measurement:
    """The measures of a table's secret, in the table's bins, with intervals; only counts leave the table.

    ``channels`` are known release channels of the secret columns, instead of released columns. Several release a row
    together; a single one may also read some of the background. ``weights`` are by the text of each secret's label, and
    ``called`` names the table in the measurement.
    """
    if channels and roles.release:
        raise OptionError("A release column and a channel are both given; give one of them.")
    beside = _read_beside(channels[0], roles) if len(channels) == 1 else ()
    known = None if beside else released_together([reading_secret(one, roles.secret) for one in channels])
    counts = table.counts(*roles.columns)
    for column in roles.columns:
        require_varied(counts, column, binned=column in table.bins)
    groups = {role: getattr(roles, role) for role in (SECRET, RELEASE, BACKGROUND) if getattr(roles, role)}
    merged = counts.merge(groups)
    by_label = None if weights is None else match_labels(weights, merged.labels(SECRET), "weights")
    if beside:
        known = _from_pairs(columns_in_order(channels[0], roles.secret + beside), merged, roles, beside)
    elif known is not None:
        occurring = set(merged.labels(SECRET))
        require_inputs(known, occurring, roles.secret)
        merged = merged.over(SECRET, known.inputs)
        if by_label is not None:
            # A value that never occurs weighs nothing, whatever its sensitivity.
            by_label |= {label: 0.0 for label in known.inputs if label not in occurring}
    worth = None if roles.unit is None else _independent_rows(table, roles, roles.unit)
    estimate = partial(_estimates, merged, known, confidence, worth)
    chosen = _applicable(roles, known)
    asked = dict.fromkeys((estimator, Estimator.PLUG_IN, Estimator.MILLER_MADOW))
    estimates = dict(zip(chosen, estimate([*chosen.values()], estimators=[*asked]), strict=True))
    shannon = {name: _bits(one[estimator]) for name, one in estimates.items()}
    if "conditional_entropy_with_background" in shannon:
        # Without a release, the remaining uncertainty is that given the background.
        shannon.setdefault("conditional_entropy", shannon["conditional_entropy_with_background"])
    weighted = None
    if by_label is not None:
        again = estimate([*chosen.values()], estimators=[estimator], weights=by_label)
        weighted = {name: _bits(one[estimator]) for name, one in zip(chosen, again, strict=True)}
    return Measurement(
        table=called,
        rows=merged.n,
        secret=roles.secret,
        release=roles.release,
        background=roles.background,
        letters={role: len({*merged.codes[at].tolist()}) for at, role in enumerate(merged.names)},
        estimator=estimator.value,
        reliable=all(one[estimator].reliable for one in estimates.values()),
        **shannon,
        bias_corrected={name: _bits(one[Estimator.MILLER_MADOW]) for name, one in estimates.items()},
        weighted=weighted,
        **_companions(
            merged, known, confidence, worth, {name: one[Estimator.PLUG_IN] for name, one in estimates.items()}
        ),
        zero_leakage=_zero_leakage(merged, roles),
        through_channel=bool(channels),
    )


def _bits(estimate: Estimate) -> Quantity:
    return Quantity.estimated(estimate, "bits")


def released_together(channels: Sequence[Channel]) -> Channel | None:
    """The channel from one secret to everything that these channels release; None if there are none."""
    if len(channels) < 2:
        return channels[0] if channels else None
    same = set(channels[0].inputs)
    for channel in channels:
        if set(channel.inputs) != same:
            raise LabelError("The channels read different values of the secret; give channels that read the same.")
    inputs = channels[0].inputs
    runs, others = counted_jointly([in_order(channel, inputs) for channel in channels], JOINT_CELLS)
    if others:
        raise OptionError(
            "{count} channels together release more combinations than the {most} cells that can be counted; measure "
            "fewer together.",
            count=len(channels),
            most=JOINT_CELLS,
        )
    return joint_channel(runs)


def in_order(channel: Channel, inputs: Sequence[Label]) -> Channel:
    """The channel with these of its inputs, in this order."""
    if channel.inputs == tuple(inputs):
        return channel
    at = {_as_counted(label): row for row, label in enumerate(channel.inputs)}
    return Channel(inputs, channel.outputs, channel.matrix[[at[_as_counted(label)] for label in inputs]])


def _as_counted(label: Label) -> Label:
    """An interval by its text, as in a release."""
    if isinstance(label, tuple):
        return tuple(map(_as_counted, label))
    return str(label) if isinstance(label, Interval) else label


def _read_beside(named: NamedChannel, roles: Roles) -> tuple[str, ...]:
    """The columns of the background that a channel reads beside the secret."""
    beside = tuple(name for name in roles.background if name in named.inputs)
    if sorted(named.inputs) != sorted(roles.secret + beside):
        unknown = [name for name in named.inputs if name not in roles.secret]
        if unknown and set(roles.secret) <= set(named.inputs):
            raise OptionError(
                "The channel also reads {found!s}, which is neither secret nor background; name it with --background.",
                found=_listed(unknown),
            )
        raise _reads_another(named, roles.secret)
    return beside


def _reads_another(named: NamedChannel, secret: tuple[str, ...]) -> OptionError:
    return OptionError(
        "The channel reads {found!s}, but the secret is {secret!s}; both must name the same columns.",
        found=_listed(named.inputs),
        secret=_listed(secret),
    )


def _from_pairs(channel: Channel, merged: Counts, roles: Roles, beside: tuple[str, ...]) -> Channel:
    """The channel from every pair of a secret and a background, of which it reads some columns."""
    at = [roles.background.index(name) for name in beside]
    pairs = list(product(merged.labels(SECRET), merged.labels(BACKGROUND)))
    read = [(*label_parts(x, roles.secret), *(label_parts(z, roles.background)[one] for one in at)) for x, z in pairs]
    met = {read[x * merged.shape[1] + z] for x, z in zip(*merged.codes.tolist(), strict=True)}
    require_inputs(channel, met, roles.secret + beside)
    places = {label: place for place, label in enumerate(channel.inputs)}
    # Pairs that do not occur have no weight, whatever they would release.
    return Channel(pairs, channel.outputs, channel.matrix[[places.get(label, 0) for label in read]])


def reading_secret(named: NamedChannel, secret: tuple[str, ...]) -> Channel:
    """The channel with the columns of its inputs in the order of the secret's."""
    if sorted(named.inputs) != sorted(secret):
        raise _reads_another(named, secret)
    return columns_in_order(named, secret)


def columns_in_order(named: NamedChannel, columns: Sequence[str]) -> Channel:
    """The channel with the columns of its inputs in this order."""
    order = [named.inputs.index(column) for column in columns]
    inputs = []
    for label in named.channel.inputs:
        parts = label if len(order) > 1 and isinstance(label, tuple) else (label,)
        texts = tuple(_as_counted(parts[at]) for at in order)
        inputs.append(texts if len(order) > 1 else texts[0])
    return Channel(inputs, named.channel.outputs, named.channel.matrix)


def require_inputs(channel: Channel, occurring: Iterable[Label], columns: Sequence[str]) -> None:
    """Refuse a channel that does not read every value that occurs in some columns."""
    values = set(map(_as_counted, occurring))
    lost = len(values.difference(map(_as_counted, channel.inputs)))
    if lost:
        raise LabelError(
            "The channel has no input for {lost} of the {count} values of {columns!s}; add them or bin alike.",
            lost=lost,
            count=len(values),
            columns=_listed(columns),
        )


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(repr, columns))


def _independent_rows(table: Table, roles: Roles, unit: str) -> int:
    """How many independent rows the table is worth for what is measured."""
    if unit in roles.columns:
        raise OptionError("Column {column!r} is the unit and also has another role; give it one role.", column=unit)
    counts = table.counts(*roles.columns, unit, limit=max(table.rows, 1))
    return independent_rows(counts, roles.secret, roles.release + roles.background, unit)


def _estimates(
    counts: Counts,
    channel: Channel | None,
    confidence: float,
    worth: int | None,
    chosen: Sequence[Measure],
    *,
    estimators: Sequence[Estimator] = (Estimator.PLUG_IN,),
    weights: Mapping[object, float] | None = None,
) -> list[dict[Estimator, Estimate]]:
    """Each measure by each estimator, with intervals of as many independent rows as the table is worth."""
    released, known = ((role,) if role in counts.names else () for role in (RELEASE, BACKGROUND))
    roles = AxisRoles((SECRET,), released, known, channel)

    def of(rows: Counts) -> list[dict[Estimator, Estimate]]:
        return estimates_of(chosen, rows, roles, weights=weights, estimators=estimators, confidence=confidence)

    found = of(counts)
    if worth is None:
        return found
    fewer = of(scaled(counts, worth))
    return [{how: widened(a[how], b[how]) for how in a} for a, b in zip(found, fewer, strict=True)]


def _applicable(roles: Roles, channel: Channel | None) -> dict[str, Measure]:
    """The measures that these roles define."""
    released, known = bool(roles.release) or channel is not None, bool(roles.background)
    names = ["entropy"]
    names += ["conditional_entropy", "mutual_information"] * released
    names += ["background_floor", "leakage_with_background", "conditional_entropy_with_background"] * known
    names += ["conditional_mutual_information"] * (released and known)
    return {name: getattr(measures, name) for name in names}


def _companions(
    counts: Counts, channel: Channel | None, confidence: float, worth: int | None, shannon: Mapping[str, Estimate]
) -> dict[str, Quantity]:
    """Measures easier to picture than bits, before and after everything is seen, at the observed frequencies."""
    if prod(counts.shape) > REDRAWN:
        return {}

    def plug_in(rows: Counts, through: Channel | None, chosen: Sequence[Measure]) -> list[Estimate]:
        return [one[Estimator.PLUG_IN] for one in _estimates(rows, through, confidence, worth, chosen)]

    letters = len(counts.labels(SECRET))
    chance, tries = partial(_within, 1 / letters, 1.0), partial(_within, 1.0, (letters + 1) / 2)
    best, needed = plug_in(counts.keep(SECRET), None, (vulnerability.prior, guessing.prior))
    guess = chance(best)
    found = {
        "best_guess": Quantity.estimated(guess, "probability"),
        "guesses": Quantity.estimated(tries(needed), "guesses"),
        "effective_set": Quantity.estimated(_through(lambda bits: 2**bits, shannon["entropy"]), "letters"),
        "min_entropy": Quantity.estimated(_through(lambda chance: -log2(chance), guess), "bits"),
    }
    left = shannon.get("conditional_entropy_with_background", shannon.get("conditional_entropy"))
    if left is not None:
        after = [
            partial(measure, seen=Seen.BOTH) for measure in (vulnerability.posterior, guessing.posterior, renyi.leakage)
        ]
        best, needed, told = plug_in(counts, channel, after)
        found["best_guess_after"] = Quantity.estimated(chance(best), "probability")
        found["guesses_after"] = Quantity.estimated(tries(needed), "guesses")
        found["effective_set_after"] = Quantity.estimated(_through(lambda bits: 2**bits, left), "letters")
        found["min_entropy_leakage"] = Quantity.estimated(_within(0.0, log2(letters), told), "bits")
    return found


def _within(least: float, most: float, estimate: Estimate) -> Estimate:
    """The estimate with its interval cut to what is possible."""
    low, high = min(max(estimate.low, least), estimate.value), max(min(estimate.high, most), estimate.value)
    return replace(estimate, low=low, high=high)


def _through(change: Callable[[float], float], estimate: Estimate) -> Estimate:
    """The estimate of a monotone function of an estimate: its interval has the same coverage."""
    ends = sorted((change(estimate.low), change(estimate.high)))
    return replace(estimate, value=change(estimate.value), low=ends[0], high=ends[1])


def _zero_leakage(counts: Counts, roles: Roles) -> ZeroLeakage | None:
    """The test of zero leakage: of a release column beyond the background, or else of the background itself."""
    if roles.release:
        test = measures.zero_leakage_test(counts, [SECRET], [RELEASE], [BACKGROUND] if roles.background else [])
    elif roles.background:
        test = measures.zero_leakage_test(counts, [SECRET], [BACKGROUND])
    else:
        return None
    return ZeroLeakage(test.p_value, test.statistic, test.method.value, test.degrees_of_freedom)


def require_varied(counts: Counts, column: str, *, binned: bool) -> None:
    """Refuse a constant column, which can neither hide nor reveal anything: it is almost surely a mistake."""
    labels: Sequence[object] = counts.labels(column)
    if len(labels) > 1:
        return
    if labels and labels[0] is None:
        raise ColumnError("Column {column!r} has only missing values; choose another.", column=column)
    if binned:
        raise ColumnError("All values of column {column!r} fall into one bin or level; use finer ones.", column=column)
    raise ColumnError("Column {column!r} has the same value in every row; choose another.", column=column)
