"""Every public name that a page of the reference prints can be imported, or is a member of what can be."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import leakgauge
from tests.test_house import REFERENCE, SURFACE

PAGES = sorted(REFERENCE.parent.glob("*.md"))
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\.(json|csv|parquet|py|R|xlsx|toml|md|html|svg)$")

HEADS = {"lg", "leakgauge", "composition", *leakgauge.__all__}
"""What a name with its module begins with."""


def printed(page: Path) -> Iterator[str]:
    """Names in the text of a page: what is called, what has its module before it, and constants."""
    for code in re.findall(r"`([^`\n]+)`", FENCED.sub("", page.read_text(encoding="utf-8"))):
        called = re.match(r"([A-Za-z_][\w.]*)\(", code)
        dotted = re.fullmatch(r"(\w+)(\.\w+)+", code)
        if called:
            yield called[1]
        elif re.fullmatch(r"[A-Z]+(_[A-Z]+)+", code) or (dotted and dotted[1] in HEADS and not FILE.search(code)):
            yield code


@cache
def modules(page: Path) -> list[ModuleType]:
    """The rooms of the public surface, and modules that the page names."""
    named = re.findall(r"\bleakgauge(?:\.[a-z_]+)+", page.read_text(encoding="utf-8"))
    known = [*SURFACE, "leakgauge.claims", "leakgauge.errors", *named]
    return [found for found in map(imported, dict.fromkeys(known)) if found is not None]


@cache
def imported(path: str) -> ModuleType | None:
    try:
        return import_module(path)
    except ModuleNotFoundError:
        return None


def importable(name: str, page: Path) -> bool:
    """Whether a name is in one of these modules, or is a member of a class that is defined where its names are."""
    head, *rest = name.removeprefix("lg.").removeprefix("leakgauge.").split(".")
    if any(reaches(module, [head, *rest]) for module in modules(page)):
        return True
    for cut in range(len(rest), -1, -1):
        # ``papers.counterexamples.COUNTEREXAMPLES``: modules that load when they are imported.
        module = imported(".".join(["leakgauge", head, *rest][: cut + 2]))
        if module is not None and reaches(module, [head, *rest][cut + 1 :]):
            return True
    types = classes(page)
    if rest:
        # ``channel.dyadic()``: a thing by the name of its type.
        return any(one.__name__ == head.capitalize() and hasattr(one, rest[0]) for one in types)
    return any(hasattr(one, head) for one in types)


def reaches(found: object, names: list[str]) -> bool:
    for name in names:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return bool(names)


@cache
def classes(page: Path) -> set[type]:
    found = set()
    for module in modules(page):
        homes = {getattr(vars(module).get(name), "__module__", "") for name in getattr(module, "__all__", ())}
        for home in [module, *(import_module(one) for one in homes if one.startswith("leakgauge."))]:
            found |= {one for one in vars(home).values() if inspect.isclass(one)}
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_public_name_of_the_reference_is_imported(page: Path) -> None:
    assert [name for name in dict.fromkeys(printed(page)) if not importable(name, page)] == []


def test_a_name_that_is_nowhere_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`relate_nothing(channel)`, `notions.nothing`, `NO_EDGES`, `levels(channel)` and `channel.then(other)`"
    )
    assert [name for name in printed(page) if not importable(name, page)] == [
        "relate_nothing",
        "notions.nothing",
        "NO_EDGES",
    ]
