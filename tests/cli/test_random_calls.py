"""Odd tables and random options: no traceback, no bug, no hang, and nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leakgauge.cli import main
from tests.cli.random_calls import call, write_inputs
from tests.grids import nightly
from tests.jobs.finished import Finished

EVERY_RUN, EVERY_NIGHT = 1_000, 100_000
SECONDS = 60
"""A call of a table of sixty rows takes a second or two at most; the rest is for busy machines."""


class Hangs(BaseException):
    """No error, so that the command line does not tell it as one."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Hangs

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


CHUNKS = [
    range(EVERY_RUN),
    *map(nightly, (range(at, at + EVERY_RUN) for at in range(EVERY_RUN, EVERY_NIGHT, EVERY_RUN))),
]


@pytest.mark.parametrize("numbers", CHUNKS, ids=str)
def test_no_call_ends_in_a_bug(
    numbers: range,
    finished_job: Finished,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "in").mkdir()
    write_inputs(tmp_path / "in", finished_job.folder)
    inputs = sorted(one.name for one in (tmp_path / "in").iterdir())
    scratch = tmp_path / "scratch"
    codes: Counter[int] = Counter()
    for number in numbers:
        words = call(number, inputs)
        scratch.mkdir()
        monkeypatch.chdir(scratch)
        with at_most(SECONDS):
            code = main(list(words))
        shown = capsys.readouterr()
        wrong = _fault(code, shown.out, shown.err, scratch)
        assert wrong is None, f"{wrong}: call {number}, leakgauge {words}, exit {code}, {shown.err[-500:]}"
        codes[code] += 1
        shutil.rmtree(scratch)
    assert sorted(one.name for one in (tmp_path / "in").iterdir()) == inputs
    assert codes[0] > len(numbers) / 40, codes  # not all of them are refused


def _fault(code: int, out: str, err: str, scratch: Path) -> str | None:
    """What a call did that none may do."""
    said = err.splitlines()
    if code not in (0, 1, 2):
        return "an exit code of a bug or a failed disk"
    if "Traceback" in out + err:
        return "a traceback"
    if code and (not said or ('"error": ' not in said[-1] and not said[-1].startswith("leakgauge: "))):
        return "a refusal without its sentence"
    left = [Path(place) / name for place, _, names in os.walk(scratch) for name in names]
    if any(one.name.startswith(".") and one.name != ".lock" for one in left):
        return "a draft left behind"
    if code == 2 and left:
        return f"files of a refused call, {left[0].name}"
    for one in left:
        if one.suffix == ".json":
            json.loads(one.read_bytes())
    return None
