"""The information-entropy paper: its location example, its definitions, and its slips, each shown."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge import measures
from leakgauge.errors import ModelError
from leakgauge.papers import information_models
from leakgauge.papers.information_models import BELIEFS, EIGHT, FOUR, HABITS, TIMETABLE
from leakgauge.probability import Channel, Distribution, Joint, Scenario
from leakgauge.probability.cells import Floats
from tests.reference.test_independent_implementations import as_scenario, random_cube


def bits(array: Floats) -> float:
    return float(-(array[array > 0] * np.log2(array[array > 0])).sum())


def given(where: str) -> float:
    stated = BELIEFS[where].stated
    return measures.entropy(Distribution(range(len(stated)), stated))


def test_location_example() -> None:
    assert [given(where) for where in ("(28)", "(29)", "(30)", "(31)")] == pytest.approx(
        [2, 1.75, 3, 2.3125], abs=1e-12
    )
    assert given("(32)") == pytest.approx(1.418, abs=5e-4)
    assert given("(31)") > given("(29)")
    assert given("(32)") < given("(29)")


def test_bayes_derives_the_posteriors_the_paper_states() -> None:
    weak = Scenario(information_models.attackers(), information_models.generalisation(FOUR))
    strong = Scenario(information_models.attackers(), information_models.generalisation(EIGHT))
    assert weak.posterior(FOUR, HABITS).probabilities[:4] == pytest.approx(BELIEFS["(29)"].stated)
    assert weak.posterior(FOUR, TIMETABLE).probabilities[:4] == pytest.approx(BELIEFS["(32)"].stated)
    assert strong.posterior(EIGHT, HABITS).probabilities[1:] == pytest.approx(BELIEFS["(31)"].stated)


def test_every_line_of_the_reproduction_agrees() -> None:
    reproduction = information_models.reproduce()
    assert reproduction.agrees
    assert len(reproduction.lines) == 10
    assert len(reproduction.errata) == 8


# Errata, in the order of docs/errata.md.


@pytest.mark.parametrize("seed", range(5))
def test_erratum_conditional_mutual_information_has_p_xy_given_z(seed: int) -> None:
    p = random_cube(seed, (3, 2, 6)) + 1e-3
    p /= p.sum()
    x_given_z = p.sum(axis=1, keepdims=True) / p.sum(axis=(0, 1), keepdims=True)
    y_given_z = p.sum(axis=0, keepdims=True) / p.sum(axis=(0, 1), keepdims=True)
    right = (p * np.log2(p / p.sum(axis=(0, 1), keepdims=True) / (x_given_z * y_given_z))).sum()
    xz_given_y = p / p.sum(axis=(0, 2), keepdims=True)
    printed = (p * np.log2(xz_given_y / (x_given_z * y_given_z))).sum()
    ours = measures.conditional_mutual_information(as_scenario(p))
    assert ours == pytest.approx(right, abs=1e-12)
    # As printed it is off by H(Y) − H(Z), here negative, so it can even fall below 0.
    assert printed == pytest.approx(right + bits(p.sum(axis=(0, 2))) - bits(p.sum(axis=(0, 1))), abs=1e-12)
    assert printed < ours - 0.1


def test_erratum_equation_19_conditions_both_entropies() -> None:
    p = random_cube(3, (4, 3, 2))  # X is the pair of two binary sources
    s = as_scenario(p)
    x_given_z = bits(p.sum(axis=1)) - bits(p.sum(axis=(0, 1)))
    x_given_yz = bits(p) - bits(p.sum(axis=0))
    xy_given_z = bits(p) - bits(p.sum(axis=(0, 1)))
    assert measures.conditional_mutual_information(s) == pytest.approx(x_given_z - x_given_yz, abs=1e-12)
    printed = bits(p.sum(axis=(1, 2))) - xy_given_z
    assert abs(measures.conditional_mutual_information(s) - printed) > 0.01


def test_erratum_protection_makes_the_conditional_entropy_large() -> None:
    secret = Distribution.uniform("abcd")
    silent = Scenario(secret, Channel.constant("abcd", Distribution.uniform("uv")))
    open_book = Scenario(secret, Channel.identity("abcd"))
    ranking = measures.rank({"silent": silent, "open": open_book})
    assert ranking.order == (("silent",), ("open",))
    assert ranking.remaining["silent"] == pytest.approx(2)
    assert ranking.remaining["open"] == 0


def test_erratum_equation_29_as_printed_is_no_distribution() -> None:
    with pytest.raises(ModelError, match=r"sum to 0\.75, not 1"):
        Distribution(range(4), [1 / 4, 1 / 4, 1 / 8, 1 / 8])


def test_erratum_definition_8_must_depend_on_the_attack() -> None:
    response = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
    ignorant = Scenario(Joint("ab", "u", [[0.5], [0.5]]), response)
    informed = Scenario(Joint("ab", "uv", [[0.4, 0.1], [0.1, 0.4]]), response)
    assert measures.mutual_information(ignorant) == pytest.approx(measures.mutual_information(informed))
    ranking = measures.rank_attacks({"ignorant": ignorant, "informed": informed})
    assert ranking.order == (("informed",), ("ignorant",))
    assert ranking.distance("ignorant", "informed") > 0.2


def test_erratum_definition_7_has_two_criteria_that_disagree() -> None:
    response = Channel("ab", "ab", [[0.75, 0.25], [0.25, 0.75]])
    all_knowing = Scenario(Joint("ab", "ab", [[0.5, 0], [0, 0.5]]), response)
    ignorant = Scenario(Joint("ab", "u", [[0.5], [0.5]]), response)
    assert measures.conditional_entropy_with_background(all_knowing) == 0
    assert measures.conditional_mutual_information(all_knowing) == 0  # "perfect protection" against who knows it all
    ranking = measures.rank_attacks({"ignorant": ignorant, "all-knowing": all_knowing})
    assert ranking.order == (("all-knowing",), ("ignorant",))


def test_erratum_equation_27_is_the_owners_certainty_not_the_attackers_prior() -> None:
    regions = information_models.REGIONS
    certain = Distribution(regions, np.eye(len(regions))[1])
    weak = information_models.generalisation(FOUR)
    assert measures.conditional_entropy(Scenario(certain, weak)) <= measures.entropy(certain) == 0
    attacker = Scenario(Distribution.uniform(regions), weak)
    assert measures.entropy(attacker.posterior(FOUR)) == pytest.approx(2)


def test_erratum_an_unrelated_release_need_not_be_safe() -> None:
    scenario = information_models.unrelated_and_telling()
    assert measures.mutual_information(scenario) == pytest.approx(0, abs=1e-12)
    assert measures.background_floor(scenario) == pytest.approx(0, abs=1e-12)
    assert measures.leakage_with_background(scenario) == pytest.approx(1, abs=1e-12)
