"""What recipients should know of a release: what it is for, what it does not say, how exact it is, and whom to ask."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Final

from leakgauge.artefacts.estimates import Estimable, ReadAs
from leakgauge.artefacts.report import Points
from leakgauge.rounding import at_most
from leakgauge.telling.blocks import Content, Inline
from leakgauge.telling.columns import asked_of, protected_columns
from leakgauge.telling.voice import Voice, own

_HALF: Final = 100 * NormalDist().inv_cdf(0.975) / 2
"""Points within which 95 of 100 estimates of a share lie that is estimated from one row: at most, whatever it is."""


def for_recipients(voice: Voice) -> Iterator[Content]:
    """The page for whoever receives the rows, from what everybody may know."""
    if voice.dossier.record is None and voice.dossier.public_record is None:
        return
    yield voice.say("For recipients:")
    yield Points(numbered=False, items=tuple(_advice(voice)))


def _advice(voice: Voice) -> Iterator[Inline]:
    secret = voice.listed(protected_columns(voice))
    found = voice.dossier.recipients
    columns = () if found is None else found.columns
    readable = [one for one in columns if one.read_as is not None]
    if readable:
        names = voice.listed(name for one in readable for name in one.columns)
        yield voice.say("Use it for statistics of many rows, such as the shares of {columns}.", columns=names)
    yield voice.say(
        "A row is not a fact about a person: the values of {secret} were changed at random. Decide nothing about "
        "anybody by it, and do not try to find out whose row is whose.",
        secret=secret,
    )
    for one in columns:
        yield _exactness(voice, one)
    yield voice.say("How each column is read, with scripts that do it, is in the recipient's kit.")
    asked = asked_of(voice)
    if asked is not None and asked.terms:
        yield voice.say("Terms: {terms}", terms=own(asked.terms))
    if asked is not None and asked.contact:
        yield voice.say("Questions: {contact}", contact=own(asked.contact))


def _exactness(voice: Voice, one: Estimable) -> Inline:
    """Within how many points a share is known, by the rows that the release is worth at least."""
    names = voice.listed(one.columns)
    if one.read_as is None:
        return voice.say("Compute nothing from {columns}: it cannot be corrected for the noise.", columns=names)
    # What a share is worth on average is no bound on the error of each.
    worth = one.least_rows
    if one.read_as is not ReadAs.COUNTED or worth is None or worth.value < 1:
        return voice.say("Estimates of {columns} come with their error from the scripts.", columns=names)
    points = own(f"{at_most(min(_HALF / worth.value**0.5, 100.0), 2):g}")
    return voice.say(
        "A share of {columns} is known to within {points} points, 95 times in 100; within a group less exactly.",
        columns=names,
        points=points,
    )
