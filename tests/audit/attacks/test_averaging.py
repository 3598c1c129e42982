"""The same secret released again and again: the exact chance, and the claim that adds up."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from leakgauge.artefacts import Finding
from leakgauge.audit.attacks.averaging import RELEASES, averaging
from leakgauge.notions.ceilings import Promise
from tests.audit.attacks.cases import again, case_of, people

PRIOR = 0.7


def exact(releases: int, epsilon: float) -> float:
    """Of two letters, one of which has ``PRIOR``: by the number of releases that say so."""
    true = math.exp(epsilon) / (1 + math.exp(epsilon))
    return sum(
        math.comb(releases, said)
        * max(
            PRIOR * true**said * (1 - true) ** (releases - said),
            (1 - PRIOR) * (1 - true) ** said * true ** (releases - said),
        )
        for said in range(releases + 1)
    )


def test_the_curve_is_the_exact_one(tmp_path: Path) -> None:
    table = pa.table({"answer": ["yes"] * 7000 + ["no"] * 3000})
    how = {"answer": "randomized-response:epsilon=0.5,letters=yes|no"}
    curve = averaging(case_of(table, how, tmp_path, targets=10_000))
    assert len(curve) == len(RELEASES)
    for releases, found in zip(RELEASES, curve, strict=True):
        assert exact(releases, 0.5) in found.success
        assert found.ceiling is not None and found.ceiling.value == pytest.approx(
            PRIOR / (PRIOR + 0.3 * math.exp(-0.5 * releases)), rel=1e-6
        )
        assert found.baseline.value == pytest.approx(PRIOR)
        assert found.raw.value == pytest.approx(1 - PRIOR)
        assert 0 in found.independent
        assert not found.beats_claim
    assert [str(curve[at].attack) for at in (0, -1)] == ["averaging, 1 release", "averaging, 16 releases"]
    assert curve[-1].success.ends[0] > curve[1].success.ends[1]


def test_noise_cancels(tmp_path: Path) -> None:
    drawn = case_of(people(3000), {"salary": "gaussian:epsilon=8,delta=1e-5,lower=1000,upper=3000"}, tmp_path)
    curve = averaging(drawn)
    values = [found.success.value for found in curve]
    assert values[-1] > values[0] + 0.1
    assert all(found.ceiling is not None and not found.beats_claim for found in curve)


def exceeds(found: Finding) -> bool:
    return found.ceiling is not None and found.success.ends[0] > found.ceiling.value


def test_a_correct_mechanism_rarely_exceeds_its_ceiling_and_a_wrong_claim_does_but_no_simulation_accuses(
    tmp_path: Path,
) -> None:
    table = pa.table({"answer": ["yes", "no"] * 300})
    drawn = case_of(table, {"answer": "randomized-response:epsilon=1,letters=yes|no"}, tmp_path)
    runs = [averaging(again(drawn, seed)) for seed in range(50)]
    # At one release the ceiling is reached: 2.5% are expected there at most.
    assert sum(exceeds(curve[0]) for curve in runs) <= 5
    assert not any(exceeds(found) for curve in runs for found in curve[1:])
    edited = replace(drawn.columns[0], promises=(Promise(0.1),))
    wrong = averaging(replace(drawn, secrets=(replace(drawn.secrets[0], column=edited),)))
    assert all(exceeds(found) for found in wrong)
    # It never looks at the release, so it says nothing against it.
    assert not any(found.beats_claim for found in wrong)
