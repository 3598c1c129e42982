"""The verdict on a protect job: on its release, and on the same job with other settings before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
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
from leakgauge.case.earlier import EarlierChannel
from leakgauge.design import Keep, MaxDistortion
from leakgauge.design.keeping import keeps_shares
from leakgauge.errors import EngineError, InputError, RefusalError
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.compare import comparison
from leakgauge.jobs.protect.choice import CURVE_GAP, Chosen, beside_the_aims, choose_all, plan_of, seen_through
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.protect.telling import least_telling
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
        earlier: the earlier releases of each secret, which count for every setting.
    """

    table: Table
    policy: DialPolicy = DEFAULT_POLICY
    learnt: dict[object, Any] = field(default_factory=dict, repr=False)
    known: dict[object, Any] = field(default_factory=dict, repr=False)
    earlier: Mapping[Secret, tuple[EarlierChannel, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", remembered(self.table))

    def drawn(self, asked: Request, release: Release, audit: Audit, accusing: Audit | None = None) -> Judgement:
        """The verdict on a release that was drawn."""
        with ExitStack() as opened:
            return self.of_release(self._sources(asked, opened), release, audit, accusing)

    def of_release(self, sources: Sources, release: Release, audit: Audit, accusing: Audit | None = None) -> Judgement:
        """The same for a job whose sources are open."""
        terms, secrets = Terms.of(sources.asked, self.policy), sources.asked.roles.sources
        efficiency = _efficiency(sources, plan_of_record(release.record, release.record_file).columns)
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
                sources = self._sources(asked, opened)
                plan = rehearsed(sources, self.known)
                found = self.known[key, budgets] = self._of_bound(sources, plan, terms, budgets)
        evidence, facts = found
        return judgement(evidence, terms, facts)

    def _of_bound(
        self, sources: Sources, plan: ReleasePlan, terms: Terms, budgets: bool
    ) -> tuple[dict[Secret, DialEvidence], ReleaseFacts]:
        going = Outgoing(sources.case, bind(plan, self.table), sources.asked.roles.public_through)
        evidence = {secret: going.evidence(secret, terms.use) for secret in sources.asked.roles.sources}
        return evidence, facts_of(going, terms, evidence, budgets=budgets)

    def of_plan(self, sources: Sources, plan: ReleasePlan) -> Judgement:
        """The same for a job whose sources are open and whose mechanisms are known."""
        terms = Terms.of(sources.asked, self.policy)
        evidence, facts = self._of_bound(sources, plan, terms, budgets=True)
        return judgement(evidence, terms, facts)

    def _sources(self, asked: Request, opened: ExitStack) -> Sources:
        # Nothing is spent here, so no ledger is opened.
        free = structs.replace(asked, budget=Budget(simulate=asked.budget.simulate))
        settled = free if free.coarsening.min_k is None else choose_levels(free, self.table)[0]
        return open_sources(settled, self.table, opened, memory=self.learnt).having_earlier(self.earlier)


def rehearsed(sources: Sources, known: dict[object, Any]) -> ReleasePlan:
    """The plan of a job, without the files stored beside it; channels ``known`` for an equivalent job are reused."""
    public, beside = dict[Secret, Chosen](), beside_the_aims(sources)
    for name in sources.asked.roles.public_through:
        if (name, beside) not in known:
            question, best = least_telling(sources, name)
            known[name, beside] = Chosen(question.named(best))
        public[name,] = known[name, beside]
    choices = choose_all(seen_through(sources, public), public, lambda done, of: None, known)
    return plan_of(sources, public | {secret: one.require() for secret, one in choices.items()})


def _efficiency(sources: Sources, columns: Sequence[BoundColumn]) -> dict[Secret, tuple[float, float]]:
    """For each secret, the bits that the best channel with the same distortion reveals, and its own, where known.

    A channel that was designed without a bound on ε is the best one.
    """
    found = dict[Secret, tuple[float, float]]()
    for aim in sources.asked.aims:
        if not aim.mechanism and not aim.is_searched and aim.local_dp is None:
            found[aim.columns] = (1.0, 1.0)
            continue
        own = next((one for one in columns if one.reads == aim.columns), None)
        if own is not None and own.channel is not None and own.mechanism.sets is None:
            with suppress(InputError, RefusalError, EngineError):
                found[aim.columns] = _beside_the_best(sources, aim, own.channel.channel)
    return found


def _beside_the_best(sources: Sources, aim: Aim, own: Channel) -> tuple[float, float]:
    (letters,) = sources.table.group_sizes([aim.columns])
    if letters.groups > MOST_COMPARED:
        raise RefusalError("{count} values are too many for a comparison with the best channel.", count=letters.groups)
    question = replace(sources.question(aim), local_dp=None)
    problem = question.problem(sources.table, ANY_DISTORTION)
    if own.inputs == problem.inputs and keeps_shares(own, problem.prior):
        # A channel that keeps the shares is compared with the best one that keeps them.
        question = replace(question, keep=Keep.SHARES)
    compared = comparison(sources.table, question, (), ANY_DISTORTION, CURVE_GAP, bounded=own)
    this = next(one for one in compared.ranking if one.role is Role.DESIGNED)
    floor = 0.0 if compared.background_floor is None else compared.background_floor.value
    told = max(this.objective - floor, 0.0)
    return max(told - this.waste.value, 0.0), told
