"""What a paper printed beside what we compute: the shape every reproduction has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One published number beside ours.

    Attributes:
        where: place in the paper.
        what: the quantity.
        published: what the paper prints.
        ours: what we compute.
        unit: its unit.
        tolerance: half a unit of the last printed digit.
        note: what to know about a difference.
        slip: whether the paper is known to be wrong here, so that ours must differ.
    """

    where: str
    what: str
    published: float
    ours: float
    unit: str
    tolerance: float
    note: str = ""
    slip: bool = False

    @property
    def agrees(self) -> bool:
        """Whether ours rounds to what is printed; for a slip, whether it does not."""
        return (abs(self.ours - self.published) <= self.tolerance * (1 + 1e-9)) is not self.slip

    @property
    def verdict(self) -> str:
        """The comparison in a word."""
        return ("slip" if self.slip else "agrees") if self.agrees else "DIFFERS"


@dataclass(frozen=True)
class Grid:
    """A published matrix or table beside ours.

    Attributes:
        what: its name and place in the paper.
        rows: their labels.
        columns: likewise.
        published: what the paper prints.
        ours: what we compute.
        tolerance: half a unit of the last printed digit.
        slips: rows and columns, by label, of the cells where the paper is known to be wrong, so that ours must differ.
    """

    what: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    published: tuple[tuple[float, ...], ...]
    ours: tuple[tuple[float, ...], ...]
    tolerance: float
    slips: tuple[tuple[str, str], ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every cell as a line."""
        return tuple(
            Line(
                self.what,
                f"({row}, {column})",
                self.published[at][place],
                self.ours[at][place],
                "",
                self.tolerance,
                slip=(row, column) in self.slips,
            )
            for at, row in enumerate(self.rows)
            for place, column in enumerate(self.columns)
        )

    @property
    def agrees(self) -> bool:
        """Whether every cell agrees."""
        return all(line.agrees for line in self.lines)


@dataclass(frozen=True)
class Curve:
    """A curve that a paper draws without printing its numbers, as we compute it.

    Attributes:
        what: the figure, and which curve of it.
        axes: what the numbers of a point are, with their unit.
        points: in the order of the curve.
    """

    what: str
    axes: tuple[str, ...]
    points: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Reproduction:
    """A paper's numbers, its orders, its slips, and its matrices and curves where it has some."""

    name: str
    source: str
    lines: tuple[Line, ...]
    orders: tuple[tuple[str, bool], ...]
    errata: tuple[str, ...]
    grids: tuple[Grid, ...] = ()
    curves: tuple[Curve, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether every number and every order holds."""
        numbers = all(line.agrees for line in self.lines) and all(grid.agrees for grid in self.grids)
        return numbers and all(holds for _, holds in self.orders)
