"""Every text of the source has a translation that says the same with the same fields."""

from __future__ import annotations

import re
import string
from functools import cache

import pytest

from leakgauge.languages import DOMAINS
from tests.languages import catalogues

CHINESE = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"[A-Z0-9_./=:()\[\]{}<>$`%-]")


def _texts(domain: str) -> dict[str, str]:
    return {str(one.id): str(one.string or "") for one in catalogues.read(domain) if one.id}


@cache
def _said() -> dict[str, dict[str, None]]:
    return catalogues.extracted()


def _fields(text: str) -> set[tuple[str, str, bool]]:
    """Name, format and whether it is quoted; a translation may mark more words as staying as they are, with ``!s``."""
    parts = string.Formatter().parse(text)
    return {(name, spec or "", conversion == "r") for _, name, spec, conversion in parts if name is not None}


def _has_words(text: str) -> bool:
    """Whether anything but fields, symbols, names and code is said."""
    without = "".join(f"{literal} " for literal, _, _, _ in string.Formatter().parse(text))
    return any(re.search("[a-z]{3}", word) and not CODE.search(word) for word in without.split())


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_is_left_untranslated(domain: str) -> None:
    texts = _texts(domain)
    assert texts
    assert [text for text, translation in texts.items() if not translation] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_translation_has_the_fields_of_its_text(domain: str) -> None:
    different = []
    for text, translation in _texts(domain).items():
        try:
            alike = not translation or _fields(text) == _fields(translation)
        except ValueError:
            # Braces that are no fields, as in a script: they are nowhere filled.
            alike = "{" in text
        if not alike:
            different.append((text, translation))
    assert different == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_translation_is_chinese_wherever_words_are_said(domain: str) -> None:
    english = [
        (text, translation)
        for text, translation in _texts(domain).items()
        if translation and _has_words(text) and not CHINESE.search(translation)
    ]
    assert english == []


@pytest.mark.parametrize("domain", [one for one in DOMAINS if one != "sentences"])
def test_a_catalogue_has_exactly_what_the_source_says(domain: str) -> None:
    assert set(_texts(domain)) == set(_said()[domain])


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_is_shipped_is_what_the_catalogue_compiles_to(domain: str) -> None:
    shipped = (catalogues.FOLDER / f"{domain}.mo").read_bytes()
    assert catalogues.compiled(catalogues.read(domain)) == shipped


def test_a_text_has_one_translation_in_all_catalogues() -> None:
    # The catalogues are read as one, the later over the earlier.
    told: dict[str, set[str]] = {}
    for domain in DOMAINS:
        for text, translation in _texts(domain).items():
            told.setdefault(text, set()).add(translation)
    assert {text: several for text, several in told.items() if len(several) > 1} == {}


def test_an_error_ends_as_its_english_does() -> None:
    ends = {".": "。", "?": "？"}
    wrong = [
        translation
        for text, translation in _texts("errors").items()
        if text[-1] in ends and not translation.endswith(ends[text[-1]])
    ]
    assert wrong == []


def test_the_domains_of_the_tool_are_those_of_the_room() -> None:
    assert catalogues.DOMAINS == DOMAINS
