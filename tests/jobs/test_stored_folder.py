"""Job folders as earlier versions wrote them are reported with their numbers, and said not to be judged by scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leakgauge.artefacts import Job, Judgement, codec
from leakgauge.artefacts.improvement import StoredImprovement
from leakgauge.report import Document, Edition, Report
from tests.report.reading import texts

STORED = Path(__file__).parent / "stored"
"""Made before artefacts had types: ``protect --max-distortion 0.2 --simulate 7``, and a job that was refused."""


def without_clauses(document: Document) -> Document:
    return replace(document, sections=tuple(one for one in document.sections if one.key != "clauses"))


@pytest.mark.parametrize("name", ["released", "refused"])
def test_the_numbers_stay(name: str) -> None:
    report = Report.of(STORED / name)
    told = []
    for edition in Edition:
        # By default clauses are those that readers of a language are asked for.
        english, chinese = (without_clauses(one) for one in report.documents("both", edition))
        told += [
            f"# {edition.value}",
            *(f"{one.source} = {one.value} {one.unit}".rstrip() for one in english.numbers()),
        ]
        # A translation may order them anew.
        assert sorted(one.source for one in english.numbers()) == sorted(one.source for one in chinese.numbers())
    assert told == (STORED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_a_release_that_grades_decided_on_is_said_not_to_be_judged() -> None:
    for edition in Edition:
        (document,) = Report.of(STORED / "released").documents("en", edition)
        said = texts(document)
        assert ("has no scores" in said and "run the same protect command again" in said) is (
            edition is Edition.INTERNAL
        )
        assert "verdict" not in {section.key for section in document.sections} and "grade" not in said


def test_a_verdict_by_six_scores_is_read_and_what_it_did_not_measure_is_unknown() -> None:
    """Made by ``protect --max-distortion 0.2 --simulate 7`` and by ``improve --min-protection 60``."""
    place = STORED / "six-scores"
    verdict = codec.read(Judgement, place / "verdict.json")
    assert str(verdict.reasons[0]).startswith("it is a simulation")
    (scores,) = verdict.scores.values()
    assert 31 < scores.protection.value < 32 and scores.surest.ends == (0, 100)
    assert codec.read(Job, place / "job.json").headline is None
    search = codec.read(StoredImprovement, place / "improvement.json")
    assert search.chosen is not None and search.chosen.scores.surest.ends == (0, 100)
