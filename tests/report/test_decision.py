"""A first-time reader's test: the first screen says it all, two pages are the decision, and the annex is folded."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from playwright.sync_api import Browser, Page

from leakgauge.artefacts import Request
from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.dossier import Dossier
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Code, Grid, Paragraph, Picture
from leakgauge.artefacts.risks import Certain, Risk, RiskKind
from leakgauge.artefacts.scores import AttackerName
from leakgauge.jobs.protect import protect
from leakgauge.jobs.samples import adult_csv
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Edition, text_of
from leakgauge.telling.risks import risk_in_people
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH, changed, numbers_in, texts
from tests.report.test_pdf import pages
from tests.report.test_verdict import with_action

FIRST_SCREEN = {1280: 1000, 400: 1600}
"""How far down the first screen goes, by its width, in pixels."""
_ABOVE_THE_SCORES = ".decision p, .decision li, .decision pre"
_ANNEX_HIDDEN = ".annex { display: none }"


@pytest.fixture(scope="module")
def written(facts: Facts) -> dict[str, str]:
    """The page of a release that had better not be made, by its language: drawn once, because drawing takes long."""
    found = changed(facts, verdict={**with_action(facts, 77.0), "recommendation": "do not release"})
    return {language.code: to_html([compose(found, language)]) for language in (ENGLISH, CHINESE)}


def opened(chromium: Browser, written: str, width: int = 1280) -> Page:
    page = chromium.new_page(viewport={"width": width, "height": 1000})
    page.set_content(written)
    return page


def printed(page: Page) -> int:
    return pages(page.pdf(prefer_css_page_size=True))


@pytest.mark.parametrize("width", FIRST_SCREEN)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_first_screen_says_what_why_for_how_many_and_what_to_do(
    chromium: Browser, written: dict[str, str], code: str, width: int
) -> None:
    page = opened(chromium, written[code], width)
    # A picture wider than the screen is drawn again for it.
    assert page.locator("figure .narrow").first.is_visible() == (width < 640)
    # What nobody checked comes before the scores.
    last = page.locator(".decision .note + ul").first.evaluate("one => one.getBoundingClientRect().bottom")
    assert last < FIRST_SCREEN[width]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A table of many columns says that it can be pushed sideways.
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.locator(".annex .wide").first.is_visible() == (width < 640)
    if code == "en":
        said = " ".join(page.locator(_ABOVE_THE_SCORES).all_inner_texts())
        for text in (
            "Recommendation: do not release.",
            "protection is",
            "can be guessed with at least 90% certainty; before the release: nobody's.",
            "of 500 people",
            "Whether there is a legal basis for the release.",
            "Next step: take out town",
            "--max-distortion 0.3",
        ):
            assert text in said, text
    page.close()


def test_the_decision_is_two_printed_pages_and_the_rest_few(chromium: Browser, written: dict[str, str]) -> None:
    for code in written:
        page = opened(chromium, written[code])
        assert 5 < printed(page) < 14
        page.add_style_tag(content=_ANNEX_HIDDEN)
        assert printed(page) == 2
        page.close()


@pytest.mark.nightly
def test_the_decision_on_the_sample_is_two_printed_pages(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_text(adult_csv(), encoding="utf-8")
    known = ("occupation",)
    asked = Request.of(
        str(tmp_path / "adult.csv"), secret=("marital_status",), background=known, public=known, min_protection=60.0
    )
    protect(asked, tmp_path / "out")
    sample = Facts.read(tmp_path / "out")
    for language in (ENGLISH, CHINESE):
        page = opened(chromium, to_html([compose(sample, language)]))
        page.add_style_tag(content=_ANNEX_HIDDEN)
        assert printed(page) == 2
        page.close()


def test_numbers_of_a_tile_are_as_large_as_its_words(chromium: Browser, written: dict[str, str]) -> None:
    page = opened(chromium, written["en"])
    sizes = page.eval_on_selector_all(
        ".glance strong, .glance strong .number", "all => all.map((one) => getComputedStyle(one).fontSize)"
    )
    page.close()
    assert len(sizes) > 12 and len({*sizes}) == 1


def test_a_link_unfolds_what_it_leads_to_and_a_number_names_its_source(
    chromium: Browser, written: dict[str, str]
) -> None:
    page = opened(chromium, written["en"])
    assert not page.locator("#attacks").is_visible()
    page.get_by_role("link", name="Attacks", exact=True).click()
    page.locator("#attacks").wait_for(state="visible")
    source = page.locator(".decision .number").first.get_attribute("title")
    assert source is not None and source.partition("#")[0].endswith(".json")
    page.close()


def test_a_pdf_has_the_decision_on_two_pages(facts: Facts) -> None:
    for language in (ENGLISH, CHINESE):
        whole = compose(facts, language)
        assert pages(to_pdf([replace(whole, sections=whole.sections[:1])])) == 2


def test_what_nobody_declared_is_to_be_filled_in(facts: Facts, refused: Facts) -> None:
    for found in (facts, refused):
        document = compose(found, ENGLISH)
        grid = next(
            one for one in document.sections[0].blocks if isinstance(one, Grid) and one.caption == "The document"
        )
        rows = {text_of(name, ENGLISH): text_of(said, ENGLISH) for name, said in grid.rows}
        assert rows["recipient"].startswith("to be filled in: ____")
        assert rows["date"] == str(found.get("job.json", "finished"))[:10]
        for edition in Edition:
            assert "not declared" not in texts(compose(found, ENGLISH, edition))
    asked = {**facts.get("job.json", "asked"), "recipient": "a school", "prepared_by": "A. Person"}
    for edition in Edition:
        said = texts(compose(changed(facts, job={"asked": asked}), ENGLISH, edition))
        assert "a school" in said and ("A. Person" in said) is (edition is Edition.INTERNAL)
    assert "to be filled in" not in texts(compose(facts, ENGLISH, Edition.EXTERNAL))


def test_whoever_signs_has_room_to_decide(facts: Facts) -> None:
    assert facts.get("verdict.json", "recommendation") == "do not release"
    advised = changed(facts, verdict={"recommendation": "release"})
    blocks = compose(advised, ENGLISH).sections[0].blocks
    assert isinstance(blocks[-1], Grid) and blocks[-1].rows == (((), (), (), ()),) * 2
    said = [text_of(one.parts, ENGLISH) for one in blocks if isinstance(one, Paragraph)]
    assert "Decision:  ☐ approve   ☐ approve with conditions   ☐ reject" in said
    outside = compose(advised, ENGLISH, Edition.EXTERNAL)
    assert "approve" not in texts(outside)


def test_what_is_advised_against_is_stamped_and_offers_no_signature(facts: Facts, refused: Facts) -> None:
    for found in (facts, refused):
        inside = compose(found, ENGLISH)
        assert inside.stamp == "NOT APPROVED" and "☐ approve" not in texts(inside)
        assert to_html([inside]).count("NOT APPROVED</p>") == 1
        assert to_markdown(inside).count("> **NOT APPROVED**") == len(inside.sections)
    assert not compose(changed(facts, verdict={"recommendation": "release"}), ENGLISH).stamp
    # Everybody is told that a release is refused; what it is advised by follows from counts.
    assert not compose(facts, ENGLISH, Edition.EXTERNAL).stamp
    broken = changed(facts, job={"outcome": {"released": True, "reason": "The release is vetoed: it leaks."}})
    outside = compose(broken, ENGLISH, Edition.EXTERNAL)
    assert outside.stamp and "This release is not approved: do not use it" in texts(outside)
    assert "it leaks" not in texts(outside)


@pytest.mark.parametrize(
    ("risk", "said"),
    [
        ({}, "The illness of 1 person, 2% of those with “cancer”, can be guessed"),
        ({"people": 3.0}, "The illness of 3 people, 6% of those with “cancer”, can be guessed"),
        ({"people": 3.0, "before": 1.0}, "certainty; before the release: 1."),
        ({"people": 0.0, "met": False}, "Whoever knows job of a person finds the row of 7 of 500 people"),
        ({"people": 0.0}, "An attacker guesses the illness of 210 of 500 people correctly"),
    ],
)
def test_the_weightiest_risk_is_one_sentence_in_people(facts: Facts, risk: dict[str, Any], said: str) -> None:
    given = {"people": 1.0, "before": 0.0, "met": True, **risk}

    def people(number: float) -> Quantity:
        return Quantity(number, "people")

    kinds = {
        RiskKind.SINGLING_OUT: (0.0, 0.0, True),
        RiskKind.LINKING: (1.0, 7.0, given["met"]),
        RiskKind.INFERRING: (150.0, 210.0, True),
    }
    certain = Certain("cancer", people(given["people"]), people(50.0), people(given["before"]), ("illness",))
    found = tuple(
        Risk(
            kind=kind,
            before=people(before),
            after=people(after),
            of=people(500.0),
            attacker=AttackerName.KNOWS_THE_ROW,
            limit=0.05,
            met=met,
            links=("job",),
            secret=("another",) if kind is RiskKind.INFERRING and certain.people.value else ("illness",),
            certain=certain if kind is RiskKind.INFERRING else None,
        )
        for kind, (before, after, met) in kinds.items()
    )
    judged = facts.dossier.verdict
    assert judged is not None
    voice = Voice(Shown(Dossier(verdict=structs.replace(judged, risks=found))))
    assert voice.dossier.verdict is not None
    (sentence,) = risk_in_people(voice, voice.dossier.verdict)
    assert isinstance(sentence, tuple) and said in text_of(sentence, ENGLISH)


def test_a_document_is_filed_under_its_record(facts: Facts) -> None:
    inside, outside = (compose(facts, ENGLISH, edition) for edition in Edition)
    for document, file in ((inside, "release.json"), (outside, "release.public.json")):
        digest = facts.get(file, "digest")
        assert document.reference == f"LG-{digest[:4]}-{digest[4:8]}".upper()
        assert document.reference in texts(document)


def command(facts: Facts) -> str:
    """Of the next step; others are of options."""
    block = next(one for one in compose(facts, ENGLISH).sections[0].blocks if isinstance(one, Code))
    return block.text


def test_the_first_action_has_its_command(facts: Facts) -> None:
    typed = with_action(facts, 77.0)
    # Words that somebody has to write go to the same folder, where the same release is judged again.
    job = shlex.split(facts.get("job.json", "command"))
    assert shlex.split(command(changed(facts, verdict=typed))) == [*job[:-2], "--max-distortion", "0.3", *job[-2:]]
    asked = {**facts.get("job.json", "asked"), "max_distortion": 0.3}
    typed["actions"][0]["asked"] = asked
    said = shlex.split(command(changed(facts, verdict=typed)))
    assert said[-2:] == ["-o", f"{job[-1]}-2"] and said[said.index("--max-distortion") + 1] == "0.3"
    released = compose(changed(facts, verdict={**typed, "recommendation": "release"}), ENGLISH)
    assert "Next step: give release.csv, release.public.json, report-external.html, kit to the recipient;" in texts(
        released
    )


def test_the_decision_says_once_how_many_people_it_is_about(facts: Facts) -> None:
    people, everybody = facts.get("verdict.json", "facts", "guessed")
    more = Sentence(
        "because of this release an attacker guesses {people:,} more of {everybody:,} people correctly",
        people=people,
        everybody=everybody,
    )
    certain = facts.get("verdict.json", "facts", "certain")
    nearly = Sentence(
        "the value of {people:,} of the {holders:,} people with {value!r} can be guessed with at least 90% certainty; "
        "before the release: {before:,}",
        value=certain["value"],
        **{name: round(certain[name]["value"]) for name in ("people", "holders", "before")},
    )
    for reasons in ([], [encode(more), encode(nearly)]):
        document = compose(changed(facts, verdict={"reasons": reasons}), ENGLISH)
        decision = replace(document, sections=document.sections[:1])
        assert texts(decision).count("90% certainty") == 1 and "more of" not in texts(decision)


def test_both_languages_show_the_same_numbers_in_pictures(facts: Facts) -> None:
    told = [
        "\n".join(
            block.told
            for section in compose(facts, language).sections
            for block in section.blocks
            if isinstance(block, Picture)
        )
        for language in (ENGLISH, CHINESE)
    ]
    assert numbers_in(told[0]) == numbers_in(told[1])
