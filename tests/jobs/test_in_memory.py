"""Within one run results pass as objects: a file is written for others, and read again by a run that goes on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request, codec
from leakgauge.jobs.protect import protect
from leakgauge.probability import files


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is decoded, parsed or read from here on."""
    read = list[object]()
    for room, name in ((codec, "decode"), (codec, "read"), (files, "parsed_json")):
        function = getattr(room, name)

        def noted(*taken: Any, function: Any = function, **options: Any) -> Any:
            result = function(*taken, **options)
            read.append(result)
            return result

        for module in [one for place, one in sys.modules.items() if place.startswith("leakgauge")]:
            for own in [own for own, value in vars(module).items() if value is function]:
                monkeypatch.setattr(module, own, noted)
    return read


@pytest.mark.parametrize(
    "more",
    [{"max_distortion": 0.2}, {"min_protection": 40}, {"public": ("city=0.2", "age"), "max_distortion": 0.1}],
    ids=["designed", "searched", "public channel"],
)
def test_a_job_reads_nothing_that_it_wrote(
    asked: Request, tmp_path: Path, reading: list[object], more: dict[str, Any]
) -> None:
    asked = Request.of(asked.table, **{"secret": ("illness",), "public": ("city",), "simulate": 3, **more})
    done = protect(asked, tmp_path / "out")
    assert done.released and reading == []
    # What it wrote is enough for a run that goes on.
    assert done.kept.dossier().files().keys() == protect(asked, tmp_path / "out").kept.dossier().files().keys()
    assert reading
