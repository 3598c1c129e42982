"""What a job tells of keeping the shares: two curves, the release among other mechanisms, shares before and after."""

from __future__ import annotations

import json

import numpy as np
import pytest

from leakgauge.artefacts.shareable import shareable
from leakgauge.languages import ENGLISH
from leakgauge.report.external import LIMIT
from leakgauge.telling.pictures import figure_of
from leakgauge.telling.voice import Voice
from tests.report.facts import Facts


@pytest.fixture(scope="module")
def teller(facts: Facts) -> Voice:
    return facts.teller(ENGLISH)


def test_the_release_lies_on_the_curve_of_what_it_keeps(facts: Facts) -> None:
    design, curve = facts.files["design.json"], facts.files["frontier.json"]
    assert {curve["keep"], curve["beside"]["keep"]} == {"nothing", "shares"}
    assert curve["keep"] == design["keep"]
    heights = {}
    for part in (curve, curve["beside"]):
        # From the least distortion on, as interpolating needs it.
        places = [(one["distortion"]["value"], one["leakage_with_background"]["value"]) for one in part["points"]][::-1]
        heights[part["keep"]] = np.interp(design["distortion"]["value"], *np.transpose(places))
    # A chord lies above the curve, by little between 25 points.
    assert heights[design["keep"]] == pytest.approx(design["leakage_with_background"]["value"], abs=0.01)
    assert heights["nothing"] <= heights["shares"]


def test_the_release_is_the_optimum_of_the_comparison(facts: Facts) -> None:
    design, comparison = facts.files["design.json"], facts.files["comparison.json"]
    rows = {one["mechanism"]: one for one in comparison["ranking"]}
    best = comparison["ranking"][0]
    assert comparison["keep"] == design["keep"] and best["role"] == "optimum"
    leaks = "leakage_with_background"
    assert best[leaks]["value"] == pytest.approx(design[leaks]["value"], abs=1e-4)
    if design["keep"] == "shares":
        price = best[leaks]["value"] - rows["least leaking channel"][leaks]["value"]
        assert price == pytest.approx(design["price_of_keeping"]["value"], abs=1e-4)


def test_shares_before_and_after_are_drawn_inside_only(facts: Facts, teller: Voice) -> None:
    figure = figure_of(teller, "shares")
    assert figure is not None
    (column,) = (one for one in facts.files["utility.json"]["columns"].values() if one["protected"])
    sides = {side: [one[side]["value"] for one in column["shares"]] for side in ("table", "released")}
    assert [sum(one) for one in sides.values()] == pytest.approx([1, 1])
    moved = sum(abs(before - after) for before, after in zip(*sides.values(), strict=True)) / 2
    assert column["total_variation"]["value"] == pytest.approx(moved, abs=1e-9)
    assert teller.results.design is not None and (teller.results.design.keep == "shares") is (moved < 1e-9)
    assert '"shares": [{' not in json.dumps(Facts(shareable(facts.dossier, LIMIT)).files)
