"""Association of columns of any kinds, and what a mechanism takes of a table."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment.indicators import properties
from leakgauge.assessment.indicators.indicator import Context, Form
from leakgauge.assessment.indicators.protected import protected_column
from leakgauge.assessment.indicators.source import association, variable
from leakgauge.mechanisms import Mechanism, laplace, randomized_response
from leakgauge.randomness import Simulated, simulation
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table, open_table
from tests.assessment.indicators.small import LETTERS, by_leaf, people, table, value

ROWS = people()
KINDS = {"illness": Kind.STRING, "city": Kind.STRING, "age": Kind.FLOAT, "children": Kind.INT, "day": Kind.DATE}


def associated(first: str, second: str) -> float | None:
    return association(*(variable(ROWS[name].combine_chunks(), name, KINDS[name]) for name in (first, second)))


def found_in(rows: Table, column: str, mechanism: Mechanism) -> dict[str, Evidence]:
    return by_leaf(properties.measured(protected_column(rows, column, mechanism, Simulated(1)), Context()))


def test_numbers_by_pearson() -> None:
    age, children = ROWS["age"].to_numpy(), ROWS["children"].to_numpy()
    assert associated("age", "children") == pytest.approx(abs(np.corrcoef(age, children)[0, 1]))
    days = np.array(ROWS["day"].cast(pa.int32()))
    assert associated("age", "day") == pytest.approx(abs(np.corrcoef(age, days)[0, 1]))


def test_categories_by_cramers_v_without_bias() -> None:
    illness, city = ROWS["illness"].to_pylist(), ROWS["city"].to_pylist()
    cells = np.array(
        [
            [sum(a == x and b == y for a, b in zip(illness, city, strict=True)) for y in sorted(set(city))]
            for x in LETTERS
        ]
    )
    even = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / 3000
    phi = ((cells - even) ** 2 / even).sum() / 3000 - 2 * 3 / 2999
    assert associated("illness", "city") == pytest.approx(math.sqrt(phi / min(2 - 4 / 2999, 3 - 9 / 2999)))


def test_one_of_each_by_the_correlation_ratio() -> None:
    age, illness = ROWS["age"].to_numpy(), np.array(ROWS["illness"].to_pylist())
    within = sum(((age[illness == letter] - age[illness == letter].mean()) ** 2).sum() for letter in LETTERS)
    share = 1 - within / (3000 - 3) / (((age - age.mean()) ** 2).sum() / 2999)
    assert associated("age", "illness") == pytest.approx(math.sqrt(share))
    assert associated("illness", "age") == associated("age", "illness")


@pytest.mark.parametrize("power", [1023, -1022])
def test_numbers_near_the_end_of_the_floats_are_associated_like_any_others(power: int) -> None:
    """Squares of 1e308 and the sum of two of them are infinite; before, the leaf had no value after a release."""
    draws = simulation(7)
    code = draws.integers(3, size=300)
    # Multiples of a power of two, so that not one bit is lost.
    small, other = (code - 1) + draws.integers(-2, 3, size=300) / 8, draws.integers(-8, 9, size=300) / 8
    large = np.ldexp(np.clip(small, -1, 1), power)
    assert np.abs(large).max() in (math.ldexp(1, 1023), math.ldexp(1, -1022))
    texts = variable(pa.array(code).cast(pa.string()), "code", Kind.STRING)
    one, same, two = (variable(pa.array(numbers), "x", Kind.FLOAT) for numbers in (np.clip(small, -1, 1), large, other))
    assert association(texts, same) == association(texts, one) is not None
    assert association(two, same) == association(two, one) is not None


def test_what_is_not_a_number_is_missing() -> None:
    found = properties.CORRELATION.evidence(Form.LETTERS, math.nan, Sentence("measured"))
    assert found.standing is Standing.MISSING and "too large" in str(found.source)


def test_a_key_and_a_constant_tell_nothing_and_chance_next_to_nothing() -> None:
    draws = simulation(5)
    rows = {
        "x": draws.integers(3, size=2000),
        "key": np.arange(2000),
        "same": np.zeros(2000),
        "by_chance": draws.integers(40, size=2000),
    }
    made = {name: variable(pa.array(column).cast(pa.string()), name, Kind.STRING) for name, column in rows.items()}
    assert association(made["x"], made["key"]) is None
    assert association(made["x"], made["same"]) is None
    found = association(made["x"], made["by_chance"])
    assert found is not None
    assert found < 0.06, "40 categories that know nothing explain a share by chance, which is taken off"
    numbers = variable(pa.array(draws.normal(size=2000)), "n", Kind.FLOAT)
    assert association(numbers, made["key"]) is None


def test_the_strongest_and_its_square() -> None:
    others = [associated("illness", name) for name in ("city", "age", "children", "day")]
    member = association(
        variable(ROWS["illness"].combine_chunks(), "illness", Kind.STRING),
        variable(ROWS["member"].combine_chunks(), "member", Kind.BOOL),
    )
    found = found_in(table(), "illness", randomized_response(1.0, letters=LETTERS))
    known = [one for one in (*others, member) if one is not None]
    assert value(found["16"]) == pytest.approx(max(known))
    assert value(found["18"]) == pytest.approx(max(known) ** 2)


def test_columns_of_chance_hide_nothing() -> None:
    draws, rows = simulation(8), people()
    for number in range(5):
        rows = rows.append_column(f"chance {number}", pa.array(draws.random(len(rows))))
    before, after = (
        found_in(open_table(one), "illness", randomized_response(1.0, letters=LETTERS)) for one in (people(), rows)
    )
    for leaf in ("16", "18"):
        assert value(after[leaf]) >= value(before[leaf])


def test_a_table_of_one_column_has_nothing_to_go_with() -> None:
    alone = open_table(pa.table({"illness": LETTERS * 20}))
    found = found_in(alone, "illness", randomized_response(1.0, letters=LETTERS))
    assert found["16"].standing is found["18"].standing is Standing.MISSING


def test_capabilities_against_the_table() -> None:
    letters = found_in(table(5000), "illness", randomized_response(1.0, letters=LETTERS))
    numbers = found_in(table(5000), "age", laplace(1.0, lower=0, upper=100))
    assert [value(letters[leaf]) for leaf in ("20", "21", "22", "23")] == pytest.approx([2 / 3, 1, 4 / 6, 1])
    assert [value(numbers[leaf]) for leaf in ("20", "22", "23")] == pytest.approx([2 / 3, 1, 2 / 6])
