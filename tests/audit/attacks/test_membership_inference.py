"""Was this record in the table: chance where nothing is told, near certainty in the raw data."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Finding
from leakgauge.audit.attacks import membership_inference as module
from leakgauge.audit.attacks.membership_inference import Kinds, membership_inference, threshold
from leakgauge.audit.attacks.rows import Crowd
from leakgauge.notions.ceilings import Promise
from tests.audit.attacks.cases import RESPONSE, again, case_of, people

TELLING = {"number": "laplace:epsilon=20000,lower=0,upper=1000"}


@pytest.mark.parametrize("member_share", [0.2, 0.5, 0.8])
def test_an_independent_release_tells_nothing_whatever_the_sizes(tmp_path: Path, member_share: float) -> None:
    columns = {"illness": RESPONSE.format(epsilon=3), "salary": "laplace:epsilon=20,lower=1000,upper=3000"}
    drawn = case_of(people(600), columns, tmp_path)
    found = [membership_inference(again(drawn, seed), member_share)[0] for seed in range(25)]
    # About one in twenty is expected at most.
    assert sum(0 not in one.independent for one in found) <= 4
    assert abs(np.mean([one.independent.value for one in found])) < 0.03
    assert all(one.baseline.value == 0.5 for one in found)


def test_raw_rows_give_members_away(tmp_path: Path) -> None:
    table = pa.table({"number": np.arange(1000)})
    (found,) = membership_inference(case_of(table, TELLING, tmp_path))
    assert found.raw.value == pytest.approx(0.5)
    assert found.success.value > 0.85
    assert found.exposed > 0.7 * 500
    assert found.ceiling is not None and found.ceiling.value == pytest.approx(1.0)
    assert found.target == ("number",) and found.knows == ("number",)


def test_a_small_epsilon_hides_members(tmp_path: Path) -> None:
    drawn = case_of(people(2000), {"salary": "laplace:epsilon=0.1,lower=1000,upper=3000"}, tmp_path)
    (found,) = membership_inference(drawn)
    assert 0 in found.advantage
    assert found.ceiling is not None and found.ceiling.value == pytest.approx(math.exp(0.1) / (1 + math.exp(0.1)))
    assert not found.beats_claim


def test_public_columns_give_members_away_and_nothing_is_claimed(tmp_path: Path) -> None:
    table = people(1000).append_column("name", pa.array([f"name {at}" for at in range(1000)]))
    (found,) = membership_inference(case_of(table, {"illness": RESPONSE.format(epsilon=1)}, tmp_path, public=["name"]))
    assert found.advantage.ends[0] > 0.4
    assert found.ceiling is None and not found.beats_claim
    assert found.knows == ("illness", "name")


def exceeds(found: Finding) -> bool:
    return found.ceiling is not None and found.success.ends[0] > found.ceiling.value


def test_a_correct_mechanism_rarely_exceeds_its_ceiling_and_a_wrong_claim_does_but_no_simulation_accuses(
    tmp_path: Path,
) -> None:
    # A few rows: the fewer there are, the more one of them shows.
    drawn = case_of(
        pa.table({"number": np.arange(40) * 25}), {"number": "laplace:epsilon=1,lower=0,upper=1000"}, tmp_path
    )
    found = [membership_inference(again(drawn, seed))[0] for seed in range(60)]
    assert sum(exceeds(one) for one in found) <= 2
    assert np.mean([one.success.value for one in found]) < math.e / (1 + math.e)
    wrong = replace(case_of(pa.table({"number": np.arange(1000)}), TELLING, tmp_path), together=(Promise(0.5),))
    assert exceeds(membership_inference(wrong)[0])
    assert not membership_inference(wrong)[0].beats_claim


def test_the_threshold_is_the_best_one() -> None:
    members, controls = np.array([3.0, 5.0, 1.0, np.inf]), np.array([0.0, 2.0, -np.inf, 1.0])
    limit = threshold(members, controls)
    assert limit == 3.0
    best = max(
        (members >= at).mean() - (controls >= at).mean() for at in [*members.tolist(), *controls.tolist(), np.inf]
    )
    assert (members >= limit).mean() - (controls >= limit).mean() == best
    # Where everything speaks against it, nobody or everybody counts as a member.
    assert threshold(np.array([0.0, 0.0]), np.array([1.0, 1.0])) in (0.0, np.inf)
    # With few false alarms the lowest of those that keep to the rate: ties are not split here.
    assert threshold(members, controls, 0.25) == 2.0
    assert threshold(members, controls, 0.0) == 3.0


DEPENDENT = {"illness": RESPONSE.format(epsilon=3), "sex": RESPONSE.format(epsilon=3)}


def test_the_statistic_is_the_likelihood_ratio(tmp_path: Path) -> None:
    drawn = case_of(people(60), DEPENDENT, tmp_path, public=["city"])
    kinds, members = Kinds.of(drawn), np.arange(30)
    crowd = Crowd.of(
        [one.law for one in drawn.columns], drawn.classes[members], [one.outputs[members] for one in drawn.columns]
    )
    assert kinds.can_be_compared(crowd)
    # P(y, z | x) of every released row for every row of the table, the public values z included.
    likelihood = np.exp(sum(one.law.scores(one.inputs, one.outputs[members]) for one in drawn.columns))
    likelihood *= drawn.classes[:, None] == drawn.classes[members][None, :]
    # One released row is the person's, it is not known which, and the others are anybody's.
    ratio = (likelihood / likelihood.mean(axis=0)).mean(axis=1)
    with np.errstate(divide="ignore"):
        assert kinds.log_ratios(crowd)[kinds.kind] == pytest.approx(np.log(ratio))
    shares = [(kinds.kind[members] == kind).mean() / (kinds.kind == kind).mean() for kind in kinds.kind]
    assert np.exp(kinds.log_ratios_as_is(members)) == pytest.approx(shares)


def test_the_likelihood_ratio_is_no_weaker_than_columns_taken_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"illness": RESPONSE.format(epsilon=3), "salary": "laplace:epsilon=200,lower=1000,upper=3000"}
    for public in ([], ["city", "sex"]):
        drawn = case_of(people(400), columns, tmp_path, public=public)
        exact = [membership_inference(again(drawn, seed))[0].success.value for seed in range(15)]
        with monkeypatch.context() as patched:
            patched.setattr(module, "AT_ONCE", 0)
            one_by_one = [membership_inference(again(drawn, seed))[0].success.value for seed in range(15)]
        assert np.mean(exact) > np.mean(one_by_one) + 0.005, public


def test_few_false_alarms_stay_below_what_the_claim_allows(tmp_path: Path) -> None:
    # Two letters that are told apart as well as the claim allows.
    drawn = case_of(people(21_000), {"sex": "randomized-response:epsilon=1,letters=f|m"}, tmp_path)
    (found,) = membership_inference(drawn)
    first, second = found.few_false_alarms
    assert (first.rate, second.rate) == module.RATES == (0.01, 0.001)
    for one in found.few_false_alarms:
        assert one.rate in one.false_alarms
        assert one.ceiling is not None and one.ceiling.value == pytest.approx(math.e * one.rate)
        assert one.recognised.ends[0] <= math.e * one.false_alarms.ends[1]
    (few,) = membership_inference(case_of(people(1000), DEPENDENT, tmp_path, public=["city"]))
    # 500 controls show neither rate.
    assert few.few_false_alarms == ()
    (alone,) = membership_inference(
        case_of(pa.table({"number": np.arange(2400)}), {"number": TELLING["number"].replace("1000", "2400")}, tmp_path)
    )
    (shown,) = alone.few_false_alarms
    # An average of nearly 1 is one without false alarms here.
    assert shown.rate == 0.01 and shown.recognised.ends[0] > 0.9


def test_what_a_claim_allows_at_a_rate() -> None:
    assert Promise(1.0).recognised(0.01) == pytest.approx(0.01 * math.e)
    assert Promise(1.0).recognised(0.9) == pytest.approx(1 - 0.1 / math.e)
    assert Promise(0.0).recognised(0.3) == pytest.approx(0.3)
    assert Promise(0.0, 0.1).recognised(0.3) == pytest.approx(0.4)
    assert Promise(2000.0).recognised(0.001) == 1.0
    # The largest difference of both shares is the advantage that the claim allows: (e^ε − 1 + 2δ)/(e^ε + 1).
    for epsilon, delta in ((0.5, 0.0), (1.0, 1e-3), (3.0, 0.0)):
        rates = np.linspace(0, 1, 20_001)
        most = max(Promise(epsilon, delta).recognised(rate) - rate for rate in rates.tolist())
        assert most == pytest.approx((math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1), abs=1e-3)
