"""A program that reads one input a line and writes one output a line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from leakgauge.audit.outputs import Outputs, program_outputs
from leakgauge.audit.subjects import Subject
from leakgauge.errors import EngineError, ModelError, OptionError

LONGEST_LINE = 1 << 12
"""Bytes a line may have, on average, before a program is taken to write without end."""
_AT_LEAST, _AT_MOST = 1 << 20, 1 << 28
"""Bytes that a program may write in any case, and in no case."""


@dataclass(frozen=True)
class Program(Subject):
    """A command that is started once a batch.

    Attributes:
        command: the program with its arguments, as on a command line; no shell reads it.
    """

    command: str

    def __post_init__(self) -> None:
        try:
            parts = shlex.split(self.command)
        except ValueError:
            parts = []
        if not parts:
            raise OptionError("The program {command!r} is not a command; name a program.", command=self.command)

    def draw(self, value: object, count: int, until: float) -> Outputs:
        """The lines that come back for so many lines of the input, each with the number it reads as."""
        most = min(_AT_LEAST + LONGEST_LINE * count, _AT_MOST)
        status, written = _run(self.command, f"{value}\n".encode() * count, most, max(until - time.monotonic(), 0.5))
        if len(written) > most:
            raise ModelError(
                "The program wrote more than {most} bytes for {count} lines; write one output for each.",
                most=most,
                count=count,
            )
        if status is None:
            return np.empty(0)
        if status:
            raise EngineError(
                "The program ended with status {status}; mend that first, or give inputs it takes.", status=status
            )
        try:
            lines = written.decode("utf-8").splitlines()
        except UnicodeDecodeError:
            raise ModelError("The program wrote something else than UTF-8; write one output a line.") from None
        if len(lines) != count:
            raise ModelError(
                "The program read {count} lines and wrote {found}; write one output for each.",
                count=count,
                found=len(lines),
            )
        return program_outputs(lines)


def _run(command: str, lines: bytes, most: int, seconds: float) -> tuple[int | None, bytes]:
    """The status that a program ended with and all it wrote; no status where it was late or wrote too much."""
    try:
        process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise OptionError(
            "The program {command!r} cannot be started: {reason}.", command=command, reason=error.strerror
        ) from None
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None
    written = bytearray()

    def feed() -> None:
        # A program that ends before it has read everything is judged by what it wrote.
        with suppress(OSError):
            stdin.write(lines)
        with suppress(OSError):
            stdin.close()

    def read() -> None:
        while len(written) <= most and (chunk := os.read(stdout.fileno(), 1 << 20)):
            written.extend(chunk)

    threading.Thread(target=feed, daemon=True).start()
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    limit = time.monotonic() + seconds
    reader.join(seconds)
    status = None
    if not reader.is_alive() and len(written) <= most:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(max(limit - time.monotonic(), 0.1))
    if status is None:
        # With whatever it has started itself.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    reader.join()
    stdout.close()
    return status, bytes(written)
