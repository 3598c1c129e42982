"""Many processes at once, and processes that are killed: never too much, never lost, never half."""

from __future__ import annotations

import itertools
import os
import signal
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event

import pytest

from leakgauge.errors import BudgetError
from leakgauge.mechanisms.steps import DiscreteGaussianNoise, GaussianNoise, LaplaceNoise, RandomizedResponse
from leakgauge.release.ledger import ApproximateLimit, Ledger, open_ledger
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Kind
from tests.forks import PROCESSES

COST = Cost((LaplaceNoise(0.01),))
MIXED = (
    Cost((LaplaceNoise(0.002),)),
    Cost((DiscreteGaussianNoise(400.0), RandomizedResponse(0.001))),
    Cost((GaussianNoise(500.0),)),
)


def spending(address: str, costs: tuple[Cost, ...], go: Event, told: Connection) -> None:
    """Spends one cost after another until the limit, and tells each spend that was made."""
    with open_ledger(address) as ledger:
        told.send("ready")
        assert go.wait(60)
        for number in itertools.count():
            reference = f"{os.getpid()}-{number}"
            try:
                ledger.spend("survey", costs[number % len(costs)], "a test", reference)
            except BudgetError:
                break
            told.send(reference)


class Spender:
    """A process that spends."""

    def __init__(self, address: str, *costs: Cost) -> None:
        self.go = PROCESSES.Event()
        self._heard, told = PROCESSES.Pipe(duplex=False)
        self.process = PROCESSES.Process(target=spending, args=(address, costs or (COST,), self.go, told))
        self.process.start()
        told.close()

    def wait_until_ready(self) -> None:
        assert self._heard.poll(60) and self._heard.recv() == "ready"

    def wait_until_spent(self) -> None:
        assert self._heard.poll(60)

    def ended(self) -> list[str]:
        """What it had told when it ended."""
        told: list[str] = []
        with suppress(EOFError), self._heard:
            while True:
                told.append(self._heard.recv())
        self.process.join(60)
        return told


def references(ledger: Ledger) -> list[str]:
    return [entry.reference for entry in ledger.entries("survey") if entry.kind is Kind.SPEND]


def test_sixteen_processes_fill_the_limit_exactly(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(2.0))
    spenders = [Spender(address) for _ in range(16)]
    for spender in spenders:
        spender.wait_until_ready()
    for spender in spenders:
        spender.go.set()
    acknowledged = [reference for spender in spenders for reference in spender.ended()]
    assert [spender.process.exitcode for spender in spenders] == [0] * 16
    assert len(acknowledged) == 200
    assert sorted(acknowledged) == sorted(references(ledger))
    assert ledger.spent("survey").epsilon == 2.0
    assert ledger.check() == ledger.head


@pytest.mark.parametrize("limit", [0.25, 0.1])
def test_processes_never_pass_a_limit_of_mixed_releases(ledger: Ledger, address: str, limit: float) -> None:
    ledger.open_account("survey", ApproximateLimit(limit, 1e-6))
    spenders = [Spender(address, *MIXED), Spender(address, *MIXED[::-1])]
    for spender in spenders:
        spender.wait_until_ready()
    for spender in spenders:
        spender.go.set()
    acknowledged = [reference for spender in spenders for reference in spender.ended()]
    assert [spender.process.exitcode for spender in spenders] == [0, 0]
    assert len(acknowledged) > 10 and sorted(acknowledged) == sorted(references(ledger))
    assert ledger.composition("survey").epsilon <= ledger.spent("survey").at_delta <= limit
    assert ledger.check() == ledger.head


def killed_at(address: str, delay: float, spent: bool, *costs: Cost) -> list[str]:
    """What a process had acknowledged when it was killed, so long after its start or after its first spend."""
    spender = Spender(address, *costs)
    spender.wait_until_ready()
    spender.go.set()
    if spent:
        spender.wait_until_spent()
    time.sleep(delay)
    os.kill(spender.process.pid or 0, signal.SIGKILL)
    told = spender.ended()
    assert spender.process.exitcode == -signal.SIGKILL
    return told


def kill_and_look(address: str, delays: list[float], *costs: Cost) -> None:
    acknowledged: list[str] = []
    for turn, delay in enumerate(delays):
        acknowledged += killed_at(address, delay, turn % 2 == 1, *costs)
        with open_ledger(address) as ledger:
            made = references(ledger)
            assert set(acknowledged) <= set(made)
            # At most one spend a kill was made without being acknowledged: it counts.
            assert len(made) - len(acknowledged) <= len(delays)
            if costs:
                assert ledger.spent("survey").at_delta <= 1.0
            else:
                assert ledger.spent("survey").epsilon == pytest.approx(len(made) * 0.01)
            ledger.check()
    assert len(acknowledged) > 0


def test_a_kill_loses_no_acknowledged_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1e6))
    kill_and_look(address, [0.003, 0.0171, 0.0532, 0.1037])


def test_a_kill_loses_no_acknowledged_mixed_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    kill_and_look(address, [0.0171, 0.0532], *MIXED)


@pytest.mark.nightly
def test_many_kills_lose_no_acknowledged_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1e6))
    kill_and_look(address, [0.001 + 0.00137 * turn for turn in range(100)])


@pytest.mark.nightly
def test_many_kills_lose_no_acknowledged_mixed_spend(ledger: Ledger, address: str) -> None:
    ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
    kill_and_look(address, [0.001 + 0.00137 * turn for turn in range(110)], *MIXED)
