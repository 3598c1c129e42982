"""The interface of every kind of step in a sequence, steps known only by a claim, and steps on a batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

import numpy as np

from leakgauge.arguments import check_fields
from leakgauge.claims import ApproximateDP, CentralDP, GaussianDP, LocalDP, RenyiDP, Statement, ZeroConcentratedDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import renyi_curves
from leakgauge.mechanisms.steps.losses import Batched, Curve, GaussianLoss, Loss, PairLoss
from leakgauge.probability.cells import Floats

COMPOSABLE = (CentralDP, LocalDP, ApproximateDP, ZeroConcentratedDP, RenyiDP, GaussianDP)

Pair: TypeAlias = tuple[Floats, Floats]
LARGEST_EXACT_LOSS = 300.0
"""Beyond this ε probabilities of a pair fall out of the range of floats; only closed forms are used."""
_LEVELS = {"epsilon": "An ε", "noise_multiplier": "A noise multiplier"}
_WHOLES = {"sensitivity": (1, "A sensitivity"), "letters": (2, "A number of letters")}
"""Fields that are levels, and those that are whole numbers with their least, by what errors call them."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A mechanism that runs ``count`` times, each time seeing a record with ``sampling_probability``."""

    count: int = 1
    sampling_probability: float = 1.0
    names_a_missing_record: ClassVar[bool] = True
    """Whether the mechanism has an output law without the record, so that adding or removing it means something."""

    needs_replaced_records: ClassVar[bool] = False
    """Whether what it says holds only where records are replaced, not where one is added or removed."""
    has_pair: ClassVar[bool] = True
    """Whether two finite laws may be its worst case."""

    def __post_init__(self) -> None:
        if isinstance(self.count, np.integer):
            object.__setattr__(self, "count", int(self.count))
        require_whole(self.count, 1, "A count")
        if not _is_number(self.sampling_probability) or not 0 < self.sampling_probability <= 1:
            raise OptionError(
                "A sampling probability of {probability!r} is not above 0 and at most 1; leave it out when "
                "nothing is sampled.",
                probability=self.sampling_probability,
            )
        for name, value in vars(self).items():
            if name in _LEVELS:
                require_level(value, _LEVELS[name])
            elif name in _WHOLES:
                require_whole(value, *_WHOLES[name])

    def pure_epsilon(self) -> float:
        """ε in nats of one run at δ = 0; infinite where there is none."""
        return math.inf

    def approximate(self) -> tuple[float, float]:
        """(ε in nats, δ) of one run as claimed."""
        return self.pure_epsilon(), 0.0

    def rho(self) -> float:
        """zCDP level of one run, in nats: ε·tanh(ε/2) is sharp for ε-DP."""
        epsilon = self.pure_epsilon()
        return epsilon * math.tanh(epsilon / 2)

    def renyi(self, orders: Floats) -> Floats:
        """Rényi-DP curve of one run, in nats; infinite where nothing is known."""
        return renyi_curves.pure(self.pure_epsilon(), orders)

    def corners(self) -> tuple[float, ...]:
        """Orders at which the curve is given, where it is not given at all of them."""
        return ()

    def information(self) -> float:
        """The most that one run reveals about a replaced record under any prior, in nats; may be infinite."""
        return math.inf

    def pair(self) -> Pair | None:
        """Two finite laws that are the worst case of one run, in either order; None where there are none."""
        epsilon, delta = self.approximate()
        return worst_pair(epsilon, delta) if self.has_pair and epsilon <= LARGEST_EXACT_LOSS else None

    def loss(self) -> Loss | None:
        """The privacy loss of one run; None where only bounds on its moments are known."""
        pair = self.pair()
        return None if pair is None else PairLoss(*pair)

    def curve(self) -> Curve | None:
        """The hockey-stick curve of one run, the larger of both orders; None where it is not known by points."""
        loss = self.loss()
        return None if loss is None else loss.curve()


@dataclass(frozen=True)
class Claimed(Step):
    """A mechanism of which a statement is claimed: pure or approximate DP, zCDP, Rényi DP at one order, Gaussian DP."""

    statement: Statement

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.statement, COMPOSABLE):
            raise OptionError(
                "{found!r} does not compose; claim one of {known!s}.",
                found=str(self.statement),
                known=tuple(notion.name for notion in COMPOSABLE),
            )
        if isinstance(self.statement, ApproximateDP) and self.statement.delta >= 1:
            raise OptionError("A δ of {delta} is not in [0, 1); give one that is.", delta=self.statement.delta)
        if isinstance(self.statement, RenyiDP) and not 1 < self.statement.order < math.inf:
            raise OptionError(
                "An order of {order} cannot be composed; give a finite one above 1.", order=self.statement.order
            )

    @property
    def names_a_missing_record(self) -> bool:  # type: ignore[override]
        """Local statements do not cover a missing record."""
        return not isinstance(self.statement, LocalDP)

    def pure_epsilon(self) -> float:
        """ε in nats; infinite where the statement is not pure."""
        epsilon, delta = self.approximate()
        return epsilon if delta == 0 else math.inf

    def approximate(self) -> tuple[float, float]:
        """(ε in nats, δ) as claimed; a level of 0 is ε = 0 in every notion."""
        match self.statement:
            case CentralDP(epsilon) | LocalDP(epsilon):
                return float(epsilon), 0.0
            case ApproximateDP(epsilon, delta):
                return float(epsilon), float(delta)
            case _:
                return (0.0 if self.statement.level == 0 else math.inf), 0.0

    def rho(self) -> float:
        match self.statement:
            case ZeroConcentratedDP(rho):
                return float(rho)
            case GaussianDP(mu):
                return float(mu) * float(mu) / 2  # not **, which raises where this is infinite
            case _:
                return super().rho()

    def renyi(self, orders: Floats) -> Floats:
        match self.statement:
            case RenyiDP(epsilon, order):
                return renyi_curves.interpolated(np.array([order]), np.array([epsilon]), orders)
            case ZeroConcentratedDP() | GaussianDP():
                return orders * self.rho()
            case _:
                return super().renyi(orders)

    def corners(self) -> tuple[float, ...]:
        return (float(self.statement.order),) if isinstance(self.statement, RenyiDP) else ()

    def loss(self) -> Loss | None:
        """The worst loss of the claim; zCDP and Rényi DP have none."""
        match self.statement:
            case GaussianDP(mu) if 0 < mu < LARGEST_EXACT_LOSS:
                return GaussianLoss(float(mu))
            case _:
                return super().loss()


@dataclass(frozen=True)
class ClaimedCurve(Step):
    """A mechanism of which a Rényi-DP curve is claimed, by a name for whoever reads the sequence.

    Points are (order above 1, ε in nats) in ascending order; between orders chords of (α − 1)·ε are used. A function,
    in their place, gives ε in nats at each of an array of orders.
    """

    name: str
    points: tuple[tuple[float, float], ...] = ()
    function: Callable[[Floats], Floats] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self)
        if (self.function is None) == (not self.points):
            raise OptionError(
                "The curve {name!r} has both points and a function, or neither; give one of them.", name=self.name
            )
        for order, epsilon in self.points:
            if not 1 < order < math.inf:
                raise OptionError("An order of {order} cannot be composed; give finite ones above 1.", order=order)
            require_level(epsilon, "An ε")
        if list(self.points) != sorted(self.points):
            raise OptionError("The orders of {name!r} are not ascending; sort them.", name=self.name)

    @classmethod
    def from_mapping(
        cls, levels: Mapping[float, float], name: str, *, count: int = 1, sampling_probability: float = 1.0
    ) -> Self:
        """The curve of a mapping from orders to ε in nats."""
        points = tuple(sorted((float(order), float(epsilon)) for order, epsilon in levels.items()))
        return cls(name, points, count=count, sampling_probability=sampling_probability)

    def rho(self) -> float:
        """Infinite: a curve known at some orders says nothing at the others."""
        return math.inf

    def renyi(self, orders: Floats) -> Floats:
        if self.function is not None:
            given = self.function(orders)
            try:
                values = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError):
                values = np.array(math.nan)
            if values.shape != orders.shape or np.isnan(values).any() or (values < 0).any():
                raise OptionError(
                    "The curve {name!r} does not give one number of at least 0 per order; correct it.", name=self.name
                )
            return values
        known, epsilons = np.array(self.points).T
        return renyi_curves.interpolated(known, epsilons, orders)

    def corners(self) -> tuple[float, ...]:
        return tuple(order for order, _ in self.points)


@dataclass(frozen=True)
class Batch(Step):
    """A step on ``size`` of ``population`` records, drawn anew for each run, uniformly and without replacement.

    What the step says must hold for replaced records, and so does what comes out. (A ``sampling_probability`` draws
    each record by itself instead; such a sample has no fixed size.) The worst case is known by its curve.

    Raises:
        OptionError: a batch that is empty or larger than the population, or a step that is counted or sampled itself.
    """

    step: Step
    size: int
    population: int
    names_a_missing_record = False
    needs_replaced_records = True
    has_pair = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self)
        require_whole(self.size, 1, "A batch size")
        if self.size > self.population:
            raise OptionError(
                "A batch of {size} records is larger than the population of {population}; give a smaller one.",
                size=self.size,
                population=self.population,
            )
        if self.step.count > 1 or self.step.sampling_probability < 1 or self.sampling_probability < 1:
            raise OptionError("A batch is drawn for one run of a step that is not sampled; give the batch the count.")

    @property
    def share(self) -> float:
        """The chance that a record is in the batch."""
        return self.size / self.population

    def pure_epsilon(self) -> float:
        return amplified_epsilon(self.step.pure_epsilon(), self.share)

    def approximate(self) -> tuple[float, float]:
        epsilon, delta = self.step.approximate()
        return amplified_epsilon(epsilon, self.share), self.share * delta

    def rho(self) -> float:
        """In nats; sampling never raises it, divergences being quasi-convex."""
        return min(self.step.rho(), super().rho())

    def renyi(self, orders: Floats) -> Floats:
        curve = renyi_curves.pure(self.pure_epsilon(), orders)
        known = self.step.renyi(orders)
        if self.share == 1:
            return np.minimum(curve, known)
        curve = np.minimum(curve, renyi_curves.seen_sometimes(known, orders, self.share))
        fixed = renyi_curves.fixed_size(self.step.renyi, self.step.pure_epsilon(), self.share, orders)
        return np.minimum(curve, fixed)

    def corners(self) -> tuple[float, ...]:
        return self.step.corners()

    def loss(self) -> Loss | None:
        loss = self.step.loss()
        return loss if loss is None or self.share == 1 else Batched(loss, self.share)


def amplified_epsilon(epsilon: float, probability: float) -> float:
    """ln(1 + p(e^ε − 1)) in nats: an ε-DP mechanism on a sample that holds the record with this probability."""
    if epsilon > 30:
        return epsilon + math.log(probability + (1 - probability) * math.exp(-epsilon))
    return math.log1p(probability * math.expm1(epsilon))


def worst_pair(epsilon: float, delta: float = 0.0) -> Pair:
    """The pair every (ε, δ)-DP mechanism is a post-processing of (Kairouz, Oh and Viswanath 2015)."""
    high, low = (1 - delta) / (1 + math.exp(-epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    return np.array([delta, high, low, 0.0]), np.array([0.0, low, high, delta])


def require_level(value: object, what: str) -> None:
    """Refuse a level that is not a number of at least 0; infinite is one."""
    if not _is_number(value) or not value >= 0:  # type: ignore[operator]  # the first half says it is a number
        raise OptionError(
            "{what} of {found!r} is not a number of at least 0; give one that is.", what=what, found=value
        )


def require_whole(value: object, least: int, what: str) -> None:
    """Refuse what is not a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(
            "{what} of {found!r} is not a whole number of at least {least}; give one that is.",
            what=what,
            found=value,
            least=least,
        )


def require_some(items: Sequence[object], what: str) -> None:
    """Refuse an empty sequence."""
    if not items:
        raise OptionError("There are no {what}; give at least one.", what=what)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating) and not isinstance(value, bool)
