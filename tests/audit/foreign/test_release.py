"""A release made elsewhere, held beside its original: what is told, what attacks find, what rows show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from leakgauge.artefacts import Audit, Finding
from leakgauge.artefacts.codec import read, write
from leakgauge.audit.foreign.attacks import shown_by_matched_rows
from leakgauge.audit.foreign.release import ForeignRoles, read_foreign
from leakgauge.case.exposure import exposure
from leakgauge.errors import ColumnError, OptionError, TableError
from leakgauge.jobs.audit import audit_foreign
from leakgauge.measures import mutual_information, vulnerability
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions
from tests.audit.foreign.releases import EPSILON, made, scenario


def finding(audit: Audit, name: str, target: tuple[str, ...]) -> Finding:
    return next(one for one in audit.attacks if str(one.attack) == name and one.target == target)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foreign")


@pytest.fixture(scope="module")
def audited(folder: Path) -> Audit:
    people, released = made(folder)
    return audit_foreign(released, open_table(people), ForeignRoles(("illness",), key="id"))


def test_rows_are_matched_by_the_key_and_counted(audited: Audit) -> None:
    assert audited.record is None and not audited.violated and not audited.private
    foreign = audited.foreign
    assert foreign is not None and foreign.key == "id"
    assert (audited.rows, foreign.only_original, foreign.only_released) == (3950, 50, 0)


def test_coarser_values_count_as_true_where_they_contain_the_truth(audited: Audit) -> None:
    assert audited.foreign is not None
    columns = {one.name: one for one in audited.foreign.columns}
    assert set(columns) == {"illness", "age", "city", "postcode"}
    for name in ("age", "city", "postcode"):
        assert columns[name].contains.value == 1
    assert columns["illness"].contains.value == pytest.approx(0.7, abs=0.03)
    assert columns["illness"].size.value == 1
    assert 9 < columns["age"].size.value <= 10
    # One row in twenty says nothing of three cities.
    assert columns["city"].size.value == pytest.approx(1 + 2 * 0.05, abs=0.02)


def test_the_leakage_of_a_known_channel_lies_in_its_interval(audited: Audit) -> None:
    (exposed,) = audited.exposures
    own = next(one for one in exposed.columns if one.columns == ("illness",))
    assert own.exact and own.roles == ("own",)
    assert mutual_information(scenario()) in own.information
    assert mutual_information(scenario()) in exposed.everything.information
    # What else is released says nothing of the illness.
    assert exposed.plain.information.ends[0] == 0


def test_attacks_succeed_as_often_as_the_best_guess_by_the_channel(audited: Audit) -> None:
    expected = vulnerability.posterior(scenario())
    for name in ("attribute inference, best guess", "attribute inference, learnt"):
        found = finding(audited, name, ("illness",))
        assert expected in found.success, name
        assert 0 in found.independent
        assert found.ceiling is None


def test_who_knows_a_person_finds_the_row_by_coarser_values_too(audited: Audit) -> None:
    found = finding(audited, "record linkage", ("illness", "age", "city", "postcode"))
    assert found.baseline.value < 0.01 < 0.1 < found.success.value < found.raw.value
    assert 0 in found.independent


def test_the_rows_show_an_epsilon_below_that_of_the_channel(audited: Audit) -> None:
    assert audited.epsilon_lower_bound is not None
    assert 0.6 * EPSILON < audited.epsilon_lower_bound.value < EPSILON
    shown = audited.columns["illness"]
    assert shown is not None and shown.claim is None
    # No value of the table is named.
    assert not any(word in str((shown.inputs, shown.event)) for word in ("flu", "none", "cold", "cancer"))


def test_the_key_in_the_released_file_is_warned_of(audited: Audit) -> None:
    assert audited.foreign is not None
    assert ["'id'" in str(one) and "identifies people" in str(one) for one in audited.foreign.warnings] == [True]


def test_attacks_that_would_make_the_release_again_are_left_out(audited: Audit) -> None:
    assert audited.foreign is not None
    assert [str(one) for one in audited.foreign.left_out] == ["membership inference", "averaging"]


def test_an_audit_without_a_record_is_written_and_read(audited: Audit, folder: Path) -> None:
    write(folder / "audit.json", audited)
    assert read(Audit, folder / "audit.json") == audited


def small(folder: Path, rows: int = 600) -> tuple[pa.Table, pa.Table]:
    """A city that tells of the illness, and a cost; and a release with noise in the cost and without the illness."""
    draws = simulation(5)
    city = draws.choice(["A", "B"], rows)
    illness = np.where(draws.random(rows) < 0.8, np.where(city == "A", "flu", "none"), "cold")
    cost = np.round(draws.lognormal(6, 1, rows), 2)
    people = pa.table({"city": city, "illness": illness, "cost": cost})
    return people, pa.table({"city": city, "cost": np.round(cost + draws.laplace(0, 20, rows), 2)})


def written(folder: Path, table: pa.Table, name: str = "r.csv") -> Path:
    pyarrow.csv.write_csv(table, folder / name)
    return folder / name


def test_a_secret_that_is_not_released_is_told_of_by_others(tmp_path: Path) -> None:
    people, released = small(tmp_path)
    audit = audit_foreign(written(tmp_path, released), open_table(people), ForeignRoles(("illness", "cost")))
    assert audit.foreign is not None
    assert (audit.foreign.withheld, audit.foreign.key, audit.foreign.warnings) == (("illness",), None, ())
    illness, cost = audit.exposures
    assert illness.everything.information.ends[0] > 0.5
    assert finding(audit, "attribute inference, learnt", ("illness",)).advantage.ends[0] > 0.1
    # Noise of 20 leaves nearly everything of the tenth that a cost is in.
    assert finding(audit, "attribute inference, learnt", ("cost",)).success.value > 0.5
    # Who takes the nearest cost among the rows of the same city finds 89 of 600; a release of others helps nobody.
    linked = finding(audit, "record linkage", ("cost",))
    assert 89 / 600 in linked.success or linked.success.value > 89 / 600
    assert linked.baseline.value < 0.01 and 0 in linked.independent
    assert list(audit.columns) == ["cost"] and audit.columns["cost"] is not None
    assert audit.total is not None
    assert audit.total.information.value >= cost.everything.information.ends[0]


def test_another_order_is_doubted(tmp_path: Path) -> None:
    people, released = small(tmp_path)
    shuffled = released.take(simulation(6).permutation(len(released)))
    roles = ForeignRoles(("cost",))
    found = read_foreign(written(tmp_path, shuffled), open_table(people), roles)
    assert ["order" in str(one) for one in found.warnings] == [True]
    assert not read_foreign(written(tmp_path, released), open_table(people), roles).warnings


def test_a_secret_that_is_released_as_it_is_is_told_whole(tmp_path: Path) -> None:
    people, _ = small(tmp_path)
    audit = audit_foreign(written(tmp_path, people.select(["illness"])), open_table(people), ForeignRoles(("illness",)))
    (exposed,) = audit.exposures
    assert exposed.everything.information.ends[1] == pytest.approx(exposed.entropy.ends[1], abs=0.02)
    assert finding(audit, "attribute inference, learnt", ("illness",)).success.value == 1
    shown = audit.columns["illness"]
    assert shown is not None and shown.deterministic


def test_a_coarser_secret_tells_what_it_is_coarse_to(tmp_path: Path) -> None:
    draws = simulation(7)
    age = draws.integers(20, 60, 2000)
    decades = [f"{low}-{low + 9}" for low in (age // 10 * 10).tolist()]
    people = open_table(pa.table({"age": age}))
    found = read_foreign(written(tmp_path, pa.table({"age": decades})), people, ForeignRoles(("age",)))
    (told,) = exposure(found.seen, found.seen.secrets[0]).columns
    # Four decades of ten ages, all about as frequent.
    assert told.exact and told.information.value == pytest.approx(2, abs=0.01)
    changed = found.changed["age"]
    assert changed.contains.all() and not changed.is_unchanged
    shown = shown_by_matched_rows(changed, 0.95, 0)
    assert shown is not None and shown.deterministic and shown.at_least > 1


def test_a_mark_of_missing_values_is_read_as_suppressed(tmp_path: Path) -> None:
    people, released = small(tmp_path)
    marked = pa.table({"city": ["?"] * 10 + released["city"].to_pylist()[10:], "cost": released["cost"]})
    path, roles = written(tmp_path, marked), ForeignRoles(("cost",))
    as_text, as_missing = (
        read_foreign(path, open_table(people), roles, reading={"missing": one}) for one in ([], ["?"])
    )
    assert as_text.changed["city"].contains.sum() == len(people) - 10
    assert as_missing.changed["city"].contains.all()


def test_rows_of_one_person_count_as_one(tmp_path: Path) -> None:
    people, released = small(tmp_path)
    whose = pa.array((np.arange(len(people)) % 100).tolist())
    audit = audit_foreign(
        written(tmp_path, released),
        open_table(people.append_column("who", whose)),
        ForeignRoles(("cost",), unit="who"),
    )
    assert audit.foreign is not None and audit.foreign.unit == "who"


@pytest.mark.parametrize(
    ("roles", "error", "sentence"),
    [
        (ForeignRoles(("ilness",)), ColumnError, "original has no column 'ilness'; did you mean 'illness'"),
        (ForeignRoles(("illness",), key="cities"), ColumnError, "original has no column 'cities'"),
        (ForeignRoles(("cost",), key="illness"), ColumnError, "release has no column 'illness' to match rows by"),
        (ForeignRoles(("cost",), key="city"), ColumnError, "'city' repeats in 598 rows of the original"),
        (ForeignRoles((), ("cost",)), OptionError, "'cost' is named as withheld, but the release contains it"),
        (ForeignRoles(("cost",), background=("cost",)), OptionError, "'cost' is named twice"),
        (ForeignRoles(("city",), key="city"), OptionError, "'city' is named twice"),
        (ForeignRoles(("cost",), unit="city"), OptionError, "'city' has 2 values, too few to be people"),
    ],
)
def test_a_column_that_cannot_have_its_role(
    tmp_path: Path, roles: ForeignRoles, error: type[Exception], sentence: str
) -> None:
    people, released = small(tmp_path)
    with pytest.raises(error, match=sentence):
        read_foreign(written(tmp_path, released), open_table(people), roles)


def test_too_few_matched_rows_are_refused(tmp_path: Path) -> None:
    people = pa.table({"id": list(range(100)), "x": ["a", "b"] * 50})
    released = people.slice(0, 15)
    with pytest.raises(TableError, match="15 rows are matched, too few"):
        read_foreign(written(tmp_path, released), open_table(people), ForeignRoles(("x",), key="id"))
    with pytest.raises(TableError, match="no column besides the key"):
        read_foreign(written(tmp_path, people.select(["id"])), open_table(people), ForeignRoles(("x",), key="id"))


def test_a_release_may_write_dates_coarser_than_the_original(tmp_path: Path) -> None:
    days = [f"{1 + at % 28:02d}/{1 + at % 12:02d}/2018" for at in range(200)]
    lines = [f"{at},{day},{at % 3}" for at, day in enumerate(days)]
    (tmp_path / "original.csv").write_text("nr,day,ill\n" + "\n".join(lines) + "\n", encoding="utf-8")
    months = [f"{at},2018-{day[3:5]},{at % 3}" for at, day in enumerate(days)]
    (tmp_path / "released.csv").write_text("nr,day,ill\n" + "\n".join(months) + "\n", encoding="utf-8")
    reading: ReadingOptions = {"date_format": ["day=%d/%m/%Y"]}
    with open_table(tmp_path / "original.csv", **reading) as original:
        roles = ForeignRoles(("ill",), key="nr")
        found = read_foreign(tmp_path / "released.csv", original, roles, reading=reading)
    assert found.changed["day"].contains.mean() == 1


def test_coarse_values_single_people_out_by_what_they_stand_for(tmp_path: Path) -> None:
    draws = simulation(4)
    age, city = draws.integers(18, 90, 600), draws.choice(["A", "B", "C"], 600)
    code = [f"1{at:03d}" for at in draws.integers(0, 1000, 600)]
    people = pa.table({"age": age, "code": code, "city": city, "ill": draws.choice(["yes", "no"], 600)})
    decades = [f"[{low}, {low + 10})" for low in (age // 10 * 10).tolist()]
    shown = people.set_column(0, "age", pa.array(decades)).set_column(
        1, "code", pa.array([one[:3] + "*" for one in code])
    )
    pyarrow.csv.write_csv(shown.drop_columns(["ill"]), tmp_path / "theirs.csv")
    audit = audit_foreign(tmp_path / "theirs.csv", open_table(people), ForeignRoles(("ill",)))
    found = next(one for one in audit.attacks if str(one.attack) == "singling out, by several columns")
    # An interval or a mask describes everybody in it, and nothing was changed otherwise.
    assert found.target == ("city", "age", "code") and found.success.value == 1
    assert found.advantage.ends[0] > 0.3 and 0 in found.independent and found.ceiling is None
