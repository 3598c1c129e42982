"""The page from a job to its result: progress, reloads, verdict, files and languages, in a real browser."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from leakgauge.artefacts import Judgement, codec
from leakgauge.artefacts.scores import SCORES
from leakgauge.rounding import at_least, at_most
from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, processes, running, started
from tests.web.tables import folder_with_people, people

ENDED = 120_000
"""Milliseconds that a job may take on a busy machine."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = folder_with_people(tmp_path_factory.mktemp("jobs") / "data", rows=1000)
    (folder / "people-20000.csv").write_bytes(people(20_000))
    with running(folder) as server:
        yield server


@pytest.fixture(scope="module")
def finished(served: Served) -> dict[str, Any]:
    """A job that is done: one of an earlier test, or a new one."""
    done = [job for job in served.get("/api/state").fields["jobs"] if job["state"] == "done"]
    if not done:
        question = {
            "table": served.open("people.csv"),
            "secret": ["illness"],
            "background": ["city"],
            "max_distortion": 0.2,
        }
        answer = served.post("/api/jobs", question)
        assert answer.status == 202, answer.body
        done = [served.ended(answer.fields["id"])]
    found: dict[str, Any] = done[0]
    assert found["released"]
    return found


@pytest.fixture(scope="module")
def looking(chromium: Browser, served: Served, finished: dict[str, Any]) -> Iterator[Visit]:
    """A visit to the job that is done, for those who only look."""
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
        yield visit


def look_at(visit: Visit, job: dict[str, Any]) -> None:
    """Show a job of an earlier visit."""
    visit.page.locator("#job").select_option(job["id"])
    visit.page.locator(".scores").wait_for()


def ended(visit: Visit, told: str) -> None:
    """Wait for the end of the job, which must be this one."""
    status = visit.page.locator("#protect .status:not(.running)")
    expect(status).not_to_be_empty(timeout=ENDED)
    expect(status).to_contain_text(told)


@contextmanager
def halted(served: Served) -> Iterator[Callable[[], None]]:
    """The job under way stands still, so that it cannot end before the page was looked at.

    What is given waits until the job was asked to stop, which it does as soon as it moves again.
    """
    at_work = processes(served.get("/api/state").fields["jobs"][0]["id"])
    assert at_work
    for process in at_work:
        os.kill(process, signal.SIGSTOP)

    def asked_to_stop() -> None:
        unasked = f"ShdPnd:\t{0:016x}"
        while any(unasked in Path(f"/proc/{process}/status").read_text() for process in at_work):
            time.sleep(0.01)

    try:
        yield asked_to_stop
    finally:
        for process in at_work:
            os.kill(process, signal.SIGCONT)


def test_from_a_dropped_table_to_its_release_over_a_reload(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        page = visit.page
        visit.drop("dropped.csv", people(1000).decode())
        visit.give("illness", "secret")
        # The curve with the background is drawn before the handle is moved on it.
        with page.expect_response(
            lambda answer: "/api/frontier" in answer.url and "city" in (answer.request.post_data or "")
        ):
            visit.give("city", "background")
        visit.handle.press("ArrowRight")
        page.locator(".numbers").wait_for()
        aim = float(visit.numbers()["Mean distortion"])
        page.get_by_role("button", name="Protect", exact=True).click()
        at_work = page.locator(".stages .running, .stages .done").first
        expect(at_work).to_be_visible(timeout=ENDED)
        with halted(served):
            page.reload()
            expect(at_work).to_be_visible(timeout=ENDED)
            expect(page.get_by_role("button", name="Stop")).to_be_visible()
            expect(page.locator("#protect .status")).to_have_text(re.compile("Step [1-7] of 7: "))
            expect(visit.role("illness")).to_have_value("secret")
        ended(visit, "Done")
        assert page.locator(".stages .done").count() == 7
        expect(page.locator(".verdict")).to_contain_text("Recommendation: ")
        expect(page.locator("#command")).to_contain_text(
            "leakgauge protect dropped.csv --secret illness --background city"
        )
        asked = served.get("/api/state").fields["jobs"][0]["asked"]
        assert asked["max_distortion"] == pytest.approx(aim, abs=1.51e-4) and asked["max_distortion"] >= aim - 5e-5


def test_the_keyboard_alone_gets_there(chromium: Browser, served: Served, finished: dict[str, Any]) -> None:
    with visiting(chromium, served.entry) as visit:
        keyboard = visit.page.keyboard

        def to(name: str) -> None:
            """Press Tab until the control of this name has the focus."""
            for _ in range(200):
                keyboard.press("Tab")
                if visit.page.evaluate(_FOCUSED).startswith(name):
                    return
            raise AssertionError(f"no way to {name}")

        to("Path in")
        # A job that takes long enough to be stopped by somebody who presses Tab.
        keyboard.type("people-20000.csv")
        keyboard.press("Enter")
        visit.page.locator(".roles").wait_for()
        to("Role of illness")
        keyboard.press("ArrowDown")
        expect(visit.role("illness")).to_have_value("secret")
        visit.page.locator(".curve .line").wait_for()
        to("Point on the curve")
        keyboard.press("ArrowRight")
        before = visit.numbers()
        keyboard.press("ArrowRight")
        assert visit.numbers() != before
        to("Protect")
        keyboard.press("Enter")
        expect(visit.page.get_by_role("button", name="Stop")).to_be_visible(timeout=ENDED)
        with halted(served) as asked_to_stop:
            to("Stop")
            keyboard.press("Enter")
            asked_to_stop()
        ended(visit, "Stopped")
        assert visit.page.evaluate(_FOCUSED) == "Protect", "what had the focus is gone"
        to("To the result")
        keyboard.press("Enter")
        to("Job")
        # With each key the list shows another job; it keeps the focus and its order.
        while visit.page.locator("#job").input_value() != finished["id"]:
            keyboard.press("ArrowDown")
            assert visit.page.evaluate("document.activeElement.id") == "job"
        visit.page.locator(".scores").wait_for()
        to("Every limit of the policy")
        to("Internal edition")
        to("What explains it")
        keyboard.press("Enter")
        expect(visit.page.locator(".criteria")).to_contain_text("inference attack success")


_FOCUSED = """() => {
  const one = document.activeElement;
  return one.getAttribute('aria-label') || (one.labels && one.labels[0] ? one.labels[0].textContent : one.textContent);
}"""


def test_a_job_outlives_the_browser_and_is_followed_by_every_tab(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, missteps=True) as later:
        later.choose("people.csv", "illness")
        with visiting(chromium, served.entry) as visit:
            visit.choose("people.csv", "city")
            visit.page.get_by_role("button", name="Protect", exact=True).click()
            expect(visit.page.get_by_role("button", name="Stop")).to_be_visible(timeout=ENDED)
        with halted(served) as asked_to_stop:
            later.page.get_by_role("button", name="Protect", exact=True).click()
            expect(later.page.locator("#protect [role=alert]")).to_be_visible()
            about = later.page.locator("#protect .about")
            expect(about).to_contain_text(re.compile(r"Job: people\.csv, city, protection ≥ 60, \d\d:\d\d"))
            expect(about).to_contain_text("Not what is chosen above, which has another set of secrets.")
            running = next(job for job in served.get("/api/state").fields["jobs"] if job["state"] == "running")
            later.page.get_by_role("button", name="Stop").click()
            asked_to_stop()
        ended(later, "Stopped")
    assert served.get(f"/api/jobs/{running['id']}").fields["state"] == "stopped"


def test_a_server_that_was_started_again(chromium: Browser, tmp_path: Path) -> None:
    folder = folder_with_people(tmp_path / "data", rows=200)
    with started(folder) as first, visiting(chromium, first.entry, missteps=True) as visit:
        visit.choose("people.csv", "illness", "city")
        assert visit.limit("Largest local ε", "1") == ""
        protect = visit.page.get_by_role("button", name="Protect", exact=True)
        protect.click()
        expect(visit.page.get_by_role("button", name="Stop")).to_be_visible(timeout=ENDED)
        first.stop()
        with started(folder, "--port", str(first.port)) as second:
            status = visit.page.locator("#protect .status")
            expect(status).to_contain_text("The server was started again; open the new address", timeout=ENDED)
            visit.page.goto(second.entry)
            expect(visit.role("illness")).to_have_value("secret")
            expect(visit.role("city")).to_have_value("background")
            expect(visit.page.get_by_label("Largest local ε")).to_have_value("1")
            expect(visit.page.locator("#protect .about")).to_contain_text("Found in the results folder")
            visit.page.get_by_role("button", name="Continue this job").click()
            stop = visit.page.get_by_role("button", name="Stop")
            expect(stop).to_be_visible(timeout=ENDED)
            with halted(second) as asked_to_stop:
                stop.click()
                asked_to_stop()
            ended(visit, "Stopped")
            assert len(second.get("/api/state").fields["jobs"]) == 1, "it is the same job that went on"


def test_an_answer_that_is_no_still_says_what_is_possible(chromium: Browser, served: Served) -> None:
    question = {"table": served.open("people.csv"), "secret": ["illness"], "background": ["city"], "max_leakage": 0.01}
    job = served.ended(served.post("/api/jobs", question).fields["id"])
    with visiting(chromium, served.entry) as visit:
        visit.page.locator("#job").select_option(job["id"])
        ended(visit, "The answer is no: A leakage of 0.01 bits is impossible")
        expect(visit.page.locator("#result .verdict.no")).to_contain_text("the background alone reveals")
        expect(visit.page.get_by_role("link", name="Internal edition, English")).to_be_visible()
        expect(visit.page.locator("#picture img")).to_be_visible()
        assert visit.page.get_by_role("link", name="release.csv").count() == 0


def test_settings_are_taken_from_a_job(chromium: Browser, served: Served, finished: dict[str, Any]) -> None:
    asked = finished["asked"]
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
        visit.page.get_by_role("button", name="Take its settings").click()
        expect(visit.role("illness")).to_have_value("secret")
        expect(visit.role("city")).to_have_value("background")
        expect(visit.page.locator("#protect .fact")).to_contain_text(f"distortion ≤ {asked['max_distortion']:g}")
        expect(visit.page.get_by_role("button", name="Take its settings")).to_be_hidden()
        other = visit.page.locator("#result .other")
        expect(other).to_have_count(0)
        visit.give("age", "public")
        expect(other).to_have_text("Not what is chosen above, which has another set of public columns.")


def test_an_action_fills_the_form_and_declarations_are_asked_for(
    chromium: Browser, served: Served, finished: dict[str, Any]
) -> None:
    (first, *_) = served.get(f"/api/jobs/{finished['id']}/result").fields["actions"]
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
        visit.page.get_by_role("button", name="Use this setting").first.click()
        limit = first["asked"]["max_distortion"]
        expect(visit.page.locator("#protect .fact")).to_contain_text(f"(distortion ≤ {limit:.9g})")
        expect(visit.page.get_by_role("button", name="Protect", exact=True)).to_be_focused()
        for label, text in (("Purpose", "planning"), ("Who receives it", "us"), ("Review on", "2099-01-01")):
            visit.page.get_by_label(label).fill(text)
        visit.page.get_by_label("Readers use it for").select_option("rows")
        with visit.page.expect_request("**/api/jobs") as sent:
            visit.page.get_by_role("button", name="Protect", exact=True).click()
        asked: Any = sent.value.post_data_json
        assert (asked["purpose"], asked["recipient"], asked["review"]) == ("planning", "us", "2099-01-01")
        assert asked["use"] == "rows" and asked["max_distortion"] == limit and asked["min_usefulness"] is None
        visit.page.get_by_role("button", name="Stop").click()
        ended(visit, "Stopped")


def test_what_is_refused_before_it_is_drawn_says_why(chromium: Browser, served: Served) -> None:
    table = served.open("people.csv")
    question = {"table": table, "secret": ["illness"], "max_distortion": 0.5, "min_usefulness": 90}
    job = served.ended(served.post("/api/jobs", question).fields["id"])
    with visiting(chromium, served.entry) as visit:
        look_at(visit, job)
        ended(visit, "The answer is no: The release would not meet the requirements: usefulness is")
        box = visit.page.locator(".verdict[data-recommendation]")
        expect(box).to_contain_text("Recommendation, before anything is released")
        expect(box).to_contain_text("do not release")
        expect(visit.page.locator("[data-score=usefulness] .mark-words")).to_have_text("You ask for at least 90.")


def test_the_verdict_is_that_of_the_files(looking: Visit, served: Served, finished: dict[str, Any]) -> None:
    verdict = codec.read(Judgement, served.results / finished["id"] / "verdict.json")
    page = looking.page
    box = page.locator(".verdict")
    expect(box).to_have_attribute("data-recommendation", verdict.recommendation.value)
    for reason in verdict.reasons:
        # How many people is said in a sentence of its own.
        expect(box).to_contain_text("with at least 90% certainty" if "holders" in reason.fields else str(reason))
    for name in SCORES:
        score = page.locator(f"[data-score={name}]")
        value = getattr(verdict, name).value
        points = at_most(value) if name == "surest" else at_least(value)
        expect(score.locator(".value")).to_contain_text(f"{points:.3g}")
        expect(score.get_by_role("img")).to_have_accessible_name(re.compile(name))
    expect(page.locator("[data-score=protection]")).to_have_attribute("data-kept", "false")
    expect(page.locator("[data-score=protection] .mark-words")).to_have_text("The default policy asks for at least 60.")
    page.get_by_text("Every limit of the policy").first.click()
    assert page.locator(".limits tbody tr").count() == len(verdict.policy)
    expect(page.locator(".actions li")).to_have_count(len(verdict.actions))
    expect(page.locator(".actions li").first).to_contain_text(str(verdict.actions[0].said))


def test_criteria_open_to_their_indicators(looking: Visit, served: Served, finished: dict[str, Any]) -> None:
    verdict = codec.read(Judgement, served.results / finished["id"] / "verdict.json")
    explained = verdict.beside["illness"].criteria
    place = looking.page.locator(".criteria")
    place.locator("summary").click()
    for criterion in (*explained.criteria, explained.needed):
        assert criterion is not None
        for leaf in criterion.leaves:
            row = place.locator("tr").filter(has=looking.page.locator("td", has_text=re.compile(f"^{leaf.leaf}$")))
            expect(row.first).to_contain_text(leaf.name)
            expect(row.first).to_contain_text(str(leaf.source))
    expect(place).to_contain_text("The published score does not decide")


def test_pictures_and_bits_are_those_of_the_files(looking: Visit, served: Served, finished: dict[str, Any]) -> None:
    leakage = json.loads((served.results / finished["id"] / "leakage.json").read_text())
    visit = looking
    expect(visit.page.locator("#result .about")).to_contain_text(f"Job: {finished['asked']['table']}, illness, ")
    known = leakage["leakage_with_background"] or leakage["mutual_information"]
    expect(visit.page.locator(".tiles")).to_contain_text(f"{known['value']:.3g}")
    drawn_here = visit.page.locator(".pictures button").all()
    names = [str(picture.get_attribute("data-picture")) for picture in drawn_here]
    found = {name: served.get(f"/api/jobs/{finished['id']}/figures/{name}.svg").status for name in names}
    assert len(found) > 5 and set(found.values()) == {200}, found
    for picture in drawn_here:
        picture.click()
        drawn = visit.page.locator("#picture").get_by_role("img", name=picture.inner_text(), exact=True)
        drawn.wait_for()
        visit.page.wait_for_function("document.querySelector('#picture img').naturalWidth > 100")


def test_files_are_downloaded(looking: Visit, served: Served, finished: dict[str, Any], tmp_path: Path) -> None:
    visit = looking
    visit.page.get_by_text("All other files").click()
    for name in ("release.csv", "report.html", "channel.json", "audit.json"):
        with visit.page.expect_download() as coming:
            visit.page.get_by_role("link", name=name, exact=True).click()
        coming.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes() == (served.results / finished["id"] / name).read_bytes()
    for kind, name in (("Command", "protect.sh"), ("Python script", "protect.py")):
        with visit.page.expect_download() as coming:
            visit.page.get_by_role("link", name=f"Download: {kind}").click()
        assert coming.value.suggested_filename == name
        coming.value.save_as(tmp_path / name)
        visit.page.get_by_role("button", name=f"Copy: {kind}").click()
        expect(visit.page.locator(".again").filter(has_text=kind).get_by_role("status")).to_have_text("copied")
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == (tmp_path / name).read_text().strip() != ""
    assert (tmp_path / "protect.sh").read_text() == finished["command"] + "\n"


def test_the_report_opens_in_its_editions_and_languages(
    looking: Visit, served: Served, finished: dict[str, Any]
) -> None:
    visit = looking
    shown = [("Internal", "English", "en"), ("External", "中文", "zh"), ("Internal", "side by side", "")]
    for edition, language, sign in shown:
        with visit.page.expect_popup() as opening:
            visit.page.get_by_role("link", name=f"{edition} edition, {language}").click()
        report = opening.value
        report.wait_for_load_state()
        assert (report.locator("html").get_attribute("lang") or "").startswith(sign)
        assert report.locator("h1").first.inner_text() != ""
        assert edition == "External" or report.locator("svg").count() > 0
        report.close()


def test_the_page_speaks_chinese_and_english(chromium: Browser, served: Served, finished: dict[str, Any]) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        look_at(visit, finished)
        visit.page.get_by_role("button", name="中文").click()
        visit.page.get_by_role("heading", name="泄露量").wait_for()
        assert visit.page.locator("html").get_attribute("lang") == "zh"
        visit.page.locator(".curve .line").wait_for()
        visit.page.locator(".scores").wait_for()
        assert visit.english() == set()
        expect(visit.page.locator(".fate")).to_contain_text("city、age")
        expect(visit.page.get_by_label("city 的角色")).to_have_value("background")
        # Not a narrow colon between Chinese words.
        assert re.match("保护度：[0-9]", visit.page.locator(".score svg").first.get_attribute("aria-label") or "")
        visit.page.get_by_role("button", name="English").click()
        visit.page.get_by_role("heading", name="Leakage").wait_for()


def test_a_browser_that_asks_for_chinese_gets_it(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, language="zh-CN") as visit:
        expect(visit.page.get_by_role("button", name="把表拖到这里")).to_be_visible()
        expect(visit.page.get_by_role("button", name="把表拖到这里")).to_contain_text("CSV、Excel、Parquet")
        assert visit.english() == set()


@pytest.mark.parametrize("width", [1280, 400])
def test_everything_can_be_read_and_has_a_name(
    chromium: Browser, served: Served, finished: dict[str, Any], width: int
) -> None:
    with visiting(chromium, served.entry, width=width) as visit:
        visit.choose("people.csv", "illness", "city")
        look_at(visit, finished)
        for details in visit.page.locator("#result details").all():
            details.evaluate("(one) => { one.open = true; }")
        assert visit.faint() == []
        assert visit.nameless() == []
        assert visit.overflow() == 0
        levels = visit.page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))"
        )
        assert levels[0] == 1 and levels.count(2) == 6
        assert all(after <= before + 1 for before, after in pairwise(levels))
