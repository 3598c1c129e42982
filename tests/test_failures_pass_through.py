"""Our own bugs and failures of an engine are never mistaken for an answer: what swallows errors says which it means."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import leakgauge
from leakgauge.artefacts import Origin, Request
from leakgauge.assessment import most_useful
from leakgauge.assessment.search import families
from leakgauge.design import Knowledge
from leakgauge.distances import Hamming
from leakgauge.errors import EngineError, InputError, InternalError, LeakgaugeError, VerificationError
from leakgauge.jobs.design import Question
from leakgauge.jobs.protect import choice
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.protect.tuned import Trials
from leakgauge.mechanisms.steps import RandomizedResponse
from leakgauge.release import guarantees, interrupted
from leakgauge.tables import open_table

SOURCE = Path(leakgauge.__file__).parent
FACES = {"cli/__init__.py", "web/app.py", "web/workspace.py"}
"""Where every error is told to a person."""


@dataclass(frozen=True)
class Place:
    """Where something is tried: what fails in it, and which error only means that there is no such thing."""

    module: Any
    fails: str
    run: Callable[[Path], object]
    meant: type[LeakgaugeError]


def _compared(folder: Path) -> None:
    question = Question(("a",), (), Hamming(), Knowledge.NOBODY, {}, None)
    sources, chosen = SimpleNamespace(table=None), SimpleNamespace(distortion=0.1)
    choice._compared(question, sources, chosen)  # type: ignore[arg-type]


def _drawn(folder: Path) -> object:
    written = [folder / name for name in ("release.json", "release.public.json", "release.csv")]
    for place in written:
        place.touch()
    return interrupted.drawn_record(*written)


def _searched(folder: Path) -> object:
    with open_table(pa.table({"a": ["x", "y"] * 20})) as table:
        return most_useful(table, "a", min_protection=60)


PLACES = {
    "comparison": Place(choice, "comparison", _compared, InputError),
    "drawn before": Place(interrupted, "verify", _drawn, VerificationError),
    "mechanism": Place(families, "keep_or_redraw", _searched, InputError),
    "composition": Place(
        guarantees,
        "smallest",
        lambda folder: guarantees.together_of((RandomizedResponse(1.0),), Origin.DECLARED),
        leakgauge.errors.OptionError,
    ),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("error", [InternalError, EngineError])
def test_a_failure_passes_through(
    place: Place, error: type[LeakgaugeError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise thrown[0]("It failed.")

    thrown = [place.meant]
    monkeypatch.setattr(place.module, place.fails, fail)
    place.run(tmp_path)
    thrown[0] = error
    with pytest.raises(error, match=r"It failed\."):
        place.run(tmp_path)


def test_a_bug_passes_through_what_would_be_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise thrown[0]("It failed.")

    thrown: list[type[LeakgaugeError]] = [InputError]
    monkeypatch.setattr(Judging, "before", fail)
    asked = Request.of("frame", secret=("a",), max_distortion=0.2)
    with open_table(pa.table({"a": ["x", "y"] * 20})) as table:
        assert Trials(Judging(table)).of((), asked) is None
        thrown[0] = InternalError
        with pytest.raises(InternalError, match=r"It failed\."):
            Trials(Judging(table)).of((), asked)


def test_nothing_but_a_face_catches_every_error_for_good() -> None:
    swallowing = []
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        # To parse every file takes seconds.
        for node in ast.walk(ast.parse(text)) if "LeakgaugeError" in text else ():
            if not isinstance(node, ast.ExceptHandler) or node.type is None:
                continue
            caught = {one.id for one in ast.walk(node.type) if isinstance(one, ast.Name)}
            raises = any(isinstance(one, ast.Raise) for body in node.body for one in ast.walk(body))
            if "LeakgaugeError" in caught and not raises:
                swallowing.append(file.relative_to(SOURCE).as_posix())
    assert set(swallowing) <= FACES
