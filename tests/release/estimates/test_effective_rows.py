"""How many rows a release is worth: sourced numbers, simulation, and what is not identifiable."""

from __future__ import annotations

import numpy as np
import pytest

from leakgauge.design import MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.errors import InputError
from leakgauge.jobs.samples import adult_rows
from leakgauge.mechanisms import randomized_response, unary_encoding
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.release.estimates import (
    Estimator,
    effective_rows,
    effective_rows_of_mean,
    effective_rows_of_numbers,
)
from leakgauge.release.estimates.correction import Correction, confused_values
from leakgauge.tables import open_table
from tests.release.estimates.keeping import keeping


@pytest.fixture(scope="module")
def adult() -> Joint:
    with open_table(adult_rows()) as table:
        return table.counts("marital_status", "occupation").joint()


@pytest.fixture(scope="module")
def marital(adult: Joint) -> Distribution:
    return adult.row_marginal()


@pytest.mark.parametrize(("epsilon", "share"), [(1, 0.0300), (2, 0.1843), (3, 0.4689), (4, 0.7336)])
def test_randomized_response_on_marital_status(marital: Distribution, epsilon: float, share: float) -> None:
    found = effective_rows(randomized_response(epsilon, letters=marital.outcomes).channel(), marital)
    assert found.share == pytest.approx(share, abs=5e-5)
    assert found.estimator is Estimator.CORRECTED and found.confused == ()


@pytest.mark.parametrize(
    ("distortion", "direct", "corrected"),
    [(0.1, 0.785, 0.652), (0.2, 0.667, 0.236), (0.3, 0.593, 0.048), (0.4, 0.546, 0.008)],
)
def test_channels_that_keep_the_shares(
    marital: Distribution, distortion: float, direct: float, corrected: float
) -> None:
    channel = Channel(marital.outcomes, marital.outcomes, keeping(marital.probabilities, distortion))
    assert effective_rows(channel, marital).share == pytest.approx(corrected, abs=5e-4)
    own = effective_rows(channel, marital, own=True)
    assert own.share == pytest.approx(direct, abs=5e-4) and own.estimator is Estimator.DIRECT


def test_a_channel_made_for_other_shares_is_not_read_as_it_is(marital: Distribution) -> None:
    channel = Channel(marital.outcomes, marital.outcomes, keeping(marital.probabilities, 0.2))
    other = Distribution.uniform(marital.outcomes)
    assert effective_rows(channel, other, own=True).estimator is Estimator.CORRECTED


def test_the_least_leaking_channel_that_lost_values_is_worth_nothing(marital: Distribution) -> None:
    lost = solve(RateDistortion(marital, Hamming(), MaxDistortion(0.2))).channel
    found = effective_rows(lost, marital)
    assert found.share == 0.0
    dead = {
        label
        for label in marital.outcomes
        if label not in lost.outputs or not lost.matrix[:, lost.outputs.index(label)].any()
    }
    assert len(dead) == 4 and dead <= {label for group in found.confused for label in group}


def test_cross_tables(adult: Joint, marital: Distribution) -> None:
    response = randomized_response(2, letters=marital.outcomes).channel()
    shares = adult.matrix.sum(axis=0)
    given = adult.matrix / shares
    inverse = np.linalg.inv(response.matrix)
    noise, sampling = 0.0, float((adult.matrix * (1 - adult.matrix)).sum())
    for weight, p in zip(shares, given.T, strict=True):
        # The formula of the trace, written out.
        middle = sum(p[x] * (np.diag(q) - np.outer(q, q)) for x, q in enumerate(response.matrix))
        noise += weight * np.trace(inverse.T @ middle @ inverse)
    assert effective_rows(response, adult).share == pytest.approx(sampling / (sampling + noise), rel=1e-12)


def test_cross_tables_are_read_as_they_are_under_kept_associations_only(adult: Joint, marital: Distribution) -> None:
    channel = Channel(marital.outcomes, marital.outcomes, keeping(marital.probabilities, 0.2))
    shares = adult.matrix.sum(axis=0)
    given = adult.matrix / shares
    assert np.abs(channel.matrix.T @ given - given).max() == pytest.approx(0.106, abs=5e-4)
    assert effective_rows(channel, adult, own=True).estimator is Estimator.CORRECTED
    # Per background a channel that keeps its shares, by drawing a fifth of the rows again: it reads pairs.
    pairs, rows = [], []
    for at, z in enumerate(adult.columns):
        met = np.flatnonzero(given[:, at])
        kept = np.zeros((len(met), len(adult.rows)))
        kept[:, met] = 0.8 * np.eye(len(met)) + 0.2 * given[met, at]
        pairs += [(adult.rows[x], z) for x in met]
        rows += list(kept)
    both = Channel(pairs, adult.rows, np.array(rows))
    found = effective_rows(both, adult, own=True)
    assert found.estimator is Estimator.DIRECT and 0.5 <= found.share < 1


def test_direct_is_worth_half_the_rows_at_least() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        p = rng.dirichlet(np.ones(4))
        source = Distribution("abcd", p)
        weights = rng.random((4, 4)) ** 3
        for _ in range(2000):
            weights *= (p / weights.sum(axis=1))[:, None]
            weights *= p / weights.sum(axis=0)
        channel = Channel("abcd", "abcd", weights / weights.sum(axis=1, keepdims=True))
        found = effective_rows(channel, source, own=True)
        assert found.share >= 0.5 - 1e-9


def test_it_agrees_with_simulation(marital: Distribution) -> None:
    rng, n, runs, p = np.random.default_rng(18), 20_000, 3000, marital.probabilities
    sampling = (1 - p @ p) / n
    for epsilon in (1.0, 3.0):
        channel = randomized_response(epsilon, letters=marital.outcomes).channel()
        released = rng.multinomial(n, p @ channel.matrix, size=runs) / n
        errors = ((released @ np.linalg.inv(channel.matrix) - p) ** 2).sum(axis=1).mean()
        assert effective_rows(channel, marital).share == pytest.approx(sampling / errors, rel=0.05)
    # Direct: the table is given, and the channel was made for it.
    matrix = keeping(p, 0.2)
    counts = np.round(p * n).astype(int)
    drawn = np.sum([rng.multinomial(count, row, size=runs) for count, row in zip(counts, matrix, strict=True)], axis=0)
    noise = ((drawn / n - p) ** 2).sum(axis=1).mean()
    found = effective_rows(Channel(marital.outcomes, marital.outcomes, matrix), marital, own=True)
    assert found.share == pytest.approx(sampling / (sampling + noise), rel=0.05)


def test_cross_tables_agree_with_simulation() -> None:
    """The error of every cell as a share of all rows, where rows, and what goes with them, are drawn."""
    rng, n, runs = np.random.default_rng(19), 12_000, 3000
    cells = np.array([[0.7 * 0.25, 0.2 * 0.75], [0.3 * 0.25, 0.8 * 0.75]])
    channel = Channel("ab", "ab", [[0.8, 0.2], [0.3, 0.7]])
    released = rng.multinomial(n, (channel.matrix.T @ cells).ravel(), size=runs).reshape(runs, 2, 2) / n
    found = np.einsum("yx,ryz->rxz", np.linalg.inv(channel.matrix), released)
    errors = ((found - cells) ** 2).sum(axis=(1, 2)).mean()
    sampling = (cells * (1 - cells)).sum() / n
    assert effective_rows(channel, Joint("ab", "zw", cells)).share == pytest.approx(sampling / errors, rel=0.05)


def test_more_outputs_than_values_are_weighed_and_unbiased() -> None:
    channel = unary_encoding(1.5, letters="abcd").channel()
    assert channel is not None
    source = Distribution("abcd", [0.6, 0.3, 0.08, 0.02])
    correction = Correction.of(channel, source.probabilities @ channel.matrix)
    np.testing.assert_allclose(channel.matrix @ correction.scores, np.eye(4), atol=1e-9)
    rng, n = np.random.default_rng(20), 5000
    released = rng.multinomial(n, source.probabilities @ channel.matrix, size=4000) / n
    errors = ((released @ correction.scores - source.probabilities) ** 2).sum(axis=1).mean()
    worth = (1 - source.probabilities @ source.probabilities) / n / errors
    assert effective_rows(channel, source).share == pytest.approx(worth, rel=0.05)
    plain = np.linalg.pinv(channel.matrix)
    assert errors <= ((released @ plain - source.probabilities) ** 2).sum(axis=1).mean()


def test_the_ends() -> None:
    uniform = Distribution.uniform("abc")
    assert effective_rows(Channel.identity("abc"), uniform).share == pytest.approx(1)
    assert effective_rows(Channel.constant("abc", uniform), uniform).share == 0
    # Nothing varies and nothing is added.
    sure = Joint("ab", "z", [[1.0], [0.0]])
    assert effective_rows(Channel.identity("ab"), sure).share == 1.0


def test_which_values_cannot_be_told_apart() -> None:
    alike = Channel("abcd", "uvw", [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0.2, 0.8], [0.1, 0.2, 0.7]])
    assert confused_values(alike) == (("a", "b"),)
    mixture = Channel("abc", "uv", [[1, 0], [0, 1], [0.5, 0.5]])
    assert confused_values(mixture) == (("a", "b", "c"),)
    two = Channel("abcd", "uv", [[1, 0], [1, 0], [0, 1], [0, 1]])
    assert confused_values(two) == (("a", "b"), ("c", "d"))
    assert confused_values(randomized_response(1e-6, letters="ab").channel()) == ()


def test_means_of_numbers() -> None:
    assert effective_rows_of_mean(4.0, 12.0) == 0.25
    assert effective_rows_of_mean(4.0, 3.0, slope=0.5) == 0.25
    assert effective_rows_of_mean(0.0, 0.0) == 1.0
    with pytest.raises(InputError, match="slope other than 0"):
        effective_rows_of_mean(1.0, 1.0, 0.0)
    # Randomized response moves every number towards the middle: a straight line of slope b.
    numbers = (0, 1, 2, 3)
    source = Distribution(numbers, [0.1, 0.2, 0.3, 0.4])
    channel = randomized_response(2.0, letters=numbers).channel()
    x, p = np.array(numbers), source.probabilities
    slope = channel.matrix[0, 0] - channel.matrix[0, 1]
    noise = float(p @ (channel.matrix @ x**2 - (channel.matrix @ x) ** 2))
    variance = float(p @ x**2 - (p @ x) ** 2)
    assert effective_rows_of_numbers(channel, source) == pytest.approx(variance / (variance + noise / slope**2))
    # Clamped noise bends the line; only the correction is left, and it knows the mean all the same.
    clamped = Channel((0, 1, 2), (0, 1, 2), [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    bent = Channel((0, 1, 2), (0, 1, 2), [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.0, 0.2, 0.8]])
    even = Distribution.uniform((0, 1, 2))
    assert 0 < effective_rows_of_numbers(bent, even) < effective_rows_of_numbers(Channel.identity((0, 1, 2)), even)
    assert effective_rows_of_numbers(clamped, even) > 0
    assert effective_rows_of_numbers(Channel.constant((0, 1, 2), even), even) == 0
    with pytest.raises(InputError, match="not numbers"):
        effective_rows_of_numbers(Channel.identity("ab"), Distribution.uniform("ab"))


def test_means_agree_with_simulation() -> None:
    rng, n, runs = np.random.default_rng(21), 400, 4000
    values = rng.gamma(2.0, 3.0, size=(runs, n))
    released = 2.0 + 0.5 * values + rng.laplace(0, 2.0, size=(runs, n))
    errors = (((released - 2) / 0.5).mean(axis=1) - 6.0).var()
    assert effective_rows_of_mean(18.0, 8.0, 0.5) == pytest.approx(18.0 / n / errors, rel=0.05)
