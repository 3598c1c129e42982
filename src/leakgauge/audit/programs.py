"""A program that reads one input a line and writes one output a line."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leakgauge.audit.partitions import Outputs
from leakgauge.audit.subjects import as_outputs
from leakgauge.errors import EngineError, ModelError, OptionError
from leakgauge.probability.cells import Floats


@dataclass(frozen=True)
class Program:
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
        """The lines that come back for so many lines of the input."""
        try:
            done = subprocess.run(
                shlex.split(self.command),
                input=f"{value}\n" * count,
                capture_output=True,
                encoding="utf-8",
                timeout=max(until - time.monotonic(), 0.5),
                check=False,
            )
        except OSError as error:
            raise OptionError(
                "The program {command!r} cannot be started: {reason}.", command=self.command, reason=error.strerror
            ) from None
        except subprocess.TimeoutExpired:
            return np.empty(0)
        except UnicodeDecodeError:
            raise ModelError("The program wrote something else than UTF-8; write one output a line.") from None
        if done.returncode:
            raise EngineError(
                "The program ended with status {status}; mend that first, or give inputs it takes.",
                status=done.returncode,
            )
        lines = done.stdout.splitlines()
        if len(lines) != count:
            raise ModelError(
                "The program read {count} lines and wrote {found}; write one output for each.",
                count=count,
                found=len(lines),
            )
        return as_outputs(_numbers(lines))

    def log_ratio(self, first: object, second: object) -> Callable[[Outputs], Floats] | None:
        """Not known."""
        return None


def _numbers(lines: list[str]) -> Outputs | list[str]:
    try:
        # Digits that were written in full read back as the same float, low bits included.
        return np.array([float(line) for line in lines])
    except ValueError:
        return lines
