"""Texts in pictures are broken, shortened and kept apart."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leakgauge.languages import ENGLISH, Language
from leakgauge.telling.figures.chart import apart, clauses, joined, lines_of, listed, named, shortened, width_of

TEXTS = st.text(st.sampled_from("abWi 隐私，（）-:=_/1"), min_size=1, max_size=60)


@given(TEXTS, st.floats(30, 300))
def test_lines_hold_the_whole_text_and_fit(text: str, width: float) -> None:
    lines = lines_of(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    # Signs that close stay with the letter before them.
    assert all(width_of(line) <= max(width, 60) + 12 * text.count("，") + 12 * text.count("）") for line in lines)


def test_names_are_broken_at_signs_and_chinese_between_letters() -> None:
    assert lines_of("mean squared error", 90) == ["mean squared", "error"]
    assert lines_of("randomized-response:epsilon=0.05", 150) == ["randomized-response:", "epsilon=0.05"]
    assert lines_of("隐私保护算法效果", 60) == ["隐私保护算", "法效果"]
    assert lines_of("直方图 (列)", 50) == ["直方图", "(列)"]


@given(TEXTS, st.floats(40, 300))
def test_a_shortened_text_keeps_its_ends(text: str, width: float) -> None:
    short = shortened(text, width)
    assert width_of(short) <= width
    if short != text:
        start, end = short.split("…")
        assert text.startswith(start) and text.endswith(end) and len(end) >= len(start)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=12))
def test_places_are_apart_in_order_and_where_they_were_if_they_may(wanted: list[float]) -> None:
    places = apart(wanted, 20, 0, 300)
    in_order = [places[at] for at in sorted(range(len(wanted)), key=lambda at: wanted[at])]
    assert all(two - one >= 20 - 1e-9 for one, two in itertools.pairwise(in_order))
    assert min(in_order) >= -1e-9 and max(in_order) <= 300 + 1e-9
    assert apart(places, 20 - 1e-6, 0, 300) == pytest.approx(places, abs=1e-3)


def test_sentences_are_joined_as_each_language_does() -> None:
    chinese = Language("zh")
    assert joined(ENGLISH, "One.", "", "Two.") == "One. Two." and joined(chinese, "一。", "二。") == "一。二。"
    assert named(ENGLISH, "a", "b") == "a: b" and named(chinese, "a", "b") == "a：b"
    assert listed(ENGLISH, "a", "b") == "a, b" and clauses(chinese, "a", "b") == "a；b"
