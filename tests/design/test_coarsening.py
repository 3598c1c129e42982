"""The least coarsening is that of a brute-force search, and what is refused is out of reach of every node."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.design.coarsening import MOST_NODES, Hiding, least_coarsening
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Codes

Steps = tuple[tuple[Codes, ...], ...]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Codes, Steps, Codes | None]:
    """Rows of one to three columns, random steps of each, every one merging values of the one before; some persons."""
    columns = draw(st.integers(1, 3))
    rows = draw(st.integers(1, 30))
    letters = [draw(st.integers(1, 5)) for _ in range(columns)]
    values = np.array(
        [draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows)) for size in letters], dtype=np.int64
    )
    steps = []
    for size in letters:
        ladder = [np.arange(size)]
        for _ in range(draw(st.integers(0, 3))):
            merge = np.array(draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size)), dtype=np.int64)
            ladder.append(merge[ladder[-1]])
        steps.append(tuple(ladder))
    persons = st.lists(st.integers(0, 6), min_size=rows, max_size=rows)
    people = np.array(draw(persons), dtype=np.int64) if draw(st.booleans()) else None
    return values, tuple(steps), people


def hiding_of(values: Codes, steps: Steps, people: Codes | None, k: int, most: float) -> Hiding:
    whole = values if people is None else np.vstack([values, people])
    cells, rows = np.unique(whole, axis=1, return_counts=True)
    entropies = tuple(entropy(column.tolist()) for column in values)
    return Hiding(cells[: len(values)], rows, steps, entropies, k, most, None if people is None else cells[-1])


def entropy(values: Sequence[Hashable]) -> float:
    return -sum(n / len(values) * math.log2(n / len(values)) for n in Counter(values).values())


def by_hand(values: Codes, steps: Steps, people: Codes | None, k: int) -> dict[tuple[int, ...], tuple[float, int]]:
    """The loss and the suppressed rows of every node, row by row from the definitions."""
    n, found = values.shape[1], {}
    who = list(range(n)) if people is None else people.tolist()
    for node in product(*(range(len(ladder)) for ladder in steps)):
        coarse = [ladder[step][column].tolist() for ladder, step, column in zip(steps, node, values, strict=True)]
        groups = defaultdict(list)
        for row, key in enumerate(zip(*coarse, strict=True)):
            groups[key].append(row)
        sizes = {key: len({who[row] for row in rows}) for key, rows in groups.items()}
        small = [row for key, rows in groups.items() if sizes[key] < k for row in rows]
        ways = [small]
        large = [key for key in groups if sizes[key] >= k]
        if 0 < len({who[row] for row in small}) < k and large:
            least = min(sizes[key] for key in large)
            ways = [[*small, *groups[key]] for key in large if sizes[key] == least]
        found[node] = max(lost(values, coarse, hidden) for hidden in ways), max(map(len, ways))
    return found


def lost(values: Codes, coarse: Sequence[list[int]], hidden: Sequence[int]) -> float:
    """Bits per row, where these rows are suppressed."""
    gone, bits, n = set(hidden), 0.0, values.shape[1]
    for column, cells in zip(values.tolist(), coarse, strict=True):
        before, after = Counter(column), Counter(cells)
        bits += sum(math.log2((n if row in gone else after[cells[row]]) / before[column[row]]) for row in range(n))
    return float(bits / n)


@given(tables(), st.integers(2, 6), st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.9]))
def test_the_best_and_the_next_are_those_of_brute_force(
    table: tuple[Codes, Steps, Codes | None], k: int, most: float
) -> None:
    values, steps, people = table
    found = least_coarsening(hiding_of(values, steps, people, k, most))
    every = by_hand(values, steps, people, k)
    allowed = sorted(loss for loss, suppressed in every.values() if suppressed <= most * values.shape[1] + 1e-9)
    nodes = [one for one in (found.best, found.runner_up) if one is not None]
    assert [one.loss for one in nodes] == pytest.approx(allowed[:2], abs=1e-9)
    for one in (*nodes, found.coarsest):
        assert (one.loss, one.suppressed) == pytest.approx(every[one.steps], abs=1e-9)


def test_what_is_left_hides_among_k() -> None:
    draw = np.random.default_rng(3)
    values = np.array([draw.integers(40, size=2000), draw.integers(12, size=2000)])
    steps = tuple(tuple(np.arange(size) // by for by in (1, 2, 4, size)) for size in (40, 12))
    best = least_coarsening(hiding_of(values, steps, None, 7, 0.03)).best
    assert best is not None
    coarse = np.array([ladder[step][column] for ladder, step, column in zip(steps, best.steps, values, strict=True)])
    sizes = np.unique(coarse, axis=1, return_counts=True)[1]
    assert sizes[sizes < 7].sum() == best.suppressed <= 60
    assert (sizes >= 7).sum() == best.groups


def test_a_few_suppressed_rows_take_a_group_with_them() -> None:
    # Two rows of one value would be known by having none: five rows of another join them.
    values = np.array([[0, 0, *[1] * 5, *[2] * 30]])
    found = least_coarsening(hiding_of(values, ((np.arange(3),),), None, 5, 0.25))
    assert found.best is not None
    assert (found.best.suppressed, found.best.groups) == (7, 1)
    # Seven of 37 rows are more than a tenth.
    assert least_coarsening(hiding_of(values, ((np.arange(3),),), None, 5, 0.1)).best is None


def test_a_person_with_many_rows_hides_nobody() -> None:
    values, people = np.array([[0] * 20 + [1] * 20]), np.array([0] * 20 + list(range(20)))
    steps = ((np.arange(2), np.zeros(2, dtype=np.int64)),)
    alone, with_people = (least_coarsening(hiding_of(values, steps, who, 5, 0.0)).best for who in (None, people))
    assert alone is not None and with_people is not None
    assert (alone.steps, with_people.steps) == ((0,), (1,))


def test_more_nodes_than_anybody_waits_for_are_refused() -> None:
    ladder = tuple(np.zeros(1, dtype=np.int64) for _ in range(10))
    with pytest.raises(OptionError, match=f"10000000 combinations of levels, more than the {MOST_NODES}"):
        Hiding(np.zeros((7, 1), dtype=np.int64), np.ones(1, dtype=np.int64), (ladder,) * 7, (0.0,) * 7, 2, 0.0)
