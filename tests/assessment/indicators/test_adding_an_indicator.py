"""A new indicator is one family in one file and one line of the registry; everything else asks the catalogue."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import leakgauge
from leakgauge.artefacts.assessment import Grade
from leakgauge.artefacts.evidence import Evidence, Scale
from leakgauge.assessment import Diagram, Policy, assess, default_diagram, expected
from leakgauge.assessment.diagram import Arc, Better, Node
from leakgauge.assessment.indicators import INDICATORS, Setting, catalogue, collect, protected_column
from leakgauge.assessment.indicators.catalogue import FAMILIES
from leakgauge.assessment.indicators.indicator import Context, Family, Indicator, alike
from leakgauge.assessment.stored import stored
from leakgauge.assessment.vetoes import every_veto, vetoes_of_unknown
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import Simulated
from leakgauge.sentences import Sentence
from tests.assessment.indicators.small import LETTERS, table

SOURCE = Path(leakgauge.__file__).parent

# What the new file would hold.
ROWS = Indicator(
    "rows",
    46,
    "rows",
    "rows",
    alike(Scale(1.0, 1e6, True, Sentence("one, and a million"))),
    needed=Sentence("how many rows there are"),
    veto=lambda value, of_rows: Sentence("there are few rows") if value < 10_000 else None,
)


def rows_expected(setting: Setting, context: Context) -> tuple[Evidence, ...]:
    return (ROWS.evidence(setting.form, setting.source.rows, Sentence("The rows of the table.")),)


FAMILY = Family((ROWS,), rows_expected)


@pytest.fixture
def diagram(monkeypatch: pytest.MonkeyPatch) -> Diagram:
    """The paper's diagram with a leaf more, the family being registered."""
    monkeypatch.setattr(catalogue, "FAMILIES", (*FAMILIES, FAMILY))
    monkeypatch.setitem(INDICATORS, ROWS.id, ROWS)
    paper = default_diagram()
    nodes = {**paper.nodes, ROWS.leaf: Node(ROWS.leaf, ROWS.name, better=Better.HIGHER)}
    return replace(paper, nodes=nodes, arcs=(*paper.arcs, Arc(ROWS.leaf, "44")))


def test_a_toy_indicator_shows_in_an_assessment(diagram: Diagram) -> None:
    made = protected_column(table(), "illness", randomized_response(1.0, letters=LETTERS), Simulated(1))
    evidence = expected(made.setting)
    assert evidence[-1] == collect(made)[-1] and len(evidence) == 29
    vetoes = every_veto(made.setting, evidence)
    assert [str(one.reason) for one in vetoes] == ["there are few rows"]
    found = assess(diagram, evidence, vetoes, draws=0)
    assert found.unused == () and ROWS.leaf not in found.missing
    assert found.position(ROWS.leaf) == pytest.approx(float(evidence[-1].scale.position(3000)), abs=1e-9)  # type: ignore[union-attr]
    assert found.sensitivities[ROWS.leaf] > 0
    assert found.grade <= Grade.POOR
    kept = stored(found)
    assert [one.name for one in kept.leaves if one.leaf == ROWS.leaf] == ["rows"]
    assert Policy(min_score=0.0).judge(found)[-1].name == "vetoes"
    (unknown,) = vetoes_of_unknown({"privacy": 1.0}, [ROWS.leaf])
    assert str(unknown.reason) == "nothing is known of how many rows there are"


def test_no_file_but_its_family_names_an_indicator() -> None:
    families = {Path(str(family.expected.__code__.co_filename)) for family in FAMILIES}
    numbers, ids = {one.leaf for one in INDICATORS.values()}, set(INDICATORS)
    ids -= {"correlation", "cosine", "space", "time", "sensitivity", "mutual-information"}  # words of other rooms too
    asked = re.compile(r'(?:evidence|leaf|leaves|values|INDICATORS|known)[\w.()]*(?:\[|\.get\(| == )"([\w-]+)"')
    for file in SOURCE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        # The paper's own tables know its leaves by their numbers.
        if file not in families and not re.search("paper|published", str(file.relative_to(SOURCE))):
            assert not ids & set(re.findall(r'"([a-z-]+)"', text)), file
            assert not numbers & set(asked.findall(text)), file
