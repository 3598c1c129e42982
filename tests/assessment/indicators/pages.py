"""The tables of the reference page, from the code."""

from __future__ import annotations

from leakgauge.artefacts.evidence import Scale
from leakgauge.assessment.scales import INDICATORS, Form, UpTo


def scale_rows() -> list[str]:
    """A row for each leaf and each scale it has."""
    rows = []
    for leaf, one in INDICATORS.items():
        if not one.scales:
            rows.append(f"| {leaf} | {one.name} | {one.unit} | asked | 1 … 5 | the five answers |")
        different = dict.fromkeys(one.scales.values())
        for scale in different:
            forms = [form.value for form in Form if one.scales.get(form) == scale]
            said = "all" if len(forms) == len(Form) else ", ".join(forms)
            rows.append(f"| {leaf} | {one.name} | {one.unit} | {said} | {anchors(scale)} | {scale.reason} |")
    return rows


def anchors(scale: Scale | UpTo) -> str:
    """The two anchors in words."""
    if isinstance(scale, UpTo):
        return f"0 … {scale.top}"
    return f"{scale.low:.5g} … {scale.high:.5g}{', logarithmic' if scale.logarithmic else ''}"
