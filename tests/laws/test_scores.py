"""Laws of the scores, on mechanisms and not on leaves: every mechanism of the catalogue, and designed channels."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, rankdata, spearmanr

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.scores import Attacker, Neighbours, ScoreEvidence, Scores, Statistic, share
from leakgauge.assessment.scores.answers import evidence_of_answers
from leakgauge.assessment.scores.evidence import evidence_by_law, gained_in_attack
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.assessment.scores.usefulness import statistics_of
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise, ranked
from leakgauge.design import Keep, Knowledge, MaxDistortion, RateDistortion, solve
from leakgauge.distances import Hamming
from leakgauge.mechanisms import CATALOGUE, Mechanism, laplace, randomized_response, through_channel
from leakgauge.mechanisms.noisy_number import NoisyNumber
from leakgauge.probability import Channel, Distribution, Joint
from leakgauge.probability.cells import Floats
from leakgauge.randomness import Simulated, simulation
from leakgauge.release.estimates.offered import Offered
from leakgauge.release.estimates.reading import protected_column
from tests.grids import diagonal, nightly
from tests.laws.releases import BUDGETS, LETTERS, NUMBERS, columns_of_numbers, household, sources

NEAR = 1e-6
SIZES = [2, 7, nightly(3), nightly(12), nightly(60)]


def by_law(law: ReleaseLaw, numbers: Floats | None = None, **more: object) -> Scores:
    return scores_of(evidence_by_law(law, numbers=numbers, **more))  # type: ignore[arg-type]


def guaranteed_points(scores: Scores) -> float:
    """100 less the advantage, in percent, that is claimed at most."""
    return 0.0 if scores.guarantee is None else 100 * (1 - scores.guarantee.advantage)


def of_noise(noise: Mechanism, column: Floats, bins: int = 128) -> Scores:
    """Of numbers with noise, whose variance recipients know."""
    law, points = law_of_noise(_noise(noise), column, np.full(len(column), 1 / len(column)), bins)
    worth = statistics_of(law, points, Offered(protected_column("numbers", noise)))
    return by_law(law, points, claims=noise.claims, statistics=tuple(worth))


def _noise(mechanism: Mechanism) -> NoisyNumber:
    assert mechanism.noise is not None
    return mechanism.noise


def through(source: Distribution | Joint, channel: Channel, numbers: Floats | None = None, **more: object) -> Scores:
    return by_law(ReleaseLaw(source, channel), numbers, claims=through_channel(channel).claims, **more)


def with_company(source: Distribution, seed: int = 1) -> Joint:
    """The source with two columns that tell a little of it."""
    draw = simulation(seed)
    given = draw.dirichlet(np.ones(6), size=len(source))
    labels = [(v, z) for v in "ab" for z in "cde"]
    return Joint(source.outcomes, labels, source.probabilities[:, None] * given)


def test_the_releases_hold_every_mechanism() -> None:
    answers_only = {"report-noisy-max", "above-threshold", "sparse-vector"}
    assert LETTERS.keys() | NUMBERS.keys() | answers_only >= CATALOGUE.keys()


# 1. Ends: a raw copy, and a release that tells nothing.


@pytest.mark.parametrize("size", [2, 7, 60, nightly(500)])
@pytest.mark.parametrize("of_numbers", [False, True])
def test_a_raw_copy_protects_nobody_and_is_of_full_use(size: int, of_numbers: bool) -> None:
    for source in sources(size):
        scores = through(
            source, Channel.identity(source.outcomes), np.arange(size, dtype=np.float64) if of_numbers else None
        )
        assert scores.protection.value <= 1
        assert scores.surest.value == pytest.approx(100)
        assert guaranteed_points(scores) == 0
        assert scores.usefulness.value >= 99


@pytest.mark.parametrize("size", [2, 7, 60, nightly(500)])
@pytest.mark.parametrize("of_numbers", [False, True])
def test_what_tells_nothing_protects_everybody_and_is_of_no_use(size: int, of_numbers: bool) -> None:
    for source in sources(size):
        constant, p = np.eye(size)[[size - 1] * size], source.probabilities
        for matrix in (constant, np.tile(p, (size, 1)), np.full((size, size), 1 / size)):
            channel = Channel(source.outcomes, source.outcomes, matrix)
            scores = through(source, channel, np.arange(size, dtype=np.float64) if of_numbers else None)
            assert scores.protection.value >= 99
            assert scores.surest.value <= NEAR
            assert guaranteed_points(scores) >= 99
            assert scores.usefulness.value <= 1


def test_numbers_and_counts_at_their_ends() -> None:
    for column in columns_of_numbers(500).values():
        law, points = law_of_noise(laplace(1e-4, lower=0, upper=100), column, np.full(len(column), 1 / len(column)))
        noise = of_noise(laplace(1e-4, lower=0, upper=100), column)
        assert min(noise.protection.value, 100 - noise.usefulness.value, 100 - noise.surest.value) >= 99
        raw_law = ReleaseLaw(Distribution(points, law.shares), Channel.identity(points))
        raw = by_law(raw_law, points)
        assert max(raw.protection.value, 100 - raw.usefulness.value, 100 - raw.surest.value) <= 1
    for size in (2, 40):
        for source in sources(size):
            p, one = source.probabilities, Neighbours.MEMBERSHIP
            noise = scores_of(evidence_of_answers(p, laplace(1e-3, sensitivity=1, grid=1), 100, one))
            assert min(noise.protection.value, guaranteed_points(noise), 100 - noise.usefulness.value) >= 99
            assert noise.surest.ends[1] <= 0.2
            raw = scores_of(evidence_of_answers(p, laplace(60.0, sensitivity=1, grid=1), 100, one))
            assert max(raw.protection.value, guaranteed_points(raw), 100 - raw.usefulness.value) <= 1
            assert raw.surest.value >= 99


# 2. More noise of the same kind never helps an attacker nor a reader.


def require_steps(steps: list[Scores], near: float = NEAR) -> None:
    """From much noise to little."""
    for noisy, clear in pairwise(steps):
        assert clear.protection.value <= noisy.protection.value + near
        assert guaranteed_points(clear) <= guaranteed_points(noisy) + near
        assert clear.usefulness.value >= noisy.usefulness.value - near
        assert clear.surest.value >= noisy.surest.value - near


@pytest.mark.parametrize("name", list(LETTERS))
@pytest.mark.parametrize("size", SIZES)
def test_more_noise_never_protects_less(name: str, size: int) -> None:
    for source in sources(size):
        channels = [found for budget in BUDGETS if (found := LETTERS[name](source, budget)) is not None]
        require_steps([through(source, channel) for channel in channels])
        require_steps(
            [
                through(source, channel, np.arange(size, dtype=np.float64))
                for channel in channels
                if name == "exponential"
            ]
        )


@pytest.mark.parametrize("keep", [Keep.NOTHING, Keep.SHARES, Keep.ASSOCIATIONS])
@pytest.mark.parametrize("seed", [1, *map(nightly, range(2, 20))])
def test_more_distortion_never_protects_less_where_a_background_is_known(keep: Keep, seed: int) -> None:
    source = sources(4, seed)[1]
    joint = with_company(source, seed)
    p = joint.matrix
    # What a release has that is drawn afresh given what is known.
    most = (
        1 - float((p**2 / p.sum(axis=0)).sum()) if keep is Keep.ASSOCIATIONS else 1 - float((p.sum(axis=1) ** 2).sum())
    )
    if keep is Keep.NOTHING:
        most = 1 - float(p.sum(axis=1).max())
    knowledge = Knowledge.BOTH if keep is Keep.ASSOCIATIONS else Knowledge.ATTACKER
    steps = []
    for part in (0.99, 0.6, 0.3, 0.1):
        asked = RateDistortion(joint, Hamming(), MaxDistortion(part * most), knowledge, keep=keep)
        law = ReleaseLaw(joint, solve(asked, 1e-6).channel, ("v", "z"))
        steps.append(by_law(law, backgrounds=[("v", "z")]))
    require_steps(steps, near=0.01)


@pytest.mark.parametrize(("name", "clamp"), diagonal(list(NUMBERS), [False, True]))
def test_more_noise_in_numbers_never_protects_less(name: str, clamp: bool) -> None:
    for column in columns_of_numbers(500).values():
        steps = []
        for budget in (0.1, 1.0, 10.0, 60.0):
            noise = NUMBERS[name](budget, clamp)
            if not clamp:
                steps.append(of_noise(noise, column, bins=32))
                continue
            # Recipients are not told how to read what was clamped.
            law, points = law_of_noise(noise, column, np.full(len(column), 1 / len(column)), bins=32)
            steps.append(by_law(law, points, claims=noise.claims, statistics=()))
        require_steps(steps, near=0.01)  # cells of released numbers are not the same


@pytest.mark.parametrize("size", [2, 40, nightly(500)])
def test_more_noise_in_counts_never_protects_less(size: int) -> None:
    for source in sources(size):
        for rows in (100, 10**6):
            steps = [
                evidence_of_answers(
                    source.probabilities, laplace(e, sensitivity=1, grid=1), rows, Neighbours.MEMBERSHIP
                )
                for e in (0.1, 0.5, 1.0, 2.0, 5.0)
            ]
            require_steps([scores_of(one) for one in steps])


# 3. Equal law, equal scores, whatever was declared; and however finely numbers are counted.


def test_what_is_declared_does_not_matter() -> None:
    column = columns_of_numbers(300)["bell"].round()
    found = [of_noise(laplace(e, lower=0, upper=upper), column) for e, upper in ((1.0, 100), (2.0, 200), (10.0, 1000))]
    assert len({(one.protection, one.surest, one.usefulness) for one in found}) == 1


def off_by_bins(column: Floats, scale: float) -> float:
    """By how much a score of 6 points, or 40, differs at most from that of 500."""
    found = []
    for bins in (3, 20, 250):
        scores = of_noise(laplace(100 / scale, lower=0, upper=100), column, bins)
        found.append((scores.protection.value, scores.usefulness.value))
    return float(np.abs(np.array(found) - found[-1]).max())


@pytest.mark.parametrize("scale", [100.0, 10.0, 1.0, *map(nightly, (300.0, 30.0, 3.0, 0.3))])
def test_scores_of_numbers_do_not_depend_on_how_many_are_counted(scale: float) -> None:
    for name, column in columns_of_numbers(1000).items():
        assert off_by_bins(column, scale) <= 3, name


@pytest.mark.parametrize("scale", [3.0, *map(nightly, (10.0, 1.0, 0.3, 0.1))])
def test_few_points_never_hide_who_is_exposed(scale: float) -> None:
    for name, column in columns_of_numbers(1000).items():
        even, found = np.full(len(column), 1 / len(column)), []
        for bins in (5, 50, 250):
            law, points = law_of_noise(laplace(100 / scale, lower=0, upper=100), column, even, bins)
            found.append(by_law(law, points).surest.value)
        assert found[0] >= found[2] - 10, name
        assert abs(found[1] - found[2]) <= 5, name


@pytest.mark.parametrize("scale", [10.0, *map(nightly, (100.0, 30.0, 3.0, 1.0))])
def test_nor_do_those_of_a_household(data: Path, scale: float) -> None:
    for name, column in list(household(data).items())[::3]:
        assert off_by_bins(100 * column[::20] / column.max(), scale) <= 3, name


# 4. Processing, publishing and knowing.


@pytest.mark.parametrize("name", list(LETTERS))
def test_processing_publishing_and_knowing(name: str) -> None:
    draw = simulation(7)
    for source in sources(5):
        joint, channel = with_company(source), LETTERS[name](source, 2.0)
        assert channel is not None
        columns = ("v", "z")
        alone = by_law(ReleaseLaw(joint, channel, columns))
        # Processing what is released.
        random = Channel(channel.outputs, range(4), draw.dirichlet(np.ones(4), size=len(channel.outputs)))
        merged = Channel(channel.outputs, range(2), np.eye(2)[np.arange(len(channel.outputs)) % 2])
        for later in (random, merged):
            processed = by_law(ReleaseLaw(joint, channel.then(later), columns))
            assert processed.protection.value >= alone.protection.value - NEAR
            assert processed.surest.value <= alone.surest.value + NEAR
        # Publishing a column, and declaring more background.
        published = by_law(ReleaseLaw(joint, channel, columns, ("v",)))
        both = by_law(ReleaseLaw(joint, channel, columns, columns))
        assert alone.protection.value + NEAR >= published.protection.value >= both.protection.value - NEAR
        known = by_law(ReleaseLaw(joint, channel, columns, ("v",)), backgrounds=[["z"]])
        more = by_law(ReleaseLaw(joint, channel, columns, ("v",)), backgrounds=[["z"], ["v", "z"]])
        assert published.protection.value >= known.protection.value >= more.protection.value
        assert published.surest.value <= known.surest.value <= more.surest.value
        wider = by_law(ReleaseLaw(joint, channel, columns, ("v",)), backgrounds=[["v", "z"]])
        assert known.protection.value >= wider.protection.value and known.surest.value <= wider.surest.value
        response = randomized_response(1.0, letters="cde").channel()
        noisy = by_law(ReleaseLaw(joint, channel, columns, ("v",)).with_release("z", response, "z released"))
        assert published.protection.value + NEAR >= noisy.protection.value >= both.protection.value - NEAR
        # A column that stays private is in the law of nobody.
        private = by_law(ReleaseLaw(source, channel))
        assert private.protection.value == pytest.approx(alone.protection.value)
        assert private.surest.value == pytest.approx(alone.surest.value)
        assert private.usefulness.value == pytest.approx(alone.usefulness.value)


@pytest.mark.parametrize("seed", [*range(40), *map(nightly, range(40, 400))])
def test_declaring_more_background_never_raises_the_protection(seed: int) -> None:
    """Of an attacker who knows everything declared the release may reveal less than of one who knows a part."""
    draw = simulation(seed)
    sizes = draw.integers(2, 4, size=4)
    cells = draw.dirichlet(np.full(sizes.prod(), draw.choice([0.1, 0.5, 2.0]))).reshape(sizes[0], -1)
    labels = [(a, b, c) for a in range(sizes[1]) for b in range(sizes[2]) for c in range(sizes[3])]
    joint = Joint(range(int(sizes[0])), labels, cells)
    channel = randomized_response(float(draw.uniform(0.5, 4)), letters=joint.rows).channel()
    published = draw.choice(["", "a"])
    law = ReleaseLaw(joint, channel, ("a", "b", "c"), ("a",) if published else ())
    declared: tuple[str, ...] = ()
    before = by_law(law)
    for name in draw.permutation(["a", "b", "c"]).tolist():
        declared = (*declared, name)
        after = by_law(law, backgrounds=[declared])
        assert after.protection.value <= before.protection.value
        assert after.surest.value >= before.surest.value
        before = after


# 5. What is not known.


def shares() -> st.SearchStrategy[Quantity | None]:
    ends = st.tuples(*[st.floats(0, 1)] * 3).map(sorted)
    return st.none() | ends.map(lambda three: share(three[1], three[0], three[2]))


@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_taking_evidence_away_never_raises_the_lower_end(data: st.DataObject, people: int, statistics: int) -> None:
    attackers = tuple(
        Attacker((str(at),), data.draw(shares()), data.draw(shares()), surest=data.draw(shares()))
        for at in range(people)
    )
    worths = tuple(Statistic((str(at),), data.draw(shares())) for at in range(statistics))
    whole = ScoreEvidence(attackers=attackers, statistics=worths)
    before = scores_of(whole)
    for less in (
        ScoreEvidence(attackers=()),
        ScoreEvidence(
            attackers=tuple(Attacker(one.knows, None, one.told, surest=one.surest) for one in attackers),
            statistics=worths[:0],
        ),
        ScoreEvidence(attackers=tuple(Attacker(one.knows, one.gained, one.told) for one in attackers)),
        ScoreEvidence(attackers=attackers, statistics=(*worths[1:], Statistic(worths[0].columns))),
    ):
        after = scores_of(less)
        for name in ("protection", "usefulness"):
            low, high = getattr(after, name).ends
            assert 0 <= low <= getattr(before, name).ends[0] + NEAR, name
            assert low <= getattr(after, name).value <= high <= 100
        assert after.surest.ends[1] >= before.surest.ends[1] - NEAR


@pytest.mark.parametrize("name", list(LETTERS))
def test_a_trace_of_noise_moves_no_score(name: str) -> None:
    for source in sources(6):
        channel = LETTERS[name](source, 3.0)
        assert channel is not None
        even = np.full(channel.matrix.shape, 1 / len(channel.outputs))
        mixed = Channel(channel.inputs, channel.outputs, (1 - 1e-8) * channel.matrix + 1e-8 * even)
        before, after = (by_law(ReleaseLaw(source, one)) for one in (channel, mixed))
        for score in ("protection", "surest", "usefulness"):
            assert getattr(after, score).value == pytest.approx(getattr(before, score).value, abs=0.1), score


# 7. The order.


def drawn(source: Distribution, channel: Channel, rows: int, seed: int) -> Quantity:
    """What the best guess gains on a release of so many rows, with an interval of 99.9%."""
    people = simulation(seed).choice(len(source), size=rows, p=source.probabilities)
    released = through_channel(channel).law.draw(people, Simulated(seed))
    right = int((np.asarray(source.probabilities[:, None] * channel.matrix).argmax(axis=0)[released] == people).sum())
    usual = int((people == source.probabilities.argmax()).sum())

    def interval(hits: int) -> Quantity:
        low, high = beta.ppf([0.0005, 0.9995], [hits, hits + 1], [rows - hits + 1, max(rows - hits, 1)])
        return Quantity(hits / rows, "1", float(np.nan_to_num(low)), float(high))

    success, baseline = interval(right), interval(usual)
    gains = (success.ends[0] - baseline.ends[1], success.ends[1] - baseline.ends[0])
    return gained_in_attack(Quantity(success.value - baseline.value, "1", *gains), baseline)


def test_on_drawn_releases_attacks_rank_as_the_score_does() -> None:
    """Of releases that change a guess at all: where none does, as of most values that dominate, information decides."""
    protections, found = [], []
    for table, source in enumerate((*sources(2, 1), *sources(4, 2), *sources(9, 3))):
        for name in ("randomized-response", "keep-or-redraw", "exponential"):
            for budget in (0.5, 2.0, 4.0):
                channel = LETTERS[name](source, budget)
                assert channel is not None
                evidence = evidence_by_law(ReleaseLaw(source, channel))
                gained = drawn(source, channel.dyadic(), 4000, table)
                assert evidence.attackers[0].gained is not None
                assert evidence.attackers[0].gained.value in gained
                if evidence.attackers[0].gained.value > NEAR:
                    protections.append(scores_of(evidence).protection.value)
                    found.append(gained.value)
    assert len(found) >= 20
    assert spearmanr(protections, np.negative(found)).statistic >= 0.95


@pytest.mark.parametrize("epsilon", [4.0, *map(nightly, (1.0, 20.0))])
def test_on_drawn_numbers_the_law_holds(epsilon: float) -> None:
    """The posterior mean explains the share of the variance of ranks that the law says."""
    rows = 20_000
    for clamp in (False, True):
        column = columns_of_numbers(rows)["skewed"]
        noise = laplace(epsilon, lower=0, upper=100, clamp=clamp)
        law, points = law_of_noise(noise, column, np.full(rows, 1 / rows))
        assert law.channel is not None
        evidence = evidence_by_law(law, numbers=points)
        released = np.asarray(noise.run(column, Simulated(5)), dtype=np.float64)
        sight = law.sight()
        places = np.array(law.channel.outputs)
        middles = (places[1:] + places[:-1]) / 2
        merged, ranks = ranked(points, law.shares)
        guess = sight.of_classes(merged).means(ranks)[np.searchsorted(middles, released)]
        true = rankdata(column) / rows
        explained = 1 - float(((true - guess) ** 2).mean()) / true.var()
        line = float(np.corrcoef(column, released)[0, 1] ** 2)
        (attacker,) = evidence.attackers
        assert attacker.gained is not None
        assert attacker.gained.value == pytest.approx(explained, abs=0.02)
        if not clamp:
            assert of_noise(noise, column).usefulness.value == pytest.approx(100 * line, abs=2)


def test_on_drawn_counts_the_law_holds() -> None:
    draw, rows = simulation(9), 20_000
    for source in sources(6):
        noise = laplace(1.5, sensitivity=1, grid=1)
        people = draw.choice(6, size=rows, p=source.probabilities)
        answers = noise.run(np.eye(6, dtype=np.int64)[people].ravel(), Simulated(2)).reshape(rows, 6)
        # Of somebody who knows everybody else: the likelihood of a count is that of the person's own 1 or of 0.
        scores = np.log(source.probabilities) + 1.5 * np.where(answers >= 1, 1, -1)
        right = float((scores.argmax(axis=1) == people).mean())
        baseline = float(source.probabilities.max())
        (attacker,) = evidence_of_answers(source.probabilities, noise, rows, Neighbours.MEMBERSHIP).attackers
        assert attacker.gained is not None
        assert attacker.gained.value == pytest.approx((right - baseline) / (1 - baseline), abs=0.06)
