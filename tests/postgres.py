"""A PostgreSQL server of our own: a private folder, a private port, the loopback address only."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pyarrow as pa
import pytest

PASSWORD = "not-to-be-shown"
_NUMBERS = count()


class Server(str):
    """The address of a server that can be stopped, as if it were killed, and started again, whether it runs or not."""

    stop: Callable[[], None]
    start: Callable[[], None]
    restart: Callable[[], None]


@contextmanager
def running_server(*, asks: bool = False, journal: Path | None = None) -> Iterator[Server]:
    """The address of a fresh server, which stops at the end whatever happened; skips where there is none.

    Args:
        asks: whether it wants the password.
        journal: a folder for its log of changes; by default beside its data.
    """
    programs = _programs()
    if programs is None:
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail("LEAKGAUGE_REQUIRE=all but PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed here")
    user = _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="leakgauge-pg-"))
    try:
        if user is not None:
            shutil.chown(folder, user)
        data, port = folder / "data", _free_port()
        (folder / "password").write_text(PASSWORD)
        made = [f"--auth={'scram-sha-256' if asks else 'trust'}", f"--pwfile={folder / 'password'}"]
        if journal is not None:
            made += [f"--waldir={journal}", "--wal-segsize=1"]
        _run(user, programs / "initdb", "-D", data, "-U", "tester", *made, "-E", "UTF8", "--no-sync")
        # What is lost when the machine itself fails is not tested, so that nothing waits for the disk.
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        control = partial(_run, user, programs / "pg_ctl", "-D", data, "-w")
        server = Server(f"postgresql://tester:{PASSWORD}@127.0.0.1:{port}/postgres")
        server.start = partial(control, "-l", folder / "log", "-o", options, "start")
        server.restart = partial(control, "-l", folder / "log", "-o", options, "-m", "immediate", "restart")
        server.stop = partial(control, "-m", "immediate", "stop")
        server.start()
        try:
            yield server
        finally:
            if (data / "postmaster.pid").exists():
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """An empty folder of a server on a disk that is soon full; skips where nobody may mount one."""
    folder = Path(tempfile.mkdtemp(prefix="leakgauge-disk-"))
    try:
        mounted = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=1777", "none", str(folder)]
        if shutil.which("mount") is None or subprocess.run(mounted, capture_output=True, check=False).returncode:
            pytest.skip("a small disk can be mounted by an administrator only")
        try:
            own = folder / "own"
            own.mkdir(mode=0o700)
            if (user := _unprivileged()) is not None:
                shutil.chown(own, user)
            yield own
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
    finally:
        folder.rmdir()


def nearly_full(disk: Path) -> Path:
    """A file that leaves a disk a megabyte."""
    filler = disk / "filler"
    filler.write_bytes(b" " * (shutil.disk_usage(disk).free - 2**20))
    return filler


def in_postgresql(server: str, table: pa.Table | pa.RecordBatchReader) -> str:
    """The address of a new table with these rows, without the password."""
    from adbc_driver_postgresql import dbapi

    # A name of its own: nobody may replace a table while it is open.
    name = f"people {next(_NUMBERS)}"
    with dbapi.connect(server) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, table)
        connection.commit()
    return f"{server.replace(f':{PASSWORD}', '')}#{name}"


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4])
    on_path = shutil.which("initdb")
    if found:
        return found[-1].parent
    return Path(on_path).resolve().parent if on_path else None


def _unprivileged() -> str | None:
    """Whom to run the server as where we are root, whom it refuses."""
    if os.geteuid() != 0:
        return None
    users = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in users else "nobody"


def _run(user: str | None, *command: object) -> None:
    words = [str(word) for word in command]
    if user is not None:
        words = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", *words]
    # Not captured: the server would keep the pipe open for as long as it runs.
    done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", check=False)
    assert done.returncode == 0, f"{words} ended with {done.returncode}"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
