"""An engine is a file, a line in the registry and a row in the reference: shown by a toy with tables in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.measurement import Measurement
from leakgauge.jobs.measure import Roles, measure
from leakgauge.probability import Counts
from leakgauge.tables import Binning, Column, Kind, Table, open_table
from leakgauge.tables.binnings import Learnt, Quantiles
from leakgauge.tables.opening import ENGINES, source_files
from leakgauge.tables.reading import Reading
from leakgauge.tables.table import Moments

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
PEOPLE = {"illness": ["flu", "none", "none", "flu", "none", "?"] * 20, "city": ["A", "B", "B", "A", "A", "B"] * 20}


class ToyTable(Table):
    """Columns of texts in a dictionary."""

    def __init__(self, columns: Mapping[str, Sequence[str | None]]) -> None:
        self._columns = columns

    @property
    def rows(self) -> int:
        return len(next(iter(self._columns.values())))

    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(name, Kind.STRING) for name in self._columns)

    def counts(self, *columns: str, bins: Mapping[str, Binning] | None = None, limit: int = 1_000_000) -> Counts:
        letters = {name: sorted(set(self._columns[name]), key=lambda one: (one is None, one)) for name in columns}
        codes = [[letters[name].index(value) for value in self._columns[name]] for name in columns]
        return Counts.from_cells(letters, codes, np.ones(self.rows, dtype=np.int64))

    def moments(self, *columns: str) -> dict[str, Moments]:
        return {}

    def learnt(self, column: str, quantiles: Quantiles) -> Learnt:
        raise NotImplementedError

    def batches(
        self, *columns: str, bins: Mapping[str, Binning] | None = None, size: int = 65536
    ) -> Iterator[pa.RecordBatch]:
        yield from pa.table({name: self._columns[name] for name in columns or self._columns}).to_batches(size)

    def close(self) -> None:
        pass


class ToyEngine:
    """Tables by the name in ``toy://name``."""

    def takes(self, source: object) -> bool:
        return str(source).startswith("toy://")

    def open(self, source: object, reading: Reading) -> Table:
        return ToyTable(
            {name: [None if one in reading.missing else one for one in texts] for name, texts in PEOPLE.items()}
        )

    def files(self, address: str) -> list[Path]:
        return []


def in_reference(engine: object, reference: str) -> bool:
    return any(line.startswith(f"| `{type(engine).__name__}` |") for line in reference.splitlines())


def measured(source: object) -> Measurement:
    with open_table(source, missing=["?"]) as table:
        assert table.rows == 120
        assert next(table.batches("city", size=7)).num_rows == 7
        return measure(table, Roles(("illness",), (), ("city",)))


def test_every_engine_is_in_the_reference() -> None:
    assert all(in_reference(engine, REFERENCE) for engine in ENGINES)


def test_a_toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("leakgauge.tables.opening.ENGINES", [ToyEngine(), *ENGINES])
    assert measured("toy://people") == measured(pa.table(PEOPLE))
    assert source_files("toy://people") == []
    assert source_files(str(tmp_path / "people.csv")) == [tmp_path / "people.csv"]
    assert not in_reference(ToyEngine(), REFERENCE)
    assert in_reference(ToyEngine(), REFERENCE + "\n| `ToyEngine` | tables in memory |\n")
