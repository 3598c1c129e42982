"""Noise that is brought back to its bounds: the exact law, and what it claims."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.audit import lower_bound
from leakgauge.errors import ColumnError, FileError, OptionError
from leakgauge.mechanisms import geometric, laplace, parse_mechanism, spelled
from leakgauge.mechanisms.noise import ClampedNoise
from leakgauge.notions import levels
from leakgauge.randomness import Simulated
from leakgauge.release import ReleasePlan, read_plan
from leakgauge.release.bound import bind
from leakgauge.tables import open_table

SPELLINGS = (
    "laplace:epsilon=1,lower=0,upper=10000,clamp=yes",
    "laplace:epsilon=2,lower=-3.3,upper=7.7,clamp=yes",
    "gaussian:epsilon=1,delta=1e-5,lower=0,upper=100,clamp=yes",
    "geometric:epsilon=0.5,lower=0,upper=40,clamp=yes",
    "discrete-gaussian:rho=0.5,lower=0,upper=40,clamp=yes",
)


@pytest.mark.parametrize("text", SPELLINGS)
def test_scores_are_the_logarithm_of_a_law_and_draws_follow_it(text: str) -> None:
    made = parse_mechanism(text).noise
    assert made is not None and isinstance(made.law, ClampedNoise)
    lower, upper = made.declared
    inputs = made.on_grid(np.array([lower - 5, (lower + upper) / 2, upper]))
    outputs = np.arange(made.law.low, made.law.high + 1)
    chance_of_none = made.added.probability(np.zeros(1, dtype=np.int64))
    law = np.exp(made.law.scores(inputs, outputs)) * chance_of_none
    np.testing.assert_allclose(law.sum(axis=1), 1.0, atol=1e-4)
    drawn = made.law.draw(np.repeat(inputs, 20_000), Simulated(3)).reshape(3, -1)
    for shares, numbers in zip(law, drawn, strict=True):
        ends = np.array([np.mean(numbers == made.law.low), np.mean(numbers == made.law.high)])
        np.testing.assert_allclose(ends, shares[[0, -1]], atol=6 * 0.5 / np.sqrt(20_000))
    beyond = made.law.beyond(inputs)
    interior = (
        1 - beyond - (made.added.probability(made.law.low - inputs) + made.added.probability(made.law.high - inputs))
    )
    np.testing.assert_allclose(law[:, 1:-1].sum(axis=1), interior, atol=1e-4)


@pytest.mark.parametrize("text", SPELLINGS)
def test_claims_steps_and_spelling_are_those_of_the_noise(text: str) -> None:
    plain, made = parse_mechanism(text.removesuffix(",clamp=yes")).noise, parse_mechanism(text).noise
    assert plain is not None and made is not None and made == plain.clamped() == made.clamped()
    assert made.claims == plain.claims and made.step() == plain.step() and made.clamps and not plain.clamps
    assert parse_mechanism(spelled(made)) == made and spelled(made).endswith("clamp=yes")


def test_bounds_that_are_not_on_the_grid_are_kept_all_the_same() -> None:
    made = laplace(1.0, lower=0, upper=10_000, clamp=True)
    assert made.span.grid == 32 and made.span.bounds[1] * 32 > 10_000
    numbers = made.run(np.full(2000, 12_345.0), Simulated(1))
    assert numbers.min() == 0 and numbers.max() == 9984
    assert made.may_release(numbers)
    assert not made.may_release(np.array([-32.0])) and not made.may_release(np.array([10_016.0]))


def test_an_audit_shows_what_the_noise_claims_and_no_more() -> None:
    found = lower_bound(laplace(1.0, lower=0, upper=100, clamp=True), samples=40_000, randomness=Simulated(2))
    assert 0.9 < found.at_least <= 1 and not found.violated


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("laplace:epsilon=1,sensitivity=1,clamp=yes", "no bounds to clamp to"),
        ("laplace:epsilon=1,lower=0,upper=1,clamp=maybe", "give yes or no"),
        ("laplace:epsilon=1,lower=0.4,upper=1.6,grid=1,clamp=yes", "fewer than 2 points between the bounds"),
    ],
)
def test_what_cannot_be_clamped_is_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_mechanism(text)


def test_a_plan_names_the_columns_that_are_clamped() -> None:
    noise = "laplace:epsilon=1,lower=0,upper=50"
    with open_table(pa.table({"nights": [1, 2, 60], "illness": ["a", "b", "a"]})) as table:
        (bound,) = bind(ReleasePlan({"nights": noise}, clamp=["nights"]), table).columns
        assert bound.mechanism.parameters["clamp"] == "yes"
        plan = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=this-table"}, clamp="illness")
        with pytest.raises(ColumnError, match="randomized-response adds no noise that could leave the bounds"):
            bind(plan, table)
    with pytest.raises(OptionError, match="clamps column 'illness', which it does not release"):
        ReleasePlan({"nights": noise}, clamp=["illness"])


def test_a_plan_file_says_it_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("plan") / "plan.toml"
    text = 'clamp = ["nights"]\n[columns]\nnights = "laplace:epsilon=1,lower=0,upper=50"\n'
    place.write_text(text, encoding="utf-8")
    assert read_plan(place).clamp == ("nights",)
    place.write_text(text.replace('["nights"]', "true"), encoding="utf-8")
    with pytest.raises(FileError, match="is not a plan"):
        read_plan(place)


def test_a_clamped_geometric_mechanism_is_an_exact_channel() -> None:
    """a^|k| (1 − a)/(1 + a) between the bounds and a^k/(1 + a) at them, with a = e^(−ε/4)."""
    made = geometric(1.0, lower=0, upper=4, clamp=True)
    channel = made.channel()
    assert channel is not None and made.capabilities.finite
    assert channel.inputs == channel.outputs == (0, 1, 2, 3, 4)
    base, away = np.exp(-1 / 4), np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    expected = base**away * (1 - base) / (1 + base)
    expected[:, [0, 4]] = base ** away[:, [0, 4]] / (1 + base)
    np.testing.assert_allclose(channel.matrix, expected, rtol=1e-12)
    assert levels(channel)["local-dp"].value == pytest.approx(1.0, rel=1e-12)
    drawn = made.run(np.full(100_000, 1), Simulated(5))
    np.testing.assert_allclose(np.bincount(drawn, minlength=5) / 100_000, expected[1], atol=0.006)


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_channel_is_the_law_where_it_can_be_written_down(text: str) -> None:
    made = parse_mechanism(text).noise
    assert made is not None and isinstance(made.law, ClampedNoise)
    channel = made.channel()
    if channel is None:
        assert (made.span.steps + 1) ** 2 > 1 << 22 and not made.capabilities.finite
        return
    steps = made.on_grid(np.array(channel.inputs))
    scores = np.exp(made.law.scores(steps, made.on_grid(np.array(channel.outputs))))
    np.testing.assert_allclose(channel.matrix, scores * made.added.probability(np.zeros(1, dtype=np.int64)), atol=1e-4)


def test_noise_without_clamping_has_no_channel_and_a_record_keeps_none() -> None:
    assert geometric(1.0, lower=0, upper=4).channel() is None
    assert geometric(1.0, sensitivity=1).channel() is None
    clamped = geometric(1.0, lower=0, upper=4, clamp=True)
    assert clamped.released is None and clamped.recorded_channel() is None and clamped.letters is None
