"""Channels that recipients of an earlier release rebuild: near enough, with intervals that hold the truth."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, Slope, solve
from leakgauge.design.problem import Target
from leakgauge.distances import Hamming
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.cells import Codes, Floats
from leakgauge.release.estimates.reading import Protected
from leakgauge.release.estimates.rebuilding import PARTS, Problem, Rebuilt, kept_shares, rebuilt
from leakgauge.release.estimates.recipient import Recipient
from leakgauge.tables import open_table


def declared(
    target: Target, source: Distribution | Joint, *, local_dp: float | None = None, hidden: bool = False
) -> RateDistortion:
    """What a steward declared; ``hidden`` designs as if nobody knew what is published."""
    if hidden and isinstance(source, Joint):
        source = source.row_marginal()
    known = Knowledge.ATTACKER if isinstance(source, Joint) else Knowledge.NOBODY
    return RateDistortion(source, Hamming(), target, known, local_dp=local_dp, keep=Keep.SHARES)


def with_groups(shares: list[float], first: list[float]) -> Floats:
    """p(x, z) of values with these shares, of which such parts are in the first of two groups."""
    p, part = np.array(shares), np.array(first)
    return np.asarray(np.stack([p * part, p * (1 - part)], axis=1))


def drawn_table(rows: int, shares: Floats, rng: np.random.Generator) -> Codes:
    """Rows by value and group."""
    return np.asarray(rng.multinomial(rows, shares.ravel()), dtype=np.int64).reshape(shares.shape)


def through(channel: Channel, counts: Codes, values: list[str], rng: np.random.Generator) -> Codes:
    """Released rows by value and group, of rows by value and group."""
    places = [channel.outputs.index(value) for value in values]
    matrix = channel.restrict(values).matrix[:, places]
    drawn = [[rng.multinomial(int(count), row) for count in own] for own, row in zip(counts, matrix, strict=True)]
    return np.asarray(np.asarray(drawn, dtype=np.int64).sum(axis=0).T)


def as_table(counts: Codes, values: list[str], rng: np.random.Generator | None = None) -> pa.Table:
    """Rows in a random order."""
    value, group = np.divmod(np.repeat(np.arange(counts.size), counts.ravel().astype(int)), counts.shape[1])
    order = np.arange(len(value)) if rng is None else rng.permutation(len(value))
    return pa.table({"x": np.array(values)[value[order]], "z": np.array(["A", "B", "C"])[group[order]]})


def of(table: pa.Table, known: tuple[str, ...], problem: Problem) -> Rebuilt:
    with open_table(table) as opened:
        found = rebuilt(opened, "x", known, problem, sha256="january")
    assert found is not None
    return found


CASES: dict[str, tuple[Floats, Floats, int, Target, float | None, bool]] = {
    "prevalence moved by ten points": (
        with_groups([0.5, 0.25, 0.1, 0.15], [0.5] * 4),
        with_groups([0.4, 0.35, 0.1, 0.15], [0.5] * 4),
        *(4000, MaxDistortion(0.3), None, True),
    ),
    "a rare value doubled": (
        with_groups([0.7, 0.25, 0.05], [0.5] * 3),
        with_groups([0.6, 0.3, 0.1], [0.5] * 3),
        *(3000, Slope(2.0), None, True),
    ),
    "unchanged": (
        with_groups([0.6, 0.3, 0.1], [0.5] * 3),
        with_groups([0.6, 0.3, 0.1], [0.5] * 3),
        *(2000, MaxDistortion(0.3), None, True),
    ),
    "against a published column": (
        with_groups([0.5, 0.25, 0.1, 0.15], [0.4, 0.7, 0.4, 0.4]),
        with_groups([0.4, 0.35, 0.1, 0.15], [0.4, 0.7, 0.4, 0.4]),
        *(4000, MaxDistortion(0.3), None, False),
    ),
    "with a local bound": (
        with_groups([0.6, 0.3, 0.1], [0.5, 0.6, 0.3]),
        with_groups([0.45, 0.35, 0.2], [0.5, 0.6, 0.3]),
        *(3000, MaxDistortion(0.35), 2.0, True),
    ),
}
"""The tables of both months, rows, the target, and whether the design knew the published column."""


def held(case: str, runs: int) -> tuple[Floats, Floats]:
    """How often intervals hold each share of the second month, and its change."""
    first, second, rows, target, local_dp, hidden = CASES[case]
    rng, values = np.random.default_rng(7), [f"v{at}" for at in range(len(first))]
    problem = partial(declared, target, local_dp=local_dp, hidden=hidden)
    shares, changes = np.zeros(len(first)), np.zeros(len(first))
    truth, moved = second.sum(axis=1), second.sum(axis=1) - first.sum(axis=1)
    for _ in range(runs):
        tables = [drawn_table(rows, month, rng) for month in (first, second)]
        own = Joint(values, ["A", "B"], tables[0] / rows)
        channel = solve(problem(own), 1e-6).channel
        january, february = (as_table(through(channel, one, values, rng), values, rng) for one in tables)
        found = of(january, () if hidden else ("z",), problem)
        then = Recipient(january, {"x": Protected("x", keeps_shares=True)}, sha256="january")
        how = Protected("x", found.channel, jackknife=found.jackknife, since="january")
        now = Recipient(february, {"x": how})
        told, changed = now.shares("x"), now.change("x", then)
        shares += [truth[at] in told.of(value) for at, value in enumerate(values)]
        changes += [moved[at] in changed.of(value) for at, value in enumerate(values)]
    return shares / runs, changes / runs


@pytest.mark.nightly
@pytest.mark.parametrize("case", CASES)
def test_intervals_hold_the_shares_of_the_second_month_everywhere(case: str) -> None:
    shares, changes = held(case, 200)
    # The standard error of a coverage of 95 % over 200 runs is 1.5 points.
    assert 0.93 <= shares.mean() <= 0.985 and 0.93 <= changes.mean() <= 0.985
    assert min(shares.min(), changes.min()) >= 0.91


def test_intervals_hold_the_shares_of_the_second_month() -> None:
    shares, changes = held("prevalence moved by ten points", 25)
    assert min(shares.mean(), changes.mean()) >= 0.9


def test_a_rebuilt_channel_is_the_designed_one_but_for_chance() -> None:
    first, _, _, target, local_dp, _ = CASES["against a published column"]
    problem, values = partial(declared, target, local_dp=local_dp), [f"v{at}" for at in range(4)]
    rng, rows = np.random.default_rng(3), 400_000
    counts = drawn_table(rows, first, rng)
    channel = solve(problem(Joint(values, ["A", "B"], counts / rows)), 1e-6).channel
    found = of(as_table(through(channel, counts, values, rng), values, rng), ("z",), problem)
    assert len(found.jackknife) == PARTS and found.channel.inputs == found.channel.outputs
    places = [channel.outputs.index(value) for value in values]
    assert np.abs(found.channel.matrix - channel.restrict(values).matrix[:, places]).max() < 0.01
    # It keeps the released shares, by which the change between the months is told.
    kept = kept_shares(found.channel)
    assert kept @ found.channel.matrix == pytest.approx(kept, abs=1e-12)


def test_nothing_but_the_released_rows_enters() -> None:
    """Tables that release the same rows have the same rebuilt channel, to the last digit."""
    _, _, _, target, _, _ = CASES["unchanged"]
    values, problem = ["v0", "v1", "v2"], partial(declared, target)
    table = as_table(np.array([[300, 250], [150, 200], [60, 40]]), values)
    first, again = of(table, ("z",), problem), of(table, ("z",), problem)
    assert first.channel == again.channel and first.jackknife == again.jackknife


def test_values_that_only_the_later_release_has_count_as_half_a_row() -> None:
    table = as_table(np.array([[300, 250], [150, 200]]), ["v0", "v1"])
    problem = partial(declared, MaxDistortion(0.2))
    with open_table(table) as opened:
        found = rebuilt(opened, "x", (), problem, sha256="", also=("v1", "v2"))
    assert found is not None and found.channel.inputs == ("v0", "v1", "v2")
    assert kept_shares(found.channel)[2] == pytest.approx(0.5 / 900.5, rel=0.01)


def test_what_cannot_be_rebuilt_is_not() -> None:
    table = as_table(np.array([[300, 250], [150, 200]]), ["v0", "v1"])
    with open_table(table) as opened:
        # A slope of 0 releases everything alike, and a bound may leave the target out of reach.
        assert rebuilt(opened, "x", (), partial(declared, Slope(0.0)), sha256="") is None
        tight = partial(declared, MaxDistortion(0.1), local_dp=0.5)
        assert rebuilt(opened, "x", (), tight, sha256="") is None
