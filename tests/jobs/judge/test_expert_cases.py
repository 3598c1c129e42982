"""Releases that an expert decided: the direction of the verdict, not its digits (specification of the scores)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from leakgauge.artefacts.risks import RiskKind
from leakgauge.artefacts.scores import AttackerName
from leakgauge.artefacts.verdict import Declaration, Judgement, Recommendation
from leakgauge.assessment.judging import judge_foreign
from leakgauge.assessment.scores.policy import Policy
from leakgauge.assessment.terms import Terms
from leakgauge.audit.foreign.release import ForeignRoles
from leakgauge.jobs.audit import audit_foreign
from leakgauge.randomness import simulation
from leakgauge.tables import open_table

DECLARED = tuple(Declaration)
REASON = "rows are shuffled and carry no key"


def judged(
    original: Mapping[str, Sequence[object]],
    released: Mapping[str, Sequence[object]],
    folder: Path,
    reason: str | None = None,
) -> Judgement:
    """The verdict on a file of somebody else."""
    place = folder / "released.csv"
    pc.write_csv(pa.table(dict(released)), place)
    with open_table(pa.table(dict(original))) as table:
        audit = audit_foreign(place, table, ForeignRoles(("illness",)))
        terms = Terms(Policy(min_usefulness=None), declared=DECLARED, ruled_out=reason)
        return judge_foreign(audit, place, table, terms=terms)


def test_eight_of_93_positives_in_the_clear_in_somebody_elses_file_are_not_safe(tmp_path: Path) -> None:
    ill = [at < 93 for at in range(10_000)]
    original: dict[str, list[str | None]] = {"illness": ["positive" if one else "negative" for one in ill]}
    shown: list[str | None] = ["positive" if at < 8 else "not said" for at in range(10_000)]
    found = judged(original, {"illness": shown}, tmp_path)
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
    scores = found.scores["illness"]
    # On average nobody learns anything; of the most exposed tenth of the positives nearly everything.
    assert scores.protection.value > 60 and scores.surest.value > 70


def k_anonymous(*, mixed: bool) -> dict[str, list[str | None]]:
    """200 groups of five by age and town; the illness within each is mixed, or one for all."""
    draw = simulation(4)
    values = ["flu", "cold", "none", "asthma", "ulcer"]
    illness = [one for _ in range(200) for one in draw.permutation(values if mixed else [values[0]] * 5).tolist()]
    if not mixed:
        illness = [values[at // 5 % 5] for at in range(1000)]
    groups = np.repeat(np.arange(200), 5)
    return {
        "age": [f"{20 + at % 20}" for at in groups],
        "town": [f"town {at // 20}" for at in groups],
        "illness": illness,
    }


def test_a_k_anonymous_file_protects_from_who_knows_columns_where_groups_are_mixed(tmp_path: Path) -> None:
    table = k_anonymous(mixed=True)
    strict = judged(table, table, tmp_path)
    assert strict.recommendation is Recommendation.DO_NOT_RELEASE and strict.scores["illness"].protection.value == 0
    names = {one.name for one in strict.evidence["illness"].attackers}
    assert names == {AttackerName.KNOWS_THE_ROW, AttackerName.KNOWS_COLUMNS}
    found = judged(table, table, tmp_path, REASON)
    assert found.scores["illness"].protection.value > 95 and found.scores["illness"].surest.value < 5
    assert found.recommendation is Recommendation.RELEASE
    assert [str(one) for one in found.assumes] == [f"nobody can tell which released row is whose: {REASON}"]
    risks = {one.kind: one for one in found.risks}
    alone, linked = risks[RiskKind.SINGLING_OUT].after, risks[RiskKind.LINKING].after
    assert alone is not None and alone.value == 0
    assert linked is not None and linked.value == pytest.approx(200)


def test_a_group_in_which_all_share_a_secret_is_not_safe_whoever_finds_it(tmp_path: Path) -> None:
    table = k_anonymous(mixed=False)
    found = judged(table, table, tmp_path, REASON)
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
    assert found.scores["illness"].protection.value < 1 and found.scores["illness"].surest.value > 99


def test_a_shuffled_file_whose_rows_cannot_be_matched_is_not_safe(tmp_path: Path) -> None:
    """Every group shares a secret; by order, rows have nothing to do with each other, and nothing is known."""
    table = k_anonymous(mixed=False)
    order = simulation(1).permutation(1000)
    found = judged(table, {name: [values[at] for at in order] for name, values in table.items()}, tmp_path)
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
    assert "its rows could not be matched with those of the original" in str(found.vetoes[0])
    assert found.scores["illness"].protection.value == 0


def test_a_rounded_number_finds_rows(tmp_path: Path) -> None:
    """Everybody of a decade has the same illness: whoever knows the age learns it from the decade that is released."""
    draw = simulation(3)
    age = draw.integers(20, 80, 1500)
    illness = [["flu", "cold", "none", "asthma", "ulcer", "gout"][at // 10 - 2] for at in age]
    original = {"age": age.tolist(), "illness": illness}
    found = judged(original, {"age": (age // 10 * 10).tolist(), "illness": illness}, tmp_path, REASON)
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
    assert found.scores["illness"].protection.value < 1


def test_a_tail_in_the_clear_is_not_safe(tmp_path: Path) -> None:
    """Of 3,000 salaries the 60 highest are as they are, and all others stand with somebody else."""
    draw = simulation(6)
    salaries = draw.lognormal(10, 0.6, 3000).round(2)
    top = np.argsort(-salaries)[:60]
    shown = salaries.copy()
    others = np.setdiff1d(np.arange(3000), top)
    shown[others] = salaries[draw.permutation(others)]
    own = draw.integers(0, 9, 3000).tolist()
    original = {"own": own, "illness": salaries.tolist()}
    found = judged(original, {"own": own, "illness": shown.tolist()}, tmp_path)
    assert found.scores["illness"].surest.value > 90
    assert found.recommendation is Recommendation.DO_NOT_RELEASE
