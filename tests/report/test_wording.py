"""What a report says where things stand badly or unusually: it must be true, and must not reassure."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from leakgauge.artefacts.report import Grid, Picture
from leakgauge.report.document import Document
from leakgauge.telling.blocks import Edition, inlines, text_of
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH, changed, texts, warnings

SPENT = {"histogram": 0.4, "release": 1.0, "together": 1.4}
ENGLISH_STOP = re.compile(r"[\u4e00-\u9fff] ?[,;:.]( |$)")


def in_section(document: Document, key: str) -> str:
    """Everything a section says."""
    (section,) = (one for one in document.sections if one.key == key)
    return "\n".join(text_of(one, document.language) for block in section.blocks for one in inlines(block))


def cells(document: Document, first: str) -> list[str]:
    """The cells of the row of the numbers that matter that starts so."""
    (section,) = (one for one in document.sections if one.key == "headline")
    rows = [row for block in section.blocks if isinstance(block, Grid) for row in block.rows]
    return next([text_of(one, ENGLISH) for one in row] for row in rows if text_of(row[0], ENGLISH).startswith(first))


def edited(facts: Facts) -> dict[str, Any]:
    return copy.deepcopy(dict(facts.files))


def test_a_histogram_is_paid_for_in_the_statement_and_the_budget(facts: Facts) -> None:
    files = edited(facts)
    files["job.json"]["spent"] = SPENT
    files["release.json"]["plan"]["columns"]["illness"]["channel_prior"] = "noisy histogram"
    document = compose(Facts(files, facts.diagram), ENGLISH)
    assert "0.4 of the histogram of its design, 1.4 together" in cells(document, "Guarantee")[1]
    assert "both ε together" in cells(document, "Guarantee")[2]
    said = in_section(document, "guarantee")
    assert "noisy histogram of the design, ε\n0.4" in said and "budget used in total, ε\n1.4" in said
    assert "illness were designed from a noisy histogram; which values occur" in in_section(document, "assumptions")
    assert "histogram" not in in_section(compose(facts, ENGLISH), "assumptions")


def test_nothing_released_says_what_was_spent(refused: Facts) -> None:
    assert "adds no disclosure risk" in in_section(compose(refused, ENGLISH), "residual")
    paid = changed(refused, job={"spent": {"histogram": 0.4, "release": None, "together": 0.4}})
    document = compose(paid, ENGLISH)
    assert "risked" not in in_section(document, "residual")
    assert "used ε = 0.4 of the budget" in in_section(document, "residual")
    assert "ε = 0.4 was used" in warnings(document)


def test_nothing_released_has_no_column_that_is_released(refused: Facts) -> None:
    asked = changed(refused, job={"asked": {**refused.get("job.json", "asked"), "public": ["town"]}})
    said = in_section(compose(asked, ENGLISH), "data")
    assert "town\ntext\npublic\n" in said and "released unchanged" not in said


def test_rows_that_stand_alone_are_loud(facts: Facts) -> None:
    alone = {"quasi_identifiers": ["job", "town"], "rows": 500, "classes": 480, "k": 1, "unique": 470}
    for edition in Edition:
        document = compose(changed(facts, audit={"anonymity": alone}), ENGLISH, edition)
        assert "470 of 500 rows are unique in the public columns (job, town)" in warnings(document)
        few = compose(changed(facts, audit={"anonymity": {**alone, "unique": 20}}), ENGLISH, edition)
        assert "are unique in" not in warnings(few)


def test_public_columns_are_said_not_to_be_in_the_bits_where_nobody_counted_them(facts: Facts) -> None:
    assert "not counted in the bits" not in in_section(compose(facts, ENGLISH), "limitations")
    earlier = changed(facts, audit={"exposures": []})
    assert "leakage.json#/leakage_with_background" in {one.source for one in compose(earlier, ENGLISH).numbers()}
    said = in_section(compose(earlier, ENGLISH), "limitations")
    assert "Public columns are not counted in the bits: what <script>" in said
    assert "job tell" not in said and "job, <" not in said.partition("not counted")[2]


def test_an_attack_far_above_the_judged_ones_is_in_the_statement(facts: Facts) -> None:
    attacks = copy.deepcopy(facts.items("audit.json", "attacks"))
    for one in attacks:
        one["advantage"]["value"] = 0.02 if one["judged"] else 0.05
    near = compose(changed(facts, audit={"attacks": attacks}), ENGLISH)
    assert "released repeatedly" not in texts(near)
    member = next(one for one in attacks if one["attack"] == "membership inference")
    member["advantage"]["value"], member["success"]["value"], member["baseline"]["value"] = 0.5, 1.0, 0.5
    found = cells(
        compose(changed(facts, audit={"attacks": attacks}), ENGLISH), "Strongest attack if the data are released"
    )
    assert found[1].startswith("100% [") and "correct, 50% [50%, 50%] without it" in found[1]
    assert "“membership" in found[2]


def test_the_strongest_attack_is_told_as_two_shares_and_with_its_own_verb(facts: Facts) -> None:
    attacks = copy.deepcopy(facts.items("audit.json", "attacks"))
    verbs = {
        "attribute inference, best guess": "guesses the secret of",
        "record linkage": "finds the rows of",
    }
    for name, verb in verbs.items():
        for one in attacks:
            one["advantage"]["value"] = 0.2671 if one["attack"] == name else 0.0
            one["success"].update(value=0.802, low=None, high=None)
            one["baseline"].update(value=0.5349, low=None, high=None)
        document = compose(changed(facts, audit={"attacks": attacks}), ENGLISH)
        assert cells(document, "Strongest attack")[1] == "80% correct, 53% without it"
        assert f"“{name}” {verb} 80% of the targets" in in_section(document, "residual")
        assert "of the people" not in in_section(document, "residual")


def test_the_residual_risk_counts_everybody_and_exposed_is_the_score_alone(facts: Facts) -> None:
    judged = {**facts.files["verdict.json"]["facts"], "guessed": [198, 600]}
    document = compose(changed(facts, verdict={"facts": judged}), ENGLISH)
    # Of those whom an attack was tried on, often a third, only shares are told.
    said = in_section(document, "residual")
    assert "Because of this release an attacker guesses about 198 more of all 600 people correctly." in said
    assert "only because" not in said and "exposed" not in said.lower()
    assert "exposed" not in in_section(document, "attacks").lower() and "Newly guessed" in texts(document)


@pytest.mark.parametrize("level", ["infinity", 37.16])
def test_an_infinite_level_and_one_near_2_to_the_53_promise_nothing(facts: Facts, level: str | float) -> None:
    files = edited(facts)
    files["release.json"]["claims"]["illness"]["levels"]["local-dp"]["value"] = level
    said = {edition: texts(compose(Facts(files, facts.diagram), ENGLISH, edition)) for edition in Edition}
    assert "released without any guarantee" in said[Edition.INTERNAL]
    assert "Nothing is guaranteed" in said[Edition.INTERNAL]
    assert "This edition states no numerical privacy guarantee." in said[Edition.EXTERNAL]
    for wrong in ("with noise that protects it", "factor e to the power", "does not say.", "The guarantee limits"):
        assert wrong not in said[Edition.INTERNAL] + said[Edition.EXTERNAL], wrong
    assert "The guarantee limits what the protected columns of one row reveal" in texts(compose(facts, ENGLISH))


def test_bins_are_told_wherever_bits_and_guesses_are_of_them(facts: Facts) -> None:
    assert "bins" not in texts(compose(facts, ENGLISH))
    binned = changed(facts, job={"asked": {**facts.get("job.json", "asked"), "bins": ["illness=width:10"]}})
    document = compose(binned, ENGLISH)
    assert cells(document, "Leakage")[0] == "Leakage of the secret, of its bins (illness=width:10)"
    for key, said in {
        "context": "columns in bins\nillness=width:10",
        "data": "bins, which count as values here\nillness=width:10",
        "leakage": "all bits here are about the bins",
    }.items():
        assert said in in_section(document, key), key
    # What is guessed is the bin, not a tenth of the exact values.
    assert "right one of ten groups" not in in_section(document, "attacks")


def test_values_that_never_appear_are_counted(facts: Facts) -> None:
    files = edited(facts)
    channel = files["release.json"]["plan"]["columns"]["illness"]["channel"]
    channel["matrix"] = [[1.0, 0.0, 0.0, 0.0] for _ in channel["matrix"]]
    told = Facts(files, facts.diagram)
    document = compose(told, ENGLISH)
    for key in ("usefulness", "limitations"):
        assert "3 of 4 values of illness never appear in the release" in in_section(document, key)
    numbers = [one for one in document.numbers() if one.source.endswith(("/matrix", "/labels"))]
    assert [told.resolve(one.source) for one in numbers] == [one.value for one in numbers] == [3, 4, 3, 4]


def test_only_the_external_edition_says_that_it_has_no_value(facts: Facts) -> None:
    claim = "This report contains no value of any row."
    assert claim in texts(compose(facts, ENGLISH, Edition.EXTERNAL))
    assert claim not in texts(compose(facts, ENGLISH))
    assert "It does name values of the secret" in texts(compose(facts, ENGLISH))


def test_what_is_linked_is_told_of_one_column_and_of_many(facts: Facts) -> None:
    files = edited(facts)
    files["release.json"]["plan"]["public"] = ["sex"]
    said = in_section(compose(Facts(files, facts.diagram), ENGLISH), "residual")
    assert "The public columns (sex) can be linked with other data" in said


@pytest.mark.parametrize("edition", Edition)
def test_chinese_has_chinese_stops(facts: Facts, refused: Facts, edition: Edition) -> None:
    spent = changed(facts, job={"spent": SPENT})
    for found in (facts, spent, refused):
        document = compose(found, CHINESE, edition)
        said = texts(document).splitlines()
        said += [
            text
            for section in document.sections
            for block in section.blocks
            if isinstance(block, Grid | Picture)
            for text in (block.caption, *(block.head if isinstance(block, Grid) else (block.told,)))
        ]
        assert not [line for line in said if ENGLISH_STOP.search(line)]
    # Names between which a comma would not show as English.
    assert "job、<script>" in texts(compose(facts, CHINESE, edition))
    assert ENGLISH_STOP.search("泄露, 发布") and ENGLISH_STOP.search("发布.")
