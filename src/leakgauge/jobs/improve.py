"""Improve: the cheapest setting that meets a target, searched on a table or on a noisy histogram of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import asdict

from leakgauge import assessment
from leakgauge.arguments import checked
from leakgauge.artefacts import Level
from leakgauge.artefacts.assessment import Grade, Leaf, parse_target
from leakgauge.artefacts.improvement import Blocking, StoredImprovement, TriedSetting, WholeSetting
from leakgauge.artefacts.request import FRAME
from leakgauge.assessment import Diagram, default_diagram, read_diagram, read_questionnaire
from leakgauge.assessment.candidates import MOST_LETTERS
from leakgauge.assessment.improvement import Improvement, Trial, require_search
from leakgauge.assessment.indicators import asked_leaves
from leakgauge.assessment.stored import leaves_of, scores_of
from leakgauge.design import Keep
from leakgauge.errors import ColumnError, OptionError
from leakgauge.jobs.query import ask, preview
from leakgauge.probability import Estimate
from leakgauge.release.ledger import Ledger, open_ledger
from leakgauge.release.ledger.account import default_dataset
from leakgauge.release.queries import Histogram, Protection
from leakgauge.release.queries.labels import label_text, shown
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table, open_table
from leakgauge.tables.reading import ReadingOptions

FROM_THE_TABLE = Sentence(
    "The search used this table's counts as they are: which setting it chose is not protected by any budget. Nothing "
    "was drawn or spent."
)
FEWEST_ROWS, MOST_ROWS = 1000, 100_000
"""Of the table that stands for a noisy histogram: noise of a tiny ε would make it huge, or too small to be graded."""


@dataclass(frozen=True)
class Search:
    """What the loop found, and what it learnt it from, in a sentence."""

    improvement: Improvement
    learned_from: Sentence


@checked
def improve(
    table: object,
    *,
    secret: str,
    target: str | float,
    min_privacy: float = 0.0,
    min_utility: float = 0.0,
    trials: int = 60,
    lower: float | None = None,
    upper: float | None = None,
    diagram: Path | str | None = None,
    questionnaire: Path | str | None = None,
    keep: str = "shares",
    accounted: float | None = None,
    ledger: str | None = None,
    dataset: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    **reading: Unpack[ReadingOptions],
) -> Search:
    """The cheapest setting that meets a target: parameters first, then the mechanism, then the data's form.

    Args:
        table: a path or a frame, as ``open_table`` takes it.
        secret: the column to protect.
        target: a score from 0 to 100, or a grade such as ``good``.
        min_privacy: a privacy score to keep as well.
        min_utility: likewise.
        trials: how many settings are tried at most.
        lower: the least value of numbers, as everybody knows it.
        upper: the greatest one.
        diagram: a file by which settings are graded.
        questionnaire: a file of answers.
        keep: ``shares`` designs channels among those that release every value as often as it occurs, ``nothing`` among
            all.
        accounted: an ε in nats for which a noisy histogram is bought; the search then reads nothing else.
        ledger: which pays for it.
        dataset: the account in it; by default the table's name.
        progress: told how many settings were tried of how many.
        reading: how the table is read, as ``open_table`` takes it: ``missing``, ``encoding``, ``date_format``, ….

    Raises:
        OptionError: a target, bounds or number of trials outside its range.
        BudgetError: the histogram does not fit the budget; no row was read.
    """
    goal, kept = parse_target(str(target)), kept_by(keep)
    by = default_diagram() if diagram is None else read_diagram(diagram)
    answers = None if questionnaire is None else read_questionnaire(questionnaire, asked_leaves(by))
    name = dataset or default_dataset(str(table) if isinstance(table, str | Path) else FRAME)
    with ExitStack() as opened:
        return search(
            opened.enter_context(open_table(table, **reading)),
            secret,
            goal,
            by,
            accounted=accounted,
            ledger=None if ledger is None else opened.enter_context(open_ledger(ledger)),
            dataset=None if ledger is None else name,
            min_privacy=min_privacy,
            min_utility=min_utility,
            trials=trials,
            lower=lower,
            upper=upper,
            questionnaire=answers,
            keep=kept,
            progress=progress,
        )


def kept_by(keep: str) -> Keep:
    """What designed channels keep, by its name: nothing or shares."""
    if keep not in (Keep.NOTHING.value, Keep.SHARES.value):
        raise OptionError("--keep {found!r} is neither nothing nor shares; say one of them.", found=keep)
    return Keep(keep)


def search(
    table: Table,
    column: str,
    target: Grade | float,
    diagram: Diagram,
    *,
    accounted: float | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    **settings: Any,
) -> Search:
    """The cheapest setting that meets a target, with the settings of ``assessment.improve``.

    Where a noisy histogram is bought nothing else is read, and a BudgetError says that it does not fit the budget.
    """
    _, bounds = require_search(target, **settings)
    if accounted is None:
        return Search(assessment.improve(table, column, target, diagram, **settings), FROM_THE_TABLE)
    if bounds is not None:
        raise OptionError("An accounted search takes no numbers; leave lower and upper out.")
    source = noisy_table(table, column, accounted, ledger, dataset)
    learned = Sentence(
        "The search used a noisy histogram of the column, bought for ε = {epsilon:g} from the ledger; which values "
        "occur is not protected, nothing else was read.",
        epsilon=accounted,
    )
    return Search(assessment.improve(source, column, target, diagram, **settings), learned)


def noisy_table(table: Table, column: str, epsilon: float, ledger: Ledger | None, dataset: str | None) -> Table:
    """A table of one column whose counts are a noisy histogram's, bought from a ledger; a refusal spends nothing."""
    import pyarrow as pa

    if ledger is None or dataset is None:
        raise OptionError("An accounted search buys a histogram; name the ledger and the data set that pay for it.")
    kinds = {one.name: one.kind for one in table.columns()}
    if kinds.get(column) in (Kind.INT, Kind.FLOAT, Kind.OTHER):
        raise ColumnError(
            "Column {name!r} holds {kind}, whose values an accounted search would read as they are; make letters of "
            "them first.",
            name=column,
            kind=kinds[column].value,
        )
    # What it costs does not depend on the labels, so that the ledger is asked before a row is read.
    asked = Histogram(column=column, labels=["any"], epsilon=epsilon)
    _, verdict = preview(asked, table, Protection(), ledger, dataset)
    assert verdict is not None
    verdict.require()
    values = table.counts(column, limit=1 << 20).labels(column)
    if not 2 <= len(values) <= MOST_LETTERS:
        raise ColumnError(
            "Column {name!r} has {found} different values and an accounted search takes 2 to {most}; nothing was "
            "spent.",
            name=column,
            found=len(values),
            most=MOST_LETTERS,
        )
    query = Histogram(column=column, labels=[label_text(one) for one in values], epsilon=epsilon)
    answer = ask(query, table, Protection(), ledger, dataset)
    found = {label: one.value for label, one in answer.answer.values if isinstance(one, Estimate)}
    # At least one row each: that a value occurs is known here, and a mechanism must take it.
    counts = [max(found[shown(label_text(one))], 1.0) for one in values]
    factor = min(max(sum(counts), FEWEST_ROWS), MOST_ROWS) / sum(counts)
    rows = [value for value, count in zip(values, counts, strict=True) for _ in range(max(round(count * factor), 1))]
    return open_table(pa.table({column: rows}))


def stored(found: Search, column: str) -> StoredImprovement:
    """A search to be stored: every trial, and the leaves of the one that was chosen."""
    improvement = found.improvement
    target, chosen = improvement.goal.target, improvement.chosen
    return StoredImprovement(
        column,
        target.value if isinstance(target, Grade) else target,
        improvement.goal.min_privacy,
        improvement.goal.min_utility,
        found.learned_from,
        tuple(map(_tried, improvement.trials)),
        None if chosen is None else _whole(chosen, leaves_of(chosen.assessment)),
        _whole(improvement.best),
        improvement.failed,
        tuple(Blocking(leaf, points) for leaf, points in improvement.blocking),
    )


def _tried(trial: Trial) -> TriedSetting:
    candidate, found = trial.candidate, trial.assessment
    claims = candidate.setting.claims
    return TriedSetting(
        **asdict(scores_of(found)),
        stage=candidate.stage.value,
        form=candidate.form,
        mechanism=candidate.name,
        claim=Level.stated(claims[0]) if claims else None,
        vetoes=tuple(veto.reason for veto in found.vetoes),
        meets=trial.meets,
    )


def _whole(trial: Trial, leaves: tuple[Leaf, ...] | None = None) -> WholeSetting:
    bins, channel = dict(trial.candidate.bins) or None, trial.candidate.channel_file()
    return WholeSetting(**asdict(_tried(trial)), bins=bins, channel=channel, leaves=leaves)
