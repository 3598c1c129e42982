"""Bits of a secret that are revealed: counted, or bounded, and then never the lower bound alone."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR

from leakgauge.artefacts.exposure import Bracket, Exposure
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Paragraph
from leakgauge.languages import message
from leakgauge.rounding import is_all
from leakgauge.telling.blocks import Inline, Number
from leakgauge.telling.columns import protected_columns
from leakgauge.telling.voice import Voice


def bits(voice: Voice, found: Quantity, *, exact: bool, all_of_it: Number | None = None, of: bool = False) -> Inline:
    """The bits of a quantity.

    Args:
        exact: whether they were counted.
        all_of_it: all the bits there are to be told.
        of: whether to say of how many.
    """
    if exact:
        # Of how many says the unit.
        counted = voice.number(found, "value", interval=found, unit="" if of else "bits")
        return voice.say("{bits} of {all}", bits=counted, all=all_of_it) if of else (counted,)
    whole = None if all_of_it is None else all_of_it.value
    everything = isinstance(whole, float) and found.high is not None and is_all(found.high, whole)
    # Neither end looks closer to the truth than it is.
    low = voice.number(found, "low", unit="bits" if everything and not of else "", rounding=ROUND_FLOOR)
    if everything:
        template = message("at least {low}, at most all of it")
        if of:
            template = message("at least {low} of {all}, at most all of it")
        return voice.say(template, low=low, all=all_of_it)
    template = message("at least {low}, at most {high} of {all}") if of else message("at least {low}, at most {high}")
    high = voice.number(found, "high", unit="" if of else "bits", rounding=ROUND_CEILING)
    return voice.say(template, low=low, high=high, all=all_of_it)


def exposure(voice: Voice) -> Exposure | None:
    """What everything that is released or known tells of the secret; None where the audit does not say."""
    found = () if voice.dossier.audit is None or voice.external else voice.dossier.audit.exposures
    return next((one for one in found if one.secret == protected_columns(voice)), None)


def bits_of(voice: Voice, found: Exposure, bracket: Bracket, *, of: bool = False) -> Inline:
    """The bits of a bracket of an exposure."""
    entropy = voice.number(found.entropy, "value", unit="bits")
    return bits(voice, bracket.information, exact=bracket.exact, all_of_it=entropy, of=of)


def better_attacker(voice: Voice) -> Paragraph[Number]:
    """What lower ends do not say."""
    return voice.note(
        "Where two figures are given, the table is too small to count every combination: an attack has "
        "reached the first; the second cannot be exceeded."
    )
