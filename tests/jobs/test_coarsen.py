"""``--min-k``: every row hides among k, nothing that is allowed loses less, and what is out of reach is said so."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Audit, CoarseningFound, Request
from leakgauge.errors import ColumnError, OptionError, RefusalError
from leakgauge.jobs.coarsen import choose_levels
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_rows
from leakgauge.randomness import simulation
from leakgauge.tables import Table, open_table, read_hierarchy
from leakgauge.tables.suppression import SuppressedTable
from tests.jobs.adult_levels import COLUMNS, as_released, asked_of_adult, write_adult_levels


def rows_of(table: Table, *columns: str) -> list[tuple[object, ...]]:
    whole = pa.Table.from_batches(list(table.batches(*columns)))
    return list(zip(*(whole[name].to_pylist() for name in columns), strict=True))


def asked(**more: Any) -> Request:
    plain: dict[str, Any] = {"table": "people", "secret": ("illness",), "max_distortion": 0.2, "min_k": 3}
    return Request.of(**plain | more)


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_nothing_allowed_loses_less_on_adult(every: int, tmp_path: Path) -> None:
    people = adult_rows().take(list(range(0, adult_rows().num_rows, every)))
    request = asked_of_adult(tmp_path)
    settled, found = choose_levels(request, open_table(people))
    released = as_released(settled, open_table(people))
    groups = Counter(rows_of(released, *COLUMNS))
    assert min(groups.values()) >= 5
    assert isinstance(released, SuppressedTable)
    assert groups[(None,) * len(COLUMNS)] == released.mask.sum() == found.chosen.suppressed <= 0.05 * people.num_rows
    assert len(groups) - 1 == found.chosen.groups
    losses = sorted(every_loss(people, write_adult_levels(tmp_path)))
    assert found.nodes == 240
    assert found.chosen.loss.value == pytest.approx(losses[0])
    assert found.runner_up is not None
    assert found.runner_up.loss.value == pytest.approx(losses[1])


def every_loss(people: pa.Table, files: dict[str, Path]) -> list[float]:
    """The losses of all nodes of Adult's levels that suppress at most 5 % for groups of 5."""
    n, columns, losses = people.num_rows, [], []
    for name, file in files.items():
        values, hierarchy = [str(one) for one in people[name].to_pylist()], read_hierarchy(file)
        levels = [dict(zip(hierarchy.values, one, strict=True)) for one in (hierarchy.values, *hierarchy.columns)]
        coarse = [np.unique([level[one] for one in values], return_inverse=True)[1] for level in levels]
        sizes = [np.bincount(one)[one] for one in coarse]
        columns.append(
            [(one, np.log2(size / sizes[0]), np.log2(n / sizes[0])) for one, size in zip(coarse, sizes, strict=True)]
        )
    for node in product(*columns):
        group = np.unique([codes for codes, _, _ in node], axis=1, return_inverse=True)[1].ravel()
        small = np.bincount(group)[group] < 5
        # Where these are fewer than 5, more rows would go; so this is at most what the node loses.
        if small.mean() <= 0.05:
            losses.append(float(sum(np.where(small, all_lost, lost).sum() for _, lost, all_lost in node)) / n)
    return losses


@pytest.fixture
def people() -> pa.Table:
    draw = simulation(5)
    return pa.table(
        {
            "age": draw.integers(20, 80, 400),
            "born": np.array("2020-01-01", dtype="datetime64[D]") + draw.integers(0, 700, 400),
            "town": draw.choice(["Bonn", "Köln", "Pisa", "Rom"], 400, p=[0.4, 0.3, 0.29, 0.01]),
            "illness": draw.choice(["flu", "none"], 400),
            "person": np.arange(400) // 4,
        }
    )


def test_bins_given_several_times_are_chosen_from(people: pa.Table) -> None:
    bins = ("age=width:2", "age=width:10", "age=width:30", "born=month", "born=quarter", "born=year", "illness=year")
    settled, found = choose_levels(asked(public=("age", "born"), bins=bins[:6], min_k=5), open_table(people))
    chosen = found.chosen.levels
    assert f"age={chosen['age']}" in bins and f"born={chosen['born']}" in bins
    assert sorted(settled.coarsening.bins) == [f"age={chosen['age']}", f"born={chosen['born']}"]
    assert (settled.coarsening.min_k, settled.coarsening.max_suppressed) == (None, 0.05)
    groups = Counter(rows_of(as_released(settled, open_table(people)), "age", "born"))
    assert min(groups.values()) >= 5
    # What the finest bins lose of the original ages counts too.
    assert found.chosen.loss.value > 1
    # Bins of a column that is not public are as they were.
    assert "illness=year" in choose_levels(asked(public=("age",), bins=bins), open_table(people))[0].coarsening.bins


@pytest.mark.parametrize(
    ("bins", "wrong"),
    [
        (("age=width:10", "age=width:15"), "width:15"),
        (("age=width:4", "age=width:8", "age=width:12"), "width:12"),
        (("age=width:10", "age=edges:30,55"), "edges:30,55"),
        (("born=week", "born=month"), "month"),
    ],
)
def test_bins_that_are_not_coarser_are_refused(bins: tuple[str, ...], wrong: str, people: pa.Table) -> None:
    public = (bins[0].partition("=")[0],)
    with pytest.raises(OptionError, match=f"The bins {wrong} of column '{public[0]}' are not made of whole bins"):
        choose_levels(asked(public=public, bins=bins), open_table(people))


def test_a_level_that_is_named_is_kept_and_missing_values_are_values(people: pa.Table, tmp_path: Path) -> None:
    # A town may be called None, and is not a missing one.
    (tmp_path / "towns.csv").write_text("Bonn;DE;*\nKöln;DE;*\nPisa;IT;*\nRom;IT;*\nNone;IT;*\n", encoding="utf-8")
    towns = [None if at % 5 == 0 else one for at, one in enumerate(people["town"].to_pylist())]
    table = people.set_column(2, "a=town", pa.array(towns))
    request = asked(
        public=("a=town", "age"), levels=(f"a=town={tmp_path}/towns.csv:1",), bins=("age=width:20",), min_k=9
    )
    settled, found = choose_levels(request, open_table(table))
    assert (settled.coarsening.levels, settled.coarsening.bins, found.nodes, found.runner_up) == (
        request.coarsening.levels,
        request.coarsening.bins,
        1,
        None,
    )
    assert found.chosen.levels == {"a=town": "towns.csv:1", "age": "width:20"}
    free = asked(public=("a=town",), levels=(f"a=town={tmp_path}/towns.csv",), min_k=9)
    settled, found = choose_levels(free, open_table(table))
    assert found.chosen.groups == 3
    assert settled.coarsening.levels == (f"a=town={tmp_path}/towns.csv:1",)
    assert Counter(rows_of(as_released(settled, open_table(table)), "a=town")).keys() == {("DE",), ("IT",), (None,)}
    # With nothing too small, the column stays as it is.
    settled, found = choose_levels(asked(public=("a=town",), levels=free.coarsening.levels, min_k=2), open_table(table))
    assert (settled.coarsening.levels, settled.coarsening.suppress_below) == ((), None)
    assert found.chosen.loss.value == pytest.approx(0, abs=1e-12)


def test_with_a_unit_persons_hide_among_persons(people: pa.Table) -> None:
    # Each of 100 persons has four rows in one year of birth or two.
    table = people.set_column(0, "age", pa.array(20 + np.arange(400) // 8))
    bins = ("age=width:1", "age=width:2", "age=width:10", "age=width:50")
    by_rows, by_people = (
        choose_levels(asked(public=("age",), bins=bins, min_k=5, max_suppressed=0.0, unit=unit), open_table(table))
        for unit in (None, "person")
    )
    assert by_rows[1].chosen.levels == {"age": "width:1"}
    assert by_people[1].chosen.levels == {"age": "width:10"}
    assert by_people[1].unit == "person"


def test_out_of_reach_is_refused_with_what_would_do(people: pa.Table) -> None:
    table = people.append_column("job", pa.array([f"job {at % 10 if at > 21 else at}" for at in range(400)]))
    request = asked(public=("job",), min_k=5)
    # Jobs 10 to 21 have one row each, which is 3% of 400.
    few = asked(public=("job",), min_k=5, max_suppressed=0.02)
    with pytest.raises(
        RefusalError,
        match=r"^--min-k 5 needs 3% of the rows suppressed even at the coarsest levels, but 2% are allowed; give "
        r"coarser levels, or --max-suppressed 0\.03\.$",
    ) as refused:
        choose_levels(few, open_table(table))
    assert refused.value.exit_code == 1
    assert (
        choose_levels(asked(public=("job",), min_k=5, max_suppressed=0.03), open_table(table))[1].chosen.suppressed
        == 12
    )
    with pytest.raises(RefusalError, match="--min-k 399 cannot be reached: even at the coarsest levels nearly all"):
        choose_levels(asked(public=("job",), min_k=399), open_table(table))
    assert choose_levels(request, open_table(table))[1].chosen.suppressed == 12


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"min_k": 1}, "--min-k 1 hides nobody; give a whole number of at least 2."),
        ({"public": ()}, "--min-k coarsens public columns, but there are none"),
        ({"suppress_below": 5}, "--min-k itself suppresses groups that are too small"),
        ({"max_suppressed": 1.0}, "--max-suppressed 1.0 is not a share of the rows"),
        ({"max_suppressed": float("nan")}, "--max-suppressed nan is not a share"),
        ({"min_k": None, "max_suppressed": 0.1}, "--max-suppressed goes with --min-k"),
        ({"background": ("age",)}, "Column 'age' is known to the attacker, so suppressing it hides nothing"),
    ],
)
def test_a_question_that_contradicts_itself_is_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        asked(**{"public": ("age",)} | more)


def test_levels_that_cannot_be_chosen_from_are_refused(people: pa.Table, tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("Bonn;DE\nKöln;DE\nPisa;IT\n", encoding="utf-8")
    table = open_table(people)
    with pytest.raises(
        OptionError, match="--levels of column 'town' does not say which level, and --min-k chooses for public"
    ):
        choose_levels(asked(public=("age",), background=("town",), levels=(f"town={file}",)), table)
    with pytest.raises(OptionError, match="Column 'age' has both bins and levels"):
        choose_levels(asked(public=("age",), levels=(f"age={file}",), bins=("age=width:5",)), table)
    with pytest.raises(ColumnError, match=r"1 of the|1 value"):
        choose_levels(asked(public=("town",), levels=(f"town={file}",)), table)


def test_the_release_holds_the_chosen_levels_and_goes_on_where_it_was(people: pa.Table, tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("Bonn;DE;*\nKöln;DE;*\nPisa;IT;*\nRom;IT;*\n", encoding="utf-8")
    question: dict[str, Any] = {
        "secret": "illness",
        "mechanism": "randomized-response:epsilon=1",
        "public": ["age", "town"],
        "bins": ["age=width:5", "age=width:20", "age=width:60"],
        "levels": [f"town={file}"],
        "min_k": 20,
    }
    done = protect(people, tmp_path / "out", **question)
    found = done.read(CoarseningFound, "coarsening.json")
    with open_table(tmp_path / "out" / "release.parquet") as released:
        groups = Counter(rows_of(released, "age", "town"))
    assert min(groups.values()) >= 20
    assert groups[(None, None)] == found.chosen.suppressed
    audit = done.read(Audit, "audit.json")
    assert audit.anonymity is not None and audit.anonymity.k >= 20
    assert [one.secret for one in audit.diversity] == ["illness"]
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Coarser public columns" in report and "δ-disclosure" in report
    external = (tmp_path / "out" / "report-external.html").read_text(encoding="utf-8")
    assert "Coarser public columns" in external
    assert "δ-disclosure" not in external and "Runner-up" not in external
    told: list[tuple[str, str]] = []
    protect(people, tmp_path / "out", **question, progress=lambda event: told.append((event.stage, event.state)))
    assert ("release", "kept") in told and ("survey", "kept") in told
