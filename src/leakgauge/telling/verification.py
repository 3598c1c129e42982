"""A record that was computed again: each check, and what all of them show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from leakgauge.artefacts.record import Check
from leakgauge.release import Verification
from leakgauge.telling.blocks import Content
from leakgauge.telling.voice import NOTHING, Cell, Voice, own


def verification(voice: Voice, verified: Verification, record: str, signature: Path | None = None) -> Iterator[Content]:
    """The checks of a record by the name of its file, and what they show where they hold, or who signed it for them."""
    yield from voice.grid(
        "{record}, computed again", "Check|Result|Why", outcomes(voice, verified.checks), record=own(record)
    )
    if is_simulation(verified):
        yield voice.alarm("SIMULATION, NOT PRIVATE: the noise follows from a seed.")
    if signature is not None:
        yield voice.say("Signature: {signature}", signature=own(str(signature)))
    elif verified.holds:
        yield (voice.told(verified.shows),)


def is_simulation(verified: Verification) -> bool:
    """Whether the record is of a simulation, which protects nobody."""
    return verified.record is not None and not verified.record.private


def outcomes(voice: Voice, checks: Iterable[Check]) -> Iterator[tuple[Cell, ...]]:
    """Of each check its name, its outcome, and why."""
    say = voice.language.say
    words = {True: say("holds"), False: say("FAILS"), None: say("not checked")}
    for one in checks:
        # A reason may name the place of a file, which everybody may not know: its column is left out.
        why = () if voice.external else (voice.told(one.reason) if str(one.reason) else NOTHING,)
        yield voice.told(one.name), words[one.holds], *why
