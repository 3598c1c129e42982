"""Texts of which no two need be alike: what tells the inputs apart is found, and right mechanisms are not accused."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from leakgauge.artefacts import Shown, codec
from leakgauge.audit import Program, lower_bound
from leakgauge.audit.betting import STAKES
from leakgauge.audit.events import learned
from leakgauge.audit.outputs import as_outputs, program_outputs
from leakgauge.claims import LocalDP
from leakgauge.cli import main
from leakgauge.randomness import simulation
from tests.audit.seeded_programs import seeded_program

if TYPE_CHECKING:
    from numpy.random import Generator

SAMPLES, PAIR = 3_000, [(0, 1)]
HEX = "0123456789abcdef"

Mechanism = Callable[["Generator", int], Any]


def token(draw: Generator, length: int = 12, letters: str = HEX) -> str:
    return "".join(letters[at] for at in draw.integers(0, len(letters), length))


def audited(mechanism: Mechanism, seed: int = 1, samples: int = SAMPLES, claim: LocalDP | None = None) -> Shown:
    draw = simulation(seed)
    return lower_bound(lambda value: mechanism(draw, value), claim, PAIR, samples=samples, stop_early=False)


PLANTED: dict[str, Mechanism] = {
    "first character": lambda draw, value: "ab"[value] + token(draw),
    "last character": lambda draw, value: token(draw) + "ab"[value],
    "length": lambda draw, value: token(draw, 12 + value),
    "trailing zero": lambda draw, value: f"{draw.integers(1, 10**9) * 10 + 5}{'0' * value}",
    "trailing zero of a decimal": lambda draw, value: f"{draw.integers(10**9)}.{draw.integers(1, 10)}{'0' * value}",
    "trailing zero inside JSON": lambda draw, value: f'{{"x": {draw.integers(10**12)}.5{"0" * value}}}',
    "case": lambda draw, value: [str.lower, str.upper][value](token(draw, letters="ghijklmnop")),
    "a digit": lambda draw, value: token(draw, 11, "ghijklmnop") + ("7" if value else "g"),
    "a space": lambda draw, value: f"{token(draw, 5)}{' -'[value]}{token(draw, 5)}",
    "a prefix of three characters": lambda draw, value: ["axq", "axr"][value] + token(draw),
    "one character in the middle": lambda draw, value: (
        f"{token(draw, 6)}{HEX[2 * draw.integers(8) + value]}{token(draw, 6)}"
    ),
    "length of a long text": lambda draw, value: "answer: " + token(draw, 100 + value),
    "end of a long text": lambda draw, value: token(draw, 100) + "yn"[value],
    "a letter beyond ASCII": lambda draw, value: token(draw, 6) + "aä"[value] + token(draw, 6),
    "bytes": lambda draw, value: ("ab"[value] + token(draw)).encode(),
    "a text in a list": lambda draw, value: [token(draw), "ab"[value] + token(draw)],
    "a number after words": lambda draw, value: f"{token(draw, 8, 'ghij')} = {100 * value + draw.random():.9f}",
}


@pytest.mark.parametrize("mechanism", PLANTED.values(), ids=PLANTED)
def test_what_tells_texts_apart_is_found(mechanism: Mechanism) -> None:
    shown = audited(mechanism)
    # 2250 of 2250 against 0 of 2250 show 6.4 at 95%.
    assert shown.at_least > 6
    assert not str(shown.note)


def test_texts_that_tell_now_and_then_are_found() -> None:
    def rarely(draw: Generator, value: int) -> str:
        told = value and draw.random() < 0.03
        return ("zz" if told else token(draw, 2)) + token(draw)

    shown = audited(rarely, samples=8_000)
    # 180 of 6000 against none show 3.7 at 95%.
    assert shown.at_least > 3.3


def test_characters_are_counted_from_the_first_one_of_the_text() -> None:
    shown = audited(PLANTED["one character in the middle"])
    assert str(shown.event).startswith("character 7 ")
    assert str(audited(PLANTED["first character"]).event) == "text that begins with 'a'"


def test_lines_of_a_program_are_compared_as_texts_too(tmp_path: Path) -> None:
    body = "print(('a' if line == '0\\n' else 'b') + ''.join(random.choices('0123456789abcdef', k=12)))"
    program = Program(seeded_program(tmp_path, body))
    shown = lower_bound(program, None, [("0", "1")], samples=SAMPLES, stop_early=False)
    assert shown.at_least > 6
    assert str(shown.event) == "text that begins with 'a'"


def test_bets_on_texts_stop_early() -> None:
    draw = simulation(1)
    shown = lower_bound(lambda value: "ab"[value] + token(draw), LocalDP(1.0), PAIR, samples=SAMPLES)
    assert shown.stopped_early
    assert shown.samples <= 1_000


def salted(draw: Generator, value: int) -> str:
    salt = draw.bytes(16)
    return salt.hex() + hashlib.sha256(salt + bytes([value])).hexdigest()


INNOCENT: dict[str, tuple[float, Mechanism]] = {
    "uuid": (0.0, lambda draw, value: str(uuid.UUID(bytes=draw.bytes(16), version=4))),
    "salted hash": (0.0, salted),
    "noise as text": (1.0, lambda draw, value: f"{value + draw.laplace(0, 1):.3f}"),
    "JSON": (
        1.0,
        lambda draw, value: json.dumps({"id": token(draw, 4), "count": round(value + draw.laplace(0, 1), 2)}),
    ),
    "first character of randomized response": (
        1.0,
        lambda draw, value: "ab"[value ^ (draw.random() > np.e / (1 + np.e))] + token(draw, 6),
    ),
}


def accused(runs: int, stop_early: bool) -> int:
    """How many audits accuse a right mechanism, so many of each."""
    found = 0
    for epsilon, mechanism in INNOCENT.values():
        for seed in range(runs):
            draw = simulation(seed)
            run = partial(mechanism, draw)
            found += lower_bound(run, LocalDP(epsilon), PAIR, samples=400, stop_early=stop_early).violated
    return found


def test_right_mechanisms_that_write_texts_are_rarely_accused() -> None:
    # The 99.9 % quantile of 15 at 5 %.
    assert accused(3, stop_early=True) <= 4


@pytest.mark.nightly
@pytest.mark.parametrize("stop_early", [False, True])
def test_right_mechanisms_that_write_texts_are_rarely_accused_in_the_long_run(stop_early: bool) -> None:
    # The 99.9 % quantile of 1000 at 5%.
    assert accused(200, stop_early) <= 72


@pytest.mark.parametrize("name", ["uuid", "salted hash"])
def test_texts_that_cannot_be_compared_are_said_to_be_so(name: str) -> None:
    shown = audited(INNOCENT[name][1], samples=1_000)
    assert str(shown.note).startswith("Texts could not be compared")
    assert codec.encode(shown)["note"] == str(shown.note)
    assert str(shown.note) in shown._repr_html_()


@pytest.mark.parametrize(("language", "says"), [("en", "Texts could not be compared"), ("zh", "文本无法比较")])
def test_the_screen_says_that_texts_could_not_be_compared(
    language: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = seeded_program(tmp_path, "print('%032x' % random.getrandbits(128))")
    given = ["--program", program, "--claim", "local-dp:1", "--inputs", "0", "1", "--samples", "500"]
    assert main(["audit", *given, "--language", language]) == 0
    assert says in capsys.readouterr().out


@pytest.mark.parametrize("mechanism", [lambda draw, value: "same", lambda draw, value: f"{draw.normal():.3f}"])
def test_texts_that_come_again_or_are_few_are_compared(mechanism: Mechanism) -> None:
    assert not str(audited(mechanism, samples=1_000).note)


def test_all_kinds_of_events_together_stake_no_more_than_there_is() -> None:
    draw = simulation(1)
    numbers = draw.normal(0, 100, 400).round(2)
    numbers[:40] = 0.5
    lines = [f"{number:.2f}" if draw.random() < 0.5 else f"{number} Ä aB: {token(draw)}" for number in numbers]
    kinds = [
        np.column_stack([numbers, numbers]).round(),
        np.round(numbers / 100),
        numbers,
        program_outputs([*lines, *lines[:50]]),
        as_outputs(lines),
    ]
    stakes = {one.name: one.stake for outputs in kinds for one in learned(outputs, outputs, None)}
    stakes |= {one.name: one.stake for one in learned(numbers, numbers, lambda outputs: outputs)}
    assert len(stakes) >= 20
    assert 2 * sum(stakes.values()) < STAKES
