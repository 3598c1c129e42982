"""What is refused at the door, with the value found; what is accepted, and what it then holds."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.errors import InputError, LabelError, ModelError
from leakgauge.probability import Channel, Counts, Distribution, Estimate, Interval, Joint, Scenario
from tests.laws.strategies import channels, distributions, joints

BAD_NUMBERS = [
    ([0.5, -0.5, 1.0], "-0.5"),
    ([0.5, math.nan, 0.5], "nan"),
    ([0.5, math.inf, 0.5], "inf"),
    ([0.5, 0.1, 0.1], "sum to 0.7"),
    ([0.5, 0.25, 0.25 + 1e-8], "sum to 1.00000001"),
    ([0, 0, 0], "sum to 0"),
]


@pytest.mark.parametrize(("numbers", "found"), BAD_NUMBERS)
@pytest.mark.parametrize(
    "build",
    [
        lambda numbers: Distribution("abc", numbers),
        lambda numbers: Joint("abc", "u", [[number] for number in numbers]),
        lambda numbers: Channel("uv", "abc", [[1, 0, 0], numbers]),
        lambda numbers: Joint.from_cells("abc", "u", [0, 1, 2], [0, 0, 0], numbers),
    ],
    ids=["distribution", "joint", "channel", "cells"],
)
def test_numbers_that_are_no_probabilities(
    build: Callable[[list[float]], object], numbers: list[float], found: str
) -> None:
    with pytest.raises(ModelError, match=found.replace(".", r"\.")):
        build(numbers)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (["a", "a", "b"], "1 of the 3 .* repeat"),
        ([1, 1.0, "b"], "repeat"),
        ([True, 1, "b"], "repeat"),
        ([math.nan, "a", "b"], "use None for missing"),
        ([["list"], "a", "b"], "cannot be hashed"),
        ([], "empty"),
    ],
)
def test_labels_that_are_no_alphabet(labels: list[object], reason: str) -> None:
    with pytest.raises(LabelError, match=reason):
        Distribution(labels, [0.5, 0.25, 0.25])


def test_shapes_must_match_the_labels() -> None:
    with pytest.raises(ModelError, match="2 outcomes, but 3"):
        Distribution("ab", [0.5, 0.25, 0.25])
    with pytest.raises(ModelError, match="1 × 2 for 2 rows and 2 columns"):
        Joint("ab", "uv", [[0.5, 0.5]])
    with pytest.raises(ModelError, match="1 axes"):
        Channel("ab", "uv", [0.5, 0.5])
    with pytest.raises(ModelError, match="not all numbers"):
        Channel("ab", "uv", [["x", 0.5], [1, 0]])
    with pytest.raises(ModelError, match="not all numbers"):
        Channel("ab", "uv", [[1, 0], [1]])
    with pytest.raises(ModelError, match="not from 0 to 1"):
        Joint.from_cells("ab", "uv", [0, 2], [0, 1], [0.5, 0.5])
    with pytest.raises(ModelError, match="differ in length"):
        Joint.from_cells("ab", "uv", [0], [0, 1], [0.5, 0.5])


def test_input_errors_are_value_errors_with_template_and_fields() -> None:
    with pytest.raises(ValueError, match="sum to 2") as caught:
        Distribution("ab", [1, 1])
    error = caught.value
    assert isinstance(error, InputError)
    assert error.fields["total"] == 2.0
    assert "{total" in error.template


def test_arrays_are_private_and_read_only() -> None:
    mine = np.array([0.5, 0.5])
    distribution = Distribution("ab", mine)
    mine[0] = 9
    assert distribution["a"] == 0.5
    with pytest.raises(ValueError, match="read-only"):
        distribution.probabilities[0] = 9
    with pytest.raises(AttributeError, match="cannot be changed"):
        distribution.outcomes = ("c", "d")
    with pytest.raises(ValueError, match="read-only"):
        Joint("ab", "u", [[0.5], [0.5]]).matrix[0, 0] = 9


@given(distributions(), channels())
def test_what_is_read_back_is_what_was_written(p: Distribution, channel: Channel) -> None:
    assert Distribution(p.outcomes, p.probabilities.tolist()) == p
    assert Channel(channel.inputs, channel.outputs, channel.matrix.tolist()) == channel


def test_a_total_off_by_little_is_mended() -> None:
    nearly = Distribution("abc", [1 / 3 + 1e-11, 1 / 3, 1 / 3])
    assert nearly.probabilities.sum() == pytest.approx(1, abs=1e-15)


def test_labels_of_any_hashable_kind() -> None:
    labels = [None, "text", 3, 2.5, ("a", 1), Interval(0.0, 18.0)]
    p = Distribution(labels, [1 / 6] * 6)
    assert p[("a", 1)] == p[None] == pytest.approx(1 / 6)
    with pytest.raises(LabelError, match="'other' is not among the 6 outcomes"):
        p["other"]


def test_intervals_print_like_intervals() -> None:
    assert str(Interval(0.0, 18.0)) == "[0, 18)"
    assert str(Interval(None, 0.0)) == "(-∞, 0)"
    assert str(Interval(65.0, 90.0, closed=True)) == "[65, 90]"
    assert str(Interval(65.0, None)) == "[65, ∞)"


@given(joints())
def test_marginals_posteriors_and_transposes_fit_together(joint: Joint) -> None:
    again = Joint.of(joint.row_marginal(), joint.channel())
    np.testing.assert_allclose(again.matrix, joint.matrix, atol=1e-15)
    np.testing.assert_array_equal(joint.transpose().matrix, joint.matrix.T)
    total = np.zeros(len(joint.rows))
    seen = joint.column_marginal()
    for column in joint.columns:
        if seen[column] > 0:
            total += seen[column] * joint.row_given_column(column).probabilities
    np.testing.assert_allclose(total, joint.row_marginal().probabilities, atol=1e-14)


def test_nothing_follows_from_what_never_occurs() -> None:
    joint = Joint("ab", "uv", [[0.5, 0], [0.5, 0]])
    with pytest.raises(ModelError, match="'v' never occurs"):
        joint.row_given_column("v")


@given(st.data())
def test_cascades_and_products_are_matrix_and_kronecker_products(data: st.DataObject) -> None:
    first = data.draw(channels())
    second = data.draw(channels(inputs=len(first.outputs)))
    np.testing.assert_allclose(first.then(second).matrix, first.matrix @ second.matrix, atol=1e-15)
    np.testing.assert_allclose(first.product(second).matrix, np.kron(first.matrix, second.matrix), atol=1e-15)
    with pytest.raises(LabelError):
        first.then(Channel.identity(["something else"]))


def test_counts() -> None:
    counts = Counts({"x": "ab", "y": "uv", "z": [None, 1]}, np.arange(8).reshape(2, 2, 2))
    assert counts.n == 28
    assert counts.keep("z", "x").array().tolist() == [[0 + 2, 4 + 6], [1 + 3, 5 + 7]]
    assert counts.distribution("z")[None] == pytest.approx(12 / 28)
    assert counts.joint(["x"], ["y", "z"]).columns == (("u", None), ("u", 1), ("v", None), ("v", 1))
    assert counts.over("x", "cab").labels("x") == ("c", "a", "b")
    assert counts.over("x", "cab").keep("x").array().tolist() == [0, 6, 22]
    with pytest.raises(LabelError, match="1 of the 2 values of 'x'"):
        counts.over("x", "ac")
    with pytest.raises(LabelError, match="no axis 'w'"):
        counts.keep("w")
    doubled = Counts.from_cells({"x": "ab"}, [[1, 1, 0]], [2, 3, 0])
    assert doubled.array().tolist() == [0, 5]


@pytest.mark.parametrize(
    ("array", "reason"),
    [([[1, 2]], "shape"), ([1, -2], "-2"), ([1.5, 2], "whole"), ([0, 0], "All counts are 0"), (["1", "2"], "numbers")],
)
def test_counts_refuse(array: list[object], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        Counts({"x": "ab"}, array)  # type: ignore[arg-type]


def test_scenarios_refuse_what_does_not_fit() -> None:
    joint = Joint("ab", "uv", [[0.25, 0.25], [0.25, 0.25]])
    with pytest.raises(LabelError, match="secrets of the source"):
        Scenario(joint, Channel.identity("abc"))
    with pytest.raises(LabelError, match="different order"):
        Scenario(joint, Channel.identity("ba"))
    with pytest.raises(ModelError, match="given twice"):
        Scenario(joint, background=Channel.identity("ab"))
    with pytest.raises(ModelError, match="weights contain -1"):
        Scenario(joint, weights=[1, -1])
    with pytest.raises(ModelError, match="weights contain nan"):
        Scenario(joint, weights={"a": math.nan, "b": 1.0})
    with pytest.raises(LabelError, match="lack 1 of the 2 secrets and name 1 unknown"):
        Scenario(joint, weights={"a": 1.0, "c": 1.0})
    with pytest.raises(ModelError, match=r"shape \(3,\)"):
        Scenario(joint, weights=[1, 2, 3])
    from leakgauge import measures

    with pytest.raises(ModelError, match="no channel"):
        measures.mutual_information(Scenario(joint))
    with pytest.raises(ModelError, match="no background"):
        measures.background_floor(Scenario(joint.row_marginal()))


def test_a_background_may_be_given_as_a_channel() -> None:
    joint = Joint("ab", "uv", [[0.1, 0.4], [0.3, 0.2]])
    apart = Scenario(joint.row_marginal(), background=joint.channel())
    assert apart.background is not None
    np.testing.assert_allclose(apart.background.matrix, joint.matrix, atol=1e-16)


@given(st.data())
def test_beliefs_average_to_the_prior_also_with_background(data: st.DataObject) -> None:
    from tests.laws.strategies import scenarios

    s = data.draw(scenarios())
    assert s.background is not None
    assert s.channel is not None
    from leakgauge.probability import Seen

    seen = s.view(Seen.BOTH).cells.dense().sum(axis=0).reshape(len(s.background.columns), len(s.channel.outputs))
    total = np.zeros(len(s.source))
    for k, z in enumerate(s.background.columns):
        for j, y in enumerate(s.channel.outputs):
            if seen[k, j] > 0:
                total += seen[k, j] * s.posterior(y, z).probabilities
    np.testing.assert_allclose(total, s.source.probabilities, atol=1e-12)


def test_estimates_keep_their_promise() -> None:
    estimate = Estimate(1.0, 0.5, 1.5, 0.95, 100)
    assert 0.7 in estimate
    assert 2.0 not in estimate
    assert str(estimate) == "1.0000 [0.5000, 1.5000]"
    with pytest.raises(ModelError, match="does not contain the value 2"):
        Estimate(2.0, 0.5, 1.5, 0.95, 100)
    with pytest.raises(ModelError, match=r"confidence of 95\.0"):
        Estimate(1.0, 0.5, 1.5, 95.0, 100)
    with pytest.raises(ModelError, match="has 0 observations"):
        Estimate(1.0, 0.5, 1.5, 0.95, 0)
