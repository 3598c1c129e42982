"""How the secret will be released: a designed channel, the best of some mechanisms, or a setting that protects
enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from leakgauge.artefacts import Request, dossier
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.request import Aim
from leakgauge.assessment.dials import dials_of
from leakgauge.assessment.dials.usefulness import use_named
from leakgauge.assessment.judging import policy_of
from leakgauge.assessment.outgoing import Outgoing, judge_settings
from leakgauge.assessment.search import Goal, HandedOut
from leakgauge.design import Keep as KeepOnTheWhole
from leakgauge.design import Knowledge, MaxDistortion, RateDistortion, Slope, Solution, frontier, solve
from leakgauge.design.solving import GAP
from leakgauge.distances import Absolute, Squared
from leakgauge.errors import InputError, OptionError, RefusalError, UnprovedError
from leakgauge.jobs.compare import comparison, finite_channel
from leakgauge.jobs.design import Question, as_design, as_frontier, price_of_keeping, require_few_values
from leakgauge.jobs.improve import as_planned, noisy_table, search, stored
from leakgauge.jobs.protect.sources import Sources
from leakgauge.mechanisms import Mechanism, parse_mechanism
from leakgauge.probability import Channel, Joint, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import BoundPlan, bind
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.priors import histogram_steps
from leakgauge.rounding import from_above

CHANNEL = dossier.CHANNEL.name
CURVE = 25
"""Points of the frontier."""
LETTERS = 64
CELLS = 1 << 17
"""Secrets with more values, or more values × backgrounds, get no frontier: it would take longer than everything
else."""
NUMBER_CELLS = 1 << 11
"""The same for numbers with a background, whose channels take ten times as long; they get no comparison either."""
KEPT_CELLS = 1 << 11
"""The most values × backgrounds with which shares are kept: with more, one channel takes seconds."""
BOUNDED_GAP = 1e-6
"""In nats: with a bound on ratios, and between numbers, the last digits take far longer than the first."""
CURVE_GAP = 1e-5
"""In nats: finer than a picture can show."""
MOST_PROTECTION = 99.9
"""The highest protection a search aims for: nothing useful reaches 100."""
TELLS_NOTHING = 1e-9
"""In bits: a channel with less releases nothing."""

Keep = Callable[[str, msgspec.Struct], None]
"""Writes an artefact at once, so that a refusal leaves what was tried."""


@dataclass(frozen=True)
class Chosen:
    """How the secret is released: a mechanism as spelt in the plan, or the name of a channel file and the channel.

    ``noisy`` says whether it is a noisy number, which may leave its bounds.
    """

    plan: str | Mechanism | NamedChannel
    channel: NamedChannel | None = None
    noisy: bool = False


def plan_of(
    asked: Request, chosen: Mapping[tuple[str, ...], Chosen], sources: Sources, *, learnt: Sequence[str] = ()
) -> ReleasePlan:
    """The plan that releases every group of secrets; the values or edges of ``learnt`` columns come from another
    table."""
    columns = {name: how.channel or how.plan for group, how in chosen.items() for name in group}
    # A secret that is not chosen yet is not released, nor are its bins.
    bins = {name: how for name, how in sources.released_bins(asked).items() if name in (*columns, *asked.roles.public)}
    noisy = [name for group, how in chosen.items() for name in group if how.noisy]
    return ReleasePlan(
        columns,
        asked.roles.public_as_is,
        bins,
        suppress_below=asked.coarsening.suppress_below,
        suppress_unit=asked.roles.unit,
        unit=None if asked.roles.rows_per_unit is None else asked.roles.unit,
        rows_per_unit=asked.roles.rows_per_unit or 1,
        from_another_table=learnt,
        clamp=noisy if asked.limits.clamp else (),
        unprotected=asked.roles.public_through,
        keep_order=asked.limits.keep_order,
    )


def choose(
    asked: Request,
    aim: Aim,
    sources: Sources,
    progress: Callable[[int, int], None],
    keep: Keep | None,
    beside: Mapping[tuple[str, ...], Chosen],
) -> Chosen:
    """How the secret will be released; the evidence for the choice is stored through ``keep``.

    A searched setting is judged ``beside`` the other columns that are released.

    Raises:
        RefusalError: nothing meets the target; the message says how close one can come.
    """
    if aim.is_searched:
        return _searched(asked, aim, sources, progress, keep or _forget, beside)
    if aim.mechanism:
        return _best_mechanism(asked, aim, sources, keep or _forget)
    return _designed(asked, aim, sources, keep)


def choose_all(
    asked: Request,
    sources: Sources,
    chosen: dict[tuple[str, ...], Chosen],
    choose_one: Callable[[Aim, Mapping[tuple[str, ...], Chosen]], Chosen],
) -> None:
    """How every secret will be released, beside the columns ``chosen`` already.

    Each of several secrets that are searched for reveals a little about the others: those that are no longer protected
    enough once the others are chosen are searched for again. That takes more noise, which never harms the others.
    """
    for aim in asked.aims:
        chosen[aim.columns] = choose_one(aim, chosen)
    limits, searched = policy_of(asked.limits), [aim for aim in asked.aims if aim.is_searched]
    if len(searched) < 2 or asked.budget.accounted is not None or "min_protection" not in limits.given:
        return
    for _ in searched:
        plan = bind(plan_of(asked, chosen, sources), sources.original)
        going = Outgoing(sources.case, plan, asked.roles.public_through)
        short = [
            aim
            for aim in searched
            if dials_of(going.evidence(aim.columns)).protection.ends[0] < (limits.min_protection or 0.0)
        ]
        for aim in short:
            chosen[aim.columns] = choose_one(aim, chosen)
        if not short:
            return


def require_designable(asked: Request, sources: Sources) -> None:
    """Refuse at the start a design that would take hours, or that bins alone make impossible.

    Raises:
        OptionError: a secret with more values than a channel is designed for, where no mechanism is named; clamping
            where nothing adds noise; a search for a setting that recipients cannot use.
        RefusalError: bins that alone move values by more than the error allowed.
    """
    named = [text for aim in asked.aims for text in aim.mechanism if not text.endswith(".json")]
    if asked.limits.clamp and all(_any_letters(text).noise is None for text in named):
        raise OptionError(
            "--clamp clamps noisy numbers to their bounds, but no --mechanism here adds noise; leave it out."
        )
    if (
        asked.is_searched
        and asked.limits.kept == "nothing"
        and not asked.declared.publish_shares
        and asked.budget.accounted is None
    ):
        raise OptionError(
            "--min-protection alone searches among channels that follow from private counts, and of one that does not "
            "keep the shares recipients can compute nothing; leave --keep nothing out, or add --publish-shares if the "
            "table's shares may be known."
        )
    for aim in asked.aims:
        sources.target(aim)
        if not aim.mechanism and not aim.is_searched:
            require_few_values(sources.table, aim.columns)


def _any_letters(text: str) -> Mechanism:
    """A mechanism by its name, for a question that does not depend on its values."""
    return parse_mechanism(text, letters=("a", "b"))


def keep_possibilities(asked: Request, aim: Aim, sources: Sources, keep: Keep) -> None:
    """Store the frontiers with and without keeping shares, where they can be computed.

    First the one on which a designed channel lies; a named mechanism keeps nothing.
    """
    question = replace(sources.question(asked, aim), local_dp=None)
    plain = question.problem(sources.table, Slope(0.0))
    nothing, shares = KeepOnTheWhole.NOTHING, KeepOnTheWhole.SHARES
    kept = nothing if aim.mechanism else KeepOnTheWhole(asked.limits.kept)
    problem = replace(plain, keep=kept)
    if not 2 <= len(plain.inputs) <= LETTERS or _cells(plain) > CELLS or _is_slow(problem):
        return
    try:
        found = frontier(problem, CURVE, CURVE_GAP)
    except UnprovedError:
        # The curve is a picture; what is released does not need it.
        return
    beside: Sequence[Solution] = ()
    with suppress(InputError, UnprovedError):
        # The other curve is optional: where it does not exist, one is enough.
        beside = frontier(replace(plain, keep=shares if kept is nothing else nothing), CURVE, CURVE_GAP)
    keep(dossier.FRONTIER.name, as_frontier(found, question, beside))


def _cells(problem: RateDistortion) -> int:
    backgrounds = len(problem.source.columns) if isinstance(problem.source, Joint) else 1
    return len(problem.inputs) ** 2 * backgrounds


def _is_slow(problem: RateDistortion) -> bool:
    """Whether one channel takes seconds, so that computing many is too slow.

    This holds for numbers with a background, and for keeping shares with a large one.
    """
    source = problem.source
    if not isinstance(source, Joint) or len(source.columns) == 1:
        return False
    if isinstance(problem.distortion, Absolute | Squared) and _cells(problem) > NUMBER_CELLS:
        return True
    keeps = problem.keep is KeepOnTheWhole.SHARES and problem.knowledge is Knowledge.ATTACKER
    return keeps and source.matrix.size > KEPT_CELLS


def _forget(name: str, artefact: msgspec.Struct) -> None:
    """Store nothing."""


def _designed(asked: Request, aim: Aim, sources: Sources, keep: Keep | None) -> Chosen:
    question, table, origin = sources.question(asked, aim), sources.table, PriorOrigin.THIS_TABLE
    if asked.budget.accounted is not None:
        # The histogram bought is of the secret alone, so the channel is designed as if nobody knew more.
        (secret,) = aim.columns
        table = noisy_table(table, secret, asked.budget.accounted, sources.ledger, sources.dataset)
        question = replace(question, background=(), knowledge=Knowledge.NOBODY)
        origin = PriorOrigin.NOISY_HISTOGRAM
    question = replace(question, keep=KeepOnTheWhole(asked.limits.kept))
    problem = question.problem(table, sources.target(aim))
    try:
        solution = solve(problem, GAP if (aim.local_dp, aim.within) == (None, None) else BOUNDED_GAP)
    except UnprovedError:
        # Its way out, a larger gap, is none that a job has.
        raise RefusalError(
            "No channel for {columns!s} was proved to be near the best; change the limit a little, use fewer values or "
            "bins, or name a --mechanism.",
            columns=aim.columns,
        ) from None
    except RefusalError as error:
        if aim.within is None:
            raise
        raise RefusalError(
            "{reason} The bins use up part of the {within:g} allowed by --within; these numbers are about the rest.",
            reason=error,
            within=aim.within,
        ) from None
    if aim.target is None and solution.leakage < TELLS_NOTHING:
        # If one value is common and ε small, always releasing that value is least often wrong, and useless.
        return _planned(f"randomized-response:epsilon={aim.local_dp!r}", asked, aim, sources)
    named = replace(question.named(solution), prior_origin=origin)
    if keep is None:
        return Chosen(CHANNEL, named)
    keep(dossier.DESIGN.name, as_design(solution, origin, price_of_keeping(solution, question.gap)))
    if asked.budget.accounted is None and not _is_slow(solution.problem):
        _keep_comparison(question, sources, solution, keep)
    return Chosen(CHANNEL, named)


def require_affordable(asked: Request, sources: Sources) -> None:
    """Refuse to buy histograms if the known part of the whole cost does not fit the budget."""
    known = [one for aim in asked.aims for one in (asked.budget.accounted, aim.local_dp) if one is not None]
    if sources.ledger is not None and sources.dataset is not None:
        cost = Cost(tuple(step for epsilon in known for step in histogram_steps(epsilon)))
        sources.ledger.preview(sources.dataset, cost).require()


def _keep_comparison(question: Question, sources: Sources, chosen: Solution, keep: Keep) -> None:
    """Store the comparison with other mechanisms at the distortion of the chosen one, where they can be compared."""
    plain, target = replace(question, local_dp=None), MaxDistortion(chosen.distortion)
    # Without a bound on ε the chosen channel is the optimum itself.
    bounded = None if question.local_dp is None else chosen.channel
    try:
        found = comparison(sources.table, plain, (), target, CURVE_GAP, bounded=bounded)
    except (InputError, RefusalError, UnprovedError):
        # The comparison is optional: a secret without one is released all the same.
        return
    keep(dossier.COMPARISON.name, found)


def _best_mechanism(asked: Request, aim: Aim, sources: Sources, keep: Keep) -> Chosen:
    """The best of the named mechanisms that meets the target; a single one without a target is taken as it is."""
    if aim.target is None:
        (text,) = aim.mechanism
        return _planned(text, asked, aim, sources)
    target = sources.target(aim)
    assert not isinstance(target, Slope)
    question = replace(sources.question(asked, aim), local_dp=None)
    found = comparison(sources.table, question, aim.mechanism, target, CURVE_GAP)
    keep(dossier.COMPARISON.name, found)
    given = [one for one in found.ranking if one.role is Role.GIVEN]
    fit = [one for one in given if one.meets_target and (aim.local_dp is None or one.epsilon.value <= aim.local_dp)]
    if not fit:
        raise RefusalError(
            "None of {count} mechanisms meets the target; the nearest, {name!s}, leaks {bits:.4g} bits at a mean "
            "distortion of {distortion:.4g}; allow more, or let a channel be designed.",
            count=len(given),
            name=given[0].mechanism,
            bits=from_above(given[0].objective, 4),
            distortion=from_above(given[0].distortion.value, 4),
        )
    return _planned(fit[0].mechanism, asked, aim, sources)


def _planned(text: str, asked: Request, aim: Aim, sources: Sources) -> Chosen:
    """A mechanism as a plan takes it: its values are those of the table, and the record says so."""
    question = sources.question(asked, aim)
    problem = question.problem(sources.table, Slope(0.0))
    if text.endswith(".json"):
        return Chosen(CHANNEL, read_channel(text))
    mechanism = parse_mechanism(text, letters=problem.inputs)
    if not mechanism.capabilities.columns:
        channel = finite_channel(text, problem)
        return Chosen(CHANNEL, _named(channel, aim))
    if "letters" not in mechanism.parameters or "letters=" in text:
        return Chosen(text, noisy=mechanism.noise is not None)
    return Chosen(f"{text}{',' if ':' in text else ':'}letters=this-table")


def _named(channel: Channel, aim: Aim) -> NamedChannel:
    return NamedChannel(channel, aim.columns, aim.columns, PriorOrigin.THIS_TABLE)


def _searched(
    asked: Request,
    aim: Aim,
    sources: Sources,
    progress: Callable[[int, int], None],
    keep: Keep,
    beside: Mapping[tuple[str, ...], Chosen],
) -> Chosen:
    """The most useful setting that protects as asked for, judged in the whole release."""
    (secret,), limits, bought = aim.columns, policy_of(asked.limits), asked.budget.accounted is not None
    least, useful = (
        getattr(limits, name) if name in limits.given else None for name in ("min_protection", "min_usefulness")
    )
    goal = Goal(
        secret,
        min_protection=None if least is None else min(least, MOST_PROTECTION),
        min_usefulness=useful,
        min_guarantee=limits.min_guarantee,
        max_exposed=limits.max_exposed,
        max_lost=limits.max_lost,
        use=use_named(asked.limits.use),
        keep=KeepOnTheWhole(asked.limits.kept),
        # What was bought is of the secret alone.
        published=() if bought else asked.roles.public,
        backgrounds=() if bought else (asked.roles.background,),
        lower=aim.lower,
        upper=aim.upper,
        as_it_is=True,
        # The setting follows from the counts: unless these may be known, recipients get only the release.
        handed_out=HandedOut.EVERYTHING if asked.declared.publish_shares else HandedOut.NOTHING,
    )

    def bound(how: Mechanism | Channel) -> BoundPlan:
        chosen = {group: one for group, one in beside.items() if group != aim.columns}
        noisy = not isinstance(how, Channel) and how.noise is not None
        chosen[aim.columns] = Chosen(as_planned(how, secret), noisy=noisy)
        return bind(plan_of(asked, chosen, sources), sources.original)

    judge = judge_settings(sources.case, aim.columns, goal.use, bound, asked.roles.public_through)
    searching = partial(
        search,
        sources.table,
        judge=judge,
        accounted=asked.budget.accounted,
        ledger=sources.ledger,
        dataset=sources.dataset,
        progress=progress,
    )
    found = searching(goal)
    if found.search.chosen is None and not {"max_exposed", "max_lost"} & limits.given:
        # Limits of the default policy only colour the verdict and refuse nothing.
        found = searching(replace(goal, max_exposed=None, max_lost=None))
    keep(dossier.IMPROVEMENT.name, stored(found))
    trial = found.search.require()
    if trial.channel is None:
        return _planned(str(trial.said), asked, aim, sources)
    named = _named(trial.channel, aim)
    return Chosen(CHANNEL, replace(named, prior_origin=PriorOrigin.NOISY_HISTOGRAM) if bought else named)
