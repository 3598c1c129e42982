"""Spends a second, each on disk before it is acknowledged."""

from __future__ import annotations

import tempfile
import time

from _pytest.outcomes import Skipped

from leakgauge.mechanisms.steps import DiscreteGaussianNoise, LaplaceNoise
from leakgauge.release.ledger import ApproximateLimit, open_ledger
from leakgauge.release.ledger.cost import Cost
from tests.postgres import running_server


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _spends("SQLite", f"{folder}/budget.ledger", "; target at least 200")
    try:
        with running_server() as address:
            _spends("PostgreSQL", address)
    except Skipped:
        print("PostgreSQL is not here")


def _spends(name: str, address: str, target: str = "") -> None:
    cost = Cost((LaplaceNoise(1e-4), DiscreteGaussianNoise(1e4)))
    with open_ledger(address, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0, 1e-6))
        for part, count in enumerate((500, 5000)):
            start = time.perf_counter()
            for number in range(count):
                ledger.spend("survey", cost, "bench", f"{part}-{number}")
            seconds = time.perf_counter() - start
            print(f"{name}, {count} spends one after another: {count / seconds:.0f} a second{target}")
        start = time.perf_counter()
        ledger.check()
        print(f"{name}, check of 5501 entries: {time.perf_counter() - start:.2f} s")
