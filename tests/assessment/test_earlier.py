"""Earlier releases of the same secret, counted together with this one for the people in both."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts.scores import Attacker, AttackerName, ScoreEvidence
from leakgauge.assessment.earlier import Levels
from leakgauge.assessment.outgoing import Outgoing
from leakgauge.assessment.scores.reading import scores_of
from leakgauge.case import Case
from leakgauge.case.earlier import EarlierChannel, together
from leakgauge.case.law import ReleaseLaw
from leakgauge.case.numbers import law_of_noise
from leakgauge.mechanisms import discrete_gaussian, laplace
from leakgauge.probability import Channel, Distribution
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import simulation
from leakgauge.release import ReleasePlan
from leakgauge.release.bound import RecordedPlan, bind
from leakgauge.tables import open_table

NEAR = 1e-9
MARITAL = {
    "divorced": 4258,
    "army": 21,
    "married": 14339,
    "absent": 389,
    "never": 9912,
    "separated": 959,
    "widowed": 840,
}
"""Adult, the 30,718 rows with an occupation."""
P = np.array([*MARITAL.values()]) / sum(MARITAL.values())
SECRET = ("status",)


def keep_or_redraw(kept: float) -> Floats:
    return kept * np.eye(len(P)) + (1 - kept) * P


def randomized_response(epsilon: float) -> Floats:
    matrix = np.exp(epsilon * np.eye(len(P)))
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def protection_of(*months: Floats) -> float:
    """By brute force: every sequence of outputs, of a person with the same value in all months."""
    joint = P[:, None]
    for matrix in months:
        joint = (joint[:, :, None] * matrix[:, None, :]).reshape(len(P), -1)
    seen = joint.sum(axis=0)
    gained = (joint.max(axis=0).sum() - P.max()) / (1 - P.max())
    with np.errstate(divide="ignore", invalid="ignore"):
        nats = np.nansum(joint * np.log(joint / (P[:, None] * seen)))
    return float(100 * (1 - max(gained, nats / -(P * np.log(P)).sum())))


def people() -> pa.Table:
    """Adult's marital status in a tenth of the rows, and an age that goes with it."""
    draw = simulation(3)
    status = np.repeat([*MARITAL], [max(count // 10, 1) for count in MARITAL.values()])
    old = np.where(status == "never", draw.random(len(status)) < 0.2, draw.random(len(status)) < 0.6)
    return pa.table({"status": status, "old": np.where(old, "yes", "no")})


def planned(table: pa.Table, matrix: Floats, public: tuple[str, ...] = ()) -> RecordedPlan:
    named = NamedChannel(Channel([*MARITAL], [*MARITAL], matrix), SECRET, SECRET)
    with open_table(table) as opened:
        return bind(ReleasePlan({"status": named}, public), opened)


def judged(
    plan: RecordedPlan, table: pa.Table, *earlier: EarlierChannel, background: tuple[str, ...] = ()
) -> ScoreEvidence:
    with open_table(table) as opened:
        return Outgoing(Case(opened, background, earlier={SECRET: earlier}), plan).evidence(SECRET)


def through(plan: RecordedPlan) -> EarlierChannel:
    own = plan.hiding(SECRET)
    assert own is not None
    return EarlierChannel.of(own)


def of_everything(evidence: ScoreEvidence) -> tuple[Attacker, ...]:
    return tuple(one for one in evidence.attackers if one.name is AttackerName.HAS_EARLIER_RELEASES)


@pytest.mark.parametrize("matrix", [keep_or_redraw(0.4), randomized_response(1.695)], ids=["redraw", "response"])
def test_two_months_through_one_channel_are_what_every_pair_of_outputs_tells(matrix: Floats) -> None:
    law = ReleaseLaw(Distribution([*MARITAL], P), Channel([*MARITAL], [*MARITAL], matrix))
    assert law.channel is not None
    found = []
    for months in (1, 2, 3):
        both, count = together(law, [law.channel] * (months - 1))
        assert count == months - 1
        sight = both.sight()
        gained = (sight.guessed() - P.max()) / (1 - P.max())
        told = 1 - sight.uncertainty() / sight.before.uncertainty()
        found.append(100 * (1 - max(gained, told)))
        assert found[-1] == pytest.approx(protection_of(*[matrix] * months), abs=1e-7)
    # assessment.md 3c: keeping 0.4 protects by 73.9; 3d: two months together clearly less.
    assert found[0] == pytest.approx(74, abs=0.2)
    assert found[0] - found[1] > 4.9 and found[1] - found[2] > 3


def test_the_verdict_counts_both_months_and_names_who_has_them() -> None:
    table = people()
    plan = planned(table, randomized_response(1.695), ("old",))
    alone = judged(plan, table, background=("old",))
    both = judged(plan, table, through(plan), background=("old",))
    assert both.attackers[: len(alone.attackers)] == alone.attackers and not of_everything(alone)
    assert [one.knows for one in of_everything(both)] == [(), ("old",)]
    for one, other in zip(alone.attackers, of_everything(both), strict=True):
        assert one.gained is not None and other.gained is not None and one.told is not None and other.told is not None
        assert (
            other.gained.value > one.gained.value
            and other.told.value > one.told.value
            and other.left == pytest.approx(one.left)
        )
    assert 75 > scores_of(alone).protection.value > scores_of(both).protection.value + 10


def test_an_earlier_release_that_tells_nothing_changes_nothing_and_a_copy_leaves_nothing() -> None:
    table = people()
    plan = planned(table, keep_or_redraw(0.4), ("old",))
    now = scores_of(judged(plan, table)).protection.value
    same, copied = (planned(table, matrix, ("old",)) for matrix in (keep_or_redraw(0.0), np.eye(len(P))))
    assert scores_of(judged(plan, table, through(same))).protection.value == pytest.approx(now, abs=1e-6)
    assert scores_of(judged(plan, table, through(copied))).protection.value == pytest.approx(0, abs=1e-6)
    # What is withheld now may have been released before.
    nothing = replace(plan, columns=())
    assert scores_of(judged(nothing, table, through(copied))).protection.value == pytest.approx(0, abs=1e-6)


def test_of_other_secrets_nothing_is_counted() -> None:
    table = people()
    plan = planned(table, keep_or_redraw(0.4), ("old",))
    with open_table(table) as opened:
        case = Case(opened, earlier={("age",): (through(plan),)})
        assert Outgoing(case, plan).evidence(SECRET) == Outgoing(Case(opened), plan).evidence(SECRET)


@given(
    seed=st.integers(0, 10_000), concentration=st.sampled_from([0.3, 1.0, 5.0]), by=st.sampled_from(["ε", "ρ", "bits"])
)
def test_levels_bound_what_the_channel_itself_tells(seed: int, concentration: float, by: str) -> None:
    draw = simulation(seed)
    size, numbers = int(draw.integers(2, 5)), draw.random(4)
    p = draw.dirichlet(np.ones(size))
    first, second = (draw.dirichlet(np.full(3, concentration), size=size) + 1e-3 for _ in range(2))
    first, second = (matrix / matrix.sum(axis=1, keepdims=True) for matrix in (first, second))
    alone = p[:, None] * first
    both = (alone[:, :, None] * second[:, None, :]).reshape(size, -1)
    levels = Levels.of([levels_of(p, second, by)])
    assert both.max(axis=0).sum() <= levels.guessed(float(alone.max(axis=0).sum())) + NEAR
    entropy = float(-(p * np.log(p)).sum())
    told = [1 - left(joint) / entropy for joint in (alone, both)]
    assert told[1] <= levels.told(told[0], entropy, of_numbers=False) + NEAR
    of_numbers = [-math.expm1(-2 * part * entropy) / -math.expm1(-2 * entropy) for part in told]
    assert of_numbers[1] <= levels.told(of_numbers[0], entropy, of_numbers=True) + NEAR
    explained = [1 - variance(joint, numbers[:size]) / variance(p[:, None], numbers[:size]) for joint in (alone, both)]
    assert explained[1] <= levels.explained(explained[0]) + NEAR
    most = 1 - float(p.min())
    sure = [surest(joint, p) / most for joint in (alone, both)]
    assert sure[1] <= levels.surest(sure[0], most) + NEAR


def levels_of(p: Floats, matrix: Floats, by: str) -> EarlierChannel:
    """What would be known of the channel if only one of its levels were."""
    ratios = matrix[:, None, :] / matrix[None, :, :]
    if by == "ε":
        return EarlierChannel(epsilon=float(np.log(ratios).max()))
    if by == "bits":
        return EarlierChannel(bits=(-(p * np.log(p)).sum() - left(p[:, None] * matrix)) / math.log(2))
    orders = np.concatenate([[1 + 1e-6], np.linspace(1.1, 100, 100)])
    moments = [(ratios**order * matrix[None, :, :]).sum(axis=2).max() for order in orders]
    return EarlierChannel(
        rho=max(float(np.log(one)) / (order - 1) / order for one, order in zip(moments, orders, strict=True))
    )


def left(joint: Floats) -> float:
    """H(X|seen) in nats."""
    return float(-(joint * np.log(joint / joint.sum(axis=0))).sum())


def variance(joint: Floats, numbers: Floats) -> float:
    means = numbers @ joint / joint.sum(axis=0)
    return float((joint * (numbers[:, None] - means) ** 2).sum())


def surest(joint: Floats, p: Floats) -> float:
    """By its definition: the mean rise for the tenth of a value's holders for whom it is largest."""
    found = 0.0
    for value, rises in enumerate(joint / joint.sum(axis=0) - p[:, None]):
        order = np.argsort(-rises)
        weights = joint[value][order] / p[value]
        taken = np.diff(np.minimum(np.cumsum(weights), 0.1), prepend=0.0)
        found = max(found, float(taken @ rises[order]) / 0.1)
    return found


@given(seed=st.integers(0, 10_000), public=st.booleans())
def test_an_earlier_release_never_raises_protection_known_or_bounded(seed: int, public: bool) -> None:
    draw = simulation(seed)
    table = people().slice(0, 2500)
    columns = ("old",) if public else ()
    now, before = (planned(table, draw.dirichlet(np.full(7, 0.4), size=7), columns) for _ in range(2))
    whole = through(before)
    only_levels = EarlierChannel(bits=bits_of(before, table), epsilon=whole.epsilon, rho=whole.rho)
    background = () if public else ("old",)
    none, known, bounded = (
        judged(now, table, *earlier, background=background) for earlier in ((), (whole,), (only_levels,))
    )
    for alone, one, most in zip(none.attackers, of_everything(known), of_everything(bounded), strict=True):
        for name in ("gained", "told"):
            least, exact, bound = (getattr(attacker, name) for attacker in (alone, one, most))
            assert least.value - NEAR <= exact.value <= bound.value + NEAR
            assert bound.ends == (pytest.approx(least.value), bound.value)


def bits_of(plan: RecordedPlan, table: pa.Table) -> float:
    with open_table(table) as opened:
        law = Case(opened).counted_law(SECRET, plan)
        assert law is not None
        alone = law.of_own_alone().bits
    assert alone is not None
    return alone


def test_where_the_rest_is_learnt_both_channels_are_one() -> None:
    table = people()
    days = simulation(7).integers(0, 400, table.num_rows)
    table = table.append_column("day", pa.array([f"day {one}" for one in days]))
    plan = planned(table, randomized_response(1.0), ("old", "day"))
    (alone,), (_, both), (_, bounded) = (
        judged(plan, table, *earlier).attackers
        for earlier in ((), (through(plan),), (replace(through(plan), own=None),))
    )
    for name in ("gained", "told"):
        known, one, most = (getattr(attacker, name) for attacker in (alone, both, bounded))
        assert known.confidence is not None and known.value < one.value < most.value
        assert known.ends[1] < one.ends[1] < most.ends[1] and most.ends[0] <= known.ends[0] + 1e-9
    # The days tell nothing: it is what both months tell, within the interval of a thousand people.
    assert (
        both.gained is not None
        and both.gained.ends[0] < 1 - protection_of(*[randomized_response(1.0)] * 2) / 100 < both.gained.ends[1]
    )


def test_nothing_is_known_of_a_release_without_levels() -> None:
    table = people()
    plan = planned(table, keep_or_redraw(0.4), ("old",))
    assert scores_of(judged(plan, table, EarlierChannel())).protection.ends[0] == 0


def test_two_draws_of_normal_noise_are_one_of_their_mean() -> None:
    numbers = np.linspace(0, 100, 41)
    shares = np.full(41, 1 / 41)
    law, places = law_of_noise(discrete_gaussian(0.5, lower=0, upper=100), numbers, shares)
    once, _ = law_of_noise(discrete_gaussian(1.0, lower=0, upper=100), numbers, shares)
    assert law.channel is not None
    both, count = together(law, [law.channel], places)
    assert count == 1
    for measure in ("uncertainty", "variance"):
        found, wanted, before = (
            getattr(sight, measure)(*(() if measure == "uncertainty" else (places,)))
            for sight in (both.sight(), once.sight(), both.sight().before)
        )
        assert found / before == pytest.approx(wanted / before, abs=0.003)


def test_neighbouring_outputs_taken_as_one_say_nearly_the_same() -> None:
    numbers = np.linspace(0, 100, 101)
    law, places = law_of_noise(laplace(epsilon=4.0, lower=0, upper=100), numbers, np.full(101, 1 / 101))
    assert law.channel is not None
    both, _ = together(law, [law.channel], places)
    # By simulation: the posterior of both draws.
    draw, scale = simulation(5), 100 / 4.0
    true = draw.integers(0, 101, 20_000)
    seen = true[:, None] + draw.laplace(0, scale, (20_000, 2))
    logs = -np.abs(seen[:, :, None] - numbers).sum(axis=1) / scale
    posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    residual = float(((true - posterior @ numbers) ** 2).mean())
    assert both.sight().variance(places) == pytest.approx(residual, rel=0.03)
