"""How long a job takes: as the last one on the same table did, or by what there is to count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from leakgauge.languages import Language
from leakgauge.measures.countability import is_countable
from leakgauge.telling.outcome import expected_to_take
from leakgauge.web.questions import texts_in
from leakgauge.web.workspace import OpenTable

_JOB, _ROW, _VALUE = 5.0, 2e-5, 0.14
"""Seconds as measured on one core: of every job, of each row, and of each value of a secret."""
_LEARNING, _LEARNT_CELL, _LEARNT_ROWS = 9.0, 3e-5, 100_000
"""And where columns have too many combinations to count, so that attackers learn from rows, up to so many."""
_MOST_VALUES: Final = 200
"""Of a secret with more values ranges are made, which take their own time."""
_RANGES: Final = 10
"""As many as ranges often are."""


def expected(
    table: OpenTable, asked: Mapping[str, Any], values: Mapping[str, int], last: float | None, language: Language
) -> str:
    """What to expect of a job, in words; empty where nothing is known.

    Args:
        table: that it reads.
        asked: the columns in their roles, as a job is asked for them.
        values: how many different ones each column has; empty before they were counted.
        last: seconds of the last job on the table; None where none ended well.
        language: of the words.
    """
    seconds = _first(table.rows, asked, values) if last is None else last
    return "" if seconds is None else expected_to_take(language, seconds, as_the_last=last is not None)


def _first(rows: int, asked: Mapping[str, Any], values: Mapping[str, int]) -> float | None:
    binned = {text.rpartition("=")[0] for text in texts_in(asked, "bins")}
    secrets = texts_in(asked, "secret")
    together = asked.get("together") is True and len(secrets) > 1
    groups = [secrets] if together else [(one,) for one in secrets]
    seen = {*texts_in(asked, "public"), *texts_in(asked, "background")}
    if not groups or not {*seen, *secrets} <= {*values}:
        return None

    def cells(names: Iterable[str]) -> int:
        return math.prod(_RANGES if name in binned else values[name] for name in names)

    each, around = [cells(group) for group in groups], cells(seen)
    if max(each) > _MOST_VALUES:
        return None
    learnt = sum(
        _LEARNING + min(rows, _LEARNT_ROWS) * letters * _LEARNT_CELL
        for letters in each
        if around > 1 and not is_countable(around * letters, rows)
    )
    return _JOB + rows * _ROW + sum(each) * _VALUE + learnt
