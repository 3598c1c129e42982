"""Design: from the columns of a table to the channel that leaks least, ready to be planned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from leakgauge.design import Knowledge, RateDistortion, Solution, Target
from leakgauge.distances import Distortion
from leakgauge.probability import Channel, Joint, Label, PriorOrigin
from leakgauge.probability.files import NamedChannel, match_labels
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
        weights: how much each secret matters, by the text of its label; None where all count alike.
    """

    secret: tuple[str, ...]
    background: tuple[str, ...]
    distortion: Distortion
    knowledge: Knowledge
    bins: Mapping[str, Binning] = field(default_factory=dict)
    local_dp: float | None = None
    identifiability: float | None = None
    weights: Mapping[str, float] | None = None

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
            pairs = [_parts(secret, self.secret) + _parts(known, self.background) for secret, known in _pairs(channel)]
            channel = Channel(pairs, channel.outputs, channel.matrix)
        return NamedChannel(channel, reads, self.secret, PriorOrigin.THIS_TABLE)


def _pairs(channel: Channel) -> Iterable[tuple[Label, Label]]:
    """The inputs of a channel that reads secret and background."""
    for pair in channel.inputs:
        assert isinstance(pair, tuple)
        yield pair


def _parts(label: Label, columns: Sequence[str]) -> tuple[Label, ...]:
    """A label column by column."""
    return label if len(columns) > 1 and isinstance(label, tuple) else (label,)
