"""A question of the page that names a field twice is refused, not cut down to the last."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.requests import Request

from leakgauge.errors import OptionError
from leakgauge.web.asking import fields_of
from tests.web.awaiting import awaited


def asked(body: bytes) -> Any:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return awaited(fields_of(Request({"type": "http", "headers": []}, receive)))


def test_a_field_is_named_once() -> None:
    assert asked(b'{"secret": "a"}') == {"secret": "a"}
    with pytest.raises(OptionError, match="names a field twice"):
        asked(b'{"secret": "a", "secret": "b"}')
