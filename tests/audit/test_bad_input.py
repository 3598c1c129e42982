"""What an audit says of mechanisms and inputs it cannot use: one sentence."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from leakgauge.audit import DeclaredNoise, Program, lower_bound
from leakgauge.claims import CentralDP, LocalDP, MutualInformation, RenyiDP
from leakgauge.errors import EngineError, LeakgaugeError, ModelError, OptionError
from leakgauge.mechanisms import exponential, laplace, randomized_response
from leakgauge.mechanisms.noise import DiscreteLaplace

PAIR = [(0.0, 1.0)]


def fails(value: float) -> float:
    raise RuntimeError(f"secret {value}")


def hangs(value: float) -> float:
    time.sleep(60)
    return value


def alternating() -> Callable[[float], object]:
    kinds: Iterator[object] = iter([1.5, "a"] * 1000)
    return lambda value: next(kinds)


@pytest.mark.parametrize(
    ("work", "error", "says"),
    [
        (lambda: lower_bound(fails, CentralDP(1.0), PAIR), EngineError, "raised RuntimeError"),
        (lambda: lower_bound(hangs, CentralDP(1.0), PAIR, seconds=0.5), EngineError, "no output in time"),
        (lambda: lower_bound(lambda value: math.nan, CentralDP(1.0), PAIR), ModelError, "NaN in 250 of 250"),
        (lambda: lower_bound(alternating(), CentralDP(1.0), PAIR), ModelError, "different kinds (label, number)"),
        (lambda: lower_bound(lambda v: [1.0] * (1 + int(v)), CentralDP(1.0), PAIR), ModelError, "different lengths"),
        (lambda: lower_bound(lambda v: "a" if v else 1.0, CentralDP(1.0), PAIR), ModelError, "different kinds"),
        (lambda: lower_bound(lambda v, n: np.zeros(3), CentralDP(1.0), PAIR, batched=True), ModelError, "gave 3"),
        (lambda: lower_bound(lambda value: 0, CentralDP(1.0), []), OptionError, "No pair"),
        (lambda: lower_bound(lambda value: 0, CentralDP(1.0), [(1, 2, 3)]), OptionError, "does not have 2 inputs"),  # type: ignore[list-item]
        (lambda: lower_bound(lambda value: 0, CentralDP(1.0)), OptionError, "inputs of the mechanism are unknown"),
        (lambda: lower_bound(3, CentralDP(1.0), PAIR), OptionError, "int cannot be run"),
        (lambda: lower_bound(laplace(1.0, sensitivity=1), pairs=[(0, 2)]), OptionError, "2 apart"),
        (lambda: lower_bound(laplace(1.0, sensitivity=1), pairs=[("a", "b")]), OptionError, "not numbers"),
        (lambda: lower_bound(exponential(1.0, sensitivity=1.0), pairs=[([0, 0], [0, 3])]), OptionError, "3 apart"),
        (
            lambda: lower_bound(randomized_response(1.0, letters="abc"), pairs=[("a", "z")]),
            OptionError,
            "'z' is not a letter",
        ),
        (lambda: lower_bound(hangs, MutualInformation(1.0), PAIR), OptionError, "not a claim about two inputs"),
        (lambda: lower_bound(hangs, RenyiDP(1.0, math.inf), PAIR), OptionError, "order of inf"),
        (lambda: lower_bound(hangs, CentralDP(1.0), PAIR, samples=3), OptionError, "3 outputs"),
        (lambda: lower_bound(hangs, CentralDP(1.0), PAIR, confidence=1.0), OptionError, "confidence of 1.0"),
        (lambda: DeclaredNoise(DiscreteLaplace, 0.0, 1.0), OptionError, "scale of 0.0"),
        (lambda: Program(""), OptionError, "is not a command"),
        (lambda: lower_bound(Program("no-such-program"), LocalDP(1.0), PAIR), OptionError, "cannot be started"),
    ],
)
def test_one_sentence(work: Callable[[], object], error: type[LeakgaugeError], says: str) -> None:
    with pytest.raises(error) as found:
        work()
    assert says in str(found.value)
    assert "secret" not in str(found.value)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("code", "error", "says"),
    [
        ("import sys; sys.exit(3)", EngineError, "status 3"),
        ("print(1)", ModelError, "wrote 1"),
        ("import sys; [print('nan') for _ in sys.stdin]", ModelError, "NaN"),
        ("import time; time.sleep(60)", EngineError, "no output in time"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\n')", ModelError, "UTF-8"),
    ],
)
def test_programs_that_fail_get_one_sentence(code: str, error: type[LeakgaugeError], says: str, tmp_path: Path) -> None:
    place = tmp_path / "program.py"
    place.write_text(code)
    with pytest.raises(error, match=says):
        lower_bound(Program(f"{sys.executable} {place}"), LocalDP(1.0), PAIR, seconds=2)


def test_too_few_outputs_show_nothing_and_say_how_little() -> None:
    shown = lower_bound(laplace(1.0, sensitivity=1), samples=12)
    assert shown.at_least < 0.5
    assert shown.estimate is not None
    assert (shown.samples, shown.lower_bound.high) == (12, math.inf)


def test_a_slow_mechanism_is_audited_on_what_it_gave_in_time() -> None:
    def slow(value: float) -> float:
        time.sleep(0.002)
        return value

    shown = lower_bound(slow, CentralDP(50.0), PAIR, seconds=1.0)
    assert 4 <= shown.samples < 5_000


def test_infinite_outputs_are_outputs() -> None:
    shown = lower_bound(lambda value: math.inf if value else 0.5, CentralDP(1.0), PAIR, samples=2_000)
    assert shown.violated
