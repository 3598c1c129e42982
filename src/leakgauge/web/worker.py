"""A job's process, ``python -m leakgauge.web.worker protect FOLDER``: it ends when the server that started it is gone.

It reads the request as the first line of standard input, and writes events as lines of JSON; the last one says how the
job ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress

_PATIENCE = 10.0
"""Seconds that a job has to remove its drafts."""


def _watch() -> None:
    """Wait for the end of standard input, whose other end the server holds for as long as it lives."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(_PATIENCE)
    os.kill(os.getpid(), signal.SIGKILL)


def _run(folder: str) -> int:
    from leakgauge.artefacts import Ended, codec
    from leakgauge.artefacts.request import StoredRequest

    def tell(event: object) -> None:
        sys.stdout.write(json.dumps(codec.encode(event)) + "\n")
        sys.stdout.flush()

    line = sys.stdin.buffer.readline()
    threading.Thread(target=_watch, daemon=True).start()
    try:
        from leakgauge.jobs.protect import protect

        protect(codec.decode(StoredRequest, json.loads(line), "The request").request(), folder, progress=tell).require()
        ended = Ended(0)
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("LEAKGAUGE_DEBUG"):
            traceback.print_exc()
        ended = Ended.by(error)
    with suppress(OSError):
        # Where nobody listens any more.
        tell(ended)
    return ended.code


if __name__ == "__main__":
    sys.exit(_run(sys.argv[2]))
