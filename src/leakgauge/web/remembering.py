"""Answers computed beside the loop, each once for as long as it is remembered, and only where someone waits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import to_thread
from starlette.requests import ClientDisconnect, Request

Answer = TypeVar("Answer")


@dataclass
class _Asked:
    """A question with its answer to come, how many wait for it, and whether it is being computed."""

    task: asyncio.Task[Any]
    waiting: int = 0
    begun: bool = False


class Remembered:
    """The last answers by their questions.

    Args:
        most: how many are kept.
        threads: how many are computed at a time.
    """

    def __init__(self, most: int = 64, threads: int = 2) -> None:
        self._most = most
        self._free = asyncio.Semaphore(threads)
        self._known: OrderedDict[Hashable, _Asked] = OrderedDict()

    async def once(self, question: Hashable, compute: Callable[[], Answer]) -> Answer:
        """The answer to a question: computed in a thread, or the one under way, or the one from before.

        A question whose askers have all gone before its turn is dropped; one that is being computed is finished, and
        its answer kept.
        """
        asked = self._known.get(question) or self._ask(question, compute)
        self._known.move_to_end(question)
        while len(self._known) > self._most:
            self._known.popitem(last=False)
        asked.waiting += 1
        try:
            # Someone who asks no longer must not take the answer away from others.
            answer: Answer = await asyncio.shield(asked.task)
            return answer
        finally:
            asked.waiting -= 1
            if not asked.waiting and not asked.begun and not asked.task.done():
                asked.task.cancel()
                self._forget(question, asked)

    def _ask(self, question: Hashable, compute: Callable[[], Answer]) -> _Asked:
        async def answer() -> Answer:
            async with self._free:
                asked.begun = True
                return await to_thread.run_sync(compute)

        asked = _Asked(asyncio.create_task(answer()))
        asked.task.add_done_callback(lambda done: self._forget_failed(question, asked))
        self._known[question] = asked
        return asked

    def _forget_failed(self, question: Hashable, asked: _Asked) -> None:
        """What went wrong may go well the next time; asking for the error here also marks it as seen."""
        if asked.task.cancelled() or asked.task.exception() is not None:
            self._forget(question, asked)

    def _forget(self, question: Hashable, asked: _Asked) -> None:
        if self._known.get(question) is asked:
            del self._known[question]


async def while_awaited(request: Request, answer: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer, given up when the one who asked goes away; the body of the request must have been read.

    Raises:
        ClientDisconnect: nobody waits any more.
    """
    computing, gone = asyncio.create_task(answer), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({computing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not computing.done():
            raise ClientDisconnect
        return computing.result()
    finally:
        computing.cancel()
        gone.cancel()
        await asyncio.gather(computing, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
