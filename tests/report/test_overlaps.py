"""In a real browser no two texts of a picture overlap, and none stands outside of it."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from leakgauge.artefacts import Quantity, Request
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.measurement import ValueShares
from leakgauge.artefacts.report import Picture
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_csv
from leakgauge.languages import Language
from leakgauge.probability import Channel, Distribution
from leakgauge.report import Report
from leakgauge.telling.figures.channel import channel_figure
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.figures.people import people_figure
from leakgauge.telling.figures.privacy_curves import privacy_curves_figure
from leakgauge.telling.figures.repeats import repeats_figure
from leakgauge.telling.figures.shares import prior_of, shares_figure
from leakgauge.telling.figures.telling import telling_figure
from leakgauge.telling.figures.waterfall import waterfall_figure
from leakgauge.telling.shown import Shown
from tests.jobs.finished import Finished
from tests.report.artefacts import make_files
from tests.report.facts import Facts
from tests.report.test_figures_of_artefacts import PICTURES
from tests.report.test_privacy_curves import composed

LONG = "a_rather_long_name_of_a_column_" * 10
RIGHT_TO_LEFT = "מקום המגורים של האדם"
CHINESE = "日本語の列名" * 8
VALUE = "a value with a long name " * 3
_MEASURE = """
() => {
  const corners = (text) => {
    const box = text.getBBox(), at = text.getScreenCTM();
    // A box is as high as any letter of its font could be; what is written is lower.
    const size = parseFloat(getComputedStyle(text).fontSize), lines = text.querySelectorAll("tspan").length || 1;
    const cut = Math.max((box.height - (lines - 1) * (size + 2) - 0.85 * size) / 2, 0);
    const [left, right, top, low] = [box.x + 0.5, box.x + box.width - 0.5, box.y + cut, box.y + box.height - cut];
    return [[left, top], [right, top], [right, low], [left, low]].map(([x, y]) => {
      const point = new DOMPoint(x, y).matrixTransform(at);
      return [point.x, point.y];
    });
  };
  // Two convex shapes are apart if a line along a side of one of them parts them.
  const parted = (one, other) => one.some(([x, y], at) => {
    const [nextX, nextY] = one[(at + 1) % 4];
    const along = (shape) => shape.map(([a, b]) => (a - x) * (nextY - y) - (b - y) * (nextX - x));
    return Math.min(...along(one)) >= Math.max(...along(other)) || Math.min(...along(other)) >= Math.max(...along(one));
  });
  return [...document.querySelectorAll("svg")].map((svg) => {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")]
      .filter((one) => one.textContent.trim() && getComputedStyle(one).opacity !== "0")
      .map((one) => ({said: one.textContent, shape: corners(one)}));
    const wrong = texts
      .filter(({shape}) => shape.some(([x, y]) =>
        x < frame.left - 1 || x > frame.right + 1 || y < frame.top - 1 || y > frame.bottom + 1))
      .map(({said}) => `outside: ${said}`);
    texts.forEach((one, at) => texts.slice(at + 1).forEach((other) => {
      if (!parted(one.shape, other.shape) && !parted(other.shape, one.shape))
        wrong.push(`${one.said} <> ${other.said}`);
    }));
    return wrong;
  });
}
"""


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    yield opened
    opened.close()


def make_long_names(place: Path) -> None:
    """A job whose secret has a name of 310 letters and 40 values, and whose background is written from the right."""
    with (place / "people.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow([LONG, RIGHT_TO_LEFT, CHINESE])
        for at in range(800):
            value = (at * at + at // 9) % 40
            rows.writerow([f"{VALUE}{value}", f"עיר {at % 3}", f"{(value + at % 5) % 4}"])
    known = (RIGHT_TO_LEFT,)
    table = str(place / "people.csv")
    protect(
        Request.of(table, secret=(LONG,), background=known, public=(*known, CHINESE), max_distortion=0.3, simulate=1),
        place / "out",
    )


def figures(report: Report, code: str) -> dict[str, Figure]:
    """Every picture of a report, and those that may be drawn of its files."""
    (document,) = report.documents(code)
    found = [block for section in document.sections for block in section.blocks if isinstance(block, Picture)]
    narrow = {f"{one.caption} (narrow)": Figure(one.narrow, one.told) for one in found if one.narrow is not None}
    assert narrow
    whole = {one.caption: Figure(one.spec, one.told) for one in found}
    return whole | narrow | dict(_more(Shown(report.dossier).dossier, Language(code)))


def _more(dossier: Dossier, language: Language) -> Iterator[tuple[str, Figure]]:
    (results,) = dossier.secrets
    audit, survey, plan, worth = dossier.audit, dossier.survey, dossier.plan, results.utility
    assert audit is not None and survey is not None and plan is not None and worth is not None
    (secret,) = results.secret
    shares, stored = worth.columns[secret].shares, plan.columns[secret].channel
    yield "people", people_figure(audit, (secret,), language)
    yield "telling", telling_figure(survey, secret, language)
    commonest = max(one.table.value for one in shares) if shares else None
    yield "waterfall", waterfall_figure(audit.exposures[0], audit.rows, commonest, language)
    assert stored is not None
    channel = stored.named("the plan").channel
    prior = prior_of(shares, channel.inputs)
    assert prior is not None
    yield "channel", channel_figure(channel, language, prior=prior)
    yield "repeats", repeats_figure(prior, channel, 60, language)


def require_apart(page: Page, drawn: dict[str, Figure]) -> None:
    """No two texts of a picture overlap, and none stands outside."""
    page.set_content("".join(f"<p>{figure.to_svg()}</p>" for figure in drawn.values()))
    measured = page.evaluate(_MEASURE)
    assert len(measured) == len(drawn) > 0
    assert {name: wrong for name, wrong in zip(drawn, measured, strict=True) if wrong} == {}


def renamed(part: Any) -> Any:
    """The files of a job with long names in the place of those of its columns and values."""
    if isinstance(part, dict):
        return {renamed(name): renamed(value) for name, value in part.items()}
    if isinstance(part, list):
        return [renamed(value) for value in part]
    if isinstance(part, str):
        for name, long in {"illness": LONG, "city": RIGHT_TO_LEFT, "asthma": f"{VALUE}1", "flu": f"{VALUE}2"}.items():
            part = re.sub(rf"\b{name}\b", long, part)
    return part


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("names", ["short", "long"])
def test_texts_of_pictures_stand_apart(page: Page, finished_job: Finished, code: str, names: str) -> None:
    report = Report.of(finished_job.folder)
    if names == "long":
        files = Facts(report.dossier).files
        report.dossier = Facts(renamed(files)).dossier
    require_apart(page, figures(report, code))


@pytest.mark.parametrize("code", ["en", "zh"])
def test_many_values_stand_apart(page: Page, code: str) -> None:
    language, values = Language(code), [f"{VALUE}{at}" for at in range(40)]
    shares = np.arange(1, 41) / 820
    channel = Channel(values, values, 0.6 * np.eye(40) + 0.01)
    stored = [
        ValueShares((name,), Quantity(share, "share"), Quantity(share, "share"))
        for name, share in zip(values, shares.tolist(), strict=True)
    ]
    whole = {"channel": channel_figure(Channel.identity(range(60)), language)}
    drawn = {
        "bars": channel_figure(channel, language, prior=Distribution(values, shares)),
        "shares": shares_figure(stored, language),
        "repeats": repeats_figure(Distribution(values, shares), channel, 60, language),
    }
    require_apart(page, whole | drawn)


@pytest.mark.nightly
def test_pictures_of_a_job_with_long_names_stand_apart(page: Page, tmp_path: Path) -> None:
    make_long_names(tmp_path)
    for code in ("en", "zh"):
        require_apart(page, figures(Report.of(tmp_path / "out"), code))


@pytest.mark.nightly
def test_pictures_of_the_sample_stand_apart(page: Page, tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_text(adult_csv(), encoding="utf-8")
    known = ("occupation",)
    asked = Request.of(
        str(tmp_path / "adult.csv"),
        secret=("marital_status",),
        background=known,
        public=known,
        max_distortion=0.2,
        simulate=1,
    )
    protect(asked, tmp_path / "out")
    for code in ("en", "zh"):
        require_apart(page, figures(Report.of(tmp_path / "out"), code))


@pytest.mark.nightly
@pytest.mark.parametrize("code", ["en", "zh"])
def test_pictures_of_what_verbs_leave_stand_apart(page: Page, tmp_path: Path, code: str) -> None:
    files = make_files(tmp_path)
    require_apart(page, {name: draw(files, Language(code)) for name, draw in PICTURES.items()})


@pytest.mark.parametrize("code", ["en", "zh"])
def test_labels_of_privacy_curves_stand_apart(page: Page, code: str) -> None:
    asked = {
        "many": [(10.0**-power, power / 3) for power in range(1, 9)],
        "near": [(1e-6, 2.17), (2e-6, 2.05), (3e-6, 1.99)],
        "corner": [(1e-10, 3.0)],
        "none": [],
    }
    drawn = {name: privacy_curves_figure(composed(*points), Language(code)) for name, points in asked.items()}
    require_apart(page, drawn)


def test_a_measure_that_finds_nothing_would_be_no_measure(page: Page) -> None:
    page.set_content(
        '<svg width="100" height="50"><text x="5" y="20">one</text><text x="8" y="22">two</text>'
        '<text x="90" y="45">beyond</text></svg>'
    )
    assert page.evaluate(_MEASURE) == [["outside: beyond", "one <> two"]]
