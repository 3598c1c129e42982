"""What somebody learns who finds rows by columns, against enumeration over tiny tables."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakgauge.artefacts.scores import Attacker, AttackerName
from leakgauge.case.case import Case
from leakgauge.case.linking import linked_attackers, linked_law
from leakgauge.errors import OptionError
from leakgauge.probability import Channel
from leakgauge.randomness import simulation
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import RecordedPlan, bind
from leakgauge.tables import Table, open_table

Rows = list[tuple[Any, ...]]
NAMES = ("illness", "age", "city", "job")
TABLES = st.lists(st.tuples(*(st.integers(0, most) for most in (2, 3, 2, 2))), min_size=2, max_size=25)
RESPONSE = {"illness": "randomized-response:epsilon=1,letters=this-table"}


def attackers(
    rows: Rows,
    public: tuple[str, ...],
    background: tuple[str, ...] = (),
    columns: tuple[str, ...] | None = None,
    mechanisms: dict[str, Any] | None = None,
) -> tuple[Attacker, ...]:
    """Of a table of texts; without mechanisms the illness is released as it is."""
    with table_of(rows) as table:
        plan = bind(ReleasePlan(mechanisms, public), table) if mechanisms else as_it_is("illness", *public)
        return linked_attackers(Case(table, background), plan, ("illness",), columns)


def table_of(rows: Rows) -> Table:
    columns = zip(NAMES, zip(*rows, strict=True), strict=False)
    return open_table(pa.table({name: [f"{name} {value}" for value in values] for name, values in columns}))


def as_it_is(*columns: str) -> RecordedPlan:
    return RecordedPlan((), columns, columns, {})


def protection(found: tuple[Attacker, ...]) -> float:
    return 100 * (1 - max(one.ends[1] for found in found for one in (found.gained, found.told) if one is not None))


def most(found: tuple[Attacker, ...]) -> float:
    return max(one.surest.ends[1] for one in found if one.surest is not None)


def gained_by_hand(rows: Rows, links: tuple[int, ...], known: tuple[int, ...]) -> float:
    """A, person by person, for somebody who sees the illnesses of all rows that agree with her in some columns."""

    def group(person: tuple[Any, ...], places: tuple[int, ...]) -> Counter[Any]:
        return Counter(row[0] for row in rows if all(row[at] == person[at] for at in places))

    before, after = (
        sum(max(group(person, places).values()) / sum(group(person, places).values()) for person in rows) / len(rows)
        for places in (known, (*links, *known))
    )
    return 0.0 if before > 1 - 1e-9 else (after - before) / (1 - before)


@given(TABLES)
def test_a_secret_as_it_is_is_read_off_the_rows_that_agree(rows: Rows) -> None:
    (found,) = attackers(rows, ("age", "city"))
    assert (found.name, found.knows, found.links) == (AttackerName.KNOWS_COLUMNS, (), ("age", "city"))
    assert found.gained is not None and found.gained.low is None
    assert found.gained.value == pytest.approx(gained_by_hand(rows, (1, 2), ()), abs=1e-9)


@given(TABLES)
@settings(max_examples=30)
def test_more_columns_to_link_by_never_protect_more(rows: Rows) -> None:
    sets = [chosen for size in range(4) for chosen in combinations(NAMES[1:], size)]
    with table_of(rows) as table:
        case, plan = Case(table), as_it_is(*NAMES)
        found = {chosen: linked_attackers(case, plan, ("illness",), chosen) for chosen in sets}
    for fewer, more in product(sets, sets):
        if {*fewer} < {*more}:
            assert protection(found[more]) <= protection(found[fewer]) + 1e-9
            assert most(found[more]) >= most(found[fewer]) - 1e-9


@given(TABLES, st.booleans())
@settings(max_examples=30)
def test_declaring_background_never_protects_more(rows: Rows, published: bool) -> None:
    public = NAMES[1:] if published else ("age",)
    nobody, one, both = (attackers(rows, public, known) for known in ((), ("city",), ("city", "job")))
    assert protection(both) <= protection(one) + 1e-9 <= protection(nobody) + 2e-9
    assert most(both) >= most(one) - 1e-9 >= most(nobody) - 2e-9


def test_what_she_knows_weighs_rows_by_how_often_it_goes_with_their_secret() -> None:
    """P(x|group, known) ∝ n(x, group)/n(group) · P(known|x, group), which is counted where people are enough."""
    draws = simulation(5)
    rows = [(a, b, int(draws.random() < 0.3 + 0.4 * (a == b))) for a, b in draws.integers(0, 2, (400, 2)).tolist()]
    nobody, knowing = attackers(rows, ("age",), ("city",))
    assert knowing.knows == ("city",) and knowing.gained is not None and knowing.gained.low is None
    before = after = 0.0
    for z in (0, 1):
        here = Counter(x for x, _, known in rows if known == z)
        before += max(here.values()) / 400
        for g in (0, 1):
            group = Counter(x for x, b, _ in rows if b == g)
            goes = {x: sum(r == (x, g, z) for r in rows) / group[x] for x in group}
            weights = {x: group[x] / sum(group.values()) * goes[x] for x in group}
            people = sum(r[1:] == (g, z) for r in rows)
            after += people / 400 * max(weights.values()) / sum(weights.values())
    assert knowing.gained.value == pytest.approx((after - before) / (1 - before), abs=1e-9)
    assert nobody.left is not None and knowing.left == pytest.approx(1 - before)


def test_what_is_known_and_too_fine_to_count_is_bounded() -> None:
    """Somebody alone with what is known is not guessed by it, and nothing is forgiven for it."""
    rows = [(at % 2, at // 10, at) for at in range(100)]
    found = {one.knows: one for one in attackers(rows, ("age",), ("city",))}
    assert found[("city",)].left == pytest.approx(0.5) == found[()].left
    gained = found[("city",)].gained
    assert gained is not None and list(gained.ends) == pytest.approx([0, 1])


@pytest.mark.parametrize("x", [(0, 0, 1), (0, 1, 1), (0, 0, 0)])
def test_noisy_rows_of_a_known_group_say_nothing_more_of_whose_row_is_whose(x: tuple[int, ...]) -> None:
    """P(x_J | everything shown) by enumeration of rows, orders and noise: always the composition of the group."""
    kept, seen = 0.8, dict[tuple[int, ...], Counter[int]]()
    for order in permutations(range(3)):
        for y in product((0, 1), repeat=3):
            p = float(np.prod([kept if y[at] == x[at] else 1 - kept for at in range(3)]))
            shown = tuple(y[at] for at in order)
            for person in range(3):
                weight: Counter[int] = seen.setdefault(shown, Counter())
                weight[x[person]] += p  # type: ignore[assignment]
    for weight in seen.values():
        for value in set(x):
            assert weight[value] / sum(weight.values()) == pytest.approx(x.count(value) / 3)


@given(st.lists(st.integers(0, 1), min_size=2, max_size=5), st.floats(0.5, 1), st.floats(0.05, 0.95))
@settings(max_examples=20)
def test_whoever_does_not_know_the_composition_guesses_less(x: list[int], kept: float, prior: float) -> None:
    """Row by row, with any prior, over all noise: never more than the commonest value of the group."""
    success = 0.0
    for y in product((0, 1), repeat=len(x)):
        p = float(np.prod([kept if a == b else 1 - kept for a, b in zip(x, y, strict=True)]))
        each = [prior * (kept if a else 1 - kept) for a in y], [(1 - prior) * (1 - kept if a else kept) for a in y]
        mixture = sum(one / (one + none) for one, none in zip(*each, strict=True)) / len(x)
        success += p * x.count(int(mixture >= 0.5)) / len(x)
    assert success <= max(x.count(0), x.count(1)) / len(x) + 1e-9


def test_noisy_rows_are_the_law_without_the_secrets_own_column() -> None:
    draws = simulation(7)
    rows = [
        (a if draws.random() < 0.6 else int(draws.integers(0, 3)), a, c)
        for a, c in draws.integers(0, 3, (900, 2)).tolist()
    ]
    with table_of(rows) as table:
        plan = bind(ReleasePlan(RESPONSE, ("age", "city")), table)
        case = Case(plan.table)
        law = case.counted_law(("illness",), plan)
        assert law is not None
        for columns in (("age",), ("age", "city"), ()):
            (found,) = linked_attackers(case, plan, ("illness",), columns)
            sight = law.without_own().law.sight((), published=columns)
            assert found.gained is not None and found.left is not None
            assert 1 - found.left + found.left * found.gained.value == pytest.approx(sight.guessed())


def test_small_groups_of_noisy_rows_count_as_if_she_knew_the_row() -> None:
    draws = simulation(8)
    rows = [(int(x), at) for at, x in enumerate(draws.integers(0, 2, 400))]
    (found,) = attackers(rows, ("age",), mechanisms=RESPONSE)
    (untouched,) = attackers(rows, ("age",))
    assert found.gained is not None and found.told is not None and untouched.gained is not None
    # ε = 1 of two values keeps 73 %, so that the best guess gains 46 %; as it is, a row alone shows everything.
    assert found.gained.value == pytest.approx(0.46, abs=0.06)
    assert untouched.gained.value == pytest.approx(1)
    assert found.name is AttackerName.KNOWS_COLUMNS and found.links == ("age",)
    assert found.surest is not None


def in_groups(shared: int, groups: int = 40) -> Rows:
    """Groups of 5, in each of which each of 5 illnesses occurs; in the first few all have the first."""
    return [(0 if group < shared else at, group) for group in range(groups) for at in range(5)]


def test_a_k_anonymous_file_with_its_secret_untouched() -> None:
    mixed, one, every = (attackers(in_groups(shared), ("age",)) for shared in (0, 1, 40))
    assert protection(mixed) == pytest.approx(100) and most(mixed) == pytest.approx(0)
    # Typical people stay protected; whoever shares a group with people who are all ill does not.
    assert protection(one) > 90 and most(one) > 0.9
    # A constant secret has nothing left to protect.
    assert protection(every) == pytest.approx(100)
    same = [(group % 4, group) for group in range(40) for _ in range(5)]
    known = attackers(same, ("age",), ("age",))
    # Whoever declares the published column as known still counts nobody's baseline as if nothing were published.
    assert protection(known) == pytest.approx(0) and most(known) == pytest.approx(1)


def test_a_public_column_through_a_channel_without_chance_finds_rows_by_what_is_shown() -> None:
    rows = [(at % 2, at % 4 // 2, at % 8) for at in range(160)]
    halves = Channel([f"city {at}" for at in range(8)], ["even", "odd"], [[1 - at % 2, at % 2] for at in range(8)])
    (found,) = attackers(rows, (), mechanisms={**RESPONSE, "city": halves})
    assert found.links == ("city",) and found.gained is not None and found.gained.value == pytest.approx(1)
    blurred = Channel(halves.inputs, ["even", "odd"], np.full((8, 2), 0.5))
    (found,) = attackers(rows, (), mechanisms={**RESPONSE, "city": blurred})
    assert found.links == () and found.gained is not None and found.gained.value == pytest.approx(0)


def test_numbers_count_by_their_ranks() -> None:
    draws = simulation(9)
    income = np.exp(2 * draws.standard_normal(600))
    for groups, expected in ((1, 0.0), (600, 1.0)):
        people = pa.table({"income": income, "city": [f"{at % groups}" for at in range(600)]})
        with open_table(people) as table:
            plan = as_it_is("income", "city")
            (found,) = linked_attackers(Case(table), plan, ("income",))
            law = linked_law(Case(table), plan, ("income",))
        assert law is not None and law.values.kinds == 10 and "–" in law.values.names[0]
        for one in (found.gained, found.told, found.surest):
            assert one is not None and one.value == pytest.approx(expected, abs=1e-9)
        assert found.left is None


@given(TABLES)
@settings(max_examples=20)
def test_a_secret_of_two_columns_is_one_value(rows: Rows) -> None:
    together = [((illness, job), age, city) for illness, age, city, job in rows]
    with table_of(rows) as table:
        (found,) = linked_attackers(Case(table), as_it_is(*NAMES), ("illness", "job"))
    assert found.links == ("age", "city") and found.gained is not None
    assert found.gained.value == pytest.approx(gained_by_hand(together, (1, 2), ()), abs=1e-9)


def test_a_column_that_nobody_sees_links_nothing() -> None:
    with pytest.raises(OptionError, match="'job' is neither published nor declared"):
        attackers(in_groups(1), ("age",), columns=("job",))
