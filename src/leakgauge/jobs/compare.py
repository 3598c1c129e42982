"""Comparison of mechanisms for one secret on one scale, each against the channel that provably leaks least."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Required, Unpack

from leakgauge.arguments import checked
from leakgauge.artefacts import Compared, Comparison, Origin, Quantity
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import RankedBy, Role
from leakgauge.artefacts.request.verbs import Comparing
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, RateDistortion, Solution, solve
from leakgauge.design.baselines import (
    Leakages,
    aligned,
    exponential_meeting,
    forbidden_change,
    mean_distortion,
    problem_pairs,
    symmetric_meeting,
)
from leakgauge.design.solving import GAP
from leakgauge.distances import Distortion, Hamming
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import LabelError, OptionError, RefusalError, did_you_mean
from leakgauge.jobs.advice import advice, measured_by
from leakgauge.jobs.design import Question, as_point, bits_or_none, require_few_values
from leakgauge.mechanisms import parse_mechanism
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.notions import moment_skewness, prior_skew
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Distribution, Joint, Label, PriorOrigin
from leakgauge.probability.files import Groups, read_label_values
from leakgauge.probability.labels import label_parts
from leakgauge.release.estimates.effective_rows import effective_rows, keeps_shares
from leakgauge.tables import Table, open_table
from leakgauge.tables.binnings import parse_binnings
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.reading import ReadingOptions, reading_of

SAME = 1e-12
"""A mean distortion within this relative distance of the target counts as equal: rounding must not decide."""
LEAST = "least leaking channel"
LEAST_KEEPING = {
    Keep.NOTHING: LEAST,
    Keep.SHARES: "least leaking that keeps the shares",
    Keep.ASSOCIATIONS: "least leaking that keeps the associations",
}
"""The names of the optima."""
WITHIN = {
    Keep.NOTHING: "least leaking within ε",
    Keep.SHARES: "least leaking within ε that keeps the shares",
    Keep.ASSOCIATIONS: "least leaking within ε that keeps the associations",
}
"""The same within a bound on ε."""


class CompareOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.compare``: fields of ``Comparing``, and how the table is read."""

    secret: Required[Sequence[str]]
    background: Sequence[str]
    max_distortion: float | None
    max_leakage: float | None
    weights: Mapping[Any, float] | Path | str | None
    bins: Sequence[str]
    levels: Sequence[str]
    gap: float | None
    by: str
    keep: str
    through: str | None
    knowledge: str | None


@checked
def compare(
    table: object,
    mechanisms: Sequence[str] = (),
    *,
    distortion: Distortion | str = "hamming",
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Mechanisms for one secret on one scale, the best first, each compared with the channel that leaks least.

    Args:
        table: a path or a frame, as ``open_table`` takes it.
        mechanisms: such as ``randomized-response:epsilon=1``, or channel files.
        secret: the column, or several that are one joint source.
        background: columns that the attacker knows.
        knowledge: ``both`` compares with the least leaking channel that reads the background too, and takes files of
            such channels; by default only the attacker knows it.
        max_distortion: the target: a mean distortion of at most this.
        max_leakage: or a leakage of at most these bits.
        distortion: what a wrong value costs: hamming, absolute, squared, great-circle, a file, or a distortion itself.
        weights: how sensitive each value is, by the value or its text; a file, or the numbers themselves.
        bins: how numbers and dates are binned, such as ``age=width:10``.
        levels: coarser values of columns, such as ``job=jobs.csv:2``.
        gap: proven distance from the optimum, in nats; by default 1e-9, with weights 1e-6.
        by: what ranks the mechanisms that meet the target: bits, epsilon or identifiability.
        keep: ``shares`` compares with the least leaking channel that releases every value as often as it occurs.
        through: the column that goes through the mechanisms, ranked by what it then reveals about the secret.
        options: also how the table is read, as ``open_table`` takes it: ``missing``, ``encoding``, ….

    Raises:
        OptionError: no target or two, an unknown measure or ``keep``, or a mechanism that cannot be compared.
        RefusalError: no channel meets the target.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"illness": ["flu"] * 30 + ["none"] * 70})
        >>> found = compare(people, "randomized-response:epsilon=1", secret="illness", max_distortion=0.3)
        >>> found.ranking[0].mechanism, found.ranking[0].leakage.value
        ('least leaking channel', 0.0)
    """
    asked = Comparing.of_options(options)
    columns, known, weights = asked.secret, asked.background, asked.weights
    released = columns if asked.through is None else (asked.through,)
    question = Question(
        columns,
        known,
        distortion_named(distortion) if isinstance(distortion, str) else distortion,
        _knowledge(asked.knowledge, known),
        parse_binnings(asked.bins, tuple(dict.fromkeys(columns + released + known)), asked.levels),
        weights=read_label_values(weights) if isinstance(weights, str | Path) else weights,
        through=asked.through,
        keep=_kept(asked.keep),
    )
    target, measure = _target(asked.max_distortion, asked.max_leakage), _measure(asked.by)
    with open_table(table, **reading_of(options)) as source:
        fixed = {name: settled(source, name, how) for name, how in question.bins.items()}
        question = replace(question, bins=fixed)
        require_few_values(source, released, {name: how for name, how in fixed.items() if name in released})
        closely = question.gap if asked.gap is None else asked.gap
        return comparison(source, question, mechanisms, target, closely, measure)


def comparison(
    table: Table,
    question: Question,
    mechanisms: Iterable[str],
    target: MaxDistortion | MaxLeakage,
    gap: float = GAP,
    by: RankedBy = RankedBy.BITS,
    bounded: Channel | None = None,
) -> Comparison:
    """The mechanisms, the symmetric channel, the exponential mechanism and the optimum, the best first.

    Where shares are kept, the optimum is the least leaking channel that keeps them, and the overall optimum is shown
    too. The mechanism ``exponential`` has the utility −distortion. A noisy number is clamped to its bounds after the
    noise, which anybody could do to a release. ``bounded`` is a channel designed within a bound on ε, shown as well.
    Raises as ``compare``.
    """
    if question.knowledge is Knowledge.PUBLISHED:
        raise OptionError(
            "Mechanisms are compared by what they leak, not by the published algorithm; use --knowledge nobody, "
            "attacker or both."
        )
    if question.through is not None and by is RankedBy.IDENTIFIABILITY:
        raise OptionError("Identifiability applies to the released column, not to the secret; rank by bits or epsilon.")
    asked = question.problem(table, target)
    plain = replace(asked, keep=Keep.NOTHING)
    given = {text: _given_channel(text, question, plain) for text in dict.fromkeys(mechanisms)}
    # All are compared with one optimum, which may release every value that any of them releases.
    every = (*given.values(), *(() if bounded is None else (bounded,)))
    extra = dict.fromkeys(letter for channel in every for letter in channel.outputs)
    problem = replace(plain, outputs=(*plain.letters, *(one for one in extra if one not in set(plain.letters))))
    keeps = asked.keep is not Keep.NOTHING
    # Channels that keep the shares release the values they read, whatever others release.
    beside = asked if keeps else problem
    best = solve(beside, gap)
    baselines = {
        "symmetric channel": symmetric_meeting(plain, target),
        "exponential mechanism": exponential_meeting(plain, target),
    }
    channels = [(Role.BASELINE, *one) for one in baselines.items()] + [(Role.GIVEN, *one) for one in given.items()]
    channels.append((Role.DESIGNED, WITHIN[asked.keep], bounded))
    ranking = [_optimum(best, LEAST_KEEPING[asked.keep], Role.OPTIMUM)]
    if keeps:
        ranking.append(_optimum(solve(problem, gap), LEAST, Role.BASELINE))
    ranking += [
        _measured(name, role, one, problem, beside, target, gap) for role, name, one in channels if one is not None
    ]
    ranking.sort(key=lambda one: _place(one, target, by, keeps=keeps))
    prior = problem.prior
    skewness = moment_skewness(prior)
    return Comparison(
        knowledge=best.problem.knowledge.value,
        max_distortion=Quantity(target.distortion, "distortion", origin=Origin.DECLARED)
        if isinstance(target, MaxDistortion)
        else None,
        max_leakage=bits_or_none(target.bits, Origin.DECLARED) if isinstance(target, MaxLeakage) else None,
        background_floor=bits_or_none(best.background_floor),
        ranking=tuple(ranking),
        prior=PriorOrigin.THIS_TABLE,
        keep_inside=PriorOrigin.THIS_TABLE.keep_inside,
        by=by,
        prior_skew=None if question.through is not None else Quantity(prior_skew(prior), "nats"),
        moment_skewness=None if skewness is None else Quantity(skewness, "1"),
        advice=advice(ranking, by, keeps=keeps),
        keep=asked.keep.value,
        through=question.through,
    )


def _place(
    one: Compared, target: MaxDistortion | MaxLeakage, by: RankedBy, *, keeps: bool
) -> tuple[int, float, float, float]:
    lacking = int(keeps and not one.keeps_shares)
    if by is not RankedBy.BITS:
        rank = lacking if one.meets_target else 2
        return rank, measured_by(one, by), one.objective, one.distortion.value
    by_leakage = isinstance(target, MaxDistortion)
    first, second = (one.objective, one.distortion.value) if by_leakage else (one.distortion.value, one.objective)
    # Nothing beats the optimum by more than its gap, and the gap must not decide the ranking.
    rank = 0 if one.role is Role.OPTIMUM else 1 + lacking if one.meets_target else 3
    return (rank, first, second, 0.0) if one.meets_target else (rank, second, first, 0.0)


def _given_channel(text: str, question: Question, problem: RateDistortion) -> Channel:
    """As ``finite_channel``, or the channel of a file that reads the background too, from every pair."""
    named = read_channel(text) if text.lower().endswith(".json") else None
    source, columns = problem.source, question.released + question.background
    beside = (
        named is not None and sorted(named.inputs) == sorted(columns) and len(named.inputs) > len(question.released)
    )
    if named is None or not beside or problem.knowledge is not Knowledge.BOTH or not isinstance(source, Joint):
        return finite_channel(text, problem)
    order = [named.inputs.index(name) for name in columns]
    places, backgrounds = dict[tuple[Label, ...], int](), dict[tuple[Label, ...], int]()
    for row, label in enumerate(named.channel.inputs):
        parts = tuple(label_parts(label, columns)[at] for at in order)
        places[parts] = row
        backgrounds.setdefault(parts[len(question.released) :], row)
    pairs = problem_pairs(source)
    read = [(label_parts(x, question.released), label_parts(z, question.background)) for x, z in pairs]
    shares = source.matrix.ravel().tolist()
    lacking = sum(x + z not in places for (x, z), share in zip(read, shares, strict=True) if share)
    if lacking:
        raise LabelError(
            "{name!s} has no input for {lacking} of the {count} pairs of a secret and a background; give a channel "
            "that reads them all.",
            name=text,
            lacking=lacking,
            count=len(pairs),
        )
    exact = named.channel.dyadic()
    # A pair that does not occur is treated like another with the same background, so it adds nothing to ε.
    rows = [places.get(x + z, backgrounds.get(z, 0)) for x, z in read]
    return Channel(pairs, exact.outputs, exact.matrix[rows])


def finite_channel(text: str, problem: RateDistortion) -> Channel:
    """A mechanism, spelt as on the command line, as a dyadic channel that reads every value of the secret."""
    mechanism = parse_mechanism(text, letters=problem.inputs)
    channel = mechanism.channel_over(
        problem.inputs, problem.letters, lambda: problem.distortion.between(problem.inputs, problem.letters)
    )
    lacking = len(set(problem.inputs) - set(channel.inputs))
    if lacking:
        raise LabelError(
            "{name!s} has no input for {lacking} of the {count} values of the secret; give a channel that reads "
            "them all.",
            name=mechanism.name,
            lacking=lacking,
            count=len(problem.inputs),
        )
    foreign = mechanism.sets is not None or not set(channel.outputs) & set(problem.letters)
    if isinstance(problem.distortion, Hamming) and foreign:
        raise OptionError(
            "{name!s} releases {released} of the secret's values, which Hamming distortion cannot distinguish from "
            "wrong ones; give a file of distances to the values it releases.",
            name=mechanism.name,
            released="none" if mechanism.sets is None else "sets",
        )
    return channel


def _measured(
    name: str,
    role: Role,
    channel: Channel,
    problem: RateDistortion,
    beside: RateDistortion,
    target: MaxDistortion | MaxLeakage,
    gap: float,
) -> Compared:
    pairs = _compared(channel, problem)
    over = aligned(channel, problem.inputs if pairs is None else channel.inputs, problem.letters)
    told, distortion = Leakages.of(over, problem), mean_distortion(over, problem)
    if math.isinf(distortion):
        raise forbidden_change()
    if isinstance(target, MaxDistortion):
        meets = distortion <= target.distortion * (1 + SAME)
    else:
        # No slack: even a little more leakage is more.
        meets = told.objective <= target.bits
    try:
        best = solve(beside.with_target(MaxDistortion(distortion)), gap)
    except RefusalError:
        if beside.keep is Keep.NOTHING:
            raise
        # No channel that keeps the shares is as useful as this one, so it wastes nothing.
        best = None
    own = role is Role.DESIGNED or (
        # A channel file says whether it was designed from a table's own counts.
        role is Role.GIVEN
        and name.lower().endswith(".json")
        and read_channel(name).prior_origin is PriorOrigin.THIS_TABLE
    )
    return Compared(
        mechanism=name,
        role=role,
        meets_target=meets,
        leakage=Quantity(told.leakage, "bits"),
        weighted_leakage=bits_or_none(told.weighted_leakage),
        leakage_with_background=bits_or_none(told.leakage_with_background),
        distortion=Quantity(distortion, "distortion"),
        # ε covers the whole channel: values that this table lacks are protected as well.
        epsilon=Quantity(exact_epsilon(channel, pairs), "nats"),
        waste=Quantity(0.0 if best is None else max(told.objective - best.objective, 0.0), "bits"),
        gap=Quantity(0.0 if best is None else best.gap, "bits"),
        **_for_recipients(over, problem, own=own),
    )


def _for_recipients(channel: Channel, problem: RateDistortion, *, own: bool) -> dict[str, Any]:
    """The identifiability of the channel, and the worth of its release."""
    prior, pairs, source = problem.prior, _compared(channel, problem), problem.source
    # For channels that read the background, the worth is that of cross-tables, which they may keep.
    seen = source if problem.knowledge is Knowledge.BOTH else prior
    worth = effective_rows(channel, seen, own=own)
    if pairs is None:
        level = identifiability(channel, prior)
    else:
        assert isinstance(source, Joint)
        prior = Distribution(channel.inputs, source.matrix.ravel())
        level = identifiability(channel, prior, pairs)
    return {
        "identifiability": Quantity(level.value, "nats") if problem.secret is None else None,
        "effective_rows": Quantity(worth.share, "share"),
        "confused_values": len({label for group in worth.confused for label in group}),
        "keeps_shares": keeps_shares(channel, seen),
    }


def _compared(channel: Channel, problem: RateDistortion) -> Groups | None:
    """The places of inputs with the same background, where a channel reads pairs; None where it reads the secret."""
    if problem.knowledge is not Knowledge.BOTH or not isinstance(problem.source, Joint):
        return None
    if set(problem.inputs) <= set(channel.inputs):
        return None
    backgrounds = len(problem.source.columns)
    return tuple(tuple(range(at, len(channel.inputs), backgrounds)) for at in range(backgrounds))


def _optimum(best: Solution, name: str, role: Role) -> Compared:
    point = as_point(best)
    numbers = ("leakage", "weighted_leakage", "leakage_with_background", "distortion", "epsilon", "gap")
    return Compared(
        mechanism=name,
        role=role,
        meets_target=True,
        waste=Quantity(0.0, "bits"),
        **{name: getattr(point, name) for name in numbers},
        **_for_recipients(best.channel, best.problem, own=True),
    )


def _target(max_distortion: float | None, max_leakage: float | None) -> MaxDistortion | MaxLeakage:
    if max_distortion is not None and max_leakage is None:
        return MaxDistortion(max_distortion)
    if max_leakage is not None and max_distortion is None:
        return MaxLeakage(max_leakage)
    raise OptionError(
        "{count} targets are given; give one of {first!s} and {last!s}.",
        count=0 if max_leakage is None else 2,
        first="--max-distortion",
        last="--max-leakage",
    )


def _kept(keep: str) -> Keep:
    if keep == Keep.ASSOCIATIONS.value:
        raise OptionError(
            "Only channels that read the background keep associations; design one, compare its file with --knowledge "
            "both, and use --keep shares or nothing here."
        )
    known = [one.value for one in Keep if one is not Keep.ASSOCIATIONS]
    if keep not in known:
        raise OptionError("{found!r} cannot be kept; {hint}", found=keep, hint=did_you_mean(keep, known))
    return Keep(keep)


def _knowledge(name: str | None, background: Sequence[str]) -> Knowledge:
    if name is None:
        return Knowledge.ATTACKER if background else Knowledge.NOBODY
    if name not in ("attacker", "both"):
        raise OptionError("--knowledge {found!r} is neither attacker nor both; use one of them.", found=name)
    if not background:
        raise OptionError(
            "--knowledge {name!s} needs a background, and none is given; name its columns with --background COLUMN.",
            name=name,
        )
    return Knowledge(name)


def _measure(by: str) -> RankedBy:
    known = [one.value for one in RankedBy]
    if by not in known:
        raise OptionError("Mechanisms are not ranked by {found!r}; {hint}", found=by, hint=did_you_mean(by, known))
    return RankedBy(by)
