"""The improvement loop on a table, or on a noisy histogram of it bought from a ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leakgauge.assessment import Diagram, Grade, Improvement, Questionnaire, Trial, improve
from leakgauge.claims.quantities import statement_json
from leakgauge.errors import OptionError
from leakgauge.jobs.assess import leaves_json, scores_json
from leakgauge.jobs.query import ask
from leakgauge.probability import Estimate
from leakgauge.release.ledger import Ledger
from leakgauge.release.queries import Histogram, Protection
from leakgauge.release.queries.labels import label_text
from leakgauge.tables import Table, open_table

IMPROVEMENT_SCHEMA = "leakgauge/improvement/1"
FROM_THE_TABLE = (
    "The search used this table's counts as they are: which setting it chose is not protected by any budget. Nothing "
    "was drawn or spent."
)
FROM_A_HISTOGRAM = (
    "The search used a noisy histogram of the column, bought for ε = {epsilon:g} from the ledger; which values occur "
    "is not protected, nothing else was read."
)


@dataclass(frozen=True)
class Searched:
    """What the loop found, and what it learnt it from.

    Attributes:
        improvement: the trials and the choice.
        learned_from: in a sentence.
    """

    improvement: Improvement
    learned_from: str


def search(
    table: Table,
    column: str,
    target: Grade | float,
    diagram: Diagram,
    *,
    min_privacy: float = 0.0,
    min_utility: float = 0.0,
    trials: int = 60,
    lower: float | None = None,
    upper: float | None = None,
    questionnaire: Questionnaire | None = None,
    accounted: float | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Searched:
    """The cheapest setting that meets a target.

    Args:
        table: whose column is to be protected.
        column: which.
        target: a score or a grade.
        diagram: by which it is graded.
        min_privacy: a privacy score to keep as well.
        min_utility: likewise.
        trials: how many settings are tried at most.
        lower: the declared bounds of numbers.
        upper: the upper one.
        questionnaire: what people answered.
        accounted: an ε in nats for which a noisy histogram is bought; the search then reads nothing else.
        ledger: which sells it.
        dataset: whose budget.
        progress: told of every trial.

    Raises:
        BudgetError: the histogram does not fit the budget; nothing was read.
        OptionError: an ε without a ledger, or a target outside its range.
        ColumnError, TableError: a column that cannot be used.
    """
    learned = FROM_THE_TABLE
    source = table
    if accounted is not None:
        if ledger is None or dataset is None:
            raise OptionError("An accounted search buys a histogram; name the ledger and the data set that pay for it.")
        source = _noisy_table(table, column, accounted, ledger, dataset)
        learned = FROM_A_HISTOGRAM.format(epsilon=accounted)
    found = improve(
        source,
        column,
        target,
        diagram,
        min_privacy=min_privacy,
        min_utility=min_utility,
        trials=trials,
        lower=lower,
        upper=upper,
        questionnaire=questionnaire,
        progress=progress,
    )
    return Searched(found, learned)


def _noisy_table(table: Table, column: str, epsilon: float, ledger: Ledger, dataset: str) -> Table:
    """A table of one column whose counts are a noisy histogram's."""
    import pyarrow as pa

    labels = {label_text(one): one for one in table.counts(column, limit=1 << 12).labels(column)}
    answer = ask(Histogram(column=column, labels=list(labels), epsilon=epsilon), table, Protection(), ledger, dataset)
    rows: list[Any] = []
    for label, found in answer.answer.values:
        if label in labels:
            assert isinstance(found, Estimate)
            # At least one row each: that a value occurs is known here, and a mechanism must take it.
            rows += [labels[label]] * max(round(found.value), 1)
    return open_table(pa.table({column: rows}))


def search_json(found: Searched, column: str) -> dict[str, Any]:
    """The fields of a search: every trial, and the leaves of the one that was chosen."""
    improvement = found.improvement
    target, chosen = improvement.target, improvement.chosen
    return {
        "schema": IMPROVEMENT_SCHEMA,
        "column": column,
        "target": target.value if isinstance(target, Grade) else target,
        "learned_from": found.learned_from,
        "trials": [_trial_json(one) for one in improvement.trials],
        "chosen": None if chosen is None else {**_trial_json(chosen), "leaves": leaves_json(chosen.assessment)},
        "best": _trial_json(improvement.best),
        "blocking": [{"leaf": leaf, "points": points} for leaf, points in improvement.blocking],
    }


def _trial_json(trial: Trial) -> dict[str, Any]:
    candidate = trial.candidate
    claims = candidate.setting.claims
    return {
        "stage": candidate.stage.value,
        "form": candidate.form,
        "mechanism": candidate.name,
        "claim": statement_json(claims[0]) if claims else None,
        **scores_json(trial.assessment),
        "meets": trial.meets,
    }
