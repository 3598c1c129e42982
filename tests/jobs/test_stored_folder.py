"""Job folders as earlier versions wrote them are reported with the numbers that those versions gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from leakgauge.languages import ENGLISH
from leakgauge.report import Edition, Report
from leakgauge.report.numbers import written

STORED = Path(__file__).parent / "stored"
"""Made before artefacts had types: ``protect --max-distortion 0.2 --simulate 7``, and a job that was refused."""


@pytest.mark.parametrize("name", ["released", "refused"])
def test_the_numbers_stay(name: str) -> None:
    report = Report.of(STORED / name)
    told = []
    for edition in Edition:
        (document,) = report.documents("en", edition)
        told += [f"# {edition.value}", *(f"{one.source} = {written(one, ENGLISH)}" for one in document.numbers())]
    assert told == (STORED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("edition", Edition)
@pytest.mark.parametrize("name", ["released", "refused"])
def test_both_languages_show_the_same_numbers(name: str, edition: Edition) -> None:
    english, chinese = Report.of(STORED / name).documents("both", edition)
    # A translation may order them anew.
    assert sorted(one.source for one in english.numbers()) == sorted(one.source for one in chinese.numbers())
