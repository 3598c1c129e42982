"""A whole job on a table that an engine has: the same design and the same verdict as on a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leakgauge as lg
from leakgauge.artefacts import codec
from leakgauge.jobs.protect import Done
from tests import sparks
from tests.postgres import PASSWORD, in_postgresql

pytestmark = pytest.mark.usefixtures("undrawn")

_DRAWS = np.random.default_rng(11)
_TOWN = _DRAWS.integers(3, size=300)
PEOPLE = pa.table(
    {
        "town": np.array(["north", "south", "east"])[_TOWN],
        "ill": np.array(["flu", "none", "asthma"])[(_TOWN + _DRAWS.integers(2, size=300)) % 3],
        "age": _DRAWS.integers(18, 90, size=300),
    }
)
ASKED: dict[str, Any] = {"secret": "ill", "public": ["town"], "max_distortion": 0.2, "simulate": 5}


def _said(done: Done) -> tuple[object, ...]:
    verdict = done.verdict
    channel = (done.folder / "channel.json").read_text(encoding="utf-8")
    return channel, codec.encode(verdict.scores), verdict.recommendation, [str(one) for one in verdict.reasons]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The job on the same rows in memory."""
    return lg.protect(PEOPLE, tmp_path_factory.mktemp("jobs") / "here", **ASKED)


@pytest.mark.parametrize("engine", ["postgresql", "spark"])
def test_a_job_comes_out_alike(engine: str, here: Done, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if engine == "spark":
        address = sparks.parquet(PEOPLE, tmp_path)
    else:
        address = in_postgresql(request.getfixturevalue("server"), PEOPLE)
    there = lg.protect(address, tmp_path / "there", **ASKED)
    assert _said(here) == _said(there)
    # One seed is one release: the same noise, and the same order of the rows.
    assert pq.read_table(there.folder / "release.parquet").equals(pq.read_table(here.folder / "release.parquet"))
    # It goes on where it was, since the table is the same; nothing holds a password, or who asked.
    assert lg.protect(address, tmp_path / "there", **ASKED).job.stages == there.job.stages
    everything = [file.read_bytes() for file in there.folder.rglob("*") if file.is_file()]
    assert not any(secret in content for content in everything for secret in (PASSWORD.encode(), b"tester@"))
