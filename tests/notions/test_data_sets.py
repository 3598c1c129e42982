"""Neighbours of data sets, priors with zeros, products of records, and bounds cut at what a secret can hold."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from leakgauge import claims, randomness
from leakgauge.errors import LabelError, ModelError, OptionError
from leakgauge.notions import Circumstances, everything_implied, implied, levels, prior_skew, renyi_dp
from leakgauge.notions.neighbours import data_sets, diameter
from leakgauge.notions.relation import relate_channel, relate_statement, relate_statements
from leakgauge.probability import Channel, Distribution

MULTISETS = [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]
UNORDERED = Channel(MULTISETS, "uv", [[p, 1 - p] for p in (0.5, 0.9, 0.5, 0.5, 0.1, 0.5)])
APART = Channel.identity([(0, 0), (1, 1)])
RESPONSE = Channel("ab", "ab", [[0.7, 0.3], [0.3, 0.7]])
SKEWED = Distribution("ab", [0.9, 0.1])
EXACT_BITS = {
    claims.MutualInformation,
    claims.CentralMutualInformation,
    claims.MutualInformationDP,
    claims.MaximalLeakage,
    claims.MinEntropyLeakage,
    claims.SibsonLeakage,
    claims.AlphaLeakage,
}


def multiset_law(one: Distribution, records: int) -> Distribution:
    """The law of the multiset of independent draws."""
    whole = one.power(records)
    sums: dict[Hashable, float] = defaultdict(float)
    for outcome, p in zip(whole.outcomes, whole.probabilities.tolist(), strict=True):
        assert isinstance(outcome, tuple)
        sums[tuple(sorted(outcome))] += p
    return Distribution.from_mapping(sums)


def test_multisets_that_share_all_but_one_record_are_neighbours() -> None:
    assert levels(UNORDERED, records=2, ordered=False)["dp"].value == pytest.approx(math.log(9))
    assert levels(UNORDERED, records=2)["dp"].value == pytest.approx(1.6094, abs=5e-5)
    assert relate_channel(UNORDERED, records=2, ordered=False).levels["dp"].value == pytest.approx(math.log(9))


@pytest.mark.parametrize("records", [1, 2, 3])
def test_unordered_neighbours_are_those_of_the_definition(records: int) -> None:
    inputs = list(product("abc", repeat=records))
    groups = data_sets(inputs, records, ordered=False)
    compared = {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    for i, j in combinations(range(len(inputs)), 2):
        shared = (Counter(inputs[i]) & Counter(inputs[j])).total()
        assert (frozenset((i, j)) in compared) == (shared >= records - 1)
    multisets = list(combinations_with_replacement("abc", records))
    assert diameter(data_sets(multisets, records, ordered=False), len(multisets)) == records


@pytest.mark.parametrize("seed", range(6))
def test_unordered_levels_are_never_smaller(seed: int) -> None:
    matrix = randomness.simulation(seed).dirichlet(np.ones(2), len(MULTISETS))
    channel = Channel(MULTISETS, "uv", matrix)
    law = multiset_law(Distribution([1, 2, 3], [0.5, 0.3, 0.2]), 2)
    prior = law.restrict(MULTISETS)
    ordered, unordered = levels(channel, prior, 2), levels(channel, prior, 2, ordered=False)
    assert ordered.keys() == unordered.keys()
    for name, level in ordered.items():
        assert unordered[name].value >= level.value * (1 - 1e-5) - 1e-9, name


def test_several_data_sets_without_neighbours_have_no_level_over_neighbours() -> None:
    with pytest.warns(UserWarning, match="None of the data sets has a neighbour"):
        found = levels(APART, Distribution.uniform(APART.inputs), records=2)
    assert not {"dp", "central-identifiability", "renyi-dp", "zcdp", "gaussian-dp", "approximate-dp"} & set(found)
    assert found["central-mutual-information"].value == pytest.approx(1)
    relation = relate_channel(APART, records=2)
    assert relation.warnings[0].startswith("None of the data sets has a neighbour")
    assert relation.implied["dp"].statement is None
    of_prior = relate_statement(claims.CentralDP(1.0), Distribution.uniform(APART.inputs), Circumstances(records=2))
    assert of_prior.skew is None and of_prior.warnings == relation.warnings
    with pytest.raises(ModelError, match="nothing to compare"):
        renyi_dp(APART, 2.0, data_sets(APART.inputs, 2))
    with pytest.raises(ModelError, match="nothing to compare"):
        prior_skew(Distribution.uniform(APART.inputs), data_sets(APART.inputs, 2))


def test_one_data_set_alone_tells_nothing_and_needs_no_warning() -> None:
    found = levels(Channel([(0, 1)], "uv", [[0.5, 0.5]]), records=2)
    assert found["dp"].value == 0


def test_data_sets_that_some_neighbours_leave_out_are_warned_of() -> None:
    channel = Channel([(0, 0), (0, 1), (2, 3)], "uv", [[0.5, 0.5], [0.4, 0.6], [0.9, 0.1]])
    assert any("Some data sets have no neighbour" in text for text in relate_channel(channel, records=2).warnings)
    assert not relate_channel(RESPONSE.power(2), records=2).warnings


def test_central_statements_know_the_skew_over_neighbours_only() -> None:
    wanted = Circumstances(records=3, independent=True)
    of_statement = relate_statement(claims.CentralDP(0.5), SKEWED, wanted)
    of_channel = relate_channel(RESPONSE.power(3), SKEWED.power(3), 3)
    assert of_statement.skew == pytest.approx(2.1972, abs=5e-5)
    assert of_channel.skew == pytest.approx(of_statement.skew)
    central = of_statement.implied["central-identifiability"].statement
    assert central is not None and of_statement.skew is not None
    assert central.level == pytest.approx(0.5 + of_statement.skew)
    assert wanted.with_prior(SKEWED).skew is None
    with pytest.raises(OptionError, match=r"Δ = 2\.19723 nats"):
        relate_statement(claims.Identifiability(2.0), SKEWED, wanted)


@pytest.mark.parametrize("seed", range(12))
def test_what_follows_over_several_records_is_never_too_small(seed: int) -> None:
    random = randomness.simulation(seed)
    inputs = list(product("ab", repeat=2))
    channel = Channel(inputs, "uvw", random.dirichlet(np.ones(3), 4))
    prior = Distribution(inputs, random.dirichlet(np.ones(4)))
    exact = levels(channel, prior, 2)
    known = Circumstances(records=2).with_prior(prior)
    for premise in ("dp", "local-dp", "central-identifiability", "identifiability", "maximal-leakage"):
        for name, one in everything_implied(exact[premise].statement, known).items():
            if one.statement is not None and name in exact and name != "approximate-dp":
                assert exact[name].value <= one.statement.level * (1 + 1e-5) + 1e-9, (premise, name)


@pytest.mark.parametrize("records", [2, 3])
def test_the_skew_of_unordered_independent_records(records: int) -> None:
    one = Distribution("abc", [0.6, 0.3, 0.1])
    known = Circumstances(records=records, ordered=False, independent=True).with_prior(one)
    exact = Circumstances(records=records, ordered=False).with_prior(multiset_law(one, records))
    assert exact.neighbour_skew is not None and known.neighbour_skew is not None
    assert known.neighbour_skew == pytest.approx(exact.neighbour_skew)
    assert exact.uncertainty <= known.uncertainty
    with pytest.raises(OptionError, match="prior of one record"):
        Circumstances(records=records, ordered=False, independent=True).with_prior(multiset_law(one, records))


def test_a_prior_with_a_zero_has_its_information_and_its_budgets() -> None:
    prior = Distribution("abc", [0.5, 0.5, 0])
    channel = Channel("abc", "uv", [[0.7, 0.3], [0.3, 0.7], [0.9, 0.1]])
    found = levels(channel, prior)
    kept = levels(channel.restrict("ab"), Distribution.uniform("ab"))
    assert found["mutual-information"].value == pytest.approx(kept["mutual-information"].value)
    assert found["local-dp"].value == pytest.approx(math.log(7))
    assert found["identifiability"].value == math.inf
    # The value that never occurs is not named as the one that makes it infinite.
    assert found["identifiability"].witness is None
    assert prior_skew(prior) == math.inf
    restricted = levels(channel, prior, restricted=True)
    assert restricted == kept
    assert relate_channel(channel, prior, restricted=True).levels == kept
    with pytest.raises(OptionError, match="needs a prior"):
        levels(channel, restricted=True)


def test_neighbours_that_never_occur_do_not_make_central_identifiability_infinite_by_themselves() -> None:
    # (0, 0) and (0, 1) occur; (1, 1) and (1, 2) never do, and (0, 1) ~ (1, 1) compares one of each.
    inputs = [(0, 0), (0, 1), (2, 2), (2, 3)]
    channel = Channel(inputs, "uv", [[0.6, 0.4], [0.4, 0.6], [0.9, 0.1], [0.1, 0.9]])
    prior = Distribution(inputs, [0.5, 0.5, 0, 0])
    assert levels(channel, prior, 2)["central-identifiability"].value == pytest.approx(math.log(1.5))
    assert levels(channel, prior, 2)["identifiability"].value == math.inf


def test_the_statement_that_follows_under_a_prior_with_a_zero() -> None:
    relation = relate_statement(claims.LocalDP(1.0), Distribution("abc", [0.5, 0.5, 0]))
    assert relation.implied["identifiability"].statement is None
    assert relation.implied["mutual-information"].statement is not None
    assert "probability 0" in relation.warnings[0]
    restricted = relate_statement(claims.LocalDP(1.0), Distribution("abc", [0.5, 0.5, 0]), restricted=True)
    assert restricted.implied["identifiability"].statement == claims.Identifiability(1.0)


def test_restricting_keeps_rows_and_order() -> None:
    channel = Channel("abc", "uv", [[0.7, 0.3], [0.3, 0.7], [1, 0]])
    assert channel.restrict("cb") == Channel("cb", "uv", [[1, 0], [0.3, 0.7]])
    wide = Channel.identity(range(3000)).restrict([2999, 5])
    assert wide.row(2999)[2999] == 1 and len(wide.inputs) == 2
    assert Distribution("abc", [0.5, 0.3, 0.2]).restrict("ba")["b"] == pytest.approx(0.375)
    assert Distribution("abc", [0.5, 0, 0.5]).support == ("a", "c")
    for wrong in ("ad", "aa", ""):
        with pytest.raises(LabelError):
            channel.restrict(wrong)
    with pytest.raises(ModelError, match="ever occurs"):
        Distribution("abc", [0.5, 0, 0.5]).restrict("b")


def test_products_of_records_are_flat() -> None:
    three = RESPONSE.product(RESPONSE, RESPONSE)
    assert three.inputs == tuple(product("ab", repeat=3)) == three.outputs
    assert three == RESPONSE.power(3)
    rows = {x: RESPONSE.row(x) for x in "ab"}
    for x, y in (("aab", "bab"), ("bbb", "aaa")):
        expected = math.prod(rows[one][other] for one, other in zip(x, y, strict=True))
        assert three.row(tuple(x))[tuple(y)] == pytest.approx(expected)
    assert SKEWED.power(3)[("a", "a", "b")] == pytest.approx(0.081)
    found = levels(three, SKEWED.power(3), records=3)
    assert found["dp"].value == pytest.approx(math.log(7 / 3))
    assert levels(RESPONSE.power(1), records=1)["dp"].value == pytest.approx(math.log(7 / 3))
    # A record that is itself a tuple stays one.
    assert RESPONSE.product(RESPONSE).product(RESPONSE).inputs[1] == (("a", "a"), "b")
    with pytest.raises(OptionError, match="0 records"):
        RESPONSE.power(0)
    with pytest.raises(ModelError, match="tuples"):
        RESPONSE.power(40)


@pytest.mark.parametrize("epsilon", [0.5, 6.5, 40.0])
@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("records", [1, 3])
def test_no_bound_exceeds_what_the_secret_holds(epsilon: float, ordered: bool, records: int) -> None:
    known = Circumstances(records=records, ordered=ordered, independent=True).with_prior(SKEWED)
    entropy, secrets = 0.468996 * records, 2.0**records if ordered else records + 1
    for statement in (claims.LocalDP(epsilon), claims.CentralDP(epsilon), claims.MaximalLeakage(epsilon)):
        for one in everything_implied(statement, known).values():
            match one.statement:
                case claims.MutualInformationDP(bits):
                    assert bits <= 1
                case claims.MaximalLeakage(bits) | claims.SibsonLeakage(bits):
                    assert bits <= math.log2(secrets) + 1e-12
                case claims.Statement(unit="bits") as statement_in_bits:
                    assert statement_in_bits.level <= entropy + 1e-5


def test_what_is_cut_is_reached_by_the_identity() -> None:
    """The caps are not too small: the channel that tells everything reaches each of them."""
    for prior in (SKEWED, Distribution("abc", [0.2, 0.3, 0.5]), Distribution.uniform("abcd")):
        exact = levels(Channel.identity(prior.outcomes), prior)
        known = Circumstances().with_prior(prior)
        for level in exact.values():
            if type(level.statement) in EXACT_BITS:
                assert known.cut(level.statement).level >= level.value * (1 - 1e-12), level
        told = (exact["mutual-information"], exact["maximal-leakage"], exact["mutual-information-dp"])
        for level in told:
            above = type(level.statement)(level.value + 9)  # type: ignore[call-arg]
            assert known.cut(above).level == pytest.approx(level.value, rel=1e-8)


def test_the_alphabet_alone_cuts() -> None:
    known = Circumstances(values=2)
    told = implied(claims.LocalDP(6.5), claims.MaximalLeakage, known).statement
    assert told is not None and told.level == pytest.approx(math.log2(2 / (1 + math.exp(-6.5))))
    assert implied(claims.MaximalLeakage(9.38), claims.MutualInformation, known).cut
    assert not implied(claims.MaximalLeakage(0.5), claims.MutualInformation, known).cut
    assert implied(claims.MaximalLeakage(9.38), claims.MaximalLeakage, known).statement == claims.MaximalLeakage(1.0)
    found = relate_statements((claims.LocalDP(6.5), claims.MaximalLeakage(9.38)), known)
    assert found["maximal-leakage"] == told
    of_channel = relate_channel(Channel("ab", range(3), [[0.9, 0.1, 0], [0.1, 0, 0.9]]))
    in_bits = [one.statement for one in of_channel.implied.values() if one.statement and one.statement.unit == "bits"]
    assert in_bits and all(statement.level <= 1 for statement in in_bits)


def test_levels_and_implied_statements_share_their_names() -> None:
    relation = relate_channel(RESPONSE, SKEWED)
    assert {*relation.levels, *relation.implied} <= set(claims.NOTIONS)
    assert all(name == level.statement.name for name, level in relation.levels.items())
