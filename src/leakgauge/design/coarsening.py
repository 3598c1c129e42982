"""The least coarsening of some columns that puts every row in a group of k: an exact search of the whole lattice.

Every column has steps, from fine to coarse; a node of the lattice takes one step of each. Rows that agree in all
columns are a group. Groups of fewer than k rows are suppressed, all their values left out; where these are fewer than k
rows together, so is a next larger group, so that the suppressed rows hide among k as well.

What is lost is counted in bits per row, summed over the columns: log₂(n(coarse)/n(original)) for a value that is
coarsened, where n counts its rows, and log₂(n/n(original)) for one that is suppressed. Averaged over the rows that is
the entropy of the original column given the coarse one.

References: Samarati, IEEE TKDE 13(6), 2001; El Emam et al., JAMIA 16(5), 2009; Gionis and Tassa, IEEE TKDE 21(2), 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import numpy.typing as npt

from leakgauge.errors import OptionError
from leakgauge.probability.cells import Codes, Floats

MOST_NODES = 1_000_000
"""A lattice with more would take hours."""
_TABULATED = 1 << 22
"""Up to so many possible groups are counted in a table; beyond, those that occur are sorted."""
_HELD = 1 << 24
"""Groups of finer nodes that are kept to count coarser ones from, over all nodes."""
_LARGEST_KEY = 1 << 62
_ROUNDING = 1e-12

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Hiding:
    """The problem: every row in a group of at least ``k`` by the least coarsening.

    Attributes:
        codes: for each column and each combination of finest values that occurs, which value it is.
        rows: the rows of each combination.
        steps: for each column its steps from fine to coarse: the coarser value of every finest one. Values that a step
            merges stay merged in the next.
        entropies: of the original columns, in bits; these may be finer than the first steps.
        max_suppressed: the share of rows that may be suppressed.
        people: for each combination the person; then combinations are of values and persons, and a group has persons.

    Raises:
        OptionError: more nodes than could be searched.
    """

    codes: Codes
    rows: Codes
    steps: tuple[tuple[Codes, ...], ...]
    entropies: tuple[float, ...]
    k: int
    max_suppressed: float
    people: Codes | None = None

    def __post_init__(self) -> None:
        if self.nodes > MOST_NODES:
            raise OptionError(
                "The columns have {nodes} combinations of levels, more than the {most} that can be searched; fix the "
                "level of some, such as --levels job=FILE:2.",
                nodes=self.nodes,
                most=MOST_NODES,
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """How many steps each column has."""
        return tuple(map(len, self.steps))

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return reduce(int.__mul__, self.shape, 1)

    @cached_property
    def n(self) -> int:
        """How many rows there are."""
        return int(self.rows.sum())

    def allows(self, suppressed: int) -> bool:
        """Whether so many rows may be suppressed."""
        # A share such as 0.29 of 100 rows is a little less than 29.
        return suppressed <= self.max_suppressed * self.n * (1 + _ROUNDING)


@dataclass(frozen=True)
class Node:
    """One node: the step of each column, its loss in bits per row, the rows it suppresses, and the groups left."""

    steps: tuple[int, ...]
    loss: float
    suppressed: int
    groups: int


@dataclass(frozen=True)
class Found:
    """The node that loses least, the next, and the coarsest; the first two are None where no node is allowed.

    Those ``counted`` are the nodes whose groups were; all others were ruled out by these.
    """

    best: Node | None
    runner_up: Node | None
    coarsest: Node
    counted: int


def least_coarsening(hiding: Hiding, progress: Progress | None = None) -> Found:
    """The allowed node with the least loss, and the one with the next.

    What is lost without suppression grows with every step, and so is a lower bound of what a node loses: nodes are
    visited in its order, until it reaches the loss of the second best. Rows in small groups become fewer with every
    step: a node that has too many of them rules out all finer ones.

    Example:
        >>> ages = np.array([0, 0, 0, 1, 1, 1])  # [20, 30), and [30, 40)
        >>> finest, decades, all_ages = np.arange(6), ages, np.zeros(6, dtype=np.int64)
        >>> hiding = Hiding(finest[None], np.ones(6, dtype=np.int64), ((finest, decades, all_ages),), (2.585,), 3, 0.0)
        >>> least_coarsening(hiding).best.steps
        (1,)
    """
    return _Search(hiding, progress or (lambda done, of: None)).found()


class _Search:
    """The nodes that are ruled out, those that were counted, and the cells of some of these."""

    def __init__(self, hiding: Hiding, tell: Progress) -> None:
        self.hiding, self.tell = hiding, tell
        columns = list(zip(hiding.codes, hiding.steps, hiding.entropies, strict=True))
        counts = [[np.bincount(step[codes], weights=hiding.rows) for step in steps] for codes, steps, _ in columns]
        # Whole numbers of rows, so that a value that does not occur has a count of exactly 0; no cell refers to it.
        self.further = [[-np.log2(np.maximum(count, 1) / hiding.n) for count in steps] for steps in counts]
        lost = [
            [max(entropy - float(count @ bits) / hiding.n, 0.0) for count, bits in zip(*column, strict=True)]
            for (_, _, entropy), *column in zip(columns, counts, self.further, strict=True)
        ]
        self.lost: Floats = reduce(np.add.outer, map(np.array, lost), np.zeros(()))
        """For each node what it loses without suppression."""
        self.ruled_out = np.zeros(hiding.shape, dtype=bool)
        self.cleared = np.zeros(hiding.shape, dtype=bool)
        """Nodes that are known to have too many rows in small groups, and those known not to."""
        self.counted: dict[tuple[int, ...], Node] = {}
        finest = np.arange(len(hiding.rows)), hiding.rows
        self.cells: dict[tuple[int, ...], tuple[Codes, Codes]] = {(0,) * len(hiding.steps): finest}

    def found(self) -> Found:
        hiding, order = self.hiding, np.argsort(self.lost, axis=None, kind="stable")
        coarsest = self._count(tuple(size - 1 for size in hiding.shape))
        best: list[Node] = []
        if not self.ruled_out.all():
            for done, flat in enumerate(order.tolist()):
                node = tuple(map(int, np.unravel_index(flat, hiding.shape)))
                if len(best) == 2 and self.lost[node] >= best[1].loss:
                    break
                if self._is_ruled_out(node):
                    continue
                one = self._count(node)
                if hiding.allows(one.suppressed):
                    best = sorted([*best, one], key=lambda each: (each.loss, each.suppressed))[:2]
                self.tell(done, len(order))
        first, second = (*best, None, None)[:2]
        return Found(first, second, coarsest, len(self.counted))

    def _is_ruled_out(self, node: tuple[int, ...]) -> bool:
        """Whether a node has too many rows in small groups; asked of ever finer nodes between the coarsest and it."""
        path = [node, *self._coarser(node)]
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            at = path[middle]
            if not self.cleared[at] and not self.ruled_out[at]:
                self._count(at)
            low, high = (middle + 1, high) if self.ruled_out[at] else (low, middle)
        return low > 0

    def _coarser(self, node: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Nodes on the way to the coarsest, each a step further in the column where that loses least."""
        while True:
            ways = [
                (*node[:at], step + 1, *node[at + 1 :])
                for at, (step, size) in enumerate(zip(node, self.hiding.shape, strict=True))
                if step + 1 < size
            ]
            if not ways:
                return
            node = min(ways, key=lambda way: self.lost[way])
            yield node

    def _count(self, node: tuple[int, ...]) -> Node:
        """What a node costs; what follows from it for others is noted."""
        if node in self.counted:
            return self.counted[node]
        hiding = self.hiding
        place, rows, group = self._grouped(node)
        sizes = rows if hiding.people is None else np.bincount(group)
        small = sizes < hiding.k
        few = int(rows[small[group]].sum())
        suppressed, bits, left = few, self._further_lost(node, place, rows, small[group]).sum(), int((~small).sum())
        hidden = few if hiding.people is None else len(np.unique(hiding.people[place[small[group]]]))
        if 0 < hidden < hiding.k and left:
            # Who is suppressed must hide among k too, for which one of the next larger groups is enough. Which of
            # those of one size it is, the order of the rows decides; the one that costs most is counted.
            next_larger = (sizes == sizes[~small].min())[group]
            suppressed += int(np.bincount(group, weights=rows * next_larger).max())
            bits += np.bincount(group[next_larger], weights=self._further_lost(node, place, rows, next_larger)).max()
            left -= 1
        loss = float(self.lost[node]) + float(bits) / hiding.n
        self.counted[node] = one = Node(node, loss, suppressed, left)
        if hiding.allows(few):
            self.cleared[tuple(slice(step, None) for step in node)] = True
        else:
            self.ruled_out[tuple(slice(step + 1) for step in node)] = True
        return one

    def _further_lost(self, node: tuple[int, ...], place: Codes, rows: Codes, of: npt.NDArray[np.bool_]) -> Floats:
        """The bits that some cells of a node lose beyond it when they are suppressed, over all their rows."""
        columns = zip(self.hiding.codes[:, place[of]], self.hiding.steps, self.further, node, strict=True)
        return np.asarray(sum(further[step][steps[step][codes]] for codes, steps, further, step in columns) * rows[of])

    def _grouped(self, node: tuple[int, ...]) -> tuple[Codes, Codes, Codes]:
        """The cells of a node: one of the finest in each, its rows, and the number of its group.

        A cell is a group, or what one person has of it. Counted from the cells of the finer node that has fewest.
        """
        hiding = self.hiding
        finer = (cells for at, cells in self.cells.items() if all(map(int.__le__, at, node)))
        place, rows = min(finer, key=lambda cells: len(cells[0]))
        values = [
            steps[step][codes[place]] for codes, steps, step in zip(hiding.codes, hiding.steps, node, strict=True)
        ]
        letters = [len(further[step]) for further, step in zip(self.further, node, strict=True)]
        if hiding.people is not None:
            values, letters = [*values, hiding.people[place]], [*letters, int(hiding.people.max()) + 1]
        key, size = np.zeros(len(place), dtype=np.int64), 1
        for codes, many in zip(values, letters, strict=True):
            if size * many > _LARGEST_KEY:
                present, key = np.unique(key, return_inverse=True)
                size = len(present)
            key, size = key * many + codes, size * many
        first, summed, keys = _summed(key, size, rows)
        place = place[first]
        if sum(len(one) for one, _ in self.cells.values()) + len(place) <= _HELD:
            self.cells[node] = place, summed
        if hiding.people is None:
            return place, summed, np.arange(len(place))
        return place, summed, np.unique(keys // letters[-1], return_inverse=True)[1]


def _summed(key: Codes, size: int, rows: Codes) -> tuple[Codes, Codes, Codes]:
    """For each key that occurs, in order, an entry that has it, the rows of all that have, and the key."""
    if size <= min(_TABULATED, 8 * len(key)):
        totals = np.bincount(key, weights=rows, minlength=size)
        last = np.empty(size, dtype=np.int64)
        last[key] = np.arange(len(key))
        present = np.flatnonzero(totals)
        return last[present], totals[present].astype(np.int64), present
    order = np.argsort(key)
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return order[starts], np.add.reduceat(rows[order], starts), ordered[starts]
