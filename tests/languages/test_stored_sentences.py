"""What the rooms below the faces store for people to read can be told in Chinese."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts.codec import sentence_of
from leakgauge.cli import main
from leakgauge.languages import Language
from leakgauge.sentences import Field, Sentence

CHINESE = Language("zh")
SAID = {
    *("assumptions", "attack", "better", "blocked", "event", "failed", "form", "grade", "graded", "grade_uncapped"),
    *("knowledge", "learned_from", "method", "notion", "of", "reason", "role", "source", "stage", "standing", "unit"),
    *("vetoes", "violations", "why_not", "neighbours", "unit_of_protection", "cap", "prior_origin", "channel_prior"),
}
"""Keys of files whose texts are words of ours."""
ENGLISH = re.compile(r"\b[a-z]{3,} [a-z]{2,}\b")
LETTERS = re.compile(r"[a-z]{3}")
RELEASES = {
    "illness": "randomized-response:epsilon=1,letters=this-table",
    "age": "laplace:epsilon=1,lower=0,upper=100",
    "dose": "gaussian:epsilon=1,delta=1e-6,lower=0,upper=10",
    "ward": "subset-selection:epsilon=8,letters=this-table",
    "blood": "channel:file=channel.json",
}


def _run(*arguments: str) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return main(list(arguments))


def _released() -> None:
    """A release of all columns with its record and audit, next to the table in this folder, each column graded."""
    lines = (f'{column} = "{mechanism}"' for column, mechanism in RELEASES.items())
    Path("plan.toml").write_text("\n".join(('public = ["city"]', "[columns]", *lines)) + "\n")
    record, audit, beside = "record.json", "audit.json", ("--original", "people.csv")
    release = ("release", "people.csv", "--plan", "plan.toml", "--record", record, "--simulate", "1")
    assert _run(*release, "-o", "released.csv") == 0
    assert _run("audit", record, *beside, "--background", "city", "--targets", "200", "-o", audit) == 0
    for column in RELEASES:
        # A policy that asks for too much is not kept: the line that fails is stored all the same.
        graded = ("assess", record, audit, *beside, "--column", column, "--policy", "policy.toml")
        assert _run(*graded, "-o", f"{column}-grade.json") == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Everything that is made of a table of 400 people, released in five ways."""
    place = tmp_path_factory.mktemp("stored")
    with contextlib.chdir(place):
        rows = (
            f"{'AB'[at % 2]},{('flu', 'well', 'well', 'cold')[(at * 7 + at // 5) % 4]},{20 + at % 50},"
            f"{at * 13 % 97 / 10},{'uvwx'[at // 3 % 4]},{('O', 'A', 'B', 'O')[at // 7 % 4]}"
            for at in range(400)
        )
        Path("people.csv").write_text("\n".join(["city,illness,age,dose,ward,blood", *rows]) + "\n")
        Path("policy.toml").write_text('max_epsilon = 0.001\nmin_utility = 99\ntarget_grade = "very-good"\n')
        designed = ("design", "people.csv", "--secret", "blood", "--background", "city", "--knowledge", "attacker")
        assert _run(*designed, "--max-distortion", "0.4", "-o", "channel.json") == 0
        _released()
        improve = ("improve", "people.csv", "--secret", "illness", "--trials", "16")
        assert _run(*improve, "--target", "medium", "-o", "improved.json") == 0
        assert _run(*improve, "--target", "99.5", "-o", "failed.json") == 1
        yield place


def _texts(fields: Any, key: str = "") -> Iterator[tuple[str, str | Sentence]]:
    """The texts and sentences of a file with the keys they stand under."""
    if isinstance(fields, dict) and "template" in fields:
        yield key, sentence_of(fields)
    elif isinstance(fields, dict):
        for name, value in fields.items():
            yield from _texts(value, name)
    elif isinstance(fields, list):
        for value in fields:
            yield from _texts(value, key)
    elif isinstance(fields, str) and fields:
        yield key, fields


def _stored(place: Path) -> dict[str, set[str | Sentence]]:
    found: dict[str, set[str | Sentence]] = {}
    for file in place.glob("*.json"):
        for key, text in _texts(json.loads(file.read_text(encoding="utf-8"))):
            found.setdefault(key, set()).add(text)
    return found


def _is_known(said: str | Sentence) -> bool:
    """Whether a name, or the template of a sentence and every sentence in its fields, has a translation."""
    if isinstance(said, str):
        return said in CHINESE.catalogue
    return said.template in CHINESE.catalogue and all(map(_is_known, _within(said.fields.values())))


def _within(fields: Iterable[Field]) -> Iterator[Sentence]:
    for one in fields:
        if isinstance(one, tuple):
            yield from _within(one)
        elif isinstance(one, Sentence):
            yield one


def test_every_sentence_of_a_file_can_be_told(folder: Path) -> None:
    stored = _stored(folder)
    said = {(key, text) for key in SAID & stored.keys() for text in stored[key] if LETTERS.search(str(text))}
    assert len(said) > 120
    assert {key for key, _ in said} >= {"assumptions", "attack", "event", "failed", "learned_from", "reason", "source"}
    assert [(key, text) for key, text in sorted(said, key=str) if not _is_known(text)] == []


def test_what_is_told_has_no_english_sentence_left(folder: Path) -> None:
    stored = _stored(folder)
    told = {text: CHINESE.retell(text) for key in SAID & stored.keys() for text in stored[key]}
    assert len(told) > 120
    assert {text: chinese for text, chinese in told.items() if ENGLISH.search(chinese)} == {}


def test_the_names_of_leaves_checks_and_lines_are_told(folder: Path) -> None:
    grade = json.loads((folder / "illness-grade.json").read_text(encoding="utf-8"))
    audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    names = [one["name"] for one in (*grade["leaves"], *grade["policy"], *audit["checks"])]
    assert len(names) > 30
    assert [name for name in names if not _is_known(name if isinstance(name, str) else sentence_of(name))] == []


def test_the_levels_of_a_record_have_names(folder: Path) -> None:
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    notions = [*record["claims"]["blood"]["levels"], *record["together"]]
    assert "local-dp" in notions
    assert [name for name in notions if not _is_known(name)] == []
