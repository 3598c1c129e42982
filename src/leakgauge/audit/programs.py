"""A program that reads one input a line and writes one output a line."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO

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
        running = _Running.started(self.command, f"{value}\n".encode() * count, most)
        status = running.wait(max(until - time.monotonic(), 0.5))
        if running.size > most:
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
            lines = b"".join(running.chunks).decode("utf-8").splitlines()
        except UnicodeDecodeError:
            raise ModelError("The program wrote something else than UTF-8; write one output a line.") from None
        if len(lines) != count:
            raise ModelError(
                "The program read {count} lines and wrote {found}; write one output for each.",
                count=count,
                found=len(lines),
            )
        return program_outputs(lines)


@dataclass
class _Running:
    """A program that is fed and read at once, up to a number of bytes."""

    process: subprocess.Popen[bytes]
    most: int
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    @classmethod
    def started(cls, command: str, lines: bytes, most: int) -> _Running:
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
        running = cls(process, most)
        assert process.stdin is not None
        threading.Thread(target=_feed, args=(process.stdin, lines), daemon=True).start()
        return running

    def wait(self, seconds: float) -> int | None:
        """The status it ended with; None where it did not end in time or wrote too much, and was stopped."""
        assert self.process.stdout is not None
        reader = threading.Thread(target=self._read, daemon=True)
        reader.start()
        limit = time.monotonic() + seconds
        reader.join(seconds)
        status = None
        if not reader.is_alive() and self.size <= self.most:
            with suppress(subprocess.TimeoutExpired):
                status = self.process.wait(max(limit - time.monotonic(), 0.1))
        if status is None:
            # With whatever it has started itself.
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        reader.join()
        self.process.stdout.close()
        return status

    def _read(self) -> None:
        assert self.process.stdout is not None
        while self.size <= self.most and (chunk := os.read(self.process.stdout.fileno(), 1 << 20)):
            self.chunks.append(chunk)
            self.size += len(chunk)


def _feed(stdin: BinaryIO, lines: bytes) -> None:
    # A program that ends before it has read everything is judged by what it wrote.
    with suppress(OSError):
        stdin.write(lines)
    with suppress(OSError):
        stdin.close()
