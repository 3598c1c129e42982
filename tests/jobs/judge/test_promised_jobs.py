"""A job that is asked for protection promises it before anything is drawn, and its release has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leakgauge as lg
from leakgauge.artefacts.verdict import Recommendation
from leakgauge.errors import RefusalError
from tests.jobs.judge.tables import households

LEAST = 60.0
PUBLISHED = {
    "marital_status": "occupation",
    "race": "sex",
    "education": "sex",
    "occupation": "sex",
    "workclass": "sex",
}


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    return households(tmp_path_factory.mktemp("people") / "people.parquet")


def kept(table: str, folder: Path, seed: int, **asked: Any) -> bool:
    done = lg.protect(table, folder, min_protection=LEAST, simulate=seed, **asked)
    return done.released and done.refused is None and done.verdict.protection.ends[0] >= LEAST


def test_a_release_has_the_protection_that_was_asked_for(people: str, tmp_path: Path) -> None:
    assert kept(people, tmp_path / "one", 1, secret="status", public="town")


def test_what_cannot_be_had_is_refused_before_anything_is_drawn(people: str, tmp_path: Path) -> None:
    done = lg.protect(
        people, tmp_path / "job", secret="status", public="town", max_distortion=0.05, min_protection=60.0
    )
    assert not done.released and not (tmp_path / "job" / "release.parquet").exists()
    assert done.verdict.recommendation is Recommendation.DO_NOT_RELEASE and done.verdict.record is None
    assert done.verdict.actions[0].promised["status"].protection.ends[0] >= LEAST
    with pytest.raises(RefusalError, match="you require 60; nothing was released"):
        done.require()


@pytest.mark.nightly
def test_a_hundred_releases_of_five_columns(tmp_path: Path) -> None:
    from leakgauge.jobs.samples import adult_csv

    table = tmp_path / "adult.csv"
    table.write_text(adult_csv())
    runs = [
        kept(str(table), tmp_path / f"{secret}{seed}", seed, secret=secret, public=published)
        for secret, published in PUBLISHED.items()
        for seed in range(1, 21)
    ]
    assert sum(runs) >= 95
