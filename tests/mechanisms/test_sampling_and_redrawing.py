"""Sampled randomized response, and keep or redraw: every cell, every claim."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from leakgauge.cli import main
from leakgauge.errors import InputError
from leakgauge.measures import mutual_information
from leakgauge.mechanisms import keep_or_redraw, parse_mechanism, randomized_response, sampled_randomized_response
from leakgauge.mechanisms.finite import UNITS, exact_epsilon
from leakgauge.notions import levels
from leakgauge.notions.ratios import local_dp
from leakgauge.probability import Distribution, Scenario
from leakgauge.tables import open_table


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("sampling", [1e-6, 0.1, 0.999])
def test_every_cell_of_sampled_response(epsilon: float, sampling: float) -> None:
    mechanism = sampled_randomized_response(epsilon, sampling_probability=sampling, letters="abc")
    channel = mechanism.channel()
    same, other = math.exp(epsilon) / (math.exp(epsilon) + 2), 1 / (math.exp(epsilon) + 2)
    expected = sampling * (np.full((3, 3), other) + (same - other) * np.eye(3))
    np.testing.assert_allclose(channel.matrix[:, :3], expected, rtol=0, atol=4 / UNITS)
    np.testing.assert_allclose(channel.matrix[:, 3], 1 - sampling, rtol=0, atol=1 / UNITS)
    assert channel.outputs == ("a", "b", "c", None)
    assert (channel.matrix.sum(axis=1) == 1).all() and np.array_equal(channel.matrix, channel.dyadic().matrix)
    # Never above what is claimed; the grid of 2^-53 alone keeps it below.
    assert local_dp(channel).value <= epsilon * (1 + 1e-12)
    assert local_dp(channel).value >= epsilon - 8 / (UNITS * sampling * other)
    # Amplified by sampling, from L ≤ ε: above the channel's own level, and close to it where ε is small.
    exact = levels(channel, Distribution.uniform("abc"))["maximal-leakage"].value
    bound = math.log1p(sampling * math.expm1(epsilon)) / math.log(2)
    assert mechanism.claims[1].level == pytest.approx(bound, rel=1e-9) and exact <= bound * (1 + 1e-9) + 1e-15
    whole = math.log1p(sampling * (3 * same - 1)) / math.log(2)
    assert exact == pytest.approx(whole, rel=1e-6, abs=1e-14)


def test_sampling_lowers_information_in_proportion() -> None:
    prior = Distribution("abc", [0.5, 0.3, 0.2])
    sampled = sampled_randomized_response(2.0, sampling_probability=0.25, letters="abc").channel()
    whole = randomized_response(2.0, letters="abc").channel()
    bits = [mutual_information(Scenario(prior, channel)) for channel in (sampled, whole)]
    assert bits[0] == pytest.approx(0.25 * bits[1], rel=1e-12)


@pytest.mark.parametrize("shares", [None, (0.7, 0.2, 0.1), (1e-6, 0.5, 0.499999)])
@pytest.mark.parametrize("epsilon", [0.001, 1.0, 5.0, 20.0])
def test_every_cell_of_keep_or_redraw(epsilon: float, shares: tuple[float, ...] | None) -> None:
    mechanism = keep_or_redraw(epsilon, letters="abc", shares=shares)
    channel = mechanism.channel()
    drawn = np.array(shares or (1 / 3,) * 3)
    odds = math.expm1(epsilon) * drawn.min()
    expected = odds / (1 + odds) * np.eye(3) + drawn / (1 + odds)
    np.testing.assert_allclose(channel.matrix, expected, rtol=0, atol=4 / UNITS)
    assert (channel.matrix.sum(axis=1) == 1).all() and np.array_equal(channel.matrix, channel.dyadic().matrix)
    assert mechanism.claims[0].level == epsilon
    assert epsilon - 8 / (UNITS * expected.min()) <= exact_epsilon(channel) <= epsilon * (1 + 2e-15)
    np.testing.assert_allclose(drawn @ channel.matrix, drawn, rtol=0, atol=8 / UNITS)


def test_redrawn_alike_it_is_randomized_response() -> None:
    plain, same = keep_or_redraw(2.0, letters="abcd").channel(), randomized_response(2.0, letters="abcd").channel()
    np.testing.assert_allclose(plain.matrix, same.matrix, rtol=0, atol=4 / UNITS)


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("sampled-randomized-response:epsilon=1,sampling_probability=1.5,letters=a|b", r"probability of 1\.5"),
        ("sampled-randomized-response:epsilon=1,sampling_probability=0,letters=a|b", "probability of 0 is"),
        (
            "sampled-randomized-response:epsilon=1,sampling_probability=1e-16,letters=a|b",
            "leaves no room for 2 letters",
        ),
        ("sampled-randomized-response:epsilon=0,sampling_probability=0.5,letters=a|b", "0"),
        ("sampled-randomized-response:epsilon=1,sampling_probability=0.5,letters=a|", "not sampled are released as"),
        ("sampled-randomized-response:epsilon=1,letters=a|b", "lacks sampling_probability"),
        ("keep-or-redraw:epsilon=-1,letters=a|b", "-1"),
        ("keep-or-redraw:epsilon=1e-16,letters=a|b", "leaves nothing to keep"),
        ("keep-or-redraw:epsilon=1,shares=0.5|0.5", "has shares for letters that are not declared"),
        ("keep-or-redraw:epsilon=1,letters=a", "1 letters are given"),
        ("keep-or-redraw:epsilon=1,letters=a|b,shares=0.5|0.3|0.2", "3 shares are given for 2 letters"),
        ("keep-or-redraw:epsilon=1,letters=a|b,shares=0|1", "one above 0 for each"),
        ("keep-or-redraw:epsilon=1,letters=a|b,shares=0.5|0.6", r"sum to 1\.1, not 1"),
        ("keep-or-redraw:epsilon=1,letters=a|b,shares=half|half", "give numbers such as"),
    ],
)
def test_misuse(spelling: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_mechanism(spelling)


def test_columns_are_released_through_them(tmp_path: Path) -> None:
    table, plan, out = tmp_path / "t.csv", tmp_path / "plan.toml", tmp_path / "out.csv"
    table.write_text("code,city\n" + "".join(f"{at % 3},{'AB'[at % 2]}\n" for at in range(300)))
    plan.write_text(
        '[columns]\ncode = "keep-or-redraw:epsilon=1,letters=0|1|2,shares=0.2|0.3|0.5"\n'
        'city = "sampled-randomized-response:epsilon=2,sampling_probability=0.5,letters=A|B"\n'
    )
    assert main(["release", str(table), "--plan", str(plan), "-o", str(out), "--simulate", "1"]) == 0
    assert main(["verify", f"{out}.json"]) == 0
    assert main(["verify", f"{out}.public.json"]) == 0
    own = tmp_path / "own.toml"
    own.write_text(
        '[columns]\ncode = "keep-or-redraw:epsilon=1,letters=this-table"\n'
        'city = "sampled-randomized-response:epsilon=2,sampling_probability=0.5,letters=this-table"\n'
    )
    again = tmp_path / "again.csv"
    assert main(["release", str(table), "--plan", str(own), "-o", str(again), "--simulate", "1"]) == 0
    # What a public record says without the letters holds whatever they are.
    assert main(["verify", f"{again}.public.json"]) == 0
    told = json.loads(Path(f"{again}.public.json").read_text())["claims"]
    kept = json.loads(Path(f"{again}.json").read_text())["claims"]
    for column, claims in told.items():
        both = claims["levels"].keys() & kept[column]["levels"].keys()
        assert {"local-dp", "maximal-leakage"} <= both
        for notion in both:
            level, exact = (one["levels"][notion]["value"] for one in (claims, kept[column]))
            assert level >= exact * (1 - 1e-9), (column, notion)
    with open_table(str(out)) as released:
        counts = released.counts("city")
        assert set(counts.labels("city")) == {"A", "B", None} and 100 < counts.array()[-1] < 200
        assert set(released.counts("code").labels("code")) == {0, 1, 2}
