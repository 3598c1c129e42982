"""Assessments and searches are read as they were written, and everything they say is known in Chinese."""

from __future__ import annotations

import json
import math

import pyarrow as pa
import pytest

from leakgauge.artefacts import Before, StoredAssessment, StoredImprovement, codec
from leakgauge.artefacts.assessment import PolicyLine
from leakgauge.assessment import (
    Policy,
    assess,
    collect,
    default_diagram,
    improve,
    lifts,
    protected_column,
    protected_histogram,
)
from leakgauge.assessment.indicators import Protected, audited
from leakgauge.assessment.published import grade_evidence
from leakgauge.assessment.stored import stored
from leakgauge.assessment.vetoes import every_veto, vetoes_of_unknown
from leakgauge.errors import FileError
from leakgauge.jobs.improve import FROM_THE_TABLE, Search
from leakgauge.jobs.improve import stored as stored_search
from leakgauge.languages import Language
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table

CHINESE = Language("zh")
POLICY = Policy(max_epsilon=0.1, min_privacy=99.0, max_leakage_bits=0.0)


@pytest.fixture(scope="module")
def people() -> Table:
    illness, city = ["flu", "none", "none", "cold"] * 100, ["Oslo", "Bergen"] * 200
    return open_table(pa.table({"illness": illness, "city": city, "age": list(range(20, 60)) * 10}))


def released(people: Table) -> dict[str, Protected]:
    noise = Simulated(1)
    return {
        "letters": protected_column(
            people, "illness", randomized_response(8.0, letters=["flu", "none", "cold"]), noise
        ),
        "numbers": protected_column(people, "age", laplace(1.0, lower=0, upper=100), noise),
        "answers": protected_histogram(people, "illness", laplace(0.1, sensitivity=2), noise),
    }


def graded(protected: Protected) -> StoredAssessment:
    evidence = collect(protected, audit=audited(protected, samples=2000), releases_per_period=2)
    found = assess(default_diagram(), evidence, every_veto(protected.setting, evidence), draws=100)
    lines = POLICY.judge(found, together=math.inf, releases_per_period=2)
    ways = lifts(found, min(found.score + 1, 100.0), most=2)
    return stored(found, column="x", record="ab", published=grade_evidence(evidence), lifts=ways, lines=lines)


def sentences(artefact: object) -> list[Sentence]:
    """Every sentence in an artefact, and those in their fields."""
    found: list[Sentence] = []

    def note(held: object) -> None:
        if isinstance(held, tuple):
            for one in held:
                note(one)
        if isinstance(held, Sentence):
            found.append(held)
            note(tuple(held.fields.values()))

    codec.encode(artefact, lambda one: note(one))
    return found


@pytest.mark.parametrize("form", ["letters", "numbers", "answers"])
def test_an_assessment_is_read_as_it_was_written(people: Table, form: str) -> None:
    found = graded(released(people)[form])
    fields = json.loads(codec.text_of(found))
    assert codec.decode(StoredAssessment, fields, "it") == found
    assert fields["lifts"][0]["moves"][0].keys() == {"leaf", "name", "from", "to", "value"}
    assert fields["policy"][1]["found"] == "infinity" and found.policy[1].found == math.inf
    said = [one for one in sentences(found) if one.template and not one.template.startswith("{value")]
    assert len(said) > 40
    assert [one for one in said if one.template not in CHINESE.catalogue] == []


def test_a_search_is_read_as_it_was_written(people: Table) -> None:
    found = improve(people, "age", 99.0, default_diagram(), trials=30)
    kept = stored_search(Search(found, FROM_THE_TABLE), "age")
    assert codec.decode(StoredImprovement, json.loads(codec.text_of(kept)), "it") == kept
    coded = [one for one in sentences(kept) if one.template not in CHINESE.catalogue]
    assert [one for one in coded if ":epsilon=" not in one.template] == []
    assert {CHINESE.retell(one.form) for one in kept.trials} >= {"列", "分为 8 箱的列"}


def test_what_is_not_known_is_said_in_chinese() -> None:
    (veto,) = vetoes_of_unknown({"privacy": None, "utility": 3.0}, ["3"])
    assert str(veto.reason) == "nothing is known of privacy, the budget ε (leaf 3)"
    assert CHINESE.retell(veto.reason) == "对隐私、预算 ε（叶节点 3）一无所知"


def test_a_line_says_what_was_found() -> None:
    line = PolicyLine("max_epsilon", 0.5, math.inf, False, Sentence("ε of the column's claim"))
    assert str(line.said) == "max_epsilon is inf (ε of the column's claim), the limit 0.5"
    assert (
        CHINESE.retell(PolicyLine("target_grade", Sentence("good"), None, False).said)
        == "target_grade 为 未知，限制是 良"
    )


def test_another_file_is_refused() -> None:
    with pytest.raises(FileError, match="this version reads 'leakgauge/before/1'"):
        codec.decode(Before, {"schema": "leakgauge/assessment/1"}, "before.json")
    with pytest.raises(FileError, match=r"before\.json is not a whole before: 'score' is missing"):
        codec.decode(Before, {"schema": "leakgauge/before/1"}, "before.json")
