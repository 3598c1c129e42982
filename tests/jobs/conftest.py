"""The finished job of the test run, its question and its stages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from tests.jobs.finished import Finished
from tests.jobs.stubs import no_pictures, stubbed


@pytest.fixture(scope="module", autouse=True)
def without_pictures(finished_job: Finished) -> Iterator[None]:
    """No test here looks at one, but for those of the finished job."""
    with no_pictures():
        yield


@pytest.fixture(scope="session")
def people(finished_job: Finished) -> Path:
    """A small table that no test changes."""
    return Path(finished_job.asked.table)


@pytest.fixture
def asked(finished_job: Finished) -> Request:
    """A job with noise of a seed, so that the same comes out again."""
    return finished_job.asked


@pytest.fixture
def made(finished_job: Finished) -> Path:
    """The folder of the finished job, to copy from."""
    return finished_job.folder


@pytest.fixture
def stubs(finished_job: Finished) -> Iterator[None]:
    """Every stage copies what the finished job left."""
    with stubbed(finished_job.folder):
        yield


@pytest.fixture
def finished(finished_job: Finished, tmp_path: Path) -> Finished:
    """A copy that a test may change."""
    shutil.copytree(finished_job.folder, tmp_path / "out")
    return Finished(finished_job.asked, tmp_path / "out", finished_job.steps)


def numbers(data: Any) -> list[dict[str, Any]]:
    """Every number of a report's data."""
    if isinstance(data, dict):
        if "source" in data and "value" in data:
            return [data]
        return [one for value in data.values() for one in numbers(value)]
    return [one for value in data for one in numbers(value)] if isinstance(data, list) else []
