"""The guide for newcomers: its picture is in step with the source, its answers are where it says."""

from __future__ import annotations

import re
import runpy
import xml.dom.minidom
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a title, without its head."""
    section = GUIDE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


QUESTIONS = rows("Fifteen questions of a newcomer")


def test_the_picture_of_the_rooms_is_in_step_with_the_source() -> None:
    drawn = runpy.run_path(str(ROOT / "docs" / "pictures" / "rooms.py"))["draw"]()
    stored = (ROOT / "docs" / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    assert stored == drawn, "run python docs/pictures/rooms.py"
    xml.dom.minidom.parseString(drawn)


def test_there_are_fifteen_questions() -> None:
    assert len(QUESTIONS) == 15


@pytest.mark.parametrize(("question", "path", "name"), QUESTIONS, ids=[row[0] for row in QUESTIONS])
def test_an_answer_is_where_the_guide_says(question: str, path: str, name: str) -> None:
    assert question.endswith("?")
    assert name.strip("`") in (ROOT / path.strip("`")).read_text(encoding="utf-8")


@pytest.mark.parametrize("row", rows("Adding"), ids=[row[0] for row in rows("Adding")])
def test_what_is_added_goes_where_the_guide_says(row: list[str]) -> None:
    _, place, registry, reference, suites = row
    first, *named = re.findall(r"`([^`]+)`", place)
    home = ROOT / first
    assert home.exists()
    sources = [home] if home.is_file() else sorted(home.glob("*.py"))
    within = "".join(file.read_text(encoding="utf-8") for file in sources)
    assert all(name in within or (ROOT / "src/leakgauge" / name).exists() for name in named)
    *line, file = re.findall(r"`([^`]+)`", registry)
    text = (ROOT / "src" / "leakgauge" / file).read_text(encoding="utf-8")
    assert all(name in text for name in line)
    for cell in re.findall(r"`([^`]+)`", reference + suites):
        assert (ROOT / cell).exists()


def test_paths_lead_somewhere() -> None:
    for path in re.findall(r"`((?:tests|docs|src|\.ci)/[\w./-]+)`", GUIDE) + re.findall(r"\]\(([^)]+)\)", GUIDE):
        assert (ROOT / path).exists(), path
