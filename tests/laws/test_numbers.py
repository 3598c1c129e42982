"""Laws of numbers: by rank, whatever a tail holds, which cells are blank and what the last digits are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakgauge.artefacts.scores import Scores
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.assessment.scores.evidence import evidence_by_law, evidence_on_blanks
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.case import Case
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.learnt import LearntLaw
from leakgauge.case.numbers import law_of_noise, mid_ranks, numbers_of, ranked
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import bind
from leakgauge.tables import open_table
from leakgauge.tables.table import Kind

SCORES = ("protection", "surest", "usefulness")
ROWS = 1500


def judged(values: list[float | None], how: str, town: list[str] | None = None) -> Scores:
    """The scores of one column, beside a town that is known."""
    columns = {"pay": pa.array(values, pa.float64()), **({} if town is None else {"town": town})}
    with open_table(pa.table(columns)) as table:
        plan = bind(ReleasePlan({"pay": how}, ()), table)
        return scores_of(Outgoing(Case(plan.table, tuple(columns)[1:]), plan).evidence(("pay",)))


def drawn(seed: int, letters: int = 12) -> list[float | None]:
    """Numbers of a few values, most of them small."""
    draw = simulation(seed)
    values = np.sort(draw.lognormal(3, 1, letters)).round(2)
    return list(values[draw.choice(letters, ROWS, p=draw.dirichlet(np.full(letters, 2.0)))])


def moved(before: Scores, after: Scores) -> float:
    """The most that a score moves."""
    return max(abs(float(getattr(before, name).value - getattr(after, name).value)) for name in SCORES)


RESPONSE = "randomized-response:epsilon=3,letters=this-table"
LIMIT = max(0.5, 200 / (ROWS * 0.5))


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.5, 4))
def test_one_more_row_moves_no_score(seed: int, epsilon: float) -> None:
    values, how = drawn(seed), f"randomized-response:epsilon={epsilon},letters=this-table"
    more = [*values, values[seed % ROWS]]
    assert moved(judged(values, how), judged(more, how)) <= LIMIT


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 200))
def test_one_more_blank_moves_no_score(seed: int, blanks: int) -> None:
    values = drawn(seed)
    some = [None if at < blanks else one for at, one in enumerate(values)]
    more = [None if at <= blanks else one for at, one in enumerate(values)]
    assert moved(judged(some, RESPONSE), judged(more, RESPONSE)) <= LIMIT


@pytest.mark.parametrize("seed", range(4))
def test_the_first_blank_does_not_make_numbers_names(seed: int) -> None:
    """The mechanism itself has one more value, which is all that changes."""
    values = drawn(seed)
    blank = judged([None, *values[1:]], RESPONSE)
    wider = np.unique(np.array(values))
    shares = np.array([values.count(one) for one in wider.tolist()]) / ROWS
    channel = randomized_response(3.0, letters=(*wider.tolist(), None)).channel().restrict(wider.tolist())
    same = scores_of(evidence_by_law(ReleaseLaw(Distribution(wider.tolist(), shares), channel), numbers=wider))
    assert abs(blank.protection.value - same.protection.value) <= LIMIT
    assert [str(note) for note in blank.notes if "blank" in str(note)] == [
        "Which cells are blank is not protected; the scores are of the rows that have a number."
    ]
    assert not [note for note in same.notes if "blank" in str(note)]


def test_what_is_blank_is_judged_by_the_other_rows() -> None:
    joint = Joint([1.5, None, 2.5], ["a", "b"], [[0.3, 0.1], [0.2, 0.0], [0.1, 0.3]])
    noisy = Channel([1.5, None, 2.5], [1.5, None, 2.5], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    found = evidence_by_law(
        ReleaseLaw(joint, noisy, ("z",), ("z",)), numbers=np.array([1.5, np.nan, 2.5]), backgrounds=["z"]
    )
    rest = Joint([1.5, 2.5], ["a", "b"], np.array([[0.3, 0.1], [0.1, 0.3]]) / 0.8)
    alone = evidence_by_law(
        ReleaseLaw(rest, noisy.restrict([1.5, 2.5]), ("z",), ("z",)), numbers=np.array([1.5, 2.5]), backgrounds=["z"]
    )
    assert found.attackers == alone.attackers and found.statistics == alone.statistics and found.blank


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1.0, 10.0, 100.0]), st.sampled_from([0.02, 0.3, 3.0]))
def test_the_last_digits_move_no_score(seed: int, scale: float, noise: float) -> None:
    """Half of the people have 0; the others a few values, all with a share of more than one in ten thousand."""
    draw = simulation(seed)
    column = np.where(draw.random(4000) < 0.5, 0.0, draw.choice(np.geomspace(1, 100, 30), 4000)) * scale
    mechanism = laplace(100 / noise, lower=0, upper=100 * scale)
    found = []
    for each in (column, column + 1e-8 * scale * draw.normal(size=4000)):
        law, points = law_of_noise(mechanism, each, np.full(4000, 1 / 4000))
        found.append(scores_of(evidence_by_law(law, numbers=points, statistics=())))
    assert moved(*found) <= 0.5


def test_a_tail_is_judged_by_rank() -> None:
    """One person in a hundred has 89 % of the variance, and noise that leaves only them apart protects the others."""
    draw = simulation(2)
    column = np.concatenate([draw.uniform(0, 1000, 9900), draw.uniform(8_700, 9_100, 100)])
    assert 0.01 * 0.99 * (column[9900:].mean() - 500) ** 2 / column.var() == pytest.approx(0.89, abs=0.01)

    def protection(scale: float) -> float:
        law, points = law_of_noise(laplace(9_100 / scale, lower=0, upper=9_100), column, np.full(10_000, 1e-4))
        return scores_of(evidence_by_law(law, numbers=points, statistics=())).protection.value

    noise = 2 * 300**2
    assert 100 * noise / (column.var() + noise) < 20 and protection(300.0) > 50
    # And who hides the tail alone protects next to nobody.
    assert protection(10.0) < 10


def ranks_of(numbers: Floats) -> Floats:
    classes, ranks = ranked(numbers, np.full(len(numbers), 1 / len(numbers)))
    return ranks[classes]


@settings(max_examples=30)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(0, 10_000))
def test_ranks_are_those_of_the_order(values: list[int], seed: int) -> None:
    numbers = np.array(values, dtype=np.float64)
    expected = [(sum(other < one for other in values) + values.count(one) / 2) / len(values) for one in values]
    assert ranks_of(numbers) == pytest.approx(expected)
    # Any map that keeps the order keeps the ranks, and so does any order of the rows.
    assert ranks_of(np.arctan(numbers / 50)) == pytest.approx(expected)
    order = simulation(seed).permutation(len(values))
    assert ranks_of(numbers[order]) == pytest.approx(np.array(expected)[order])


def test_close_numbers_are_one_class_and_many_of_them_are_not() -> None:
    assert mid_ranks(np.array([2.0, 1.0, 1.0])).tolist() == [0.25, 0.625, 0.875]
    classes, ranks = ranked(np.array([5.0, 1.0, 1.0 + 1e-9, 9.0]), np.full(4, 0.25))
    assert classes.tolist() == [1, 0, 0, 2] and ranks.tolist() == [0.25, 0.625, 0.875]
    # A column without gaps is not one class.
    assert len(ranked(np.linspace(0, 1, 10**6) * 1e-3, np.full(10**6, 1e-6))[1]) > 10**5


def test_a_number_is_a_number_whatever_cells_are_blank() -> None:
    found = numbers_of([1.5, None, 2.5], Kind.FLOAT)
    assert found is not None and np.isnan(found).tolist() == [False, True, False]
    assert numbers_of([None], Kind.FLOAT) is None
    assert numbers_of([*range(10), None], Kind.INT) is None
    assert numbers_of(["[0, 10)", "[10, 20)", None], Kind.STRING) is not None
    assert numbers_of(["a", None], Kind.STRING) is None


@pytest.mark.parametrize("epsilon", [2_000.0, 100.0, 20.0, 0.05])
def test_numbers_beside_columns_that_are_too_many_to_count_are_judged_by_rank_too(epsilon: float) -> None:
    """Columns that tell nothing are learnt from, and leave what the noise alone tells."""
    draw = simulation(5)
    pay = np.where(draw.random(ROWS) < 0.99, draw.uniform(0, 1000, ROWS), 9_000.0)
    beside = {name: draw.integers(0, 40, ROWS) for name in ("town", "trade")}
    gained = []
    with open_table(pa.table({"pay": pay, **beside})) as table:
        for public in ((), tuple(beside)):
            plan = bind(ReleasePlan({"pay": f"laplace:epsilon={epsilon},lower=0,upper=9000"}, public), table)
            going = Outgoing(Case(plan.table), plan)
            assert isinstance(going.law(("pay",)), LearntLaw) is bool(public)
            (attacker,) = going.evidence(("pay",)).attackers
            assert attacker.gained is not None
            gained.append(attacker.gained.value)
    assert gained[0] == pytest.approx(gained[1], abs=0.02)


def test_which_numbers_are_missing_is_a_secret_only_if_that_is_said() -> None:
    values: list[float | None] = [None if at % 3 == 0 else float(at % 40) for at in range(1200)]
    with open_table(pa.table({"pay": pa.array(values, pa.float64())})) as table:
        plan = bind(ReleasePlan({"pay": RESPONSE}, ()), table)
        plain, strict = (
            Outgoing(Case(plan.table, blank_is_secret=secret), plan).evidence(("pay",)).attackers
            for secret in (False, True)
        )
    assert strict[:-1] == plain and strict[-1].worst in ("blank", "not blank")


def test_a_release_that_keeps_blanks_gives_them_away() -> None:
    """Numbers are drawn anew, and blank cells stay blank."""
    labels, numbers = (1.0, 2.0, 3.0, None), np.array([1.0, 2.0, 3.0, np.nan])
    matrix = np.array([[1 / 3, 1 / 3, 1 / 3, 0]] * 3 + [[0, 0, 0, 1]])
    law = ReleaseLaw(Distribution(labels, [0.2, 0.2, 0.2, 0.4]), Channel(labels, labels, matrix))
    (about_numbers,) = evidence_by_law(law, numbers=numbers, statistics=()).attackers
    (about_blanks,) = evidence_on_blanks(law, numbers, ())
    assert about_numbers.gained is not None and about_numbers.gained.value == pytest.approx(0, abs=1e-9)
    assert about_blanks.gained is not None and about_blanks.gained.value == pytest.approx(1)
    assert about_blanks.surest is not None and about_blanks.surest.value == pytest.approx(1)
