"""Everything that verdicts and searches store is known in Chinese."""

from __future__ import annotations

from leakgauge.artefacts import codec
from leakgauge.languages import Language
from leakgauge.sentences import Sentence
from tests.artefacts.test_verdicts import searched, verdict

CHINESE = Language("zh")


def templates(artefact: object) -> set[str]:
    """Of every sentence in an artefact, and of those in their fields."""
    found: set[str] = set()

    def note(held: object) -> None:
        if isinstance(held, tuple):
            for one in held:
                note(one)
        if isinstance(held, Sentence):
            found.add(held.template)
            note(tuple(held.fields.values()))

    codec.encode(artefact, lambda one: note(one))
    return found - {""}


def test_what_is_stored_is_known_in_chinese() -> None:
    said = templates(verdict("illness")) | templates(verdict("age")) | templates(searched())
    assert len(said) > 40
    assert {one for one in said if one not in CHINESE.catalogue} == set()
