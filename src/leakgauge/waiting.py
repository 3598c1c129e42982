"""What is told to whoever waits for an engine: how much of its work is done, where the engine says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Waiting: TypeAlias = Callable[[int, int], None]
"""Called now and then with the tasks of an engine that are done, and all of them."""

_told: ContextVar[Waiting | None] = ContextVar("told", default=None)


@contextmanager
def told_while_waiting(tell: Waiting) -> Iterator[None]:
    """Whoever waits for an engine in this block is told; a block within it may tell somebody else."""
    before = _told.set(tell)
    try:
        yield
    finally:
        _told.reset(before)


def who_is_told() -> Waiting | None:
    """Whom to tell, if anybody."""
    return _told.get()
