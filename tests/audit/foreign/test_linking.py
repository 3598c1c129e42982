"""Who finds rows of a release made elsewhere, by values that contain the person's."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from leakgauge.audit.foreign.linking import ForeignLinks
from leakgauge.audit.foreign.release import ForeignRelease, ForeignRoles, read_foreign
from leakgauge.case.case import Case
from leakgauge.case.linked_people import linked_people
from leakgauge.case.linking import gaining_least, linked_attackers
from leakgauge.errors import OptionError
from leakgauge.randomness import simulation
from leakgauge.release.bound import RecordedPlan
from leakgauge.tables import open_table
from tests.audit.foreign.releases import made

ROWS = 600
ILLNESSES = ("flu", "cold", "cancer")


def people(seed: int = 3) -> pa.Table:
    draws = simulation(seed)
    return pa.table(
        {
            "id": np.arange(ROWS),
            "person": np.arange(ROWS) // 2,
            "illness": draws.choice(ILLNESSES, ROWS, p=[0.5, 0.3, 0.2]),
            "age": draws.integers(20, 80, ROWS),
            "city": draws.choice(["A", "B"], ROWS),
            "income": np.exp(draws.standard_normal(ROWS)),
        }
    )


def decades(table: pa.Table) -> pa.Array:
    return pa.array([f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in table["age"].to_pylist()])


def shuffled(table: pa.Table, folder: Path, *names: str) -> Path:
    place = folder / "theirs.csv"
    pyarrow.csv.write_csv(table.take(simulation(1).permutation(table.num_rows)).select(["id", *names]), place)
    return place


def read(table: pa.Table, released: Path, secret: str = "illness", **roles: object) -> ForeignRelease:
    with open_table(table) as original:
        return read_foreign(released, original, ForeignRoles((secret,), key="id", **roles))  # type: ignore[arg-type]


@pytest.mark.parametrize("background", [(), ("city",)])
def test_one_recoding_of_whole_columns_counts_as_a_release_of_ours(tmp_path: Path, background: tuple[str, ...]) -> None:
    original = people()
    coarse = original.set_column(3, "age", decades(original))
    theirs = ForeignLinks.of(
        read(original, shuffled(coarse, tmp_path, "illness", "age", "city"), background=background), "illness"
    )
    plan = RecordedPlan((), ("illness", "age", "city"), ("illness", "age", "city"), {})
    with open_table(coarse) as table:
        ours = linked_attackers(Case(table, background), plan, ("illness",))
        found = linked_people(table, ("age", "city"))
    assert theirs.links == ("age", "city")
    for one, other in zip(theirs.attackers, ours, strict=True):
        assert (one.knows, one.worst) == (other.knows, other.worst)
        for first, second in ((one.gained, other.gained), (one.told, other.told), (one.surest, other.surest)):
            assert first is not None and second is not None
            assert [first.value, *first.ends] == pytest.approx([second.value, *second.ends], abs=1e-9)
    assert theirs.linked_people().expected == pytest.approx(found.expected)
    assert (theirs.linked_people().alone, theirs.linked_people().people) == (found.alone, found.people)


def test_rows_whose_values_overlap_are_all_in_question(tmp_path: Path) -> None:
    """Person by person over every row, with cities that are blank on some."""
    original = people()
    draws = simulation(2)
    blank = pa.array(original["city"].to_numpy(), mask=draws.random(ROWS) < 0.1)
    coarse = original.set_column(3, "age", decades(original)).set_column(4, "city", blank)
    links = ForeignLinks.of(read(original, shuffled(coarse, tmp_path, "illness", "age", "city")), "illness")
    age, city, x = (original[name].to_pylist() for name in ("age", "city", "illness"))
    shown = blank.to_pylist()
    right, found, alone = 0.0, 0.0, 0
    mixed: Counter[str] = Counter()
    for i in range(ROWS):
        rows = [j for j in range(ROWS) if age[j] // 10 == age[i] // 10 and shown[j] in (None, city[i])]
        group = Counter(x[j] for j in rows)
        right += max(group.values()) / len(rows) / ROWS
        found += 1 / len(rows)
        alone += len(rows) == 1
        mixed.update({value: count / len(rows) / ROWS for value, count in group.items()})
    sight = links.sight()
    assert sight.guessed() == pytest.approx(right)
    assert sight.before.guessed() == pytest.approx(max(mixed.values()))
    assert links.linked_people().expected == pytest.approx(found) and links.linked_people().alone == alone


def test_more_columns_to_link_by_never_protect_more(tmp_path: Path) -> None:
    original = people()
    release = read(original, shuffled(original, tmp_path, "illness", "age", "city"))
    found = [ForeignLinks.of(release, "illness", columns).attacker(()) for columns in ((), ("city",), ("age", "city"))]
    for one, other in pairwise(found):
        for less, more in ((one.gained, other.gained), (one.told, other.told), (one.surest, other.surest)):
            assert less is not None and more is not None and less.value <= more.value + 1e-9
    assert found[0].gained is not None and found[0].gained.value == pytest.approx(0, abs=1e-9)


def test_persons_with_several_rows_are_found_by_the_best_of_them(tmp_path: Path) -> None:
    original = people()
    release = read(original, shuffled(original, tmp_path, "illness", "age", "city"), unit="person")
    found = ForeignLinks.of(release, "illness").linked_people()
    with open_table(original) as table:
        ours = linked_people(table, ("age", "city"), "person")
    assert (found.people, found.alone) == (ours.people, ours.alone) == (ROWS // 2, found.alone)
    assert found.expected == pytest.approx(ours.expected)


def test_numbers_count_by_their_ranks_however_large_the_groups(tmp_path: Path) -> None:
    original = people()
    release = read(original, shuffled(original, tmp_path, "income", "city"), "income")
    (found,) = ForeignLinks.of(release, "income").attackers
    assert found.left is None and found.gained is not None and found.gained.value < 0.02
    assert found.worst is not None and "–" in found.worst
    (alone,) = ForeignLinks.of(
        read(original, shuffled(original, tmp_path, "income", "person"), "income"), "income"
    ).attackers
    assert alone.gained is not None and alone.gained.value > 0.4


def test_a_changed_secret_is_bounded_by_the_true_ones_of_the_group(tmp_path: Path) -> None:
    """What the row itself says bounds it as well, and the smaller bound counts."""
    original, released = made(tmp_path, 1000)
    with open_table(original) as table:
        release = read_foreign(released, table, ForeignRoles(("illness",), key="id"))
    links = ForeignLinks.of(release, "illness")
    (found,) = links.attackers
    assert found.gained is not None and found.gained.low == 0 and found.gained.value > 0.2
    (by_row,) = ForeignLinks.of(release, "illness", ()).attackers
    assert by_row.gained is not None and gaining_least(found, by_row).gained == by_row.gained
    assert gaining_least(found, by_row).links == found.links


def test_a_column_that_nobody_sees_links_nothing(tmp_path: Path) -> None:
    original = people()
    release = read(original, shuffled(original, tmp_path, "illness", "age"))
    with pytest.raises(OptionError, match="'city' is neither published nor declared"):
        ForeignLinks.of(release, "illness", ("city",))
