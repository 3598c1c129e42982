"""How secrets will be released: by a designed channel, the best of some mechanisms, or a setting that protects
enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

from leakgauge.artefacts import Comparison, Frontier
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dossier import SecretResults
from leakgauge.artefacts.request import Aim
from leakgauge.artefacts.scores import Scores
from leakgauge.assessment.outgoing import Outgoing, Secret, judge_settings
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.scores.usefulness import use_named
from leakgauge.assessment.search import Goal, HandedOut
from leakgauge.assessment.terms import policy_of
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Slope, Solution, frontier, solve
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
from leakgauge.release.estimates.handed_out import KitTerms
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.priors import histogram_steps
from leakgauge.rounding import from_above

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

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the amounts done and in all."""


@dataclass(frozen=True)
class Chosen:
    """How a secret is released, as a plan takes it; a ``noisy`` number may leave its bounds."""

    how: str | Mechanism | NamedChannel
    noisy: bool = False

    @property
    def channel(self) -> NamedChannel | None:
        """The channel; None of a mechanism with a spelling."""
        return self.how if isinstance(self.how, NamedChannel) else None


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


def plan_of(sources: Sources, chosen: Mapping[Secret, Chosen], *, learnt: Sequence[str] = ()) -> ReleasePlan:
    """The plan that releases every group of secrets; values or edges of ``learnt`` columns come from another table."""
    roles, limits = sources.asked.roles, sources.asked.limits
    columns = {name: one.how for group, one in chosen.items() for name in group}
    # A secret that is not chosen yet is not released, nor are its bins.
    bins = {name: how for name, how in sources.released_bins.items() if name in (*columns, *roles.public)}
    noisy = [name for group, one in chosen.items() for name in group if one.noisy]
    return ReleasePlan(
        columns,
        roles.public_as_is,
        bins,
        suppress_below=sources.asked.coarsening.suppress_below,
        suppress_unit=roles.unit,
        unit=None if roles.rows_per_unit is None else roles.unit,
        rows_per_unit=roles.rows_per_unit or 1,
        from_another_table=learnt,
        clamp=noisy if limits.clamp else (),
        unprotected=roles.public_through,
        keep_order=limits.keep_order,
        order_by=limits.order_by,
        noise=sources.noise,
    )


def seen_through(sources: Sources, chosen: Mapping[Secret, Chosen]) -> Sources:
    """The sources as the attacker sees them: of a public column with a channel only its output."""
    channels = {name: chosen[name,].channel for name in sources.asked.roles.public_through}
    return replace(sources, through={name: one.channel for name, one in channels.items() if one is not None})


def choose(sources: Sources, aim: Aim, progress: Progress, beside: Mapping[Secret, Chosen]) -> Choice:
    """How the secret will be released; a searched setting is judged ``beside`` the other columns that are.

    Raises:
        RefusalError: no channel meets the target, and there is no evidence of what was tried.
    """
    if aim.is_searched:
        return _searched(sources, aim, progress, beside)
    return _best_mechanism(sources, aim) if aim.mechanism else _designed(sources, aim)


def choose_all(
    sources: Sources, public: Mapping[Secret, Chosen], progress: Progress, known: dict[object, Any] | None = None
) -> dict[Secret, Choice]:
    """How every secret will be released, beside ``public`` columns that go through channels; the first refusal is last.

    Choices ``known`` from jobs that agree in all that they depend on are taken over, and new ones added to them.

    Each of several secrets that are searched for reveals a little about the others: those that are no longer protected
    enough once the others are chosen are searched for again. That takes more noise, which never harms the others.
    """
    asked, chosen, choices = sources.asked, dict(public), dict[Secret, Choice]()
    beside, made = beside_the_aims(sources), {} if known is None else known

    def refuses(aim: Aim) -> bool:
        try:
            # A setting that is searched for depends on all that is released beside it.
            choice = None if aim.is_searched else made.get((aim, beside))
            if choice is None:
                choice = choose(sources, aim, progress, chosen)
            if not aim.is_searched:
                made[aim, beside] = choice
        except RefusalError as error:
            choice = Choice(error)
        choices[aim.columns] = choice
        if isinstance(choice.how, RefusalError):
            return True
        chosen[aim.columns] = choice.how
        return False

    if any(map(refuses, asked.aims)):
        return choices
    limits, searched = policy_of(asked.limits, asked.declared), [aim for aim in asked.aims if aim.is_searched]
    if len(searched) < 2 or asked.budget.accounted is not None or "min_protection" not in limits.given:
        return choices
    for _ in searched:
        plan = bind(plan_of(sources, chosen), sources.original)
        going = Outgoing(sources.case, plan, asked.roles.public_through, asked.declared.ruled_out is not None)
        short = [aim for aim in searched if _is_unsafe(scores_of(going.evidence(aim.columns)), limits)]
        if not short or any(map(refuses, short)):
            break
    return choices


def _is_unsafe(scores: Scores, limits: Policy) -> bool:
    most = 100.0 if limits.max_surest is None else limits.max_surest
    return scores.protection.ends[0] < (limits.min_protection or 0.0) or scores.surest.ends[1] > most


def beside_the_aims(sources: Sources) -> str:
    """Everything a channel depends on except the aim of a secret: columns in their roles, bins, what is kept."""
    asked = sources.asked
    parts = (asked.roles, asked.limits, asked.coarsening, asked.reading, asked.budget)
    return repr((asked.table, parts, sorted(sources.bins.items())))


def require_designable(sources: Sources) -> None:
    """Refuse at the start a design that would take hours, or that bins alone make impossible.

    Raises:
        OptionError: a secret with more values than a channel is designed for, where no mechanism is named; clamping
            where nothing adds noise; a search for a setting that recipients cannot use.
        RefusalError: bins that alone move values by more than the error allowed.
    """
    asked = sources.asked
    # Whether a mechanism adds noise does not depend on its values.
    named = (text for aim in asked.aims for text in aim.mechanism if not text.endswith(".json"))
    if asked.limits.clamp and all(parse_mechanism(text, letters=("a", "b")).noise is None for text in named):
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


def possibilities(sources: Sources, aim: Aim) -> Frontier | None:
    """The frontiers with and without keeping shares; None where they cannot be computed.

    First the one on which a designed channel lies; a named mechanism keeps nothing.
    """
    question = replace(sources.question(aim), local_dp=None)
    plain = question.problem(sources.table, Slope(0.0))
    kept = Keep.NOTHING if aim.mechanism else Keep(sources.asked.limits.kept)
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
        other = Keep.SHARES if kept is Keep.NOTHING else Keep.NOTHING
        beside = frontier(replace(plain, keep=other), CURVE, CURVE_GAP)
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
    keeps = problem.keep is Keep.SHARES and problem.knowledge is Knowledge.ATTACKER
    return keeps and source.matrix.size > KEPT_CELLS


def _designed(sources: Sources, aim: Aim) -> Choice:
    question, table, origin = sources.question(aim), sources.table, PriorOrigin.THIS_TABLE
    accounted = sources.asked.budget.accounted
    if accounted is not None:
        # The histogram bought is of the secret alone, so the channel is designed as if nobody knew more.
        (secret,) = aim.columns
        table = noisy_table(table, secret, accounted, sources.ledger, sources.dataset)
        question = replace(question, background=(), knowledge=Knowledge.NOBODY)
        origin = PriorOrigin.NOISY_HISTOGRAM
    question = replace(question, keep=Keep(sources.asked.limits.kept))
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
        return Choice(_planned(f"randomized-response:epsilon={aim.local_dp!r}", sources, aim))

    def evidence() -> SecretResults:
        compares = accounted is None and not _is_slow(solution.problem)
        return SecretResults(
            aim.columns,
            design=as_design(solution, origin, price_of_keeping(solution, question.gap)),
            comparison=_compared(question, sources, solution) if compares else None,
        )

    return Choice(Chosen(replace(question.named(solution), prior_origin=origin)), evidence)


def require_affordable(sources: Sources) -> None:
    """Refuse to buy histograms if the known part of the whole cost does not fit the budget."""
    asked = sources.asked
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


def _best_mechanism(sources: Sources, aim: Aim) -> Choice:
    """The best of the named mechanisms that meets the target; a single one without a target is taken as it is."""
    if aim.target is None:
        (text,) = aim.mechanism
        return Choice(_planned(text, sources, aim))
    target = sources.target(aim)
    assert not isinstance(target, Slope)
    question = replace(sources.question(aim), local_dp=None)
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
    return Choice(_planned(fit[0].mechanism, sources, aim), evidence)


def _planned(text: str, sources: Sources, aim: Aim) -> Chosen:
    """A mechanism as a plan takes it: its values are those of the table, and the record says so."""
    problem = sources.question(aim).problem(sources.table, Slope(0.0))
    if text.endswith(".json"):
        return Chosen(read_channel(text))
    mechanism = parse_mechanism(text, letters=problem.inputs)
    if not mechanism.capabilities.columns:
        return Chosen(NamedChannel(finite_channel(text, problem), aim.columns, aim.columns, PriorOrigin.THIS_TABLE))
    if "letters" not in mechanism.parameters or "letters=" in text:
        return Chosen(text, noisy=mechanism.noise is not None)
    return Chosen(f"{text}{',' if ':' in text else ':'}letters=this-table")


def _searched(sources: Sources, aim: Aim, progress: Progress, beside: Mapping[Secret, Chosen]) -> Choice:
    """The most useful setting that protects as asked for, judged in the whole release."""
    asked, (secret,) = sources.asked, aim.columns
    limits, bought = policy_of(asked.limits, asked.declared), asked.budget.accounted is not None
    least, useful = (
        getattr(limits, name) if name in limits.given else None for name in ("min_protection", "min_usefulness")
    )
    goal = Goal(
        secret,
        min_protection=None if least is None else min(least, MOST_PROTECTION),
        min_usefulness=useful,
        max_epsilon=limits.max_epsilon,
        max_surest=limits.max_surest,
        max_lost=limits.max_lost,
        use=use_named(asked.limits.use),
        keep=Keep(asked.limits.kept),
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
        return bind(plan_of(sources, chosen), sources.original)

    judge = judge_settings(
        *(sources.case, aim.columns, goal.use, bound, asked.roles.public_through),
        ruled_out=asked.declared.ruled_out is not None,
        handed_out=KitTerms.of(asked),
    )
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
    if found.search.chosen is None and not {"max_surest", "max_lost"} & limits.given:
        # Limits of the default policy only colour the verdict and refuse nothing.
        found = searching(replace(goal, max_surest=None, max_lost=None))
    evidence = partial(SecretResults, aim.columns, improvement=stored(found))
    try:
        trial = found.search.require()
    except RefusalError as error:
        return Choice(error, evidence)
    if trial.channel is None:
        return Choice(_planned(str(trial.said), sources, aim), evidence)
    origin = PriorOrigin.NOISY_HISTOGRAM if bought else PriorOrigin.THIS_TABLE
    return Choice(Chosen(NamedChannel(trial.channel, aim.columns, aim.columns, origin)), evidence)
