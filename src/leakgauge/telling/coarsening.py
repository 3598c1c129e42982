"""Which levels of the public columns were chosen, and what they lose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leakgauge.artefacts.survey import Coarsened
from leakgauge.languages import message
from leakgauge.telling.blocks import Content
from leakgauge.telling.voice import Cell, Voice, own


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
