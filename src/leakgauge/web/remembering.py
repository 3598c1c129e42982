"""Answers computed beside the loop, each once for as long as it is remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

Answer = TypeVar("Answer")


class Remembered:
    """The last answers by their questions.

    Args:
        most: how many are kept.
        threads: how many are computed at a time.
    """

    def __init__(self, most: int = 64, threads: int = 2) -> None:
        self._most = most
        self._count = threads
        self._threads: CapacityLimiter | None = None
        self._known: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()

    async def once(self, question: Hashable, compute: Callable[[], Answer]) -> Answer:
        """The answer to a question: computed in a thread, or the one under way, or the one from before."""
        if self._threads is None:
            # It belongs to the loop that runs, which there is none of when a server is put together.
            self._threads = CapacityLimiter(self._count)
        task: asyncio.Task[Answer] | None = self._known.get(question)
        if task is None:
            task = asyncio.create_task(to_thread.run_sync(compute, limiter=self._threads))
            task.add_done_callback(lambda done: self._forget_failed(question, done))
            self._known[question] = task
        self._known.move_to_end(question)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        # Someone who asks no longer must not take the answer away from others.
        return await asyncio.shield(task)

    def _forget_failed(self, question: Hashable, done: asyncio.Task[Any]) -> None:
        """What went wrong may go well the next time; asking for the error here also marks it as seen."""
        if (done.cancelled() or done.exception() is not None) and self._known.get(question) is done:
            del self._known[question]
