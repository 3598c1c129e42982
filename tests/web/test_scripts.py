"""The scripts of the page: they place what the server wrote, and write no number themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import leakgauge.web

SCRIPTS = sorted((Path(leakgauge.web.__file__).parent / "static").glob("*.js"))
FORMATTING = re.compile(
    r"toFixed|toPrecision|toExponential|toLocale\w*String|\bIntl\b|Math\.(?:round|ceil|floor|trunc)\("
)
GEOMETRY = {
    "curve.js": {
        "size = { width, height: Math.round(Math.min(400, Math.max(280, width * 0.62))) };",
        "const named = below[Math.floor((below.length * 2) / 3)];",
    }
}
"""Pixels, and which point a word stands beside."""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_formats_a_number(script: Path) -> None:
    lines = {line.strip() for line in script.read_text(encoding="utf-8").splitlines() if FORMATTING.search(line)}
    assert lines == GEOMETRY.get(script.name, set())


def test_html_is_parsed_in_one_place() -> None:
    parsing = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|DOMParser|document\.write")
    assert [one.name for one in SCRIPTS if parsing.search(one.read_text(encoding="utf-8"))] == ["fragments.js"]


def test_every_script_is_used() -> None:
    texts = "\n".join(one.read_text(encoding="utf-8") for one in SCRIPTS)
    imported = set(re.findall(r'from "\./([^"]+)"', texts))
    assert imported | {"main.js"} == {one.name for one in SCRIPTS}
