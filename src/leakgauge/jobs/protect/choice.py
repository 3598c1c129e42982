"""How the secret will be released: a designed channel, the best of some mechanisms, or a setting that protects
enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from leakgauge.artefacts import Comparison, Frontier, Request, dossier
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dossier import SecretResults
from leakgauge.artefacts.request import Aim
from leakgauge.assessment.dials.reading import dials_of
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

Secret: TypeAlias = tuple[str, ...]
"""The columns of one."""


@dataclass(frozen=True)
class Chosen:
    """How the secret is released: a mechanism as spelt in the plan, or the name of a channel file and the channel.

    ``noisy`` says whether it is a noisy number, which may leave its bounds.
    """

    plan: str | Mechanism | NamedChannel
    channel: NamedChannel | None = None
    noisy: bool = False


@dataclass(frozen=True)
class Choice:
    """How a secret will be released, or why nothing meets its target.

    Attributes:
        evidence: gives the results that the choice rests on; a comparison takes as long as the choice itself.
    """

    how: Chosen | RefusalError
    evidence: Callable[[], SecretResults] = SecretResults

    def require(self) -> Chosen:
        """How it is released.

        Raises:
            RefusalError: nothing meets the target; the message says how close one can come.
        """
        if isinstance(self.how, RefusalError):
            raise self.how
        return self.how


def plan_of(
    asked: Request, chosen: Mapping[Secret, Chosen], sources: Sources, *, learnt: Sequence[str] = ()
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


def seen_through(sources: Sources, asked: Request, chosen: Mapping[Secret, Chosen]) -> Sources:
    """The sources as the attacker sees them: of a public column with a channel only its output."""
    channels = {name: chosen[name,].channel for name in asked.roles.public_through}
    return replace(sources, through={name: one.channel for name, one in channels.items() if one is not None})


def choose(
    asked: Request,
    aim: Aim,
    sources: Sources,
    progress: Callable[[int, int], None],
    beside: Mapping[Secret, Chosen],
) -> Choice:
    """How the secret will be released; a searched setting is judged ``beside`` the other columns that are.

    Raises:
        RefusalError: no channel meets the target, and there is no evidence of what was tried.
    """
    if aim.is_searched:
        return _searched(asked, aim, sources, progress, beside)
    if aim.mechanism:
        return _best_mechanism(asked, aim, sources)
    return _designed(asked, aim, sources)


def choose_all(
    asked: Request,
    sources: Sources,
    public: Mapping[Secret, Chosen],
    choose_one: Callable[[Aim, Mapping[Secret, Chosen]], Choice],
) -> dict[Secret, Choice]:
    """How every secret will be released, beside ``public`` columns that go through channels; the first refusal is last.

    Each of several secrets that are searched for reveals a little about the others: those that are no longer protected
    enough once the others are chosen are searched for again. That takes more noise, which never harms the others.
    """
    chosen, choices = dict(public), dict[Secret, Choice]()

    def refuses(aim: Aim) -> bool:
        try:
            choice = choose_one(aim, chosen)
        except RefusalError as error:
            choice = Choice(error)
        choices[aim.columns] = choice
        if isinstance(choice.how, RefusalError):
            return True
        chosen[aim.columns] = choice.how
        return False

    if any(map(refuses, asked.aims)):
        return choices
    limits, searched = policy_of(asked.limits), [aim for aim in asked.aims if aim.is_searched]
    if len(searched) < 2 or asked.budget.accounted is not None or "min_protection" not in limits.given:
        return choices
    for _ in searched:
        plan = bind(plan_of(asked, chosen, sources), sources.original)
        going = Outgoing(sources.case, plan, asked.roles.public_through)
        short = [
            aim
            for aim in searched
            if dials_of(going.evidence(aim.columns)).protection.ends[0] < (limits.min_protection or 0.0)
        ]
        if not short or any(map(refuses, short)):
            break
    return choices


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


def possibilities(asked: Request, aim: Aim, sources: Sources) -> Frontier | None:
    """The frontiers with and without keeping shares; None where they cannot be computed.

    First the one on which a designed channel lies; a named mechanism keeps nothing.
    """
    question = replace(sources.question(asked, aim), local_dp=None)
    plain = question.problem(sources.table, Slope(0.0))
    nothing, shares = KeepOnTheWhole.NOTHING, KeepOnTheWhole.SHARES
    kept = nothing if aim.mechanism else KeepOnTheWhole(asked.limits.kept)
    problem = replace(plain, keep=kept)
    if not 2 <= len(plain.inputs) <= LETTERS or _cells(plain) > CELLS or _is_slow(problem):
        return None
    try:
        found = frontier(problem, CURVE, CURVE_GAP)
    except UnprovedError:
        # The curve is a picture; what is released does not need it.
        return None
    beside: Sequence[Solution] = ()
    with suppress(InputError, UnprovedError):
        # The other curve is optional: where it does not exist, one is enough.
        beside = frontier(replace(plain, keep=shares if kept is nothing else nothing), CURVE, CURVE_GAP)
    return as_frontier(found, question, beside)


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


def _designed(asked: Request, aim: Aim, sources: Sources) -> Choice:
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
        return Choice(_planned(f"randomized-response:epsilon={aim.local_dp!r}", asked, aim, sources))

    def evidence() -> SecretResults:
        compares = asked.budget.accounted is None and not _is_slow(solution.problem)
        return SecretResults(
            aim.columns,
            design=as_design(solution, origin, price_of_keeping(solution, question.gap)),
            comparison=_compared(question, sources, solution) if compares else None,
        )

    return Choice(Chosen(CHANNEL, replace(question.named(solution), prior_origin=origin)), evidence)


def require_affordable(asked: Request, sources: Sources) -> None:
    """Refuse to buy histograms if the known part of the whole cost does not fit the budget."""
    known = [one for aim in asked.aims for one in (asked.budget.accounted, aim.local_dp) if one is not None]
    if sources.ledger is not None and sources.dataset is not None:
        cost = Cost(tuple(step for epsilon in known for step in histogram_steps(epsilon)))
        sources.ledger.preview(sources.dataset, cost).require()


def _compared(question: Question, sources: Sources, chosen: Solution) -> Comparison | None:
    """The comparison with other mechanisms at the distortion of the chosen one; None where they cannot be compared."""
    plain, target = replace(question, local_dp=None), MaxDistortion(chosen.distortion)
    # Without a bound on ε the chosen channel is the optimum itself.
    bounded = None if question.local_dp is None else chosen.channel
    try:
        return comparison(sources.table, plain, (), target, CURVE_GAP, bounded=bounded)
    except (InputError, RefusalError, UnprovedError):
        # The comparison is optional: a secret without one is released all the same.
        return None


def _best_mechanism(asked: Request, aim: Aim, sources: Sources) -> Choice:
    """The best of the named mechanisms that meets the target; a single one without a target is taken as it is."""
    if aim.target is None:
        (text,) = aim.mechanism
        return Choice(_planned(text, asked, aim, sources))
    target = sources.target(aim)
    assert not isinstance(target, Slope)
    question = replace(sources.question(asked, aim), local_dp=None)
    found = comparison(sources.table, question, aim.mechanism, target, CURVE_GAP)
    evidence = partial(SecretResults, aim.columns, comparison=found)
    given = [one for one in found.ranking if one.role is Role.GIVEN]
    fit = [one for one in given if one.meets_target and (aim.local_dp is None or one.epsilon.value <= aim.local_dp)]
    if not fit:
        nearest = RefusalError(
            "None of {count} mechanisms meets the target; the nearest, {name!s}, leaks {bits:.4g} bits at a mean "
            "distortion of {distortion:.4g}; allow more, or let a channel be designed.",
            count=len(given),
            name=given[0].mechanism,
            bits=from_above(given[0].objective, 4),
            distortion=from_above(given[0].distortion.value, 4),
        )
        return Choice(nearest, evidence)
    return Choice(_planned(fit[0].mechanism, asked, aim, sources), evidence)


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
    beside: Mapping[Secret, Chosen],
) -> Choice:
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
    evidence = partial(SecretResults, aim.columns, improvement=stored(found))
    try:
        trial = found.search.require()
    except RefusalError as error:
        return Choice(error, evidence)
    if trial.channel is None:
        return Choice(_planned(str(trial.said), asked, aim, sources), evidence)
    named = _named(trial.channel, aim)
    named = replace(named, prior_origin=PriorOrigin.NOISY_HISTOGRAM) if bought else named
    return Choice(Chosen(CHANNEL, named), evidence)
