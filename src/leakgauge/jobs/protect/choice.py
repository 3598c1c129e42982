"""How the secret will be released: a designed channel, the best of some mechanisms, or what meets a grade."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import msgspec

from leakgauge.artefacts import Request
from leakgauge.artefacts.assessment import parse_target
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.artefacts.design import Role
from leakgauge.assessment.candidates import COLUMN
from leakgauge.assessment.improvement import Trial
from leakgauge.design import Knowledge, MaxDistortion, MaxLeakage, Slope, Solution, frontier, solve
from leakgauge.design.solving import GAP
from leakgauge.errors import InputError, RefusalError
from leakgauge.jobs.compare import comparison, finite_channel
from leakgauge.jobs.design import Question, as_design, as_frontier
from leakgauge.jobs.improve import noisy_table, search, stored
from leakgauge.jobs.protect.sources import Sources
from leakgauge.mechanisms import parse_mechanism
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import ReleasePlan
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.priors import histogram_steps
from leakgauge.tables import Table

CURVE = 25
"""Points of the frontier."""
LETTERS = 64
CELLS = 1 << 17
"""Secrets with more letters, or more letters × backgrounds, get no frontier: it would take longer than all the rest."""
BOUNDED_GAP = 1e-6
"""In nats: beside a bound on ratios the last digits take far longer than the first."""
CURVE_GAP = 1e-5
"""In nats: closer than anybody could see in a picture."""
TELLS_NOTHING = 1e-9
"""In bits: a channel with less releases nothing."""

Keep = Callable[[str, msgspec.Struct], None]
"""Writes an artefact at once: what was tried must be there where the answer is no."""


@dataclass(frozen=True)
class Chosen:
    """How the secret is released: a mechanism as its plan says it, or the name of a channel file and the channel."""

    plan: str
    channel: NamedChannel | None = None

    def plan_of(self, asked: Request) -> ReleasePlan:
        """The plan."""
        return ReleasePlan({asked.secret: self.channel or self.plan}, asked.public, _bins(asked))

    def plan_text(self, asked: Request) -> str:
        """The same as TOML, with the channel in its own file."""
        public, bins = ", ".join(map(_quoted, asked.public)), _bins(asked)
        tables = [f"public = [{public}]\n", _table("columns", {asked.secret: self.plan})]
        return "\n".join([*tables, _table("bins", bins)] if bins else tables)


def _bins(asked: Request) -> dict[str, str]:
    """How the released columns are binned."""
    bins = {column: how for column, _, how in (text.rpartition("=") for text in asked.bins)}
    return {name: bins[name] for name in asked.released if name in bins}


def _table(name: str, lines: Mapping[str, str]) -> str:
    return "".join([f"[{name}]\n", *(f"{_quoted(key)} = {_quoted(value)}\n" for key, value in lines.items())])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def choose(asked: Request, sources: Sources, progress: Callable[[int, int], None], keep: Keep) -> Chosen:
    """How the secret will be released; what the choice rests on is kept.

    Raises:
        RefusalError: nothing meets the target; the message says how close one can come.
    """
    if asked.target is not None:
        return _by_grade(asked, sources, progress, keep)
    if asked.mechanism:
        return _best_mechanism(asked, sources, keep)
    return _designed(asked, sources, keep)


def keep_possibilities(asked: Request, sources: Sources, keep: Keep) -> None:
    """Keep what is possible at all: the frontier, where it can be computed."""
    question = replace(sources.question(asked), local_dp=None)
    problem = question.problem(sources.table, Slope(0.0))
    backgrounds = len(problem.source.columns) if asked.background else 1  # type: ignore[union-attr]
    if not 2 <= len(problem.inputs) <= LETTERS or len(problem.inputs) ** 2 * backgrounds > CELLS:
        return
    keep("frontier.json", as_frontier(frontier(problem, CURVE, CURVE_GAP)))


def _designed(asked: Request, sources: Sources, keep: Keep) -> Chosen:
    question, table, origin = sources.question(asked), sources.table, PriorOrigin.THIS_TABLE
    if asked.accounted is not None:
        _require_affordable(asked, sources)
        # What is bought is a histogram of the secret alone, so the channel is designed as if nobody knew more.
        table = noisy_table(table, asked.secret, asked.accounted, sources.ledger, sources.dataset)
        question = replace(question, background=(), knowledge=Knowledge.NOBODY)
        origin = PriorOrigin.NOISY_HISTOGRAM
    solution = _solved(asked, question, table)
    if asked.max_distortion is None and asked.max_leakage is None and solution.leakage < TELLS_NOTHING:
        # Where one value is common and ε small, always releasing that value is least often wrong, and useless.
        return _planned(f"randomized-response:epsilon={asked.local_dp!r}", asked, sources)
    named = replace(question.named(solution), prior_origin=origin)
    keep("design.json", as_design(solution, origin))
    if asked.accounted is None:
        _keep_comparison(question, sources, solution.distortion, keep)
    return Chosen("channel.json", named)


def _require_affordable(asked: Request, sources: Sources) -> None:
    """Refuse to buy a histogram where what is known of the whole cost does not fit the budget."""
    known = [one for one in (asked.accounted, asked.local_dp) if one is not None]
    if sources.ledger is not None and sources.dataset is not None:
        cost = Cost(tuple(step for epsilon in known for step in histogram_steps(epsilon)))
        sources.ledger.preview(sources.dataset, cost).require()


def _solved(asked: Request, question: Question, table: Table) -> Solution:
    gap = GAP if asked.local_dp is None else BOUNDED_GAP
    if asked.max_distortion is not None:
        return solve(question.problem(table, MaxDistortion(asked.max_distortion)), gap)
    if asked.max_leakage is not None:
        return solve(question.problem(table, MaxLeakage(asked.max_leakage)), gap)
    # Of all channels that keep the bound the one of least distortion.
    return solve(question.problem(table, Slope(math.inf)), gap)


def _keep_comparison(question: Question, sources: Sources, distortion: float, keep: Keep) -> None:
    """Keep other mechanisms at the distortion of the one that was chosen, where they can be compared."""
    plain = replace(question, local_dp=None)
    try:
        found = comparison(sources.table, plain, (), MaxDistortion(distortion), CURVE_GAP)
    except (InputError, RefusalError):
        # The comparison is a companion: a secret for which there is none is released all the same.
        return
    keep("comparison.json", found)


def _best_mechanism(asked: Request, sources: Sources, keep: Keep) -> Chosen:
    """The best of the named mechanisms that meets the target; one alone without a target is taken as it is."""
    if asked.max_distortion is None and asked.max_leakage is None:
        (text,) = asked.mechanism
        return _planned(text, asked, sources)
    target = (
        MaxDistortion(asked.max_distortion) if asked.max_distortion is not None else MaxLeakage(asked.max_leakage or 0)
    )
    question = replace(sources.question(asked), local_dp=None)
    found = comparison(sources.table, question, asked.mechanism, target, CURVE_GAP)
    keep("comparison.json", found)
    given = [one for one in found.ranking if one.role is Role.GIVEN]
    fit = [one for one in given if one.meets_target and (asked.local_dp is None or one.epsilon.value <= asked.local_dp)]
    if not fit:
        raise RefusalError(
            "None of {count} mechanisms meets the target; the nearest, {name!s}, leaks {bits:.4g} bits at a mean "
            "distortion of {distortion:.4g}; allow more, or let a channel be designed.",
            count=len(given),
            name=given[0].mechanism,
            bits=given[0].objective,
            distortion=given[0].distortion.value,
        )
    return _planned(fit[0].mechanism, asked, sources)


def _planned(text: str, asked: Request, sources: Sources) -> Chosen:
    """A mechanism as a plan takes it: its letters are the table's, which the record then says."""
    question = sources.question(asked)
    problem = question.problem(sources.table, Slope(0.0))
    if text.endswith(".json"):
        return Chosen("channel.json", read_channel(text))
    mechanism = parse_mechanism(text, letters=problem.inputs)
    if not mechanism.capabilities.columns:
        channel = finite_channel(text, problem)
        return Chosen("channel.json", _named(channel, asked))
    if mechanism.letters is None or "letters=" in text:
        return Chosen(text)
    return Chosen(f"{text}{',' if ':' in text else ':'}letters=this-table")


def _named(channel: Channel, asked: Request) -> NamedChannel:
    return NamedChannel(channel, (asked.secret,), (asked.secret,), PriorOrigin.THIS_TABLE)


def _by_grade(asked: Request, sources: Sources, progress: Callable[[int, int], None], keep: Keep) -> Chosen:
    assert asked.target is not None
    found = search(
        sources.table,
        asked.secret,
        parse_target(asked.target),
        sources.diagram,
        lower=asked.lower,
        upper=asked.upper,
        questionnaire=sources.questionnaire,
        accounted=asked.accounted,
        ledger=sources.ledger,
        dataset=sources.dataset,
        progress=progress,
    )
    keep("improvement.json", stored(found, asked.secret))
    found.improvement.require()
    trial = _column_trial(found.improvement.chosen, found.improvement.trials)
    channel = trial.candidate.designed
    if channel is None:
        return _planned(str(trial.candidate.name), asked, sources)
    named = _named(channel, asked)
    bought = asked.accounted is not None
    return Chosen("channel.json", replace(named, prior_origin=PriorOrigin.NOISY_HISTOGRAM) if bought else named)


def _column_trial(chosen: Trial | None, trials: tuple[Trial, ...]) -> Trial:
    """The setting that is released: one that keeps a row a row."""
    assert chosen is not None
    if chosen.candidate.form == COLUMN:
        return chosen
    fit = [one for one in trials if one.meets and one.candidate.form == COLUMN]
    if not fit:
        raise RefusalError(
            "What meets the target is {name} ({form}), which is not a table of the same rows; ask `leakgauge query` "
            "for it, or lower the target.",
            name=chosen.candidate.name,
            form=chosen.candidate.form,
        )
    return max(fit, key=lambda one: min(one.assessment.privacy or 0.0, one.assessment.utility or 0.0))
