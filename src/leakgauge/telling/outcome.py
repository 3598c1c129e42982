"""How a job ended, in a word and in the numbers that jobs are compared by."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.dials import DIALS
from leakgauge.artefacts.job import Headline
from leakgauge.telling.bits import bits
from leakgauge.telling.blocks import Content
from leakgauge.telling.dials import dial
from leakgauge.telling.figures.dials import NAMES
from leakgauge.telling.voice import NOTHING, Cell, Voice


def in_short(voice: Voice, found: Headline) -> Iterator[Content]:
    """The scores of the secret that decides, and its leakage, guarantee and unchanged values."""
    after = found.leakage_after
    rows: list[tuple[Cell, Cell]] = [(voice.say(NAMES[name]), dial(voice, found.dials, name)) for name in DIALS]
    rows += [
        (voice.say("leakage after the release"), NOTHING if after is None else bits(voice, after, exact=found.exact)),
        (voice.say("local ε"), voice.cell(found, "epsilon")),
        (voice.say("values published unchanged"), voice.cell(found, "unchanged")),
    ]
    yield from voice.grid("The release in numbers", "What|How much", rows)
