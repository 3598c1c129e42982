"""Every sound edge survives a hundred thousand channels; every sharp one is met; every unsound one is broken."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

from leakgauge import claims
from leakgauge.claims import NOTIONS, Statement
from leakgauge.errors import OptionError
from leakgauge.measures import renyi
from leakgauge.notions import (
    Circumstances,
    approximate_dp,
    formulas,
    gaussian_dp,
    implied,
    levels,
    metric_privacy,
    renyi_dp,
    total_variation,
    zero_concentrated_dp,
)
from leakgauge.notions.edges import SOUND_EDGES, Edge, Status
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from tests.grids import nightly
from tests.notions.batches import ORDER, Batch, draw

SHAPES = [(2, 2), (3, 3), (2, 4), (4, 3), (3, 5)]
EACH = 2_000
DELTA = 0.05
HIGHER = 5.0
NAT = 1 / math.log(2)


# What a statement at a special order or δ says in plainer words: its exact level is known by another name.
PREMISES: dict[tuple[type[Statement], float], type[Statement]] = {
    (claims.ApproximateDP, ORDER): claims.CentralDP,
    (claims.RenyiDP, math.inf): claims.CentralDP,
    (claims.SibsonLeakage, math.inf): claims.MaximalLeakage,
    (claims.AlphaLeakage, 1.0): claims.MutualInformation,
}


@cache
def batch(shape: tuple[int, int], each: int) -> Batch:
    return draw(1000 + SHAPES.index(shape), each, *shape)


@cache
def exact(shape: tuple[int, int], each: int, name: str) -> Floats:
    """The exact level of each channel of the batch; channels of one record, where local and central agree."""
    b, notion = batch(shape, each), NOTIONS[name]
    if notion in (claims.MutualInformation, claims.CentralMutualInformation):
        return np.maximum(b.information() * NAT, 0.0)
    known: dict[type[Statement], Callable[[], Floats]] = {
        claims.LocalDP: b.local_dp,
        claims.CentralDP: b.local_dp,
        claims.Identifiability: b.identifiability,
        claims.CentralIdentifiability: b.identifiability,
        claims.MaximalLeakage: lambda: b.maximal_leakage() * NAT,
        claims.MinEntropyLeakage: lambda: b.min_entropy_leakage() * NAT,
        claims.SibsonLeakage: lambda: b.sibson() * NAT,
        claims.AlphaLeakage: lambda: b.arimoto() * NAT,
        claims.RenyiDP: b.renyi,
        claims.ZeroConcentratedDP: b.concentration,
        claims.GaussianDP: b.gaussian,
        claims.MutualInformationDP: lambda: b.capacity()[0] * NAT,
        claims.TotalVariation: lambda: b.hockey_stick(np.zeros(len(b.q))),
        claims.MetricPrivacy: lambda: b.local_dp() / 2,  # all letters at distance 2
    }
    return np.maximum(known[notion](), 0.0)  # rounding can leave a useless channel a hair below 0


@cache
def premises(shape: tuple[int, int], each: int, name: str) -> Floats:
    """The level to start from: where it is only known within bounds, the upper one, which is a true statement."""
    if name == "zcdp":
        return exact(shape, each, name) * 1.02 + 1e-12
    if name == "mutual-information-dp":
        return np.asarray(batch(shape, each).capacity()[1] * NAT)
    return exact(shape, each, name)


def orders(edge: Edge) -> float:
    """The order at which an edge speaks, where it names one; from a higher order where it concludes a lower."""
    if "at most that known" in edge.conditions:
        return HIGHER
    return math.inf if "order is infinite" in edge.conditions else 1.0 if "order is 1" in edge.conditions else ORDER


def statement(notion: type[Statement], level: float, order: float = ORDER) -> Statement:
    if notion is claims.ApproximateDP:
        return claims.ApproximateDP(level, 0.0)
    if notion in (claims.RenyiDP, claims.SibsonLeakage, claims.AlphaLeakage):
        return notion(level, order)
    return notion(min(level, 1.0) if notion is claims.TotalVariation else level)  # type: ignore[call-arg]


def circumstances(skew: float | None = None) -> Circumstances:
    return Circumstances(
        skew=skew, neighbour_skew=skew, largest_distance=2.0, smallest_distance=2.0, delta=DELTA, order=ORDER
    )


def concluded(edge: Edge, levels_in: Floats, skew: Floats) -> list[Statement | None]:
    """What the edge says of each level; bounds without a prior grow with the level, so a fine grid is enough."""
    needs_prior = "prior" in edge.conditions
    if needs_prior:
        return [
            edge.bound(statement(edge.premise, level, orders(edge)), circumstances(d))
            for level, d in zip(levels_in.tolist(), skew.tolist(), strict=True)
        ]
    grid = np.unique(np.concatenate([[0.0], np.quantile(levels_in, np.linspace(0, 1, 1000))]))
    # The grid point below gives a smaller bound: harder to survive.
    table = [edge.bound(statement(edge.premise, level, orders(edge)), circumstances()) for level in grid.tolist()]
    return [table[at] for at in (np.searchsorted(grid, levels_in, side="right") - 1).tolist()]


@pytest.mark.parametrize("each", [EACH, nightly(10 * EACH)])
@pytest.mark.parametrize("edge", SOUND_EDGES, ids=lambda edge: f"{edge.premise.name} to {edge.conclusion.name}")
def test_sound_edges_survive_many_channels(edge: Edge, each: int) -> None:
    # 10^4 channels for every edge, and 10^5 every night.
    tried = 0
    for shape in SHAPES:
        b = batch(shape, each)
        start = premises(shape, each, PREMISES.get((edge.premise, orders(edge)), edge.premise).name)
        if orders(edge) == HIGHER:
            start = np.maximum(b.renyi(HIGHER), 0.0)
        skew = b.skew()
        found = concluded(edge, start, skew)
        speaks = np.array([one is not None for one in found])
        bound = np.array([math.nan if one is None else one.level for one in found])
        if edge.conclusion is claims.ApproximateDP:
            delta = np.array([math.nan if one is None else dict(one.parameters)["delta"] for one in found])
            actual, allowed = b.hockey_stick(np.nan_to_num(bound)), delta
        else:
            actual, allowed = exact(shape, each, edge.conclusion.name), bound
        # A bound read off the grid below a level may fall short by the grid's step: look at those exactly.
        doubtful = np.flatnonzero(speaks & (actual > allowed * (1 + 1e-9) + 1e-12))
        for at in doubtful.tolist():
            one = edge.bound(statement(edge.premise, float(start[at]), orders(edge)), circumstances(float(skew[at])))
            if one is None:  # the grid point below was within the conditions, the level itself is not
                continue
            if edge.conclusion is claims.ApproximateDP:
                own = Batch(b.q[at : at + 1], b.p[at : at + 1]).hockey_stick(np.array([one.level]))[0]
                assert own <= dict(one.parameters)["delta"] * (1 + 1e-9) + 1e-12
            else:
                assert actual[at] <= one.level * (1 + 1e-9) + 1e-12, (b.q[at], b.p[at])
        tried += len(start)
    assert tried == each * len(SHAPES)


def test_central_edges_survive_data_sets_of_two_records() -> None:
    """Neighbours only: 2 binary records, independent or not."""
    b = draw(77, 20_000, 4, 3)  # inputs 00, 01, 10, 11
    neighbours = [(0, 1), (0, 2), (1, 3), (2, 3)]
    logs, joint = np.log(b.q), np.log(b.q * b.p[:, :, None])
    dp = np.max([np.abs(logs[:, i] - logs[:, j]).max(axis=1) for i, j in neighbours], axis=0)
    ident = np.max([np.abs(joint[:, i] - joint[:, j]).max(axis=1) for i, j in neighbours], axis=0)
    skew = np.max([np.abs(np.log(b.p[:, i] / b.p[:, j])) for i, j in neighbours], axis=0)
    assert np.all(dp <= ident + skew + 1e-9)
    assert np.all(ident <= dp + skew + 1e-9)
    assert np.all(ident >= skew - 1e-9)
    assert np.all(b.local_dp() <= 2 * dp + 1e-9)
    information, leaked = b.information() * NAT, b.maximal_leakage() * NAT
    one = np.random.default_rng(5).dirichlet([1, 1], (20_000, 2))
    product = np.einsum("bi,bj->bij", one[:, 0], one[:, 1]).reshape(-1, 4)
    product = np.maximum(product, 1e-9)
    independent = b.information(product / product.sum(axis=1, keepdims=True)) * NAT
    for at in range(0, 20_000, 100):
        known = Circumstances(records=2)
        apart = Circumstances(records=2, independent=True)
        claim = claims.CentralDP(float(dp[at]))
        bound = implied(claim, claims.CentralMutualInformation, known).statement
        tighter = implied(claim, claims.CentralMutualInformation, apart).statement
        leak = implied(claim, claims.MaximalLeakage, known).statement
        assert bound is not None
        assert tighter is not None
        assert leak is not None
        assert information[at] <= bound.level + 1e-9
        assert independent[at] <= tighter.level + 1e-6
        assert tighter.level <= bound.level * (1 + 1e-9)
        assert leaked[at] <= leak.level + 1e-9


@pytest.mark.parametrize("edge", SOUND_EDGES, ids=lambda edge: f"{edge.premise.name} to {edge.conclusion.name}")
def test_bounds_grow_with_the_level(edge: Edge) -> None:
    known = Circumstances(
        skew=0.5,
        neighbour_skew=0.5,
        records=1,
        independent=True,
        largest_distance=2,
        smallest_distance=0.5,
        delta=DELTA,
        values=3,
    )
    found = [
        edge.bound(statement(edge.premise, level, orders(edge)), known)
        for level in np.geomspace(1e-6, 30, 200).tolist()
    ]
    spoken = [one.level for one in found if one is not None]
    assert spoken
    assert all(a <= b * (1 + 1e-9) for a, b in pairwise(spoken))


def response(epsilon: float, letters: int = 2) -> Channel:
    keep = math.exp(epsilon) / (math.exp(epsilon) + letters - 1)
    rows = np.full((letters, letters), (1 - keep) / (letters - 1))
    np.fill_diagonal(rows, keep)
    return Channel(range(letters), range(letters), rows)


def subset_selection(epsilon: float, letters: int, size: int) -> Channel:
    subsets = list(combinations(range(letters), size))
    matrix = np.array([[math.exp(epsilon) if x in subset else 1.0 for subset in subsets] for x in range(letters)])
    return Channel(range(letters), subsets, matrix / matrix.sum(axis=1, keepdims=True))


def gaussian_pair(mu: float) -> Channel:
    from scipy.stats import norm

    edges = np.concatenate([[-np.inf], np.linspace(-7, 7 + mu, 700), [np.inf]])
    # On the right from the upper tail, where differences of a cdf near 1 would vanish.
    rows = np.stack([np.where(at[:-1] > 0, -np.diff(norm.sf(at)), np.diff(norm.cdf(at))) for at in (edges, edges - mu)])
    return Channel("ab", range(rows.shape[1]), rows / rows.sum(axis=1, keepdims=True))


def uniform(channel: Channel) -> Distribution:
    return Distribution.uniform(channel.inputs)


def both_levels(
    premise: str, conclusion: str, channel: Channel, prior: Distribution | None = None
) -> tuple[float, float]:
    found = levels(channel, prior if prior is not None else uniform(channel), order=ORDER)
    return found[premise].value, found[conclusion].value


def against_skew() -> tuple[Channel, Distribution]:
    """ε_d = ε_i + Δ: one output at the largest ratio against the prior, the other at the largest with it."""
    p, epsilon = 0.6, 1.0
    skew = math.log(p / (1 - p))
    up, down = math.exp(epsilon - skew), math.exp(-epsilon - skew)
    first = (1 - down) / (up - down)
    return Channel("ab", "uv", [[up * first, 1 - up * first], [first, 1 - first]]), Distribution("ab", [p, 1 - p])


def at_identifiability(epsilon: float, prior: Distribution) -> Channel:
    """A channel whose posterior ratios reach e^ε and e^−ε: its ε_d is ε + Δ.

    The joint law of one output is any vector with entries within e^ε of each other, as long as what remains of the
    prior is one too; a small multiple of any such vector can be taken where the prior's own ratios are below e^ε.
    """
    p = prior.probabilities
    column = np.where(np.arange(len(p)) == p.argmin(), math.exp(epsilon), 1.0)
    column[p.argmax()] = 1.0
    share = 1.0
    while True:
        rest = p - share * column
        if rest.min() > 0 and math.log(rest.max() / rest.min()) <= epsilon:
            return Channel(prior.outcomes, "uv", np.stack([share * column / p, rest / p], axis=1))
        share /= 2


def revealed(epsilon: float, delta: float, letters: int) -> Channel:
    """The value with probability δ, an answer by randomized response otherwise: the worst case of (ε, δ)."""
    rows = np.concatenate([delta * np.eye(letters), (1 - delta) * response(epsilon, letters).matrix], axis=1)
    return Channel(range(letters), range(2 * letters), rows)


def as_data_sets(channel: Channel) -> Channel:
    return Channel([(x,) for x in channel.inputs], channel.outputs, channel.matrix)


def sharp_cases() -> dict[tuple[str, ...], Callable[[], tuple[float, float, Circumstances]]]:
    """For each sharp edge, a family's premise and conclusion level with the circumstances."""
    skewed = Distribution([0, 1], [0.95, 0.05])
    plain = circumstances(0.0)

    def simple(premise: str, conclusion: str, channel: Channel) -> Callable[[], tuple[float, float, Circumstances]]:
        return lambda: (*both_levels(premise, conclusion, channel), plain)

    def with_prior(premise: str, conclusion: str, channel: Channel, prior: Distribution):  # type: ignore[no-untyped-def]
        return lambda: (*both_levels(premise, conclusion, channel, prior), circumstances().with_prior(prior))

    def central(premise: str, conclusion: str, channel: Channel, prior: Distribution):  # type: ignore[no-untyped-def]
        def run() -> tuple[float, float, Circumstances]:
            sets = as_data_sets(channel)
            tuples = Distribution(sets.inputs, prior.probabilities)
            found = levels(sets, tuples, records=1)
            return found[premise].value, found[conclusion].value, circumstances().with_prior(tuples)

        return run

    def two_bits() -> tuple[float, float, Circumstances]:
        pair = response(1.0).product(response(1.0))
        found = levels(pair, records=2)
        return found["dp"].value, found["local-dp"].value, Circumstances(records=2, delta=DELTA)

    def capacity_of_subsets() -> tuple[float, float, Circumstances]:
        # By symmetry the uniform prior achieves capacity, so that mutual-information DP is I there.
        return (*both_levels("local-dp", "mutual-information", subset_selection(1.0, 12, 4)), plain)

    def bsc() -> tuple[float, float, Circumstances]:
        found = levels(response(0.1), uniform(response(0.1)))
        return found["mutual-information"].value, approximate_dp(response(0.1), 0.0).statement.parameters[0][1], plain

    def gaussian_to_delta() -> tuple[float, float, Circumstances]:
        bound = implied(claims.GaussianDP(1.0), claims.ApproximateDP, plain).statement
        assert bound is not None
        delta = approximate_dp(gaussian_pair(1.0), bound.level).statement.parameters[0][1]
        return 1.0, bound.level if delta >= 0.99 * DELTA else 0.0, plain

    def pure_to_delta() -> tuple[float, float, Circumstances]:
        bound = implied(claims.CentralDP(1.0), claims.ApproximateDP, plain).statement
        assert bound is not None
        delta = approximate_dp(response(1.0), bound.level).statement.parameters[0][1]
        return 1.0, bound.level if delta >= 0.99 * DELTA else 0.0, plain

    def metric(scale: float) -> Callable[[], tuple[float, float, Circumstances]]:
        def run() -> tuple[float, float, Circumstances]:
            slope = metric_privacy(response(1.0), lambda x, u: 2.0 * (x != u)).value
            dp = levels(response(1.0))["local-dp"].value
            return (slope, dp, plain) if scale > 1 else (dp, slope, plain)

        return run

    def erased(conclusion: str, letters: int = 3) -> Callable[[], tuple[float, float, Circumstances]]:
        channel = revealed(0.0, 0.3, letters)
        return lambda: (
            *both_levels("total-variation", conclusion, channel),
            circumstances().with_prior(uniform(channel)),
        )

    def with_delta(conclusion: str, letters: int = 2) -> Callable[[], tuple[float, float, Circumstances]]:
        # At δ = 0, where ``statement`` is asked; other δ are in test_approximate.
        channel = revealed(1.0, 0.0, letters)
        return lambda: (*both_levels("local-dp", conclusion, channel), circumstances().with_prior(uniform(channel)))

    def almost_at_the_skew(premise: str, conclusion: str) -> Callable[[], tuple[float, float, Circumstances]]:
        prior = Distribution("ab", [1 / (1 + math.exp(-0.999)), 1 / (1 + math.exp(0.999))])
        run = central(premise, conclusion, at_identifiability(1.0, prior), prior)
        return lambda: (*run()[:2], plain)

    identity = Channel.identity(range(8))
    channel, prior = against_skew()
    dp_names = [("dp", "renyi-dp", "renyi-dp"), ("dp", "zcdp", "zcdp"), ("dp", "gaussian-dp", "gaussian-dp")]
    return {
        ("local-dp", "identifiability"): with_prior("local-dp", "identifiability", response(0.6), skewed),
        ("identifiability", "local-dp"): with_prior("identifiability", "local-dp", channel, prior),
        ("identifiability", "central-identifiability"): central(
            "identifiability", "central-identifiability", channel, prior
        ),
        ("dp", "central-identifiability"): central("dp", "central-identifiability", response(0.6), skewed),
        ("central-identifiability", "dp"): central("central-identifiability", "dp", channel, prior),
        ("local-dp", "dp"): central("local-dp", "dp", response(1.0), skewed),
        ("dp", "local-dp"): two_bits,
        ("local-dp", "mutual-information"): simple("local-dp", "mutual-information", subset_selection(1.0, 12, 4)),
        ("dp", "mutual-information-dp"): capacity_of_subsets,
        ("mutual-information", "central-mutual-information"): central(
            "mutual-information", "central-mutual-information", response(1.0), skewed
        ),
        ("central-mutual-information", "mutual-information"): central(
            "central-mutual-information", "mutual-information", response(1.0), skewed
        ),
        ("local-dp", "maximal-leakage"): simple("local-dp", "maximal-leakage", response(1.0, 1000)),
        ("maximal-leakage", "mutual-information"): simple("maximal-leakage", "mutual-information", identity),
        ("maximal-leakage", "min-entropy-leakage"): simple("maximal-leakage", "min-entropy-leakage", response(1.0, 5)),
        ("maximal-leakage", "sibson-leakage"): simple("maximal-leakage", "sibson-leakage", identity),
        ("maximal-leakage", "alpha-leakage"): simple("maximal-leakage", "alpha-leakage", identity),
        ("sibson-leakage", "mutual-information"): simple("sibson-leakage", "mutual-information", identity),
        ("dp", "approximate-dp"): pure_to_delta,
        **{(one, other): simple("local-dp", key, response(1.3)) for one, other, key in dp_names},
        ("gaussian-dp", "zcdp"): lambda: (1.0, zero_concentrated_dp(gaussian_pair(1.0)).value, plain),
        ("gaussian-dp", "approximate-dp"): gaussian_to_delta,
        ("zcdp", "renyi-dp"): lambda: (0.5, renyi_dp(gaussian_pair(1.0), ORDER).value, plain),
        ("mutual-information-dp", "approximate-dp"): bsc,
        ("metric-privacy", "local-dp"): metric(2.0),
        ("local-dp", "metric-privacy"): metric(0.5),
        ("identifiability", "local-dp", "2 ε"): almost_at_the_skew("identifiability", "local-dp"),
        ("central-identifiability", "dp", "2 ε"): almost_at_the_skew("central-identifiability", "dp"),
        ("dp", "total-variation"): simple("local-dp", "total-variation", response(1.0)),
        ("gaussian-dp", "total-variation"): lambda: (1.0, total_variation(gaussian_pair(1.0)).value, plain),
        ("mutual-information-dp", "total-variation"): simple("mutual-information-dp", "total-variation", response(1.0)),
        ("total-variation", "approximate-dp"): lambda: (
            0.04,
            dict(approximate_dp(revealed(0.0, 0.04, 2), 0.0).statement.parameters)["delta"],
            plain,
        ),
        ("total-variation", "mutual-information-dp"): erased("mutual-information-dp"),
        ("total-variation", "central-mutual-information"): erased("mutual-information"),
        ("total-variation", "maximal-leakage"): erased("maximal-leakage"),
        ("total-variation", "min-entropy-leakage"): erased("min-entropy-leakage"),
        ("approximate-dp", "approximate-dp"): pure_to_delta,
        ("approximate-dp", "total-variation"): with_delta("total-variation"),
        ("approximate-dp", "mutual-information-dp"): with_delta("mutual-information-dp"),
        ("approximate-dp", "maximal-leakage"): with_delta("maximal-leakage", 4),
    }


SHARP = [edge for edge in SOUND_EDGES if edge.status is Status.SHARP]


@pytest.mark.parametrize("edge", SHARP, ids=lambda edge: f"{edge.premise.name} to {edge.conclusion.name}")
def test_sharp_edges_are_met_within_one_percent(edge: Edge) -> None:
    names = edge.premise.name, edge.conclusion.name
    cases = sharp_cases()
    start, reached, known = cases.get((*names, edge.formula), cases.get(names))()  # type: ignore[misc]
    assert edge.is_sharp(statement(edge.premise, start, orders(edge)), known)
    bound = edge.bound(statement(edge.premise, start, orders(edge)), known)
    assert bound is not None
    if edge.conclusion is claims.ApproximateDP and bound.level == 0:
        assert dict(bound.parameters)["delta"] == pytest.approx(reached, rel=0.01)
    else:
        assert bound.level == pytest.approx(reached, rel=0.01)
        assert bound.level >= reached * (1 - 1e-6)


def test_every_notion_has_a_place() -> None:
    placed = {edge.premise for edge in SOUND_EDGES} | {edge.conclusion for edge in SOUND_EDGES}
    assert placed == set(NOTIONS.values())


def test_gaussian_level_of_a_gaussian() -> None:
    assert gaussian_dp(gaussian_pair(0.7)).value == pytest.approx(0.7, rel=5e-3)
    assert renyi.maximal_leakage(Channel.identity(range(8))) == pytest.approx(3)


def test_neighbours_say_nothing_between_data_sets_that_cannot_reach_each_other() -> None:
    apart = Circumstances(records=2).with_domain([(0, 0), (1, 1)])
    assert implied(claims.CentralDP(0.0), claims.LocalDP, apart).statement is None
    assert implied(claims.CentralDP(0.0), claims.CentralMutualInformation, apart).statement is None
    holes = Circumstances(records=2).with_domain([(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)])
    assert holes.reach == 4
    assert implied(claims.CentralDP(0.8), claims.LocalDP, holes).statement == claims.LocalDP(3.2)


def test_dependent_records_are_not_taken_for_independent() -> None:
    dependent = Distribution([(0, 0), (0, 1), (1, 0), (1, 1)], [0.45, 0.05, 0.05, 0.45])
    keep = 1 - math.exp(-0.5) / 2
    channel = Channel(dependent.outcomes, "uv", [[keep, 1 - keep], [0.5, 0.5], [0.5, 0.5], [1 - keep, keep]])
    found = levels(channel, dependent, records=2)
    bound = implied(
        claims.CentralDP(found["dp"].value),
        claims.CentralMutualInformation,
        Circumstances(records=2).with_prior(dependent),
    ).statement
    assert bound is not None
    assert found["central-mutual-information"].value == pytest.approx(0.10328, abs=1e-4)
    assert bound.level >= found["central-mutual-information"].value
    with pytest.raises(OptionError, match="they are not"):
        Circumstances(records=2, independent=True).with_prior(dependent)
    one_record = Circumstances(records=2).with_prior(Distribution("01", [0.5, 0.5]))
    assert not one_record.independent
    assert one_record.skew is None
    assert (
        Circumstances(records=2)
        .with_prior(Distribution("01", [0.2, 0.8]).product(Distribution("01", [0.6, 0.4])))
        .independent
    )


@pytest.mark.parametrize("information", [1e-17, 4e-13, 1e-5, 1e-3, 0.3])
def test_total_variation_from_information_is_never_too_small(information: float) -> None:
    found = formulas.variation_of_information(information)
    told = ((1 + found) * math.log1p(found) + (1 - found) * math.log1p(-found)) / 2 if found > 1e-3 else found**2 / 2
    assert told >= information * (1 - 1e-9)
    assert found <= math.sqrt(2 * information) * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [1e-12, 1.8e-11, 1.8e-4, 9.99e-4, 1.01e-3])
def test_the_information_bound_is_never_too_small_for_small_budgets(epsilon: float) -> None:
    assert epsilon**2 / 8 * (1 - epsilon**2) <= formulas.information_of_ratio(epsilon) <= epsilon**2 / 8 * (1 + 1e-5)


def test_the_concentrated_level_of_nearly_equal_rows_is_not_too_small() -> None:
    first, second = 0.9926225423113233, 0.9926225654278191
    pair = Channel("ab", "uv", [[first, 1 - first], [second, 1 - second]])
    assert zero_concentrated_dp(pair).value >= 5.0056e-13 * 0.99


def test_infinite_levels_and_orders_are_not_errors() -> None:
    assert implied(claims.GaussianDP(1e200), claims.ZeroConcentratedDP).statement is None
    assert implied(claims.CentralDP(1e308), claims.RenyiDP).statement is not None
    renyi = implied(claims.CentralDP(1.0), claims.RenyiDP, Circumstances(order=math.inf)).statement
    assert renyi == claims.RenyiDP(1.0, math.inf)
