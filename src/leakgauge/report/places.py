"""The report on places by themselves: a survey, a comparison, a design or a track, without a release."""

from __future__ import annotations

from pathlib import PurePath

from leakgauge.artefacts.dossier import Dossier
from leakgauge.languages import Language
from leakgauge.report.document import Document, retold
from leakgauge.report.sections import SECTIONS
from leakgauge.telling.blocks import Edition, Section, blocks_of
from leakgauge.telling.shown import Shown
from leakgauge.telling.titles import title
from leakgauge.telling.voice import Voice
from leakgauge.visible import in_a_sentence

KEYS = ("places-comparison", "places-track", "places-survey", "places", "places-maps")


def document_on(dossier: Dossier, language: Language) -> Document:
    """The document on results about places; for those who may see the table."""
    voice = Voice(Shown(dossier), language)
    found = voice.dossier
    results = (found.location_survey, found.location_comparison, found.location_design, found.location_track)
    table = next((one.table for one in results if one is not None), "")
    sections = []
    for key in KEYS:
        blocks = blocks_of(SECTIONS[key](voice))
        if blocks:
            sections.append(Section(key, title(voice, key), blocks))
    name = language.say("Places of {table}", table=PurePath(table).name or "–")
    return retold(Document(name, language, Edition.INTERNAL, tuple(sections)), in_a_sentence)
