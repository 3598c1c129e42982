"""Releases by a plan: what leaves, what stays, what is refused."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from scipy.stats import chisquare

from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import encode
from leakgauge.errors import (
    BudgetError,
    ColumnError,
    FileError,
    InputError,
    LabelError,
    LeakgaugeError,
    OptionError,
)
from leakgauge.mechanisms import geometric, laplace, randomized_response
from leakgauge.notions.composition import Neighbours
from leakgauge.probability import Channel, Distribution, Interval
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, preview, read_plan, release, verify
from leakgauge.release.ledger import ApproximateLimit, Ledger, Unlimited, open_ledger
from leakgauge.release.plan import plan_files
from leakgauge.tables import Table, open_table
from tests.release.people import TOKEN, opened, people, put_back

OWN = "randomized-response:epsilon=1,letters=this-table"
ILLNESS = "randomized-response:epsilon=1,letters=flu|none|cold"
PLAN = {"age": "laplace:epsilon=1,lower=0,upper=120", "illness": ILLNESS}


class NoBits:
    """Random bits that must not be asked for."""

    private = True

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        raise AssertionError("noise was drawn")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = open_ledger(tmp_path / "budget.ledger", create=True)
    made.open_account("people", ApproximateLimit(3.0, 0.0))
    return made


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_planned_and_public_columns_leave_in_the_order_of_the_tables_columns(tmp_path: Path, suffix: str) -> None:
    made = ReleasePlan({**PLAN, "answer": OWN}, public=["city", "seen"]).apply(opened(), tmp_path / f"out.{suffix}")
    read = put_back(made)
    assert read.column_names == ["age", "illness", "answer", "city", "seen"]
    assert read.num_rows == made.rows == 12
    assert pa.types.is_integer(read.schema.field("age").type)
    assert read.column("city").to_pylist() == people().column("city").to_pylist()
    assert read.column("seen").to_pylist() == people().column("seen").to_pylist()
    assert set(read.column("illness").to_pylist()) <= {"flu", "none", "cold"}
    assert not (tmp_path / ".out").exists() and sorted(path.name for path in tmp_path.iterdir()) == [
        f"out.{suffix}",
        f"out.{suffix}.json",
        f"out.{suffix}.order.json",
        f"out.{suffix}.public.json",
    ]


def test_a_column_nobody_named_is_found_nowhere(
    tmp_path: Path, ledger: Ledger, capfd: pytest.CaptureFixture[str]
) -> None:
    failures: list[LeakgaugeError] = []
    bad = [{"age": "laplace:epsilon=1,lower=0"}, {"illness": "randomized-response:epsilon=1,letters=flu|none"}]
    for at, columns in enumerate([PLAN, *bad]):
        try:
            release(
                ReleasePlan(columns, public=["city"]),
                opened(),
                tmp_path / f"{at}.csv",
                ledger=ledger,
                dataset="people",
            )
        except LeakgaugeError as error:
            failures.append(error)
    assert len(failures) == 2
    said = "".join(str(error) for error in failures) + "".join(capfd.readouterr())
    assert TOKEN not in said
    written = [path for path in tmp_path.iterdir() if path.is_file()]
    assert {"0.csv", "0.csv.json", "budget.ledger"} <= {path.name for path in written}
    for path in written:
        assert TOKEN.encode() not in path.read_bytes(), path


def test_missing_values_are_a_letter_of_their_own(tmp_path: Path) -> None:
    channel = Channel(["yes", "no", None], ["yes", "no", None], np.full((3, 3), 0.1) + 0.7 * np.eye(3))
    table = open_table(pa.table({"answer": ["yes", "no", None] * 20_000}))
    made = release(ReleasePlan({"answer": channel}), table, tmp_path / "o.parquet", randomness=Simulated(1))
    released = put_back(made).column("answer").to_pylist()
    of_missing = released[2::3]
    assert 0.78 < sum(one is None for one in of_missing) / len(of_missing) < 0.82
    without = Channel(["yes", "no"], ["yes", "no"], [[0.75, 0.25], [0.25, 0.75]])
    with pytest.raises(ColumnError, match="missing values"):
        release(ReleasePlan({"answer": without}), table, tmp_path / "p.parquet", randomness=NoBits())
    numbers = open_table(pa.table({"age": [1, None, 3]}))
    with pytest.raises(ColumnError, match="missing values"):
        release(ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=9"}), numbers, tmp_path / "q.csv")
    stood_for = ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=9,missing=4"})
    assert release(stood_for, numbers, tmp_path / "q.csv").rows == 3
    assert not (tmp_path / "p.parquet").exists()


def test_what_is_released_follows_the_channel_given_what_was_there(tmp_path: Path) -> None:
    rows, letters = 300_000, ["a", "b", "c", "d"]
    matrix = np.array([[0.7, 0.1, 0.1, 0.1], [0.25] * 4, [0.05, 0.05, 0.45, 0.45], [0.1, 0.2, 0.3, 0.4]])
    table = open_table(pa.table({"x": [letters[i % 4] for i in range(rows)]}))
    made = release(ReleasePlan({"x": Channel(letters, letters, matrix)}), table, tmp_path / "o.csv")
    released = np.array(put_back(made).column("x").to_pylist())
    for at in range(4):
        seen = np.array([(released[at::4] == letter).sum() for letter in letters])
        # One false alarm in a million.
        assert chisquare(seen, matrix[at] * rows / 4).pvalue > 1e-6


def test_channels_of_intervals_dates_and_several_columns(tmp_path: Path) -> None:
    ages = [Interval(None, 40), Interval(40, 60), Interval(60, None)]
    exact = Channel(ages, ages, np.eye(3))
    by_month = Channel([date(2024, m, 1) for m in (1, 2, 3)], ["early", "late"], [[1, 0], [1, 0], [0, 1]])
    both = [(i, c) for i in ("flu", "none", "cold") for c in ("Oslo", "Bergen")]
    joined = NamedChannel(
        Channel(both, both, np.eye(6)), inputs=("illness", "city"), outputs=("illness_out", "city_out")
    )
    plan = ReleasePlan({"age": exact, "seen": by_month, "illness_out": joined, "city_out": joined})
    ledger = open_ledger(tmp_path / "l", create=True)
    ledger.open_account("people", Unlimited())
    made = release(plan, opened(), tmp_path / "o.parquet", ledger=ledger, dataset="people")
    read, original = put_back(made), people()
    assert read.column("illness_out").to_pylist() == original.column("illness").to_pylist()
    assert read.column("city_out").to_pylist() == original.column("city").to_pylist()
    assert read.column("seen").to_pylist() == [
        "late" if d.month == 3 else "early" for d in original["seen"].to_pylist()
    ]
    wanted = [str(next(one for one in ages if _inside(one, age))) for age in original["age"].to_pylist()]
    assert read.column("age").to_pylist() == wanted


def _inside(interval: Interval, number: float) -> bool:
    low, high = (float(end) if isinstance(end, int | float) else None for end in (interval.low, interval.high))
    return (low is None or number >= low) and (high is None or number < high)


def test_every_mechanism_for_columns_releases(tmp_path: Path) -> None:
    plan = ReleasePlan(
        {
            "age": "geometric:epsilon=1,lower=0,upper=100",
            "income": "gaussian:epsilon=1,delta=1e-6,lower=0,upper=5000",
            "illness": "unary-encoding:epsilon=1,letters=flu|none|cold",
            "city": "subset-selection:epsilon=1,letters=Oslo|Bergen",
            "answer": "randomized-response:epsilon=1,letters=this-table",
        }
    )
    made = release(plan, opened(), tmp_path / "o.csv")
    assert verify(made.record_file).holds
    read = csv.read_csv(made.output)
    assert read.num_rows == 12
    grid = float(json.loads(made.record_file.read_text())["plan"]["columns"]["income"]["mechanism"].split("grid=")[1])
    assert pc.all(pc.equal(pc.floor(pc.divide(read["income"], grid)), pc.divide(read["income"], grid))).as_py()


def test_budget_is_refused_before_any_noise(tmp_path: Path, ledger: Ledger) -> None:
    plan = ReleasePlan({"age": laplace(2.0, lower=0, upper=120, grid=1), "illness": ILLNESS.replace("=1", "=2")})
    with pytest.raises(BudgetError):
        release(plan, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people", randomness=NoBits())
    assert not list(tmp_path.glob("*o.csv*")) and ledger.spent("people").epsilon == 0
    bound, cost, verdict = preview(plan, opened(), ledger, "people")
    assert verdict is not None and not verdict.allowed and cost.epsilon == 4.0
    assert [one.name for one in bound.columns] == ["age", "illness"]


def test_a_value_outside_the_channel_is_refused_before_anything(tmp_path: Path, ledger: Ledger) -> None:
    plan = ReleasePlan({"illness": randomized_response(1.0, letters=["flu", "none"])})
    with pytest.raises(ColumnError) as caught:
        release(plan, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people", randomness=NoBits())
    assert "string" in str(caught.value) and "cold" not in str(caught.value)
    assert ledger.spent("people").epsilon == 0 and not list(tmp_path.glob("*.csv*"))


def test_what_an_infinite_budget_needs(tmp_path: Path, ledger: Ledger) -> None:
    plan = ReleasePlan({"illness": Channel.identity(["flu", "none", "cold"])})
    with pytest.raises(BudgetError):
        release(plan, opened(), tmp_path / "o.csv", ledger=ledger, dataset="people")
    ledger.open_account("open", Unlimited())
    assert release(plan, opened(), tmp_path / "o.csv", ledger=ledger, dataset="open").entry is not None


BAD: list[tuple[dict[str, str], list[str], type[InputError]]] = [
    ({}, [], OptionError),
    ({"agee": "laplace:epsilon=1,lower=0,upper=9"}, [], ColumnError),
    (PLAN, ["agee"], ColumnError),
    (PLAN, ["age"], OptionError),
    (PLAN, ["city", "city"], OptionError),
    ({"age": "laplace:epsilon=1"}, [], OptionError),
    ({"age": "laplace:epsilon=1,lower=9,upper=0"}, [], OptionError),
    ({"age": "laplace:epsilon=0,lower=0,upper=9"}, [], OptionError),
    ({"age": "laplace:epsilon=-1,lower=0,upper=9"}, [], OptionError),
    ({"age": "laplace:epsilon=1,sensitivity=0"}, [], OptionError),
    ({"age": "laplace:epsilon=1,sensitivity=inf"}, [], OptionError),
    ({"age": "laplace:epsilon=1,sensitivity=1"}, [], ColumnError),
    ({"age": "gaussian:epsilon=1,delta=1,lower=0,upper=9"}, [], OptionError),
    ({"age": "gaussian:epsilon=1,delta=-0.1,lower=0,upper=9"}, [], OptionError),
    ({"age": "lapalce:epsilon=1,lower=0,upper=9"}, [], OptionError),
    ({"age": "laplace:epsilon=1,lower=0,upper=9,grid=0.3"}, [], OptionError),
    ({"illness": "laplace:epsilon=1,lower=0,upper=9"}, [], ColumnError),
    ({"illness": "missing.json"}, [], FileError),
    ({"illness": "channel:file=missing.chan"}, [], FileError),
    ({"illness": "randomized-response:epsilon=1"}, [], OptionError),
]


@pytest.mark.parametrize(("columns", "public", "kind"), BAD)
def test_bad_plans_are_refused_in_one_sentence(
    tmp_path: Path, columns: dict[str, str], public: list[str], kind: type[InputError]
) -> None:
    with pytest.raises(kind) as caught:
        release(ReleasePlan(columns, public), opened(), tmp_path / "o.csv", randomness=NoBits())
    assert str(caught.value).count(". ") == 0 and str(caught.value)[-1] in ".?…"
    assert not list(tmp_path.iterdir())


def test_two_mechanisms_for_one_column(tmp_path: Path) -> None:
    both = [(i, c) for i in ("flu", "none", "cold") for c in ("Oslo", "Bergen")]
    joined = NamedChannel(Channel(both, both, np.eye(6)), ("illness", "city"), ("illness", "town"))
    with pytest.raises(OptionError, match="Two mechanisms read"):
        release(
            ReleasePlan({"illness": joined, "town": joined, "city": OWN}),
            opened(),
            tmp_path / "o.csv",
        )
    plan = tmp_path / "plan.toml"
    plan.write_text('[columns]\nage = "geometric:epsilon=1,lower=0,upper=9"\nage = "laplace:epsilon=1"\n')
    with pytest.raises(FileError, match="not TOML"):
        read_plan(plan)
    with pytest.raises(ColumnError, match="reads"):
        ReleasePlan({"age": joined})


def test_existing_files_stay_unless_told(tmp_path: Path) -> None:
    out = tmp_path / "o.csv"
    out.write_text("precious")
    with pytest.raises(FileError, match="overwrite"):
        release(ReleasePlan(PLAN), opened(), out, randomness=NoBits())
    assert out.read_text() == "precious"
    assert release(ReleasePlan(PLAN), opened(), out, overwrite=True).rows == 12
    with pytest.raises(FileError, match="overwrite"):
        release(ReleasePlan(PLAN), opened(), tmp_path / "p.csv", record=out, randomness=NoBits())
    with pytest.raises(OptionError, match="two files"):
        release(ReleasePlan(PLAN), opened(), tmp_path / "p.csv", record=tmp_path / "p.csv")
    with pytest.raises(OptionError, match=r"\.csv or \.parquet"):
        release(ReleasePlan(PLAN), opened(), tmp_path / "p.xlsx")


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "o.csv"

    def appear(stage: str, rows: int) -> None:
        if stage == "drafted":
            out.write_text("precious")

    with pytest.raises(FileError, match="overwrite"):
        release(ReleasePlan(PLAN), opened(), out, progress=appear)
    assert out.read_text() == "precious"


def test_a_simulation_is_marked_everywhere_and_spends_nothing(tmp_path: Path, ledger: Ledger) -> None:
    plan = ReleasePlan(PLAN)
    first = release(plan, opened(), tmp_path / "a.csv", randomness=Simulated(5))
    again = release(plan, opened(), tmp_path / "b.csv", randomness=Simulated(5))
    assert first.output.read_bytes() == again.output.read_bytes()
    assert set(csv.read_csv(first.output).column("not_private").to_pylist()) == {"simulation"}
    assert first.record.private is False and first.record.simulation_seed == 5
    assert any("protects nobody" in str(said) for said in first.record.assumptions)
    assert verify(first.record_file).holds
    with pytest.raises(OptionError, match="simulation"):
        release(plan, opened(), tmp_path / "c.csv", ledger=ledger, dataset="people", randomness=Simulated(5))
    real = release(plan, opened(200), tmp_path / "d.csv")
    other = release(plan, opened(200), tmp_path / "e.csv")
    assert "not_private" not in csv.read_csv(real.output).column_names
    assert real.output.read_bytes() != other.output.read_bytes()


def test_letters_of_the_table_are_told(tmp_path: Path) -> None:
    made = release(ReleasePlan({"answer": OWN}), opened(), tmp_path / "o.csv")
    assert made.record.plan.columns["answer"].letters == "this table"
    assert any("taken from this table" in str(said) for said in made.record.assumptions)
    with pytest.raises(LabelError, match="fewer than 2"):
        release(
            ReleasePlan({"x": OWN}),
            open_table(pa.table({"x": ["a", "a"]})),
            tmp_path / "p.csv",
        )


def test_letters_in_a_text_are_read_as_the_columns_kind(tmp_path: Path) -> None:
    table = open_table(
        pa.table(
            {
                "n": pa.array([1, 2, None], pa.int32()),
                "f": [0.5, 1.5, 0.5],
                "b": [True, False, None],
                "d": [date(2024, 1, 1), date(2024, 2, 1), None],
            }
        )
    )
    letters = {"n": "1|2|", "f": "0.5|1.5", "b": "true|false|", "d": "2024-01-01|2024-02-01|"}
    plan = ReleasePlan({name: f"randomized-response:epsilon=30,letters={text}" for name, text in letters.items()})
    made = release(plan, table, tmp_path / "o.parquet")
    assert put_back(made).to_pydict() == {
        "n": [1, 2, None],
        "f": [0.5, 1.5, 0.5],
        "b": [True, False, None],
        "d": [date(2024, 1, 1), date(2024, 2, 1), None],
    }
    assert verify(made.record_file).holds
    for name, text in {"n": "1|two", "b": "true|maybe", "d": "2024-01-01|never"}.items():
        with pytest.raises(ColumnError, match="the letter"):
            release(
                ReleasePlan({name: f"randomized-response:epsilon=30,letters={text}"}), table, tmp_path / "p.parquet"
            )


def test_large_whole_numbers_and_infinities_are_clamped(tmp_path: Path) -> None:
    table = open_table(
        pa.table({"n": pa.array([2**62, -(2**62), 5], pa.int64()), "f": [float("inf"), float("-inf"), 1.0]})
    )
    plan = ReleasePlan({"n": geometric(50.0, lower=0, upper=10), "f": laplace(50.0, lower=0, upper=10, grid=1)})
    read = csv.read_csv(release(plan, table, tmp_path / "o.csv").output)
    for name in ("n", "f"):
        assert np.abs(np.array(read.column(name).to_pylist()) - [10, 0, 5 if name == "n" else 1]).max() < 12


def test_the_umask_decides_who_reads_a_release(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        made = release(ReleasePlan(PLAN), opened(), tmp_path / "o.csv")
    finally:
        os.umask(before)
    assert made.output.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("unit", ["one person", "one row"])
def test_an_account_of_another_unit_or_neighbours_is_not_spent_from(tmp_path: Path, unit: str) -> None:
    neighbours = Neighbours.REPLACE_ONE if unit == "one person" else Neighbours.ADD_OR_REMOVE_ONE
    with open_ledger(tmp_path / "l", create=True) as ledger:
        ledger.open_account("people", ApproximateLimit(9.0), unit=unit, neighbours=neighbours)
        for look in (preview, _applied):
            with pytest.raises(OptionError):
                look(ReleasePlan(PLAN), opened(), ledger=ledger, dataset="people")
        assert ledger.spent("people").epsilon == 0


def _applied(plan: ReleasePlan, table: Table, ledger: Ledger, dataset: str) -> object:
    return release(plan, table, "never.csv", ledger=ledger, dataset=dataset, randomness=NoBits())


def test_the_grid_does_not_follow_the_data(tmp_path: Path) -> None:
    plan = ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=120"})
    whole, half = (pa.table({"age": [21.0, 26.0 + more]}) for more in (0.0, 0.5))
    tables = [whole.cast(pa.schema([("age", pa.int64())])), whole, half]
    made = [release(plan, open_table(one), tmp_path / f"{at}.parquet") for at, one in enumerate(tables)]
    assert {one.record.plan.columns["age"].mechanism for one in made} == {
        "laplace:epsilon=1,lower=0,upper=120,grid=1.0"
    }
    assert {str(pq.read_table(one.output).schema.field("age").type) for one in made} == {"int64"}
    fine = ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=1"})
    mechanism = release(fine, open_table(half), tmp_path / "f.csv").record.plan.columns["age"].mechanism
    assert float(mechanism.split("grid=")[1]) < 1 / 64


FUTILE: dict[str, tuple[ReleasePlan, pa.Table, dict[str, Any]]] = {
    "numbers for truths": (
        ReleasePlan({"b": Channel([0, 1], [0, 1], [[0.75, 0.25], [0.25, 0.75]])}),
        pa.table({"b": [True, False]}),
        {},
    ),
    "a prior bought for intervals": (
        ReleasePlan({"a": Channel([Interval(0, 9)], ["x", "y"], [[0.5, 0.5]])}),
        pa.table({"a": [1, 2, 3]}),
        {"priors": {"a": 0.5}},
    ),
    "a prior bought for nothing": (
        ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}),
        pa.table({"x": ["a"]}),
        {"priors": {"x": 0.0}},
    ),
    "a prior of other letters": (
        ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}),
        pa.table({"x": ["a"]}),
        {"priors": {"x": Distribution(["a", "c"], [0.5, 0.5])}},
    ),
    "lists in CSV": (
        ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}, public=["l"]),
        pa.table({"x": ["a"], "l": [[1, 2]]}),
        {},
    ),
    "a name that is too long": (
        ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}),
        pa.table({"x": ["a"]}),
        {"to": "n" * 244 + ".csv"},
    ),
    "a folder that cannot be written": (
        ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}),
        pa.table({"x": ["a"]}),
        {"to": "/proc/out.csv"},
    ),
    "NaN without a number for it": (
        ReleasePlan({"f": "laplace:epsilon=1,lower=0,upper=9"}),
        pa.table({"f": [1.0, float("nan")]}),
        {},
    ),
}


@pytest.mark.parametrize("case", list(FUTILE))
def test_what_cannot_be_released_costs_nothing(tmp_path: Path, case: str, ledger: Ledger) -> None:
    plan, table, how = FUTILE[case]
    with pytest.raises(LeakgaugeError):
        release(
            plan,
            open_table(table),
            tmp_path / how.get("to", "o.csv"),
            priors=how.get("priors"),
            ledger=ledger,
            dataset="people",
            randomness=NoBits(),
        )
    assert ledger.spent("people").epsilon == 0
    assert [path.name for path in tmp_path.iterdir() if "budget" not in path.name] == []


def test_whole_numbers_beyond_64_bits_and_huge_floats(tmp_path: Path) -> None:
    table = open_table(pa.table({"u": pa.array([2**64 - 1, 1], pa.uint64()), "f": [1e308, -1e308], "t": ["a", "b"]}))
    plan = ReleasePlan(
        {"u": "randomized-response:epsilon=40,letters=18446744073709551615|1", "f": laplace(9.0, lower=0, upper=10)},
        keep_order=True,
    )
    out = release(plan, table, tmp_path / "o.csv").output
    assert [line.split(",")[0].strip('"') for line in out.read_text().splitlines()] == [
        "u",
        "18446744073709551615",
        "1",
    ]
    read = csv.read_csv(out)
    assert np.abs(np.array(read.column("f").to_pylist()) - [10, 0]).max() < 30


def test_a_planned_channel_file_keeps_its_origin(tmp_path: Path) -> None:
    named = NamedChannel(Channel(["flu", "none", "cold"], ["x", "y"], np.full((3, 2), 0.5)), ("illness",), ("out",))
    fields = {**encode(ChannelFile.of(named)), "prior_origin": "this table"}
    (tmp_path / "c.chan").write_text(json.dumps(fields))
    (tmp_path / "plan.toml").write_text('schema = "leakgauge/plan/1"\n[columns]\nillness = "channel:file=c.chan"\n')
    made = release(read_plan(tmp_path / "plan.toml"), opened(), tmp_path / "o.csv")
    assert any("designed from this table" in str(said) for said in made.record.assumptions)
    assert plan_files(tmp_path / "plan.toml") == (tmp_path / "plan.toml", tmp_path / "c.chan")
    (tmp_path / "plan.toml").write_text('schema = "leakgauge/plan/9"\n[columns]\nillness = "c.chan"\n')
    with pytest.raises(FileError, match="plan/9"):
        read_plan(tmp_path / "plan.toml")


def test_an_old_release_never_stands_beside_a_new_record(tmp_path: Path) -> None:
    release(ReleasePlan(PLAN), opened(), tmp_path / "o.csv")

    def stop(stage: str, rows: int) -> None:
        if stage == "recorded":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(ReleasePlan(PLAN), opened(), tmp_path / "o.csv", overwrite=True, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_file_stays_closed(tmp_path: Path) -> None:
    out = tmp_path / "o.csv"
    out.write_text("")
    out.chmod(0o600)
    for name, mode in (("o.csv.json", 0o400), ("o.csv.public.json", 0o640)):
        (tmp_path / name).touch(mode)
    release(ReleasePlan(PLAN), opened(), out, overwrite=True)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    private = {"o.csv": 0o600, "o.csv.json": 0o400, "o.csv.order.json": 0o600}
    assert modes == {**private, "o.csv.public.json": 0o640}


def test_the_mark_of_simulations_is_no_ones_column(tmp_path: Path) -> None:
    table = open_table(pa.table({"not_private": [1, 2], "x": ["a", "b"]}))
    with pytest.raises(OptionError, match="marks simulations"):
        release(
            ReleasePlan({"x": "randomized-response:epsilon=1,letters=a|b"}, ["not_private"]), table, tmp_path / "o.csv"
        )
