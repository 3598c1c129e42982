"""PDF: every kind of block in both languages, nothing of the data taken for source, and plain refusals."""

from __future__ import annotations

import re
import sys

import pytest

from leakgauge.artefacts.report import Code, Grid, Paragraph, Picture, Points
from leakgauge.errors import EngineError, OptionError
from leakgauge.languages import Language
from leakgauge.probability import Channel
from leakgauge.report import pdf
from leakgauge.report.document import Document
from leakgauge.telling.blocks import Block, Edition, Number, Section
from leakgauge.telling.figures.channel import channel_figure

LEAKAGE = Number(0.0764, "bits", "measurement.json#/background_floor", 0.0711, 0.0820)
SOURCE = '#panic("ran") #include "/etc/passwd" *x* $y$ @nobody <label> \\ ] // "'
"""Typst source; as text it is harmless."""


def document(*blocks: Block, code: str = "en", title: str = "Report", edition: Edition = Edition.INTERNAL) -> Document:
    return Document(title, Language(code), edition, (Section("first", title, blocks),))


def pages(made: bytes) -> int:
    """How many pages the tree of pages counts."""
    counts = re.findall(rb"/Type\s*/Pages\b[^>]*?/Count\s+(\d+)|/Count\s+(\d+)[^>]*?/Type\s*/Pages\b", made)
    return max(int(left or right) for left, right in counts)


def every_block(text: str) -> list[Block]:
    picture = channel_figure(Channel([text, "b"], [text, "b"], [[0.75, 0.25], [0.25, 0.75]]))
    return [
        *(Paragraph(tone, (text, LEAKAGE)) for tone in ("plain", "good", "warning", "note")),
        Points(True, ((text,), (text, LEAKAGE))),
        Points(False, ((text,),)),
        Grid(text, (text, "b"), (((text,), (LEAKAGE,)), ((), (LEAKAGE, text)))),
        Grid("", (), (((text,),),)),
        Grid("", ("empty",), ()),
        Picture(text, picture.told, picture.spec),
        Code(f"leakgauge measure\n{text}"),
    ]


@pytest.mark.parametrize(("code", "text"), [("en", "plain words"), ("zh", "隐私泄露与背景知识")])
def test_every_block_is_set_without_a_warning(code: str, text: str) -> None:
    made = pdf.to_pdf([document(*every_block(text), code=code, title=text)])
    assert made.startswith(b"%PDF-") and made.rstrip().endswith(b"%%EOF")
    assert pages(made) == 1


def test_what_a_table_says_is_never_source() -> None:
    # Run, it would stop at the panic, at the file or at the bracket, or turn many pages.
    made = pdf.to_pdf([document(*every_block(SOURCE), *every_block("#pagebreak()"), title=SOURCE)])
    assert pages(made) <= 3


def test_a_long_table_goes_over_pages_and_languages_follow_each_other() -> None:
    rows = tuple(((f"row {at}",), (LEAKAGE,), ("ab12cd34" * 8,)) for at in range(200))
    long = Grid("long", ("row", "leakage", "digest"), rows)
    one = pages(pdf.to_pdf([document(long)]))
    assert one > 2
    short = document(Paragraph("plain", ("短",)), code="zh", edition=Edition.EXTERNAL)
    assert pages(pdf.to_pdf([document(long), short])) == one + 1


def test_the_same_documents_give_the_same_bytes() -> None:
    first, second = (pdf.to_pdf([document(*every_block("same"))]) for _ in range(2))
    assert first == second and b"CreationDate" not in first


def test_long_words_may_break_and_lose_no_letter() -> None:
    digest = "ab12cd34" * 8
    assert pdf._breakable(f"sha256 {digest}.").replace("\u200b", "") == f"sha256 {digest}."
    assert "\u200b" in pdf._breakable(digest)
    assert (
        pdf._breakable("short words 隐私泄露与背景知识隐私泄露与背景知识")
        == "short words 隐私泄露与背景知识隐私泄露与背景知识"
    )


def test_columns_have_room_for_their_words_and_share_the_rest_by_what_they_want() -> None:
    assert pdf._widths([["a", "b"], ["some words", "1"]], 2) == [0, 0]
    short, long = pdf._widths([["No.", "From"], ["1", "many words " * 30]], 2)
    assert short == 4 and long > 80
    chinese, words = pdf._widths([["隐私泄露" * 20, "privacy leakage " * 10]], 2)
    assert 4 < chinese < words * 1.5 and chinese + words == pytest.approx(116)
    many = pdf._widths([["x" * 20] * 9], 9)
    assert many == [21] * 9
    assert pdf._widths([["97.83%", "words " * 50]], 2)[0] == 7, "a short number stays with its unit"


def test_without_the_extra_one_sentence_says_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(OptionError, match=r"pip install 'leakgauge\[pdf\]'"):
        pdf.to_pdf([document(Paragraph("plain", ("x",)))])


def test_without_a_document_or_a_chinese_font_it_refuses() -> None:
    with pytest.raises(OptionError, match="no document"):
        pdf.to_pdf([])
    with pytest.raises(EngineError, match="Noto Sans CJK SC"):
        pdf._fonts({"Libertinus Serif", "DejaVu Sans Mono"}, Language("zh"))
    # A Chinese document is in a Chinese font as a whole, an English one only where it names something Chinese.
    bare = {"Libertinus Serif", "DejaVu Sans Mono", "SimSun"}
    mono = ["DejaVu Sans Mono", "SimSun"]
    assert pdf._fonts(bare, Language("zh")) == {"fonts": ["SimSun", "Libertinus Serif"], "mono": mono}
    assert pdf._fonts(bare, Language("en")) == {"fonts": ["Libertinus Serif", "SimSun"], "mono": mono}
