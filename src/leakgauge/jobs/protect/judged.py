"""The verdict on a protect job: on its release, and on the same job with other settings before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Audit, Request
from leakgauge.artefacts.request import Budget
from leakgauge.artefacts.scores import ScoreEvidence, Scores, Statistic, share
from leakgauge.artefacts.verdict import Judgement, ReleaseFacts
from leakgauge.assessment.facts import facts_of
from leakgauge.assessment.judging import judge, judgement
from leakgauge.assessment.outgoing import Outgoing, Secret
from leakgauge.assessment.risks import with_risks
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.terms import DEFAULT_POLICY, Terms
from leakgauge.case.earlier import EarlierChannel
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.protect.choice import Chosen, beside_the_aims, choose_all, plan_of, seen_through
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.protect.telling import least_telling
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.release.estimates.handed_out import KitTerms
from leakgauge.tables import Table
from leakgauge.tables.remembered import remembered


@dataclass(frozen=True, eq=False)
class Judging:
    """A job on an open table; settings are judged in turn and share what was learnt from the table.

    Attributes:
        table: its counts are made once for all settings.
        policy: limits of the scores.
        learnt: models of columns that are too many to count.
        known: designed channels and results of settings, by everything they depend on.
        earlier: the earlier releases of each secret, which count for every setting.
    """

    table: Table
    policy: Policy = DEFAULT_POLICY
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
        return judge(release, sources.case, audit, terms, secrets=secrets, accusing=accusing)

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
    ) -> tuple[dict[Secret, ScoreEvidence], ReleaseFacts]:
        going = self._going(sources, plan)
        evidence = {secret: going.evidence(secret, terms.use) for secret in sources.asked.roles.sources}
        return evidence, facts_of(going, terms, evidence, budgets=budgets)

    def of_plan(self, sources: Sources, plan: ReleasePlan) -> Judgement:
        """The same for a job whose sources are open and whose mechanisms are known."""
        terms = Terms.of(sources.asked, self.policy)
        evidence, facts = self._of_bound(sources, plan, terms, budgets=True)
        return with_risks(judgement(evidence, terms, facts), self._going(sources, plan), self.policy)

    def withheld(self, sources: Sources, plan: ReleasePlan, secret: Secret) -> Scores:
        """The scores of a secret if everything but that secret were released."""
        going = self._going(sources, plan)
        others = tuple(one for one in going.plan.columns if one != going.plan.hiding(secret))
        left = replace(going, plan=replace(going.plan, columns=others), _laws={})
        nothing = (Statistic(worth=share(0.0)),)
        return scores_of(structs.replace(left.evidence(secret), statistics=nothing))

    def _going(self, sources: Sources, plan: ReleasePlan) -> Outgoing:
        ruled_out = sources.asked.declared.ruled_out is not None
        terms = KitTerms.of(sources.asked)
        return Outgoing(sources.case, bind(plan, self.table), sources.asked.roles.public_through, ruled_out, terms)

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
