"""Failures of an engine, told without its own words: those quote values, lines and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from leakgauge.errors import LeakgaugeError

Result = TypeVar("Result")


def without_values(
    action: Callable[[], Result],
    failures: type[Exception] | tuple[type[Exception], ...],
    sentence: Callable[[Exception], BaseException],
) -> Result:
    """What the action gives; where it fails so, the sentence made of the failure is raised in its place."""
    try:
        return action()
    except LeakgaugeError:
        raise
    except failures as error:
        failure = sentence(error)
    # Raised outside the handler, so that the original, which quotes values, is not even this error's context.
    raise failure
