"""What a sequence of mechanisms spends as a whole, and the noise that a target needs."""

from __future__ import annotations

from leakgauge.artefacts.quantity import Artefact, Level, Part, Quantity, Real


class ComposedStep(Part, frozen=True, kw_only=True):
    """A kind of step of the sequence.

    Attributes:
        step: as it is written, such as ``gaussian:noise-multiplier=1.1``.
        sampling_probability: with which each run sees a record, drawn by itself.
        batch_size: of the records that each run sees instead, drawn without replacement from ``population``; None
            where there is no batch.
        epsilon: of all its runs alone, at the first δ; None where no ε is asked for.
        epsilon_of_others: of the sequence without it, at the first δ; 0 where there is nothing else.
    """

    step: str
    count: int
    sampling_probability: Real
    batch_size: int | None = None
    population: int | None = None
    epsilon: Quantity | None
    epsilon_of_others: Quantity | None


class SpentAt(Part, frozen=True, kw_only=True):
    """The smallest ε proved for the whole sequence at a δ.

    Attributes:
        bounds: the ε of every method that applies, each of them sound.
    """

    delta: Real
    epsilon: Quantity
    method: str
    bounds: dict[str, Quantity]


class Calibrated(Part, frozen=True, kw_only=True):
    """The open number of a plan, as little on the private side of a target as is proved.

    Attributes:
        step: the place of the step whose number was open, from 1 on.
        reached: the level of the target's notion with this number, which is not above the target's.
        at_limit: whether the search ended at this number, so that the target may allow more.
    """

    target: str
    step: int
    parameter: str
    value: Quantity
    reached: Level
    at_limit: bool


class PowerOfTest(Part, frozen=True, kw_only=True):
    """The largest power of a test whether one record was used (or had one of two values).

    Attributes:
        false_positive_rate: the chance that the test says so where it is not so.
        power: the chance, at most, that it says so where it is so.
    """

    false_positive_rate: Real
    power: Quantity


class PrivacyCurves(Part, frozen=True, kw_only=True):
    """What everybody who sees the whole sequence can do at most.

    Attributes:
        epsilons: in nats.
        false_positive_rates: of tests as in ``PowerOfTest``.
    """

    epsilons: tuple[Real, ...]
    deltas: tuple[Real, ...]
    false_positive_rates: tuple[Real, ...]
    powers: tuple[Real, ...]


class Composed(Artefact, frozen=True, kw_only=True, tag="leakgauge/composition/1"):
    """What a sequence spends.

    Attributes:
        neighbours: which data sets are compared, ``replace-one`` or ``add-or-remove``.
        spent: one per δ that was asked for, in that order; none where a target asks for something else and there is no
            pure ε.
    """

    neighbours: str
    steps: tuple[ComposedStep, ...]
    spent: tuple[SpentAt, ...]
    tests: tuple[PowerOfTest, ...]
    calibrated: Calibrated | None = None
    curves: PrivacyCurves | None = None
