"""The glossary: every notion, unit and word for a score, the catalogue's Chinese, and places that are there."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import leakgauge
from leakgauge.artefacts.scores import Grade
from leakgauge.assessment.indicators.catalogue import INDICATORS
from leakgauge.claims import NOTIONS
from tests.languages.catalogues import read

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "glossary.md"
SOURCE = Path(leakgauge.__file__).parent
TELL_UNITS = {"exact_json", "Quantity"}


def entries() -> list[tuple[str, str, str, str]]:
    """The term, its Chinese, what it means, and where; a line each."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    assert all(len(line) == 4 for line in cells)
    return [(term, chinese, told, where) for term, chinese, told, where in cells if term != "term"]


def names_of(term: str) -> list[str]:
    """What a term is called: in words, and as it is spelled in code."""
    words = re.sub(r"\(?`[^`]*`\)?", "", term).strip()
    return [*re.findall(r"`([^`]*)`", term), *([words] if words else [])]


def units() -> set[str]:
    """Every unit that the code gives a number."""
    found = {one.unit for one in NOTIONS.values()} | {one.unit for one in INDICATORS.values()}
    texts = [file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")]
    for text in texts:
        # To parse every file takes seconds.
        for node in ast.walk(ast.parse(text)) if any(name in text for name in TELL_UNITS) else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in TELL_UNITS and len(node.args) > 1:
                unit = node.args[1]
                if isinstance(unit, ast.Constant) and isinstance(unit.value, str):
                    found.add(unit.value)
    return found - {""}


def test_every_word_of_a_score_notion_and_unit_is_explained() -> None:
    known = {name for term, *_ in entries() for name in names_of(term)}
    assert {grade.value for grade in Grade} <= known
    assert set(NOTIONS) <= known
    said = units()
    assert "nats per unit of distortion" in said
    assert said - known == set()


def test_no_term_is_explained_twice_and_every_one_in_a_sentence() -> None:
    found = entries()
    assert len(found) > 70
    terms = [term for term, *_ in found]
    assert len(set(terms)) == len(terms)
    for term, chinese, told, _ in found:
        assert re.search("[\u4e00-\u9fff]", chinese), term
        assert told.endswith(".") and told[0] not in "abcdfghijklmnopqrstuvwxyz", term


def test_its_chinese_is_what_is_said() -> None:
    said: dict[str, set[str]] = {}
    for domain in ("errors", "sentences"):
        for one in read(domain):
            if one.id and one.string and "{" not in str(one.id):
                said.setdefault(str(one.id).lower(), set()).add(str(one.string))
    assert said
    differ = {
        name: (chinese, said[name.lower()])
        for term, chinese, *_ in entries()
        for name in names_of(term)
        if name.lower() in said and not said[name.lower()] & set(chinese.split("、"))
    }
    assert differ == {}


def test_every_place_it_points_to_is_there() -> None:
    for term, _, _, where in entries():
        places = re.findall(r"`([^`]+)`", where)
        assert places, term
        for place in places:
            assert found_at(place), f"{term}: {place}"


def found_at(place: str) -> bool:
    """Whether a dotted name leads to something of the package."""
    parts = place.split(".")
    holder: object = leakgauge
    for at, part in enumerate(parts):
        if not hasattr(holder, part):
            try:
                holder = importlib.import_module(".".join(["leakgauge", *parts[: at + 1]]))
            except ModuleNotFoundError:
                return False
        else:
            holder = getattr(holder, part)
    return True
