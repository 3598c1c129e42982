"""Tables of Ibis: the same answers as DuckDB gives, and one sentence for what cannot be asked."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from leakgauge.errors import EngineError, LeakgaugeError, TableError
from leakgauge.jobs.measure import Roles, measure
from leakgauge.tables import Table, open_table, read_hierarchy
from leakgauge.tables.binnings import Auto, Binning, Calendar, CalendarUnit, Edges, Quantiles, Width
from tests import ibises
from tests.engines.test_same_answers import BINS, odd_rows, require_same

SECRET = "sesame-4711"
HAS: dict[str, tuple[Callable[[pa.Table, Path], Any], set[str]]] = {
    "sqlite": (ibises.in_sqlite, {"money", "zoned"}),  # it has no such types
    "polars": (ibises.in_polars, set()),
}


@pytest.fixture(scope="module", params=HAS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, Table]:
    """Odd values in DuckDB, and the same through Ibis."""
    make, lacking = HAS[request.param]
    rows = odd_rows().drop_columns(list(lacking))
    return open_table(rows), open_table(make(rows, tmp_path_factory.mktemp("ibis")))


def test_the_same_counts(pair: tuple[Table, Table]) -> None:
    here, there = pair
    assert here.columns() == there.columns()
    for column in here.columns():
        require_same(here.counts(column.name), there.counts(column.name))
    require_same(here.counts("text", "few", "day"), there.counts("text", "few", "day"))


def _asked_of(pair: tuple[Table, Table]) -> list[tuple[str, Binning]]:
    sqlite = "sqlite" in repr(pair[1])
    names = {column.name for column in pair[0].columns()}
    hours = Calendar(CalendarUnit.HOUR)  # upstream: Ibis has no words for them in SQLite
    return [(name, how) for name, how in BINS if name in names and how != Auto(2.0) and not (sqlite and how == hours)]


def test_the_same_bins(pair: tuple[Table, Table]) -> None:
    here, there = pair
    for name, how in _asked_of(pair):
        require_same(here.counts(name, "flag", bins={name: how}), there.counts(name, "flag", bins={name: how}))


def test_the_same_moments_groups_and_measures(pair: tuple[Table, Table]) -> None:
    here, there = pair
    for name, own in here.moments("whole", "number", "few").items():
        other = there.moments(name)[name]
        assert (own.n, own.missing, own.minimum, own.maximum) == (other.n, other.missing, other.minimum, other.maximum)
        assert (own.mean, own.variance) == pytest.approx((other.mean, other.variance), rel=1e-12)
    sets = [("text",), ("few", "flag"), tuple(column.name for column in here.columns())]
    assert here.group_sizes(sets) == there.group_sizes(sets)
    for unit in ("whole", "few"):
        assert here.group_sizes(sets, {"few": Width(0.3)}, unit=unit) == there.group_sizes(
            sets, {"few": Width(0.3)}, unit=unit
        )
    asked = Roles(("text",), background=("flag",))
    assert measure(here, asked, called="t") == measure(there, asked, called="t")


def _said(action: Callable[[], object], kind: type[LeakgaugeError] = TableError) -> str:
    with pytest.raises(kind) as caught:
        action()
    everything = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__context__)
    assert SECRET not in everything and "\n" not in str(caught.value)
    return str(caught.value)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    rows = ibises.in_polars(pa.table({"a": ["x"], "n": [1]}), tmp_path)
    import ibis

    assert "belongs to no connection; make it by one" in _said(lambda: open_table(ibis.table({"a": "int64"}, name="t")))
    assert (
        _said(lambda: open_table(rows.limit(0))) == "Ibis's table in polars has no rows; there is nothing to measure."
    )
    assert "so --encoding does not apply" in _said(lambda: open_table(rows, encoding="latin-1"))
    assert "are not read as numbers or dates; leave --thousands" in _said(lambda: open_table(rows, thousands=","))
    with open_table(rows.filter(rows.n > 0).mutate(m=rows.n * 2)) as derived:
        assert derived.counts("m").labels("m") == (2,)
        assert "Ibis's table in polars has no column 'q'; known are" in _said(lambda: derived.counts("q"))
        assert "which is not counted" in _said(lambda: derived.counts("a", bins={"m": Edges((1.0,))}))


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    rows = ibises.in_sqlite(pa.table({"a": [SECRET, "y"], "n": [1, 2]}), tmp_path)
    (tmp_path / "levels.csv").write_text(f"{SECRET},one\ny,two\n")
    with open_table(rows) as table:
        assert table.counts("n", bins={"n": Quantiles(2)}).n == 2
        levels = {"a": read_hierarchy(tmp_path / "levels.csv").level(1)}
        assert "Levels of column 'a' cannot be looked up through Ibis" in _said(lambda: table.counts("a", bins=levels))
        rows.get_backend().raw_sql("DROP TABLE people").close()
        said = _said(lambda: table.counts("a"), EngineError)
        assert said.startswith("'people' in sqlite could not be read through Ibis (OperationalError); check")


def test_ibis_is_loaded_only_by_whoever_uses_it() -> None:
    asked = "import sys, leakgauge.cli; from leakgauge.tables import open_table; print('ibis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"
