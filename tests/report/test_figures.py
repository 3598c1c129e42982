"""Pictures show the numbers they are made from."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from leakgauge.artefacts import Compared, Finding, Frontier, Level, Quantity
from leakgauge.artefacts.codec import decode, encode
from leakgauge.artefacts.design import Role
from leakgauge.artefacts.measurement import ValueShares
from leakgauge.artefacts.record import Claims
from leakgauge.artefacts.scores import SCORES, Scores
from leakgauge.artefacts.verdict import PolicyLine
from leakgauge.design import Keep, Knowledge, RateDistortion, Slope, Solution, frontier
from leakgauge.distances import Hamming
from leakgauge.errors import OptionError
from leakgauge.jobs.design import Question, as_frontier
from leakgauge.languages import Language
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.sentences import Sentence
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.attacks import attacks_figure
from leakgauge.telling.figures.channel import channel_figure
from leakgauge.telling.figures.frontier import frontier_figure
from leakgauge.telling.figures.levels import levels_figure
from leakgauge.telling.figures.placing import distortion_at
from leakgauge.telling.figures.scores import scores_figure
from leakgauge.telling.figures.shares import shares_figure
from tests.report.artefacts import drawn, labels, marks, width, words

JOINT = Joint(["flu", "none", "cold"], ["Oslo", "Bergen"], [[0.3, 0.1], [0.1, 0.25], [0.05, 0.2]])
CHINESE = Language("zh")


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    return list(frontier(RateDistortion(JOINT, Hamming(), Slope(1.0), Knowledge.ATTACKER), 7))


def quantity(value: float, unit: str = "bits", low: float | None = None, high: float | None = None) -> Quantity:
    return Quantity(value, unit, low, high)


def test_a_frontier_has_a_mark_for_every_point_and_a_floor(solutions: list[Solution]) -> None:
    figure = frontier_figure(as_frontier(solutions))
    svg = figure.to_svg()
    assert len(marks(svg, "point")) == len(solutions)
    assert len(marks(svg, "rule mark")) + len(marks(svg, "rule")) == 1
    assert f"{solutions[0].background_floor:.3g}" in figure.told
    leaks = [one["leakage"] for one in drawn_curve(figure)]
    assert leaks == [one.leakage_with_background for one in solutions]
    alone = frontier_figure(as_frontier(frontier(RateDistortion(JOINT.row_marginal(), Hamming(), Slope(1.0)), 5)))
    assert len(alone.spec["layer"]) == 2 and "dashed" not in alone.told
    # What channels reach lies above the curve.
    area = figure.spec["layer"][0]["data"]["values"]
    assert sorted(one["least"] for one in area[:-1]) == leaks and all(one["least"] < one["top"] for one in area)


@pytest.mark.parametrize("keeps", [True, False], ids=["kept", "free"])
def test_two_curves_are_named_where_they_run_and_meet_nothing(solutions: list[Solution], keeps: bool) -> None:
    kept = frontier(RateDistortion(JOINT, Hamming(), Slope(1.0), Knowledge.ATTACKER, keep=Keep.SHARES), 7)
    curves = (kept, solutions) if keeps else (solutions, kept)
    both = as_frontier(curves[0], beside=curves[1])
    figure = frontier_figure(both, both.points[3])
    named = [layer["data"]["values"][0] for layer in figure.spec["layer"] if "name" in layer["data"]["values"][0]]
    assert {one["name"] for one in named} == {"least of all channels", "least that keeps the shares"}
    (mark,) = figure.spec["layer"][-1]["data"]["values"]
    upper, lower = named
    assert upper["name"] == "least that keeps the shares"
    # The upper curve is named on its upper right, the lower one on its lower left.
    most = 1.05 * kept[0].distortion
    top = 1.08 * max(one["leakage"] for one in drawn_curve(figure))
    for one, points, side in ((upper, kept, 1), (lower, solutions, -1)):
        line = [{"distortion": p.distortion, "leakage": p.leakage_with_background} for p in points]
        across = distortion_at(line, (1 - one["down"] / 320) * top) / most * 670
        assert (one["across"] - across) * side > 0
        assert abs(one["down"] - mark["label_down"]) > 12 or abs(one["across"] - mark["label_across"]) > 60
    assert "Grey and dashed: " in figure.told and width(figure.to_svg()) <= 760


def drawn_curve(figure: Any) -> list[dict[str, Any]]:
    """The points of the curve that is solid."""
    layers = [one for one in figure.spec["layer"] if one["mark"]["type"] == "line" and "point" in one["mark"]]
    points: list[dict[str, Any]] = layers[0]["data"]["values"]
    return points


def test_a_frontier_of_a_column_says_what_it_tells_on(solutions: list[Solution]) -> None:
    question = Question(("illness",), ("city",), Hamming(), Knowledge.ATTACKER, through="job")
    said = words(frontier_figure(as_frontier(solutions, question)).to_svg())
    assert "bits revealed about illness by job and the background" in said
    fields = encode(as_frontier(solutions))
    # As files of earlier versions are.
    for name in ("keep", "beside", "secret", "through"):
        del fields[name]
    assert "I(X;Y,Z), bits" in words(frontier_figure(decode(Frontier, fields, "frontier")).to_svg())


def test_shares_stand_side_by_side_and_lost_ones_are_marked() -> None:
    shares = [
        ValueShares((name,), quantity(table, "share"), quantity(released, "share"))
        for name, table, released in [("rare", 0.00001, 0.0), (None, 0.29999, 0.4), ("common", 0.7, 0.6), ("", 0, 0)]
    ]
    figure = shares_figure(shares)
    rows = figure.spec["data"]["values"]
    assert [(one["value"], one["number"]) for one in rows] == [
        ("common", "70%"),
        ("common", "60%"),
        ("(missing)", "30%"),
        ("(missing)", "40%"),
        ("rare", "<0.01%"),
        ("rare", "never released"),
        ("(empty)", "0%"),
        ("(empty)", "0%"),
    ]
    assert len(marks(figure.to_svg(), "bar")) == 8 and width(figure.to_svg()) <= 760
    alike = shares_figure([replace(shares[0], value=("x" * 99 + str(at),)) for at in (1, 1)])
    assert len({one["value"] for one in alike.spec["data"]["values"]}) == 2


def test_a_weighted_frontier_is_of_what_was_made_small(solutions: list[Solution]) -> None:
    found = as_frontier(solutions)
    points = tuple(replace(one, weighted_leakage=quantity(float(at))) for at, one in enumerate(found.points))
    figure = frontier_figure(replace(found, points=points))
    assert drawn(figure, "leakage") == list(range(len(solutions)))
    assert "I_w(X;Y), bits" in words(figure.to_svg())


def test_many_mechanisms_in_one_place_keep_their_labels_apart(solutions: list[Solution]) -> None:
    long = "channel:" + "/a-folder-with-a-name" * 8 + "/{number}.json"
    others = [
        Compared(
            mechanism=long.format(number=at),
            role=Role.GIVEN,
            meets_target=False,
            leakage=quantity(0.5),
            leakage_with_background=quantity(0.5 + at / 40),
            distortion=quantity(0.2),
            epsilon=quantity(math.inf, "nats"),
            waste=quantity(0.0),
            gap=quantity(0.0),
        )
        for at in range(9)
    ]
    figure = frontier_figure(as_frontier(solutions), as_frontier(solutions).points[3], others)
    places = figure.spec["layer"][-1]["data"]["values"]
    assert [one["label"] for one in places] == ["this release", *map(str, range(1, 10))]
    # From one to nine they lie on top of each other, and their labels in the same order.
    heights = [one["label_down"] for one in places[1:]]
    assert max(np.diff(heights)) <= -15 + 1e-9 and min(np.diff([one["down"] for one in places[1:]])) > -15
    svg = figure.to_svg()
    assert width(svg) <= 760
    # What is left out of a long name is its middle.
    assert sum(f"{at}.json: " in text for at in range(9) for text in words(svg)) == 9


def test_a_map_has_a_cell_for_every_probability() -> None:
    channel = Channel(["a", "b"], ["x", None, 3], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    figure = channel_figure(channel)
    assert [one["probability"] for one in figure.spec["data"]["values"]] == channel.matrix.ravel().tolist()
    assert len(marks(figure.to_svg(), "rect mark")) == 6
    assert labels(figure.to_svg(), "rect mark")[0] == "a released as x: 0.5"
    many = [str(at) for at in range(61)]
    with pytest.raises(OptionError, match="cannot be read"):
        channel_figure(Channel(many, many, np.eye(61)))


def test_one_chart_is_one_text_whatever_was_drawn_before() -> None:
    # Large enough for a scale of colours, which has an id.
    many = [str(at) for at in range(30)]
    channel, texts = Channel(many, many, np.full((30, 30), 1 / 30)), set()
    for _ in range(2):
        chart._drawn.cache_clear()
        texts.add(channel_figure(channel).to_svg())
    assert len(texts) == 1


def test_small_maps_have_their_numbers_and_large_ones_fit_a_page() -> None:
    channel = Channel(["a", "b"], ["x", "y", "z"], [[0.5, 0.499, 0.001], [0.999, 0.001, 0.0]])
    assert {"0.50", "<0.01", ">0.99"} <= words(channel_figure(channel).to_svg())
    names = [f"{at} with a rather long name" for at in range(60)]
    large = channel_figure(Channel(names, names, np.eye(60)))
    assert "1" not in words(large.to_svg()) and width(large.to_svg()) <= 760


def test_missing_and_empty_labels_have_words() -> None:
    letters = [None, "", ("x", None), "x"]
    figure = channel_figure(Channel(letters, letters, np.eye(4)))
    assert {one["input"] for one in figure.spec["data"]["values"]} == {"(missing)", "(empty)", "x|(missing)", "x"}
    assert ">(missing)<" in figure.to_svg()
    assert ">（缺失）<" in channel_figure(Channel(letters, letters, np.eye(4)), CHINESE).to_svg()


def test_a_label_is_never_translated() -> None:
    figure = channel_figure(Channel(["score", "privacy"], ["score", "privacy"], np.eye(2)), CHINESE)
    assert {"score", "privacy"} <= words(figure.to_svg())
    assert "score 发布为 score：1" in labels(figure.to_svg(), "rect mark")


def test_white_is_never_and_nothing_else() -> None:
    channel = Channel(["a", "b"], ["x", "y", "z"], [[1 - 2**-50, 0.0, 2**-50], [0.5, 0.5, 0.0]])
    cells = marks(channel_figure(channel).to_svg(), "rect mark")
    white = [cell.get("fill") == "white" for cell in cells]
    assert white == (channel.matrix == 0).ravel().tolist()


def test_pictures_ask_nothing_of_a_network() -> None:
    svg = channel_figure(Channel.identity(["a", "b"])).to_svg()
    addresses = {value for one in ET.fromstring(svg).iter() for value in one.attrib.values() if "://" in value}
    assert addresses == set()
    assert 'style="' not in svg


def test_levels_of_several_columns_and_infinite_ones() -> None:
    levels = {"local-dp": Level(1.5, "nats"), "gaussian-dp": Level(math.inf, "standard deviations")}
    claims = Claims(None, None, True, levels)
    figure = levels_figure({"age": claims, "city": claims})
    assert drawn(figure, "level") == [1.5, 1.5, 0.0, 0.0]
    assert "∞" in words(figure.to_svg())
    assert {"local differential privacy, age", "local differential privacy, city"} <= words(figure.to_svg())


@pytest.mark.parametrize("language", [Language("en"), CHINESE])
def test_where_there_are_no_data_the_picture_says_so(language: Language) -> None:
    for figure in (
        levels_figure({}, language),
        attacks_figure([], language),
    ):
        assert figure.told in words(figure.to_svg())


def attack(**changed: Any) -> Finding:
    found = Finding(
        attack=Sentence("record linkage"),
        target=("age",),
        knows=(),
        success=quantity(0.6, "share", 0.5, 0.7),
        baseline=quantity(0.25, "share"),
        advantage=quantity(0.35, "share"),
        independent=quantity(0.0, "share"),
        raw=quantity(0.75, "share"),
        exposed=0,
        ceiling=None,
    )
    return replace(found, **changed)


def test_an_attack_without_a_claim_has_no_ceiling_and_one_that_beats_it_is_marked() -> None:
    quiet = attacks_figure([attack()])
    assert "Diamond" not in " ".join(words(quiet.to_svg())) and quiet.told.endswith("allowed –.")
    beaten = attack(target=("city",), ceiling=quantity(0.4, "share"), beats_claim=True)
    figure = attacks_figure([attack(), beaten])
    svg = figure.to_svg()
    assert figure.told.endswith("allowed 40%. This exceeds what the guarantee allows.")
    assert {
        "record linkage (age)",
        "record linkage (city)",
        "Diamond: the attack exceeds what the guarantee allows.",
    } <= words(svg)
    assert marks(svg, "point")[0].get("d") != marks(svg, "point")[1].get("d")


def test_a_score_has_its_interval_its_limit_and_says_what_is_not_known() -> None:
    scores: dict[str, Any] = {name: quantity(50.0, "points") for name in SCORES}
    scores |= {
        "protection": quantity(55.0, "points", 40.0, 70.0),
        "surest": quantity(0.001, "points"),
        "usefulness": quantity(0.0, "points", 0.0, 100.0),
    }
    limits = {"min_protection": 60.0, "max_surest": 45.0, "max_alone": 0.05}
    policy = [PolicyLine(name, limit, None, holds=False) for name, limit in limits.items()]
    before = {"protection": 0.0, "surest": 100.0, "usefulness": 100.0}
    figure = scores_figure(Scores(**scores), policy, before)
    rows = figure.spec["data"]["values"]
    assert [row["limit"] for row in rows] == [60, 45, None]
    assert {row["name"]: row["number"] for row in rows} == {
        "protection": "0 → 55",
        "surest (lower is better)": "100 → <0.01",
        "usefulness": "not known",
    }
    svg = figure.to_svg()
    # Of what is not known there is no end to draw.
    assert len(marks(svg, "point")) == 4 and width(svg) <= 760
    assert "protection: 0 → 55; limit: at least 60." in labels(svg, "point")


def test_a_prior_alone_has_a_frontier() -> None:
    points = frontier(RateDistortion(Distribution(["a", "b"], [0.5, 0.5]), Hamming(), Slope(1.0)), 3)
    assert width(frontier_figure(as_frontier(points), language=CHINESE).to_svg()) <= 760
