"""Compare: mechanisms for one secret on one scale, each beside the channel that provably leaks least."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from leakgauge.arguments import checked
from leakgauge.artefacts import Compared, Comparison, Origin, Quantity
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import RankedBy, Role
from leakgauge.design import (
    Knowledge,
    MaxDistortion,
    MaxLeakage,
    RateDistortion,
    Slope,
    Solution,
    solve,
    symmetric_channel,
    waste,
)
from leakgauge.design.baselines import maximum_entropy_channel, mean_distortion
from leakgauge.design.solving import GAP
from leakgauge.distances import Distortion, Hamming
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import LabelError, OptionError, did_you_mean
from leakgauge.jobs.advice import advice, measured_by
from leakgauge.jobs.design import Question, as_point, bits_or_none, require_few_values
from leakgauge.measures import leakage_with_background, mutual_information
from leakgauge.mechanisms import parse_mechanism
from leakgauge.mechanisms.finite import exact_epsilon
from leakgauge.notions import moment_skewness, prior_skew
from leakgauge.notions.ratios import identifiability
from leakgauge.probability import Channel, Distribution, Joint, Label, PriorOrigin, Scenario
from leakgauge.probability.files import read_label_values
from leakgauge.release.estimates import effective_rows
from leakgauge.tables import Table, open_table
from leakgauge.tables.binnings import parse_binnings
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.reading import ReadingOptions

SAME = 1e-12
"""A mean distortion this close to the asked one, relatively, is the asked one: rounding must not decide."""
HALVINGS = 60
OCTAVES = 400.0
"""The exponential mechanism is looked for at slopes from 2^-400 to 2^400 nats per mean distance."""


@checked
def compare(
    table: object,
    mechanisms: str | Sequence[str] = (),
    *,
    secret: str | Sequence[str],
    background: str | Sequence[str] = (),
    max_distortion: float | None = None,
    max_leakage: float | None = None,
    distortion: Distortion | str = "hamming",
    weights: Mapping[str, float] | Path | str | None = None,
    bins: str | Sequence[str] = (),
    levels: str | Sequence[str] = (),
    gap: float | None = None,
    by: str = "bits",
    **reading: Unpack[ReadingOptions],
) -> Comparison:
    """Mechanisms for one secret on one scale, the best first, each beside the channel that leaks least.

    Args:
        table: a path or a frame, as ``open_table`` takes it.
        mechanisms: such as ``randomized-response:epsilon=1``, or channel files.
        secret: the column, or several that are one joint source.
        background: columns that the attacker knows.
        max_distortion: a mean distortion of at most this is asked for.
        max_leakage: or a leakage of at most these bits.
        distortion: what a wrong value costs: hamming, absolute, squared, a file, or a distortion itself.
        weights: how sensitive each value is, by its text; a file, or the numbers themselves.
        bins: how numbers and dates are gathered, such as ``age=width:10``.
        levels: coarser values of columns, such as ``job=jobs.csv:2``.
        gap: how close to the best in nats; by default 1e-9, with weights 1e-6.
        by: what ranks those that meet the target: bits, epsilon or identifiability.
        reading: how the table is read, as ``open_table`` takes it: ``missing``, ``encoding``, ``date_format``, ….

    Raises:
        OptionError: no target or two, another measure, or a mechanism that cannot be compared.
        RefusalError: no channel meets the target.

    Example:
        >>> import pyarrow as pa
        >>> people = pa.table({"illness": ["flu"] * 30 + ["none"] * 70})
        >>> found = compare(people, "randomized-response:epsilon=1", secret="illness", max_distortion=0.3)
        >>> found.ranking[0].mechanism, found.ranking[0].leakage.value
        ('least leaking channel', 0.0)
    """
    columns, known = _several(secret), _several(background)
    question = Question(
        columns,
        known,
        distortion_named(distortion) if isinstance(distortion, str) else distortion,
        Knowledge.ATTACKER if known else Knowledge.NOBODY,
        parse_binnings(_several(bins), columns + known, _several(levels)),
        weights=read_label_values(weights) if isinstance(weights, str | Path) else weights,
    )
    target, measure = _target(max_distortion, max_leakage), _measure(by)
    with open_table(table, **reading) as source:
        fixed = {name: settled(source, name, how) for name, how in question.bins.items()}
        question = replace(question, bins=fixed)
        require_few_values(source, columns, {name: how for name, how in fixed.items() if name in columns})
        closely = question.gap if gap is None else gap
        return comparison(source, question, _several(mechanisms), target, closely, measure)


def comparison(
    table: Table,
    question: Question,
    mechanisms: Iterable[str],
    target: MaxDistortion | MaxLeakage,
    gap: float = GAP,
    by: RankedBy = RankedBy.BITS,
) -> Comparison:
    """The mechanisms, the symmetric channel, the exponential mechanism and the optimum, the best first.

    The mechanism ``exponential`` has the utility −distortion; a number with noise is clamped to its bounds after the
    noise, which anybody could do to a release. Raises as ``compare``.
    """
    if question.knowledge not in (Knowledge.NOBODY, Knowledge.ATTACKER):
        raise OptionError("Mechanisms that read the secret alone are compared; let nobody or the attacker know more.")
    plain = question.problem(table, target)
    given = {text: finite_channel(text, plain) for text in dict.fromkeys(mechanisms)}
    # All are measured beside one optimum, which may release every letter that any of them releases.
    extra = dict.fromkeys(letter for channel in given.values() for letter in channel.outputs)
    problem = replace(plain, outputs=(*plain.letters, *(one for one in extra if one not in set(plain.letters))))
    best = solve(problem, gap)
    baselines = {"symmetric channel": _symmetric(plain, target), "exponential mechanism": _exponential(plain, target)}
    channels = [(Role.BASELINE, *one) for one in baselines.items()] + [(Role.GIVEN, *one) for one in given.items()]
    ranking = [_optimum(best)]
    ranking += [_measured(name, role, one, problem, target, gap) for role, name, one in channels if one is not None]
    ranking.sort(key=lambda one: _place(one, target, by))
    prior = _prior(problem)
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
        prior_skew=Quantity(prior_skew(prior), "nats"),
        moment_skewness=None if skewness is None else Quantity(skewness, "1"),
        advice=advice(ranking, by),
    )


def _place(one: Compared, target: MaxDistortion | MaxLeakage, by: RankedBy) -> tuple[int, float, float, float]:
    if by is not RankedBy.BITS:
        return int(not one.meets_target), measured_by(one, by), one.objective, one.distortion.value
    by_leakage = isinstance(target, MaxDistortion)
    first, second = (one.objective, one.distortion.value) if by_leakage else (one.distortion.value, one.objective)
    # Nothing is better than the optimum by more than its gap, and the gap must not decide.
    rank = 0 if one.role is Role.OPTIMUM else 1 if one.meets_target else 2
    return (rank, first, second, 0.0) if one.meets_target else (rank, second, first, 0.0)


def finite_channel(text: str, problem: RateDistortion) -> Channel:
    """A mechanism, as on the command line, as a dyadic channel that reads every letter of the secret."""
    mechanism = parse_mechanism(text, letters=problem.inputs)
    channel = mechanism.channel_over(
        problem.inputs, problem.letters, lambda: problem.distortion.between(problem.inputs, problem.letters)
    )
    lacking = len(set(problem.inputs) - set(channel.inputs))
    if lacking:
        raise LabelError(
            "{name!s} does not read {lacking} of the {count} letters of the secret; give a channel from all of them.",
            name=mechanism.name,
            lacking=lacking,
            count=len(problem.inputs),
        )
    foreign = mechanism.sets is not None or not set(channel.outputs) & set(problem.letters)
    if isinstance(problem.distortion, Hamming) and foreign:
        raise OptionError(
            "{name!s} releases {released} of the secret's letters, which Hamming distortion cannot tell apart from "
            "wrong ones; give a file of distances to what it releases.",
            name=mechanism.name,
            released="none" if mechanism.sets is None else "sets",
        )
    return channel


def _symmetric(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel | None:
    """The symmetric channel that just meets the target; None where there is none, or not even the truth meets it."""
    if len(problem.inputs) == 1 or not set(problem.inputs) <= set(problem.letters):
        return None
    most = (len(problem.inputs) - 1) / len(problem.inputs)

    def at(share: float) -> Channel:
        return symmetric_channel(problem.inputs, min(share, most))

    if isinstance(target, MaxLeakage):
        bits = target.bits
        return at(_least(lambda share: _objective(at(share), problem) <= bits, most))
    # The mean distortion is linear in the share of wrong letters.
    truth, worst = (
        mean_distortion(_over(at(share), problem.inputs, problem.letters), problem) for share in (0.0, most)
    )
    if worst <= target.distortion:
        return at(most)
    return at(most * (target.distortion - truth) / (worst - truth)) if truth <= target.distortion else None


def _exponential(problem: RateDistortion, target: MaxDistortion | MaxLeakage) -> Channel:
    """The exponential mechanism that just meets the target."""
    source = problem.source
    if isinstance(target, MaxDistortion):
        return maximum_entropy_channel(source, problem.distortion, target)
    bits = target.bits
    distances = problem.distortion.between(problem.inputs, problem.letters)
    # The slope is looked for by its logarithm, and beside the distances: their unit may be any.
    others = distances[(distances > 0) & np.isfinite(distances)]
    scale = float(others.mean()) if len(others) else 1.0

    def at(fall: float) -> Channel:
        ends = {0.0: np.inf, 2 * OCTAVES: 0.0}
        slope = ends[fall] if fall in ends else 2.0 ** (OCTAVES - fall) / scale
        return maximum_entropy_channel(source, problem.distortion, Slope(slope))

    return at(_least(lambda fall: _objective(at(fall), problem) <= bits, 2 * OCTAVES))


def _least(holds: Callable[[float], bool], most: float) -> float:
    """About the least number from 0 to ``most`` at which something holds that holds at ``most``; it does hold there."""
    if holds(0.0):
        return 0.0
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _measured(
    name: str, role: Role, channel: Channel, problem: RateDistortion, target: MaxDistortion | MaxLeakage, gap: float
) -> Compared:
    aligned = _over(channel, problem.inputs, problem.letters)
    found = waste(aligned, problem, gap)
    if isinstance(target, MaxDistortion):
        meets = found.distortion <= target.distortion * (1 + SAME)
    else:
        # Without a slack: of leakage there is no little more.
        meets = found.leakage <= target.bits
    scenario = Scenario(problem.source, aligned)
    known = leakage_with_background(scenario) if isinstance(problem.source, Joint) else None
    return Compared(
        mechanism=name,
        role=role,
        meets_target=meets,
        leakage=Quantity(mutual_information(scenario), "bits"),
        weighted_leakage=None if problem.weights is None else Quantity(found.leakage, "bits"),
        leakage_with_background=bits_or_none(known),
        distortion=Quantity(found.distortion, "distortion"),
        # Of the whole channel: letters that this table lacks are protected as well.
        epsilon=Quantity(exact_epsilon(channel), "nats"),
        waste=Quantity(found.bits, "bits"),
        gap=Quantity(found.best.gap, "bits"),
        **_for_recipients(aligned, problem, own=role is Role.GIVEN and _is_of_this_table(name)),
    )


def _for_recipients(channel: Channel, problem: RateDistortion, *, own: bool) -> dict[str, Any]:
    """What the channel shows of one posterior beside another, and what its release is worth."""
    prior = _prior(problem)
    worth = effective_rows(channel, prior, own=own)
    return {
        "identifiability": Quantity(identifiability(channel, prior).value, "nats"),
        "effective_rows": Quantity(worth.share, "share"),
        "confused_values": sum(map(len, worth.confused)),
    }


def _is_of_this_table(mechanism: str) -> bool:
    """Whether a file says that its channel was designed from a table's own counts; which, they show themselves."""
    return mechanism.lower().endswith(".json") and read_channel(mechanism).prior_origin is PriorOrigin.THIS_TABLE


def _prior(problem: RateDistortion) -> Distribution:
    return problem.source.row_marginal() if isinstance(problem.source, Joint) else problem.source


def _optimum(best: Solution) -> Compared:
    point = as_point(best)
    numbers = ("leakage", "weighted_leakage", "leakage_with_background", "distortion", "epsilon", "gap")
    return Compared(
        mechanism="least leaking channel",
        role=Role.OPTIMUM,
        meets_target=True,
        waste=Quantity(0.0, "bits"),
        **{name: getattr(point, name) for name in numbers},
        **_for_recipients(best.channel, best.problem, own=True),
    )


def _objective(channel: Channel, problem: RateDistortion) -> float:
    scenario = Scenario(problem.source, _over(channel, problem.inputs, problem.letters), weights=problem.weights)
    known = problem.knowledge is Knowledge.ATTACKER
    return leakage_with_background(scenario) if known else mutual_information(scenario)


def _over(channel: Channel, inputs: Sequence[Label], letters: Sequence[Label]) -> Channel:
    """The channel with just these inputs, and with these outputs, some of which it may never release."""
    columns = {label: at for at, label in enumerate(letters)}
    matrix = np.zeros((len(inputs), len(letters)))
    matrix[:, [columns[label] for label in channel.outputs]] = channel.restrict(inputs).matrix
    return Channel(inputs, letters, matrix)


def _target(max_distortion: float | None, max_leakage: float | None) -> MaxDistortion | MaxLeakage:
    if max_distortion is not None and max_leakage is None:
        return MaxDistortion(max_distortion)
    if max_leakage is not None and max_distortion is None:
        return MaxLeakage(max_leakage)
    raise OptionError(
        "{count} targets are given; say one of {first!s} and {last!s}.",
        count=0 if max_leakage is None else 2,
        first="--max-distortion",
        last="--max-leakage",
    )


def _measure(by: str) -> RankedBy:
    known = [one.value for one in RankedBy]
    if by not in known:
        raise OptionError("Mechanisms are not ranked by {found!r}; {hint}", found=by, hint=did_you_mean(by, known))
    return RankedBy(by)


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    """Texts, of which one may stand alone."""
    return (given,) if isinstance(given, str) else tuple(given)
