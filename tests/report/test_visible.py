"""Names that would turn or hide the text around them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from leakgauge.artefacts.codec import text_of
from leakgauge.report.document import Document, twin
from leakgauge.report.html import to_html
from leakgauge.report.markdown import to_markdown
from leakgauge.report.pdf import to_pdf
from leakgauge.telling.blocks import Edition
from leakgauge.telling.figures.chart import Figure
from leakgauge.telling.pictures import figure_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.voice import Voice
from leakgauge.visible import apart, visible
from tests.report.facts import Facts, compose
from tests.report.reading import ENGLISH, Texts, texts

TURNING = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
NAME = f"ill\u202eness{chr(7)}\u2066"
SHOWN = "ill\\u202eness\\x07\\u2066"
ARABIC = "\u0645\u0631\u0636"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def renamed(facts: Facts, name: str) -> Facts:
    """The facts of a table whose secret is called so."""

    def walk(data: Any) -> Any:
        if isinstance(data, str):
            return re.sub(r"\billness\b", lambda _: name, data)
        if isinstance(data, dict):
            return {walk(key): walk(value) for key, value in data.items()}
        return [walk(one) for one in data] if isinstance(data, list) else data

    return Facts(walk(dict(facts.files)), facts.diagram)


@pytest.fixture(scope="module")
def turned(facts: Facts) -> Document:
    return compose(renamed(facts, NAME), ENGLISH)


def test_what_nobody_sees_is_written_out(turned: Document, facts: Facts) -> None:
    page, told = to_html([turned]), to_markdown(turned)
    for said in (page, told, text_of(twin([turned]))):
        assert not UNSEEN.search(said)
    assert SHOWN in page and SHOWN in texts(turned)
    # Markdown writes a backslash as two.
    assert SHOWN.replace("\\", "\\\\") in told
    # Pictures write it out too, and so does what they tell.
    figure = figure_of(Voice(Shown(renamed(facts, NAME).dossier)), "telling")
    assert figure is not None and SHOWN in figure.to_svg()


def test_a_line_in_a_name_ends_nothing(facts: Facts) -> None:
    document = compose(renamed(facts, "a\nb\tc"), ENGLISH, Edition.EXTERNAL)
    assert "a\\x0ab\\x09c" in texts(document)
    assert not [text for text in Texts(to_html([document])).found if "a\nb" in text]


def test_a_name_from_the_right_stands_apart(facts: Facts) -> None:
    document = compose(renamed(facts, ARABIC), ENGLISH, Edition.EXTERNAL)
    page = to_html([document])
    assert f"the column <bdi>{ARABIC}</bdi> was released" in page
    assert "\u2068" not in page and page.count("<bdi>") == page.count("</bdi>") >= 3
    assert f"the column \u2068{ARABIC}\u2069 was released" in to_markdown(document)
    assert to_pdf([document]).startswith(b"%PDF")


def test_every_sign_that_turns_is_escaped() -> None:
    for sign in TURNING:
        assert visible({f"a{sign}": [f"b{sign}", 1]}) == {f"a\\u{ord(sign):04x}": [f"b\\u{ord(sign):04x}", 1]}
        assert apart(f"a{sign}") == f"a\\u{ord(sign):04x}"
    assert visible("one\ntwo\tthree") == "one\ntwo\tthree"
    figure = Figure({"data": {"values": [{"name": "a\u202eb"}]}}, "told \u202eb")
    assert figure.spec["data"]["values"] == [{"name": "a\\u202eb"}] and figure.told == "told \\u202eb"
