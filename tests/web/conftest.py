"""A server for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.serving import Served, started


@pytest.fixture
def serving() -> Iterator[Callable[..., Served]]:
    """``serving(folder, *options, results=None, temporary=None)``: a server, stopped when the test ends."""
    with ExitStack() as stack:

        def start(folder: Path, *options: str, results: Path | None = None, temporary: Path | None = None) -> Served:
            return stack.enter_context(started(folder, *options, results=results, temporary=temporary))

        yield start
