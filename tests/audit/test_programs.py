"""Programs that write numbers, words, or both, and more than they should."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from leakgauge.audit import Program, lower_bound
from leakgauge.audit.outputs import program_outputs
from leakgauge.claims import CentralDP, LocalDP
from leakgauge.errors import ModelError
from tests.audit.seeded_programs import seeded_program

PAIR = [("0", "1")]


def program(folder: Path, code: str) -> Program:
    return Program(seeded_program(folder, code))


def test_a_word_among_numbers_does_not_hide_them(tmp_path: Path) -> None:
    code = "print('none' if random.random() < 0.3 else float(line) + random.choice([-1, 1]) * random.expovariate(10))"
    shown = lower_bound(program(tmp_path, code), CentralDP(1.0), PAIR, samples=4_000)
    assert shown.violated


def test_a_word_that_is_rare_is_read_alike_in_every_round(tmp_path: Path) -> None:
    code = "print('none' if random.random() < 0.0007 else round(float(line) + random.gauss(0, 9), 2))"
    shown = lower_bound(program(tmp_path, code), CentralDP(1.0), PAIR, samples=8_000)
    assert shown.samples == 8_000
    assert not shown.violated


def test_how_a_number_is_written_tells_too(tmp_path: Path) -> None:
    shown = lower_bound(program(tmp_path, "print('1' if line == '0\\n' else '1.0')"), LocalDP(1.0), PAIR, samples=2_000)
    assert shown.violated
    assert shown.deterministic


def test_lines_are_texts_with_numbers() -> None:
    found = program_outputs(["1.5", "none", "inf"])
    assert found["text"].tolist() == ["1.5", "none", "inf"]
    assert found["numbers"][:, 0].tolist()[::2] == [1.5, float("inf")]


def test_a_program_that_writes_without_end_is_stopped() -> None:
    start = time.monotonic()
    with pytest.raises(ModelError, match="wrote more than"):
        lower_bound(Program("yes"), LocalDP(1.0), PAIR, seconds=30)
    assert time.monotonic() - start < 20


def test_a_slow_program_is_audited_on_what_it_wrote_in_time(tmp_path: Path) -> None:
    shown = lower_bound(
        program(tmp_path, "__import__('time').sleep(0.002); print(line.strip())"), LocalDP(50.0), PAIR, seconds=3
    )
    assert 250 <= shown.samples < 10_000
