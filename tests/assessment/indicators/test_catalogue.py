"""Laws of the indicators' scales, and the page that shows them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.artefacts.evidence import Scale
from leakgauge.assessment.diagram_files import default_diagram
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.assessment.indicators.indicator import Form, Indicator, UpTo
from leakgauge.assessment.indicators.questionnaire import ASKED
from leakgauge.errors import InternalError
from leakgauge.sentences import Sentence

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "indicators.md"
IN_ORDER = sorted(INDICATORS.values(), key=lambda one: one.number)
SCALES = [(one, form) for one in INDICATORS.values() for form in one.by_form]


def test_there_is_an_indicator_for_each_leaf_of_the_diagram() -> None:
    assert {one.leaf for one in IN_ORDER} == set(default_diagram().leaves)
    assert len(INDICATORS) == 28
    assert ASKED == ("14", "15", "19")


@pytest.mark.parametrize(("one", "form"), SCALES, ids=lambda part: getattr(part, "id", getattr(part, "value", "")))
@given(raw=st.lists(st.floats(-1e9, 1e9) | st.just(math.inf), min_size=2, max_size=8), top=st.floats(0.01, 30))
def test_every_scale_rises_with_the_raw_value(one: Indicator, form: Form, raw: list[float], top: float) -> None:
    scale = one.scale(form, top)
    places = [float(scale.position(value)) for value in sorted(raw)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 1
    assert float(scale.position(scale.low)) == 0
    assert float(scale.position(scale.high)) == pytest.approx(1)
    inside = [float(scale.position(scale.low + (scale.high - scale.low) * part)) for part in (0.3, 0.31, 0.9)]
    assert inside[0] < inside[1] < inside[2]
    assert scale.reason


def test_a_scale_of_the_data_needs_them() -> None:
    assert isinstance(INDICATORS["mutual-information"].by_form[Form.LETTERS], UpTo)
    with pytest.raises(InternalError, match=r"leaf 6 needs to know H\(O\)"):
        INDICATORS["mutual-information"].scale(Form.LETTERS)


def test_an_interval_that_misses_the_value_is_widened() -> None:
    made = INDICATORS["correlation"].evidence(Form.NUMBERS, 0.5, Sentence("by hand"), between=(0.6, 0.7))
    assert made.interval == (0.5, 0.7)


def scale_rows() -> list[str]:
    """A row for each indicator and each scale it has."""
    rows = []
    for one in IN_ORDER:
        start = f"| {one.leaf} | `{one.id}` | {one.name} | {one.unit}"
        if not one.by_form:
            rows.append(f"{start} | asked | 1 … 5 | the five answers |")
        for scale in dict.fromkeys(one.by_form.values()):
            forms = [form.value for form in Form if one.by_form.get(form) == scale]
            said = "all" if len(forms) == len(Form) else ", ".join(forms)
            rows.append(f"{start} | {said} | {anchors(scale)} | {scale.reason} |")
    return rows


def anchors(scale: Scale | UpTo) -> str:
    """The two anchors in words."""
    if isinstance(scale, UpTo):
        return f"0 … {scale.top}"
    return f"{scale.low:.5g} … {scale.high:.5g}{', logarithmic' if scale.logarithmic else ''}"


def test_the_page_shows_the_scales_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    start = page.index("## Scales")
    shown = [line for line in page[start : page.index("## How they are found")] if line.startswith("| ")][1:]
    assert shown == scale_rows()
    told = [
        line
        for line in page[page.index("## How they are found") : page.index("## What each leaf feeds")]
        if line.startswith("| ")
    ][1:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in told] == [one.leaf for one in IN_ORDER]
    assert all(line.replace("\\|", "").count("|") == 6 for line in told)
