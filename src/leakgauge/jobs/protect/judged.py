"""The verdict on a protect job: on its release, and on the same job with other settings before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Audit, Request
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dials import DialEvidence
from leakgauge.artefacts.request import Aim, Budget
from leakgauge.artefacts.verdict import Judgement, ReleaseFacts
from leakgauge.assessment.dials.policy import DialPolicy
from leakgauge.assessment.judging import DEFAULT_POLICY, Secret, Terms, facts_of, judge, judgement
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.design import Keep, MaxDistortion
from leakgauge.design.keeping import keeps_shares
from leakgauge.errors import EngineError, InputError, RefusalError
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.compare import comparison
from leakgauge.jobs.protect.choice import CHANNEL, CURVE_GAP, Choice, Chosen, choose, choose_all, plan_of, seen_through
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.protect.telling import solved_least_telling
from leakgauge.probability import Channel
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.bound import BoundColumn, bind
from leakgauge.release.recorded_plan import plan_of as plan_of_record
from leakgauge.tables import Table
from leakgauge.tables.remembered import remembered

MOST_COMPARED = 64
"""The most values of a secret for which a named mechanism is compared with the best channel."""
ANY_DISTORTION = MaxDistortion(1.0)


@dataclass(frozen=True, eq=False)
class Judging:
    """A job on an open table; settings are judged in turn and share what was learnt from the table.

    Attributes:
        table: its counts are made once for all settings.
        policy: limits of the dials.
        learnt: models of columns that are too many to count.
        known: designed channels and results of settings, by everything they depend on.
    """

    table: Table
    policy: DialPolicy = DEFAULT_POLICY
    learnt: dict[object, Any] = field(default_factory=dict, repr=False)
    known: dict[object, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", remembered(self.table))

    def drawn(self, asked: Request, release: Release, audit: Audit, accusing: Audit | None = None) -> Judgement:
        """The verdict on a release that was drawn."""
        with ExitStack() as opened:
            settled, sources = self._sources(asked, opened)
            return self.of_release(settled, sources, release, audit, accusing)

    def of_release(
        self, settled: Request, sources: Sources, release: Release, audit: Audit, accusing: Audit | None = None
    ) -> Judgement:
        """The same for a job whose levels are chosen and whose sources are open."""
        terms = Terms.of(settled, self.policy)
        efficiency = _efficiency(settled, sources, plan_of_record(release.record, release.record_file).columns)
        secrets = settled.roles.sources
        return judge(release, sources.case, audit, terms, secrets=secrets, efficiency=efficiency, accusing=accusing)

    def before(self, asked: Request, *, budgets: bool = True) -> Judgement:
        """The verdict on a job by its law, before anything is drawn or spent.

        Args:
            asked: the job.
            budgets: whether ε and δ of all columns together are wanted; they take long, and only some policies limit
            them.

        Raises:
            InputError, RefusalError, EngineError: as for the job itself, if nothing meets the request.
        """
        terms, key = Terms.of(asked, self.policy), tuple(asked.arguments())
        found = self.known.get((key, True)) or self.known.get((key, budgets))
        if found is None:
            with ExitStack() as opened:
                settled, sources = self._sources(asked, opened)
                plan = rehearsed(settled, sources, self.known)
                found = self.known[key, budgets] = self._of_bound(settled, sources, plan, terms, budgets)
        evidence, facts = found
        return judgement(evidence, terms, facts)

    def _of_bound(
        self, settled: Request, sources: Sources, plan: ReleasePlan, terms: Terms, budgets: bool
    ) -> tuple[dict[Secret, DialEvidence], ReleaseFacts]:
        going = Outgoing(sources.case, bind(plan, self.table), settled.roles.public_through)
        evidence = {secret: going.evidence(secret, terms.use) for secret in settled.roles.sources}
        return evidence, facts_of(going, terms, evidence, budgets=budgets)

    def of_plan(self, settled: Request, sources: Sources, plan: ReleasePlan) -> Judgement:
        """The same for a job whose levels are chosen, whose sources are open and whose mechanisms are known."""
        terms = Terms.of(settled, self.policy)
        evidence, facts = self._of_bound(settled, sources, plan, terms, budgets=True)
        return judgement(evidence, terms, facts)

    def _sources(self, asked: Request, opened: ExitStack) -> tuple[Request, Sources]:
        # Nothing is spent here, so no ledger is opened.
        free = structs.replace(asked, budget=Budget(simulate=asked.budget.simulate))
        settled = free if free.coarsening.min_k is None else choose_levels(free, self.table, lambda done, of: None)[0]
        return settled, open_sources(settled, self.table, opened, memory=self.learnt)


def rehearsed(asked: Request, sources: Sources, designed: dict[object, Any] | None = None) -> ReleasePlan:
    """The plan of a job, without the files stored beside it.

    Channels ``designed`` for an equivalent job are reused.
    """
    return plan_of(asked, _chosen(asked, sources, {} if designed is None else designed), sources)


def _chosen(asked: Request, sources: Sources, known: dict[object, Any]) -> dict[Secret, Chosen]:
    """How every column of a job is released."""
    shared = _beside_the_aims(asked, sources)

    def once(of: object, make: Callable[[], Choice]) -> Choice:
        if (of, shared) not in known:
            known[of, shared] = make()
        found: Choice = known[of, shared]
        return found

    def telling_least(name: str) -> Choice:
        question, best = solved_least_telling(asked, sources, name)
        return Choice(Chosen(CHANNEL, question.named(best)))

    public: dict[Secret, Chosen] = {
        (name,): once(name, partial(telling_least, name)).require() for name in asked.roles.public_through
    }
    seeing = seen_through(sources, asked, public)

    def choose_one(aim: Aim, beside: Mapping[Secret, Chosen]) -> Choice:
        made = partial(choose, asked, aim, seeing, lambda done, of: None, beside)
        # A setting that is searched for depends on all that is released beside it.
        return made() if aim.is_searched else once(aim, made)

    choices = choose_all(asked, seeing, public, choose_one)
    return public | {secret: one.require() for secret, one in choices.items()}


def _beside_the_aims(asked: Request, sources: Sources) -> str:
    """Everything a channel depends on except the aim of a secret: columns in their roles, bins, what is kept."""
    parts = (asked.roles, asked.limits, asked.coarsening, asked.reading, asked.budget)
    return repr((asked.table, parts, sorted(sources.bins.items())))


def _efficiency(asked: Request, sources: Sources, columns: Sequence[BoundColumn]) -> dict[Secret, tuple[float, float]]:
    """For each secret, the bits that the best channel with the same distortion reveals, and its own, where known.

    A channel that was designed without a bound on ε is the best one.
    """
    found = dict[Secret, tuple[float, float]]()
    for aim in asked.aims:
        if not aim.mechanism and not aim.is_searched and aim.local_dp is None:
            found[aim.columns] = (1.0, 1.0)
            continue
        own = next((one for one in columns if one.reads == aim.columns), None)
        if own is not None and own.channel is not None and own.mechanism.sets is None:
            with suppress(InputError, RefusalError, EngineError):
                found[aim.columns] = _beside_the_best(asked, aim, sources, own.channel.channel)
    return found


def _beside_the_best(asked: Request, aim: Aim, sources: Sources, own: Channel) -> tuple[float, float]:
    (letters,) = sources.table.group_sizes([aim.columns])
    if letters.groups > MOST_COMPARED:
        raise RefusalError("{count} values are too many for a comparison with the best channel.", count=letters.groups)
    question = replace(sources.question(asked, aim), local_dp=None)
    problem = question.problem(sources.table, ANY_DISTORTION)
    if own.inputs == problem.inputs and keeps_shares(own, problem.prior):
        # A channel that keeps the shares is compared with the best one that keeps them.
        question = replace(question, keep=Keep.SHARES)
    compared = comparison(sources.table, question, (), ANY_DISTORTION, CURVE_GAP, bounded=own)
    this = next(one for one in compared.ranking if one.role is Role.DESIGNED)
    floor = 0.0 if compared.background_floor is None else compared.background_floor.value
    told = max(this.objective - floor, 0.0)
    return max(told - this.waste.value, 0.0), told
