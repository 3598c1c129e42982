"""A column from counts of its rows: all of it without noise, and nothing with enough of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit import reconstruct
from leakgauge.audit.planned_queries import PlannedQueries, read_queries
from leakgauge.audit.reconstruction import MOST_CELLS, AnsweredCounts
from leakgauge.errors import ColumnError, FileError, OptionError, TableError
from leakgauge.jobs.audit_queries import Answering, audit_queries
from leakgauge.notions.composition import compose
from leakgauge.randomness import Simulated, simulation
from leakgauge.release.queries import Condition, Count, Protection
from leakgauge.release.queries.noise import total_noise
from leakgauge.tables import Table, open_table


def random_queries(rows: int, queries: int, share: float = 0.5, seed: int = 7) -> AnsweredCounts:
    """Random halves of the rows, and a secret that some of them have."""
    draws = simulation(seed)
    return AnsweredCounts(draws.random(rows) < share, np.arange(rows), draws.random((queries, rows)) < 0.5)


@pytest.mark.parametrize("share", [0.5, 0.15])
def test_exact_answers_to_enough_random_queries_give_the_column_away(share: float) -> None:
    for seed in range(3):
        asked = random_queries(60, 120, share, seed)
        exact = asked.counted.astype(int) @ asked.has
        assert np.array_equal(reconstruct(asked.counted, exact), asked.has)
        # Errors well below √n do not help: they round away.
        wrong = exact + simulation(seed).choice([-0.4, 0.0, 0.4], size=120)
        assert np.array_equal(reconstruct(asked.counted, wrong, share=share), asked.has)


def test_it_is_a_column_that_fits_best() -> None:
    """Against every column there is: no other one has answers that are nearer in all."""
    draws = simulation(3)
    for _ in range(10):
        matrix, answers = draws.random((14, 6)) < 0.5, draws.integers(0, 5, size=14)
        columns = (np.arange(64)[:, None] >> np.arange(6)) & 1
        best = np.abs(columns @ matrix.T.astype(int) - answers).sum(axis=1)
        found = np.abs(matrix.astype(int) @ reconstruct(matrix, answers) - answers).sum()
        # Rounding costs at most half of each row in each query that counts it.
        assert best.min() <= found <= best.min() + matrix.sum() / 2
    whole = draws.random((30, 6)) < 0.5
    for column in columns:
        assert np.array_equal(reconstruct(whole, whole.astype(int) @ column), column)


def test_rows_that_no_query_tells_apart_get_the_same_guess() -> None:
    # Two of the first three have it and none of the others; a query counts whole groups.
    matrix = [[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]]
    assert reconstruct(matrix, [2, 0]).tolist() == [True, True, True, False, False]
    # A row that no query counts has what most have.
    assert reconstruct([[1, 0]], [1], share=0.2).tolist() == [True, False]
    assert reconstruct([[1, 0]], [0], share=0.8).tolist() == [False, True]


def test_more_noise_reconstructs_less_down_to_guessing() -> None:
    asked = random_queries(80, 240, 0.3)
    most = max(asked.share, 1 - asked.share)
    success = []
    for epsilon in (10.0, 0.3, 0.1, 0.001):
        noise = total_noise(epsilon, None, 1, 1.0)
        found, exact = asked.attacked(noise, Simulated(1), target=("secret",), knows=("id",), runs=8)
        assert found.baseline.value == pytest.approx(most) and found.raw.value == pytest.approx(1 - most)
        assert 0 in found.independent and not found.judged and found.ceiling is None
        assert found.advantage.value == pytest.approx(found.success.value - most)
        assert (exact == 8) == (found.success.value == 1)
        success.append(found.success)
    assert [one.value for one in success] == sorted((one.value for one in success), reverse=True)
    assert success[0].value == 1 and success[1].ends[0] > most
    # Noise of a thousand beside √80: guessing, and no worse than that.
    assert success[-1].value == pytest.approx(most)


def test_answers_beyond_what_any_column_gives_are_as_good_as_the_furthest_it_gives() -> None:
    queries = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    for far, near in (([1e300, 1, 2], [2, 1, 2]), ([-1e300, 1, 1], [0, 1, 1]), ([1e9, 1e300, -1e300], [2, 2, 0])):
        for scale in (0.0, 0.5):
            decoded = reconstruct(queries, far, share=0.4, scale=scale)
            assert decoded.tolist() == reconstruct(queries, near, share=0.4, scale=scale).tolist()
    # With noise that drowns every answer, all that is left is what most rows have.
    assert not reconstruct(queries, [2, 2, 2], share=0.4, scale=1e300).any()
    assert reconstruct(queries, [0, 0, 0], share=0.6, scale=1e300).all()


def test_what_cannot_be_decoded_is_refused() -> None:
    for queries, answers, share, scale in (
        ([1, 0], [1], 0.5, 0.0),
        ([[0.5, 1]], [1], 0.5, 0.0),
        ([[1, 0]], [1, 2], 0.5, 0.0),
        ([[1, 0]], [np.nan], 0.5, 0.0),
        ([[1, 0]], [1], 1.0, 0.0),
        ([[1, 0]], [1], 0.5, -1.0),
        ([[1, 0], [1]], [1, 2], 0.5, 0.0),
        ([["1", "0"]], [1], 0.5, 0.0),
        ([[1, 0]], ["a"], 0.5, 0.0),
        ([[1, 0]], None, 0.5, 0.0),
        ([[1, 0]], [1], "x", 0.0),
        ([[1, 0]], [1], None, 0.0),
        ([[1, 0]], [1], 0.5, "x"),
    ):
        with pytest.raises(OptionError):
            reconstruct(queries, answers, share=share, scale=scale)  # type: ignore[arg-type]
    side = int(MOST_CELLS**0.5) + 1
    with pytest.raises(OptionError, match="too many to decode"):
        reconstruct(np.eye(side, dtype=bool), np.zeros(side))


@pytest.fixture
def table() -> Table:
    draws = simulation(5)
    rows = 90
    return open_table(
        pa.table(
            {
                "number": np.arange(rows),
                "city": draws.choice(["A", "B", "C, old"], size=rows).tolist(),
                "ill": draws.choice(["yes", "no"], size=rows, p=[0.3, 0.7]).tolist(),
                "kind": draws.choice(["flu", "cold", "none"], size=rows).tolist(),
            }
        )
    )


def test_queries_are_counted_as_they_are_typed(table: Table, tmp_path: Path) -> None:
    place = tmp_path / "planned.csv"
    place.write_text(
        '# planned\n"city=C, old",ill=yes\n\nnumber<40, ill!=yes\nnumber>=20,ill=no\ncity=A\nkind=flu,ill=yes\n'
    )
    queries = read_queries(place, [column.name for column in table.columns()])
    assert queries[0] == (Condition("city", "C, old"), Condition("ill", "yes")) and len(queries) == 5
    planned = PlannedQueries.of(table, "ill", queries)
    asked = planned.answered
    values = {name: column.to_pylist() for name, column in zip(*_columns(table), strict=True)}
    assert asked.has.tolist() == [one == "yes" for one in values["ill"]]
    # Counts of those without the secret say as much; a query without a condition on it says nothing.
    assert planned.unused == 1 and planned.knows == ("city", "number", "kind")
    wanted = [
        [one == "C, old" for one in values["city"]],
        [one < 40 for one in values["number"]],
        [one >= 20 for one in values["number"]],
        [one == "flu" for one in values["kind"]],
    ]
    assert asked.counted[:, asked.kind].tolist() == wanted
    assert asked.counted.shape[1] == len(set(zip(*wanted, strict=True)))
    same = PlannedQueries.of(table, "ill = yes", queries)
    assert np.array_equal(same.answered.has, asked.has)
    assert PlannedQueries.of(table, "kind=flu", queries).unused == 4


def _columns(table: Table) -> tuple[list[str], list[pa.Array]]:
    whole = pa.Table.from_batches(list(table.batches(*(column.name for column in table.columns()))))
    return whole.column_names, [whole.column(name) for name in whole.column_names]


def test_a_job_says_what_the_answers_reveal(table: Table, tmp_path: Path) -> None:
    place = tmp_path / "planned.csv"
    place.write_text("".join(f"number<{at},ill=yes\n" for at in range(1, 91)))
    weak = audit_queries(place, table, "ill", Answering(20.0, runs=4, simulation_seed=1))
    assert (weak.exact_runs, weak.attack.success.value, weak.kinds, weak.rows) == (4, 1.0, 90, 90)
    assert weak.simulated and weak.epsilon.value == pytest.approx(1800) and weak.delta is None
    assert weak.attack.target == ("ill",) and weak.attack.knows == ("number",)
    assert weak == audit_queries(place, table, "ill", Answering(20.0, runs=4, simulation_seed=1))
    strong = audit_queries(place, table, "ill", Answering(0.01, delta=1e-6, runs=4))
    assert strong.exact_runs == 0 and strong.attack.advantage.ends[0] < 0.05 and not strong.simulated
    assert strong.delta == pytest.approx(90e-6) and strong.mechanism.startswith("gaussian:")
    # Gaussian noise composes to less than the sum of what each answer spends, at the same δ in all.
    (noise,) = Count(epsilon=0.01, delta=1e-6).noises(Protection())
    whole = compose(noise.steps() * 90, 90 * 1e-6)
    assert strong.epsilon.value == pytest.approx(whole.epsilon) and strong.epsilon.value < 0.2 < 90 * 0.01


def test_what_cannot_be_planned_is_refused_in_one_sentence(table: Table, tmp_path: Path) -> None:
    place = tmp_path / "planned.csv"
    names = [column.name for column in table.columns()]
    for text, match in (("", "has no queries"), ("# nothing\n", "has no queries"), ("city~A\n", "Line 1 of")):
        place.write_text(text)
        with pytest.raises(FileError, match=match):
            read_queries(place, names)
    place.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="cannot be read as text"):
        read_queries(place, names)
    with pytest.raises(FileError, match="There is no file"):
        read_queries(tmp_path / "nowhere.csv", names)
    with pytest.raises(FileError, match="is a folder"):
        read_queries(tmp_path, names)
    about = [(Condition("city", "A"), Condition("ill", "yes"))]
    with pytest.raises(ColumnError, match="'kind' has 3 different values"):
        PlannedQueries.of(table, "kind", about)
    with pytest.raises(ColumnError, match="no column 'il'; did you mean 'ill'"):
        PlannedQueries.of(table, "il", about)
    with pytest.raises(TableError, match="All rows are alike"):
        PlannedQueries.of(table, "ill=perhaps", about)
    with pytest.raises(OptionError, match="No query counts rows by 'kind=flu'"):
        PlannedQueries.of(table, "kind=flu", about)
    with pytest.raises(ColumnError, match="no column 'town'"):
        PlannedQueries.of(table, "ill", [(Condition("town", "A"), Condition("ill", "yes"))])
    place.write_text("city=A,ill=yes\n")
    with pytest.raises(OptionError, match="1 runs"):
        audit_queries(place, table, "ill", Answering(1.0, runs=1))
    with pytest.raises(OptionError, match="ε of -1"):
        audit_queries(place, table, "ill", Answering(-1.0))
