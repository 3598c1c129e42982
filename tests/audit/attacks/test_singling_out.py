"""A description that fits one released row: luck where nothing is told, and nearly everybody in the raw data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Finding
from leakgauge.audit.attacks.rows import AS_IS
from leakgauge.audit.attacks.singling_out import (
    Described,
    Rows,
    by_one_column,
    by_several_columns,
    described,
    singling_out,
)
from leakgauge.case.drawn import Drawn, ReleasedColumn, Role, SeenColumn
from leakgauge.probability.cells import Codes
from leakgauge.randomness import simulation
from tests.audit.attacks.cases import RESPONSE, again, case_of, people

INFINITE = np.iinfo(np.int64).max
SEVERAL = "singling out, by several columns"


def table(rows: int = 1200, seed: int = 3) -> pa.Table:
    """An age and a town by which many people are alone, and an illness."""
    draws = simulation(seed)
    return people(rows, seed).append_column("age", pa.array(draws.integers(18, 90, size=rows)))


def of(drawn: Drawn, name: str = SEVERAL) -> Finding:
    return next(one for one in singling_out(drawn) if str(one.attack) == name)


def brute(columns: list[Codes], conditions: tuple[tuple[int, int, int], ...]) -> int:
    """How many rows meet all conditions, one by one."""
    return sum(all(low <= columns[at][row] <= high for at, low, high in conditions) for row in range(len(columns[0])))


def shown_as_it_is(column: ReleasedColumn, name: str, true: Codes, shown: Codes) -> ReleasedColumn:
    """A column whose released values are taken at their word."""
    mechanism = replace(column.mechanism, law=AS_IS)
    return replace(column, reads=(name,), writes=(name,), mechanism=mechanism, inputs=true, outputs=shown)


def test_anonymeters_definition_by_hand() -> None:
    # Released ages 30, 30, 41, 55 and sexes 0, 1, 1, 1; the people are 30, 30, 41, 60 and 0, 1, 0, 1.
    released = [np.array([30, 30, 41, 55]), np.array([0, 1, 1, 1])]
    original = Rows.of([np.array([30, 30, 41, 60]), np.array([0, 1, 0, 1])])
    age, sex = released
    columns = [Described(("age",), age, age, ordered=True), Described(("sex",), sex, sex)]
    made = set(by_one_column(columns, Rows.of(released), simulation(1), 100))
    # Values that occur once are 41 and 55 of the ages and 0 of the sexes; the largest age stands alone, the least not.
    expected = {
        ((0, 41, 41),): True,
        ((0, 55, 55),): False,
        ((0, 55, INFINITE),): True,
        ((1, 0, 0),): False,
    }
    assert made == set(expected)
    assert {one: original.is_one_person(one) for one in made} == expected
    # Two of four univariate predicates single out: Anonymeter's success rate is one half.
    assert sum(expected.values()) / len(expected) == 0.5


def test_every_description_fits_one_released_row_and_no_other() -> None:
    draws = simulation(5)
    released = [draws.integers(12, size=300), draws.integers(9, size=300), draws.integers(1000, size=300)]
    columns = [
        Described(("a",), released[0], released[0]),
        Described(("b",), released[1], released[1], ordered=True),
        Described(("c",), released[2], released[2], ordered=True, noisy=True),
    ]
    shown = Rows.of(released)
    several, single = (
        list(describe(columns, shown, simulation(2), 60)) for describe in (by_several_columns, by_one_column)
    )
    assert len(several) == 60 and all(len(one) > 1 for one in several) and len({*single}) == len(single) > 30
    assert all(brute(released, one) == 1 == len(shown.meet(one)) for one in (*several, *single))
    # Numbers with noise are never compared for equality.
    assert all(low == -INFINITE - 1 or high == INFINITE for one in several for at, low, high in one if at == 2)
    others = [values[::2] for values in released]
    assert all(Rows.of(others).is_one_person(one) == (brute(others, one) == 1) for one in several)


@pytest.mark.parametrize("epsilon", [0.01, 3])
def test_an_independent_release_singles_nobody_out_and_the_raw_copy_nearly_everybody(
    tmp_path: Path, epsilon: float
) -> None:
    drawn = case_of(table(), {"illness": RESPONSE.format(epsilon=epsilon)}, tmp_path, public=["age", "city", "sex"])
    found = [of(again(drawn, seed)) for seed in range(20)]
    # About one in twenty is expected at most.
    assert sum(0 not in one.independent for one in found) <= 3
    assert abs(np.mean([one.independent.value for one in found])) < 0.03
    # Luck alone: what Anonymeter reports as success where nothing is told.
    assert all(0.05 < one.baseline.value < 0.6 for one in found)
    for one in found:
        assert one.baseline.value + one.raw.value == pytest.approx(1.0, abs=0.1)
        assert one.ceiling is None and not one.beats_claim and one.judged
        assert one.target == ("age", "city", "sex", "illness") and one.knows == ()


def test_a_release_that_has_nothing_to_do_with_its_people_gains_nothing(tmp_path: Path) -> None:
    """Rows drawn from the same law as the people's: as useful as data can be, and about nobody."""
    drawn = case_of(table(2400), {"illness": RESPONSE.format(epsilon=30)}, tmp_path, public=["age", "city", "sex"])
    others = case_of(table(2400, 99), {"illness": RESPONSE.format(epsilon=30)}, tmp_path, public=["age", "city", "sex"])
    (column,), (other,) = drawn.columns, others.columns
    gains = []
    for seed in range(15):
        order = simulation(seed).permutation(2400)
        shown = [
            shown_as_it_is(column, ours.name, ours.codes, theirs.codes[order])
            for ours, theirs in zip(drawn.seen, others.seen, strict=True)
        ]
        columns = (replace(column, outputs=other.outputs[order]), *shown)
        gains.append(of(replace(drawn, columns=columns, seen=(), simulation_seed=seed)))
    assert sum(0 not in one.advantage for one in gains) <= 3
    assert abs(np.mean([one.advantage.value for one in gains])) < 0.03
    # The success itself is not 0.
    assert np.mean([one.success.value for one in gains]) > 0.05


def test_the_raw_copy_gains_all_of_it(tmp_path: Path) -> None:
    plain = table()
    drawn = case_of(plain, {"illness": RESPONSE.format(epsilon=40)}, tmp_path, public=["age", "city", "sex", "salary"])
    for one in singling_out(drawn):
        assert one.success.value == 1.0
        assert one.advantage.value == pytest.approx(one.raw.value, abs=0.12)
        assert one.exposed > 0
    assert of(drawn).advantage.value > 0.5


def test_more_noise_singles_out_fewer(tmp_path: Path) -> None:
    def gained(epsilon: float) -> float:
        columns = {name: RESPONSE.format(epsilon=epsilon) for name in ("city", "illness")}
        drawn = case_of(table(), columns, tmp_path, public=["age"])
        return float(np.mean([of(again(drawn, seed)).advantage.value for seed in range(5)]))

    gains = [gained(epsilon) for epsilon in (0.1, 2.0, 4.0, 20.0)]
    assert gains == sorted(gains)
    assert abs(gains[0]) < 0.06 and gains[-1] > 0.5


def test_a_unit_counts_as_one_person_and_stays_on_one_side(tmp_path: Path) -> None:
    rows = table(600)
    twice = pa.concat_tables([rows, rows]).append_column("person", pa.array([*range(600)] * 2))
    names = {"illness": RESPONSE.format(epsilon=30)}
    drawn = case_of(twice, names, tmp_path, public=["age", "city", "salary"], unit="person")
    # Every row has a twin of the same person, so that no released row is alone.
    assert singling_out(drawn) == ()
    apart = twice.set_column(twice.schema.get_field_index("salary"), "salary", pa.array(np.arange(1200)))
    found = of(case_of(apart, names, tmp_path, public=["age", "city", "salary"], unit="person"))
    assert found.success.value == 1.0 and found.baseline.value < 0.4


def test_nothing_is_found_where_nobody_stands_alone_or_one_column_has_few_values(tmp_path: Path) -> None:
    drawn = case_of(people(2000), {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["city"])
    assert singling_out(drawn) == ()
    assert singling_out(case_of(people(2000), {"illness": RESPONSE.format(epsilon=1)}, tmp_path)) == ()


def test_everything_that_leaves_is_described_and_nothing_else(tmp_path: Path) -> None:
    columns = {
        "illness": RESPONSE.format(epsilon=9),
        "salary": "laplace:epsilon=1,lower=1000,upper=3000",
        "city": "unary-encoding:epsilon=9,letters=this-table",
    }
    drawn = case_of(table(), columns, tmp_path, public=["age"], background=["sex"])
    found = {one.names: one for one in described(drawn)}
    assert [*found] == [("age",), ("illness",), ("salary",), ("city",)]
    assert found["salary",].noisy and not found["illness",].noisy
    # Letters and sets are decoded into the numbers of the inputs, mostly rightly at a large ε.
    right = {name: (found[name,].released == found[name,].true).mean() for name in ("illness", "city")}
    # A set has the own letter every second time.
    assert right["illness"] > 0.9 and right["city"] > 0.5
    # Known and published at once is published.
    both = replace(drawn, seen=(SeenColumn("age", Role.BACKGROUND, drawn.seen[-1].codes, ordered=True),))
    assert next(one.names for one in described(both)) == ("age",)
