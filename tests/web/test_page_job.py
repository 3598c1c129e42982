"""The page from a job to its result: progress, reloads, evidence, files and languages, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.web.browsing import Visit, browser, visiting
from tests.web.serving import Served, started
from tests.web.tables import folder_with_people, people

ENDED = 120_000
"""Milliseconds that a job may take on a busy machine."""
NAMES = {"people", "dropped", "csv", "city", "age", "illness", "asthma", "none", "flu", "gout", "data"}
"""Words of the tables here, which no translation touches."""
SPELLINGS = {
    "Leakgauge",
    "English",
    "CSV",
    "TSV",
    "Parquet",
    "JSON",
    "Python",
    "width",
    "quantiles",
    "edges",
    "Miller",
    "Madow",
    "Cram",
    "CPU",
}
"""Words that are the same in every language."""
_WORDS = """() => {
  const seen = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!parent.closest('pre, script, .downloads a, .again a')) seen.push(walk.currentNode.data);
  }
  for (const one of document.querySelectorAll('[aria-label], [title], [alt], [aria-valuetext]')) {
    for (const name of ['aria-label', 'title', 'alt', 'aria-valuetext']) seen.push(one.getAttribute(name) || '');
  }
  return seen;
}"""
_EVIDENCE = """() => [...document.querySelectorAll('.diagram [role=button]')].map((one) => {
  one.dispatchEvent(new MouseEvent('click'));
  return document.querySelector('.evidence').textContent;
})"""
_FAINT = """() => {
  const linear = (one) => (one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
  const shade = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parts(getComputedStyle(one).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !parent.getClientRects().length || parent.closest('.diagram')) continue;
    const style = getComputedStyle(parent);
    const front = shade(parts(parent.closest('svg') ? style.fill : style.color));
    const back = shade(behind(parent));
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (contrast < 4.5) faint.push(`${walk.currentNode.data.trim()}: ${contrast.toFixed(2)}`);
  }
  return faint;
}"""
_NAMELESS = """() => [...document.querySelectorAll('input:not([hidden]), select, button, a, [role]')]
  .filter((one) => one.matches('input, select, button, a, [role=slider], [role=button], [role=region]'))
  .filter((one) => !(one.labels && one.labels.length) && !one.getAttribute('aria-label') && !one.textContent.trim())
  .map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with started(folder_with_people(tmp_path_factory.mktemp("jobs") / "data", rows=1000)) as server:
        yield server


@pytest.fixture
def finished(served: Served) -> dict[str, Any]:
    """A job that is done: one of an earlier test, or a new one."""
    done = [job for job in served.get("/api/state").fields["jobs"] if job["state"] == "done"]
    if not done:
        question = {
            "table": served.open("people.csv"),
            "secret": "illness",
            "background": ["city"],
            "max_distortion": 0.2,
        }
        answer = served.post("/api/jobs", question)
        assert answer.status == 202, answer.body
        done = [served.ended(answer.fields["id"])]
    found: dict[str, Any] = done[0]
    assert found["released"]
    return found


def look_at(visit: Visit, job: dict[str, Any]) -> None:
    """Show a job of an earlier visit."""
    visit.page.locator("#job").select_option(job["id"])
    visit.page.locator(".diagram svg").wait_for()


def ended(visit: Visit, told: str) -> None:
    """Wait for the end of the job, which must be this one."""
    status = visit.page.locator("#protect .status:not(.running)")
    expect(status).not_to_be_empty(timeout=ENDED)
    expect(status).to_contain_text(told)


def drop(visit: Visit, name: str, contents: bytes) -> None:
    """Drop a file as a mouse would."""
    carried = visit.page.evaluate_handle(
        "([name, text]) => { const all = new DataTransfer(); all.items.add(new File([text], name)); return all; }",
        [name, contents.decode()],
    )
    visit.page.get_by_role("button", name="Drop a table here").dispatch_event("drop", {"dataTransfer": carried})


def test_from_a_dropped_table_to_its_release_over_a_reload(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        page = visit.page
        drop(visit, "dropped.csv", people(1000))
        page.get_by_label("illness is the secret").check()
        page.get_by_label("city is background").check()
        visit.handle.press("ArrowRight")
        aim = float(visit.numbers()["Mean distortion"])
        page.get_by_role("button", name="Protect", exact=True).click()
        expect(page.locator(".stages .running, .stages .done").first).to_be_visible(timeout=ENDED)
        page.reload()
        expect(page.locator(".stages .done").first).to_be_visible(timeout=ENDED)
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        expect(page.locator("#protect .status")).to_have_text(re.compile("Step [1-6] of 6: "))
        expect(page.get_by_label("illness is the secret")).to_be_checked()
        ended(visit, "Done")
        assert page.locator(".stages .done").count() == 6
        expect(page.locator(".verdict strong")).not_to_be_empty()
        expect(page.locator("#command")).to_contain_text(
            "leakgauge protect dropped.csv --secret illness --background city"
        )
        asked = served.get("/api/state").fields["jobs"][0]["asked"]
        assert asked["max_distortion"] == pytest.approx(aim, abs=1.01e-4) and asked["max_distortion"] >= aim - 5e-5


def test_the_keyboard_alone_gets_there(chromium: Browser, served: Served) -> None:
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
        keyboard.type("people.csv")
        keyboard.press("Enter")
        visit.page.locator(".roles").wait_for()
        to("city is the secret")
        keyboard.press("ArrowDown")
        keyboard.press("ArrowDown")
        expect(visit.page.get_by_label("illness is the secret")).to_be_checked()
        visit.page.locator(".curve .line").wait_for()
        to("Point on the curve")
        before = visit.numbers()
        keyboard.press("ArrowRight")
        assert visit.numbers() != before
        to("Protect")
        keyboard.press("Enter")
        ended(visit, "Done")
        to("To the result")
        keyboard.press("Enter")
        to("Internal edition")
        to("1 sensitivity")
        keyboard.press("ArrowRight")
        keyboard.press("Enter")
        expect(visit.page.locator(".evidence h4")).to_have_text("2 relaxation δ")
        keyboard.press("End")
        keyboard.press("Enter")
        expect(visit.page.locator(".evidence h4")).to_have_text("45 protection effect")


_FOCUSED = """() => {
  const one = document.activeElement;
  return one.getAttribute('aria-label') || (one.labels && one.labels[0] ? one.labels[0].textContent : one.textContent);
}"""


def test_a_job_outlives_the_browser_and_can_be_stopped(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness")
        visit.page.get_by_role("button", name="Protect", exact=True).click()
        expect(visit.page.get_by_role("button", name="Stop")).to_be_visible(timeout=ENDED)
    state = served.get("/api/state").fields
    (running,) = (job for job in state["jobs"] if job["state"] == "running")
    with visiting(chromium, served.entry) as visit:
        visit.page.get_by_role("button", name="Stop").click()
        ended(visit, "Stopped")
    assert served.get(f"/api/jobs/{running['id']}").fields["state"] == "stopped"


def test_an_answer_that_is_no_still_says_what_is_possible(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        visit.choose("people.csv", "illness", "city")
        visit.page.get_by_label("Most bits leaked").fill("0.01")
        visit.page.get_by_role("button", name="Protect", exact=True).click()
        ended(visit, "The answer is no: A leakage of 0.01 bits is impossible")
        expect(visit.page.locator("#result .verdict")).to_contain_text("the background alone tells")
        expect(visit.page.get_by_role("link", name="Internal edition, English")).to_be_visible()
        expect(visit.page.locator("#picture img")).to_be_visible()
        assert visit.page.get_by_role("link", name="release.csv").count() == 0


def test_a_node_shows_its_evidence(chromium: Browser, served: Served, finished: dict[str, Any]) -> None:
    grade = served.get(f"/api/jobs/{finished['id']}/grade").fields
    leaf = next(one for one in grade["leaves"] if one["leaf"] == "5")
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
        panel = visit.page.locator(".evidence")
        nodes = visit.page.locator(".diagram [role=button]")
        assert nodes.count() == 45, "every node of the drawing can be pressed"
        visit.page.get_by_role("button", name=f"5 {leaf['name']}", exact=True).click()
        expect(panel.get_by_role("heading")).to_have_text(f"5 {leaf['name']}")
        for told in (leaf["unit"], leaf["source"], f"{100 * leaf['position']:.1f} / 100"):
            expect(panel).to_contain_text(told)
        expect(panel).to_be_in_viewport()
        visit.page.get_by_text("Nodes as a list").click()
        listed = visit.page.locator(".nodes button")
        assert listed.count() == 45
        visit.page.locator(".nodes [data-node='45']").press("Enter")
        expect(panel.get_by_role("heading")).to_have_text("45 protection effect")
        expect(visit.page.locator(".nodes [aria-pressed=true]")).to_have_count(1)


def test_the_headline_is_that_of_the_files(chromium: Browser, served: Served, finished: dict[str, Any]) -> None:
    graded = json.loads((served.results / finished["id"] / "assessment.json").read_text())
    leakage = json.loads((served.results / finished["id"] / "leakage.json").read_text())
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
        verdict = visit.page.locator(".verdict")
        expect(verdict).to_contain_text(graded["grade"].replace("-", " "))
        low, high = graded["interval"]["low"], graded["interval"]["high"]
        expect(verdict).to_contain_text(f"score between {low:.1f} and {high:.1f}")
        known = leakage["leakage_with_background"] or leakage["mutual_information"]
        expect(visit.page.locator(".tiles")).to_contain_text(f"{known['value']:.4f}")
        for picture in visit.page.locator(".pictures button").all():
            picture.click()
            drawn = visit.page.get_by_role("img", name=picture.inner_text(), exact=True)
            drawn.wait_for()
            visit.page.wait_for_function("document.querySelector('#picture img').naturalWidth > 100")


def test_files_are_downloaded(chromium: Browser, served: Served, finished: dict[str, Any], tmp_path: Path) -> None:
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
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
    chromium: Browser, served: Served, finished: dict[str, Any]
) -> None:
    with visiting(chromium, served.entry) as visit:
        look_at(visit, finished)
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
        visit.page.locator(".diagram svg").wait_for()
        assert english_in(visit.page.evaluate(_WORDS)) == set()
        evidence = visit.page.evaluate(_EVIDENCE)
        assert len(set(evidence)) == 45 and english_in(evidence) == set()
        assert visit.page.get_by_label("city 是背景").is_checked(), "the choices are kept"
        visit.page.get_by_role("button", name="English").click()
        visit.page.get_by_role("heading", name="Leakage").wait_for()


def english_in(texts: list[str]) -> set[str]:
    """English words in the texts of a page that are no names."""
    found = set()
    for text in texts:
        found |= set(re.findall(r"[A-Za-z]{3,}", re.sub(r"-[0-9a-f]{12}\b", "", text)))
    return found - NAMES - SPELLINGS


def test_a_browser_that_asks_for_chinese_gets_it(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry, language="zh-CN") as visit:
        expect(visit.page.get_by_role("button", name="把表拖到这里")).to_be_visible()
        assert english_in(visit.page.evaluate(_WORDS)) == set()


@pytest.mark.parametrize("width", [1280, 400])
def test_everything_can_be_read_and_has_a_name(
    chromium: Browser, served: Served, finished: dict[str, Any], width: int
) -> None:
    with visiting(chromium, served.entry, width=width) as visit:
        visit.choose("people.csv", "illness", "city")
        look_at(visit, finished)
        visit.page.locator(".diagram [role=button]").first.click()
        assert visit.page.evaluate(_FAINT) == []
        assert visit.page.evaluate(_NAMELESS) == []
        assert visit.overflow() == 0
        levels = visit.page.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))"
        )
        assert levels[0] == 1 and levels.count(2) == 6
        assert all(after <= before + 1 for before, after in pairwise(levels))
