"""The cost of steps, as sums of ε and ρ that are never too small, and its JSON form in a ledger.

No value of a table is stored. Labels of a channel may be such values, so its inputs and outputs are read back as 0, 1,
2 …, without the name of their secret: two channels without labels may list their inputs in different orders. Each is
then counted at its own worst pair, which never underestimates the cost.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property
from typing import Any

import msgspec

from leakgauge.artefacts.codec import encode
from leakgauge.claims import NOTIONS, CentralDP, LocalDP, Statement, ZeroConcentratedDP
from leakgauge.errors import FileError, InputError, ModelError, OptionError
from leakgauge.mechanisms.finite import LARGEST_CHANNEL
from leakgauge.mechanisms.steps import Claimed, ClaimedCurve, KnownChannel, Step
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Channel

UP = Context(prec=40, rounding=ROUND_CEILING)
"""Forty digits, rounded up: sums err towards spending more, by a negligible amount."""
_ROUNDING = 2.0**-50
"""The relative error that a few floating-point operations may cause in a computed level."""
_LEAST = math.ulp(0.0)
_MOST_DIGITS = 1000


def _require_sums(*levels: Decimal) -> None:
    for level in levels:
        # Comparing NaN is an invalid operation. No sum of floats has a thousand digits; more could not be added up.
        if level.is_nan() or level < 0 or (level.is_finite() and level.adjusted() >= _MOST_DIGITS):
            raise ValueError


class Used(msgspec.Struct, frozen=True, array_like=True):
    """What is used of a split of a limit: sure losses in nats, and time of its Gaussian clock."""

    sure: Decimal
    time: Decimal

    def __post_init__(self) -> None:
        _require_sums(self.sure, self.time)

    def plus(self, other: Used) -> Used:
        """Both together, rounded up."""
        return Used(UP.add(self.sure, other.sure), UP.add(self.time, other.time))


USED_UP = Used(Decimal("Infinity"), Decimal("Infinity"))


class Total(msgspec.Struct, frozen=True, omit_defaults=True):
    """Sums of ε and ρ in nats, in decimals: ten times 0.1 is 1, not one unit in the last place more or less.

    Accounts whose limit is split also count what is used of every split.
    """

    epsilon: Decimal
    rho: Decimal
    splits: tuple[Used, ...] = ()

    def __post_init__(self) -> None:
        _require_sums(self.epsilon, self.rho)

    def plus(self, other: Total) -> Total:
        """Both together, rounded up."""
        splits = tuple(one.plus(two) for one, two in zip(self.splits, other.splits, strict=True))
        return Total(UP.add(self.epsilon, other.epsilon), UP.add(self.rho, other.rho), splits)

    @property
    def is_nothing(self) -> bool:
        """Whether what was seen so far did not depend on the data at all."""
        return not self.epsilon


NOTHING = Total(Decimal(0), Decimal(0))


@dataclass(frozen=True)
class Cost:
    """The steps of one release; all of them see the same row, so the columns of a row add up.

    Sampling is ignored: a step that sees a row with some probability costs as if it always saw it, which never
    underestimates the cost.
    """

    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.steps, tuple) or not self.steps:
            raise OptionError("A cost has no steps; give a tuple with at least one, or use no budget.")
        for step in self.steps:
            if not isinstance(step, Step):
                raise OptionError(
                    "A cost is made of steps of a composition, not of {kind}; wrap a claim in Claimed.",
                    kind=type(step).__name__,
                )

    @property
    def epsilon(self) -> float:
        """Σ ε of all steps in nats, rounded up; infinite where a step has none."""
        return as_float(self.total.epsilon)

    @property
    def rho(self) -> float:
        """Σ ρ of all steps in nats, rounded up; infinite where a step has none."""
        return as_float(self.total.rho)

    @cached_property
    def kept(self) -> tuple[Step, ...]:
        """The steps as a ledger counts and keeps them."""
        return tuple(map(_as_kept, self.steps))

    @cached_property
    def total(self) -> Total:
        """Σ ε and Σ ρ."""
        total = NOTHING
        for step in self.kept:
            one = Total(as_decimal(pure_epsilon(step)), as_decimal(_rho(step)))
            count = Decimal(step.count)
            total = total.plus(Total(UP.multiply(count, one.epsilon), UP.multiply(count, one.rho)))
        return total

    def require_known_for(self, neighbours: Neighbours) -> None:
        """Refuse steps that have no law for a missing record where records may be missing."""
        if neighbours is not Neighbours.ADD_OR_REMOVE_ONE:
            return
        for step in self.steps:
            if not step.names_a_missing_record:
                raise ModelError(
                    "{kind} has no law for a missing record, so it cannot be counted where records are added or "
                    "removed; open the account for replaced records.",
                    kind=type(step).__name__,
                )


def pure_epsilon(step: Step) -> float:
    """ε in nats of one run: as it was given, or, of a channel, computed and rounded up."""
    epsilon = step.pure_epsilon()
    if not isinstance(step, KnownChannel) or epsilon == math.inf:
        return epsilon
    matrix = step.channel.matrix
    if (matrix == matrix[0]).all():
        return 0.0
    # Two logarithms were subtracted: what rounding took is relative to the larger of them, not to ε.
    return epsilon + _ROUNDING * (epsilon - math.log(matrix[matrix > 0].min()))


def _rho(step: Step) -> float:
    rho = step.rho()
    if step.pure_epsilon() == 0 or (isinstance(step, Claimed) and isinstance(step.statement, ZeroConcentratedDP)):
        return rho
    # The square of a small level may fall out of the range of floats; it is not nothing.
    return max(rho * (1 + _ROUNDING), _LEAST)


def as_decimal(value: float) -> Decimal:
    """The decimal a number is written as: 0.1 is a tenth, as whoever wrote it meant."""
    return Decimal(repr(float(value)))


def remainder(limit: float, used: Decimal) -> float:
    """The largest number that may still be spent, as it is written, or 0."""
    left = max(as_decimal(limit) - used, Decimal(0))
    nearest = float(left)
    return nearest if as_decimal(nearest) <= left else math.nextafter(nearest, 0.0)


def as_float(value: Decimal) -> float:
    """The nearest number that is written as no less."""
    nearest = float(value)
    return nearest if as_decimal(nearest) >= value else math.nextafter(nearest, math.inf)


def step_to_json(step: Step) -> dict[str, object]:
    """The fields a ledger keeps of a step; numbers read back exactly."""
    step = _as_kept(step)
    runs = {"count": int(step.count), "sampling_probability": float(step.sampling_probability)}
    match step:
        case KnownChannel(channel=channel) if len(channel.inputs) * len(channel.outputs) <= LARGEST_CHANNEL:
            return {"kind": "known-channel", "matrix": channel.matrix.tolist(), **runs}
        case Claimed(statement=statement):
            return _claimed(statement) | runs
        case ClaimedCurve(name=name, points=points) if points:
            return {"kind": "claimed-curve", "name": name, "points": encode(points), **runs}
        case KnownChannel():
            return _claimed(LocalDP(pure_epsilon(step))) | runs
        case ClaimedCurve():
            raise _not_kept(step)
    return {"kind": _kind(type(step)), **encode(step), **runs}


def step_from_json(kept: Mapping[str, object]) -> Step:
    """The step that was kept."""
    values = {name: _read(value) for name, value in kept.items() if name != "kind"}
    kind = str(kept.get("kind"))
    known = {_kind(one): one for one in _kinds_of(Step)}
    try:
        # Only what cannot be read, or is out of range, is from elsewhere; whatever else fails is a bug.
        wanted: Any = _KEPT.get(kind, dict[str, int | float])
        match msgspec.convert(values, wanted):
            case _KeptChannel(matrix=matrix) as step:
                outputs = len(matrix[0]) if matrix else 0
                return KnownChannel(
                    Channel(range(len(matrix)), range(outputs), matrix),
                    count=step.count,
                    sampling_probability=step.sampling_probability,
                )
            case _KeptClaim(notion=notion, levels=levels) as step if notion in NOTIONS and _takes(
                NOTIONS[notion], levels
            ):
                return Claimed(
                    NOTIONS[notion](**levels), count=step.count, sampling_probability=step.sampling_probability
                )
            case _KeptCurve(name=name, points=points) as step:
                return ClaimedCurve(name, points, count=step.count, sampling_probability=step.sampling_probability)
            case dict() as numbers if kind in known and _takes(known[kind], numbers):
                return known[kind](**numbers)
    except (msgspec.ValidationError, InputError):
        pass
    raise FileError(
        "The ledger has a step of kind {kind!r} from a newer version of Leakgauge; install that version.",
        kind=kept.get("kind"),
    )


class _Kept(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How often a step was run, of each kind whose other fields are not all numbers."""

    count: int
    sampling_probability: float


class _KeptChannel(_Kept):
    matrix: list[list[float]]


class _KeptClaim(_Kept):
    notion: str
    levels: dict[str, int | float]


class _KeptCurve(_Kept):
    name: str
    points: tuple[tuple[float, float], ...]


_KEPT: dict[str, type[_Kept]] = {"known-channel": _KeptChannel, "claimed": _KeptClaim, "claimed-curve": _KeptCurve}


def _takes(kind: type[Step] | type[Statement], values: Mapping[str, float]) -> bool:
    """Whether these are fields of a kind, and all that it needs."""
    every = fields(kind)
    needed = {one.name for one in every if one.default is MISSING and one.default_factory is MISSING}
    return needed <= values.keys() <= {one.name for one in every}


def _as_kept(step: Step) -> Step:
    """The step that a ledger counts and keeps: by its level alone where its fields are not all numbers."""
    if isinstance(step, KnownChannel | Claimed | ClaimedCurve):
        return step
    if all(isinstance(getattr(step, field.name), int | float) for field in fields(step)):
        return step
    epsilon, rho, level = step.pure_epsilon(), step.rho(), CentralDP if step.names_a_missing_record else LocalDP
    if epsilon == rho == math.inf:
        raise _not_kept(step)
    statement = level(epsilon) if epsilon < math.inf else ZeroConcentratedDP(rho)
    return Claimed(statement, count=step.count, sampling_probability=step.sampling_probability)


def _not_kept(step: Step) -> OptionError:
    return OptionError(
        "A step of kind {kind} cannot be kept in a ledger; give a claim, or a curve by its points.",
        kind=type(step).__name__,
    )


def _claimed(statement: Statement) -> dict[str, object]:
    return {"kind": "claimed", "notion": statement.name, "levels": encode(statement)}


def _kind(known: type[Step]) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "-", known.__name__).lower()


def _kinds_of(kind: type[Step]) -> Iterator[type[Step]]:
    for known in kind.__subclasses__():
        yield known
        yield from _kinds_of(known)


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(one) for one in value]
    if isinstance(value, dict):
        return {name: _read(one) for name, one in value.items()}
    return math.inf if value == "infinity" else value
