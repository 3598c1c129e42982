"""Measured coverage: intervals said to hold the truth 95 times in 100 must do so at least 93 times, everywhere.

Each configuration draws many samples from a known population and counts the intervals that hold its true value.
The interval is measured before it is widened to hold a point estimate, so that it holds for every estimator. The
diagonal of each grid of shapes, sample sizes and weights runs always, the whole grid every night.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest

from leakgauge.measures import guessing, renyi, shannon, vulnerability
from leakgauge.measures.bias import GroupingShares
from leakgauge.measures.estimation import Estimator, estimate
from leakgauge.measures.information import Unit
from leakgauge.measures.intervals import intervals
from leakgauge.measures.terms import FORMULAS, AxisRoles, Layout, Measure
from leakgauge.probability import Channel, Counts, Joint, Scenario
from leakgauge.randomness import simulation
from tests.grids import diagonal

Floats = npt.NDArray[np.float64]

BASIC: tuple[Measure, ...] = (shannon.entropy, shannon.conditional_entropy, shannon.mutual_information)
BACKGROUND: tuple[Measure, ...] = tuple(measure for measure in FORMULAS if measure not in BASIC)
PROMISED = 0.93


def zipf(size: int) -> Floats:
    weights = 1 / np.arange(1, size + 1)
    return np.asarray(weights / weights.sum())


def pairs(shape: tuple[int, int], n: int, generator: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """Populations of pairs: independent, at the edge of what n can tell, strong, deterministic, rare cells."""
    uniform = np.full(shape, 1 / (shape[0] * shape[1]))
    yield "independent, uniform", uniform
    yield "independent, Zipf", np.outer(zipf(shape[0]), zipf(shape[1]))
    signs = generator.choice([-1.0, 1.0], size=shape)
    signs -= signs.mean(axis=0)
    signs -= signs.mean(axis=1, keepdims=True)
    freedom = (shape[0] - 1) * (shape[1] - 1)
    for deviations in (1, 6):
        # 2 n I of so many standard deviations of the chi-squared law under independence.
        size = np.sqrt(deviations * np.sqrt(2 * freedom) / n / max((signs**2 * uniform).sum(), 1e-9))
        weak = uniform * (1 + np.clip(size * signs, -0.95, 0.95))
        yield f"weak by {deviations}", weak / weak.sum()
    strong = 0.6 * np.eye(*shape) / min(shape) + 0.4 * uniform
    yield "strong", strong / strong.sum()
    if shape[0] == shape[1]:
        yield "deterministic, uniform", np.eye(shape[0]) / shape[0]
        yield "deterministic, Zipf", np.diag(zipf(shape[0]))
    for concentration in (0.05, 0.2, 0.5, 1.0, 10.0):
        drawn = generator.dirichlet(np.full(uniform.size, concentration))
        yield f"Dirichlet {concentration}", drawn.reshape(shape)


def triples(shape: tuple[int, int, int], generator: np.random.Generator) -> Iterator[tuple[str, Floats]]:
    """Populations of secret, release and background."""
    x, y, z = shape
    yield "independent, uniform", np.full(shape, 1 / np.prod(shape))
    yield "independent, Zipf", zipf(x)[:, None, None] * zipf(y)[None, :, None] * zipf(z)[None, None, :]
    known = generator.dirichlet(np.ones(x * z)).reshape(x, 1, z)
    yield "release of the secret", known * generator.dirichlet(np.ones(y), size=x)[:, :, None]
    of_x, of_y = (generator.dirichlet(np.ones(size), size=z).T for size in (x, y))
    yield "nothing beyond the background", of_x[:, None, :] * of_y[None, :, :] * zipf(z)
    everything = np.zeros(shape)
    everything[np.arange(x), np.arange(x) % y, np.arange(x) % z] = zipf(x)
    yield "deterministic", everything
    for concentration in (0.05, 0.2, 1.0, 10.0):
        yield f"Dirichlet {concentration}", generator.dirichlet(np.full(np.prod(shape), concentration)).reshape(shape)


def truth(laid: Layout, p: Floats) -> float:
    return float(p @ laid.linear + sum(g.sign * GroupingShares(g, p[None, :]).plug_in[0] for g in laid.groupings))


def covered(laid: Layout, p: Floats, n: int, repetitions: int, generator: np.random.Generator) -> tuple[float, float]:
    """How often the interval holds the truth, and its mean width, in nats."""
    samples = generator.multinomial(n, p / p.sum(), size=repetitions).astype(np.float64)
    batches = np.array_split(samples, 1 + samples.size // 50_000)  # small enough for the processor's cache
    low, high = np.hstack([intervals(laid, batch, 0.95) for batch in batches])
    value = truth(laid, p)
    return float(np.mean((low <= value + 1e-9) & (value <= high + 1e-9))), float(np.mean(high - low))


def laid_out(measure: Measure, shape: tuple[int, ...], roles: AxisRoles, weights: Floats | None) -> Layout:
    axes = dict(zip("xyz", (range(size) for size in shape), strict=False))
    return Layout(measure, Counts(axes, np.ones(shape, dtype=int)), roles, weights)


def weights_for(weighted: bool, size: int, generator: np.random.Generator) -> Floats | None:
    return generator.exponential(size=size) if weighted else None


def shortfalls(
    configurations: Iterator[tuple[str, Layout, Floats, int]], repetitions: int, generator: np.random.Generator
) -> list[str]:
    """The configurations whose coverage is below what is promised."""
    found = []
    for name, laid, p, n in configurations:
        enough = int(np.clip(450_000 / p.size, 500, repetitions))
        coverage, width = covered(laid, p, n, enough, generator)
        if coverage < PROMISED:
            found.append(f"{name}, n = {n}: {coverage:.3f} (width {width:.4g})")
    return found


def of_pairs(
    shape: tuple[int, int], times: int, weighted: bool, generator: np.random.Generator
) -> Iterator[tuple[str, Layout, Floats, int]]:
    for name, joint in pairs(shape, times * shape[0] * shape[1], generator):
        for measure in BASIC:
            laid = laid_out(measure, shape, AxisRoles(("x",), ("y",)), weights_for(weighted, shape[0], generator))
            p = joint.sum(axis=1) if measure is shannon.entropy else joint.ravel()
            yield f"{measure.__name__} of {name} {shape}", laid, p, times * p.size


def of_triples(
    shape: tuple[int, int, int], times: int, weighted: bool, generator: np.random.Generator
) -> Iterator[tuple[str, Layout, Floats, int]]:
    for name, joint in triples(shape, generator):
        for measure in BACKGROUND:
            weights = weights_for(weighted, shape[0], generator)
            laid = laid_out(measure, shape, AxisRoles(("x",), ("y",), ("z",)), weights)
            p = joint.sum(axis=1).ravel() if measure is shannon.background_floor else joint.ravel()
            yield f"{measure.__name__} of {name} {shape}", laid, p, times * p.size


def of_responses(
    size: int, times: int, weighted: bool, generator: np.random.Generator
) -> Iterator[tuple[str, Layout, Floats, int]]:
    """Randomized response; at the uniform law it has its capacity, and the first-order variance vanishes."""
    sources = {"uniform": np.full(size, 1 / size), "Zipf": zipf(size)}
    for concentration in (0.05, 0.5, 10.0):
        sources[f"Dirichlet {concentration}"] = generator.dirichlet(np.full(size, concentration))
    for epsilon in (0.3, 1.0, 4.0, 30.0):
        matrix = np.ones((size, size)) + np.expm1(epsilon) * np.eye(size)
        channel = Channel(range(size), range(size), matrix / matrix.sum(axis=1, keepdims=True))
        for name, p in sources.items():
            for measure in BASIC[1:]:
                weights = weights_for(weighted, size, generator)
                laid = laid_out(measure, (size,), AxisRoles(("x",), channel=channel), weights)
                yield f"{measure.__name__} of {name} ({size}) by ε = {epsilon}", laid, p, times * size


def of_known_backgrounds(
    shape: tuple[int, int, int], times: int, weighted: bool, generator: np.random.Generator
) -> Iterator[tuple[str, Layout, Floats, int]]:
    """A known channel from the secret, and a background that is counted."""
    x, z, y = shape
    channel = Channel(range(x), range(y), generator.dirichlet(np.full(y, 0.5), size=x))
    for concentration in (0.1, 1.0, 10.0):
        p = generator.dirichlet(np.full(x * z, concentration))
        for measure in BACKGROUND:
            axes = {"x": range(x), "z": range(z)}
            roles = AxisRoles(("x",), (), ("z",), channel)
            counts = Counts(axes, np.ones((x, z), dtype=int))
            laid = Layout(measure, counts, roles, weights_for(weighted, x, generator))
            yield f"{measure.__name__} of Dirichlet {concentration} {shape} by a channel", laid, p, times * x * z


@pytest.mark.parametrize(
    ("shape", "times", "weighted"), diagonal([(2, 2), (3, 4), (7, 14)], [50, 1000, 5], [True, False])
)
def test_pairs(shape: tuple[int, int], times: int, weighted: bool) -> None:
    generator = simulation(1)
    assert shortfalls(of_pairs(shape, times, weighted, generator), 1000, generator) == []


@pytest.mark.nightly
@pytest.mark.parametrize("times", [5, 1000])
def test_large_pairs(times: int) -> None:
    generator = simulation(1)
    assert shortfalls(of_pairs((30, 30), times, times == 1000, generator), 1000, generator) == []


@pytest.mark.parametrize(("shape", "times", "weighted"), diagonal([(2, 2, 2), (3, 4, 2)], [100, 5], [True, False]))
def test_background(shape: tuple[int, int, int], times: int, weighted: bool) -> None:
    generator = simulation(2)
    assert shortfalls(of_triples(shape, times, weighted, generator), 1000, generator) == []


@pytest.mark.nightly
@pytest.mark.parametrize("times", [5, 50])
def test_large_background(times: int) -> None:
    generator = simulation(2)
    assert shortfalls(of_triples((7, 14, 5), times, times == 50, generator), 500, generator) == []


@pytest.mark.parametrize(("size", "times", "weighted"), diagonal([2, 7], [50, 5, 1000], [False, True]))
def test_known_channels(size: int, times: int, weighted: bool) -> None:
    generator = simulation(3)
    assert shortfalls(of_responses(size, times, weighted, generator), 1000, generator) == []


@pytest.mark.parametrize(("shape", "times"), diagonal([(3, 2, 5), (5, 7, 4)], [50, 5]))
def test_known_channels_with_background(shape: tuple[int, int, int], times: int) -> None:
    generator = simulation(4)
    assert shortfalls(of_known_backgrounds(shape, times, False, generator), 500, generator) == []


ADULT = """
819 0 464 604 64 128 277 501 28 539 79 434 140 181
5 0 3 1 1 0 0 4 0 3 1 2 0 1
986 3 2564 2444 575 467 991 723 16 2126 383 1663 404 994
59 0 52 31 24 23 26 59 4 47 5 34 6 19
1591 6 872 799 289 696 571 1641 67 1234 156 1319 331 340
147 0 103 94 18 38 84 190 12 99 16 93 28 37
163 0 41 93 23 18 53 177 22 92 9 105 19 25
"""


def as_adult() -> Floats:
    """Marital status by occupation of Adult, 30,718 rows."""
    table = np.array(ADULT.split(), dtype=float).reshape(7, 14)
    return np.asarray(table / table.sum())


@pytest.mark.parametrize("times", [5, 50, 313])
def test_real_counts(times: int) -> None:
    generator = simulation(5)
    joint = as_adult()
    configurations = (
        (measure.__name__, laid_out(measure, joint.shape, AxisRoles(("x",), ("y",)), None), p, times * p.size)
        for measure in BASIC
        for p in [joint.sum(axis=1) if measure is shannon.entropy else joint.ravel()]
    )
    assert shortfalls(configurations, 2000, generator) == []


@pytest.mark.parametrize("times", [50, 1000])
@pytest.mark.parametrize("measure", BASIC)
def test_width_is_near_the_ideal(measure: Measure, times: int) -> None:
    generator = simulation(6)
    for concentration in (0.5, 1.0, 10.0):
        p = generator.dirichlet(np.full(98, concentration)).reshape(7, 14)
        laid = laid_out(measure, p.shape, AxisRoles(("x",), ("y",)), None)
        cells = p.sum(axis=1) if measure is shannon.entropy else p.ravel()
        _, width = covered(laid, cells, times * cells.size, 400, generator)
        samples = generator.multinomial(times * cells.size, cells, size=2000) / (times * cells.size)
        values = np.sum([g.sign * GroupingShares(g, samples).plug_in for g in laid.groupings], axis=0)
        assert width < 1.5 * 2 * 1.96 * float(np.std(values))


@pytest.mark.parametrize("how", Estimator)
@pytest.mark.parametrize("measure", BASIC)
def test_every_estimator_has_at_least_that_interval(measure: Callable[..., float], how: Estimator) -> None:
    generator = simulation(7)
    roles = AxisRoles(("x",), ("y",))
    for _ in range(20):
        counts = Counts({"x": range(3), "y": range(4)}, generator.integers(0, 9, size=(3, 4)))
        laid = Layout(measure, counts, roles, None)
        low, high = intervals(laid, laid.observed[None, :].astype(float), 0.95)
        found = estimate(measure, counts, ["x"], ["y"], estimator=how, unit=Unit.NATS)
        assert found.low <= low[0]
        assert high[0] <= found.high


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_random_grid(seed: int) -> None:
    generator = simulation(1000 + seed)
    rows, columns, known = (int(size) for size in generator.integers(2, 20, size=3))
    times = int(5 * 10 ** generator.uniform(0, 2))
    weighted = bool(seed % 2)
    found = shortfalls(of_pairs((rows, columns), times, weighted, generator), 4000, generator)
    shape = (min(rows, 7), min(columns, 7), min(known, 5))
    found += shortfalls(of_triples(shape, times, weighted, generator), 4000, generator)
    found += shortfalls(of_responses(rows, times, weighted, generator), 4000, generator)
    found += shortfalls(of_known_backgrounds(shape, times, weighted, generator), 1000, generator)
    assert found == []


@pytest.mark.nightly
@pytest.mark.parametrize("measure", [vulnerability.posterior, guessing.posterior, renyi.leakage])
@pytest.mark.parametrize("shape", [(2, 2), (3, 4)], ids=str)
def test_redrawn_measures(measure: Measure, shape: tuple[int, int]) -> None:
    generator = simulation(8)
    uniform = np.full(shape, 1 / (shape[0] * shape[1]))
    for population in (uniform, generator.dirichlet(np.ones(uniform.size)).reshape(shape)):
        axes = {"x": range(shape[0]), "y": range(shape[1])}
        joint = Joint(axes["x"], axes["y"], population)
        value = measure(Scenario(joint.row_marginal(), joint.channel()))
        held = 0
        for _ in range(200):
            sample = generator.multinomial(20 * uniform.size, population.ravel()).reshape(shape)
            found = estimate(measure, Counts(axes, sample), ["x"], ["y"])
            held += found.low - 1e-9 <= value <= found.high + 1e-9
        assert held >= PROMISED * 200
