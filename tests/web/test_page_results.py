"""Results on the page, in a real browser: found in a folder, compared, tried again, taken away, and open to everybody.

Everything here is of one finished job that all tests have in common, and of one that an earlier version left.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.jobs.finished import Finished
from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, running

FIRST, SECOND, OLDER = "first", "second", "older"
STORED = Path(__file__).parents[1] / "jobs" / "stored" / "released"
Views = tuple[tuple[int, Literal["light", "dark"]], ...]
# Colours follow the scheme and places the width, so that two views show all of both; each with each is for the night.
EVERY_WIDTH_AND_SCHEME = pytest.mark.parametrize(
    "views",
    [
        ((1280, "light"), (400, "dark")),
        pytest.param(((1280, "dark"), (400, "light")), marks=pytest.mark.nightly),
    ],
)
# What is as it should be, and every element that it was asked of, need not be told.
_VIOLATIONS = {"resultTypes": ["violations"]}
# Rows of a table look alike: what is wrong with the tenth is wrong with the third.
_UNFOLDED = """() => {
  document.querySelectorAll('details').forEach((one) => { one.open = true; });
  document.querySelectorAll('tbody tr:nth-child(n+4)').forEach((one) => one.remove());
}"""


def asked_by_the_page(folder: Path) -> None:
    """Take out of a job what only tests ask for, so that the page could have asked for it and for its actions."""
    for name in ("job.json", "verdict.json"):
        place = folder / name
        place.write_text(
            place.read_text(encoding="utf-8").replace('"simulate": 3', '"simulate": null'), encoding="utf-8"
        )


def with_other_numbers(folder: Path) -> None:
    """Give a job another aim and a leakage of its own."""
    found = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    found["asked"]["max_distortion"] = 0.25
    found["headline"]["leakage_after"]["value"] = 0.123
    (folder / "job.json").write_text(json.dumps(found), encoding="utf-8")


@pytest.fixture(scope="module")
def served(finished_job: Finished, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("results") / "data"
    folder.mkdir()
    shutil.copy(finished_job.asked.table, folder / "people.csv")
    results = folder / "results"
    shutil.copytree(STORED, results / OLDER)
    for name in (SECOND, FIRST):
        shutil.copytree(finished_job.folder, results / name)
    asked_by_the_page(results / SECOND)
    with_other_numbers(results / SECOND)
    with running(folder, results=results) as server:
        yield server


def findings(page: Page, views: Views) -> list[str]:
    """What axe-core finds with everything unfolded, by its width and colour scheme."""
    page.evaluate(_UNFOLDED)
    found = set()
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        for one in Axe().run(page, options=_VIOLATIONS).response["violations"]:
            found |= {f"{width} {scheme} {one['impact']}: {one['id']} {node['html'][:160]}" for node in one["nodes"]}
    return sorted(found)


def ready(visit: Visit) -> None:
    """Every step shows what it has to show."""
    for place in ("#leakage img", ".curve .line", ".scores", "#picture img", "#comparison table"):
        visit.page.locator(place).wait_for()


@EVERY_WIDTH_AND_SCHEME
def test_every_step_of_the_page(chromium: Browser, served: Served, views: Views) -> None:
    with visiting(chromium, served.entry) as visit:
        assert findings(visit.page, views) == []
        visit.choose("people.csv", "illness", "city")
        visit.page.get_by_label("The point chosen on the curve").check()
        visit.page.locator("#job").select_option(FIRST)
        for language in ("English", "中文"):
            visit.page.get_by_role("button", name=language).click()
            visit.page.locator("#other").select_option(SECOND)
            ready(visit)
            assert findings(visit.page, views) == [], language


@EVERY_WIDTH_AND_SCHEME
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_the_report(chromium: Browser, served: Served, edition: str, views: Views) -> None:
    with visiting(chromium, served.entry) as visit:
        for language in ("en", "zh"):
            visit.page.goto(f"{served.address}/jobs/{FIRST}/report?edition={edition}&language={language}")
            visit.page.get_by_role("heading", level=1).first.wait_for()
            assert findings(visit.page, views) == [], language


@pytest.fixture(scope="module")
def looking(chromium: Browser, served: Served) -> Iterator[Visit]:
    """A visit to the first job, for those who only look."""
    with visiting(chromium, served.entry) as visit:
        show(visit, FIRST)
        yield visit


def show(visit: Visit, job: str) -> None:
    visit.page.locator("#job").select_option(job)
    visit.page.locator(f"#result a[href='jobs/{job}/all.zip']").wait_for()


def test_two_results_side_by_side(looking: Visit) -> None:
    page = looking.page
    page.locator("#other").select_option(SECOND)
    rows = {
        name: page.locator("#comparison tr").filter(has_text=name)
        for name in ("leakage after the release", "Aim", "Secret")
    }
    expect(rows["Aim"].locator("td")).to_have_text(["distortion ≤ 0.2", "distortion ≤ 0.25"])
    expect(rows["leakage after the release"].locator("td").last).to_contain_text("0.123")
    expect(rows["leakage after the release"]).to_have_class("differs")
    expect(rows["Secret"]).not_to_have_class("differs")
    expect(rows["Secret"].locator("td")).to_have_text(["illness", "illness"])


def test_the_history_shows_every_job_and_goes_back_to_one(chromium: Browser, served: Served) -> None:
    with visiting(chromium, served.entry) as visit:
        page = visit.page
        show(visit, FIRST)
        lines = page.locator(".history tbody tr")
        page.get_by_text("History").click()
        expect(lines).to_have_count(3)
        expect(page.locator(".history .here")).to_contain_text("distortion ≤ 0.2")
        lines.filter(has_text="0.25").get_by_role("button").click()
        expect(page.locator("#job")).to_have_value(SECOND)
        expect(page.locator("#result .about")).to_contain_text("distortion ≤ 0.25")


def test_all_files_are_taken_away_at_once(looking: Visit, served: Served, tmp_path: Path) -> None:
    with looking.page.expect_download() as coming:
        looking.page.get_by_role("link", name="Download all (zip)").click()
    assert coming.value.suggested_filename == f"{FIRST}.zip"
    coming.value.save_as(tmp_path / "all.zip")
    with ZipFile(tmp_path / "all.zip") as packed:
        job = served.get(f"/api/jobs/{FIRST}").fields
        names = {name for name in packed.namelist() if not name.startswith(f"{FIRST}/kit/")}
        assert names == {f"{FIRST}/{name}" for name in job["files"]}
        assert packed.read(f"{FIRST}/release.csv") == (served.results / FIRST / "release.csv").read_bytes()


def test_what_is_not_recommended_is_not_to_be_handed_out(looking: Visit) -> None:
    said = looking.page.locator("#before-handing-out")
    assert said.inner_text() == "Do not hand out anything yet: keep all these files private."


def test_an_action_is_tried_with_one_click(chromium: Browser, served: Served) -> None:
    (action, *_) = served.get(f"/api/jobs/{SECOND}/result").fields["actions"]
    with visiting(chromium, served.entry, missteps=True) as visit:
        visit.choose("people.csv", "age")
        show(visit, SECOND)
        visit.page.route("**/api/jobs", lambda route: route.fulfill(status=400, json={"error": "Not today."}))
        with visit.page.expect_request("**/api/jobs") as sent:
            visit.page.get_by_role("button", name="Try it").first.click()
        asked = sent.value.post_data_json or {}
        assert asked["max_distortion"] == action["asked"]["max_distortion"] != 0.25 and asked["secret"] == ["illness"]
        assert asked["table"] == served.open("people.csv")
        expect(visit.role("illness")).to_have_value("secret")
        expect(visit.role("age")).to_have_value("none")
        expect(visit.page.locator("#result [role=alert]:visible")).to_have_text("Not today.")


def test_a_result_of_an_earlier_version_is_shown_and_left_as_it_is(chromium: Browser, served: Served) -> None:
    def contents() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (served.results / OLDER).iterdir()}

    before = contents()
    with visiting(chromium, served.entry, missteps=True) as visit:
        show(visit, OLDER)
        page = visit.page
        said = page.locator("#result .verdict .warning")
        expect(said.filter(has_text="because an earlier version made it")).to_be_visible()
        expect(page.locator("#picture img")).to_be_visible()
        expect(page.locator("[data-picture=shares]")).to_have_count(0)
        assert page.get_by_role("button", name="Continue this job").is_hidden()
        assert page.get_by_role("link", name="release.csv").count() == 1
        expect(page.locator("#other")).to_have_count(0)
    assert contents() == before
