"""Kill -9 at every step of a release, and at random instants: nothing half-written, nothing spent twice or unspent."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from leakgauge.artefacts import Record
from leakgauge.randomness import simulation
from leakgauge.release import ReleasePlan, release, verify
from leakgauge.release.execution import Stage
from leakgauge.release.ledger import ApproximateLimit, open_ledger
from leakgauge.release.ledger.entry import Kind
from tests.forks import PROCESSES
from tests.release.people import opened

PLAN = ReleasePlan(
    {
        "age": "laplace:epsilon=1,lower=0,upper=120,grid=1",
        "illness": "randomized-response:epsilon=1,letters=flu|none|cold",
    },
    public=["city"],
)
ROWS = 60_000


def releasing(folder: str, rows: int, stage: str | None, ready: object, overwrite: bool = False) -> None:
    """What the killed process does; at a stage it kills itself."""

    def fall(reached: Stage, drawn: int, /) -> None:
        if reached == stage:
            os.kill(os.getpid(), signal.SIGKILL)

    place, table = Path(folder), opened(rows)
    with open_ledger(place / "budget") as ledger:
        if ready is not None:
            ready.set()  # type: ignore[attr-defined]
        release(
            PLAN,
            table,
            place / "out.parquet",
            record=place / "out.json",
            ledger=ledger,
            dataset="people",
            overwrite=overwrite,
            progress=fall,
        )


def budget(folder: Path) -> None:
    with open_ledger(folder / "budget", create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(1000.0, 0.0))


def require_consistent(folder: Path, spends: int) -> bool:
    """Whether a release is there; after a kill it is there whole, recorded and paid for, or not at all."""
    with open_ledger(folder / "budget") as ledger:
        ledger.check()
        entries = [entry for entry in ledger.entries("people") if entry.kind is Kind.SPEND]
        assert len(entries) <= spends
        assert ledger.spent("people").epsilon == 2.0 * len(entries)
        assert len({entry.reference for entry in entries}) == len(entries)
        out = folder / "out.parquet"
        if not out.exists():
            return False
        found = verify(folder / "out.json")
        found.require()
        assert isinstance(found.record, Record) and found.record.budget.ledger is not None
        entry = ledger.entry(found.record.reference)
        assert entry is not None and entry.hash == found.record.budget.ledger.hash
        return True


def finish(folder: Path, spent: int) -> None:
    """The same release again, to its end: it spends anew, because what was drawn before may have been seen."""
    worker = PROCESSES.Process(target=releasing, args=(str(folder), 100, None, None, True))
    worker.start()
    worker.join(60)
    assert worker.exitcode == 0 and require_consistent(folder, spent + 1)
    with open_ledger(folder / "budget") as ledger:
        assert verify(folder / "out.json", ledger=ledger).holds


@pytest.mark.parametrize("stage", list(Stage))
def test_killed_at_a_step(tmp_path: Path, stage: Stage) -> None:
    budget(tmp_path)
    worker = PROCESSES.Process(target=releasing, args=(str(tmp_path), 1_000, stage.value, None))
    worker.start()
    worker.join(120)
    assert worker.exitcode == -signal.SIGKILL
    there = require_consistent(tmp_path, 1)
    assert there == (stage in (Stage.RELEASED, Stage.COMPLETED))
    with open_ledger(tmp_path / "budget") as ledger:
        # Counted from the moment the budget is spent, whether or not a release came of it.
        assert (ledger.spent("people").epsilon > 0) == (stage is not Stage.CHECKED)
    finish(tmp_path, 1)


def killed_at_random(folder: Path, kills: int, seed: int) -> None:
    # The instants are part of the test, not of a release.
    random = simulation(seed)
    budget(folder)
    longest, there = 1.0, 0
    for attempt in range(kills):
        for name in ("out.parquet", "out.json"):
            (folder / name).unlink(missing_ok=True)
        ready = PROCESSES.Event()
        worker = PROCESSES.Process(target=releasing, args=(str(folder), ROWS, None, ready))
        worker.start()
        assert ready.wait(60)
        started = time.monotonic()
        worker.join(random.uniform(0, longest))
        if worker.exitcode is None:
            os.kill(worker.pid or 0, signal.SIGKILL)
        else:
            longest = min(longest, 1.2 * (time.monotonic() - started))
        worker.join(60)
        there += require_consistent(folder, attempt + 1)
    assert there < kills, "no kill came in time"
    finish(folder, kills)


def test_killed_at_a_few_random_instants(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 4, seed=20)


@pytest.mark.nightly
def test_killed_at_two_hundred_random_instants(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 200, seed=int(time.time()))
