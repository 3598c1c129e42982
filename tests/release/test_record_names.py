"""Notions in a record: one spelling, bits cut at what a value can hold, and records of the major before."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from leakgauge.claims import NOTIONS
from leakgauge.mechanisms import parse_mechanism
from leakgauge.release import ReleasePlan, read_record, release, verify
from leakgauge.release.record import claims_json, digest_of, record_text
from leakgauge.report.facts import Facts
from tests.release.people import opened

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
    levels = claims_json(parse_mechanism(mechanism))["levels"]
    bits = {name: level["value"] for name, level in levels.items() if level["unit"] == "bits"}
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
    levels = made.fields["claims"]["illness"]["levels"]
    assert {*levels, *made.fields["together"]} <= set(NOTIONS)
    before = earlier(dict(made.fields))
    assert "local_dp" in before["claims"]["illness"]["levels"]
    made.record.write_text(record_text(before))
    assert read_record(made.record)["claims"]["illness"]["levels"] == levels
    assert verify(made.record).holds
    assert Facts.read(tmp_path).names("release.json", "claims", "illness", "levels") == list(levels)
