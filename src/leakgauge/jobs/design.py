"""Design: from the columns of a table to the channel that leaks least, ready for a release plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from msgspec import structs

from leakgauge.artefacts import Design, DesignPoint, Frontier, Origin, Quantity
from leakgauge.artefacts.design import BesideCurve, GuessedDesign, RoundsTold
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Solution, solve
from leakgauge.design.baselines import problem_pairs
from leakgauge.design.problem import Target
from leakgauge.design.rounds import NextRound
from leakgauge.design.solution import exact_level
from leakgauge.distances import Distortion
from leakgauge.errors import ColumnError, OptionError, RefusalError
from leakgauge.jobs.measure import in_order, reading_secret, require_inputs
from leakgauge.measures import leakage_with_background, mutual_information
from leakgauge.probability import Channel, Counts, Distribution, Joint, Label, PriorOrigin, Scenario
from leakgauge.probability.files import NamedChannel, match_labels
from leakgauge.probability.labels import label_parts, text_of
from leakgauge.rounding import from_above, from_below
from leakgauge.tables import Binning, Kind, Levels, Table
from leakgauge.tables.binnings import MOST_BINS, Auto, Bins, asked_binning, spelled_binning
from leakgauge.tables.chosen_bins import bin_error, present_share, settled

if TYPE_CHECKING:
    from leakgauge.design.vulnerability import LeastVulnerable

MOST_VALUES = 1000
"""A secret with more values is a number or a key, which must be binned first."""
BINS_BESIDE = 50
"""The most bins of a number designed against an attacker's knowledge; this many take some seconds."""
_ON_A_LINE = (Kind.INT, Kind.FLOAT, Kind.DATE, Kind.TIMESTAMP)
_ORIGINS = {PriorOrigin.PUBLIC: Origin.PUBLIC, PriorOrigin.NOISY_HISTOGRAM: Origin.ACCOUNTED}
"""The origin of numbers that follow from such frequencies; from any others it is the table."""


@dataclass(frozen=True)
class Question:
    """A design problem: the columns, the distortion, and bounds in nats to keep as well.

    ``weights`` are how much each secret matters, by the text of its label; None where all count alike. ``through`` is
    the column released instead, so that it reveals least about the secret. ``keep``, ``keep_at_least`` and
    ``never_changed`` are as in ``RateDistortion``, values by their texts. ``seen_through`` are columns of the
    background that the attacker sees only through channels.
    """

    secret: tuple[str, ...]
    background: tuple[str, ...]
    distortion: Distortion
    knowledge: Knowledge
    bins: Bins = field(default_factory=dict)
    local_dp: float | None = None
    identifiability: float | None = None
    weights: Mapping[Any, float] | None = None
    through: str | None = None
    keep: Keep = Keep.NOTHING
    keep_at_least: Mapping[str, float] | float = 0.0
    never_changed: tuple[str, ...] = ()
    seen_through: Mapping[str, Channel] = field(default_factory=dict)

    @property
    def released(self) -> tuple[str, ...]:
        """The columns that go through the channel."""
        return self.secret if self.through is None else (self.through,)

    @property
    def gap(self) -> float:
        """The default gap to the optimum, in nats."""
        # With a bound on ratios, with weights or through another column, the last digits take longest.
        plain = (self.local_dp, self.identifiability, self.weights, self.through) == (None, None, None, None)
        return 1e-9 if plain else 1e-6

    def problem(self, table: Table, target: Target) -> RateDistortion:
        """The problem under the frequencies of the table."""
        if self.through in (*self.secret, *self.background):
            raise OptionError(
                "Column {name!r} is named with --through and as secret or background; name another column.",
                name=self.through,
            )
        released = self.released
        counts = table.counts(*dict.fromkeys((*self.secret, *released, *self.background)), bins=self.bins)
        source = self._seen(counts) if self.background else counts.distribution(*released)
        secrets = source.rows if isinstance(source, Joint) else source.outcomes
        by_text = {text_of(label): label for label in secrets}
        floors = self.keep_at_least
        return RateDistortion(
            source,
            self.distortion,
            target,
            self.knowledge,
            local_dp=self.local_dp,
            identifiability=self.identifiability,
            weights=None if self.weights is None else match_labels(self.weights, secrets, "weights"),
            secret=None if self.through is None else self._told_on(counts, source),
            keep=self.keep,
            keep_at_least={_labelled(text, by_text): least for text, least in floors.items()}
            if isinstance(floors, Mapping)
            else floors,
            never_changed=tuple(_labelled(text, by_text) for text in self.never_changed),
        )

    def _seen(self, counts: Counts) -> Joint:
        """p(x, z) of what is released and what the attacker sees."""
        source = counts.joint(self.released, self.background)
        for name, channel in self.seen_through.items():
            source = source.second_through(channel, self.background.index(name) if len(self.background) > 1 else None)
        return source

    def _told_on(self, counts: Counts, source: Distribution | Joint) -> Joint:
        """p(s, x) of the secret and the column that is released; of pairs (x, z) where the attacker knows z."""
        if not isinstance(source, Joint) or self.knowledge is not Knowledge.ATTACKER:
            return counts.joint(self.secret, self.released)
        each = counts.merge({"secret": self.secret, "released": self.released, "known": self.background})
        found = each.merge({"secret": ("secret",), "pair": ("released", "known")})
        return found.over("pair", problem_pairs(source)).joint()

    def named(self, solution: Solution | LeastVulnerable) -> NamedChannel:
        """The channel with the columns it reads and writes, marked as learnt from the table."""
        reads = self.released + (self.background if self.knowledge is Knowledge.BOTH else ())
        channel = solution.channel
        if self.knowledge is Knowledge.BOTH:
            pairs = cast("Iterable[tuple[Label, Label]]", channel.inputs)
            inputs = [
                label_parts(secret, self.released) + label_parts(known, self.background) for secret, known in pairs
            ]
            channel = Channel(inputs, channel.outputs, channel.matrix)
        return NamedChannel(channel, reads, self.released, PriorOrigin.THIS_TABLE, reads[len(self.released) :])


def require_few_values(table: Table, columns: tuple[str, ...], bins: Bins | None = None) -> None:
    """Refuse at once a design that would take minutes or hours, and suggest bins.

    Raises:
        OptionError: a secret with more values than a channel is designed for.
    """
    (values,) = table.group_sizes([columns], bins)
    if values.groups <= MOST_VALUES:
        return
    kinds = {one.name: one.kind for one in table.columns()}
    free = [name for name in columns if name not in (bins or {}) and kinds[name] in _ON_A_LINE]
    fields: dict[str, object] = {"column": ", ".join(columns), "found": values.groups, "most": MOST_VALUES}
    if not free:
        raise OptionError(
            "{column!s} has {found} values, more than the {most} that a channel can be designed for; merge them into "
            "fewer, or use a mechanism that is not designed.",
            **fields,
        )
    sizes = [one.groups for one in table.group_sizes([(name,) for name in free])]
    name = free[sizes.index(max(sizes))]
    raise OptionError(
        "{column!s} has {found} values, more than the {most} that a channel can be designed for; add --bins "
        "{name!s}=auto, which means {name!s}={bins!s} here, or add noise with a mechanism such as laplace.",
        **fields,
        name=name,
        bins=spelled_binning(settled(table, name, Auto())),
    )


def bins_within(
    table: Table, column: str, asked: Binning | None, within: float, *, beside: bool = False
) -> Binning | None:
    """The bins of a secret that is released within a mean error: those asked for, else auto where it has many values.

    With ``beside`` known columns, fewer bins are chosen: a design of many numbers would take minutes.

    Raises:
        ColumnError: the column holds neither numbers nor dates.
    """
    kind = next((one.kind for one in table.columns() if one.name == column), None)
    if kind is not None and kind not in _ON_A_LINE:
        raise ColumnError(
            "Column {name!r} holds {kind}, but --within needs numbers or dates; say how dates are written with "
            "--date-format, or give --max-distortion.",
            name=column,
            kind=kind.words,
        )
    if isinstance(asked, Levels):
        raise OptionError(
            "--within needs numbers, but the levels of {name!r} are text; bin it with --bins, or give "
            "--max-distortion.",
            name=column,
        )
    values = table.group_sizes([(column,)])[0].groups
    most = BINS_BESIDE if beside else MOST_BINS
    if asked is None and values <= most:
        return None
    found = settled(table, column, Auto(within, most) if asked in (None, Auto()) else asked)
    if asked is None and not beside and values <= MOST_VALUES and bin_error(table, column, found) >= within:
        # Slower than bins, and finer than any.
        return None
    return found


def left_within(table: Table, column: str, bins: Binning | None, within: float) -> float:
    """The part of a mean absolute error left for the channel after values are replaced by the centres of their bins.

    |x − c(y)| ≤ |x − c(x)| + |c(x) − c(y)|, so a channel between centres that keeps the rest keeps the whole. The error
    is a mean over rows that have a number; a channel's distortion is a mean over all rows.

    Raises:
        RefusalError: the bins alone take more.
    """
    error = 0.0 if bins is None else bin_error(table, column, bins)
    fields: dict[str, Any] = {"column": column, "error": from_above(error, 4), "within": from_below(within, 6)}
    if error >= within and bins is not None and isinstance(asked_binning(bins), Auto):
        raise RefusalError(
            "Even the finest automatic bins of {column!s} move values by {error:.4g} on average, but {within:g} is "
            "allowed; allow more, or give finer bins of your own.",
            **fields,
        )
    if error >= within:
        raise RefusalError(
            "The bins of {column!s} alone move values by {error:.4g} on average, but {within:g} is allowed; use finer "
            "bins, such as --bins {column!s}=auto, or allow more.",
            **fields,
        )
    return (within - error) * present_share(table, column)


def _labelled(text: str, by_text: Mapping[str, Label]) -> Label:
    if text not in by_text:
        raise OptionError("{text!r} is to be kept, but is not a value of the column; name one that is.", text=text)
    return by_text[text]


def price_of_keeping(found: Solution, gap: float) -> float | None:
    """The extra bits that keeping costs over the least leakage at the same distortion; None where nothing is kept."""
    problem = found.problem
    if problem.keep is Keep.NOTHING:
        return None
    least = solve(
        replace(
            problem, target=MaxDistortion(found.distortion), keep=Keep.NOTHING, keep_at_least=0.0, never_changed=()
        ),
        gap,
    )
    return max(found.objective - least.objective, 0.0)


def earlier_rounds(
    channels: Sequence[NamedChannel], secret: tuple[str, ...], problem: RateDistortion
) -> tuple[Channel, ...]:
    """Channels of earlier releases of a secret, each reading the values of the problem."""
    read = [reading_secret(one, secret) for one in channels]
    for channel in read:
        require_inputs(channel, problem.inputs, secret)
    return tuple(in_order(channel, problem.inputs) for channel in read)


def as_rounds(found: NextRound, earlier: int) -> RoundsTold:
    """What a round and the earlier ones reveal, as stored; from the table's own counts."""
    return RoundsTold(
        earlier=earlier,
        before=Quantity(found.before.bits, "bits"),
        added=Quantity(found.added, "bits"),
        after=Quantity(found.after, "bits"),
        exact=found.exact and found.before.exact,
    )


def as_design(
    found: Solution,
    prior: PriorOrigin = PriorOrigin.THIS_TABLE,
    price: float | None = None,
    rounds: RoundsTold | None = None,
) -> Design:
    """A designed channel as stored; ``prior`` is the origin of the frequencies, ``price`` the price of keeping."""
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
        keep=found.problem.keep.value,
        price_of_keeping=bits_or_none(price, origin),
        told_unprotected=bits_or_none(found.told_unprotected, origin),
        certain=Quantity(found.certain, "share", origin=origin),
        rounds=rounds,
    )


def as_guessed(found: LeastVulnerable) -> GuessedDesign:
    """A channel that is guessed least as stored, with what it leaks; from the table's own counts."""
    prior, source = PriorOrigin.THIS_TABLE, found.problem.source
    scenario = Scenario(source, found.channel)
    return GuessedDesign(
        best_guess=Quantity(found.before, "probability"),
        best_guess_after=Quantity(found.vulnerability, "probability"),
        gap=Quantity(found.gap, "probability"),
        distortion=Quantity(found.distortion, "distortion"),
        leakage=Quantity(mutual_information(scenario), "bits"),
        leakage_with_background=bits_or_none(leakage_with_background(scenario) if isinstance(source, Joint) else None),
        epsilon=exact_level(found.channel).stored(),
        letters=int((found.channel.matrix.max(axis=0) > 0).sum()),
        knowledge=found.problem.knowledge.value,
        prior=prior,
        keep_inside=prior.keep_inside,
    )


def as_frontier(
    found: Sequence[Solution], question: Question | None = None, beside: Sequence[Solution] = ()
) -> Frontier:
    """Designed channels as a stored frontier; ``beside`` are those of the same problem that keep something else."""
    prior = PriorOrigin.THIS_TABLE
    return Frontier(
        found[0].problem.knowledge.value,
        tuple(map(as_point, found)),
        prior,
        prior.keep_inside,
        found[0].problem.keep.value,
        BesideCurve(beside[0].problem.keep.value, tuple(map(as_point, beside))) if beside else None,
        () if question is None else question.secret,
        None if question is None else question.through,
    )


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
