"""Was this record in the table: chance where nothing is told, near certainty in the raw data."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts import Finding
from leakgauge.audit.attacks.ceilings import Promise
from leakgauge.audit.attacks.membership_inference import membership_inference, threshold
from tests.audit.attacks.cases import RESPONSE, again, case_of, people

TELLING = {"number": "laplace:epsilon=20000,lower=0,upper=1000"}


@pytest.mark.parametrize("member_share", [0.2, 0.5, 0.8])
def test_an_independent_release_tells_nothing_whatever_the_sizes(tmp_path: Path, member_share: float) -> None:
    columns = {"illness": RESPONSE.format(epsilon=3), "salary": "laplace:epsilon=20,lower=1000,upper=3000"}
    case = case_of(people(600), columns, tmp_path)
    found = [membership_inference(again(case, seed), member_share)[0] for seed in range(25)]
    # About one in twenty is expected at most.
    assert sum(0 not in one.independent for one in found) <= 4
    assert abs(np.mean([one.independent.value for one in found])) < 0.03
    assert all(one.baseline.value == 0.5 for one in found)


def test_raw_rows_give_members_away(tmp_path: Path) -> None:
    table = pa.table({"number": np.arange(1000)})
    (found,) = membership_inference(case_of(table, TELLING, tmp_path))
    assert found.raw.value == pytest.approx(0.5)
    assert found.success.value > 0.85
    # Of 500 members one half proves.
    assert found.exposed > 0.7 * 250
    assert found.ceiling is not None and found.ceiling.value == pytest.approx(1.0)
    assert found.target == ("number",) and found.knows == ("number",)


def test_a_small_epsilon_hides_members(tmp_path: Path) -> None:
    case = case_of(people(2000), {"salary": "laplace:epsilon=0.1,lower=1000,upper=3000"}, tmp_path)
    (found,) = membership_inference(case)
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
    case = case_of(
        pa.table({"number": np.arange(40) * 25}), {"number": "laplace:epsilon=1,lower=0,upper=1000"}, tmp_path
    )
    found = [membership_inference(again(case, seed))[0] for seed in range(60)]
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
