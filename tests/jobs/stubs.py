"""Stages that copy what a finished job left instead of doing their work, for tests of which stages are done again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from leakgauge.jobs import protect
from leakgauge.jobs.protect import NAMES
from leakgauge.jobs.protect.folder import Found
from leakgauge.jobs.protect.stages import STAGES, Work
from leakgauge.telling.figures import chart


@contextmanager
def stubbed(made: Path, names: Sequence[str] = NAMES) -> Iterator[None]:
    """Within the block the stages of these names copy their files from the finished job."""
    stages = json.loads((made / "job.json").read_text(encoding="utf-8"))["stages"]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            if name == "report":
                patch.setattr(protect, "Report", _Report(made))
            else:
                patch.setitem(STAGES, name, partial(_copy, made, tuple(stages[name]["outputs"])))
        yield


def _copy(made: Path, names: tuple[str, ...], work: Work) -> Found:
    work.tell(0, len(names))
    for name in names:
        shutil.copyfile(made / name, work.folder.place / name)
    return Found(written=names)


class _Report:
    """Writes the finished job's report."""

    def __init__(self, made: Path) -> None:
        self._made = made

    def made_of(self, *_: object) -> _Report:
        return self

    def to_html(self, place: Path, *_: object) -> None:
        shutil.copyfile(self._made / place.name, place)

    to_json = to_html


@contextmanager
def no_pictures() -> Iterator[None]:
    """Reports without pictures, which take a third of a small job.

    The finished job has them, and the reports of ``tests/report``, of the page and of what runs as a process.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart, "_drawn", lambda spec: "<svg></svg>")
        yield
