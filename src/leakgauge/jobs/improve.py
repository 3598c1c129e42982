"""Improve: the most useful setting that protects enough, searched on a table or on a noisy histogram of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from msgspec.structs import asdict

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.improvement import StoredImprovement, TriedSetting, TriedStage, WholeSetting
from leakgauge.artefacts.request import FRAME
from leakgauge.artefacts.request.verbs import ImproveOptions, Improving
from leakgauge.assessment.outgoing import judge_settings
from leakgauge.assessment.scores.usefulness import use_named
from leakgauge.assessment.search import Goal, HandedOut, Search, Trial, searched
from leakgauge.assessment.search.column import MOST_LETTERS
from leakgauge.assessment.search.searching import Judge
from leakgauge.case import Case
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, OptionError
from leakgauge.jobs.query import ask, preview
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Channel, Estimate, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release import Release, ReleasePlan
from leakgauge.release.bound import BoundPlan, bind
from leakgauge.release.ledger import Ledger, open_ledger
from leakgauge.release.ledger.account import default_dataset
from leakgauge.release.queries import Histogram, Protection
from leakgauge.release.queries.labels import label_text, shown
from leakgauge.release.recorded_plan import plan_of
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table, open_table
from leakgauge.tables.reading import reading_of
from leakgauge.tables.remembered import remembered

FROM_THE_TABLE = Sentence(
    "The setting was chosen with this table's exact counts; no privacy budget covers that choice. The "
    "search itself released nothing and used no budget."
)
FEWEST_ROWS, MOST_ROWS = 1000, 100_000
"""Rows of the table that represents a noisy histogram: noise of a tiny ε would make it huge, or too small to search."""


@dataclass(frozen=True)
class Improvement:
    """The result of a search, and a sentence on which counts it used."""

    goal: Goal
    search: Search
    learned_from: Sentence

    def require(self) -> Trial:
        """The chosen setting.

        Raises:
            RefusalError: no setting keeps the limits; the message says how close the best came.
        """
        return self.search.require()

    def _repr_html_(self) -> str:
        return notebook.shown(stored(self))


@checked
def improve(
    table: object, *, progress: Callable[[int, int], None] | None = None, **options: Unpack[ImproveOptions]
) -> Improvement:
    """The most useful setting that protects enough; without ``min_protection``, the most protective useful one.

    Parameters are changed first, then the mechanism, then the form of the data. Every setting is judged by its law.

    Args:
        table: a path or a frame, as ``open_table`` takes it.
        secret: the column to protect.
        min_protection: from 0 to 100.
        min_usefulness: from 0 to 100.
        max_epsilon: that the mechanism may claim; one fitted to the table's counts claims none.
        use: what readers do with the release: ``statistics`` or ``rows``.
        public: columns that are released unchanged.
        background: columns that the attacker knows.
        lower: the publicly known least value of a numeric secret; without bounds no noise is added to numbers.
        upper: the greatest value.
        keep: ``shares`` designs channels among those that release every value as often as it occurs; ``nothing``, only
            with ``accounted``, among all.
        start: the record of a release; its mechanism is the cheapest to change.
        accounted: an ε in nats for which a noisy histogram is bought; the search then reads nothing else.
        ledger: the ledger that pays for it.
        dataset: the account in it; by default the table's name.
        progress: called with the number of settings tried and 0, because the total is unknown.
        options: also how the table is read, as ``open_table`` takes it: ``missing``, ``encoding``, ….

    Raises:
        OptionError: limits or bounds outside their range, or nothing asked for.
        BudgetError: the histogram does not fit the budget; no row was read.
    """
    asked = Improving.of_options(options)
    asked.require_asked()
    name = asked.dataset or default_dataset(str(table) if isinstance(table, str | Path) else FRAME)
    with ExitStack() as opened:
        source = opened.enter_context(open_table(table, **reading_of(options)))
        goal = Goal(
            asked.secret,
            asked.min_protection,
            asked.min_usefulness,
            asked.max_epsilon,
            use=use_named(asked.use),
            keep=kept_by(asked.keep),
            published=asked.public,
            backgrounds=(asked.background,) if asked.background else (),
            lower=asked.lower,
            upper=asked.upper,
            start=None if asked.start is None else _mechanism_of(asked.start, asked.secret),
            handed_out=HandedOut.DECLARED,
        )
        return search(
            source,
            goal,
            accounted=asked.accounted,
            ledger=None if asked.ledger is None else opened.enter_context(open_ledger(asked.ledger)),
            dataset=None if asked.ledger is None else name,
            progress=progress,
        )


def _mechanism_of(record: Path | str, secret: str) -> Mechanism:
    """The mechanism through which a release contains a column."""
    release = Release.read(Path(record))
    columns = plan_of(release.record, release.record_file).columns
    found = next((one.mechanism for one in columns if secret in one.reads), None)
    if found is None:
        raise ColumnError(
            "The release of {path!s} does not contain {name!r}; name the record of a release that does.",
            path=str(record),
            name=secret,
        )
    return found


def kept_by(keep: str) -> Keep:
    """What designed channels keep, by its name: nothing or shares."""
    if keep not in (Keep.NOTHING.value, Keep.SHARES.value):
        raise OptionError("--keep {found!r} is neither nothing nor shares; use one of them.", found=keep)
    return Keep(keep)


def search(
    table: Table,
    goal: Goal,
    *,
    judge: Judge | None = None,
    accounted: float | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Improvement:
    """The result of searching an open table.

    If a noisy histogram is bought, nothing else is read; a BudgetError says that it does not fit the budget.

    Args:
        judge: what is known of a release of the column as it is; by default of one beside the published columns alone.
    """
    tell = None if progress is None else lambda done: progress(done, 0)
    if accounted is None:
        found = searched(table, goal, judge or _beside_published(table, goal), tell)
        return Improvement(goal, found, FROM_THE_TABLE)
    if (goal.lower, goal.upper) != (None, None):
        raise OptionError("An accounted search does not handle numbers; leave lower and upper out.")
    if goal.published or any(goal.backgrounds):
        raise OptionError("An accounted search reads only the secret; leave public and background out.")
    source = noisy_table(table, goal.secret, accounted, ledger, dataset)
    # What was paid for may be known.
    goal = replace(goal, handed_out=HandedOut.EVERYTHING, rows=table.rows, counts_are_private=False)
    learned = Sentence(
        "The search used a noisy histogram of the column, paid with ε = {epsilon:g} from the ledger; which "
        "values occur is not protected, and nothing else was read.",
        epsilon=accounted,
    )
    return Improvement(goal, searched(source, goal, progress=tell), learned)


def _beside_published(table: Table, goal: Goal) -> Judge:
    """What is known of the column beside the published ones, as of every release of a plan."""
    case = Case(remembered(table), tuple(dict.fromkeys(name for one in goal.backgrounds for name in one)))

    def bound(how: Mechanism | Channel) -> BoundPlan:
        return bind(ReleasePlan({goal.secret: as_planned(how, goal.secret)}, goal.published), case.table)

    return judge_settings(case, (goal.secret,), goal.use, bound)


def as_planned(how: Mechanism | Channel, secret: str) -> Mechanism | NamedChannel:
    """A setting as a plan takes it: a channel follows from the table's counts."""
    return NamedChannel(how, (secret,), (secret,), PriorOrigin.THIS_TABLE) if isinstance(how, Channel) else how


def noisy_table(table: Table, column: str, epsilon: float, ledger: Ledger | None, dataset: str | None) -> Table:
    """A table of one column with the counts of a noisy histogram bought from a ledger; a refusal spends nothing."""
    import pyarrow as pa

    if ledger is None or dataset is None:
        raise OptionError("An accounted search buys a histogram; name the ledger and the data set that pay for it.")
    kinds = {one.name: one.kind for one in table.columns()}
    if kinds.get(column) in (Kind.INT, Kind.FLOAT, Kind.OTHER):
        raise ColumnError(
            "Column {name!r} holds {kind}, whose exact values an accounted search would read; turn them into text "
            "first.",
            name=column,
            kind=kinds[column].value,
        )
    # The cost does not depend on the labels, so the ledger is asked before any row is read.
    asked = Histogram(column=column, labels=["any"], epsilon=epsilon)
    _, verdict = preview(asked, table, Protection(), ledger, dataset)
    assert verdict is not None
    verdict.require()
    values = table.counts(column, limit=1 << 20).labels(column)
    if not 2 <= len(values) <= MOST_LETTERS:
        raise ColumnError(
            "Column {name!r} has {found} different values, but an accounted search takes 2 to {most}; no "
            "budget was used.",
            name=column,
            found=len(values),
            most=MOST_LETTERS,
        )
    query = Histogram(column=column, labels=[label_text(one) for one in values], epsilon=epsilon)
    answer = ask(query, table, Protection(), ledger, dataset)
    found = {label: one.value for label, one in answer.answer.values if isinstance(one, Estimate)}
    # At least one row per value: it is known to occur, so a mechanism must accept it.
    counts = [max(found[shown(label_text(one))], 1.0) for one in values]
    factor = min(max(sum(counts), FEWEST_ROWS), MOST_ROWS) / sum(counts)
    rows = [value for value, count in zip(values, counts, strict=True) for _ in range(max(round(count * factor), 1))]
    return open_table(pa.table({column: rows}))


def stored(found: Improvement) -> StoredImprovement:
    """A search as stored: every trial, and everything needed to release the chosen one."""
    searched, goal = found.search, found.goal
    origin = PriorOrigin.THIS_TABLE if found.learned_from == FROM_THE_TABLE else PriorOrigin.NOISY_HISTOGRAM
    chosen, start = searched.chosen, searched.start
    return StoredImprovement(
        column=goal.secret,
        use=goal.use.value,
        asked={name: float(limit) for name, limit in searched.goal.limits().items()},
        learned_from=found.learned_from,
        trials=tuple(map(_tried, searched.trials)),
        chosen=None if chosen is None else _whole(chosen, goal.secret, origin),
        closest=_whole(searched.closest, goal.secret, origin),
        start=None if start is None else _tried(start),
        withheld=searched.withheld,
        blocking=searched.blocking,
        notes=searched.notes,
        stages=tuple(
            TriedStage(
                stage=stage.value,
                tried=len(trials),
                meeting=sum(not one.short for one in trials),
                best=_tried(trials[0]),
            )
            for stage, trials in searched.stages.items()
        ),
    )


def _tried(trial: Trial) -> TriedSetting:
    family = trial.family
    return TriedSetting(
        stage=family.stage.value,
        form=family.form,
        mechanism=trial.said,
        scores=trial.scores,
        lost=trial.lost,
        meets=not trial.short,
    )


def _whole(trial: Trial, secret: str, origin: PriorOrigin) -> WholeSetting:
    channel = trial.channel
    named = None if channel is None else ChannelFile.of(NamedChannel(channel, (secret,), (secret,), origin))
    return WholeSetting(**asdict(_tried(trial)), text=trial.text, channel=named)
