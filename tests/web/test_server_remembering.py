"""Questions that wait for their turn: those that nobody waits for any more are dropped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from leakgauge.web.answers import Remembered, while_awaited
from tests.web.awaiting import awaited


class _Work:
    """Computations that note their names when they begin, the first of which lasts until it may end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = threading.Event()

    def of(self, name: str) -> Callable[[], str]:
        def compute() -> str:
            self.begun.append(name)
            assert self.may_end.wait(20)
            return name

        return compute

    async def has_begun(self, name: str) -> None:
        while name not in self.begun:
            await asyncio.sleep(0.001)


def _request(gone: asyncio.Event) -> Request:
    """A request whose body was read, of someone who goes away."""

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def test_who_goes_away_before_the_turn_is_not_computed_for() -> None:
    async def run() -> tuple[list[str], list[object]]:
        work, memory, gone, stays = _Work(), Remembered(threads=1), asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(while_awaited(_request(stays), memory.once("a", work.of("a"))))
        await work.has_begun("a")
        left = [
            asyncio.create_task(while_awaited(_request(gone), memory.once(name, work.of(name)))) for name in ("b", "c")
        ]
        shared = asyncio.create_task(while_awaited(_request(stays), memory.once("c", work.of("c"))))
        last = asyncio.create_task(while_awaited(_request(stays), memory.once("d", work.of("d"))))
        await asyncio.sleep(0.01)
        gone.set()
        ended = await asyncio.gather(*left, return_exceptions=True)
        assert [type(one) for one in ended] == [ClientDisconnect] * 2
        work.may_end.set()
        answers: list[object] = [await first, await shared, await last]
        # Asked again, what was dropped is computed after all.
        answers.append(await memory.once("b", work.of("b")))
        return work.begun, answers

    begun, answers = awaited(run())
    assert begun == ["a", "c", "d", "b"], "nobody waited for b; c had another who did"
    assert answers == ["a", "c", "d", "b"]


def test_what_is_being_computed_is_finished_and_remembered() -> None:
    async def run() -> list[str]:
        work, memory, gone = _Work(), Remembered(threads=1), asyncio.Event()
        asked = asyncio.create_task(while_awaited(_request(gone), memory.once("a", work.of("a"))))
        await work.has_begun("a")
        gone.set()
        with pytest.raises(ClientDisconnect):
            await asked
        work.may_end.set()
        assert await memory.once("a", work.of("a")) == "a"
        return work.begun

    assert awaited(run()) == ["a"]


def test_what_failed_is_told_and_tried_again() -> None:
    async def run() -> str:
        memory = Remembered()

        def fails() -> str:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await while_awaited(_request(asyncio.Event()), memory.once("a", fails))
        return await memory.once("a", lambda: "yes")

    assert awaited(run()) == "yes"
