"""The annex of the sample's report: by question, ten pages at most, nothing twice, and pictures that can be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from leakgauge.artefacts import Request
from leakgauge.artefacts.report import Grid, Picture, Points
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_csv
from leakgauge.languages import Language
from leakgauge.report.document import Document, printed, twin, where_the_rest_is
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.report.sections import ANNEX, SECTIONS
from leakgauge.telling.blocks import Edition, inlines, text_of
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.titles import QUESTIONS, TITLES
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH
from tests.report.test_pdf import pages

POINTS_OF_A_PIXEL = 0.64
"""As the PDF sets its pictures, where they are no larger than a page: ``templates/report.typ``."""
ROOM = (499, 652)
"""Points of a printed page, and of the highest picture on it."""
SMALLEST = 7
"""Points of the smallest letters of a picture in print."""
_SHOWN = """() => [...document.querySelectorAll('svg text')].filter((one) => one.checkVisibility()).map((one) => {
  const moved = one.getScreenCTM(), box = one.getBoundingClientRect()
  const size = Math.hypot(moved.a, moved.b) * parseFloat(getComputedStyle(one).fontSize)
  return {said: one.textContent, size, left: box.left, right: box.right}
})"""


@pytest.fixture(scope="module")
def sample(once: Callable[[str, Callable[[Path], None]], Path]) -> Facts:
    """The job of ``leakgauge demo``."""
    return Facts.read(once("sample", _make) / "out")


def _make(place: Path) -> None:
    (place / "adult.csv").write_text(adult_csv(), encoding="utf-8")
    known = ("occupation",)
    asked = Request.of(
        str(place / "adult.csv"),
        secret=("marital_status",),
        background=known,
        public=known,
        min_protection=60.0,
        purpose="a demonstration",
        recipient="anyone who tries it",
        review="2099-11-16",
    )
    protect(asked, place / "out").require()


@pytest.fixture(scope="module", params=["en", "zh"])
def document(sample: Facts, request: pytest.FixtureRequest) -> Document:
    return compose(sample, Language(request.param))


@pytest.fixture(scope="module")
def page_of(document: Document) -> str:
    """The page in that language: drawn once, because drawing takes long."""
    return to_html([document])


def opened(chromium: Browser, written: str, width: int) -> Page:
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.set_content(written)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    return page


def without_clauses(document: Document) -> Document:
    """The clauses are an annex of their own."""
    return replace(document, sections=tuple(one for one in document.sections if one.question != "rules"))


def test_every_section_answers_one_question() -> None:
    assert [*ANNEX] == [*QUESTIONS]
    assert ["statement", *(key for group in ANNEX.values() for key in group)] == [*SECTIONS] == [*TITLES]


def test_contents_name_every_section_under_its_question(document: Document, page_of: str) -> None:
    contents = page_of[page_of.index("<nav") : page_of.index("</nav>")]
    groups = [re.findall(r'href="#([^"]*)"', group) for group in contents.split("<div>")[1:]]
    asked = [[one.key, *(section.key for section in one.sections)] for one in printed(document).annex]
    assert groups == asked and [group[0] for group in groups] == [*QUESTIONS]
    assert all(page_of.count(f'id="{key}"') == 1 for group in groups for key in group)
    told = to_markdown(document)
    headings = [line[3:] for line in told.splitlines() if line.startswith("## ")][1:]
    assert headings == [document.language.say(title) for title in QUESTIONS.values()]


def test_the_annex_is_ten_pages_at_most(document: Document) -> None:
    whole = without_clauses(document)
    decision = pages(to_pdf([replace(whole, sections=whole.sections[:1])]))
    assert decision == 2
    assert 5 < pages(to_pdf([whole])) - decision <= 10


def test_a_printed_page_folds_and_cuts_nothing(chromium: Browser, document: Document, page_of: str) -> None:
    page = chromium.new_page(viewport={"width": 688, "height": 900})
    page.set_content(page_of)
    page.emulate_media(media="print")
    assert '<details class="table"' not in page_of
    tables = sum(isinstance(block, Grid) for section in printed(document).sections for block in section.blocks)
    # Their places are closed on the screen, and open in print.
    assert page.locator("details[open]").count() == 0
    seen = page.evaluate(
        "[...document.querySelectorAll('table')].filter((one) => one.getBoundingClientRect().height > 10).length"
    )
    assert seen == tables > 20
    ways = page.evaluate("[...document.querySelectorAll('.scroll, pre')].map((one) => getComputedStyle(one).overflowX)")
    assert set(ways) == {"visible"}
    assert page.evaluate("document.documentElement.scrollWidth") <= 688
    sizes = [one["size"] * 0.75 for one in page.evaluate(_SHOWN)]
    assert min(sizes) >= SMALLEST and len(sizes) > 100
    page.close()


def test_letters_of_pictures_are_large_enough_on_paper(document: Document) -> None:
    drawn = [block for section in printed(document).sections for block in section.blocks if isinstance(block, Picture)]
    assert len(drawn) >= 6
    for picture in drawn:
        svg = Figure(picture.spec, picture.told).to_svg()
        found = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
        assert found is not None
        scale = min(POINTS_OF_A_PIXEL, *(room / float(side) for room, side in zip(ROOM, found.groups(), strict=True)))
        letters = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)]
        assert min(letters) * scale >= SMALLEST, picture.caption


@pytest.mark.parametrize("width", [360, 400])
def test_nothing_is_cut_on_a_telephone(chromium: Browser, document: Document, page_of: str, width: int) -> None:
    page = opened(chromium, page_of, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.locator("figure .narrow")
    pictures = sum(isinstance(block, Picture) for section in printed(document).sections for block in section.blocks)
    assert drawn.count() == pictures and all(one.is_visible() for one in drawn.all())
    assert not any(one.is_visible() for one in page.locator("figure .broad").all())
    texts = page.evaluate(_SHOWN)
    assert len(texts) > 100
    for one in texts:
        assert one["left"] >= 0 and one["right"] <= width and one["size"] >= 10, one
    # What is wider than the screen is pushed sideways within itself.
    wide = page.evaluate(
        "[...document.querySelectorAll('table')].filter((one) => one.scrollWidth > innerWidth && "
        "getComputedStyle(one.closest('.scroll')).overflowX !== 'auto').length"
    )
    assert wide == 0
    page.close()


def test_on_a_wide_screen_a_picture_stands_once(chromium: Browser, page_of: str) -> None:
    page = opened(chromium, page_of, 1280)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert not any(one.is_visible() for one in page.locator("figure .narrow").all())
    assert all(one.is_visible() for one in page.locator("figure .broad").all())
    page.close()


def test_what_is_not_printed_is_in_the_data(document: Document, page_of: str) -> None:
    kept = [block for section in document.sections for block in section.blocks if not block.printed]
    captions = [block.caption for block in kept if isinstance(block, Grid)]
    assert len(captions) > 5
    beside = [block for section in twin([document]).documents[0].sections for block in section.blocks]
    assert [block.caption for block in beside if isinstance(block, Grid) and not block.printed] == captions
    sources = {number.source for number in document.numbers()}
    assert sources == {
        part.source
        for block in beside
        for inline in inlines(block)  # type: ignore[arg-type]
        for part in inline
        if not isinstance(part, str)
    }
    # Whoever reads the pages is told where it is.
    rest = where_the_rest_is(document)
    assert "report.json" in rest and rest in page_of and rest in to_markdown(document).replace("\\", "")
    # No page lists where its numbers come from; each says it where it is pointed at.
    shown = sum(1 for _ in printed(document).numbers())
    assert page_of.count('<span class="number" title="') == shown < sum(1 for _ in document.numbers())


def test_no_table_stands_beside_a_picture_of_it(document: Document) -> None:
    """Of each a picture is printed, or its table."""
    sections = {one.key: one for one in printed(document).sections}
    for key, drawn, tables in (
        ("leakage", 1, {"What the attacker learns about the secret", "What each column reveals about the secret"}),
        ("frontier", 1, set()),
        ("attacks", 0, None),
        ("survey", 0, None),
        ("criteria", 0, None),
    ):
        blocks = sections[key].blocks
        assert sum(isinstance(block, Picture) for block in blocks) == drawn, key
        if tables is not None:
            assert {block.caption for block in blocks if isinstance(block, Grid)} == {
                *map(document.language.say, tables)
            }


def test_outside_everything_is_printed(sample: Facts) -> None:
    for language in (ENGLISH, CHINESE):
        outside = compose(sample, language, Edition.EXTERNAL)
        assert outside == printed(outside) and not where_the_rest_is(outside)
        assert "report.json" not in to_html([outside])


def test_the_checks_of_the_record_are_a_line_for_those_that_passed(sample: Facts) -> None:
    (attacks,) = (one for one in compose(sample, ENGLISH).sections if one.key == "attacks")
    lines = [text_of(item, ENGLISH) for block in attacks.blocks if isinstance(block, Points) for item in block.items]
    checks = sample.dossier.audit.checks if sample.dossier.audit is not None else ()
    fine = [one for one in checks if one.holds]
    assert next(line for line in lines if " passed: " in line).startswith(f"{len(fine)} passed: ")
    assert sum("not checked" in line for line in lines) == len(checks) - len(fine)
