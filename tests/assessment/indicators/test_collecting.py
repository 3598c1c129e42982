"""Releases, audits, stored evidence and seeds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from leakgauge.artefacts import AuditedRecord, Finding, Quantity, Sentence, StoredEvidence, codec
from leakgauge.artefacts.evidence import Evidence, Scale, Standing
from leakgauge.assessment import collect
from leakgauge.assessment.indicators.attacks import Audited, audited_by
from leakgauge.assessment.indicators.catalogue import FAMILIES, INDICATORS
from leakgauge.assessment.indicators.protected import protected_column, protected_of_release
from leakgauge.errors import ColumnError, FileError, OptionError, VerificationError
from leakgauge.jobs.audit import audit_release
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.randomness import Simulated
from leakgauge.release import Release, ReleasePlan
from tests.assessment.indicators.small import LETTERS, by_leaf, table, value

RUN = ("24", "25")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    plan = ReleasePlan(
        {"illness": randomized_response(1.0, letters=LETTERS), "age": laplace(4.0, lower=0, upper=100)}, public=["city"]
    )
    return plan.apply(table(), tmp_path_factory.mktemp("release") / "out.parquet", randomness=Simulated(5))


def test_every_indicator_has_one_family_an_id_and_a_number_of_its_own() -> None:
    every = [one for family in FAMILIES for one in family.indicators]
    assert len({one.id for one in every}) == len({one.number for one in every}) == len(every) == len(INDICATORS)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", one.id) for one in every)


def test_a_release_is_read_from_its_record_and_audit(release: Release) -> None:
    audit = audit_release(release.record_file, table())
    for column in ("illness", "age"):
        made = protected_of_release(release.record_file, table(), column=column)
        found = by_leaf(collect(made, audit=audit, simulation_seed=1))
        size = release.output.stat().st_size
        assert value(found["27"]) == pytest.approx(size / 3000)
        shown = audit.columns[column]
        assert shown is not None and shown.claim is not None
        assert value(found["4"]) == shown.lower_bound.value / shown.claim.value
        shares = [
            max(one.advantage.value, 0) / one.raw.value
            for one in audit.attacks
            if column in one.target and not str(one.attack).startswith("averaging") and one.raw.value > 0
        ]
        assert value(found["5"]) == max(shares)
    with pytest.raises(OptionError, match="protects 2 columns"):
        protected_of_release(release, table())
    with pytest.raises(ColumnError, match="'city' is not released through a mechanism"):
        protected_of_release(release, table(), column="city")


def test_an_audit_of_another_release_is_refused(release: Release) -> None:
    audit = audit_release(release.record_file, table())
    made = protected_of_release(release, table(), column="age")
    other = msgspec.structs.replace(audit, record=AuditedRecord("x", "0" * 64))
    with pytest.raises(VerificationError, match="not of the record"):
        collect(made, audit=other)
    with pytest.raises(FileError, match="does not cover column 'age'"):
        collect(made, audit=msgspec.structs.replace(audit, columns={"illness": None}))


def test_without_an_audit_or_a_shown_level_leaves_are_missing(release: Release) -> None:
    made = protected_of_release(release, table(), column="illness")
    found = by_leaf(collect(made))
    assert found["4"].standing is found["5"].standing is Standing.MISSING
    nothing = by_leaf(collect(made, audit=audited_by(None, [], ["illness"])))
    assert "shows no level" in str(nothing["4"].source)
    assert nothing["5"].standing is Standing.MISSING


def test_the_same_seed_gives_the_same_digits() -> None:
    def found(seed: int) -> list[Evidence]:
        releases = (
            protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(seed)),
            protected_column(table(), "age", laplace(1.0, lower=0, upper=100), Simulated(seed)),
        )
        every = (one for made in releases for one in collect(made, simulation_seed=seed))
        return [one for one in every if one.leaf not in RUN]

    assert found(3) == found(3)
    assert found(3) != found(4)


def test_space_and_time_are_read_from_stored_evidence(tmp_path: Path) -> None:
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    first = collect(made)
    place = tmp_path / "evidence.json"
    codec.write(place, StoredEvidence(first))
    stored = codec.read(StoredEvidence, place).leaves
    assert stored == first
    again = collect(made, stored=stored)
    assert again == first
    for leaf in RUN:
        one = by_leaf(first)[leaf]
        assert value(one) > 0
        assert one.details.keys() >= {"growth exponent"}


def test_stored_evidence_brings_numbers_and_no_scale() -> None:
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    first = by_leaf(collect(made))
    by_number = {one.leaf: one for one in INDICATORS.values()}
    generous = [replace(first[leaf], scale=Scale(1e8, 1e9)) for leaf in RUN]
    again = by_leaf(collect(made, stored=generous))
    for leaf in RUN:
        assert again[leaf].value == first[leaf].value
        assert again[leaf].scale == by_number[leaf].scale(made.setting.form)
    with pytest.raises(OptionError, match="leaf 24 ranges from -1"):
        collect(made, stored=[replace(first["24"], low=-1.0), first["25"]])


def test_stored_evidence_of_another_column_or_release_is_refused(tmp_path: Path) -> None:
    one = Evidence("12", Standing.MEASURED, Sentence("by hand"), 0.5, "", Scale(0, 1))
    place = tmp_path / "evidence.json"
    codec.write(place, StoredEvidence((one,), "age", "ab"))
    stored = codec.read(StoredEvidence, place)
    stored.require_of("age", "ab", place)
    stored.require_of("age", None, place)
    assert stored.leaves == (one,)
    with pytest.raises(VerificationError, match="not the evidence of the column 'illness'"):
        stored.require_of("illness", "ab", place)
    with pytest.raises(VerificationError, match="not the evidence of the record 'cd'"):
        stored.require_of("age", "cd", place)
    with pytest.raises(VerificationError, match="column 'age'"):
        StoredEvidence((one,)).require_of("age", None, place)


def gaining(name: str, advantage: float, low: float, high: float, raw: float) -> Finding:
    share = Quantity(0.5, "share", 0.4, 0.6, 0.95)
    gained = Quantity(advantage, "share", low, high, 0.95)
    return Finding(Sentence(name), ("illness",), (), share, share, gained, share, Quantity(raw, "share"), 3, None)


def test_an_attack_that_may_gain_more_than_the_best_raises_the_upper_end() -> None:
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    sure, doubtful = (
        gaining("sure", 0.05, 0.04, 0.06, 0.5),
        gaining("doubtful", 0.0009, -0.02, 0.03, 0.01),
    )
    found = by_leaf(collect(made, audit=Audited(1.0, 1.0, 1.0, True, (sure, doubtful))))["5"]
    assert value(found) == pytest.approx(0.1)
    assert "sure" in str(found.source)
    assert found.interval == pytest.approx((0.08, 3.0))
    alone = by_leaf(collect(made, audit=Audited(1.0, 1.0, 1.0, True, (sure,))))["5"]
    assert alone.interval == pytest.approx((0.08, 0.12))


def test_infinite_values_survive_the_file() -> None:
    one = Evidence(
        "3", Standing.DECLARED, Sentence("by hand"), float("inf"), "nats", Scale(0.01, 10, True), raw=float("inf")
    )
    assert codec.decode(StoredEvidence, json.loads(codec.text_of(StoredEvidence((one,)))), "it").leaves == (one,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "leakgauge/audit/1"}, "this version reads 'leakgauge/evidence/1'"),
        ({"leaves": [{"leaf": "1"}]}, "standing' is missing or malformed"),
        ({"leaves": None}, "'leaves' is missing or malformed"),
    ],
)
def test_files_that_are_no_evidence_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(FileError, match=said):
        codec.decode(StoredEvidence, {**codec.encode(StoredEvidence(())), **change}, "kept.json")


def test_a_leaf_twice_and_an_impossible_one_are_refused() -> None:
    one = Evidence("12", Standing.MEASURED, Sentence("by hand"), 0.5, "", Scale(0, 1))
    fields = codec.encode(StoredEvidence((one,)))
    with pytest.raises(FileError, match="two pieces of evidence of leaf '12'"):
        codec.decode(StoredEvidence, {**fields, "leaves": fields["leaves"] * 2}, "kept.json")
    with pytest.raises(FileError, match="does not contain its value"):
        codec.decode(StoredEvidence, {**fields, "leaves": [{**fields["leaves"][0], "low": 0.9}]}, "kept.json")


def test_releases_per_period_are_declared() -> None:
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    assert value(by_leaf(collect(made, releases_per_period=52))["26"]) == 52
    with pytest.raises(OptionError, match="--releases-per-period -1"):
        collect(made, releases_per_period=-1)
