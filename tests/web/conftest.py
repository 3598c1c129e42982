"""A browser for a test run, and a server for a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.web.serving import Started, started


@pytest.fixture
def serving() -> Iterator[Callable[..., Started]]:
    """``serving(folder, *options, results=None, …)``, as ``started``: a server that stops when the test ends."""
    with ExitStack() as stack:
        yield lambda *given, **more: stack.enter_context(started(*given, **more))
