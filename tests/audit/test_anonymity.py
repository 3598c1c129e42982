"""k, l, t, α, β and δ of small tables worked out by hand, of random ones by brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit.anonymity import among_people, anonymity
from leakgauge.audit.anonymity import diversity as of_rows
from leakgauge.errors import ColumnError, OptionError
from leakgauge.randomness import simulation
from leakgauge.tables import open_table
from leakgauge.tables.binnings import Width


def test_a_table_worked_out_by_hand() -> None:
    table = open_table(
        pa.table(
            {
                "zip": ["476", "476", "476", "479", "479", "479", "476", "476"],
                "age": ["2*", "2*", "2*", "40", "40", "40", "3*", "3*"],
                "salary": [3, 4, 5, 6, 11, 8, 7, 7],
                "illness": ["a", "a", "b", "c", "c", "c", "a", "b"],
            }
        )
    )
    by_illness = anonymity(table, ["zip", "age"], "illness")
    assert (by_illness.rows, by_illness.classes, by_illness.k, by_illness.unique) == (8, 3, 2, 0)
    found = by_illness.diversity
    assert found is not None
    # The class of 479 has one illness; the table has it in 3 of 8 rows.
    assert found.distinct == 1
    assert found.entropy == pytest.approx(1.0)
    assert found.closeness == pytest.approx(5 / 8)
    assert found.ordered_closeness is None
    assert found.largest_share == 1
    # All of a class has an illness that 3 of 8 rows have; a and b are in 3 and 2 of 8.
    assert found.likeness == pytest.approx(8 / 3 - 1)
    assert found.enhanced_likeness == pytest.approx(math.log(8 / 2))
    assert found.disclosure == pytest.approx(math.log(8 / 3))
    by_salary = anonymity(table, ["zip", "age"], "salary").diversity
    assert by_salary is not None and by_salary.ordered_closeness is not None
    # Seven salaries 3 4 5 6 7 8 11 in the table, 7 twice. The class {3, 4, 5} against it: cumulative shares
    # 1/3 2/3 1 1 1 1 1 against 1/8 2/8 3/8 4/8 6/8 7/8 1.
    by_hand = sum(abs(f - g) for f, g in zip((1 / 3, 2 / 3, 1, 1, 1, 1), np.array([1, 2, 3, 4, 6, 7]) / 8, strict=True))
    assert by_salary.ordered_closeness == pytest.approx(by_hand / 6)
    assert by_salary.distinct == 1


def test_rows_that_are_alone_are_counted() -> None:
    table = open_table(pa.table({"a": [1, 1, 2, 3, None, None], "b": ["x", "x", "x", "x", "y", "y"]}))
    found = anonymity(table, ["a", "b"])
    assert (found.k, found.classes, found.unique, found.diversity) == (1, 4, 2, None)
    assert found.unique_share == pytest.approx(1 / 3)
    assert anonymity(table, ["a"], bins={"a": Width(10)}).k == 2


@pytest.mark.parametrize("seed", range(8))
def test_random_tables_agree_with_brute_force(seed: int) -> None:
    draws = simulation(seed)
    rows = 400
    first, second = draws.integers(6, size=rows), draws.integers(4, size=rows)
    secret = np.where(draws.random(rows) < 0.5, first, draws.integers(9, size=rows))
    table = open_table(pa.table({"first": first, "second": second, "secret": secret}))
    found = anonymity(table, ["first", "second"], "secret")
    classes: dict[tuple[int, int], list[int]] = {}
    for one, other, value in zip(first.tolist(), second.tolist(), secret.tolist(), strict=True):
        classes.setdefault((one, other), []).append(value)
    assert found.k == min(map(len, classes.values()))
    assert found.unique == sum(len(values) == 1 for values in classes.values())
    whole = secret.tolist()
    diversity = found.diversity
    assert diversity is not None
    assert diversity.distinct == min(len(set(values)) for values in classes.values())
    assert diversity.entropy == pytest.approx(min(math.exp(entropy(values)) for values in classes.values()))
    assert diversity.closeness == pytest.approx(max(variation(values, whole) for values in classes.values()))
    assert diversity.ordered_closeness == pytest.approx(max(earth_moved(values, whole) for values in classes.values()))
    shares = [
        (n / len(values), whole.count(v) / rows) for values in classes.values() for v, n in Counter(values).items()
    ]
    assert diversity.largest_share == pytest.approx(max(share for share, _ in shares))
    assert diversity.likeness == pytest.approx(max((share - all_) / all_ for share, all_ in shares))
    rarest = min(all_ for _, all_ in shares)
    assert diversity.enhanced_likeness == pytest.approx(min(diversity.likeness, -math.log(rarest)))
    assert diversity.disclosure == pytest.approx(max(abs(math.log(share / all_)) for share, all_ in shares))
    places = np.unique(first * 4 + second, return_inverse=True)[1]
    by_rows = of_rows("secret", places, secret)
    assert by_rows.ordered_closeness is None
    assert (by_rows.closeness, by_rows.disclosure) == pytest.approx((diversity.closeness, diversity.disclosure))


def entropy(values: Sequence[int]) -> float:
    return -sum(n / len(values) * math.log(n / len(values)) for n in Counter(values).values())


def variation(values: Sequence[int], whole: Sequence[int]) -> float:
    mine, theirs = Counter(values), Counter(whole)
    return sum(abs(mine[v] / len(values) - theirs[v] / len(whole)) for v in theirs) / 2


def earth_moved(values: Sequence[int], whole: Sequence[int]) -> float:
    letters = sorted(set(whole))
    moved = (
        abs(sum(v <= at for v in values) / len(values) - sum(v <= at for v in whole) / len(whole)) for at in letters
    )
    return sum(moved) / (len(letters) - 1)


def test_what_cannot_be_counted_is_refused() -> None:
    table = open_table(pa.table({"a": [1, 2], "b": ["x", "y"]}))
    with pytest.raises(OptionError, match="No quasi-identifier"):
        anonymity(table, [])
    with pytest.raises(OptionError, match="'b' is named as secret and as quasi-identifier"):
        anonymity(table, ["a", "b"], "b")
    with pytest.raises(ColumnError, match="no column 'c'"):
        anonymity(table, ["a"], "c")


def test_people_with_several_rows_are_counted_once() -> None:
    table = open_table(pa.table({"city": ["A", "A", "A", "B", "B"]}))
    rows = anonymity(table, ["city"])
    people = among_people(rows, np.array([0, 0, 0, 1, 1]), np.array([7, 7, 8, 9, 9]))
    assert (rows.k, rows.unique) == (2, 0)
    # Both rows of B are one person's, who stands alone there.
    assert (people.k, people.unique) == (1, 2)
