"""Compose: what a planned sequence spends, with the number that a target needs, ready to be stored."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leakgauge.artefacts import Composed, Level, Origin, Quantity
from leakgauge.artefacts.composition import Calibrated, ComposedStep, PowerOfTest, PrivacyCurves, SpentAt
from leakgauge.claims import ApproximateDP, CentralDP
from leakgauge.errors import OptionError
from leakgauge.mechanisms.steps import KnownChannel, Step
from leakgauge.notions.composition import Composition, Profile, compose, profile
from leakgauge.notions.composition.open_numbers import chosen
from leakgauge.notions.composition.plan import SequencePlan
from leakgauge.notions.composition.sequence import smallest

POINTS = 200
"""Of each curve."""
RATES = (0.01, 0.05, 0.1)
"""False positives that a test may have, whose power is told."""


def compose_plan(plan: SequencePlan, *, curves: bool = False) -> Composed:
    """What the sequence of a plan spends at each δ, in nats, and by which method that is proved.

    Args:
        plan: its open number, where it has one, is chosen so that the sequence reaches the target.
        curves: whether δ(ε) and the power of tests are computed too.

    Raises:
        OptionError: a δ that is not in [0, 1), or 0 where the steps have no pure ε.
        RefusalError: no number reaches the target.

    Example:
        >>> from leakgauge.notions.composition.plan import PlannedStep
        >>> found = compose_plan(SequencePlan((PlannedStep("laplace:epsilon=0.1", count=20),)))
        >>> found.spent[0].epsilon.value, found.spent[0].method
        (2.0, 'basic')
    """
    value, calibrated = _calibrated(plan)
    steps = plan.sequence(value)
    whole = profile(steps, neighbours=plan.neighbours)
    spent = _spent_at(plan, steps)
    # What a channel file says may follow from private counts.
    origin = Origin.TABLE if any(isinstance(step, KnownChannel) for step in steps) else Origin.DECLARED
    return Composed(
        neighbours=plan.neighbours.value,
        steps=tuple(_step(plan, steps, at, value, spent, origin) for at in range(len(steps))),
        spent=tuple(_spent(one, origin) for one in spent),
        tests=tuple(
            PowerOfTest(false_positive_rate=rate, power=Quantity(whole.power_at(rate), "share", origin=origin))
            for rate in RATES
        ),
        calibrated=calibrated,
        curves=_curves(whole) if curves else None,
    )


def _spent_at(plan: SequencePlan, steps: Sequence[Step]) -> list[Composition]:
    """The composition at each δ: as the plan says and where the target is, or else at δ = 0."""
    target = plan.target
    also = (target.delta,) if isinstance(target, ApproximateDP) else ()
    deltas = dict.fromkeys((*plan.deltas, *also)) or (0.0,)
    found = [compose(steps, delta, neighbours=plan.neighbours) for delta in deltas]
    pure = [one for one in found if one.delta or one.epsilon < math.inf]
    if len(pure) < len(found) and (plan.deltas or target is None or isinstance(target, CentralDP)):
        raise OptionError(
            "At δ = 0 the steps have no ε, because one of them has a pure ε neither by its law nor by its claim; give "
            "a δ above 0, such as 1e-6."
        )
    return pure


def _calibrated(plan: SequencePlan) -> tuple[float | None, Calibrated | None]:
    """The open number of a plan; None where there is none."""
    if plan.open_number is None or plan.target is None:
        return None, None
    at, name = plan.open_number
    found = chosen(plan.sequence, name, plan.target, plan.neighbours)
    return found.value, Calibrated(
        target=str(plan.target),
        step=at + 1,
        parameter=name,
        value=Quantity(found.value, "", origin=Origin.DECLARED),
        reached=Level.stated(found.reached, Origin.DECLARED),
        at_limit=found.at_limit,
    )


def _spent(found: Composition, origin: Origin) -> SpentAt:
    bounds = {method.value: Quantity(epsilon, "nats", origin=origin) for method, epsilon in found.bounds.items()}
    return SpentAt(delta=found.delta, epsilon=bounds[found.method.value], method=found.method.value, bounds=bounds)


def _step(
    plan: SequencePlan,
    steps: Sequence[Step],
    at: int,
    value: float | None,
    spent: Sequence[Composition],
    origin: Origin,
) -> ComposedStep:
    def epsilon(some: Sequence[Step]) -> Quantity | None:
        if not spent:
            return None
        level = smallest(some, spent[0].delta, neighbours=plan.neighbours).epsilon if some else 0.0
        return Quantity(level, "nats", origin=origin)

    size, population = plan.steps[at].batch or (None, None)
    return ComposedStep(
        step=plan.steps[at].spelled(value),
        count=steps[at].count,
        sampling_probability=steps[at].sampling_probability,
        batch_size=size,
        population=population,
        epsilon=epsilon(steps[at : at + 1]),
        epsilon_of_others=epsilon([*steps[:at], *steps[at + 1 :]]),
    )


def _curves(whole: Profile) -> PrivacyCurves:
    curve = whole.curve(POINTS)
    return PrivacyCurves(
        epsilons=tuple(curve.epsilons.tolist()),
        deltas=tuple(curve.deltas.tolist()),
        false_positive_rates=tuple(curve.false_positive_rates.tolist()),
        powers=tuple(curve.powers.tolist()),
    )
