"""A new indicator is one family in one file and one line of the registry; everything else asks the catalogue."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import leakgauge
from leakgauge.artefacts.evidence import Evidence, Scale
from leakgauge.artefacts.scores import ScoreEvidence
from leakgauge.assessment import collect, criteria_of, default_criteria, protected_column, scores_of
from leakgauge.assessment.criteria.diagram import Best, LeafNode
from leakgauge.assessment.indicators import catalogue
from leakgauge.assessment.indicators.catalogue import FAMILIES, INDICATORS
from leakgauge.assessment.indicators.indicator import Context, Family, Indicator
from leakgauge.assessment.indicators.protected import ProtectedColumn
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from tests.assessment.indicators.small import LETTERS, table

SOURCE = Path(leakgauge.__file__).parent

# What the new file would hold.
ROWS = Indicator("rows", 46, "rows", "rows", Scale(1.0, 1e6, True, Sentence("one, and a million")))


def rows_measured(protected: ProtectedColumn, context: Context) -> tuple[Evidence, ...]:
    return (ROWS.evidence(protected.setting.form, protected.setting.source.rows, Sentence("The rows of the table.")),)


FAMILY = Family((ROWS,), rows_measured)


def test_a_toy_indicator_explains_its_criterion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "FAMILIES", (*FAMILIES, FAMILY))
    monkeypatch.setitem(INDICATORS, ROWS.id, ROWS)
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    evidence = collect(made)
    assert (len(evidence), evidence[-1].leaf, evidence[-1].value) == (29, "46", 3000)
    ours = default_criteria()
    leaf = LeafNode(ROWS.leaf, ROWS.name, "feasibility", Best.HIGHER)
    found = criteria_of(
        evidence,
        scores_of(ScoreEvidence(attackers=())),
        replace(ours, leaves={**ours.leaves, ROWS.leaf: leaf}),
    )
    (shown,) = [one for each in found.criteria for one in each.leaves if one.leaf == ROWS.leaf]
    assert shown.points is not None and shown.points.value == pytest.approx(100 * 3.477 / 6, abs=0.1)
    assert shown.weight == pytest.approx(0.1) and found.unused == ()


def test_no_file_but_its_family_names_an_indicator() -> None:
    families = {Path(str(family.measured.__code__.co_filename)) for family in FAMILIES}
    numbers, ids = {one.leaf for one in INDICATORS.values()}, set(INDICATORS)
    ids -= {"correlation", "cosine", "space", "time", "sensitivity", "mutual-information"}  # words of other rooms too
    asked = re.compile(r'(?:evidence|leaf|leaves|values|INDICATORS|known)[\w.()]*(?:\[|\.get\(| == )"([\w-]+)"')
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        # The paper's own tables know its leaves by their numbers.
        if file not in families and not re.search("paper|published", str(file.relative_to(SOURCE))):
            assert not ids & set(re.findall(r'"([a-z-]+)"', text)), file
            assert not numbers & set(asked.findall(text)), file
