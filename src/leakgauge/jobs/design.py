"""Design: from the columns of a table to the channel that leaks least, ready to be planned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from msgspec import structs

from leakgauge.artefacts import Design, DesignPoint, Frontier, Origin, Quantity
from leakgauge.design import Knowledge, RateDistortion, Solution
from leakgauge.design.problem import Target
from leakgauge.distances import Distortion
from leakgauge.probability import Channel, Joint, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel, match_labels
from leakgauge.tables import Binning, Table

_ORIGINS = {PriorOrigin.PUBLIC: Origin.PUBLIC, PriorOrigin.NOISY_HISTOGRAM: Origin.ACCOUNTED}
"""Of numbers that follow from such frequencies; from any others they are the table's."""


@dataclass(frozen=True)
class Question:
    """What a channel is designed for: columns, what a released letter costs, and bounds in nats to keep as well.

    ``weights`` are how much each secret matters, by the text of its label; None where all count alike.
    """

    secret: tuple[str, ...]
    background: tuple[str, ...]
    distortion: Distortion
    knowledge: Knowledge
    bins: Mapping[str, Binning] = field(default_factory=dict)
    local_dp: float | None = None
    identifiability: float | None = None
    weights: Mapping[str, float] | None = None

    @property
    def gap(self) -> float:
        """How close to the best by default, in nats."""
        # Beside a bound on ratios, or with weights, the last digits take far longer than the first.
        return 1e-9 if (self.local_dp, self.identifiability, self.weights) == (None, None, None) else 1e-6

    def problem(self, table: Table, target: Target) -> RateDistortion:
        """The problem under the frequencies of the table."""
        counts = table.counts(*self.secret, *self.background, bins=self.bins)
        source = counts.joint(self.secret, self.background) if self.background else counts.distribution(*self.secret)
        secrets = source.rows if isinstance(source, Joint) else source.outcomes
        return RateDistortion(
            source,
            self.distortion,
            target,
            self.knowledge,
            local_dp=self.local_dp,
            identifiability=self.identifiability,
            weights=None if self.weights is None else match_labels(self.weights, secrets, "weights"),
        )

    def named(self, solution: Solution) -> NamedChannel:
        """The channel with the columns it reads and writes; it was learnt from the table, and says so."""
        reads = self.secret + (self.background if self.knowledge is Knowledge.BOTH else ())
        channel = solution.channel
        if self.knowledge is Knowledge.BOTH:
            pairs = cast("Iterable[tuple[Label, Label]]", channel.inputs)
            inputs = [_parts(secret, self.secret) + _parts(known, self.background) for secret, known in pairs]
            channel = Channel(inputs, channel.outputs, channel.matrix)
        return NamedChannel(channel, reads, self.secret, PriorOrigin.THIS_TABLE)


def as_design(found: Solution, prior: PriorOrigin = PriorOrigin.THIS_TABLE) -> Design:
    """A designed channel as it is stored; ``prior`` is where the frequencies come from."""
    origin, told = _ORIGINS.get(prior, Origin.TABLE), found.identifiability
    numbers = structs.asdict(as_point(found, origin)) | {"epsilon": found.local_dp.stored(origin)}
    return Design(
        **numbers,
        knowledge=found.problem.knowledge.value,
        identifiability=None if told is None else told.stored(origin),
        inputs_that_never_occur=len(found.never_occurring),
        iterations=found.iterations,
        prior=prior,
        keep_inside=prior.keep_inside,
    )


def as_frontier(found: Sequence[Solution]) -> Frontier:
    """Designed channels as a frontier is stored."""
    prior = PriorOrigin.THIS_TABLE
    return Frontier(found[0].problem.knowledge.value, tuple(map(as_point, found)), prior, prior.keep_inside)


def as_point(found: Solution, origin: Origin = Origin.TABLE) -> DesignPoint:
    """The numbers of a designed channel."""
    return DesignPoint(
        leakage=Quantity(found.leakage, "bits", origin=origin),
        weighted_leakage=bits_or_none(found.weighted_leakage, origin),
        leakage_with_background=bits_or_none(found.leakage_with_background, origin),
        background_floor=bits_or_none(found.background_floor, origin),
        distortion=Quantity(found.distortion, "distortion", origin=origin),
        epsilon=Quantity(found.epsilon, "nats", origin=origin),
        gap=Quantity(found.gap, "bits", origin=origin),
        slope=Quantity(found.slope, "nats per unit of distortion", origin=origin),
        letters=found.letters,
    )


def bits_or_none(value: float | None, origin: Origin = Origin.TABLE) -> Quantity | None:
    """Exact bits, where there are any."""
    return None if value is None else Quantity(value, "bits", origin=origin)


def _parts(label: Label, columns: Sequence[str]) -> tuple[Label, ...]:
    """A label column by column."""
    return label if len(columns) > 1 and isinstance(label, tuple) else (label,)
