"""Notions in a record: one spelling, bits cut at what a value can hold, and records of the major before."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts.codec import digest_of, encode, text_of
from leakgauge.claims import NOTIONS
from leakgauge.mechanisms import parse_mechanism
from leakgauge.release import ReleasePlan, read_record, release, verify
from leakgauge.release.bound import BoundColumn, RecordedPlan
from leakgauge.release.guarantees import claims_of
from leakgauge.release.recorded_plan import recorded_plan
from tests.release.people import opened
from tests.report.facts import Facts

PLAN = ReleasePlan({"illness": "randomized-response:epsilon=1,letters=flu|none|cold"}, public=["city"])
EARLIER = "leakgauge/release/1"


@pytest.mark.parametrize(
    ("mechanism", "values"),
    [
        ("laplace:epsilon=20,lower=0,upper=3,grid=1", 4),
        ("gaussian:epsilon=30,delta=1e-3,lower=0,upper=1,grid=1", 2),
        ("unary-encoding:epsilon=40,letters=" + "|".join(f"v{at}" for at in range(30)), 30),
        ("randomized-response:epsilon=40,letters=a|b", 2),
    ],
)
def test_no_claim_in_bits_exceeds_what_a_value_holds(mechanism: str, values: int) -> None:
    column = BoundColumn("x", parse_mechanism(mechanism), ("x",), ("x",))
    planned = recorded_plan(RecordedPlan((column,), (), ("x",), {})).columns["x"]
    levels = claims_of(planned, column.mechanism).levels
    bits = {name: level.value for name, level in levels.items() if level.unit == "bits"}
    assert "mutual-information-dp" in bits
    assert all(value <= math.log2(values) for value in bits.values()), bits


def earlier(made: dict[str, Any]) -> dict[str, Any]:
    """The record as the major before spelled it."""
    fields: dict[str, Any] = json.loads(json.dumps(made))
    for claim in fields["claims"].values():
        claim["levels"] = {name.replace("-", "_"): level for name, level in claim["levels"].items()}
    fields["together"] = {name.replace("-", "_"): level for name, level in fields["together"].items()}
    fields["schema"] = EARLIER
    fields["digest"] = digest_of(fields)
    return fields


def test_a_record_spells_notions_as_the_command_line_does_and_the_major_before_is_read(tmp_path: Path) -> None:
    made = release(PLAN, opened(), tmp_path / "o.csv", record=tmp_path / "release.json")
    levels = made.record.claims["illness"].levels
    assert {*levels, *made.record.together} <= set(NOTIONS)
    before = earlier(encode(made.record))
    assert "local_dp" in before["claims"]["illness"]["levels"]
    made.record_file.write_text(text_of(before))
    assert read_record(made.record_file).claims["illness"].levels == levels
    assert verify(made.record_file).holds
    assert Facts.read(tmp_path).names("release.json", "claims", "illness", "levels") == list(levels)
