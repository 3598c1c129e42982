"""The report on a whole table: several secrets, one withheld, public columns, background and a unit."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from leakgauge.artefacts.codec import text_of
from leakgauge.artefacts.dossier import SecretResults
from leakgauge.artefacts.report import Grid, Picture
from leakgauge.errors import VerificationError
from leakgauge.languages import Language
from leakgauge.randomness import simulation
from leakgauge.report.document import Document, printed, twin
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.rounding import at_least
from leakgauge.telling.blocks import Edition, inlines
from leakgauge.telling.blocks import text_of as written
from leakgauge.telling.columns import is_withheld, planned_columns, protected_columns
from tests.report.conftest import run
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH, changed, numbers_in, texts, tiles, warnings
from tests.report.test_pdf import pages

PUBLIC = ("city", "decade", "job")
SECRETS = (("illness",), ("income",), ("debt",))
ASKED = {"secret": ["illness", "income"], "background": "sex"}


def make(place: Path) -> None:
    """Visits of people who come more than once; the job tells on the income, and the income on the debt."""
    draws = simulation(5)

    def one_of(*values: str) -> str:
        return values[int(draws.integers(len(values)))]

    with (place / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["person", "illness", "income", "debt", *PUBLIC, "sex"])
        for _ in range(600):
            city, decade, job = one_of("A", "B", "C"), one_of("1970s", "1980s"), one_of("nurse", "clerk")
            income = ("low" if job == "nurse" else "high") if draws.random() < 0.6 else one_of("low", "high")
            debt = income if draws.random() < 0.5 else one_of("low", "high")
            person = f"p{int(draws.integers(250))}"
            rows.writerow([person, one_of("flu", "cold", "none"), income, debt, city, decade, job, one_of("f", "m")])
    limits = {"max_distortion": {"illness": 0.2, "income": 0.3}, "simulate": 3}
    assert run(place, "visits.csv", "job", **ASKED, **limits, withhold="debt", unit="person", public=PUBLIC)
    assert not run(place, "visits.csv", "refused", **ASKED, max_leakage=0.0)


@pytest.fixture(scope="session")
def folder(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    return once("several", make)


@pytest.fixture(scope="session")
def several(folder: Path) -> Facts:
    return Facts.read(folder / "job")


def grid(document: Document, caption: str, key: str = "statement") -> list[list[str]]:
    """The cells of a table in a section."""
    (section,) = (one for one in document.sections if one.key == key)
    found = next(one for one in section.blocks if isinstance(one, Grid) and one.caption == caption)
    return [[written(cell, document.language) for cell in row] for row in found.rows]


def said_in(document: Document, key: str) -> str:
    (section,) = (one for one in document.sections if one.key == key)
    return "\n".join(written(one, document.language) for block in section.blocks for one in inlines(block))


@pytest.mark.parametrize("edition", Edition)
@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_every_number_is_what_its_source_says(several: Facts, language: Language, edition: Edition) -> None:
    document = compose(several, language, edition)
    for number in document.numbers():
        assert number.source.partition("#")[0] in several.files
        assert number.value in (several.resolve(number.source), "<10"), number.source
    used = {number.source.partition("#")[0] for number in document.numbers()}
    own = {"measurement-illness.json", "measurement-debt.json", "leakage-income.json", "verdict.json"}
    assert own <= used if edition is Edition.INTERNAL else not own & used
    assert "survey.json" in used


def test_both_languages_show_the_same_numbers(several: Facts) -> None:
    for edition in Edition:
        english, chinese = (compose(several, language, edition) for language in (ENGLISH, CHINESE))
        assert numbers_in(texts(english)) == numbers_in(texts(chinese))
        sections = len(printed(english).sections)
        assert to_html([english, chinese]).count('<details class="part">') == sections - 1


def test_the_first_screen_has_a_line_for_each_secret_and_the_total(several: Facts) -> None:
    document = compose(several, ENGLISH)
    rows = grid(document, "Every secret")
    assert [row[0] for row in rows] == ["illness", "income", "debt (withheld)", "all of them at once"]
    for row, one in zip(rows, several.items("job.json", "secrets"), strict=False):
        of = r"[\d.]+ \[.*\] of [\d.]+ bits" if one["exact"] else r"at least [\d.]+.* of [\d.]+ bits.*"
        assert row[1].startswith(f"{at_least(one['scores']['protection']['value']):.3g}")
        assert re.fullmatch(of, row[4]), row
        assert "%" in row[5] and "%" in row[6]
    (lowest,) = several.get("job.json", "headline", "secret")
    assert lowest == several.get("verdict.json", "deciding")
    assert len(tiles(document, f"Scores of {lowest} (the least protected secret), 0 to 100")) == 3
    assert grid(document, f"The numbers that matter, of {lowest}", "headline")
    assert [row[0] for row in grid(document, "Scores of every secret, 0 to 100", "verdict")] == [
        name for (name,) in SECRETS
    ]


def test_sections_of_one_secret_are_there_for_each(several: Facts) -> None:
    document = compose(several, ENGLISH)
    titles = {section.key: section.title for section in document.sections}
    assert len(titles) == len(document.sections)
    for at, (name,) in enumerate(SECRETS, 1):
        assert titles[f"leakage-{at}"] == f"Leakage before and after: {name}"
    for key in ("usefulness", "frontier", "criteria", "tuning"):
        assert [one for one in titles if one.startswith(key)] == [f"{key}-1", f"{key}-2"]
    for key in ("guarantee", "attacks", "survey", "residual"):
        assert key in titles
    pictures = [block.caption for one in document.sections for block in one.blocks if isinstance(block, Picture)]
    assert len(set(pictures)) == len(pictures)


def test_everything_that_leaves_counts(several: Facts) -> None:
    document = compose(several, ENGLISH)
    learnt = grid(document, "What the attacker learns about the secret", "leakage-2")
    assert [row[0] for row in learnt] == [
        "what is known without the release",
        "with every released column except the secret's own",
        "with everything that is released",
    ]
    withheld = grid(document, "What the attacker learns about the secret", "leakage-3")
    assert len(withheld) == 2
    roles = {row[0]: row[1] for row in grid(document, "What each column reveals about the secret", "leakage-2")}
    assert roles["sex"] == "background" and roles["job"] == "public"
    assert roles["illness"] == "another secret, protected" and roles["income"] == "the secret itself, protected"
    assert grid(document, "The pairs of columns that reveal most", "leakage-2")
    assert "not counted in the bits" not in texts(document)


def enclosed(facts: Facts, low: float, high: float) -> Facts:
    """The facts of a job whose rows were too few to count."""
    exposures = facts.items("audit.json", "exposures")
    told = {"value": high, "unit": "bits", "low": low, "high": high, "confidence": 0.95, "origin": "table"}
    everything = {**exposures[0]["everything"], "information": told, "exact": False}
    secrets = [{**one, "leakage_after": told, "exact": False} for one in facts.items("job.json", "secrets")]
    return changed(
        facts,
        audit={"exposures": [{**one, "everything": everything} for one in exposures]},
        job={"secrets": secrets},
    )


def test_two_secrets_leave_room_to_sign_on_two_pages(several: Facts, chromium: Browser) -> None:
    advised = changed(several, verdict={"recommendation": "release"}, release={"private": True})
    for language in (ENGLISH, CHINESE):
        document = compose(advised, language)
        assert "☐" in texts(replace(document, sections=document.sections[:1]))
        page = chromium.new_page(viewport={"width": 1280, "height": 1000})
        page.set_content(to_html([document]))
        page.add_style_tag(content=".annex { display: none }")
        assert pages(page.pdf(prefer_css_page_size=True)) == 2
        page.close()
        # In PDF the annex begins on a page of its own.
        decision = replace(document, sections=document.sections[:1])
        assert pages(to_pdf([decision])) <= 2


def test_the_lower_end_never_stands_alone(several: Facts) -> None:
    document = compose(enclosed(several, 0.12345, 0.45671), ENGLISH)
    assert grid(document, "Every secret")[0][4].startswith("at least 0.123, at most 0.457 of ")
    lowest = "The numbers that matter, of " + several.get("job.json", "headline", "secret")[0]
    leakage = grid(document, lowest, "headline")[0]
    assert "after: at least 0.123, at most 0.457 bits" in leakage[1]
    assert "A better attacker may learn more" in leakage[2]
    assert "the second cannot be exceeded" in said_in(document, "leakage-1")
    everything = compose(enclosed(several, 0.1, 9.0), ENGLISH)
    assert re.fullmatch(r"at least 0\.1 of [\d.]+ bits, at most all of it", grid(everything, "Every secret")[0][4])
    for found in (document, everything):
        for line in re.findall(r"at least [\d.]+.*", texts(found)):
            # The limit of a score is no bound on bits.
            stands = re.search(r"at most|of local|nats|at least \d+: (met|NOT MET)$", line)
            assert stands, line


def test_the_survey_is_a_section(several: Facts) -> None:
    document = compose(several, ENGLISH)
    rows = {row[0]: row for row in grid(document, "Every column, the most revealing first", "survey")}
    assert set(rows) == {"person", "illness", "income", "debt", "sex", *PUBLIC}
    assert rows["city"][1:5] == ["text", "3", "0", "0"]
    assert "income: at least " in rows["job"][6] and rows["job"][7] == "background: reveals much about income"
    assert rows["person"][7] == "unit: as chosen"
    assert "All public columns together (city, decade, job) form 12 groups." in texts(document)


def test_everybody_may_know_the_groups_of_public_columns_alone(several: Facts) -> None:
    few = {**several.get("survey.json", "published"), "alone": 3, "smallest": 4}
    for language in (ENGLISH, CHINESE):
        document = compose(changed(several, survey={"published": few}), language, Edition.EXTERNAL)
        shown = {one.source: one.value for one in document.numbers() if one.source.startswith("survey.json")}
        assert shown == {
            "survey.json#/published/groups": 12,
            "survey.json#/published/alone": "<10",
            "survey.json#/published/smallest": "<10",
        }
        page = to_html([document]) + to_markdown(document) + text_of(twin([document]))
        for told in (
            "reveals much",
            "no more than chance",
            "exposures",
            "job.json#/secrets",
            "leakage-",
            "verdict.json",
        ):
            assert told not in page, told
        assert not [label for label in ("flu", "cold", "nurse", "clerk", "1970s") if label in page]
    found = set()
    for secret in ("illness", "income"):
        other = changed(several, verdict={"deciding": secret})
        found.add(to_markdown(compose(other, ENGLISH, Edition.EXTERNAL)))
    assert len(found) == 1


@pytest.mark.parametrize("edition", Edition)
def test_no_epsilon_of_a_whole_release_that_is_not_protected(several: Facts, edition: Edition) -> None:
    said = to_markdown(compose(several, ENGLISH, edition))
    assert "The whole release" not in said and ", all columns together" not in said
    assert "Seeing the release changes" not in said
    told = "ε covers the protected columns only; released without protection: city, decade, job."
    # Once, beside the levels, which follow from private counts here.
    assert said.count(told) == (edition is Edition.INTERNAL)


def test_a_guarantee_is_of_the_unit_that_the_record_names(several: Facts) -> None:
    said = compose(several, ENGLISH)
    lowest = "The numbers that matter, of " + several.get("job.json", "headline", "secret")[0]
    assert grid(said, lowest, "headline")[1][0] == "Guarantee for one row, all protected columns together"
    assert "A person with several rows is protected less" in said_in(said, "limitations")
    plan = {**several.get("release.json", "plan"), "unit": "person", "rows_per_unit": 3}
    found = changed(several, release={"plan": plan, "unit_of_protection": "the rows of one value of 'person'"})
    for edition in Edition:
        # What was declared is not masked.
        context = dict(grid(compose(found, ENGLISH, edition), "Context", "context"))
        assert context["unit of protection"] == "one person with at most 3 rows"
    document = compose(found, ENGLISH)
    guaranteed = "Guarantee for one person with at most 3 rows, all protected columns together"
    assert grid(document, lowest, "headline")[1][0] == guaranteed
    assert "A person with several rows" not in texts(document)
    assert "are for one person with at most 3 rows; the levels of a single column are" in said_in(document, "guarantee")


def test_a_file_of_one_secret_that_was_changed_or_is_missing_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(folder / "job", tmp_path / "job"))
    place = copied / "leakage-income.json"
    kept = place.read_bytes()
    place.write_bytes(kept + b" ")
    with pytest.raises(VerificationError, match=r"leakage-income\.json was changed after the job wrote it"):
        Facts.read(copied)
    place.unlink()
    with pytest.raises(VerificationError, match=r"leakage-income\.json, which the job wrote, is missing"):
        Facts.read(copied)


def test_any_file_of_one_secret_may_be_absent(several: Facts) -> None:
    for name in [one for one in several.files if "-i" in one or "-d" in one]:
        rest = {file: fields for file, fields in several.files.items() if file != name}
        document = compose(Facts(rest, several.diagram), CHINESE)
        assert not [one.source for one in document.numbers() if one.source.startswith(name)]


def test_nothing_released_says_what_is_possible(folder: Path) -> None:
    refused = Facts.read(folder / "refused")
    for language in (ENGLISH, CHINESE):
        for edition in Edition:
            document = compose(refused, language, edition)
            assert "survey" not in {one.key for one in document.sections} or edition is Edition.INTERNAL
    assert "Any trade-off on the curve of least leakage below can be achieved." in said_in(
        compose(refused, ENGLISH), "statement"
    )


def test_one_secret_is_told_by_the_names_of_files_of_a_single_one(several: Facts) -> None:
    tell = several.teller()
    assert tell.results == SecretResults()
    illness, income, debt = tell.each
    assert income.number(income.results.measurement, "entropy").source == "measurement-income.json#/entropy"
    planned = (planned_columns(income), planned_columns(debt))
    assert (protected_columns(illness), *planned) == (("illness",), ["income"], [])
    assert is_withheld(debt) and not is_withheld(income)


def test_an_accusation_is_in_doubt_where_no_secret_has_a_veto_for_it(several: Facts) -> None:
    doubted = changed(several, audit={"violations": ["record linkage beats the claim"], "violated": True})
    assert "does not meet its guarantee: record linkage beats the claim" in warnings(compose(doubted, ENGLISH))
    said = warnings(compose(changed(doubted, verdict={"vetoes": ["record linkage beats the claim"]}), ENGLISH))
    assert "does not meet the guarantee that it claims: record linkage beats the claim" in said
    assert "Veto: record linkage beats the claim." in said
