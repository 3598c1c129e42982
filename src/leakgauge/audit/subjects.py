"""What is audited, drawn from alike (functions, mechanisms of the catalogue, OpenDP measurements), and its inputs."""

from __future__ import annotations

import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leakgauge.audit.outputs import Outputs, as_outputs, compact
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


class Subject(ABC):
    """Something that turns an input into a random output.

    Attributes:
        runs: whether each output is drawn afresh, so that it may be asked whether the noise repeats.
    """

    runs = True

    @abstractmethod
    def draw(self, value: Any, count: int, until: float) -> Outputs:
        """Outputs of so many independent runs on one input, fewer where the clock passes ``until``."""

    def log_ratio(self, first: Any, second: Any) -> Callable[[Outputs], Floats] | None:
        """The log-likelihood ratio of the two inputs; None where the law is not known."""
        return None


@dataclass(frozen=True)
class Repeated(Subject):
    """A function from an input to an output, run again and again."""

    function: Callable[[Any], Any]

    def draw(self, value: Any, count: int, until: float) -> Outputs:
        """Outputs of so many runs."""
        found: list[Any] = []

        def work() -> None:
            while len(found) < count and time.monotonic() < until:
                # At once, so that long labels are not all kept.
                found.append(compact(self.function(value)))

        _within(work, until)
        return as_outputs(found[:count])


@dataclass(frozen=True)
class Batched(Subject):
    """A function from an input and a count to so many outputs."""

    function: Callable[[Any, int], Any]

    def draw(self, value: Any, count: int, until: float) -> Outputs:
        """Outputs of so many runs."""
        found: list[Any] = []
        _within(lambda: found.append(self.function(value, count)), until)
        if not found:
            return np.empty(0)
        outputs = as_outputs(found[0])
        if len(outputs) != count:
            raise ModelError(
                "The mechanism was asked for {count} outputs and gave {found}; return one a run.",
                count=count,
                found=len(outputs),
            )
        return outputs


@dataclass(frozen=True)
class Catalogued(Subject):
    """A mechanism of the catalogue, run as a release runs it."""

    mechanism: Mechanism
    randomness: Randomness

    def draw(self, value: Any, count: int, until: float) -> Outputs:
        """Outputs of so many runs."""
        if self.mechanism.law is None:
            return Repeated(lambda given: self.mechanism.run(given, self.randomness)).draw(value, count, until)
        drawn: list[Outputs] = []
        while count > 0 and (not drawn or time.monotonic() < until):
            drawn.append(self.mechanism.repeated(value, min(count, _AT_ONCE), self.randomness))
            count -= len(drawn[-1])
        return np.concatenate(drawn)

    def log_ratio(self, first: Any, second: Any) -> Callable[[Outputs], Floats] | None:
        """From its law."""
        return self.mechanism.log_ratio(first, second)


def subject_of(mechanism: Any, *, batched: bool = False, randomness: Randomness | None = None) -> Subject:
    """What is audited; arguments as of ``lower_bound``, and what cannot be run is refused."""
    if isinstance(mechanism, Mechanism):
        return Catalogued(mechanism, randomness or OperatingSystem())
    if isinstance(mechanism, Subject):
        return mechanism
    if not callable(mechanism):
        raise OptionError(
            "{kind} cannot be run; give a function, a mechanism of the catalogue or an OpenDP measurement.",
            kind=type(mechanism).__name__,
        )
    return Batched(mechanism) if batched else Repeated(mechanism)


def known_pairs(mechanism: Any, pairs: Iterable[Pair] | None) -> list[Pair]:
    """The pairs that are given, or those of a mechanism of the catalogue, each of them neighbours.

    Raises:
        OptionError: there is none, one is not a pair, there are too many to try each, or inputs are further apart than
            the sensitivity that the mechanism is made for.
    """
    catalogued = mechanism if isinstance(mechanism, Mechanism) else None
    if pairs is None:
        if catalogued is None:
            raise OptionError("The inputs of the mechanism are not known; give pairs of neighbouring ones.")
        chosen = catalogued.neighbours()
    else:
        chosen = _given(pairs)
    if catalogued is not None and catalogued.reach is not None:
        for pair in chosen:
            _require_neighbours(pair, catalogued.reach, catalogued.name)
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
        raise OptionError("A pair of inputs has 2 of them; give tuples (first, second).")
    return given


def _require_neighbours(pair: Pair, reach: float, name: str) -> None:
    try:
        first, second = (np.asarray(one, dtype=np.float64) for one in pair)
        if first.shape != second.shape:
            raise ValueError
        apart = float(np.abs(first - second).max(initial=0.0))
    except (ValueError, TypeError):
        raise OptionError(
            "The inputs are not numbers of the same shape; give two that {name!s} takes.", name=name
        ) from None
    if not apart <= reach:
        raise OptionError(
            "The inputs are {apart:g} apart and {name!s} is made for neighbours within {reach:g}; give such.",
            apart=apart,
            name=name,
            reach=reach,
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
            "The mechanism raised {kind}; mend that first, or give inputs it takes.", kind=type(failures[0]).__name__
        ) from None
