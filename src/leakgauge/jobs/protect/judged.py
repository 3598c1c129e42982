"""The verdict on a protect job: on its release, and on the same job with other settings before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from leakgauge.artefacts import Audit, Job, Request, codec
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.dials import DialEvidence
from leakgauge.artefacts.request import Aim
from leakgauge.artefacts.verdict import Judgement, ReleaseFacts
from leakgauge.assessment.dials import DialPolicy
from leakgauge.assessment.outgoing import Outgoing, Use
from leakgauge.design import MaxDistortion
from leakgauge.errors import EngineError, InputError, RefusalError
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.compare import comparison
from leakgauge.jobs.judge import DEFAULT_POLICY, Secret, Terms, facts_of, judge, judgement
from leakgauge.jobs.protect.choice import CHANNEL, CURVE_GAP, Chosen, choose, plan_of
from leakgauge.jobs.protect.sources import Sources, open_sources
from leakgauge.jobs.protect.telling import solved_least_telling
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.tables import Binning, Table, in_bins, open_table
from leakgauge.tables.remembered import remembered

MOST_COMPARED = 64
"""Values of a secret up to which the best channel is looked for beside a mechanism that is named."""
ANY_DISTORTION = MaxDistortion(1.0)
OF_ONE_SECRET = ("max_distortion", "max_leakage", "local_dp", "within", "mechanism", "distortion")
"""Fields of a request that an ``Aim`` has for each secret."""


@dataclass(frozen=True, eq=False)
class Judging:
    """A job on an open table; settings are judged one after the other, and share what was learnt of the table.

    Attributes:
        table: whose counts are made once for all settings.
        policy: limits of the dials.
        use: what the release is for.
        learnt: of columns that are too many to count.
        known: channels that were designed, and what was found of settings, each by all that it depends on.
    """

    table: Table
    policy: DialPolicy = DEFAULT_POLICY
    use: Use = Use.STATISTICS
    learnt: dict[object, Any] = field(default_factory=dict, repr=False)
    known: dict[object, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", remembered(self.table))

    def drawn(self, asked: Request, release: Release, audit: Audit, accusing: Audit | None = None) -> Judgement:
        """The verdict on a release that was drawn."""
        with ExitStack() as opened:
            settled, sources = self._sources(asked, opened)
            return judge(
                release,
                self.table,
                audit,
                terms=Terms.of(asked, self.policy, self.use),
                secrets=settled.groups,
                withheld=settled.withhold,
                background=settled.background,
                bins=_not_released(settled, sources),
                unit=settled.unit,
                efficiency=_efficiency(settled, sources),
                accusing=accusing,
                learnt=self.learnt,
            )

    def before(self, asked: Request, *, budgets: bool = True) -> Judgement:
        """The verdict on a job by its law, before anything is drawn or spent.

        Args:
            asked: the job.
            budgets: whether ε and δ of all columns together are wanted; they take long, and only a policy that limits
                them asks for them.

        Raises:
            InputError, RefusalError, EngineError: as of the job itself, where nothing meets what is asked.
        """
        terms = Terms.of(asked, self.policy, self.use)
        key = (tuple(asked.arguments()), self.use)
        found = self.known.get((*key, True)) or self.known.get((*key, budgets))
        if found is None:
            found = self.known[*key, budgets] = self._by_law(asked, terms, budgets)
        evidence, facts = found
        return judgement(evidence, terms, facts)

    def _by_law(self, asked: Request, terms: Terms, budgets: bool) -> tuple[dict[Secret, DialEvidence], ReleaseFacts]:
        with ExitStack() as opened:
            settled, sources = self._sources(asked, opened)
            bound = bind(rehearsed(settled, sources, self.known), self.table)
            table = in_bins(bound.table, _not_released(settled, sources))
            going = Outgoing(
                *(bound, table, settled.background, settled.unit, settled.public_through, settled.confidence),
                self.learnt,
            )
            evidence = {secret: going.evidence(secret, self.use) for secret in settled.sources}
            return evidence, facts_of(going, terms, evidence, budgets=budgets)

    def _sources(self, asked: Request, opened: ExitStack) -> tuple[Request, Sources]:
        # Nothing is spent here, so that no ledger is opened.
        free = structs.replace(asked, ledger=None, dataset=None, accounted=None)
        settled = free if free.min_k is None else choose_levels(free, self.table, lambda done, of: None)[0]
        return settled, open_sources(settled, self.table, opened)


def judge_job(folder: Path | str, *, policy: DialPolicy = DEFAULT_POLICY, use: str | Use = Use.STATISTICS) -> Judgement:
    """The verdict on a finished job by what lies in its folder, and the table that it names."""
    place = Path(folder)
    asked = codec.read(Job, place / "job.json").asked
    with open_table(asked.table, **asked.reading) as table:
        judging = Judging(table, policy, Use(use))
        return judging.drawn(asked, Release.read(place / "release.json"), codec.read(Audit, place / "audit.json"))


def rehearsed(asked: Request, sources: Sources, designed: dict[object, Any] | None = None) -> ReleasePlan:
    """The plan that a job would release by, without what it keeps beside it.

    Channels that were ``designed`` for a job that agrees in all that they depend on are taken from there.
    """
    known = {} if designed is None else designed
    shared = _beside_the_aims(asked, sources)

    def once(of: object, make: Callable[[], Chosen]) -> Chosen:
        if (of, shared) not in known:
            known[of, shared] = make()
        found: Chosen = known[of, shared]
        return found

    def telling_least(name: str) -> Chosen:
        question, best = solved_least_telling(asked, sources, name)
        return Chosen(CHANNEL, question.named(best))

    chosen: dict[Secret, Chosen] = {(name,): once(name, partial(telling_least, name)) for name in asked.public_through}
    through = {group[0]: one.channel.channel for group, one in chosen.items() if one.channel is not None}
    seeing = replace(sources, through=through)
    for aim in map(seeing.allowing, asked.aims):
        chosen[aim.columns] = once(aim, partial(choose, asked, aim, seeing, lambda done, of: None, None))
    return plan_of(asked, chosen, sources)


def _beside_the_aims(asked: Request, sources: Sources) -> str:
    """All that a channel depends on but what is asked of a secret: columns in their roles, bins, what is kept."""
    fields = [getattr(asked, name) for name in asked.__struct_fields__ if name not in OF_ONE_SECRET]
    return repr((fields, sorted(sources.bins.items())))


def _not_released(asked: Request, sources: Sources) -> Mapping[str, Binning]:
    """The bins of columns that are known or withheld."""
    return {name: how for name, how in sources.bins.items() if name not in asked.released}


def _efficiency(asked: Request, sources: Sources) -> dict[Secret, tuple[float, float]]:
    """Of each secret the bits that the best channel for the same use tells, and those of its own; where they are known.

    A channel that was designed without a bound on ε is the best one.
    """
    found = dict[Secret, tuple[float, float]]()
    for aim in asked.aims:
        if not aim.mechanism and aim.local_dp is None:
            found[aim.columns] = (1.0, 1.0)
        elif len(aim.mechanism) == 1 and not aim.mechanism[0].endswith(".json"):
            with suppress(InputError, RefusalError, EngineError):
                found[aim.columns] = _beside_the_best(asked, aim, sources)
    return found


def _beside_the_best(asked: Request, aim: Aim, sources: Sources) -> tuple[float, float]:
    (letters,) = sources.table.group_sizes([aim.columns])
    if letters.groups > MOST_COMPARED:
        raise RefusalError("{count} values are too many to be compared with the best channel.", count=letters.groups)
    question = replace(sources.question(asked, aim), local_dp=None)
    compared = comparison(sources.table, question, aim.mechanism, ANY_DISTORTION, CURVE_GAP)
    own = next(one for one in compared.ranking if one.role is Role.GIVEN)
    floor = 0.0 if compared.background_floor is None else compared.background_floor.value
    told = max(own.objective - floor, 0.0)
    return max(told - own.waste.value, 0.0), told
