"""A disk that is too full refuses a release before anything is spent; what is reserved is never too little."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.cli import main
from leakgauge.drafts import draft
from leakgauge.errors import EngineError
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, release
from leakgauge.release.bound import bind
from leakgauge.release.ledger import ApproximateLimit, open_ledger
from leakgauge.release.sizes import largest_record, largest_release
from leakgauge.tables import open_table
from tests.grids import diagonal
from tests.release.people import people

LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2);"
    "from leakgauge.cli import main; sys.exit(main(sys.argv[2:]))"
)
"""Files may not grow beyond so many bytes: the same refusal as a full disk, from the same calls."""


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_full_disk_costs_nothing(tmp_path: Path, suffix: str) -> None:
    source, plan, address = tmp_path / "big.parquet", tmp_path / "plan.toml", tmp_path / "people.ledger"
    pq.write_table(people(60_000), source)
    plan.write_text('[columns]\nage = "laplace:epsilon=1,lower=0,upper=120"\n')
    with open_ledger(address, create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(3.0, 0.0))
    before = sorted(path.name for path in tmp_path.iterdir())
    out = tmp_path / f"out.{suffix}"
    arguments = ["release", source, "--plan", plan, "--ledger", address, "--dataset", "people", "-o", out]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(1 << 18), *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == EngineError.exit_code, done.stderr
    assert "could not be written" in done.stderr and "Traceback" not in done.stderr
    with open_ledger(address) as ledger:
        assert ledger.spent("people").epsilon == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    # The same with room for it.
    assert main([str(one) for one in arguments]) == 0


def test_a_disk_without_room_is_told_from_the_space_that_is_needed(tmp_path: Path) -> None:
    with draft(tmp_path / "out.csv") as made, pytest.raises(EngineError, match="may take 1,152,921,504,606,846,976"):
        made.reserve(1 << 60)
    assert not list(tmp_path.iterdir())


def test_what_was_reserved_and_not_needed_is_given_back(tmp_path: Path) -> None:
    with draft(tmp_path / "out.txt") as made:
        made.reserve(1 << 20)
        assert made.path.stat().st_blocks * 512 >= 1 << 20
        made.write("few")
        made.keep()
    assert (tmp_path / "out.txt").read_text() == "few"
    assert (tmp_path / "out.txt").stat().st_blocks * 512 < 1 << 20


def table_of_everything(rows: int) -> pa.Table:
    """Columns that take as much as their kind can, and do not compress."""
    bits = np.random.default_rng(7)
    signs = np.array(list('"",\n|é漢🙂ab'))
    return pa.table(
        {
            "quotes": ["".join(bits.choice(signs, bits.integers(0, 40))) for _ in range(rows)],
            "digits": pa.array(bits.integers(-(2**63), 2**63 - 1, rows)),
            "small": pa.array(bits.standard_normal(rows) * 1e-300),
            "money": pa.array(
                [Decimal(int(one)) / 10**9 for one in bits.integers(0, 10**18, rows)], pa.decimal128(38, 9)
            ),
            "when": pa.array([datetime(2024, 1, 1, 1, 1, 1, at % 10**6, UTC) for at in range(rows)]),
            "letter": [["a", 'a "long" one é', "漢字" * 9][at % 3] for at in range(rows)],
            "some": pa.array([None if at % 2 else "x" for at in range(rows)]),
            "age": pa.array([at % 90 for at in range(rows)]),
        }
    )


@pytest.mark.parametrize(
    ("suffix", "rows", "mechanism"),
    diagonal(["csv", "parquet"], [1, 2000], ["randomized-response", "unary-encoding", "subset-selection", "channel"]),
)
def test_what_is_reserved_is_enough(tmp_path: Path, suffix: str, rows: int, mechanism: str) -> None:
    table = open_table(table_of_everything(rows))
    letters = ["a", 'a "long" one é', "漢字" * 9]
    escaped = "|".join(letters)
    how = f"{mechanism}:epsilon=0.01,letters={escaped}"
    channel = NamedChannel(Channel(letters, letters, np.full((3, 3), 1 / 3)), ("letter",), ("l",), PriorOrigin.PUBLIC)
    plan = ReleasePlan(
        {
            "letter": channel if mechanism == "channel" else how,
            # So much noise that the numbers are as long as they can be.
            "small": "laplace:epsilon=1e-6,lower=-1e300,upper=1e300",
            "age": "geometric:epsilon=1e-8,lower=0,upper=100",
        },
        public=["quotes", "digits", "money", "when", "some"],
    )
    bound = bind(plan, table)
    made = release(plan, table, tmp_path / f"out.{suffix}", randomness=Simulated(1))
    most = largest_release(bound, made.output, simulated=True)
    assert made.output.stat().st_size <= most
    for record in (made.record_file, made.public_record_file):
        assert record.stat().st_size <= largest_record(bound)
    if suffix == "csv" and rows > 1:
        # Nor is a disk refused that has several times the room.
        assert most < 4 * made.output.stat().st_size
