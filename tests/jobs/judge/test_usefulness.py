"""What a job is worth: by what its kit lets recipients compute, before anything is drawn and after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import leakgauge as lg
from leakgauge.artefacts import Recipients, Request
from leakgauge.artefacts.codec import read
from leakgauge.artefacts.estimates import ReadAs
from leakgauge.artefacts.scores import Statistic, share
from leakgauge.artefacts.verdict import Judgement, Recommendation
from leakgauge.jobs.protect.judged import Judging
from leakgauge.jobs.samples import adult_rows
from leakgauge.tables import open_table
from tests.jobs.judge.tables import households, judged


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    return households(tmp_path_factory.mktemp("useful") / "people.parquet")


UNREADABLE: dict[str, dict[str, Any]] = {
    "the channel is private and keeps nothing": {"max_distortion": 0.3, "keep": "nothing"},
    "it was chosen by what it does to the table": {
        "mechanism": ("randomized-response:epsilon=2", "randomized-response:epsilon=3"),
        "max_distortion": 0.5,
    },
    "the numbers were clamped": {
        "secret": ("age",),
        "mechanism": ("laplace:epsilon=4,lower=18,upper=80",),
        "clamp": True,
    },
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_release_of_which_the_kit_computes_nothing_is_of_no_use(people: str, tmp_path: Path, name: str) -> None:
    asked = Request.of(people, **{"secret": ("status",), "public": ("town",), **UNREADABLE[name]})
    with open_table(people) as table:
        before, after = Judging(table).before(asked), judged(asked, table, tmp_path)
    for found in (before, after):
        (scores,) = found.scores.values()
        assert scores.usefulness.ends == (0, 0) and found.recommendation is Recommendation.DO_NOT_RELEASE
        assert [one.worth.value for one in worths(found)[0] if one.worth is not None] == [0, 0]


def test_what_the_steward_publishes_makes_it_useful(people: str) -> None:
    asked = Request.of(people, secret=("status",), public=("town",), max_distortion=0.3)
    with open_table(people) as table:
        judging = Judging(table)
        ((counted, no_table),) = worths(judging.before(asked))
        ((shares, crossed),) = worths(judging.before(asked.having(publish_shares=True)))
    assert counted.worth is not None and 0.5 <= counted.worth.value < 1 and no_table.worth == share(0.0)
    # The channel has the shares in it, and lets cross-tables be corrected.
    assert shares.worth == share(1.0) and crossed.worth is not None and 0 < crossed.worth.value < 1
    assert shares.worst_error is not None and counted.worst_error is not None and no_table.worst_error is None
    assert shares.worst_error < counted.worst_error


def worths(found: Judgement) -> list[tuple[Statistic, ...]]:
    return [one.statistics for one in found.evidence.values()]


def test_what_a_search_finds_is_something_that_recipients_can_use(tmp_path: Path) -> None:
    """The command of the README: the channel stays private, so that shares are counted and cross-tables are not had."""
    asked: dict[str, Any] = {"secret": "marital_status", "background": ["occupation"], "public": ["occupation"]}
    lg.protect(adult_rows(), tmp_path / "out", min_protection=60, simulate=3, **asked)
    found, told = read(Judgement, tmp_path / "out/verdict.json"), read(Recipients, tmp_path / "out/recipients.json")
    ((shares, crossed),) = worths(found)
    assert shares.worth is not None and shares.worth.value > 0.5 and crossed.worth == share(0.0)
    # What the screen says of it is the same number.
    (column,) = told.columns
    assert column.read_as is ReadAs.COUNTED and column.worth is not None
    assert column.worth.value == pytest.approx(shares.worth.value)
    assert found.scores["marital_status"].usefulness.value == pytest.approx(50 * shares.worth.value)
