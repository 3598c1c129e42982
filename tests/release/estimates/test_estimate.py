"""Estimates from a release: they hold the truth as often as they say, and refuse what they cannot know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import leakgauge as lg
from leakgauge.artefacts.channel_file import ChannelFile
from leakgauge.artefacts.codec import write
from leakgauge.artefacts.estimates import Method
from leakgauge.errors import ColumnError, InputError, LabelError, OptionError, RefusalError
from leakgauge.mechanisms import randomized_response, unary_encoding
from leakgauge.probability import Channel
from leakgauge.probability.cells import Codes, Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated
from leakgauge.release.estimates import Noise, Protected, Recipient
from leakgauge.release.estimates.means import GroupSums, means, means_by_protected
from leakgauge.release.estimates.reading import Read
from leakgauge.release.estimates.shares import (
    corrected_shares,
    counted_shares,
    nearest_with_margins,
    shares_within_margins,
    squared_quantile,
)
from tests.release.estimates.keeping import at_slope, keeping

Z2 = squared_quantile(0.95)
ILLNESSES = ("flu", "none", "cold")
SHARES = np.array([0.6, 0.3, 0.08, 0.02])


def held(channel: Channel, n: int, runs: int, seed: int) -> tuple[Floats, Floats, float]:
    """How often intervals hold the shares of the population and of the table, and how often inversion sufficed."""
    rng = np.random.default_rng(seed)
    population, table, inverted = np.zeros(len(SHARES)), np.zeros(len(SHARES)), 0
    for _ in range(runs):
        counts = rng.multinomial(n, SHARES)
        released = sum(rng.multinomial(count, row) for count, row in zip(counts, channel.matrix, strict=True))
        found = corrected_shares(channel, np.asarray(released, dtype=float)[:, None], Z2)
        low, high = found.lows[0], found.highs[0]
        assert abs(found.values[0].sum() - 1) < 1e-9 and (found.values[0] >= 0).all()
        population += (low <= SHARES) & (high >= SHARES)
        table += (low <= counts / n) & (counts / n <= high)
        inverted += found.method is Method.INVERSION
    return population / runs, table / runs, inverted / runs


@pytest.mark.parametrize(("epsilon", "n", "inversion"), [(1.0, 200, (0.2, 0.8)), (3.0, 1000, (0.9, 1.0))])
def test_intervals_of_shares_hold_the_truth(epsilon: float, n: int, inversion: tuple[float, float]) -> None:
    channel = randomized_response(epsilon, letters="abcd").channel()
    population, table, inverted = held(channel, n, 600, 7)
    # 600 runs tell a coverage of 0.93 from one of 0.905.
    assert min(population) >= 0.925 and min(table) >= 0.93
    assert inversion[0] <= inverted <= inversion[1]


@pytest.mark.nightly
@pytest.mark.parametrize("n", [200, 2000, 20_000])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_intervals_of_shares_hold_the_truth_everywhere(epsilon: float, n: int) -> None:
    for channel in (
        randomized_response(epsilon, letters="abcd").channel(),
        unary_encoding(epsilon, letters="abcd").channel(),
    ):
        assert channel is not None
        population, table, _ = held(channel, n, 4000, 11)
        assert min(population) >= 0.93 and min(table) >= 0.93


def test_direct_intervals_hold_the_truth() -> None:
    rng, n, runs = np.random.default_rng(12), 1000, 800
    hits = np.zeros(len(SHARES))
    for _ in range(runs):
        counts = rng.multinomial(n, SHARES)
        # Each table has a channel of its own that keeps its shares: half of the rows are drawn again from them.
        matrix = 0.5 * np.eye(len(SHARES)) + 0.5 * counts / n
        released = sum(rng.multinomial(count, row) for count, row in zip(counts, matrix, strict=True))
        found = counted_shares(np.asarray(released, dtype=float)[:, None], Z2, Method.DIRECT)
        assert found.worth == pytest.approx(0.5)
        hits += (found.lows[0] <= SHARES) & (found.highs[0] >= SHARES)
    assert min(hits / runs) >= 0.93


def test_a_value_that_no_released_row_has_has_an_interval_too() -> None:
    """A value of 3 rows in 1,000 is missing in one release of eight, and only the table says that it exists."""
    table = pa.table({"x": ["common"] * 1000, "y": ["a", "b"] * 500})
    kept = Protected("x", keeps_shares=True, keeps_with=frozenset("y"))
    (unseen,) = Recipient(table, {"x": kept}).shares("x").unseen
    assert unseen.estimate.value == unseen.estimate.ends[0] == 0
    # A value more frequent than that is hardly ever missing.
    assert 0.003 < unseen.estimate.ends[1] < 0.01 and (1 - unseen.estimate.ends[1]) ** 1000 < 0.001
    by_group = Recipient(table, {"x": kept}).crosstab("x", "y").unseen
    assert [(one.group, one.rows) for one in by_group] == [(("a",), 500), (("b",), 500)]
    assert all(one.estimate.ends[1] > unseen.estimate.ends[1] for one in by_group)
    # Where the kit says which values there are, each has a line.
    channel = Channel(["common", "rare"], ["common", "rare"], [[0.997, 0.003], [0.997, 0.003]])
    named = Recipient(table, {"x": Protected("x", channel, keeps_shares=True)}).shares("x")
    assert not named.unseen and named.of("rare") == unseen.estimate


GROUPED = np.array([[0.6, 0.3, 0.02], [0.02, 0.05, 0.01]])
"""Two groups of rows, one of them small, by three values."""


def held_within_margins(joint: Floats, n: int, slope: float, runs: int) -> tuple[float, float, float]:
    """The least coverage of the shares of the table and the population, and the width next to inversion alone."""
    rng, letters = np.random.default_rng(3), range(joint.shape[1])
    joint = joint / joint.sum()
    table, population, widths = np.zeros(joint.shape), np.zeros(joint.shape), np.zeros(2)
    for _ in range(runs):
        counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
        channel = Channel(letters, letters, at_slope(counts.sum(axis=0) / n, slope))
        drawn = [[rng.multinomial(*one) for one in zip(row, channel.matrix, strict=True)] for row in counts]
        released = np.asarray(drawn).sum(axis=1).T.astype(float)
        found, alone = shares_within_margins(channel, released, Z2), corrected_shares(channel, released, Z2)
        sizes = released.sum(axis=0) / n
        assert sizes @ found.values == pytest.approx(released.sum(axis=1) / n, abs=1e-9)
        assert found.values.min() >= 0 and found.values.sum(axis=1) == pytest.approx(np.ones(len(joint)), abs=1e-9)
        true = counts / counts.sum(axis=1, keepdims=True)
        table += (found.lows <= true) & (true <= found.highs)
        true = joint / joint.sum(axis=1, keepdims=True)
        population += (found.lows <= true) & (true <= found.highs)
        widths += [(one.highs - one.lows).mean() for one in (found, alone)]
    return table.min() / runs, population.min() / runs, widths[0] / widths[1]


def test_cross_tables_within_kept_shares_hold_the_truth() -> None:
    table, population, width = held_within_margins(GROUPED, 1000, 1.0, 400)
    assert table >= 0.93 and population >= 0.925 and width < 0.95


@pytest.mark.nightly
@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("slope", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("joint", [GROUPED, np.outer([0.5, 0.3, 0.2], [0.5, 0.3, 0.15, 0.05])], ids=["two", "three"])
def test_cross_tables_within_kept_shares_hold_the_truth_everywhere(n: int, slope: float, joint: Floats) -> None:
    table, population, width = held_within_margins(joint, n, slope, 3000)
    assert table >= 0.93 and population >= 0.93 and width < 1


def test_shares_within_margins_are_the_nearest() -> None:
    rng = np.random.default_rng(8)
    weights, margin = rng.dirichlet(np.ones(5)), np.array([0.68, 0.3, 0.02, 0.0])
    found = rng.normal(0.25, 0.4, (5, 4))
    found += margin - weights @ found
    shares = nearest_with_margins(found, weights, margin)
    assert weights @ shares == pytest.approx(margin) and shares.sum(axis=1) == pytest.approx(np.ones(5))
    least = weights @ ((shares - found) ** 2).sum(axis=1)
    for _ in range(200):
        # Others with the same sums, by redistribution towards the margin and exchanges.
        other = nearest_with_margins(shares + rng.normal(0, 0.2, shares.shape), weights, margin)
        assert weights @ ((other - found) ** 2).sum(axis=1) >= least - 1e-9


def test_unbiased_where_inversion_suffices() -> None:
    rng, n, runs = np.random.default_rng(13), 5000, 400
    channel = randomized_response(2.0, letters="abcd").channel()
    released = rng.multinomial(n, SHARES @ channel.matrix, size=runs).T.astype(float)
    found = corrected_shares(channel, released, Z2).values
    assert np.abs(found.mean(axis=0) - SHARES).max() <= 4 * found.std(axis=0).max() / np.sqrt(runs)


def sums(values: Floats, groups: Codes, count: int) -> GroupSums:
    rows, first, second = (
        np.bincount(groups, weights=w, minlength=count).astype(float) for w in (values**0, values, values**2)
    )
    return GroupSums(tuple((at,) for at in range(count)), rows, first, second)


def test_intervals_of_means_hold_the_truth() -> None:
    rng, n, runs = np.random.default_rng(14), 1500, 400
    channel = Channel(range(3), range(3), randomized_response(2.0, letters=range(3)).channel().matrix)
    centres = np.array([20.0, 35.0, 30.0])
    by_value, by_group = np.zeros(3), np.zeros(3)
    for _ in range(runs):
        x = rng.choice(3, n, p=[0.25, 0.6, 0.15])
        values = rng.normal(centres[x], 6.0)
        y = (rng.random(n)[:, None] > channel.matrix.cumsum(axis=1)[x]).sum(axis=1)
        found = means_by_protected(sums(values, y, 3), "x", channel, Z2)
        by_value += [one.low <= truth <= one.high for one, truth in zip(found, centres, strict=True)]
        noisy = 5 + 2 * values + rng.laplace(0, 10, n)
        told, _ = means(sums((noisy - 5) / 2, x, 3), Z2)
        by_group += [one.low <= truth <= one.high for one, truth in zip(told, centres, strict=True)]
    assert min(by_value / runs) >= 0.925 and min(by_group / runs) >= 0.925


# --- a release as a recipient has it ----------------------------------------------------------------------------------


def released(n: int = 6000, seed: int = 1) -> tuple[pa.Table, dict[str, Any]]:
    """A release with its truths: illness through randomized response, income with noise, city and age as they are."""
    rng = np.random.default_rng(seed)
    x = rng.choice(3, n, p=[0.2, 0.7, 0.1])
    city = np.where(rng.random(n) < np.where(x == 0, 0.7, 0.4), "A", "B")
    age = np.round(rng.normal(np.where(x == 0, 20, 35), 5), 1)
    matrix = randomized_response(2.0, letters=ILLNESSES).channel().matrix
    y = (rng.random(n)[:, None] > matrix.cumsum(axis=1)[x]).sum(axis=1)
    table = pa.table(
        {
            "illness": pa.array(np.array(ILLNESSES)[y]),
            "city": pa.array(city),
            "age": pa.array(age, mask=np.arange(n) % 50 == 0),
            "income": age * 10 + rng.laplace(0, 20, n),
        }
    )
    known = np.arange(n) % 50 != 0
    truths = {
        "shares": [np.mean(x == at) for at in range(3)],
        "in A": [np.mean(x[city == "A"] == at) for at in range(3)],
        "age": [age[known & (x == at)].mean() for at in range(3)],
        "income of A": 10 * age[city == "A"].mean(),
        "income of flu": 10 * age[x == 0].mean(),
    }
    return table, truths


CHANNELS: dict[str, Read] = {
    "illness": f"randomized-response:epsilon=2,letters={'|'.join(ILLNESSES)}",
    "income": Noise(800.0),
}


@pytest.fixture(scope="module")
def recipient() -> Recipient:
    return lg.estimate(released()[0], CHANNELS)


def test_shares_cross_tables_and_means(recipient: Recipient) -> None:
    truths = released()[1]
    shares = recipient.shares("illness")
    assert shares.kind == "shares" and shares.method is Method.INVERSION and shares.rows == 6000
    assert shares.effective_rows is not None and 1000 < shares.effective_rows.value < 3000
    table = recipient.crosstab("illness", "city")
    ages = recipient.mean("age", by="illness")
    for at, illness in enumerate(ILLNESSES):
        assert truths["shares"][at] in shares.of(illness)
        assert truths["in A"][at] in table.of(illness, "A")
        assert truths["age"][at] in ages.of(illness)
    assert ages.rows == 5880 and ages.effective_rows is None
    incomes = recipient.mean("income", by="city")
    assert truths["income of A"] in incomes.of("A") and incomes.method is Method.DIRECT
    # Noise on the number and on the group.
    assert truths["income of flu"] in recipient.mean("income", by="illness").of("flu")
    assert recipient.shares("city").method is Method.AS_PUBLISHED
    with pytest.raises(LabelError, match="no 'flue'; did you mean 'flu'"):
        shares.of("flue")


def test_a_file_is_read_as_a_frame_is(tmp_path: Path, recipient: Recipient) -> None:
    path, channel = tmp_path / "release.csv", tmp_path / "channel.json"
    csv.write_csv(released()[0], path)
    exact = randomized_response(2.0, letters=ILLNESSES).channel()
    write(channel, ChannelFile.of(NamedChannel(exact, ("illness",), ("illness",))))
    found = lg.estimate(path, {"illness": channel}).crosstab("illness", "city")
    assert found == recipient.crosstab("illness", "city")


def test_labels_read_back_as_other_types(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("code\n" + "1\n" * 70 + "2\n" * 30 + "\n" * 10)
    channel = randomized_response(3.0, letters=["1", "2", None])
    found = lg.estimate(path, {"code": channel})
    assert sum(cell.estimate.value for cell in found.shares("code").cells) == pytest.approx(1)
    assert found.shares("code").of(None).value > 0
    numbers = lg.estimate(path, {"code": randomized_response(3.0, letters=[1, 2, None])})
    with pytest.raises(OptionError, match="not numbers, which have no mean"):
        numbers.mean("code")


def test_a_mean_of_numbers_through_a_channel() -> None:
    rng, n = np.random.default_rng(4), 20_000
    channel = randomized_response(2.0, letters=[0, 10, 20]).channel()
    x = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    y = (rng.random(n)[:, None] > channel.matrix.cumsum(axis=1)[x]).sum(axis=1)
    found = lg.estimate(pa.table({"dose": 10 * y}), {"dose": channel}).mean("dose")
    assert 10 * x.mean() in found.of() and abs(10 * y.mean() - 10 * x.mean()) > 0.5
    worth = found.effective_rows
    assert worth is not None and 0.2 * n < worth.value < 0.9 * n


def test_noise_that_was_clamped_is_corrected_by_its_channel() -> None:
    rng, n = np.random.default_rng(9), 20_000
    mechanism = lg.mechanisms.parse_mechanism("geometric:epsilon=5,lower=0,upper=10,clamp=yes")
    values = rng.choice([0, 1, 9], n, p=[0.7, 0.2, 0.1])
    out = mechanism.run(values, Simulated(simulation_seed=5))
    found = lg.estimate(pa.table({"dose": out}), {"dose": mechanism}).mean("dose")
    assert found.method is Method.INVERSION and values.mean() in found.of()
    # As it is, the mean is off by far more than the interval is wide.
    assert np.mean(out) not in found.of()


def test_units_make_intervals_wider(recipient: Recipient) -> None:
    table = released()[0]
    several = lg.estimate(table, CHANNELS, rows_per_unit=4).shares("illness").of("flu")
    one = recipient.shares("illness").of("flu")
    assert several.value == one.value
    width, narrow = (quantity.ends[1] - quantity.ends[0] for quantity in (several, one))
    assert width == pytest.approx(2 * narrow, rel=0.02)


def test_columns_that_keep_their_shares_are_read_as_they_are() -> None:
    table = released()[0]
    matrix = keeping(np.array([0.2, 0.7, 0.1]), 0.2)
    channel = Channel(ILLNESSES, ILLNESSES, matrix)
    blind = Recipient(table, {"illness": Protected("illness", keeps_shares=True)})
    seeing = Recipient(table, {"illness": Protected("illness", channel, keeps_shares=True)})
    found, better = blind.shares("illness"), seeing.shares("illness")
    assert found.method is better.method is Method.DIRECT
    assert found.effective_rows is not None and better.effective_rows is not None
    assert found.effective_rows.value == pytest.approx(3000) and better.effective_rows.value > 3000
    assert found.of("flu") == better.of("flu")
    # Which values there are, the channel says; without it no value is named that the release does not show.
    assert not better.unseen and [one.value for one in found.unseen] == [None]
    # Shares are kept, cross-tables are not: these are corrected, or refused.
    crossed = seeing.crosstab("illness", "city")
    assert crossed.method is Method.MARGINS
    for value in ILLNESSES:
        added = sum((one.rows or 0) * one.estimate.value for one in crossed.cells if one.value == value)
        assert added / crossed.rows == pytest.approx(better.of(value).value, abs=1e-9)
    with pytest.raises(OptionError, match="A cross-table of 'illness' cannot be estimated without its channel"):
        blind.crosstab("illness", "city")
    with pytest.raises(OptionError, match="A mean by group of 'illness'"):
        blind.mean("age", by="illness")
    with_city = Protected("illness", keeps_shares=True, keeps_with=frozenset({"city", "age"}))
    both = Recipient(table, {"illness": with_city})
    assert both.crosstab("illness", "city").method is Method.DIRECT
    assert both.mean("age", by="illness").method is Method.DIRECT


def test_what_cannot_be_told_is_refused(recipient: Recipient) -> None:
    table = released()[0]
    alike = Channel(ILLNESSES, ILLNESSES, [[0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.1, 0.1, 0.8]])
    with pytest.raises(RefusalError, match="does not distinguish 'flu', 'none'") as refusal:
        lg.estimate(table, {"illness": alike}).shares("illness")
    assert refusal.value.exit_code == 1
    other = randomized_response(1.0, letters=["flu", "measles"])
    rows = int((np.array(table["illness"]) != "flu").sum())
    with pytest.raises(LabelError, match=rf"{rows} of the 6000 rows have a value in column 'illness' that its channel"):
        lg.estimate(table, {"illness": other}).shares("illness")
    with pytest.raises(LabelError, match="never releases"):
        lg.estimate(table, {"illness": other}).mean("age", by="illness")
    with pytest.raises(OptionError, match="No channel is given"):
        lg.estimate(table)
    with pytest.raises(ColumnError, match="no column 'ilness', for which a channel is given; did you mean 'illness'"):
        lg.estimate(table, {"ilness": CHANNELS["illness"]})
    with pytest.raises(OptionError, match="name the protected one first"):
        recipient.crosstab("city", "illness")
    with pytest.raises(OptionError, match="ask for its mean"):
        recipient.shares("income")
    with pytest.raises(OptionError, match="by which rows cannot be grouped"):
        recipient.mean("age", by="income")
    with pytest.raises(OptionError, match="cannot be one of several grouping columns"):
        recipient.mean("age", by=["illness", "city"])
    with pytest.raises(ColumnError, match="moments need numbers"):
        recipient.mean("city")
    with pytest.raises(ColumnError, match="no column 'town'"):
        recipient.crosstab("illness", "town")
    with pytest.raises(OptionError, match=r"confidence of 1\.5"):
        lg.estimate(table, CHANNELS, confidence=1.5)
    with pytest.raises(OptionError, match="0 rows at most"):
        lg.estimate(table, CHANNELS, rows_per_unit=0)
    pair = NamedChannel(Channel([("a", "b")], [("a", "b")], [[1.0]]), ("illness", "city"), ("illness", "city"))
    with pytest.raises(InputError, match="several columns"):
        lg.estimate(table, {"illness": pair})
    with pytest.raises(OptionError, match="exponential has no channel to correct for"):
        lg.estimate(table, {"illness": "exponential:epsilon=1"})


def test_a_group_that_may_be_empty_has_no_bounded_mean() -> None:
    rng = np.random.default_rng(6)
    channel = randomized_response(0.5, letters="ab").channel()
    table = pa.table({"x": rng.choice(["a", "b"], 60, p=[0.4, 0.6]), "v": rng.normal(0, 1, 60)})
    found = lg.estimate(table, {"x": channel}).mean("v", by="x")
    least, most = float(np.min(table["v"])), float(np.max(table["v"]))
    # A mean of published numbers is among them.
    np.testing.assert_allclose(found.of("a").ends, (least, most))
