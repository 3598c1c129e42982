"""A job passes objects: no JSON that it wrote is parsed again in the same process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.jobs.protect import protect
from tests.jobs.people import write_people


def test_nothing_that_was_written_is_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_people(tmp_path / "people.csv")
    parsed: list[str] = []
    loads = json.loads

    def counted(text: str | bytes, **options: Any) -> Any:
        parsed.append(str(text)[:200])
        return loads(text, **options)

    monkeypatch.setattr(json, "loads", counted)
    asked = Request(
        str(tmp_path / "people.csv"), "illness", ("city",), public=("city",), max_distortion=0.2, simulate=7
    )
    done = protect(asked, tmp_path / "out")
    written = {place.name for place in (tmp_path / "out").glob("*.json")}
    assert {"job.json", "release.json", "audit.json", "assessment.json", "report.json"} <= written
    assert not [text for text in parsed if "leakgauge/" in text]
    assert done.released
