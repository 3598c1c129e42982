"""Which levels of the public columns were chosen, and what they lose."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.sections.teller import Cell, Teller, own

_FILE = "coarsening.json"
_NODES = ("chosen", "runner_up")


def coarsening(tell: Teller) -> Iterator[Content]:
    """The least coarsening that was found, where one was asked for; everybody may know what was asked alone."""
    if not tell.has(_FILE):
        return
    yield tell.say(
        message(
            "The public columns were made coarser, as little as possible, until every group of rows that agree in all "
            "of them has at least {k} rows; at most {share} of the rows could be suppressed for that."
        )
        if not tell.has(_FILE, "unit")
        else message(
            "The public columns were made coarser, as little as possible, until every group of rows that agree in all "
            "of them has rows of at least {k} persons; at most {share} of the rows could be suppressed for that."
        ),
        k=tell.number(_FILE, "k"),
        share=tell.number(_FILE, "max_suppressed", percent=True),
    )
    if tell.has(_FILE, "chosen"):
        yield from tell.grid("Chosen levels and runner-up", "Column|Chosen|Runner-up", _rows(tell))
        yield tell.note(
            "Of {nodes} combinations of levels, no allowed one loses less. The loss is counted in bits per row, added "
            "up over the columns: what the original value would reveal beyond the released one.",
            nodes=tell.number(_FILE, "nodes"),
        )
    yield tell.note(
        "Groups of this size are not differential privacy: someone who knows more about a person than the public "
        "columns say may still recognise their row, and which levels were chosen follows from the table."
    )


def _rows(tell: Teller) -> Iterator[Iterator[Cell]]:
    say, nodes = tell.language.say, [node for node in _NODES if tell.has(_FILE, node)]
    levels = {node: tell.get(_FILE, node, "levels") for node in nodes}
    for name in levels["chosen"]:
        how = (levels[node][name] for node in nodes)
        yield iter((own(name), *(say("unchanged") if one is None else own(one) for one in how)))
    yield iter((say("lost, in bits per row"), *(tell.number(_FILE, node, "loss", "value") for node in nodes)))
    for field, called in (("suppressed", say("rows suppressed")), ("groups", say("groups"))):
        yield iter((called, *(tell.number(_FILE, node, field) for node in nodes)))
