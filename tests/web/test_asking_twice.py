"""A question of the page that names a field twice is refused, not cut down to the last."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.requests import Request

from leakgauge.errors import OptionError
from leakgauge.web.asking import fields_of


def asked(body: bytes) -> Any:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    request = Request({"type": "http", "headers": []}, receive)
    # A browser of another test may keep the loop of this thread running.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(fields_of(request))).result()


def test_a_field_is_named_once() -> None:
    assert asked(b'{"secret": "a"}') == {"secret": "a"}
    with pytest.raises(OptionError, match="names a field twice"):
        asked(b'{"secret": "a", "secret": "b"}')
