"""What public columns tell of the secrets, and how little they could tell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leakgauge.artefacts.survey import TellingColumn
from leakgauge.languages import message
from leakgauge.telling.blocks import Content
from leakgauge.telling.columns import asked_of, less_telling_columns
from leakgauge.telling.voice import NOTHING, Cell, Voice, own

_SHOWN: Final = 12
"""Rows where it is to be short."""


def telling(voice: Voice, *, short: bool = False) -> Iterator[Content]:
    """Every public column with every secret; everybody may know what was asked alone."""
    found, asked = voice.dossier.telling, asked_of(voice)
    for column in less_telling_columns(voice):
        yield voice.say(
            message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets and keeps its shares."
            )
            if found is not None and found.keep == "shares"
            else message(
                "{column} is released through a channel made to change at most {share} of its values on average, so "
                "that it reveals as little as possible about the secrets."
            ),
            column=own(column),
            share=voice.number(asked, "public_distortion", column, percent=True),
        )
        design = voice.dossier.public.get(column)
        if design is not None:
            yield voice.say(
                "It reveals {after} about the secrets instead of {before}; {share} of its values are changed on "
                "average.",
                after=voice.number(design, "leakage"),
                before=voice.number(design, "told_unprotected"),
                share=voice.number(design.distortion, "value", percent=True),
            )
    if voice.external or found is None:
        return
    yield from voice.grid(
        "What each public column reveals",
        "Public column|Secret|Reveals unchanged|Would reveal with some values changed|How",
        (_row(voice, one) for one in found.columns[: _SHOWN if short else None]),
    )
    if short:
        if len(found.columns) > _SHOWN:
            yield voice.note("{count} more are in telling.json.", count=len(found.columns) - _SHOWN)
        return
    yield voice.note(
        "“Reveals unchanged”: bits of the secret that the column alone gives away. “Would reveal”: the least "
        "possible if the stated share of its values is changed; for a column released this way, what its own "
        "channel, designed for all secrets, adds to everything else that is seen."
    )


def _row(voice: Voice, one: TellingColumn) -> Iterator[Cell]:
    yield from (own(one.column), voice.listed(one.secret), voice.cell(one, "tells"))
    if one.least is None:
        yield from (NOTHING, NOTHING if one.left_out is None else voice.told(one.left_out))
        return
    yield voice.number(one.least, "value", unit="bits")
    yield voice.language.say("released this way") if one.through else own(f"--public {one.column}={one.distortion:g}")
