"""Rows leave in a random order, which only the holder of its key can undo."""

from __future__ import annotations

import json
import shutil
from io import BytesIO
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from leakgauge.artefacts.codec import digest_of, text_of
from leakgauge.audit.row_order import order_check
from leakgauge.cli import main
from leakgauge.errors import FileError, OptionError, VerificationError
from leakgauge.jobs.audit import audit_release
from leakgauge.randomness import Simulated
from leakgauge.randomness.row_order import RowOrder
from leakgauge.release import Release, ReleasePlan, drawing, read_plan, release, verify
from leakgauge.release.record import file_digest
from leakgauge.tables import Table, open_table
from leakgauge.tables.reordering import Scattered, reordered
from tests.release.people import put_back

LETTERS = ("cold", "flu", "measles", "none")
NOISE = "randomized-response:epsilon=3,letters=cold|flu|measles|none"
ROWS = 4000


@pytest.fixture(scope="module")
def by_secret() -> pa.Table:
    """People sorted by their illness."""
    at = np.arange(ROWS)
    city = np.random.default_rng(1).integers(3, size=ROWS)
    return pa.table(
        {"illness": [LETTERS[4 * i // ROWS] for i in at], "city": [("Oslo", "Bergen", "Moss")[c] for c in city]}
    )


@pytest.fixture(scope="module")
def made(by_secret: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Release:
    to = tmp_path_factory.mktemp("released") / "out.csv"
    return release(ReleasePlan({"illness": NOISE}, public=["city"]), open_table(by_secret), to)


def guessed_by_place(made: Release, true: pa.Table) -> float:
    """The share of secrets that the most common released value among a hundred neighbours gives back."""
    shown = np.array(pq.read_table(made.output)["illness"].to_pylist())
    right = 0
    for start in range(0, ROWS, 100):
        values, counts = np.unique(shown[start : start + 100], return_counts=True)
        right += (np.array(true["illness"].to_pylist()[start : start + 100]) == values[counts.argmax()]).sum()
    return right / ROWS


def test_a_table_sorted_by_its_secret_does_not_give_it_back(by_secret: pa.Table, tmp_path: Path) -> None:
    kept = ReleasePlan({"illness": NOISE}, keep_order=True)
    random = ReleasePlan({"illness": NOISE})
    assert guessed_by_place(release(kept, open_table(by_secret), tmp_path / "kept.parquet"), by_secret) > 0.99
    found = guessed_by_place(release(random, open_table(by_secret), tmp_path / "random.parquet"), by_secret)
    # One of four by chance, and five standard deviations of forty guesses.
    assert found < 0.25 + 5 * (0.25 * 0.75 / 40) ** 0.5


def test_the_holder_of_the_key_puts_rows_back(made: Release, by_secret: pa.Table) -> None:
    back = put_back(made)
    assert back["city"].to_pylist() == by_secret["city"].to_pylist()
    same = np.array(back["illness"].to_pylist()) == np.array(by_secret["illness"].to_pylist())
    law = np.exp(3) / (np.exp(3) + 3)
    assert abs(same.mean() - law) < 5 * (law * (1 - law) / ROWS) ** 0.5
    assert made.order is not None and made.order != RowOrder(bytes(32))


def test_the_key_is_private_and_in_no_other_file(made: Release) -> None:
    folder = made.output.parent
    file = folder / "out.csv.order.json"
    assert file.stat().st_mode & 0o777 == 0o600
    key = json.loads(file.read_text())["key"]
    assert len(key) == 64
    for other in folder.iterdir():
        assert other == file or key not in other.read_text(), other
    assert "order" not in json.loads((folder / "out.csv.public.json").read_text())


def test_a_kept_order_is_said(by_secret: pa.Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(by_secret, tmp_path / "people.parquet")
    (tmp_path / "plan.toml").write_text(f'[columns]\nillness = "{NOISE}"\n')
    asked = ["release", str(tmp_path / "people.parquet"), "--plan", str(tmp_path / "plan.toml")]
    assert main([*asked, "-o", str(tmp_path / "a.csv"), "--keep-order"]) == 0
    assert "Rows are in the table's order" in capsys.readouterr().out
    kept = Release.read(tmp_path / "a.csv.json")
    assert kept.record.plan.keep_order and kept.order is None and not (tmp_path / "a.csv.order.json").exists()
    assert "their order are public" in str(kept.record.assumptions[0])
    assert main([*asked, "-o", str(tmp_path / "b.csv")]) == 0
    assert "Rows are in the table's order" not in capsys.readouterr().out
    random = Release.read(tmp_path / "b.csv.json").record
    assert not random.plan.keep_order and "in a random order" in str(random.assumptions[0])
    # An order that is kept after all leaves no key of an older one.
    (tmp_path / "plan.toml").write_text(f'keep_order = true\n[columns]\nillness = "{NOISE}"\n')
    assert read_plan(tmp_path / "plan.toml").keep_order
    assert main([*asked, "-o", str(tmp_path / "b.csv"), "--overwrite"]) == 0
    assert not (tmp_path / "b.csv.order.json").exists()
    with pytest.raises(OptionError, match="must be of type 'bool'"):
        ReleasePlan({"illness": NOISE}, keep_order="yes")  # type: ignore[arg-type]


def test_verify_looks_for_the_key(made: Release, tmp_path: Path) -> None:
    folder = shutil.copytree(made.output.parent, tmp_path / "copy")
    record, key = folder / "out.csv.json", folder / "out.csv.order.json"

    def order_of_rows() -> bool | None:
        return next(one.holds for one in verify(record).checks if str(one.name) == "order of rows")

    assert order_of_rows() is True
    text = key.read_text()
    key.write_text(text.replace('"rows": 4000', '"rows": 4001'))
    assert order_of_rows() is False and not verify(record).holds
    with pytest.raises(VerificationError, match="not the order that the record names"):
        _ = Release.read(record).order
    key.unlink()
    # Whoever has the record without the key cannot check the order, and nothing is wrong.
    assert order_of_rows() is None and verify(record).holds
    with pytest.raises(FileError, match="put it beside the record"):
        _ = Release.read(record).order


def resealed(made: Release, folder: Path, rows: pa.Table) -> Release:
    """The release with other rows, and a record that fits them."""
    shutil.copytree(made.output.parent, folder)
    output, place = folder / made.output.name, folder / made.record_file.name
    csv.write_csv(rows, output)
    fields = json.loads(place.read_text())
    fields["output"].update(sha256=file_digest(output), bytes=output.stat().st_size)
    place.write_text(text_of({**fields, "digest": digest_of(fields)}))
    return Release.read(place)


def order_failure(found: Release, original: Table) -> str | None:
    check = order_check(found, original)
    assert check is not None
    return None if check.holds else str(check.failure)


def test_an_audit_finds_a_release_whose_order_is_not_random(made: Release, by_secret: pa.Table, tmp_path: Path) -> None:
    original = open_table(by_secret)
    assert order_failure(made, original) is None
    back = put_back(made)
    for name, rows in {
        "sorted by its secret": back,
        "sorted by what is released": back.sort_by("illness"),
        "turned round": back.take(pa.array(np.arange(ROWS)[::-1])),
    }.items():
        assert order_failure(resealed(made, tmp_path / name, rows), original) is not None, name
    audit = audit_release(Release.read(tmp_path / "sorted by its secret" / "out.csv.json"), original, simulation_seed=1)
    assert audit.violated and any(str(one).startswith("random order of rows: ") for one in audit.violations)


def test_an_audit_finds_a_kept_order_without_public_columns(by_secret: pa.Table, tmp_path: Path) -> None:
    plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=cold|flu|measles|none"})
    mixed = by_secret.select(["illness"]).take(pa.array(np.random.default_rng(2).permutation(ROWS)))
    for name, table, says in (("sorted", by_secret, "with their places"), ("mixed", mixed, "stand in the table")):
        honest = release(plan, open_table(table), tmp_path / f"{name}.csv", randomness=Simulated(3))
        assert order_failure(honest, open_table(table)) is None
        found = resealed(honest, tmp_path / name, put_back(honest))
        assert says in str(order_failure(found, open_table(table)))


def test_one_seed_is_one_release(by_secret: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever holds the rows, and in whatever pieces it hands them out."""
    monkeypatch.setattr(drawing, "BLOCK", 1000)
    pieces = pa.Table.from_batches(by_secret.to_batches(max_chunksize=333))
    pq.write_table(by_secret, tmp_path / "t.parquet", row_group_size=700)
    csv.write_csv(by_secret, tmp_path / "t.csv")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as base:
        base.register("rows", by_secret)
        base.execute("CREATE TABLE people AS SELECT * FROM rows")
    sources = (by_secret, pieces, by_secret.to_pandas(), *(str(tmp_path / f"t.{kind}") for kind in ("parquet", "csv")))
    plan, found = ReleasePlan({"illness": NOISE}, public=["city"]), list[bytes]()
    for at, source in enumerate((*sources, f"{tmp_path / 't.duckdb'}#people")):
        with open_table(source) as table:
            found.append(release(plan, table, tmp_path / f"{at}.csv", randomness=Simulated(5)).output.read_bytes())
    assert found == [found[0]] * len(found)


def test_rows_that_do_not_fit_into_memory_leave_in_the_same_order() -> None:
    order = RowOrder(bytes(range(32)))
    table = pa.table({"row": np.arange(5000), "text": [f"{i}" for i in range(5000)]})
    batches = table.to_batches(max_chunksize=700)
    wanted = table.take(pa.array(order.of(5000)))
    for parts in (1, 7, 64):
        assert pa.Table.from_batches(list(reordered(batches, order, BytesIO(), parts))).equals(wanted)
    spilling, row = Scattered(BytesIO(), order, 7, held=1 << 12), 0
    for batch in batches:
        spilling.add(batch, row)
        row += batch.num_rows
    assert len(spilling.extents) > 14
    assert pa.Table.from_batches(list(spilling.in_order())).equals(wanted)
