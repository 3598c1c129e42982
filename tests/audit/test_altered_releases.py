"""Releases that were altered and sealed again, so that everything in them fits: what the original shows of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from leakgauge.artefacts import Audit
from leakgauge.artefacts.codec import digest_of, text_of
from leakgauge.cli import main
from leakgauge.jobs.audit import audit_release
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import Release, ReleasePlan, verify
from leakgauge.release.record import file_digest
from leakgauge.tables import open_table
from tests.audit.attacks.cases import released

ROWS = 1200
PLAN: dict[str, Any] = {
    "illness": "randomized-response:epsilon=1,letters=flu|cold|none",
    "age": "laplace:epsilon=1,lower=0,upper=100",
}


def people() -> pa.Table:
    """Nothing tells of anything else, and a weight that the release does not have."""
    draws = simulation(1)
    return pa.table(
        {
            "illness": draws.choice(["flu", "cold", "none"], ROWS).tolist(),
            "age": draws.integers(0, 100, ROWS),
            "city": draws.choice(["Oslo", "Bergen"], ROWS).tolist(),
            "height": draws.integers(150, 190, ROWS) / 100,
            "weight": draws.integers(50, 90, ROWS),
        }
    )


def altered(made: Release, column: str, values: Any) -> Path:
    """The record of the release with other values in a column, every digest made to fit."""
    table = pq.read_table(made.output)
    pq.write_table(
        table.set_column(table.column_names.index(column), column, pa.array(values)), made.output, store_schema=False
    )
    fields = json.loads(made.record_file.read_text())
    fields["output"].update(sha256=file_digest(made.output), bytes=made.output.stat().st_size)
    made.record_file.write_text(text_of({**fields, "digest": digest_of(fields)}))
    verify(made.record_file).require()
    return made.record_file


def leaving(made: Release) -> npt.NDArray[np.int64]:
    """The rows of the table in the order of the release, as whoever alters it knows them."""
    assert made.order is not None
    return made.order.of(made.rows)


def violations(audit: Audit) -> str:
    return "; ".join(map(str, audit.violations))


def test_a_swapped_public_column_is_seen_as_it_was_released(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = people()
    made = released(open_table(table), PLAN, tmp_path, public=["city", "height"])
    honest = audit_release(made, open_table(table), secret="illness", targets=100)
    assert not honest.violated
    is_ill = np.array(table.column("illness").to_pylist()) == "flu"
    record = altered(made, "city", np.where(is_ill, "Oslo", "Bergen")[leaving(made)])
    audit = audit_release(record, open_table(table), secret="illness", targets=100)
    assert violations(audit) == "the public column city of the release contains more than that of the table"
    # And what it tells is counted.
    guessed = [one.attacks[0].success.value for one in (honest, audit)]
    assert guessed[1] > guessed[0] + 0.1
    csv.write_csv(table, tmp_path / "people.csv")
    assert main(["audit", str(record), "--original", str(tmp_path / "people.csv"), "--targets", "100"]) == 1
    assert "the public column city of the release contains more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("secret", "digits"),
    [
        # Parity, and digits of which half are even.
        ("illness", lambda steps, told: steps // 2 * 2 + told),
        ("illness", lambda steps, told: steps // 10 * 10 + steps % 5 + 5 * told),
        ("age", lambda steps, told: steps // 2 * 2 + told),
        ("weight", lambda steps, told: steps // 2 * 2 + told),
    ],
)
def test_digits_of_a_noisy_number_that_carry_a_secret(
    tmp_path: Path, secret: str, digits: Callable[[Any, Any], Any]
) -> None:
    table = people()
    made = released(open_table(table), PLAN, tmp_path, public=["city"])
    values = table.column(secret).to_numpy()
    told = values == "flu" if secret == "illness" else values > np.median(values)
    steps = pq.read_table(made.output).column("age").to_numpy()
    record = altered(made, "age", digits(steps, told.astype(np.int64)[leaving(made)]))
    withheld = ["weight"] if secret == "weight" else []
    audit = audit_release(record, open_table(table), withheld=withheld, targets=100)
    assert "the rows of age show at least" in violations(audit)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_honest_public_columns_of_every_kind_are_the_tables_own(tmp_path: Path, form: str) -> None:
    rows = 64
    at = np.arange(rows)
    table = pa.table(
        {
            "illness": np.where(at % 2, "flu", "none").tolist(),
            "code": pa.array([None if one % 5 == 0 else f"0{one % 3}" for one in at]),
            "empty": pa.array(["" if one % 4 == 0 else None if one % 4 == 1 else "x" for one in at]),
            "part": at / 7,
            "day": pa.array(at.astype("datetime64[D]")),
            "yes": at % 3 == 0,
        }
    )
    plan = ReleasePlan(
        {"illness": "randomized-response:epsilon=1,letters=flu|none"},
        public=["code", "empty", "part", "day", "yes"],
    )
    with open_table(table) as opened:
        # Of honest releases one in twenty is accused at this confidence, so this one is drawn from a seed.
        made = plan.apply(opened, tmp_path / f"o.{form}", randomness=Simulated(7))
        assert not audit_release(made, opened, targets=16).violated
