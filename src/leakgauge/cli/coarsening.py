"""How ``leakgauge protect --min-k`` shows the levels it chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from leakgauge.cli.language import say
from leakgauge.cli.output import grid
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts import CoarseningFound


def chosen_levels(found: CoarseningFound) -> Table:
    """The chosen level of every public column and what is lost, beside the runners-up."""
    title = say("The least coarsening with {k} rows in every group", k=found.k)
    if found.unit is not None:
        title = say("The least coarsening with {k} persons in every group", k=found.k)
    nodes = [node for node in (found.chosen, found.runner_up) if node is not None]
    shown = grid("|".join(["", say("chosen"), say("runner-up")][: 1 + len(nodes)]), title)
    for name in found.chosen.levels:
        shown.add_row(name, *(node.levels[name] or say("as it is") for node in nodes))
    shown.add_section()
    shown.add_row(say("lost, in bits per row"), *(f"{node.loss.value:.3g}" for node in nodes))
    suppressed = (f"{node.suppressed:,} ({percent(node.suppressed / found.rows)})" for node in nodes)
    shown.add_row(say("rows suppressed"), *suppressed)
    shown.add_row(say("groups"), *(f"{node.groups:,}" for node in nodes))
    return shown
