"""Improve, asked in names, texts and files: for Python and the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from leakgauge.arguments import checked
from leakgauge.artefacts.request import FRAME
from leakgauge.assessment import asked_leaves, default_diagram, parse_target, read_diagram, read_questionnaire
from leakgauge.jobs.improve import Searched, search
from leakgauge.release.ledger import default_dataset, open_ledger
from leakgauge.tables import open_table


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
    accounted: float | None = None,
    ledger: str | None = None,
    dataset: str | None = None,
    missing: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Searched:
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
        accounted: an ε in nats for which a noisy histogram is bought; the search then reads nothing else.
        ledger: which pays for it.
        dataset: the account in it; by default the table's name.
        missing: texts that count as missing.
        progress: told how many settings were tried of how many.

    Raises:
        OptionError: a target, bounds or number of trials outside its range.
        BudgetError: the histogram does not fit the budget; no row was read.
    """
    goal = parse_target(str(target))
    by = default_diagram() if diagram is None else read_diagram(diagram)
    answers = None if questionnaire is None else read_questionnaire(questionnaire, asked_leaves(by))
    with ExitStack() as opened:
        source = opened.enter_context(open_table(table, missing=missing))
        account = None if ledger is None else opened.enter_context(open_ledger(ledger))
        name = dataset or default_dataset(str(table) if isinstance(table, str | Path) else FRAME)
        return search(
            source,
            secret,
            goal,
            by,
            min_privacy=min_privacy,
            min_utility=min_utility,
            trials=trials,
            lower=lower,
            upper=upper,
            questionnaire=answers,
            accounted=accounted,
            ledger=account,
            dataset=None if account is None else name,
            progress=progress,
        )
