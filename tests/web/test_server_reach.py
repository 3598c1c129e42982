"""What a request names lies inside the folder that is served, whichever field names it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import PARTS, option_names
from leakgauge.artefacts.request.part import Names, metadata
from leakgauge.errors import LeakgaugeError, RefusalError
from leakgauge.web.job import Job
from leakgauge.web.jobs import Jobs
from leakgauge.web.questions import OutsideError
from leakgauge.web.reach import Reach
from tests.web.serving import Served, running
from tests.web.tables import folder_with_people, people

COLUMNS = ("secret", "withhold", "background", "public", "accept_unique", "unit")
WORDS = (*COLUMNS, "bins", "missing", "keep", "purpose", "recipient", "prepared_by")
"""Fields whose texts are columns of the table or words: nothing is opened by them."""
MATRIX = "illness,flu,none,cold\nflu,0,1,1\nnone,1,0,1\ncold,1,1,0\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("reach")
    (place / "outside.csv").write_text(MATRIX, encoding="utf-8")
    folder = folder_with_people(place / "data")
    (folder / "link.csv").symlink_to(place / "outside.csv")
    (folder / "away").symlink_to(place)
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    os.mkfifo(folder / "pipe.csv")
    with running(folder) as server:
        yield server


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """The requests that passed every check; none of them is run."""
    passed: list[Request] = []

    async def start(_: Jobs, request: Request, __: object) -> Job:
        passed.append(request)
        raise RefusalError("Not run.")

    monkeypatch.setattr(Jobs, "start", start)
    return passed


@pytest.mark.parametrize("field", [one for one in Request.__struct_fields__ if one not in ("table", *WORDS)])
def test_no_field_of_a_job_names_a_place_elsewhere(served: Served, asked: list[Request], field: str) -> None:
    table = served.open("people.csv")
    question = {"table": table, "secret": ["illness"], "max_distortion": 0.2}
    for place in (
        "/etc/shadow",
        str(served.folder.parent / "outside.csv"),
        "../outside.csv",
        "x/../../outside.csv",
        "link.csv",
        "away/outside.csv",
        "loop.csv",
        "pipe.csv",
        "/dev/stdin",
        "postgresql://127.0.0.1:9/budget",
        "postgres://127.0.0.1:9/budget?host=/tmp",
        "spark://127.0.0.1:9#/etc/shadow",
        "http://127.0.0.1:9/x.csv",
    ):
        for value in (place, [place], [f"illness={place}"], [f"illness={place}:1"], {"illness": place}):
            answer = served.post("/api/jobs", {**question, field: value})
            assert answer.status in (400, 403), (field, value, answer.body)
    assert not asked


@pytest.mark.parametrize("field", option_names())
def test_every_field_that_takes_a_file_is_marked(tmp_path: Path, field: str) -> None:
    """Also fields that the page does not ask yet: once it does, the rule is there."""
    several = ("mechanism", "distortion", "levels", "clauses")
    single = ("repeat", "ledger", "policy", "diagram", "questionnaire", "assessment")
    texts = ["/etc/shadow", "../outside.csv", "spark://host#x"]
    texts += [f"job={text}{end}" for text in texts for end in ("", ":2")] if field in several else []
    for text in texts:
        plain: dict[str, Any] = {"secret": ("illness",), "public": ("job",), "max_distortion": 0.2}
        if field in (*several, *single):
            request = Request.of("people.csv", **{**plain, field: (text,) if field in several else text})
            with pytest.raises(OutsideError):
                Reach(tmp_path).files(request)
        else:
            part = next(one for one in PARTS.values() if field in one.__struct_fields__)
            assert not any(isinstance(mark, Names) for mark in metadata(part)[field])


def test_files_of_the_folder_are_used(served: Served, asked: list[Request]) -> None:
    (served.folder / "costs.csv").write_text(MATRIX, encoding="utf-8")
    question = {"table": served.open("people.csv"), "secret": ["illness"], "max_distortion": 0.2}
    for more in ({"distortion": ["illness=costs.csv"]}, {"policy": "costs.csv"}, {"ledger": "new.ledger"}):
        assert served.post("/api/jobs", {**question, **more}).error == "Not run."
    assert len(asked) == 3


def test_a_dropped_table_uses_no_file_of_the_folder(served: Served, asked: list[Request]) -> None:
    (served.folder / "costs.csv").write_text(MATRIX, encoding="utf-8")
    question = {"table": served.drop("mine.csv", people(50)).fields["id"], "secret": ["illness"], "max_distortion": 0.2}
    for more in ({"distortion": ["costs.csv"]}, {"policy": "costs.csv"}, {"ledger": "new.ledger"}):
        answer = served.post("/api/jobs", {**question, **more})
        assert answer.status == 400 and "the table was dropped" in answer.error, (more, answer.body)
    assert not asked
    assert served.post("/api/jobs", {**question, "distortion": ["hamming"]}).error == "Not run."


@pytest.mark.parametrize("address", ["mysql://host/database", "data.csv", "postgresql://user:sesame@host/database"])
def test_only_addresses_of_databases_can_be_named_at_the_start(tmp_path: Path, address: str) -> None:
    with pytest.raises(LeakgaugeError) as refused:
        Reach(tmp_path, [address])
    assert "sesame" not in str(refused.value)
