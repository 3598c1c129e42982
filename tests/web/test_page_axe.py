"""What shuts people out, as axe-core finds it: in every step of the page and in the reports."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.jobs.finished import Finished
from tests.web.browsing import Visit, visiting
from tests.web.serving import Served, running

JOBS = ("first", "second")
Views = tuple[tuple[int, Literal["light", "dark"]], ...]
# Colours follow the scheme and places the width, so that two views show all of both; each with each is for the night.
EVERY_WIDTH_AND_SCHEME = pytest.mark.parametrize(
    "views",
    [
        ((1280, "light"), (400, "dark")),
        pytest.param(((1280, "dark"), (400, "light")), marks=pytest.mark.nightly),
    ],
)
# Rows of a table look alike: what is wrong with the tenth is wrong with the third.
_UNFOLDED = """() => {
  document.querySelectorAll('details').forEach((one) => { one.open = true; });
  document.querySelectorAll('tbody tr:nth-child(n+4)').forEach((one) => one.remove());
}"""


@pytest.fixture(scope="module")
def served(finished_job: Finished, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server beside the table of the job that all tests have in common, which it finds twice."""
    folder = tmp_path_factory.mktemp("axe") / "data"
    folder.mkdir()
    shutil.copy(finished_job.asked.table, folder / "people.csv")
    for name in JOBS:
        shutil.copytree(finished_job.folder, folder / "results" / name)
    with running(folder, results=folder / "results") as server:
        yield server


def findings(page: Page, views: Views) -> list[str]:
    """What axe-core finds with everything unfolded, by its width and colour scheme."""
    page.evaluate(_UNFOLDED)
    found = set()
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        for one in Axe().run(page).response["violations"]:
            found |= {f"{width} {scheme} {one['impact']}: {one['id']} {node['html'][:160]}" for node in one["nodes"]}
    return sorted(found)


def ready(visit: Visit) -> None:
    """Every step shows what it has to show."""
    for place in ("#leakage img", ".curve .line", ".dials", "#picture img", "#comparison table"):
        visit.page.locator(place).wait_for()


@EVERY_WIDTH_AND_SCHEME
def test_every_step_of_the_page(chromium: Browser, served: Served, views: Views) -> None:
    with visiting(chromium, served.entry) as visit:
        assert findings(visit.page, views) == []
        visit.choose("people.csv", "illness", "city")
        visit.page.get_by_label("The point chosen on the curve").check()
        visit.page.locator("#job").select_option(JOBS[0])
        for language in ("English", "中文"):
            visit.page.get_by_role("button", name=language).click()
            visit.page.locator("#other").select_option(JOBS[1])
            ready(visit)
            assert findings(visit.page, views) == [], language


@EVERY_WIDTH_AND_SCHEME
@pytest.mark.parametrize("edition", ["internal", "external"])
def test_the_report(chromium: Browser, served: Served, edition: str, views: Views) -> None:
    with visiting(chromium, served.entry) as visit:
        for language in ("en", "zh"):
            visit.page.goto(f"{served.address}/jobs/{JOBS[0]}/report?edition={edition}&language={language}")
            assert findings(visit.page, views) == [], language
