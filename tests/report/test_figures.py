"""Pictures show the numbers they are made from."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from leakgauge.design import Knowledge, RateDistortion, Slope, frontier
from leakgauge.distances import Hamming
from leakgauge.errors import OptionError
from leakgauge.probability import Channel, Joint
from leakgauge.report.figures import channel_figure, frontier_figure

JOINT = Joint(["flu", "none", "cold"], ["Oslo", "Bergen"], [[0.3, 0.1], [0.1, 0.25], [0.05, 0.2]])


def marks(svg: str, role: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(svg).iter() if one.get("aria-roledescription") == role]


def test_a_frontier_has_a_mark_for_every_point_and_a_floor() -> None:
    points = frontier(RateDistortion(JOINT, Hamming(), Slope(1.0), Knowledge.ATTACKER), 7)
    figure = frontier_figure(points)
    svg = figure.to_svg()
    assert len(marks(svg, "point")) == len(points)
    assert len(marks(svg, "rule mark")) + len(marks(svg, "rule")) == 1
    assert f"{points[0].background_floor:.4g}" in figure.told
    drawn = [one["leakage"] for one in figure.spec["layer"][0]["data"]["values"]]
    assert drawn == [one.leakage_with_background for one in points]
    alone = frontier_figure(frontier(RateDistortion(JOINT.row_marginal(), Hamming(), Slope(1.0)), 5))
    assert len(alone.spec["layer"]) == 1 and "dashed" not in alone.told


def test_a_map_has_a_cell_for_every_probability() -> None:
    channel = Channel(["a", "b"], ["x", None, 3], [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    figure = channel_figure(channel)
    assert [one["probability"] for one in figure.spec["data"]["values"]] == channel.matrix.ravel().tolist()
    assert len(marks(figure.to_svg(), "rect mark")) == 6
    many = [str(at) for at in range(61)]
    with pytest.raises(OptionError, match="cannot be read"):
        channel_figure(Channel(many, many, np.eye(61)))


def test_missing_and_empty_labels_have_words() -> None:
    labels = [None, "", ("x", None), "x"]
    figure = channel_figure(Channel(labels, labels, np.eye(4)))
    assert {one["input"] for one in figure.spec["data"]["values"]} == {"(missing)", "(empty)", "x|(missing)", "x"}
    assert ">(missing)<" in figure.to_svg()


def test_white_is_never_and_nothing_else() -> None:
    channel = Channel(["a", "b"], ["x", "y", "z"], [[1 - 2**-50, 0.0, 2**-50], [0.5, 0.5, 0.0]])
    cells = marks(channel_figure(channel).to_svg(), "rect mark")
    white = [cell.get("fill") == "white" for cell in cells]
    assert white == (channel.matrix == 0).ravel().tolist()


def test_pictures_ask_nothing_of_a_network() -> None:
    svg = channel_figure(Channel.identity(["a", "b"])).to_svg()
    addresses = {value for one in ET.fromstring(svg).iter() for value in one.attrib.values() if "://" in value}
    assert addresses == set()
