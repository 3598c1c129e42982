"""Other projects audit their own code in their own tests."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from leakgauge.audit import assert_satisfies
from leakgauge.claims import CentralDP, LocalDP
from leakgauge.probability import Channel
from tests.audit import broken

THEIR_TESTS = """
import random
from leakgauge.claims import LocalDP

def answer(truth):
    return truth if random.random() < KEEP else 1 - truth

def test_my_mechanism(leakgauge_audit):
    leakgauge_audit(answer, LocalDP(1.0), [(0, 1)])
"""


def test_the_fixture_is_there_in_any_project(tmp_path: Path) -> None:
    for keep in ("0.7", "0.9"):
        (tmp_path / f"test_keeps_{keep[2:]}.py").write_text(THEIR_TESTS.replace("KEEP", keep))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--leakgauge-samples", "4000", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout and "FAILED test_keeps_9.py" in done.stdout, done.stdout
    assert re.search("local-dp:1 is disproved: it is (at least|more than) [12]", done.stdout), done.stdout
    assert "by the inputs" in done.stdout


def test_the_time_of_a_test_may_be_limited(tmp_path: Path) -> None:
    theirs = THEIR_TESTS.replace("KEEP", "0.7").replace("[(0, 1)])", "[(0, 1)], samples=10**9)")
    (tmp_path / "test_theirs.py").write_text(theirs)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--leakgauge-seconds", "1", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "1 passed" in done.stdout, done.stdout
    shown = assert_satisfies(lambda value: 0, LocalDP(1.0), [(0, 1)], samples=10**9, seconds=0.2)
    assert shown.samples < 10**9


def test_a_claim_that_stands_hands_back_what_was_shown() -> None:
    shown = assert_satisfies(broken.laplace(1, 1.0), CentralDP(1.0), [(0.0, 1.0)], batched=True)
    assert 0.5 < shown.at_least < 1.0


def test_a_failed_check_alone_fails_the_test() -> None:
    with pytest.raises(AssertionError, match=r"is in doubt after .* fresh noise"):
        assert_satisfies(broken.stale_key(1), LocalDP(1.0), [(0, 1)], batched=True)


def test_an_exact_level_is_said_to_be_exact() -> None:
    with pytest.raises(AssertionError, match="exactly, by the inputs"):
        assert_satisfies(Channel([0, 1], [0, 1], [[0.9, 0.1], [0.1, 0.9]]), LocalDP(1.0))


def test_loading_the_plugin_loads_nothing_heavy() -> None:
    code = "import sys, leakgauge.pytest_plugin; sys.exit('numpy' in sys.modules or 'leakgauge.audit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
