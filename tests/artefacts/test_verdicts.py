"""Verdicts and searches are read as they were written."""

from __future__ import annotations

import json
from functools import cache

import pyarrow as pa
import pytest
from msgspec import structs

from leakgauge.artefacts import Judgement, Request, StoredEvidence, StoredImprovement, codec
from leakgauge.artefacts.request import StoredRequest
from leakgauge.artefacts.verdict import Action, Beside, Recommendation
from leakgauge.assessment import collect, criteria_of, default_diagram, protected_column
from leakgauge.assessment.algebra import over_arcs
from leakgauge.assessment.comprehensive_evaluation import evaluate_evidence, open_factors
from leakgauge.assessment.published_score import published_score
from leakgauge.assessment.search import Goal
from leakgauge.errors import FileError
from leakgauge.jobs.improve import search, stored
from leakgauge.jobs.protect.judged import Judging
from leakgauge.mechanisms import laplace, randomized_response
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table


@cache
def people() -> Table:
    illness, city = ["flu", "none", "none", "cold"] * 100, ["Oslo", "Bergen"] * 200
    return open_table(pa.table({"illness": illness, "city": city, "age": list(range(20, 60)) * 10}))


@cache
def verdict(column: str) -> Judgement:
    """By law, with an action and all that may stand beside it."""
    asked = Request.of("people", secret=(column,), public=("city",), mechanism=("randomized-response:epsilon=8",))
    if column == "age":
        asked = asked.having(mechanism="laplace:epsilon=1,lower=0,upper=100")
    found = Judging(people()).before(asked)
    action = Action(
        said=Sentence("take out {columns!s}", columns=("city",)),
        options=(),
        asked=StoredRequest.of(asked.having(public=())),
        promised=found.scores,
        recommendation=Recommendation.RELEASE_IF,
    )
    letters = ["flu", "none", "cold"]
    mechanism = laplace(1.0, lower=0, upper=100) if column == "age" else randomized_response(8.0, letters=letters)
    evidence = collect(protected_column(people(), column, mechanism, Simulated(1)))
    beside = Beside(
        criteria=criteria_of(evidence, found.scores[column]),
        evidence=StoredEvidence(evidence, column, "ab"),
        published=published_score(evidence, matrices=True),
        over_arcs=over_arcs(default_diagram(), evidence),
        comprehensive=evaluate_evidence(evidence, open_factors("paper-a")),
    )
    return structs.replace(found, beside={column: beside}, actions=(action,))


@pytest.mark.parametrize("column", ["illness", "age"])
def test_a_verdict_is_read_as_it_was_written(column: str) -> None:
    found = verdict(column)
    fields = json.loads(codec.text_of(found))
    assert codec.decode(Judgement, fields, "it") == found
    assert fields["schema"] == "leakgauge/verdict/2" and len(fields["reasons"]) <= 3 and fields["actions"]


@cache
def searched() -> StoredImprovement:
    return stored(search(people(), Goal("age", min_protection=60.0)))


def test_a_search_is_read_as_it_was_written() -> None:
    kept = searched()
    assert codec.decode(StoredImprovement, json.loads(codec.text_of(kept)), "it") == kept


def test_files_of_an_earlier_version_have_neither_tables_nor_stages() -> None:
    fields = json.loads(codec.text_of(verdict("illness")))
    older = fields["beside"]["illness"]["published"]
    whole = dict(older)
    for name in set(older) - {"score", "grade", "credibility", "decides", "why_not"}:
        del older[name]
    found = codec.decode(Judgement, fields, "it").beside["illness"].published
    assert found is not None and (found.score, found.matrix, found.unflipped) == (whole["score"], (), None)
    kept = json.loads(codec.text_of(searched()))
    assert kept.pop("stages") and codec.decode(StoredImprovement, kept, "it").stages == ()


def test_another_file_is_refused() -> None:
    with pytest.raises(FileError, match="this version reads 'leakgauge/verdict/2'"):
        codec.decode(Judgement, {"schema": "leakgauge/assessment/1"}, "verdict.json")
    with pytest.raises(FileError, match=r"verdict\.json is not a whole judgement: '\w+' is missing"):
        codec.decode(Judgement, {"schema": "leakgauge/verdict/2"}, "verdict.json")
