"""A progress bar for verbs that wait for an engine and have no bar of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from leakgauge.waiting import Waiting, told_while_waiting


@contextmanager
def engine_bar() -> Iterator[None]:
    """A bar on standard error, only in a terminal, from when an engine first tells until its work is done."""
    with ExitStack() as shown:
        line: Waiting | None = None

        def tell(done: int, total: int) -> None:
            nonlocal line
            if line is None:
                line = _opened(shown)
            line(done, total)
            if done >= total:
                # What is printed next must not meet a bar that moves.
                shown.close()
                line = None

        with told_while_waiting(tell):
            yield


def _opened(shown: ExitStack) -> Waiting:
    # Loaded only here: most verbs are done before a bar would show.
    from rich.progress import Progress

    from leakgauge.cli.output import Screen, engine_line

    bar = Progress(console=Screen(stderr=True), transient=True, disable=not sys.stderr.isatty())
    return engine_line(shown.enter_context(bar))
