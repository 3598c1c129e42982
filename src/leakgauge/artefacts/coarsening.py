"""The least coarsening of public columns: the chosen levels, what they lose, and the runner-up."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity


class Coarsened(Part, frozen=True):
    """A level for every public column.

    Attributes:
        levels: the bins or level of each column by its name; None of one that stays as it is.
        loss: what is lost of the original columns, added up over them, suppressed rows included.
        suppressed: rows whose values are left out, because their groups would be too small.
        groups: of rows that agree in all columns, without those that are suppressed.
    """

    levels: dict[str, str | None]
    loss: Quantity
    suppressed: int
    groups: int


class CoarseningFound(Artefact, frozen=True, tag="leakgauge/coarsening/1"):
    """The levels of public columns that lose least and put every row in a group of k.

    Attributes:
        k: the rows, or persons, that every group has at least.
        max_suppressed: the share of rows that may be suppressed.
        runner_up: the levels that lose least of all others; None where no others are allowed.
        nodes: combinations of levels there are.
        counted: those whose groups were counted; the others were ruled out by them.
    """

    k: Annotated[int, Origin.DECLARED]
    max_suppressed: Annotated[float, Origin.DECLARED]
    unit: Annotated[str | None, Origin.DECLARED]
    rows: Annotated[int, Origin.PUBLIC]
    chosen: Coarsened
    runner_up: Coarsened | None
    nodes: int
    counted: int
