"""Design: from the columns of a table to the channel that leaks least, ready to be planned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leakgauge.design import GAP, Knowledge, RateDistortion, Solution, Target, frontier, solve
from leakgauge.distances import Distortion
from leakgauge.probability import Channel, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.tables import Binning, Table


@dataclass(frozen=True)
class Question:
    """What a channel is designed for.

    Attributes:
        secret: columns of the secret.
        background: columns the attacker knows.
        distortion: what a released letter costs.
        knowledge: who knows the background.
        bins: how some columns are gathered into intervals.
        local_dp: an ε in nats to keep as well.
        identifiability: likewise.
    """

    secret: tuple[str, ...]
    background: tuple[str, ...]
    distortion: Distortion
    knowledge: Knowledge
    bins: Mapping[str, Binning] = field(default_factory=dict)
    local_dp: float | None = None
    identifiability: float | None = None

    def problem(self, table: Table, target: Target) -> RateDistortion:
        """The problem under the frequencies of the table."""
        counts = table.counts(*self.secret, *self.background, bins=self.bins)
        source = counts.joint(self.secret, self.background) if self.background else counts.distribution(*self.secret)
        return RateDistortion(
            source,
            self.distortion,
            target,
            self.knowledge,
            local_dp=self.local_dp,
            identifiability=self.identifiability,
        )

    def named(self, solution: Solution) -> NamedChannel:
        """The channel with the columns it reads and writes; it was learnt from the table, and says so."""
        reads = self.secret + (self.background if self.knowledge is Knowledge.BOTH else ())
        channel = solution.channel
        if self.knowledge is Knowledge.BOTH:
            pairs = [_parts(secret, self.secret) + _parts(known, self.background) for secret, known in _pairs(channel)]
            channel = Channel(pairs, channel.outputs, channel.matrix)
        return NamedChannel(channel, reads, self.secret, PriorOrigin.THIS_TABLE)


def design(table: Table, question: Question, target: Target, gap: float = GAP) -> Solution:
    """The channel that leaks least for the target, within ``gap`` nats of the best."""
    return solve(question.problem(table, target), gap)


def design_curve(
    table: Table, question: Question, points: int, target: Target, gap: float = GAP
) -> tuple[Solution, ...]:
    """Channels along the whole curve, from no leakage to the least distortion."""
    return frontier(question.problem(table, target), points, gap)


def _pairs(channel: Channel) -> Iterable[tuple[Label, Label]]:
    """The inputs of a channel that reads secret and background."""
    for pair in channel.inputs:
        assert isinstance(pair, tuple)
        yield pair


def _parts(label: Label, columns: Sequence[str]) -> tuple[Label, ...]:
    """A label column by column."""
    return label if len(columns) > 1 and isinstance(label, tuple) else (label,)
