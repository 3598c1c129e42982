"""Exact levels: the reference example, brute force, witnesses, and the laws they obey."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge import claims, notions, randomness
from leakgauge.errors import ModelError, OptionError
from leakgauge.measures import Unit, divergences
from leakgauge.notions import Circumstances, everything_implied, implied, levels, prior_skew
from leakgauge.notions.neighbours import data_sets, diameter
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from tests.laws.strategies import channels

EXAMPLE = Channel([1, 2], [1, 2], [[0.65, 0.35], [0.35, 0.65]])


def full_prior(seed: int, letters: tuple[object, ...]) -> Distribution:
    drawn = randomness.simulation(seed).dirichlet(np.ones(len(letters))) + 1e-3
    return Distribution(letters, drawn / drawn.sum())


def test_the_reference_example() -> None:
    first, second = Distribution([1, 2], [0.95, 0.05]), Distribution([1, 2], [0.55, 0.45])
    assert levels(EXAMPLE, first)["identifiability"].value == pytest.approx(3.5635, abs=5e-5)
    assert levels(EXAMPLE, second)["identifiability"].value == pytest.approx(0.8197, abs=5e-5)
    assert prior_skew(first) == pytest.approx(2.9444, abs=5e-5)
    assert prior_skew(second) == pytest.approx(0.2007, abs=5e-5)
    assert levels(EXAMPLE)["local-dp"].value == pytest.approx(0.6190, abs=5e-5)
    assert "identifiability" not in levels(EXAMPLE)


@given(channels(), st.integers(0, 1000))
def test_ratios_agree_with_brute_force_and_witnesses_reach_them(channel: Channel, seed: int) -> None:
    prior = full_prior(seed, channel.inputs)
    found = levels(channel, prior)
    for name, table in (
        ("local-dp", channel.matrix),
        ("identifiability", channel.matrix * prior.probabilities[:, None]),
    ):
        best = 0.0
        for a, b in permutations(range(len(table)), 2):
            for y in range(table.shape[1]):
                if table[a, y] > 0:
                    ratio = math.inf if table[b, y] == 0 else math.log(table[a, y]) - math.log(table[b, y])
                    best = max(best, ratio)
        assert found[name].value == pytest.approx(best, rel=1e-12)
        witness = found[name].witness
        if best > 0:
            assert witness is not None
            a, b = (channel.inputs.index(x) for x in witness.inputs)
            y = channel.outputs.index(witness.output)
            reached = math.inf if table[b, y] == 0 else math.log(table[a, y]) - math.log(table[b, y])
            assert reached == pytest.approx(best, rel=1e-12)


@given(channels(), st.sampled_from([1.0, 1.5, 2.0, 7.0, math.inf]), st.floats(0, 3))
def test_curves_agree_with_the_divergences_of_every_pair(channel: Channel, order: float, epsilon: float) -> None:
    rows = [channel.row(x) for x in channel.inputs]
    pairs = list(permutations(rows, 2))
    largest = max((divergences.renyi(p, q, order, unit=Unit.NATS) for p, q in pairs), default=0.0)
    assert notions.renyi_dp(channel, order).value == pytest.approx(largest, rel=1e-9, abs=1e-12)
    delta = max((divergences.hockey_stick(p, q, epsilon) for p, q in pairs), default=0.0)
    exact = notions.approximate_dp(channel, epsilon).delta
    assert exact == pytest.approx(delta, abs=1e-12)
    at = notions.approximate_dp_at(channel, 0.1).value
    if math.isfinite(at):
        assert max((divergences.hockey_stick(p, q, at) for p, q in pairs), default=0.0) <= 0.1 + 1e-9


@given(st.data(), st.integers(0, 1000))
def test_post_processing_never_raises_a_level(data: st.DataObject, seed: int) -> None:
    channel = data.draw(channels())
    later = channel.then(data.draw(channels(inputs=len(channel.outputs))))
    prior = full_prior(seed, channel.inputs)
    before, after = levels(channel, prior), levels(later, prior)
    for name, level in after.items():
        if name in before:
            assert level.value <= before[name].value * (1 + 1e-5) + 1e-9, name


@given(channels(), st.integers(0, 1000))
def test_nothing_implied_is_tighter_than_the_exact_level(channel: Channel, seed: int) -> None:
    prior = full_prior(seed, channel.inputs)
    exact = levels(channel, prior)
    by_notion = {type(level.statement): level for level in exact.values()}
    known = Circumstances().with_prior(prior)
    for level in exact.values():
        if not math.isfinite(level.value):
            continue
        for found in everything_implied(level.statement, known).values():
            if found.statement is not None and type(found.statement) in by_notion:
                truth = by_notion[type(found.statement)]
                if isinstance(found.statement, claims.ApproximateDP):
                    delta = dict(found.statement.parameters)["delta"]
                    exactly = notions.approximate_dp(channel, found.statement.level).delta
                    assert exactly is not None and exactly <= delta * (1 + 1e-6) + 1e-9
                else:
                    assert truth.value <= found.statement.level * (1 + 1e-5) + 1e-9, (level, found)


@given(st.sampled_from([claims.LocalDP, claims.Identifiability, claims.CentralDP]), st.floats(1.1, 8), st.floats(0, 1))
def test_walking_round_a_cycle_never_tightens(notion: type[claims.Statement], level: float, skew: float) -> None:
    known = Circumstances(skew=skew, neighbour_skew=skew)
    start = notion(level)  # type: ignore[call-arg]
    assert implied(start, notion, known).statement == start
    for there in everything_implied(start, known).values():
        if there.statement is not None:
            back = implied(there.statement, notion, known).statement
            assert back is None or back.level >= level * (1 - 1e-9)


def test_a_longer_way_never_beats_the_tightest_path() -> None:
    known = Circumstances(skew=0.3, neighbour_skew=0.3)
    for name, direct in everything_implied(claims.LocalDP(1.0), known).items():
        for middle in everything_implied(claims.LocalDP(1.0), known).values():
            if middle.statement is None or direct.statement is None or middle.statement.parameters:
                continue
            onward = implied(middle.statement, claims.NOTIONS[name], known).statement
            if onward is not None and onward.parameters == direct.statement.parameters:
                assert onward.level >= direct.statement.level * (1 - 1e-9)


def test_data_sets_compare_neighbours_only() -> None:
    one = Channel("01", "01", [[0.7, 0.3], [0.2, 0.8]])
    two = one.product(one)
    prior = full_prior(3, two.inputs)
    found = levels(two, prior, records=2)
    assert found["dp"].value == pytest.approx(levels(one)["local-dp"].value)
    assert found["local-dp"].value == pytest.approx(2 * found["dp"].value)
    assert (
        found["central-identifiability"].value <= found["dp"].value + prior_skew(prior, data_sets(two.inputs, 2)) + 1e-9
    )
    assert found["zcdp"].value == pytest.approx(levels(one)["zcdp"].value, rel=1e-5)
    assert found["mutual-information-dp"].value == pytest.approx(levels(one)["mutual-information-dp"].value, abs=1e-8)
    assert diameter(data_sets(two.inputs, 2), 4) == 2
    holes = [data_set for data_set in product("01", repeat=2) if data_set != ("1", "0")]
    assert diameter(data_sets(holes, 2), 3) == 2
    assert diameter(data_sets([("0", "0"), ("1", "1")], 2), 2) == math.inf


def certified_capacity(matrix: Floats) -> tuple[float, float]:
    """Bits that Blahut and Arimoto's input law reaches, and that no law exceeds, with steps as long as they converge.

    Plain sweeps would take as many as the capacity is small (Matz and Duhamel, Information geometric formulation and
    interpretation of accelerated Blahut-Arimoto-type algorithms, 2004). At any law the bounds hold, converged or not.
    """
    p = np.full(len(matrix), 1 / len(matrix))
    low, high = 0.0, math.inf
    for _ in range(4000):
        divergences = (matrix * np.log(matrix / (p @ matrix))).sum(axis=1)
        low, high = max(low, float(p @ divergences)), min(high, float(divergences.max()))
        p = p * np.exp((divergences - divergences.max()) / (2 * high))
        p /= p.sum()
    return low / math.log(2), high / math.log(2)


def test_mutual_information_dp_is_the_capacity_however_small() -> None:
    rows = [[0.36, 0.30, 0.34], [0.37, 0.31, 0.32], [0.35, 0.31, 0.34]]
    level = levels(Channel("abc", range(3), rows))["mutual-information-dp"]
    assert level.value == pytest.approx(0.00041982, rel=1e-4)
    draw = randomness.simulation(12)
    for epsilon in (0.3, 0.03, 0.003):
        for _ in range(5):
            drawn = draw.dirichlet(np.ones(4)) * np.exp(draw.uniform(-epsilon, epsilon, (3, 4)))
            matrix = drawn / drawn.sum(axis=1, keepdims=True)
            low, high = certified_capacity(matrix)
            level = notions.mutual_information_dp(Channel("abc", range(4), matrix))
            assert level.low is not None
            assert low * (1 - 1e-9) <= level.value
            assert level.low <= high * (1 + 1e-9)
            assert level.value - level.low <= 2e-12
            assert low / high > 0.999


def test_levels_proven_from_above_are_stored_with_what_is_reached() -> None:
    stored = levels(EXAMPLE)["mutual-information-dp"].stored()
    assert stored.low is not None
    assert stored.low <= stored.value == stored.high
    assert stored.confidence == 1.0
    assert levels(EXAMPLE)["local-dp"].stored().low is None


def test_metric_privacy_is_the_steepest_ratio() -> None:
    line = Channel(
        range(4), range(4), [[0.4, 0.3, 0.2, 0.1], [0.3, 0.4, 0.2, 0.1], [0.1, 0.2, 0.4, 0.3], [0.1, 0.2, 0.3, 0.4]]
    )
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4))).astype(float)
    found = notions.metric_privacy(line, distance)
    logs = np.log(line.matrix)
    expected = max((logs[a] - logs[b]).max() / distance[a, b] for a, b in permutations(range(4), 2))
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize(("epsilon", "nats"), [(0.5, 0.031142), (1.0, 0.123302)])
def test_the_sharp_bound_on_information(epsilon: float, nats: float) -> None:
    found = implied(claims.LocalDP(epsilon), claims.MutualInformation).statement
    assert found is not None
    assert found.level * math.log(2) == pytest.approx(nats, abs=1e-6)
    tiny = implied(claims.LocalDP(1e-4), claims.MutualInformation).statement
    assert tiny is not None
    assert tiny.level * math.log(2) == pytest.approx(1e-8 / 8, rel=1e-4)


def test_dp_levels_do_not_react_to_the_prior_but_identifiability_does() -> None:
    seen = [levels(EXAMPLE, Distribution([1, 2], [share, 1 - share])) for share in (0.5, 0.7, 0.99)]
    assert len({found["local-dp"].value for found in seen}) == 1
    assert seen[0]["identifiability"].value < seen[1]["identifiability"].value < seen[2]["identifiability"].value


def test_levels_of_a_large_channel_need_no_cube() -> None:
    matrix = randomness.simulation(0).dirichlet(np.ones(500), 500)
    found = levels(Channel(range(500), range(500), matrix), Distribution.uniform(range(500)))
    assert {"local-dp", "identifiability", "mutual-information", "maximal-leakage"} <= set(found)
    assert "zcdp" not in found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("local-dp:-1", "epsilon is -1.0; give a number of at least 0"),
        ("local-dp:nan", "epsilon is nan"),
        ("local-pd:1", "did you mean 'local-dp'"),
        ("dp:1,gamma=3", "no parameter 'gamma'"),
        ("approximate-dp:1", "lacks delta"),
        ("local-dp:one", "instead of a number"),
        ("local-dp", "instead of a number"),
    ],
)
def test_statements_that_are_none(text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        claims.parse_statement(text)
    assert sentence in str(caught.value)


def test_statements_read_as_they_are_written() -> None:
    for text in ("local-dp:1", "mutual-information:0.2bits", "approximate-dp:0.5,delta=1e-06", "renyi-dp:2,order=3"):
        assert str(claims.parse_statement(text)) == text
    assert claims.parse_statement("dp:0.5,delta=1e-6") == claims.ApproximateDP(0.5, 1e-6)


def test_bad_circumstances_are_refused() -> None:
    with pytest.raises(OptionError, match=r"Δ = 2\.94444 nats"):
        implied(
            claims.Identifiability(1.0), claims.LocalDP, Circumstances().with_prior(Distribution("ab", [0.95, 0.05]))
        )
    with pytest.raises(OptionError, match="gives a value probability 0; restrict"):
        implied(claims.Identifiability(1.0), claims.LocalDP, Circumstances().with_prior(Distribution("ab", [1, 0])))
    with pytest.raises(ModelError, match="not data sets of 2 records"):
        levels(EXAMPLE, records=2)
    with pytest.raises(OptionError, match="0 records"):
        levels(EXAMPLE, records=0)
    with pytest.raises(OptionError, match="0 records"):
        Circumstances(records=0)
    with pytest.raises(OptionError, match="δ of 1"):
        Circumstances(delta=1.0)


def test_a_level_is_never_written_smaller_than_it_is() -> None:
    assert str(claims.CentralDP(0.12345612)) == "dp:0.123457" and str(claims.CentralDP(0.1 + 0.2)) == "dp:0.3"
    assert str(claims.ApproximateDP(1.0, 1.0000001e-6)) == "approximate-dp:1,delta=1.00001e-06"
    assert str(claims.RenyiDP(math.inf, 2.5)) == "renyi-dp:inf,order=2.5"
