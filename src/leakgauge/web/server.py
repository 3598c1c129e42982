"""The server itself: a socket of this machine only, a token, and a clean end."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from leakgauge.errors import FileError, OptionError
from leakgauge.randomness import OperatingSystem
from leakgauge.web.app import application
from leakgauge.web.guard import Guard, Secrets
from leakgauge.web.jobs import Jobs
from leakgauge.web.private_folder import remove_abandoned
from leakgauge.web.reach import Reach
from leakgauge.web.workspace import Workspace

_PATIENCE = 5
"""Seconds that answers under way have when the server ends."""


def serve(
    folder: Path, results: Path, port: int, limit: int, opened: Callable[[str], None], databases: Sequence[str] = ()
) -> None:
    """Serve the tables of a folder until interrupted; port 0 is one that is free, the limit that of a dropped file.

    Of other servers only the ``databases`` are asked. ``opened`` is told the address with its token once the server
    listens. Raises ``FileError`` where there is no such folder, and ``OptionError`` where the port is taken.
    """
    with _ended_by_signals(), ready_server(folder, results, port, limit, databases) as server:
        opened(server.entry)
        server.run()


@contextmanager
def ready_server(folder: Path, results: Path, port: int, limit: int, databases: Sequence[str] = ()) -> Iterator[Server]:
    """A server that listens and has not run yet; what it holds is gone when the block ends. Errors as of ``serve``."""
    if not folder.is_dir():
        raise FileError("There is no folder {path!r}; name one whose tables are to be opened.", path=str(folder))
    reach = Reach(folder, databases)
    remove_abandoned()
    with _listening(port) as listener:
        secrets = Secrets(new_token(), new_token(), new_token())
        workspace, jobs = Workspace(reach, limit), Jobs(results, folder)
        try:
            yield Server(listener, secrets, workspace, jobs)
        finally:
            # Interrupted twice, the server ends without closing anything.
            jobs.kill()
            workspace.close()


def new_token() -> str:
    """128 random bits in hexadecimal digits."""
    return "".join(f"{int(word):016x}" for word in OperatingSystem().words(2))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A hang-up and a request to end leave nothing behind: they unwind what was begun, as an interrupt does."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    def hang_up(*_: object) -> None:
        # Whoever is in charge of that one now: the server while it runs, else the function above.
        signal.raise_signal(signal.SIGTERM)

    before = {signal.SIGTERM: signal.signal(signal.SIGTERM, end)}
    # Under nohup the page goes on when its terminal is closed.
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, hang_up)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listening(port: int) -> socket.socket:
    """A socket that only this machine reaches; whoever connects from now on waits until the server answers."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise OptionError("Port {port} cannot be used; choose another, or 0 for a free one.", port=port) from None
    return listener


class Server(uvicorn.Server):
    """Lets those who listen to events go before it waits for the others; ``entry`` is the address with its token."""

    def __init__(self, listener: socket.socket, secrets: Secrets, workspace: Workspace, jobs: Jobs) -> None:
        port = listener.getsockname()[1]
        super().__init__(
            uvicorn.Config(
                Guard(application(workspace, jobs), port, secrets),
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="on",
                # Addresses hold the token: none is logged.
                access_log=False,
                log_config=None,
                # Anybody can send what is no request, and need not write on this terminal.
                log_level="error",
                # Nobody stands between the browser and this server, whatever a header says.
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_PATIENCE,
            )
        )
        self.entry = f"http://127.0.0.1:{port}/{secrets.door}/?token={secrets.token}"
        self._listener = listener
        self._jobs = jobs

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer until told to end."""
        super().run(sockets or [self._listener])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: no new requests, then those under way, then what the server holds."""
        self._jobs.close_streams()
        await super().shutdown(sockets)
