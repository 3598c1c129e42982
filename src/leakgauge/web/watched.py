"""A job's process, ``python -m leakgauge.web.watched protect …``: it ends when the server that started it is gone."""

from __future__ import annotations

import os
import runpy
import signal
import threading
import time

_PATIENCE = 10.0
"""Seconds that a job has to remove its drafts."""


def _watch() -> None:
    """Wait for the end of standard input, whose other end the server holds for as long as it lives."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_PATIENCE)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_watch, daemon=True).start()
    runpy.run_module("leakgauge", run_name="__main__", alter_sys=True)
