"""Numbers of the table in the external edition: coarse, never to reassure, and untold where rows are too few."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.report.coarse import share_step
from leakgauge.report.composing import compose
from leakgauge.report.document import TOO_FEW, Edition, Number, inlines
from leakgauge.report.facts import Facts
from leakgauge.report.html import to_html
from leakgauge.report.writing import written
from tests.report.reading import CHINESE, ENGLISH


def small(facts: Facts, rows: int) -> Facts:
    """The same job on a table of so many rows."""
    files: dict[str, Any] = copy.deepcopy(dict(facts.files))
    files["job.json"]["table"]["rows"] = files["release.json"]["rows"] = rows
    return Facts(files, facts.diagram)


def test_promises_are_rounded_up_and_what_was_shown_down(facts: Facts) -> None:
    exact = {number.source: number for number in compose(facts, ENGLISH).numbers()}
    promised = shown = 0
    for number in compose(facts, ENGLISH, Edition.EXTERNAL).numbers():
        if number.source.startswith(("release.json#/claims", "release.json#/together")):
            assert float(number.value) >= float(exact[number.source].value)
            promised += 1
        if "/lower_bound" in number.source:
            assert float(number.value) <= float(exact[number.source].value)
            shown += 1
    assert promised > 5 and shown == 1


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_a_step_of_shares_stands_for_no_small_count(rows: int, limit: int) -> None:
    step = share_step(rows, limit)
    assert step >= share_step(10**9, limit) == share_step(None, limit)
    # Of half of the rows, on which some attacks are tried; a table that is smaller still shows 0, a half or all.
    assert step * rows / 2 >= limit or step * 2 == 1


def test_shares_of_a_small_table_are_coarser(facts: Facts) -> None:
    assert facts.get("job.json", "table", "rows") == 500
    found = [one for one in compose(facts, ENGLISH, Edition.EXTERNAL).numbers() if one.percent and one.from_table]
    assert len(found) > 30
    assert all(math.isclose(float(one.value) * 20, round(float(one.value) * 20), abs_tol=1e-9) for one in found)


def test_shares_of_too_few_rows_are_not_told(facts: Facts) -> None:
    for language, said in ((ENGLISH, "too few rows to say"), (CHINESE, "行数太少，无法说明")):
        document = compose(small(facts, 50), language, Edition.EXTERNAL)
        shares = [one for one in document.numbers() if one.from_table and (one.percent or one.count)]
        assert len(shares) > 30
        assert {written(one, language) for one in shares} <= {said, "<10"}
        # It stands alone in its cell; sentences that would have it in their middle are left out.
        inline = [one for section in document.sections for block in section.blocks for one in inlines(block)]
        assert all(
            len(one) == 1 for one in inline if any(isinstance(part, Number) and part.value == TOO_FEW for part in one)
        )
    told = [one for one in compose(small(facts, 200), ENGLISH, Edition.EXTERNAL).numbers() if one.percent]
    assert all(isinstance(one.value, float | int) for one in told)


@pytest.mark.parametrize("rows", [200, 500, 5000])
def test_nothing_is_rounded_to_reassure(facts: Facts, rows: int) -> None:
    risks = ("/success", "/advantage", "/exposed", "/total_variation", "/leakage_with_background", "/best_guess_after")
    kept = ("/baseline", "/raw", "/unchanged", "#/score", "#/privacy", "#/utility", "/guesses_after")
    found = small(facts, rows)
    exact = {number.source: number.value for number in compose(found, ENGLISH).numbers()}
    seen: set[str] = set()
    for number in compose(found, ENGLISH, Edition.EXTERNAL).numbers():
        if isinstance(number.value, str) or not number.from_table:
            continue
        for end, sign in (*((one, 1) for one in risks), *((one, -1) for one in kept)):
            if number.source.endswith(end):
                assert sign * number.value >= sign * float(exact[number.source]) - 1e-12, number.source
                seen.add(end)
    assert seen == {*risks, *kept}


def test_exposed_targets_are_no_exact_count(facts: Facts) -> None:
    files: dict[str, Any] = copy.deepcopy(dict(facts.files))
    files["job.json"]["table"]["rows"] = files["release.json"]["rows"] = 30000
    for attack in files["audit.json"]["attacks"]:
        attack["exposed"] = 10012
    page = to_html([compose(Facts(files, facts.diagram), ENGLISH, Edition.EXTERNAL)])
    assert "10,012" not in page and "10,200" in page
