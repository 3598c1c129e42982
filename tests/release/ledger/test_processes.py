"""Many processes at once, and processes that are killed: never too much, never lost, never half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leakgauge.notions.composition import LaplaceNoise
from leakgauge.release.ledger import ApproximateLimit, Cost, Kind, Ledger, open_ledger

COST = Cost((LaplaceNoise(0.01),))
SPENDING = """
import itertools, os, sys
from leakgauge.errors import BudgetError
from leakgauge.release.ledger import open_ledger
from tests.release.ledger.test_processes import COST
ledger = open_ledger(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in itertools.count():
    reference = f"{os.getpid()}-{number}"
    try:
        ledger.spend("survey", COST, "a test", reference)
    except BudgetError:
        break
    print(reference, flush=True)
"""


def start(address: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SPENDING, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def wait_until_ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def references(ledger: Ledger) -> list[str]:
    return [entry.reference for entry in ledger.entries("survey") if entry.kind is Kind.SPEND]


def test_sixteen_processes_fill_the_limit_exactly(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(2.0))
    processes = [start(address) for _ in range(16)]
    for process in processes:
        wait_until_ready(process)
    for process in processes:
        go(process)
    acknowledged = [line for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 16
    assert len(acknowledged) == 200
    assert sorted(acknowledged) == sorted(references(ledger))
    assert ledger.spent("survey").epsilon == 2.0
    assert ledger.check() == ledger.head


def killed_at(address: str, delay: float) -> list[str]:
    """What a process had acknowledged when it was killed."""
    process = start(address)
    wait_until_ready(process)
    go(process)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    told = process.communicate()[0]
    assert process.returncode == -signal.SIGKILL
    return told.split("\n")[:-1]  # without a line cut short


def kill_and_look(address: str, delays: list[float]) -> None:
    acknowledged: list[str] = []
    for delay in delays:
        acknowledged += killed_at(address, delay)
        with open_ledger(address) as ledger:
            made = references(ledger)
            assert set(acknowledged) <= set(made)
            # At most one spend a kill was made without being acknowledged: it counts.
            assert len(made) - len(acknowledged) <= len(delays)
            assert ledger.spent("survey").epsilon == pytest.approx(len(made) * 0.01)
            ledger.check()
    assert len(acknowledged) > 0


def test_a_kill_loses_no_acknowledged_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1e6))
    kill_and_look(address, [0.003, 0.0171, 0.0532, 0.1037])


@pytest.mark.nightly
def test_many_kills_lose_no_acknowledged_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1e6))
    kill_and_look(address, [0.001 + 0.00137 * turn for turn in range(100)])
