"""Public columns: which levels were chosen and what they lose, and what they tell of the secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from leakgauge.artefacts.survey import Coarsened, TellingColumn
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


def coarsening(voice: Voice) -> Iterator[Content]:
    """The least coarsening that was found, where one was asked for; everybody may know what was asked alone."""
    found = voice.dossier.coarsening
    if found is None:
        return
    yield voice.say(
        message(
            "The public columns were made coarser, as little as possible, until every group of rows that agree in all "
            "of them has at least {k} rows; at most {share} of the rows could be suppressed for that."
        )
        if found.unit is None
        else message(
            "The public columns were made coarser, as little as possible, until every group of rows that agree in all "
            "of them has rows of at least {k} persons; at most {share} of the rows could be suppressed for that."
        ),
        k=voice.number(found, "k"),
        share=voice.number(found, "max_suppressed", percent=True),
    )
    if not voice.external:
        nodes = [node for node in (found.chosen, found.runner_up) if node is not None]
        yield from voice.grid("Chosen levels and runner-up", "Column|Chosen|Runner-up", _rows(voice, nodes))
        yield voice.note(
            "Of {nodes} combinations of levels, no allowed one loses less. The loss is in bits per row, "
            "added up over the columns: what the original value would reveal beyond the released one.",
            nodes=voice.number(found, "nodes"),
        )
    yield voice.note(
        "Groups of this size are not differential privacy: someone who knows more about a person than the "
        "public columns say may still recognise their row, and the choice of levels follows from the table."
    )


def _rows(voice: Voice, nodes: Sequence[Coarsened]) -> Iterator[tuple[Cell, ...]]:
    say = voice.language.say
    for name in nodes[0].levels:
        how = (node.levels[name] for node in nodes)
        yield own(name), *(say("unchanged") if one is None else own(one) for one in how)
    yield say("lost, in bits per row"), *(voice.number(node.loss, "value") for node in nodes)
    for field, called in (("suppressed", say("rows suppressed")), ("groups", say("groups"))):
        yield called, *(voice.number(node, field) for node in nodes)
