"""The report on places by themselves: a survey, a comparison, a design or a track, without a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from leakgauge.artefacts.codec import encode
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import Language
from leakgauge.report.document import Document, Edition, Section, retold
from leakgauge.report.sections import SECTIONS
from leakgauge.report.sections.teller import Teller
from leakgauge.visible import in_a_sentence

if TYPE_CHECKING:
    import msgspec

KEYS = ("places-comparison", "places-track", "places-survey", "places", "places-maps")


def document_on(artefacts: Mapping[str, msgspec.Struct], language: Language) -> Document:
    """The document on location artefacts, by the names of their files; for those who may see the table."""
    tell = Teller({name: encode(one) for name, one in artefacts.items()}, language=language, edition=Edition.INTERNAL)
    table = next((str(one.get("table") or "") for one in tell.files.values()), "")
    sections = []
    for key in KEYS:
        blocks = tuple(Paragraph("plain", one) if isinstance(one, tuple) else one for one in SECTIONS[key](tell))
        if blocks:
            sections.append(Section(key, tell.title(key), blocks))
    title = language.say("Places of {table}", table=PurePath(table).name or "–")
    return retold(Document(title, language, Edition.INTERNAL, tuple(sections)), in_a_sentence)
