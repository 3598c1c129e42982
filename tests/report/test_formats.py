"""A report as a page, as Markdown, as data and as PDF: the same in all of them, and nothing runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from markupsafe import escape
from msgspec.structs import replace

from leakgauge.artefacts import codec
from leakgauge.artefacts.codec import digest_of
from leakgauge.artefacts.report import Picture
from leakgauge.errors import InternalError, OptionError
from leakgauge.languages import Language
from leakgauge.report import Report
from leakgauge.report.document import printed, twin
from leakgauge.report.html import style_hash, to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.telling.blocks import Edition, inlines, text_of
from tests.report.conftest import HOSTILE
from tests.report.facts import Facts, compose
from tests.report.reading import CHINESE, ENGLISH, Texts, texts


@pytest.mark.parametrize("languages", [("zh",), ("en", "zh")], ids=["zh", "both"])
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
    # Each is drawn again for narrow screens.
    assert page.count("<svg") == 2 * pictures * len(languages) and pictures >= 6


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
    named = re.findall(r'<span class="number" title="([^"]*)"', page)
    assert named == [str(escape(one.source)) for one in printed(document).numbers()]
    assert "audit.json#/attacks/0/success" in named


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
    assert rows and all(len(re.findall(r"(?<!\\)\|", row)) in (4, 5, 6, 9) for row in rows)


def test_two_documents_must_have_the_same_sections(facts: Facts) -> None:
    with pytest.raises(InternalError):
        to_html([compose(facts, ENGLISH), compose(facts, CHINESE, Edition.EXTERNAL)])
    with pytest.raises(InternalError):
        to_html([])


def test_markdown_says_the_same(facts: Facts) -> None:
    document = compose(facts, CHINESE)
    told = to_markdown(document)
    shown = printed(document)
    assert [line[4:] for line in told.splitlines() if line.startswith("### ")] == [
        section.title for section in shown.sections[1:]
    ]
    plain = re.sub(r"\\(.)", r"\1", told)
    for section in shown.sections:
        for block in section.blocks:
            for inline in inlines(block):
                assert text_of(inline, document.language).strip() in plain
            if isinstance(block, Picture):
                assert block.told in plain


def test_the_twin_has_every_number(facts: Facts) -> None:
    documents = [compose(facts, language) for language in (ENGLISH, CHINESE)]
    fields = json.loads(codec.text_of(twin(documents)))
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
    assert 'class="two internal"' in page and "Decision" in page
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
    response = lg.mechanisms.randomized_response(1.0, letters=counts.labels("illness"))
    release = lg.ReleasePlan({"illness": response}, public=["job"]).apply(table, to=tmp_path / "out.csv")
    findings = lg.audit.attack(release, table, background=["job"])
    report = Report(release, findings)
    document = report.documents()[0]
    assert all(number.value == Facts(report.dossier).resolve(number.source) for number in document.numbers())
    assert "ecommend" not in texts(document) and "scores" not in texts(document)
    assert "audit.json#/attacks/0/success" in {number.source for number in document.numbers()}
    report.to_html(tmp_path / "report.html", language="both")
    assert (tmp_path / "report.html").stat().st_size > 20_000
    beaten = replace(findings[0], beats_claim=True)
    assert str(beaten.broken_claim) == "attribute inference, best guess on illness beats the claim"
    audited = Report(release, [beaten]).dossier.audit
    assert audited is not None
    assert audited.violated and audited.violations == (beaten.broken_claim,)
    alone = Report(release).documents("zh", Edition.EXTERNAL)[0]
    assert "attacks" not in {section.key for section in alone.sections}
