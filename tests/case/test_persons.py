"""Rows of a person that hold one value: found where chance does not explain them, and counted like brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.scores import AttackerName
from leakgauge.artefacts.verdict import Judgement
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.persons import agreeing_rows, of_all_rows
from leakgauge.errors import RefusalError
from leakgauge.jobs.protect.judged import Judging
from leakgauge.mechanisms import randomized_response
from leakgauge.probability import Distribution
from leakgauge.randomness import simulation
from leakgauge.tables import open_table

VALUES = ("flu", "none", "cold")


def panel(persons: int, rows: int, *, constant: bool) -> pa.Table:
    draw = simulation(5)
    each = draw.choice(3, persons)[:, None] if constant else draw.choice(3, (persons, rows))
    illness = np.broadcast_to(each, (persons, rows)).ravel()
    return pa.table(
        {
            "person": np.repeat(np.arange(persons), rows),
            "illness": [VALUES[at] for at in illness],
            "row": range(persons * rows),
        }
    )


@pytest.mark.parametrize("rows", [2, 3, 12])
def test_rows_that_agree_are_told_from_rows_that_agree_by_chance(rows: int) -> None:
    for constant in (True, False):
        with open_table(panel(400, rows, constant=constant)) as table:
            assert agreeing_rows(table, ("illness",), "person") == (rows if constant else 1)


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
def test_the_law_of_all_rows_is_that_of_every_sequence(rows: int) -> None:
    shares = np.array([0.5, 0.3, 0.2])
    channel = randomized_response(1.0, letters=VALUES).channel()
    assert channel is not None
    whole = of_all_rows(ReleaseLaw(Distribution(VALUES, shares), channel), rows)
    assert whole is not None
    right, left = 0.0, 0.0
    for sequence in product(range(3), repeat=rows):
        joint = shares * np.prod(channel.matrix[:, list(sequence)], axis=1)
        right += joint.max()
        left -= float((joint * np.log(joint / joint.sum())).sum())
    sight = whole.sight()
    assert (sight.guessed(), sight.uncertainty()) == pytest.approx((right, left), abs=1e-12)


def judged(table: pa.Table, **asked: object) -> Judgement:
    with open_table(table) as opened:
        how = {"secret": ("illness",), "mechanism": ("randomized-response:epsilon=1",), **asked}
        return Judging(opened).before(Request.of("frame", **how))  # type: ignore[arg-type]


def test_a_person_with_twelve_rows_of_one_illness_is_judged_by_all_of_them() -> None:
    table = panel(400, 12, constant=True)
    rows, persons = judged(table), judged(table, unit="person")
    assert rows.scores["illness"].protection.value > 60
    scores = persons.scores["illness"]
    assert scores.protection.value < 30 and scores.surest.value > 90
    assert scores.attacker.name is AttackerName.KNOWS_ALL_ROWS
    certain = persons.facts.certain
    assert certain is not None and certain.people.value > certain.holders.value / 2
    # Rows that differ like those of strangers are judged as such.
    apart = judged(panel(400, 12, constant=False), unit="person")
    assert apart.scores["illness"].protection.value == pytest.approx(
        judged(panel(400, 12, constant=False)).scores["illness"].protection.value, abs=1e-9
    )


def test_more_rows_never_protect_more() -> None:
    found = [judged(panel(300, rows, constant=True), unit="person").scores["illness"] for rows in (1, 2, 4, 8)]
    protections = [one.protection.value for one in found]
    assert protections == sorted(protections, reverse=True)
    assert [one.surest.value for one in found] == sorted(one.surest.value for one in found)


def test_no_value_of_a_secret_is_in_the_error_of_a_release_that_is_not_recommended() -> None:
    found = judged(panel(400, 12, constant=True), unit="person")
    assert any("can be guessed with at least 90% certainty" in str(one) for one in found.reasons)
    with pytest.raises(RefusalError, match="The release is not recommended: protection is") as error:
        found.require(strict=True)
    assert not any(value in str(error.value) for value in VALUES)
