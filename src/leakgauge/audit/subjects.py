"""The subject of an audit, with one interface for drawing, and its inputs.

Functions, mechanisms of the catalogue, OpenDP measurements, and programs that read and write lines.
"""

from __future__ import annotations

import itertools
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.audit.outputs import Outputs, as_outputs, compact, program_outputs
from leakgauge.errors import EngineError, LeakgaugeError, ModelError, OptionError
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.mechanism import Pair
from leakgauge.probability.cells import Floats
from leakgauge.randomness import OperatingSystem, Randomness

SECONDS = 600.0
"""How long an audit may take before it goes on with the outputs it has, or says that it has none."""
MOST_GIVEN = 1024
"""Pairs that may be given; each of them is tried."""
_AT_ONCE = 1 << 17
"""Outputs of a mechanism of the catalogue that are drawn between two looks at the clock."""
LONGEST_LINE = 1 << 12
"""Bytes a line may have, on average, before a program is taken to write without end."""
_AT_LEAST, _AT_MOST = 1 << 20, 1 << 28
"""Bytes that a program may write in any case, and in no case."""


@dataclass(frozen=True)
class Subject:
    """Something that turns an input into a random output.

    Attributes:
        draw: outputs of so many independent runs on one input, fewer where the clock passes the time that is given.
        log_ratio: the log-likelihood ratio of two inputs; None where the law is not known.
        runs: whether each output is drawn afresh, so that it may be asked whether the noise repeats.
    """

    draw: Callable[[Any, int, float], Outputs]
    log_ratio: Callable[[Any, Any], Callable[[Outputs], Floats] | None] = lambda first, second: None
    runs: bool = True


def _repeated(function: Callable[[Any], Any]) -> Subject:
    """A function from an input to an output, run again and again."""

    def draw(value: Any, count: int, until: float) -> Outputs:
        found: list[Any] = []

        def work() -> None:
            while len(found) < count and time.monotonic() < until:
                # At once, so that long labels are not all kept.
                found.append(compact(function(value)))

        _within(work, until)
        return as_outputs(found[:count])

    return Subject(draw)


def _batched(function: Callable[[Any, int], Any]) -> Subject:
    """A function from an input and a count to so many outputs."""

    def draw(value: Any, count: int, until: float) -> Outputs:
        found: list[Any] = []
        _within(lambda: found.append(function(value, count)), until)
        if not found:
            return np.empty(0)
        outputs = as_outputs(found[0])
        if len(outputs) != count:
            raise ModelError(
                "The mechanism was asked for {count} outputs and gave {found}; return one per run.",
                count=count,
                found=len(outputs),
            )
        return outputs

    return Subject(draw)


def _catalogued(mechanism: Mechanism, randomness: Randomness) -> Subject:
    """A mechanism of the catalogue, run as a release runs it."""

    def draw(value: Any, count: int, until: float) -> Outputs:
        drawn: list[Outputs] = []
        while count > 0 and (not drawn or time.monotonic() < until):
            drawn.append(mechanism.repeated(value, min(count, _AT_ONCE), randomness))
            count -= len(drawn[-1])
        return np.concatenate(drawn)

    one_by_one = _repeated(lambda value: mechanism.run(value, randomness))
    return Subject(draw if mechanism.draws_at_once else one_by_one.draw, mechanism.log_ratio)


@dataclass(frozen=True)
class Program:
    """A command that reads one input per line and writes one output per line, started once per batch.

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
                "The program ended with status {status}; fix that first, or give inputs it accepts.", status=status
            )
        try:
            lines = written.decode("utf-8").splitlines()
        except UnicodeDecodeError:
            raise ModelError("The program wrote text that is not UTF-8; write one output per line in UTF-8.") from None
        if len(lines) != count:
            raise ModelError(
                "The program read {count} lines and wrote {found}; write one output for each.",
                count=count,
                found=len(lines),
            )
        return program_outputs(lines)


def subject_of(mechanism: Any, *, batched: bool = False, randomness: Randomness | None = None) -> Subject:
    """What is audited; arguments as of ``lower_bound``, and what cannot be run is refused."""
    if isinstance(mechanism, Mechanism):
        return _catalogued(mechanism, randomness or OperatingSystem())
    if isinstance(mechanism, Subject):
        return mechanism
    if isinstance(mechanism, Program):
        return Subject(mechanism.draw)
    if not callable(mechanism):
        raise OptionError(
            "{kind} cannot be run; give a function, a mechanism of the catalogue or an OpenDP measurement.",
            kind=type(mechanism).__name__,
        )
    return _batched(mechanism) if batched else _repeated(mechanism)


def known_pairs(mechanism: Any, pairs: Iterable[Pair] | None) -> list[Pair]:
    """The pairs that are given, or those of a mechanism of the catalogue, each of them neighbours.

    Raises:
        OptionError: there is none, one is not a pair, there are too many to try each, or inputs are further apart than
            the sensitivity that the mechanism is made for.
    """
    catalogued = isinstance(mechanism, Mechanism)
    if pairs is None and not catalogued:
        raise OptionError("The inputs of the mechanism are unknown; give pairs of neighbouring ones.")
    chosen: list[Pair] = mechanism.neighbours() if pairs is None else _given(pairs)
    if catalogued and mechanism.reach is not None:
        for pair in chosen:
            _require_neighbours(pair, mechanism.reach, mechanism.moves_one_way, mechanism.name)
    return chosen


def _given(pairs: Iterable[Pair]) -> list[Pair]:
    given = list(itertools.islice(pairs, MOST_GIVEN + 1))
    if len(given) > MOST_GIVEN:
        raise OptionError(
            "More than {most} pairs of inputs are given, too many to try each; give those that may differ most.",
            most=MOST_GIVEN,
        )
    if not given:
        raise OptionError("No pair of neighbouring inputs is given; give at least one.")
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
        raise OptionError("A pair does not have 2 inputs; give tuples (first, second).")
    return given


def _require_neighbours(pair: Pair, reach: float, one_way: bool, name: str) -> None:
    try:
        first, second = (np.asarray(one, dtype=np.float64) for one in pair)
        if first.shape != second.shape:
            raise ValueError
        with np.errstate(invalid="ignore"):  # infinite inputs, which are refused below
            moved = second - first
        apart = float(np.abs(moved).max(initial=0.0))
    except (ValueError, TypeError):
        raise OptionError(
            "The inputs are not numbers of the same shape; give two that {name!s} takes.", name=name
        ) from None
    if not apart <= reach:
        raise OptionError(
            "The inputs are {apart:g} apart, but {name!s} is made for neighbours within {reach:g}; give such inputs.",
            apart=apart,
            name=name,
            reach=reach,
        )
    if one_way and moved.min(initial=0.0) < 0 < moved.max(initial=0.0):
        raise OptionError(
            "The inputs differ in both directions, but {name!s} is made for neighbours that differ in one; give such "
            "inputs, or leave monotonic out.",
            name=name,
        )


def _within(work: Callable[[], None], until: float) -> None:
    """Run until the clock says stop; a function that hangs is left behind in a thread that ends with the process."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # handed to the caller below
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(until - time.monotonic(), 0.0) + 0.5)
    if failures and isinstance(failures[0], LeakgaugeError):
        raise failures[0]
    if failures:
        # The type alone: a message may quote what the mechanism was run on.
        raise EngineError(
            "The mechanism raised {kind}; fix that first, or give inputs it accepts.", kind=type(failures[0]).__name__
        ) from None


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
