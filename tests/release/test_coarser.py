"""Coarser and suppressed columns in a release: the file, the record, what is checked and attacked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from leakgauge.audit import attack
from leakgauge.errors import OptionError
from leakgauge.probability import Counts
from leakgauge.randomness import Simulated
from leakgauge.release import Release, ReleasePlan, read_plan, verify
from leakgauge.release.bound import bind
from leakgauge.release.plan import plan_files
from leakgauge.tables import Levels, Table, open_table, read_hierarchy

EDUCATION = "9th;School;*\n11th;School;*\nHS-grad;School;*\nBachelors;University;*\nMasters;University;*\n"
MECHANISM = {"illness": "randomized-response:epsilon=1,letters=flu|none"}
VALUES = ["9th", "HS-grad", "HS-grad", "11th", "Bachelors", "HS-grad", "Masters", "9th", None, "Bachelors"]
PEOPLE = pa.table(
    {
        "education": VALUES * 12,
        "city": ["Oslo", "Bergen", "Oslo"] * 39 + ["Moss", "Moss", "Hamar"],
        "illness": ["flu", "none"] * 60,
    }
)


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    place = tmp_path / "education.csv"
    place.write_text(EDUCATION, encoding="utf-8")
    return place


@pytest.fixture
def plan(levels: Path) -> ReleasePlan:
    coarser = {"education": f"{levels}:1"}
    return ReleasePlan(MECHANISM, ["education", "city"], levels=coarser, suppress_below=5)


@pytest.fixture
def made(plan: ReleasePlan, tmp_path: Path) -> Release:
    with open_table(PEOPLE) as table:
        return plan.apply(table, tmp_path / "out.csv", randomness=Simulated(1))


def as_counter(counts: Counts) -> Counter[tuple[Any, ...]]:
    cells = zip(counts.codes.T.tolist(), counts.counts.tolist(), strict=True)
    return Counter(
        {tuple(counts.labels(name)[at] for name, at in zip(counts.names, cell, strict=True)): n for cell, n in cells}
    )


def groups(table: Table) -> Counter[tuple[Any, ...]]:
    return as_counter(table.counts("education", "city"))


def test_the_file_holds_what_is_measured(made: Release, plan: ReleasePlan) -> None:
    with open_table(PEOPLE) as table, open_table(made.output) as released:
        assert groups(released) == groups(bind(plan, table).table)
        assert min(groups(released).values()) >= 5
        found = groups(released)
    assert {education for education, _ in found} == {"School", "University", None}
    assert {city for _, city in found} == {"Oslo", "Bergen", None}


def test_the_record_stands_without_the_level_file(made: Release, levels: Path) -> None:
    levels.unlink()
    again = Release.read(made.record_file)
    found = verify(made.record_file)
    found.require()
    names = {str(check.name): check.holds for check in found.checks}
    assert names["level of education"] is True
    assert names["groups of education, city"] is True
    with open_table(PEOPLE) as table:
        attacked = attack(again, table, background=["city"], simulation_seed=3)
    assert attacked


def test_what_is_suppressed_stays_known(made: Release) -> None:
    """Whoever knows the city knows the one that the release leaves out."""
    from leakgauge.case.reading import read_drawn

    with open_table(PEOPLE) as table:
        drawn = read_drawn(made, table, background=["city"])
    assert len(set(drawn.background.tolist())) == 4
    assert len(set(drawn.classes.tolist())) < 4 * 3


def test_what_the_records_say(made: Release) -> None:
    inside, outside = (
        json.loads(place.read_text(encoding="utf-8")) for place in (made.record_file, made.public_record_file)
    )
    assert inside["plan"]["bins"]["education"]["binning"] == "level:1"
    assert inside["plan"]["bins"]["education"]["levels"]["file"] == "education.csv"
    assert dict(
        zip(*(inside["plan"]["bins"]["education"]["levels"][name] for name in ("values", "coarser")), strict=True)
    ) == {line.split(";")[0]: line.split(";")[1] for line in EDUCATION.splitlines()}
    with open_table(made.output) as released:
        hidden = sum(n for (_, city), n in groups(released).items() if city is None)
    assert inside["plan"]["suppressed"] == hidden > 0
    assert inside["plan"]["suppress_below"] == outside["plan"]["suppress_below"] == 5
    assert outside["plan"]["bins"]["education"] == {
        "binning": "level:1",
        "learnt": None,
        "from_another_table": False,
        "levels": None,
    }
    assert outside["plan"]["suppressed"] is None
    assert "HS-grad" not in made.public_record_file.read_text(encoding="utf-8")
    said = [str(one) for one in made.record.assumptions]
    assert "education is released at level 1 of education.csv." in said
    assert "Where fewer than 5 rows agree in education, city, these values are missing." in said
    assert any(one.startswith("Coarsening and suppression are not differential privacy") for one in said)
    public = verify(made.public_record_file)
    public.require()
    left_out = {str(check.name) for check in public.checks if check.holds is None}
    assert {"levels of education", "number of suppressed rows"} <= left_out


@pytest.mark.parametrize("below", [50, 1000])
def test_a_release_with_smaller_groups_than_the_record_says_does_not_hold(made: Release, below: int) -> None:
    from msgspec.structs import replace

    from leakgauge.release.verification import _release_checks

    record = replace(made.record, plan=replace(made.record.plan, suppress_below=below))
    checks = {str(one.name): one.holds for one in _release_checks(record, (), made.record_file, None)}
    assert checks["groups of education, city"] is False


def test_the_same_plan_in_a_file(levels: Path, tmp_path: Path, plan: ReleasePlan) -> None:
    place = tmp_path / "plan.toml"
    place.write_text(
        'public = ["education", "city"]\nsuppress_below = 5\n[columns]\n'
        'illness = "randomized-response:epsilon=1,letters=flu|none"\n[levels]\neducation = "education.csv:1"\n'
    )
    found = read_plan(place)
    assert (found.bins, found.suppression) == (plan.bins, plan.suppression)
    assert plan_files(place) == (place, levels)


def test_persons_are_the_groups_of_a_unit(tmp_path: Path, plan: ReleasePlan) -> None:
    people = PEOPLE.append_column("person", pa.array([at // 4 for at in range(120)]))
    ways = {"unit": {"unit": "person", "rows_per_unit": 4}, "suppress_unit": {"suppress_unit": "person"}}
    with open_table(people) as table:
        for how in ways.values():
            found = bind(ReleasePlan(MECHANISM, ["city"], suppress_below=5, **how), table)  # type: ignore[arg-type]
            assert found.suppression is not None
            assert found.suppression.unit == "person"
            made = ReleasePlan(MECHANISM, ["city"], suppress_below=5, **how).apply(  # type: ignore[arg-type]
                table, tmp_path / "persons.csv", randomness=Simulated(1), overwrite=True
            )
            names = {str(check.name): check.holds for check in verify(made.record_file).checks}
            assert names["groups of city"] is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"bins": {"city": "year"}, "levels": {"city": "x.csv:1"}}, "both bins and levels"),
        ({"levels": {"age": Levels(("1",), ("a",), 1, "x")}}, "bins for column 'age', which it does not release"),
        ({"suppress_below": 1}, "suppresses none"),
        ({"suppress_below": 5, "suppress_unit": "city"}, "is the unit of suppression, which is never released"),
    ],
)
def test_plans_that_cannot_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        ReleasePlan(MECHANISM, ["city"], **given)


def test_a_secret_at_a_level(levels: Path, tmp_path: Path) -> None:
    coarser = read_hierarchy(levels).level(1)
    mechanism = {"education": "randomized-response:epsilon=1,letters=School|University|"}
    with open_table(PEOPLE) as table:
        made = ReleasePlan(mechanism, bins={"education": coarser}).apply(
            table, tmp_path / "out.parquet", randomness=Simulated(2)
        )
        verify(made.record_file).require()
        with open_table(made.output) as released:
            assert set(released.counts("education").labels("education")) == {"School", "University", None}
