"""What a report says of a real job: every number has its source, in both languages the same, nothing missing."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from leakgauge.errors import FileError, InternalError, OptionError, VerificationError
from leakgauge.languages import Language
from leakgauge.release.record import digest_of
from leakgauge.report import Report
from leakgauge.report.composing import compose
from leakgauge.report.document import Document, Edition, Number, Paragraph, Picture, inlines
from leakgauge.report.facts import SCHEMAS, Facts
from leakgauge.report.html import style_hash, to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.sections.titles import TITLES
from leakgauge.report.twin import report_json
from leakgauge.report.writing import text_of
from tests.report.conftest import HOSTILE, ILLNESSES

ENGLISH, CHINESE = Language("en"), Language("zh")


class Texts(HTMLParser):
    """The texts of a page outside its style, its code and its pictures' marks."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._skipped = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skipped += tag in ("style", "code")

    def handle_endtag(self, tag: str) -> None:
        self._skipped -= tag in ("style", "code")

    def handle_data(self, data: str) -> None:
        if not self._skipped and data.strip():
            self.found.append(data)


def texts(document: Document) -> str:
    """Everything a document says outside its pictures and code."""
    said = [document.title]
    for section in document.sections:
        said.append(section.title)
        for block in section.blocks:
            said += [text_of(inline, document.language) for inline in inlines(block)]
    return "\n".join(said)


def warnings(document: Document, key: str = "statement") -> str:
    return "\n".join(
        text_of(block.parts, document.language)
        for section in document.sections
        if section.key == key
        for block in section.blocks
        if isinstance(block, Paragraph) and block.tone == "warning"
    )


def numbers_in(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]\d+)?", text))


def test_every_section_is_there_in_its_order(facts: Facts) -> None:
    keys = [section.key for section in compose(facts, ENGLISH).sections]
    assert keys == [key for key in TITLES if key != "left-out"]
    keys = [section.key for section in compose(facts, ENGLISH, Edition.EXTERNAL).sections]
    assert keys == [key for key in TITLES if key != "frontier"]


@pytest.mark.parametrize("language", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_every_number_is_what_its_source_says(facts: Facts, language: Language) -> None:
    numbers = list(compose(facts, language).numbers())
    assert len(numbers) > 200
    for number in numbers:
        assert number.value == facts.resolve(number.source), number.source
        assert number.source.partition("#")[0] in facts.files


def test_both_languages_show_the_same_numbers(facts: Facts) -> None:
    for edition in Edition:
        english, chinese = (compose(facts, language, edition) for language in (ENGLISH, CHINESE))
        assert numbers_in(texts(english)) == numbers_in(texts(chinese))
        assert sorted(one.source for one in english.numbers()) == sorted(one.source for one in chinese.numbers())


def test_no_english_is_left_in_the_chinese_report(facts: Facts, refused: Facts) -> None:
    own = {"people", "csv", "illness", "job", "town", "script", "alert", *ILLNESSES}
    names = {
        "SHA",
        "NIST",
        "ISO",
        "IEC",
        "GB",
        "SP",
        "Python",
        "Sibson",
        "nyi",
        "Miller",
        "Madow",
        "Cram",
        "ML",
        "max_epsilon",
    }
    plain = {"study", "CPU"}
    versions = {"leakgauge", "python", "numpy", "scipy", "duckdb", "pyarrow", "opendp"}
    for found in (facts, refused):
        said = texts(compose(found, CHINESE))
        # Names of files and digests are the same in every language.
        said = re.sub(r"[\w.-]+\.(?:json|csv|toml|html|parquet)|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:+]+", "", said)
        words = set(re.findall(r"[A-Za-z_]{2,}", said)) - own - names - plain - versions
        assert not {word for word in words if len(word) > 2}, words


def test_the_first_screen_has_the_grade_the_numbers_and_what_is_wrong(facts: Facts) -> None:
    document = compose(facts, ENGLISH)
    first = document.sections[0]
    sources = {
        part.source
        for block in first.blocks
        for inline in inlines(block)
        for part in inline
        if isinstance(part, Number)
    }
    at = max(
        (at for at, one in enumerate(facts.items("audit.json", "attacks")) if one["judged"]),
        key=lambda at: facts.get("audit.json", "attacks", at, "advantage", "value"),
    )
    assert {
        "assessment.json#/score",
        "measurement.json#/entropy",
        "measurement.json#/background_floor",
        "leakage.json#/leakage_with_background",
        "release.json#/claims/illness/levels/local_dp",
        f"audit.json#/attacks/{at}/advantage",
        "utility.json#/columns/illness/unchanged",
    } <= sources
    assert "The policy is not kept: ε, at most 1 nats; found: " in warnings(document)
    assert "not kept: leakage" not in warnings(document)
    assert "2027-11-16" in texts(document) and "a study of illness" in texts(document)


def changed(facts: Facts, **files: dict[str, object]) -> Facts:
    """The facts with some fields of artefacts replaced; ``audit={"violations": […]}``."""
    merged = {f"{name}.json": {**facts.files[f"{name}.json"], **fields} for name, fields in files.items()}
    return Facts({**facts.files, **merged}, facts.diagram)


def test_what_is_wrong_is_loud(facts: Facts) -> None:
    reason = "the release tells nearly everything: it keeps 0.95 of the information"
    violation = "record linkage on illness beats the claim"
    wrong = changed(
        facts,
        assessment={"vetoes": [{"reason": reason, "cap": "poor"}], "grade_uncapped": "good"},
        audit={"violations": [violation], "violated": True},
        release={"private": False},
    )
    said = warnings(compose(wrong, ENGLISH))
    assert reason in said and violation in said and "simulation" in said
    told = warnings(compose(wrong, CHINESE))
    assert "否决" in told and "模拟" in told and reason not in told and violation not in told
    assert violation in warnings(compose(wrong, ENGLISH), "attacks")
    assert reason in warnings(compose(wrong, ENGLISH), "grade")


def test_nothing_released_still_says_what_is_possible(refused: Facts) -> None:
    assert refused.get("job.json", "outcome", "released") is False
    document = compose(refused, ENGLISH)
    assert "Nothing was released of people.csv." in warnings(document)
    assert "impossible" in warnings(document)
    keys = {section.key for section in document.sections}
    assert {"frontier", "leakage", "residual"} <= keys
    assert not keys & {"guarantee", "attacks", "grade", "assumptions"}
    assert "What is possible" in texts(document)
    to_html([document, compose(refused, CHINESE)])
    external = compose(refused, ENGLISH, Edition.EXTERNAL)
    assert "frontier" not in {section.key for section in external.sections}
    floor = str(refused.get("measurement.json", "background_floor", "value"))[:8]
    assert floor not in to_html([external])


def test_any_artefact_may_be_absent(facts: Facts) -> None:
    whole = compose(facts, ENGLISH)
    for name in SCHEMAS:
        if name not in facts.files:
            continue
        rest = Facts({file: fields for file, fields in facts.files.items() if file != name}, facts.diagram)
        document = compose(rest, CHINESE)
        assert document.sections[0].key == "statement"
        assert not [one.source for one in document.numbers() if one.source.startswith(name)]
        # A channel is a picture, and its numbers are all in it.
        assert len(list(document.numbers())) < len(list(whole.numbers())) or name == "channel.json"
        compose(rest, ENGLISH, Edition.EXTERNAL)


def test_a_folder_that_is_none_is_one_sentence(job: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"^\S+ is no folder; name the folder of a finished job\.$"):
        Facts.read(tmp_path / "nowhere")
    with pytest.raises(FileError, match=r"neither a job\.json nor a release\.json"):
        Facts.read(tmp_path)
    (tmp_path / "job.json").write_text("{", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be read as JSON"):
        Facts.read(tmp_path)
    (tmp_path / "job.json").write_text('{"schema": "leakgauge/job/2"}', encoding="utf-8")
    with pytest.raises(FileError, match="leakgauge/job/2"):
        Facts.read(tmp_path)
    record = json.loads((job / "release.json").read_text(encoding="utf-8"))
    (tmp_path / "job.json").write_bytes((job / "job.json").read_bytes())
    (tmp_path / "release.json").write_text(json.dumps({**record, "rows": 5}), encoding="utf-8")
    with pytest.raises(VerificationError, match="was changed"):
        Facts.read(tmp_path)


def test_a_number_that_is_not_there_is_one_sentence(facts: Facts) -> None:
    with pytest.raises(FileError, match=r"no number at audit\.json#/attacks/0/attack; make it again"):
        facts.number("audit.json", "attacks", 0, "attack")
    with pytest.raises(FileError, match="no number at"):
        facts.number("audit.json", "violated")
    with pytest.raises(FileError, match="no number at"):
        facts.position("assessment.json", "no such node")


@pytest.mark.parametrize(
    ("file", "fields"),
    [
        ("assessment", {"leaves": [1]}),
        ("assessment", {"vetoes": [{}]}),
        ("audit", {"attacks": [{"attack": "x"}]}),
        ("frontier", {"points": [{}]}),
        ("comparison", {"ranking": [[]]}),
        ("assessment", {"score": "high"}),
    ],
)
def test_an_artefact_of_another_shape_is_one_sentence(facts: Facts, file: str, fields: dict[str, object]) -> None:
    broken = changed(facts, **{file: fields})
    with pytest.raises(FileError, match=r"lacks fields or has others in their place|has no number at"):
        compose(broken, ENGLISH)


def test_pointers_reach_strange_names() -> None:
    facts = Facts({"utility.json": {"columns": {"a/b~c": {"unchanged": {"value": 0.5, "unit": "share"}}}}})
    number = facts.number("utility.json", "columns", "a/b~c", "unchanged")
    assert number.source == "utility.json#/columns/a~1b~0c/unchanged"
    assert facts.resolve(number.source) == 0.5


@pytest.mark.parametrize("languages", [("en",), ("zh",), ("en", "zh")], ids=["en", "zh", "both"])
def test_the_page_needs_nothing_and_runs_nothing(facts: Facts, languages: tuple[str, ...]) -> None:
    page = to_html([compose(facts, Language(code)) for code in languages])
    for forbidden in ("http", "src=", "style=", "<script", "javascript:", "@import", "url(//", "<link", "onload"):
        assert forbidden not in page, forbidden
    assert page.count("<style>") == 1
    assert page.startswith("<!DOCTYPE html>\n")
    assert f'<html lang="{"en" if languages[0] == "en" else "zh-Hans"}">' in page
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]*)', page))
    assert used <= set(ids)
    pictures = sum(isinstance(block, Picture) for one in compose(facts, ENGLISH).sections for block in one.blocks)
    assert page.count("<svg") == pictures * len(languages) and pictures >= 6


def test_the_style_is_the_one_its_hash_says(facts: Facts) -> None:
    import base64
    import hashlib

    page = to_html([compose(facts, ENGLISH, Edition.EXTERNAL)])
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    assert style_hash() == "sha256-" + base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()


def test_every_number_on_the_page_names_its_source(facts: Facts) -> None:
    document = compose(facts, ENGLISH)
    page = to_html([document])
    assert page.count('<span class="number"') == len(list(document.numbers()))
    assert 'data-source="audit.json#/attacks/0/success"' in page


def test_hostile_names_are_text(facts: Facts) -> None:
    document = compose(facts, ENGLISH)
    page = to_html([document])
    assert HOSTILE in texts(document)
    assert "&lt;script&gt;alert(&#34;x&#34;)" in page
    assert any(HOSTILE in text for text in Texts(page).found)
    told = re.sub(r"^```.*?^```", "", to_markdown(document), flags=re.DOTALL | re.MULTILINE)
    assert "\\<script\\>" in told and re.search(r"(?<!\\)<script", told) is None
    rows = [line for line in told.splitlines() if "alert" in line and line.startswith("| ")]
    # The bar in the name is no border of a cell.
    assert rows and all(len(re.findall(r"(?<!\\)\|", row)) in (4, 6, 9) for row in rows)


def test_two_documents_must_have_the_same_sections(facts: Facts) -> None:
    with pytest.raises(InternalError):
        to_html([compose(facts, ENGLISH), compose(facts, CHINESE, Edition.EXTERNAL)])
    with pytest.raises(InternalError):
        to_html([])


def test_markdown_says_the_same(facts: Facts) -> None:
    document = compose(facts, CHINESE)
    told = to_markdown(document)
    assert [line[3:] for line in told.splitlines() if line.startswith("## ")] == [
        one.title for one in document.sections
    ]
    plain = re.sub(r"\\(.)", r"\1", told)
    for section in document.sections:
        for block in section.blocks:
            for inline in inlines(block):
                assert text_of(inline, document.language).strip() in plain
            if isinstance(block, Picture):
                assert block.figure.told in plain


def test_the_twin_has_every_number(facts: Facts) -> None:
    documents = [compose(facts, language) for language in (ENGLISH, CHINESE)]
    fields = json.loads(json.dumps(report_json(documents), allow_nan=False))
    assert fields["schema"] == "leakgauge/report/1"
    assert fields["digest"] == digest_of(fields)
    found: list[dict[str, object]] = []

    def gather(value: object) -> None:
        if isinstance(value, dict):
            if "source" in value and "written" in value:
                found.append(value)
            for name, one in value.items():
                if name != "spec":
                    gather(one)
        elif isinstance(value, list):
            for one in value:
                gather(one)

    gather(fields["documents"][0])
    assert [(one["source"], one["value"]) for one in found] == [
        (one.source, one.value) for one in documents[0].numbers()
    ]
    assert all(facts.resolve(str(one["source"])) == one["value"] for one in found)


def test_a_report_of_a_folder_writes_every_format(job: Path, tmp_path: Path) -> None:
    report = Report.of(job)
    report.to_html(tmp_path / "report.html", language="both")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'class="two"' in page and "声明" in page and "Statement" in page
    report.to_markdown(tmp_path / "report.md", language="zh", edition=Edition.EXTERNAL)
    assert "# 隐私报告" in (tmp_path / "report.md").read_text(encoding="utf-8")
    report.to_json(tmp_path / "report.json")
    fields = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [one["language"] for one in fields["documents"]] == ["en"]
    report.to_pdf(tmp_path / "report.pdf", edition=Edition.EXTERNAL)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(OptionError, match="no language"):
        report.to_html(tmp_path / "other.html", language="fr")
    assert not (tmp_path / "other.html").exists()


def test_a_report_of_objects_in_memory(people: Path, tmp_path: Path) -> None:
    import leakgauge as lg

    table = lg.open_table(people)
    counts = table.counts("illness")
    response = lg.mechanisms.randomized_response(counts.labels("illness"), epsilon=1.0)
    release = lg.ReleasePlan({"illness": response}, public=["job"]).apply(table, to=tmp_path / "out.csv")
    findings = lg.audit.attack(release, table, background=["job"])
    graded = lg.assessment.grade(release, findings, table)
    report = Report(release, findings, graded)
    document = report.documents()[0]
    assert all(number.value == report.facts.resolve(number.source) for number in document.numbers())
    assert f"graded {graded.grade.value};" in texts(document)
    assert "audit.json#/attacks/0/success" in {number.source for number in document.numbers()}
    report.to_html(tmp_path / "report.html", language="both")
    assert (tmp_path / "report.html").stat().st_size > 20_000
    alone = Report(release).documents("zh", Edition.EXTERNAL)[0]
    assert "attacks" not in {section.key for section in alone.sections}
