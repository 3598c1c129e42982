"""What a paper printed beside what we compute: the shape every reproduction has."""

from __future__ import annotations

from msgspec.structs import force_setattr

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity
from leakgauge.sentences import Sentence


class Line(Part, frozen=True):
    """One published number beside ours.

    Attributes:
        tolerance: half a unit of the last printed digit.
        slip: whether the paper is known to be wrong here, so that ours must differ.
        agrees: whether ours rounds to what is printed; for a slip, whether it does not.
    """

    where: Sentence
    what: Sentence
    published: float
    ours: Quantity
    tolerance: float | None = None
    note: Sentence | None = None
    slip: bool = False
    agrees: bool = False

    def __post_init__(self) -> None:
        if self.tolerance is not None:
            rounds = _rounds(self.ours.value, self.published, self.tolerance)
            force_setattr(self, "agrees", rounds is not self.slip)

    @property
    def verdict(self) -> str:
        """The comparison in a word."""
        return _verdict(self.agrees, self.slip)


class Cell(Part, frozen=True):
    """A cell of a matrix, by the labels of its row and column."""

    row: str
    column: str


class PrintedTable(Part, frozen=True):
    """A published matrix or table beside ours.

    Attributes:
        slips: the cells where the paper is known to be wrong, so that ours must differ.
    """

    what: Sentence
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    published: tuple[tuple[float, ...], ...]
    ours: tuple[tuple[float, ...], ...]
    tolerance: float | None = None
    slips: tuple[Cell, ...] = ()
    agrees: bool = False

    def __post_init__(self) -> None:
        if self.tolerance is not None:
            verdicts = {verdict for row in self.verdicts() for verdict in row}
            force_setattr(self, "agrees", "DIFFERS" not in verdicts)

    def verdicts(self) -> tuple[tuple[str, ...], ...]:
        """The comparison of every cell in a word."""
        found = []
        for label, published, ours in zip(self.rows, self.published, self.ours, strict=True):
            slips = [Cell(label, column) in self.slips for column in self.columns]
            rounds = [_rounds(*pair, self.tolerance or 0.0) for pair in zip(ours, published, strict=True)]
            found.append(tuple(_verdict(one is not slip, slip) for one, slip in zip(rounds, slips, strict=True)))
        return tuple(found)


class DrawnCurve(Part, frozen=True):
    """A curve that a paper draws without printing its numbers, as we compute it.

    Attributes:
        axes: what the numbers of a point are, with their unit.
        figure: the number of the paper's figure; 0 in files of earlier versions.
        label: which curve of that figure it is, where it has several.
    """

    what: Sentence
    axes: tuple[str, ...]
    points: tuple[tuple[float, ...], ...]
    figure: int = 0
    label: Sentence | None = None


class Order(Part, frozen=True):
    """What a paper says without a number of its own, and whether it holds."""

    order: Sentence
    holds: bool


class Reproduction(Part, frozen=True):
    """A paper's numbers, its orders, its slips, and its matrices and curves where it has some."""

    name: str
    source: Sentence
    lines: tuple[Line, ...]
    orders: tuple[Order, ...]
    errata: tuple[Sentence, ...]
    grids: tuple[PrintedTable, ...] = ()
    curves: tuple[DrawnCurve, ...] = ()
    agrees: bool = False
    """Whether every number and every order holds."""

    def __post_init__(self) -> None:
        numbers = all(line.agrees for line in self.lines) and all(grid.agrees for grid in self.grids)
        force_setattr(self, "agrees", numbers and all(order.holds for order in self.orders))


class Reproductions(Artefact, frozen=True, tag="leakgauge/reproduction/1"):
    """Several papers."""

    agrees: bool
    reproductions: tuple[Reproduction, ...]


def computed(value: float, unit: str) -> Quantity:
    """A number of ours beside a published one, with its unit."""
    return Quantity(value, unit, origin=Origin.PUBLIC)


def _rounds(ours: float, published: float, tolerance: float) -> bool:
    return abs(ours - published) <= tolerance * (1 + 1e-9)


def _verdict(agrees: bool, slip: bool) -> str:
    return ("slip" if slip else "agrees") if agrees else "DIFFERS"
