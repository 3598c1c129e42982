"""Jobs: real runs of ``protect`` started, watched and looked at through a real server."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import stat
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from markupsafe import escape

from leakgauge.artefacts import Judgement, codec
from leakgauge.artefacts.scores import SCORES
from leakgauge.languages import ENGLISH
from leakgauge.rounding import at_least
from leakgauge.web.jobs import Jobs
from leakgauge.web.questions import request_in
from tests.web.serving import Served, running
from tests.web.tables import ROWS, asked_of, folder_with_people, people

STAGES = ["survey", "measure", "design", "release", "audit", "assess", "report"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with running(folder_with_people(tmp_path_factory.mktemp("jobs") / "data", ROWS)) as server:
        yield server


@pytest.fixture(scope="module")
def job(served: Served) -> dict[str, Any]:
    """A finished job; on the way another one is refused, and the stream of events is left and taken up again."""
    answer = served.post("/api/jobs", asked_of(served))
    assert answer.status == 202
    begun = answer.fields
    assert begun["state"] == "running" and [one["name"] for one in begun["stages"]] == STAGES
    second = served.post("/api/jobs", asked_of(served, max_distortion=0.3))
    assert second.status == 409 and second.error == "Another job is already running; wait for it, or stop it first."

    seen = []
    for told in served.events(begun["id"]):
        seen.append(told)
        if told["stages"][0]["state"] == "done":
            break  # the browser is closed in the middle
    assert seen[-1]["state"] == "running"
    state = served.get("/api/state").fields["jobs"]
    assert [one["state"] for one in state if one["id"] == begun["id"]] == ["running"], "found again after a reload"
    again = list(served.events(begun["id"]))
    assert again[0]["stages"][0]["state"] == "done", "the state at once"
    assert again[-1]["state"] == "done" and all(one["state"] == "running" for one in again[:-1])
    last: dict[str, Any] = served.get(f"/api/jobs/{begun['id']}").fields
    assert last == again[-1]
    assert list(served.events(begun["id"])) == [last], "of an ended job, once"
    return last


def test_a_job_leaves_a_release_with_its_verdict(served: Served, job: dict[str, Any]) -> None:
    assert [one["state"] for one in job["stages"]] == ["done"] * 7
    assert all(one["seconds"] >= 0 for one in job["stages"])
    assert job["released"] and job["message"] is None
    assert {"release.csv", "release.json", "report.html", "channel.json", "job.json"} <= set(job["files"])
    left = json.loads((served.results / job["id"] / "job.json").read_text(encoding="utf-8"))
    assert job["recommendation"] == left["headline"]["recommendation"]
    numbers, scores = dict(job["in_short"]), left["headline"]["scores"]
    assert [*numbers][: len(SCORES)] == [*SCORES] and numbers["protection"].startswith(
        f"{at_least(scores['protection']['value']):g}"
    )
    assert job["command"] == left["command"] and job["script"] == left["script"]
    assert job["command"].startswith("leakgauge protect people.csv --secret illness")
    assert job["asked"]["table"] == job["path"] == "people.csv" and job["asked"]["max_distortion"] == 0.2
    assert job["started_here"] and job["note"] is None
    assert re.fullmatch(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d", job["started"])


def test_what_the_page_leaves_is_for_its_owner(served: Served, job: dict[str, Any]) -> None:
    folder = served.results / job["id"]
    assert {stat.S_IMODE(one.stat().st_mode) for one in (served.results, folder)} == {0o700}
    record = served.results / f"{job['id']}.json"
    assert {stat.S_IMODE(one.stat().st_mode) for one in (record, folder / "job.json", folder / "channel.json")} == {
        0o600
    }


def test_a_later_server_lists_it_as_found(served: Served, job: dict[str, Any]) -> None:
    found: dict[str, Any] = Jobs(served.results, served.folder).job(job["id"]).fields(ENGLISH)
    # The page and the job each time a stage by themselves.
    seconds = [one["seconds"] for one in found["stages"]]
    assert all(one is None or one >= 0 for one in seconds)
    stages = [
        {**one, "state": "done", "done": None, "total": None, "seconds": taken, "told": again["told"]}
        for one, again, taken in zip(job["stages"], found["stages"], seconds, strict=True)
    ]
    assert found == {**job, "stages": stages, "started_here": False}


def test_files_of_a_job_are_downloads(served: Served, job: dict[str, Any]) -> None:
    for name in job["files"]:
        answer = served.get(f"/jobs/{job['id']}/files/{name}")
        assert answer.status == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert answer.body == (served.results / job["id"] / name).read_bytes()


def test_everything_that_can_be_taken_away_is_one_download_and_the_report_a_pdf(
    served: Served, job: dict[str, Any]
) -> None:
    packed = served.get(f"/jobs/{job['id']}/all.zip")
    assert packed.headers["content-disposition"] == f'attachment; filename="{job["id"]}.zip"'
    with ZipFile(BytesIO(packed.body)) as archive:
        names = {*archive.namelist()}
    kit = {f"{job['id']}/kit/{one.name}" for one in (served.results / job["id"] / "kit").iterdir()}
    assert names == {f"{job['id']}/{name}" for name in job["files"]} | kit and kit
    paper = served.get(f"/jobs/{job['id']}/report.pdf?edition=external&language=en")
    assert paper.status == 200 and paper.body.startswith(b"%PDF-")
    assert served.get(f"/jobs/{job['id']}/report.pdf?edition=secret").status == 400


@pytest.mark.parametrize(
    "name", ["people.csv", "../people.csv", "..%2f..%2fpeople.csv", ".job.lock", "", "%2fetc%2fpasswd"]
)
def test_nothing_else_is_handed_out(served: Served, job: dict[str, Any], name: str) -> None:
    assert served.get(f"/jobs/{job['id']}/files/{name}").status == 404


def test_a_link_in_the_place_of_a_file_is_not_followed(served: Served, job: dict[str, Any]) -> None:
    place = served.results / job["id"] / "utility.json"
    kept = place.read_bytes()
    place.unlink()
    place.symlink_to("/etc/hostname")
    try:
        assert served.get(f"/jobs/{job['id']}/files/utility.json").status == 404
    finally:
        place.unlink()
        place.write_bytes(kept)


def test_the_result_is_told_in_the_language_of_the_request(served: Served, job: dict[str, Any]) -> None:
    path = f"/api/jobs/{job['id']}/result"
    english = served.get(path).fields
    chinese = served.get(path, Cookie=f"{served.cookie}; leakgauge_language=zh").fields
    stored = codec.read(Judgement, served.results / job["id"] / "verdict.json")
    assert english["recommendation"] == chinese["recommendation"] == stored.recommendation.value
    # How many people is said in a sentence of its own.
    reasons = [str(one) for one in stored.reasons if not {"holders", "everybody"} & one.fields.keys()]
    assert reasons and all(escape(one) in english["decision"] for one in reasons)
    (own,), (zh,) = english["secrets"], chinese["secrets"]
    assert "sensitivity Δ" in own["criteria"] and "全局敏感度" in zh["criteria"]
    assert own["scores"].count("data-score=") == zh["scores"].count("data-score=") == len(SCORES)
    assert [one["name"] for one in own["pictures"]] == [one["name"] for one in zh["pictures"]]


def test_the_result_is_worded_as_in_the_report(served: Served, job: dict[str, Any]) -> None:
    told = served.get(f"/api/jobs/{job['id']}/result").fields
    folder = served.results / job["id"]
    report = numbers_in((folder / "report.html").read_text(encoding="utf-8"))
    (own,) = told["secrets"]
    for part in (told["decision"], told["headline"], told["policy"], own["scores"]):
        assert numbers_in(part) and numbers_in(part) <= report
    # Indicators are in the report's data alone.
    data = set(re.findall(r'"written": "([^"]*)"', (folder / "report.json").read_text(encoding="utf-8")))
    assert numbers_in(own["criteria"]) and numbers_in(own["criteria"]) <= report | data


def numbers_in(html: str) -> set[str]:
    """Every number of a fragment, or of a report, as it is written."""
    return set(re.findall(r'class="number"[^>]*>([^<]*)<', html))


def test_an_action_is_what_the_page_can_ask_for(served: Served, job: dict[str, Any]) -> None:
    first = served.get(f"/api/jobs/{job['id']}/result").fields["actions"][0]
    stored = codec.read(Judgement, served.results / job["id"] / "verdict.json")
    advised = stored.actions[0]
    assert escape(str(advised.said)) in first["told"] and not first["declares"]
    assert advised.request is not None and advised.request == request_in(first["asked"])
    assert advised.request.aims[0].max_distortion != job["asked"]["max_distortion"]


def test_what_is_refused_before_it_is_drawn_says_why(served: Served, job: dict[str, Any]) -> None:
    begun = served.post("/api/jobs", asked_of(served, min_usefulness=95))
    ended = served.ended(begun.fields["id"])
    assert ended["state"] == "refused" and not ended["released"] and "release.csv" not in ended["files"]
    assert "usefulness is" in ended["message"]
    result = served.get(f"/api/jobs/{ended['id']}/result").fields
    assert result["recommendation"] == result["promised"] == "do not release"
    assert "You ask for at least" in result["secrets"][0]["scores"]


@pytest.mark.parametrize("name", ["frontier", "decomposition", "channel", "levels", "attacks"])
def test_pictures_are_drawn_without_style_or_script(served: Served, job: dict[str, Any], name: str) -> None:
    path = f"/api/jobs/{job['id']}/figures/{name}.svg"
    english, chinese = served.get(path), served.get(path, Cookie=f"{served.cookie}; leakgauge_language=zh")
    assert english.status == chinese.status == 200 and english.headers["content-type"] == "image/svg+xml"
    for body in (english.body, chinese.body):
        assert body.startswith(b"<svg") and b"style=" not in body and b"<script" not in body
    assert english.body != chinese.body


def test_pictures_that_do_not_apply_are_not_there(served: Served, job: dict[str, Any]) -> None:
    for name in ("tuning", "nothing", "..%2fframe"):
        assert served.get(f"/api/jobs/{job['id']}/figures/{name}.svg").status == 404


@pytest.mark.parametrize(("edition", "language"), [("internal", "both"), ("external", "zh")])
def test_the_report_is_shown_under_its_own_policy(
    served: Served, job: dict[str, Any], edition: str, language: str
) -> None:
    answer = served.get(f"/jobs/{job['id']}/report?edition={edition}&language={language}")
    assert answer.status == 200 and answer.headers["content-type"].startswith("text/html")
    policy, shown = answer.headers["content-security-policy"], answer.body.decode()
    style = shown.split("<style>", 1)[1].split("</style>", 1)[0]
    named = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{named}'" in policy and "script-src" not in policy and "default-src 'none'" in policy
    assert shown.count("<style") == 1 and "style=" not in shown and "<script" not in shown
    assert ('lang="zh' in shown) == (language != "en")


def test_other_reports_are_told(served: Served, job: dict[str, Any]) -> None:
    for asked in ("edition=secret", "language=fr"):
        answer = served.get(f"/jobs/{job['id']}/report?{asked}")
        assert answer.status == 400 and "There is no" in answer.error


@pytest.mark.parametrize("path", ["", "/events", "/verdict", "/figures/channel.svg"])
def test_an_unknown_job_is_not_there(served: Served, path: str) -> None:
    for key in ("people-000000000000", "..", "%2e%2e", "people.csv"):
        assert served.get(f"/api/jobs/{key}{path}").status == 404
    assert served.get("/jobs/people-000000000000/report").status == 404
    assert served.get("/jobs/people-000000000000/files/job.json").status == 404
    assert served.post("/api/jobs/people-000000000000/stop", {}).status == 404


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"max_distortion": None}, 400),
        ({"max_leakage": 1.0}, 400),
        ({"max_distortion": "0.2"}, 400),
        ({"max_distortion": -0.1}, 400),
        ({"max_distortion": True}, 400),
        ({"max_distortion": {"illness": "0.2"}}, 400),
        ({"max_distortion": {"city": 0.2}}, 400),
        ({"max_distortion": {}}, 400),
        ({"max_distortion": None, "min_protection": 101}, 400),
        ({"max_distortion": None, "min_protection": {"illness": 60}}, 400),
        ({"use": "pictures"}, 400),
        ({"purpose": 3}, 400),
        ({"review": "soon"}, 400),
        ({"public_distortion": {"age": 0.1}}, 400),
        ({"target": "good"}, 400),
        ({"unit": 3}, 400),
        ({"unit": "age", "rows_per_unit": 0}, 400),
        ({"rows_per_unit": 2}, 400),
        ({"order_by": "age"}, 400),
        ({"together": "yes"}, 400),
        ({"accept_unique": ["age"]}, 400),
        ({"max_distortion": 10**400}, 400),
        ({"secret": ["a\0b"]}, 400),
        ({"secret": [""]}, 400),
        ({"public": "age"}, 400),
        ({"policy": "/etc/passwd"}, 403),
        ({"ledger": "../ledger.db"}, 403),
        ({"keep": "everything"}, 400),
        ({"distortion": "absolute"}, 400),
        ({"releases_per_period": 0}, 400),
        ({"table": "0" * 16}, 404),
    ],
)
def test_a_question_that_no_job_could_answer_starts_none(served: Served, more: dict[str, Any], status: int) -> None:
    before = sorted(served.results.glob("*"))
    answer = served.post("/api/jobs", asked_of(served, **more))
    assert answer.status == status and answer.error
    assert sorted(served.results.glob("*")) == before


def test_not_a_number_is_no_goal(served: Served) -> None:
    body = json.dumps({**asked_of(served), "max_distortion": float("nan")}).encode()
    assert served.send("POST", "/api/jobs", body).status == 400


def test_a_secret_that_is_also_background_is_refused_with_its_sentence(served: Served) -> None:
    asked = asked_of(served, background=["illness"])
    refused = served.post("/api/jobs", asked)
    assert refused.status == 400
    assert refused.error == "Column 'illness' is named both as secret and as background; give it one role."
    zh = served.post("/api/jobs", asked, Cookie=f"{served.cookie}; leakgauge_language=zh")
    assert "'illness'" in zh.error and zh.error != refused.error


def test_a_job_that_fails_says_why_in_both_languages(served: Served, job: dict[str, Any]) -> None:
    begun = served.post("/api/jobs", asked_of(served, bins=["age=width:10"]))
    assert begun.status == 202
    ended = served.ended(begun.fields["id"])
    assert ended["state"] == "failed" and not ended["released"] and ended["recommendation"] is None
    assert "no role here" in ended["message"]
    zh = served.get(f"/api/jobs/{ended['id']}", Cookie=f"{served.cookie}; leakgauge_language=zh").fields
    assert "age=width:10" in zh["message"] and zh["message"] != ended["message"]
    result = served.get(f"/api/jobs/{ended['id']}/result").fields
    assert result["recommendation"] is None and result["actions"] == [] and "Recommendation" not in result["decision"]


def test_a_column_that_looks_like_an_option_stays_a_column(served: Served) -> None:
    begun = served.post("/api/jobs", asked_of(served, secret=["--overwrite"]))
    ended = served.ended(begun.fields["id"])
    assert ended["state"] == "failed" and "'--overwrite'" in ended["message"]


def test_a_goal_out_of_reach_is_refused_and_still_reported(served: Served, job: dict[str, Any]) -> None:
    # The background alone tells more than this.
    begun = served.post("/api/jobs", asked_of(served, max_distortion=None, max_leakage=0.001))
    ended = served.ended(begun.fields["id"])
    assert ended["state"] == "refused" and not ended["released"] and ended["message"]
    assert "release.csv" not in ended["files"] and "report.html" in ended["files"]
    assert served.get(f"/jobs/{ended['id']}/report").status == 200


def test_a_table_that_changed_starts_no_job(served: Served) -> None:
    place = served.folder / "moving.csv"
    place.write_bytes(people(40))
    table = served.open("moving.csv")
    place.write_bytes(people(41))
    answer = served.post("/api/jobs", asked_of(served, table=table))
    assert answer.status == 409 and answer.error == "'moving.csv' has changed since it was opened; open it again."


def test_a_dropped_table_is_protected_without_its_place_being_told(served: Served, job: dict[str, Any]) -> None:
    answer = served.drop("mine.csv", people(ROWS, seed=2))
    begun = served.post(
        "/api/jobs", asked_of(served, table=answer.fields["id"], background=[], max_distortion=0.1)
    ).fields
    for told in served.events(begun["id"]):
        if told["stages"][0]["state"] == "done":
            break
    assert told["asked"]["table"] == "mine.csv" and told["id"].startswith("mine-")
    # It runs beside the file, wherever that is.
    words = shlex.split(told["command"])
    assert words[:3] == ["leakgauge", "protect", "mine.csv"] and words[-2:] == ["-o", begun["id"]]
    assert told["path"] is None and "put 'mine.csv' into the folder" in told["note"]
    assert str(served.temporary) not in json.dumps(told)
    busy = served.delete(f"/api/tables/{answer.fields['id']}")
    assert busy.status == 409 and "is running on 'mine.csv'" in busy.error
    assert served.post(f"/api/jobs/{begun['id']}/stop", {}).fields["state"] == "stopped"
    assert served.delete(f"/api/tables/{answer.fields['id']}").status == 200


def test_what_is_declared_later_is_judged_anew_and_not_drawn_anew(served: Served, job: dict[str, Any]) -> None:
    place = served.results / job["id"] / "release.csv"
    drawn = place.read_bytes()
    before = served.get(f"/api/jobs/{job['id']}/result").fields
    declared = {"purpose": "planning", "recipient": "the ministry", "review": "2099-01-01"}
    begun = served.post("/api/jobs", asked_of(served, **declared))
    assert begun.fields["id"] == job["id"]
    ended = served.ended(job["id"])
    assert ended["state"] == "done" and place.read_bytes() == drawn and ended["asked"]["purpose"] == "planning"
    after = served.get(f"/api/jobs/{job['id']}/result").fields
    assert "declare its purpose" in before["policy"] and "declare its purpose" not in after["policy"]
