"""Distances, and what they refuse."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leakgauge.distances import Absolute, Distortion, Euclidean, Given, GreatCircle, Hamming, Squared, read_distortion
from leakgauge.distances.distortions import ColumnSums
from leakgauge.errors import FileError, LabelError, ModelError, OptionError
from leakgauge.probability import Label


def test_distances_are_what_their_names_say() -> None:
    numbers = [1, 2.5, 4]
    assert Hamming().between("ab", "bca").tolist() == [[1, 1, 0], [0, 1, 1]]
    assert Absolute().between(numbers, numbers)[0].tolist() == [0, 1.5, 3]
    assert Squared().between(numbers, [0])[:, 0].tolist() == [1, 6.25, 16]
    assert Euclidean().between([(0, 0)], [(3, 4)]).tolist() == [[5]]


def test_great_circles_match_known_ways() -> None:
    paris, london, quarter = (48.8566, 2.3522), (51.5074, -0.1278), (0.0, 90.0)
    ways = GreatCircle().between([paris, (0.0, 0.0)], [london, quarter])
    assert ways[0, 0] == pytest.approx(343.6, abs=0.5)
    assert ways[1, 1] == pytest.approx(math.pi / 2 * 6371.0088)
    assert GreatCircle().between([(0, 179.9)], [(0, -179.9)])[0, 0] == pytest.approx(22.24, abs=0.01)


def test_sums_over_columns_add_weighted_parts() -> None:
    labels = [("a", 1), ("b", 1), ("a", 3)]
    found = ColumnSums((Hamming(), Absolute()), (10.0, 2.0)).between(labels, labels)
    assert found.tolist() == [[0, 10, 4], [10, 0, 14], [4, 14, 0]]


def test_a_file_of_distances_is_matched_by_text_in_any_order(tmp_path: Path) -> None:
    file = tmp_path / "loss.csv"
    file.write_text("secret,low,high\n20,1,5\n10,0,2\n", encoding="utf-8")
    loss = read_distortion(file)
    assert loss.outputs_for([10, 20]) == ("low", "high")
    assert loss.between([10, 20], ["high", "low"]).tolist() == [[2, 0], [5, 1]]
    assert read_distortion(file).between([10.0, 20.0], ["low", "high"]).tolist() == [[0, 2], [1, 5]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a table of distances"),
        ("x,a\n1,2,3\n", "not a table of distances"),
        ("x,a\n1,far\n", "not a number"),
        ("x,a\n1,-1\n", "contain -1"),
        ("x,a\n1,nan\n", "contain nan"),
        ("x,a,a\n1,0,0\n", "repeat"),
    ],
)
def test_files_that_are_no_distances_are_refused_in_a_sentence(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "loss.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(FileError, match=said):
        read_distortion(file)
    with pytest.raises(FileError, match="cannot be read"):
        read_distortion(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("distortion", "labels"),
    [
        (Absolute(), ["a", "b"]),
        (Absolute(), ["(-∞, 10)", "[10, ∞)"]),
        (Absolute(), ["[1, 2, 3)"]),
        (Squared(), [1.0, math.inf]),
        (Squared(), [True, False]),
        (Euclidean(), [(1, 2), (1, 2, 3)]),
        (Euclidean(), [1, 2]),
        (GreatCircle(), [(91, 0)]),
        (GreatCircle(), [(0, 0, 0)]),
        (ColumnSums((Hamming(), Hamming())), ["ab", "cd"]),
        (Given([[0, 1]], ["a"], ["b", "c"]), ["a", "b"]),
        (Given([[0, 1], [1, 0]]), ["a"]),
    ],
)
def test_labels_that_cannot_be_measured_are_refused(distortion: Distortion, labels: list[Label]) -> None:
    with pytest.raises(LabelError):
        distortion.between(labels, labels)


def test_distances_that_are_none_are_refused() -> None:
    with pytest.raises(ModelError, match="contain -1"):
        Given([[0, -1.0]])
    with pytest.raises(ModelError, match="contain nan"):
        Given([[0, math.nan]])
    with pytest.raises(LabelError, match="2 outputs, but there are 1"):
        Given([[0, 1]], None, ["a"])
    with pytest.raises(OptionError, match="has no distortion"):
        ColumnSums(())
    with pytest.raises(OptionError, match="2 finite numbers"):
        ColumnSums((Hamming(), Hamming()), (1.0, -1.0))


def test_great_circles_take_places_as_text_and_refuse_what_is_none() -> None:
    between = GreatCircle().between
    assert between(["48.8566 2.3522"], [(51.5074, -0.1278)])[0, 0] == pytest.approx(343.556, rel=1e-4)
    for wrong in ("Paris", "48.8566", "95 2", None, 3, ("48.8566", "2.3522")):
        with pytest.raises(LabelError):
            between(["48.8566 2.3522", wrong], ["48.8566 2.3522"])
