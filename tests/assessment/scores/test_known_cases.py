"""What the scores say of cases that are known: marital status of Adult, the paper's own experiment, anchors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leakgauge.artefacts.scores import OF_A_RAW_COPY, ScoreEvidence
from leakgauge.assessment.scores.evidence import evidence_by_law
from leakgauge.assessment.scores.guarantee import guaranteed
from leakgauge.assessment.scores.policy import MOST_SURE
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.scores.usefulness import statistics_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise
from leakgauge.claims import LocalDP
from leakgauge.design import Keep, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.mechanisms import gaussian, laplace, randomized_response
from leakgauge.papers import rate_distortion
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation
from leakgauge.release.estimates.handed_out import CHOSEN
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import Protected, protected_column
from tests.laws.releases import household, sources

REFERENCE = {
    "response 1": (0.056, 0.052),
    "response 2": (0.304, 0.244),
    "response 3": (0.593, 0.516),
    "shares 0.2": (0.582, 0.418),
    "shares 0.3": (0.388, 0.251),
    "shares 0.4": (0.204, 0.130),
    "nothing 0.2": (0.578, 0.363),
    "independent 0": (0.0, 0.0),
}
"""Marital status of Adult where occupation is known: A and B."""
WORTHS = {
    "response 1": (0.030, 0.043),
    "response 2": (0.184, 0.248),
    "response 3": (0.469, 0.563),
    "redraw 0.8": (1, 0.722),
    "redraw 0.6": (1, 0.451),
    "redraw 0.4": (1, 0.218),
    "redraw 0.25": (1, 0.089),
    "redraw 0": (1, 0),
    "redraw 1": (1, 1),
}
"""Worth of its shares and of their cross-table with occupation, given the channel (assessment.md 3c)."""


@pytest.mark.parametrize("case", REFERENCE)
def test_marital_status_where_occupation_is_known(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    if kind == "response":
        channel = randomized_response(float(amount), letters=people.rows).channel()
    elif kind == "independent":
        channel = Channel(people.rows, people.rows, np.tile(people.row_marginal().probabilities, (7, 1)))
    else:
        asked = RateDistortion(people.row_marginal(), Hamming(), MaxDistortion(float(amount)), keep=Keep(kind))
        channel = solve(asked, 1e-6).channel
    hidden = evidence_by_law(ReleaseLaw(people, channel, ("occupation",)), backgrounds=[["occupation"]])
    (knowing,) = (one for one in hidden.attackers if one.knows)
    found = [knowing.gained, knowing.told]
    assert [one.value for one in found if one is not None] == pytest.approx(REFERENCE[case], abs=5.1e-4)


def redrawn(people: Joint, kept: float) -> Channel:
    p = people.row_marginal().probabilities
    return Channel(people.rows, people.rows, kept * np.eye(len(p)) + (1 - kept) * p)


def worths(people: Joint, channel: Channel, offered: Offered) -> list[float]:
    law = ReleaseLaw(people, channel, ("occupation",), ("occupation",))
    return [one.worth.value for one in statistics_of(law, offered=offered, rows=30_718) if one.worth is not None]


@pytest.mark.parametrize("case", WORTHS)
def test_marital_status_where_the_channel_is_handed_out(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    response = randomized_response(max(float(amount), 0.1), letters=people.rows).channel()
    channel = response if kind == "response" else redrawn(people, float(amount))
    found = worths(people, channel, Offered(Protected("marital_status", channel), fitted=kind == "redraw"))
    assert found == pytest.approx(WORTHS[case], abs=5e-4)


@pytest.mark.parametrize(("kept", "counted"), [(1.0, 1.0), (0.0, 0.5)])
def test_what_is_only_counted_has_shares_and_no_cross_tables(kept: float, counted: float) -> None:
    people = rate_distortion.adult()
    read = Protected("marital_status", keeps_shares=True)
    assert worths(people, redrawn(people, kept), Offered(read, fitted=True)) == pytest.approx([counted, 0])
    # Nothing is handed out: nothing can be computed, whatever the law contains.
    unread = Protected("marital_status", unreadable=CHOSEN)
    assert worths(people, redrawn(people, kept), Offered(unread, fitted=True)) == [0, 0]


@pytest.mark.parametrize("name", ["response", "redraw"])
def test_the_errors_of_cells_are_those_of_simulated_estimates(name: str) -> None:
    people, rows, draw = rate_distortion.adult(), 30_718, simulation(8)
    channel = redrawn(people, 0.6)
    if name == "response":
        channel = randomized_response(2.0, letters=people.rows).channel()
    law = ReleaseLaw(people, channel, ("occupation",), ("occupation",))
    offered = Offered(Protected("marital_status", channel), fitted=name == "redraw")
    shares, crossed = statistics_of(law, offered=offered, rows=rows)
    released = (channel.matrix.T @ people.matrix).ravel()
    drawn = draw.multinomial(rows, released / released.sum(), size=400).reshape(400, *people.matrix.shape) / rows
    off = np.einsum("yx,ryz->rxz", np.linalg.inv(channel.matrix), drawn) - people.matrix
    points = 100 * 1.96 * np.sqrt((off**2).mean(axis=0))
    assert crossed.largest_error == pytest.approx(points.flat[people.matrix.argmax()], rel=0.1)
    assert crossed.worst_error == pytest.approx(points.max(), rel=0.1)
    middle = points.ravel()[np.argsort(-people.matrix, axis=None, kind="stable")[people.matrix.size // 2]]
    assert crossed.median_error == pytest.approx(middle, rel=0.1)
    if name == "redraw":
        # The shares are read off the channel, so that only the sample errs.
        p = people.row_marginal().probabilities
        assert shares.worst_error == pytest.approx(100 * 1.96 * np.sqrt((p * (1 - p)).max() / rows), rel=1e-3)


def require_noise(column: Floats) -> None:
    """Laplace ε = 0.1 and Gaussian (0.1, 10^-3) leave nothing, whichever δ was declared."""
    even, upper = np.full(len(column), 1 / len(column)), float(np.ceil(column.max()))
    for noise in (
        laplace(0.1, lower=0, upper=upper),
        *(gaussian(0.1, delta, lower=0, upper=upper) for delta in (1e-3, 1e-6, 1e-2)),
    ):
        law, points = law_of_noise(noise, column, even)
        offered = Offered(protected_column("load", noise))
        worth = tuple(statistics_of(law, points, offered))
        scores = scores_of(evidence_by_law(law, numbers=points, claims=noise.claims, statistics=worth))
        assert scores.usefulness.value <= 2
        assert scores.protection.value >= 98
        assert scores.surest.value <= 2
        assert scores.guarantee is not None and scores.guarantee.advantage <= 0.1


def test_the_papers_own_experiment_is_noise(data: Path) -> None:
    for name in ("active_power_kw", "current_a"):
        require_noise(household(data)[name])


def test_a_load_like_the_papers_is_noise_too() -> None:
    require_noise(simulation(4).gamma(1.5, 0.7, size=5000))


@pytest.mark.parametrize("numbers", [None, np.arange(7.0)], ids=["letters", "numbers"])
def test_a_raw_copy_has_the_scores_that_pictures_start_from(numbers: Floats | None) -> None:
    people = rate_distortion.adult()
    law = ReleaseLaw(people, Channel.identity(people.rows), ("occupation",), ("occupation",))
    if numbers is not None:
        copy = Channel.identity([float(one) for one in numbers])
        law = ReleaseLaw(Joint(copy.inputs, people.columns, people.matrix), copy, ("occupation",), ("occupation",))
    scores = scores_of(evidence_by_law(law, backgrounds=[["occupation"]], numbers=numbers))
    found = {name: getattr(scores, name).ends for name in OF_A_RAW_COPY}
    assert found == {name: pytest.approx((value, value), abs=1e-4) for name, value in OF_A_RAW_COPY.items()}


def test_the_anchors_of_the_guarantee() -> None:
    anchors = {0.1: 95, 0.5: 76, 1.0: 54, 2.0: 24, 3.0: 9}
    for epsilon, points in anchors.items():
        found = guaranteed([LocalDP(epsilon)])
        assert found is not None and round(100 * (1 - found.advantage)) == points
        assert found.odds == pytest.approx(np.exp(epsilon))
    assert guaranteed([LocalDP(np.inf)]) is None
    assert guaranteed([]) is None
    assert scores_of(ScoreEvidence(attackers=())).guarantee is None


SUREST = {
    "response 1": (24.2, 24.4),
    "response 2": (45.6, 46.1),
    "response 3": (62.6, 63.4),
    "redraw 0.8": (80.0, 89.1),
    "redraw 0.6": (60.0, 75.2),
    "redraw 0.4": (40.0, 57.1),
    "redraw 0.25": (25.0, 39.1),
    "copy 1": (100.0, 100.0),
}
PROTECTION = {
    "response 1": (91.2, 94.4),
    "response 2": (65.3, 69.6),
    "response 3": (38.4, 40.7),
    "redraw 0.8": (24.6, 27.7),
    "redraw 0.6": (49.3, 55.4),
    "redraw 0.4": (73.9, 82.5),
    "redraw 0.25": (91.3, 93.0),
    "copy 1": (0.0, 0.0),
}
"""Of the specification, from the table alone by independent code: of somebody who knows nothing, and the occupation."""


@pytest.mark.parametrize("case", SUREST)
def test_how_sure_somebody_becomes_of_a_marital_status(case: str) -> None:
    people = rate_distortion.adult()
    kind, amount = case.split()
    shares, kept = people.row_marginal().probabilities, float(amount)
    if kind == "response":
        channel = randomized_response(kept, letters=people.rows).channel()
    else:
        channel = Channel(people.rows, people.rows, kept * np.eye(7) + (1 - kept) * np.tile(shares, (7, 1)))
    attackers = evidence_by_law(ReleaseLaw(people, channel, ("occupation",)), backgrounds=[["occupation"]]).attackers
    protection = [100 * (1 - max(one.gained.value, one.told.value)) for one in attackers if one.gained and one.told]
    assert protection == pytest.approx(PROTECTION[case], abs=0.051)
    assert [100 * one.surest.value for one in attackers if one.surest] == pytest.approx(SUREST[case], abs=0.051)


def test_a_rare_disease_is_ranked_by_how_sure_somebody_becomes_of_it() -> None:
    """0.93% of 10,000: a release whose positives are right half the time is worse than randomized response at ε = 2."""
    ill = 0.0093
    source = Distribution(["ill", "well"], [ill, 1 - ill])
    half = 1 - ill / (1 - ill)
    found = Channel(source.outcomes, source.outcomes, [[1.0, 0.0], [1 - half, half]])
    response = randomized_response(2.0, letters=source.outcomes).channel()
    released, noisy = (scores_of(evidence_by_law(ReleaseLaw(source, one))) for one in (found, response))
    assert released.surest.value == pytest.approx(49.5, abs=0.1) and released.surest.value > MOST_SURE
    assert noisy.surest.value < released.surest.value
    assert released.surest_of.worst == "ill"


def test_a_fair_coin_cannot_stay_below_a_threshold() -> None:
    """47.5% of people get a label that is 92% certain: below a threshold of 0.9 by hardly anything, and not safe."""
    coin = Distribution(["heads", "tails"], [0.5, 0.5])
    label = np.array([[0.92, 0.08], [0.08, 0.92]])
    channel = Channel(coin.outcomes, ("heads", "tails", None), np.column_stack([0.475 * label, np.full(2, 0.525)]))
    scores = scores_of(evidence_by_law(ReleaseLaw(coin, channel)))
    assert scores.surest.value == pytest.approx(84) and scores.surest.value > MOST_SURE


def test_forty_percent_in_the_clear_is_exposure_that_an_average_misses() -> None:
    for source in sources(5)[:2]:
        size = len(source)
        matrix = np.column_stack([0.4 * np.eye(size), np.full(size, 0.6)])
        channel = Channel(source.outcomes, (*source.outcomes, None), matrix)
        scores = scores_of(evidence_by_law(ReleaseLaw(source, channel)))
        assert scores.protection.value == pytest.approx(60)
        assert scores.surest.value == pytest.approx(100)
        assert scores.usefulness.value == pytest.approx(40)


def test_a_mean_of_numbers_drawn_anew_is_worth_half_the_rows() -> None:
    """As with shares: numbers drawn from the table's own have the sampling of the table and that of the draw."""
    numbers, shares = np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.4, 0.3, 0.2, 0.1])
    labels = tuple(numbers.tolist())
    redrawn = Channel(labels, labels, np.tile(shares, (4, 1)))
    offered = Offered(Protected("x", keeps_shares=True), fitted=True)
    law = ReleaseLaw(Distribution(labels, shares), redrawn)
    (found,) = statistics_of(law, numbers, offered)
    assert found.worth is not None and found.worth.value == pytest.approx(0.5)
    # One blank among them leaves it so.
    labels = (*labels, None)
    shares = np.append(0.99 * shares, 0.01)
    law = ReleaseLaw(Distribution(labels, shares), Channel(labels, labels, np.tile(shares, (5, 1))))
    (found,) = statistics_of(law, np.append(numbers, np.nan), offered)
    assert found.worth is not None and found.worth.value == pytest.approx(0.5, abs=0.02)
