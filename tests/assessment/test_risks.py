"""The three risks in people: singled out, linked, inferred."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leakgauge.artefacts import codec
from leakgauge.artefacts.risks import Risk, RiskKind
from leakgauge.artefacts.scores import Attacker, AttackerName, share
from leakgauge.assessment.risks import inferring, inferring_by_law, linking, singling_out
from leakgauge.case.case import Case
from leakgauge.case.linked_people import linked_people, linked_people_among
from leakgauge.case.linking import linked_law
from leakgauge.release.bound import RecordedPlan
from leakgauge.tables import open_table

ROWS = st.lists(st.tuples(*(st.integers(0, most) for most in (4, 2, 5))), min_size=1, max_size=30)


@given(ROWS)
@settings(max_examples=30)
def test_as_many_people_are_found_as_there_are_groups(rows: list[tuple[int, int, int]]) -> None:
    groups = Counter(row[:2] for row in rows)
    with open_table(pa.table({name: [f"{row[at]}" for row in rows] for at, name in enumerate("abc")})) as table:
        risk = linking(Case(table), ("a", "b"), limit=0.05)
        alone = singling_out(Case(table), ("a", "b"), limit=0.05)
    assert risk.before is not None and risk.after is not None and risk.only is not None and alone.after is not None
    by_person = sum(1 / groups[row[:2]] for row in rows)
    assert risk.after.value == pytest.approx(by_person) and risk.after.value == len(groups)
    assert risk.before.value == 1 and alone.before is not None and alone.before.value == 0
    single = sum(size == 1 for size in groups.values())
    assert risk.only.value == alone.after.value == single
    assert risk.met is alone.met is (single <= 0.05 * len(rows))


@given(ROWS)
@settings(max_examples=30)
def test_persons_with_several_rows_count_once(rows: list[tuple[int, int, int]]) -> None:
    best: dict[int, float] = {}
    only = set()
    for row in rows:
        group = [one for one in rows if one[:2] == row[:2]]
        own = sum(one[2] == row[2] for one in group) / len(group)
        best[row[2]] = max(best.get(row[2], 0.0), own)
        only |= {row[2]} if own == 1 else set()
    with open_table(pa.table({name: [f"{row[at]}" for row in rows] for at, name in enumerate("abc")})) as table:
        found, anybody = (linked_people(table, columns, "c") for columns in (("a", "b"), ()))
    assert (found.people, found.alone) == (len(best), len(only))
    assert found.expected == pytest.approx(sum(best.values()))
    # Without a column a row is anybody's: chance.
    assert anybody.expected == pytest.approx(1)


def test_nothing_published_singles_nobody_out() -> None:
    with open_table(pa.table({"a": ["x", "y"]})) as table:
        risk = singling_out(Case(table), ())
    assert risk.after is not None and risk.after.value == 0 and risk.met is None


def test_guesses_are_counted_in_people() -> None:
    attacker = Attacker(
        ("job",), share(0.5, 0.4, 0.6, 0.95), share(0.2), 0.4, AttackerName.KNOWS_THE_ROW, (), share(0.3, 0.2, 0.5)
    )
    risk = inferring(attacker, ("illness",), 1000, limit=0.45)
    assert risk.before is not None and risk.before.value == pytest.approx(600)
    assert risk.after is not None and [risk.after.value, *risk.after.ends] == pytest.approx([800, 760, 840])
    # The unfavourable end counts, and what is unknown misses every limit below 1.
    assert risk.met is False and inferring(attacker, ("illness",), 1000, limit=0.5).met
    assert inferring(Attacker(), ("illness",), 1000, limit=0.99).met is False
    assert inferring(Attacker(), ("illness",), 1000).before is None


def test_a_group_that_shares_a_secret_is_not_forgiven() -> None:
    """40 groups of 5, mixed but for one whose members are all ill: 5 people become certain."""
    illness = ["ill"] * 5 + [("ill", "flu", "cold", "cough", "ache")[at % 5] for at in range(195)]
    people = pa.table({"illness": illness, "group": [f"{at // 5}" for at in range(200)]})
    with open_table(people) as table:
        case, plan = Case(table), RecordedPlan((), ("illness", "group"), ("illness", "group"), {})
        law = linked_law(case, plan, ("illness",))
    assert law is not None
    attacker = law.attacker(())
    risk = inferring_by_law(attacker, ("illness",), case.people, law.sight(), law.values, limit=0.45)
    assert risk.certain is not None and risk.certain.value == "ill"
    assert [one.value for one in (risk.certain.people, risk.certain.holders, risk.certain.before)] == pytest.approx(
        [5, 44, 0]
    )
    assert risk.before is not None and risk.before.value == pytest.approx(44)
    assert risk.after is not None and risk.after.value == pytest.approx(39 + 5)
    assert attacker.surest is not None and attacker.surest.value > 0.9 and risk.met is False
    assert risk.kind is RiskKind.INFERRING and risk.attacker is AttackerName.KNOWS_COLUMNS and risk.links == ("group",)


def test_numbers_are_guessed_by_tenths() -> None:
    people = pa.table({"income": np.arange(200.0), "group": [f"{at % 40}" for at in range(200)]})
    with open_table(people) as table:
        case, plan = Case(table), RecordedPlan((), ("income", "group"), ("income", "group"), {})
        law = linked_law(case, plan, ("income",))
    assert law is not None
    risk = inferring_by_law(law.attacker(()), ("income",), 200, law.sight(), law.values)
    assert risk.before is not None and risk.before.value == pytest.approx(20)
    assert risk.after is not None and risk.after.value == pytest.approx(40)


def test_a_group_and_a_person_may_have_many_rows() -> None:
    found = linked_people_among(np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 2, 2]))
    assert (found.people, found.alone) == (3, 1) and found.expected == pytest.approx(2 / 3 + 1 / 2 + 1)


def test_a_risk_is_stored_and_read() -> None:
    with open_table(pa.table({"a": ["x", "y", "y"]})) as table:
        risk = linking(Case(table), ("a",))
    assert codec.decode(Risk, codec.encode(risk), "a risk") == risk
