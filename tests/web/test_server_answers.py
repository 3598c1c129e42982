"""What the page asks before a release: leakage and the frontier, and the words it says."""

from __future__ import annotations

import http.client
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from decimal import ROUND_CEILING
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from starlette.requests import Request

from leakgauge.cli import main
from leakgauge.errors import OptionError
from leakgauge.jobs.survey import survey
from leakgauge.rounding import rounded, written
from leakgauge.web.questions import fields_of
from tests.web.awaiting import awaited
from tests.web.serving import Served, running
from tests.web.tables import CITIES, folder_with_people, people


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = folder_with_people(tmp_path_factory.mktemp("answers") / "data", rows=2000)
    (folder / "moving.csv").write_bytes((folder / "people.csv").read_bytes())
    (folder / "flat.csv").write_text("kind,city,nothing\n" + "a,Cork,\na,Bergen,\n" * 20, encoding="utf-8")
    with running(folder) as server:
        yield server


def _question(served: Served, **more: Any) -> dict[str, Any]:
    return {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"], **more}


def test_measure_is_what_the_command_line_says(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    answer = served.post("/api/measure", _question(served, bins=["age=width:10"], missing=["none"]))
    assert answer.status == 200
    fields = answer.fields
    picture, told = fields.pop("figure"), fields.pop("told")
    assert {fields.pop("note"), *fields.pop("words").values()} and 'class="number"' in told
    assert picture.startswith("<svg") and "style=" not in picture and "<script" not in picture
    place = str(served.folder / "people.csv")
    assert main(["measure", place, "--secret=illness", "--background=city", "--missing=none", "--json"]) == 0
    assert fields == {**json.loads(capsys.readouterr().out), "table": "people.csv"}


def test_the_picture_speaks_the_language_of_the_request(served: Served) -> None:
    english = served.post("/api/measure", _question(served)).fields
    chinese = served.post("/api/measure", _question(served), Cookie=f"{served.cookie}; leakgauge_language=zh").fields
    assert english["entropy"] == chinese["entropy"] and english["figure"] != chinese["figure"]


def test_a_survey_is_that_of_the_command_line_with_its_progress(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    question = {"table": served.open("people.csv"), "secret": ["illness", "city"], "bins": ["age=width:20"]}
    answer = served.post("/api/survey", question)
    *progress, last = (json.loads(line) for line in answer.body.splitlines())
    assert progress[-1] == {"done": 4, "total": 4} and len(progress) == 4
    command = ["survey", str(served.folder / "people.csv"), "--secret=illness", "--secret=city", "--bins=age=width:20"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: one["suggested"] for name, one in last["survey"]["columns"].items()} == told["suggested"]
    for one in told["columns"]:
        shown = last["survey"]["columns"][one["name"]]
        assert f"{one['distinct']:,}" in shown["counts"] and shown["naming"] == (one["identifier"] is not None)
        revealed = [secret["secret"] for secret in one["tells"] if secret["significant"]]
        assert all(f"{secret}: " in shown["told"] for secret in revealed)
    again = served.post("/api/survey", question).body.splitlines()
    assert [json.loads(line) for line in again] == [last], "remembered"


def test_a_survey_that_cannot_be_made_says_why(served: Served) -> None:
    question = {"table": served.open("people.csv"), "secret": ["ilness"]}
    last = json.loads(served.post("/api/survey", question).body.splitlines()[-1])
    assert "did you mean 'illness'?" in last["error"]
    assert served.post("/api/survey", {**question, "table": "0" * 16}).status == 404


def test_a_profile_tells_shapes_and_rows_are_masked_unless_asked_for(served: Served) -> None:
    table = {"table": served.open("people.csv")}
    found = served.post("/api/profile", table).fields
    assert found["city"]["ranges"] is False and len(found["city"]["bars"]) == 3
    assert found["age"]["ranges"] is True and abs(sum(found["age"]["bars"]) - 1) < 0.01
    masked = served.post("/api/preview", table)
    assert masked.fields["masked"] and not any(city.encode() in masked.body for city in CITIES)
    for values in ("true", 1, None):
        assert served.post("/api/preview", {**table, "values": values}).fields["masked"]
    shown = served.post("/api/preview", {**table, "values": True}).fields
    assert shown["rows"][0][0] in CITIES


def test_a_table_that_is_written_to_while_it_is_surveyed_is_refused(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = served.folder / "written.csv"
    place.write_bytes(people(100, seed=8))
    table = served.open("written.csv")

    def meanwhile(*given: Any, **more: Any) -> Any:
        place.write_bytes(people(101, seed=9))
        return survey(*given, **more)

    monkeypatch.setattr("leakgauge.web.answers.survey", meanwhile)
    last = json.loads(served.post("/api/survey", {"table": table}).body.splitlines()[-1])
    assert last == {"error": "'written.csv' has changed since it was opened; open it again."}


def test_secrets_together_are_measured_and_drawn_as_one(served: Served) -> None:
    question = {"table": served.open("people.csv"), "secret": ["illness", "city"]}
    measured = served.post("/api/measure", question).fields
    curve = served.post("/api/frontier", {**question, "points": 5}).fields
    assert len(curve["inputs"]) == measured["letters"]["secret"] == 12
    assert curve["entropy"] == pytest.approx(measured["entropy"]["value"])


def test_the_frontier_is_one_of_the_command_line(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    fields = served.post("/api/frontier", _question(served, points=9)).fields
    assert fields["objective"] == "leakage_with_background"
    assert fields["inputs"] == fields["outputs"] == ["asthma", "flu", "gout", "none"]
    points = fields["points"][::-1]
    assert 3 <= len(points) <= 9
    assert points[0]["leakage"] == pytest.approx(0, abs=1e-9) and points[-1]["distortion"] == pytest.approx(0, abs=1e-9)
    assert points[-1]["epsilon"] == "infinity" and points[-1]["unchanged"] == pytest.approx(1)
    assert points[-1]["leakage_with_background"] == pytest.approx(fields["entropy"], abs=1e-9)
    assert points[0]["leakage_with_background"] == pytest.approx(fields["floor"], abs=1e-9)
    for before, after in pairwise(points):
        assert after["distortion"] < before["distortion"]
        assert after["leakage_with_background"] > before["leakage_with_background"]
    for point in points:
        # Hamming's mean distortion is the share of rows that change.
        assert point["unchanged"] == pytest.approx(1 - point["distortion"], abs=1e-9)
        assert all(sum(row) == pytest.approx(1) for row in point["matrix"]) and len(point["matrix"]) == 4
    place, wanted = str(served.folder / "people.csv"), points[1]["distortion"]
    asked = ["--secret=illness", "--background=city", f"--max-distortion={wanted}"]
    assert main(["design", place, *asked, "--keep=shares", "--json"]) == 0
    design = json.loads(capsys.readouterr().out)
    best = design["leakage_with_background"]["value"]
    assert points[1]["leakage_with_background"] == pytest.approx(best, abs=2e-6)
    # The other curve runs below by what keeping costs.
    line = sorted((one["distortion"], one["leakage_with_background"]) for one in fields["least"])
    lower = np.interp(wanted, *np.transpose(line))
    assert lower <= best and best - design["price_of_keeping"]["value"] <= lower + 2e-6


def test_the_numbers_of_a_point_are_written_in_three_digits(served: Served) -> None:
    for point in served.post("/api/frontier", _question(served, points=9)).fields["points"]:
        told = re.findall(r'class="number">([^<]*)<', point["numbers"])
        assert f"{written(rounded(point['leakage'])) if point['leakage'] > 1e-9 else 0} bits" in told
        assert f"{written(rounded(point['leakage_with_background']))} bits" in told
        epsilon = point["epsilon"]
        assert epsilon == "infinity" or written(rounded(epsilon, rounding=ROUND_CEILING)) in told
        assert point["limit"] >= point["distortion"] > point["limit"] - 1.01e-4
        shares = [one for row in point["matrix"] for one in row]
        cells = [one for row in point["cells"] for one in row]
        assert [one == "" for one in cells] == [share < 1e-9 for share in shares]


def test_without_a_background_there_is_no_floor(served: Served) -> None:
    fields = served.post("/api/frontier", _question(served, background=[])).fields
    assert fields["objective"] == "leakage" and fields["floor"] is None
    assert all(point["leakage_with_background"] is None for point in fields["points"])


def test_bins_of_columns_that_are_only_released_play_no_part(served: Served) -> None:
    asked = _question(served, public=["age"], bins=["age=width:20"])
    assert served.post("/api/frontier", asked).status == 200
    binned = served.post(
        "/api/frontier", _question(served, secret=["age"], background=["illness"], bins=["age=width:20"])
    )
    assert len(binned.fields["inputs"]) == 5


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"secret": ["city"]}, "both as secret and as background"),
        ({"secret": ["ilness"]}, "did you mean 'illness'?"),
        ({"secret": None}, "No secret column"),
        ({"secret": "illness"}, "'secret'"),
        ({"secret": ["a\0b"]}, "'secret'"),
        ({"background": "city"}, "list"),
        ({"background": [1]}, "text"),
        ({"background": ["city", "city"]}, "twice"),
        ({"bins": ["age"]}, "age=width:10"),
        ({"bins": ["nothing=width:10"]}, "age=width:10"),
        ({"bins": ["city=width:10"]}, ""),
        ({"points": 1}, "points"),
        ({"points": 10**9}, "points"),
        ({"points": True}, "points"),
        ({"tabel": "x"}, "did you mean 'table'?"),
        ({"secret": ["age"]}, "60"),
    ],
)
def test_bad_questions_are_told_in_one_sentence(served: Served, more: dict[str, Any], said: str) -> None:
    answer = served.post("/api/frontier", _question(served, **more))
    assert answer.status == 400 and said in answer.error
    assert str(served.folder) not in answer.error and "Aachen" not in answer.error


@pytest.mark.parametrize("secret", ["kind", "nothing"])
def test_a_secret_that_never_varies_has_no_curve_either(served: Served, secret: str) -> None:
    asked = _question(served, table=served.open("flat.csv"), secret=[secret])
    measured, curve = served.post("/api/measure", asked), served.post("/api/frontier", asked)
    assert measured.status == curve.status == 400 and curve.error == measured.error


@pytest.mark.parametrize("route", ["measure", "frontier"])
def test_an_unknown_table_is_not_there(served: Served, route: str) -> None:
    answer = served.post(f"/api/{route}", _question(served, table="0123456789abcdef"))
    assert answer.status == 404 and "open the file again" in answer.error


def test_what_an_attacker_with_other_knowledge_would_learn(served: Served) -> None:
    question = {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"], "points": 5}
    curve = served.post("/api/frontier", question).fields
    learnt = {
        known: served.post("/api/what-if", {**question, "known": [*known]}).fields
        for known in ((), ("city",), ("age",), ("age", "city"))
    }
    assert learnt["city",]["floor"] == pytest.approx(curve["floor"])
    for at, point in enumerate(curve["points"]):
        told = {known: found["points"][at] for known, found in learnt.items()}
        assert {one["distortion"] for one in told.values()} == {point["distortion"]}
        assert told[()]["leakage"] == pytest.approx(point["leakage"], abs=1e-9)
        assert told["city",]["leakage"] == pytest.approx(point["leakage_with_background"], abs=1e-9)
        # Who knows more learns no less, and the release helps whoever sees it.
        assert told[()]["guess"] <= told["city",]["guess"] + 1e-9 <= told["age", "city"]["guess"] + 2e-9
        assert told["city",]["guess"] >= learnt["city",]["guess"] - 1e-9
    # Seventy ages are known by tenths: year by year, few rows would tell much by chance.
    assert learnt["age",]["floor"] < 0.2
    sixty = served.drop("sixty.csv", people(60, seed=3)).fields["id"]
    sparse = {**question, "table": sixty, "known": ["age", "city"]}
    answer = served.post("/api/what-if", sparse)
    assert answer.status == 400 and "combinations for 60 people, and up to 12 are counted" in answer.error
    assert served.post("/api/what-if", {**question, "known": ["illness"]}).status == 400
    assert served.post("/api/what-if", {**question, "known": "city"}).status == 400


def test_a_table_that_changed_is_refused_and_can_be_opened_again(served: Served) -> None:
    place = served.folder / "moving.csv"
    before = served.open("moving.csv")
    asked = _question(served, table=before)
    assert served.post("/api/frontier", asked).status == 200
    os.utime(place)
    assert served.post("/api/frontier", asked).status == 200, "only touched"
    place.write_bytes(place.read_bytes() + b"Cork,30,flu\n")
    answer = served.post("/api/frontier", asked)
    assert answer.status == 409 and "'moving.csv' has changed" in answer.error
    assert served.open("moving.csv") != before
    place.unlink()
    assert served.post("/api/frontier", asked).status == 409


def test_asked_again_it_is_remembered(served: Served) -> None:
    asked = _question(served, points=12)
    first = served.post("/api/frontier", asked)
    begun = time.monotonic()
    assert served.post("/api/frontier", asked).body == first.body
    assert time.monotonic() - begun < 0.5


def test_the_page_answers_while_something_is_computed(served: Served) -> None:
    asked = _question(served, secret=["age"], background=["city", "illness"], bins=["age=width:6"], points=12)
    done: list[float] = []

    def ask() -> None:
        assert served.post("/api/frontier", asked).status == 200
        done.append(time.monotonic())

    thread = threading.Thread(target=ask)
    thread.start()
    answered = []
    while thread.is_alive():
        assert served.get("/api/state").status == 200
        answered.append(time.monotonic())
    thread.join()
    assert sum(one < done[0] for one in answered) >= 3


def test_one_who_leaves_does_not_take_the_answer_from_others(served: Served) -> None:
    asked = _question(served, points=15)
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request("POST", f"/{served.door}/api/frontier", json.dumps(asked), served.headers())
    connection.close()
    assert served.post("/api/frontier", asked).status == 200


def test_the_words_of_the_page(served: Served) -> None:
    assert served.get("/messages/en.json").fields == {}
    words = served.get("/messages/zh.json").fields
    assert words and all(isinstance(text, str) and text for text in words.values())
    assert served.get("/messages/fr.json").status == 404


def test_the_page_is_in_the_language_of_the_request(served: Served) -> None:
    assert b'lang="en"' in served.get("/").body
    assert b'lang="zh"' in served.get("/", Accept_Language="zh-TW,zh;q=0.9").body
    assert b'lang="zh"' in served.get("/", Cookie=f"{served.cookie}; leakgauge_language=zh").body
    assert b'lang="en"' in served.get("/", Cookie=f"{served.cookie}; leakgauge_language=klingon").body


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/guard.py", "/static/none.js"]
)
def test_static_files_are_those_of_the_page_alone(served: Served, path: str) -> None:
    assert served.get(path).status == 404


def test_the_page_asks_for_what_is_there(served: Served) -> None:
    script = served.get("/static/main.js")
    assert script.status == 200 and script.headers["content-type"].startswith("text/javascript")
    assert served.send("POST", "/", b"").status == 405
    assert served.get("/nowhere").status == 404


def test_the_first_view_comes_at_once(served: Served) -> None:
    taken = []
    for _ in range(5):
        begun = time.perf_counter()
        assert served.get("/").status == 200
        taken.append(time.perf_counter() - begun)
    assert min(taken) < 0.05


def test_a_field_is_named_once() -> None:
    def asked(body: bytes) -> Any:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        return awaited(fields_of(Request({"type": "http", "headers": []}, receive)))

    assert asked(b'{"secret": "a"}') == {"secret": "a"}
    with pytest.raises(OptionError, match="names a field twice"):
        asked(b'{"secret": "a", "secret": "b"}')
