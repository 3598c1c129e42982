"""How someone moves: a first-order Markov chain on areas, from a speed limit, a gravity model or observed moves.

Transitions are a channel from areas to areas, sparse where the areas are many: an attacker who knows how fast people
are, where they tend to go, or where others went, has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError, OptionError
from leakgauge.location.tracking.guessing import centres_of
from leakgauge.location.tracking.moves import Moves
from leakgauge.probability import Channel, Distribution, Joint, Label
from leakgauge.probability.cells import Codes, Floats, as_codes, as_floats, sums_by
from leakgauge.probability.labels import alphabet, same_alphabet
from leakgauge.randomness.sources import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

NEAR = 1e-9
"""Areas further off than the reach by this share of it are still within: a reach of two cells means two."""
MOST_MOVES = 1 << 24
"""Moves between areas that are held at once (about 400 MiB)."""


@dataclass(frozen=True)
class Movement:
    """Where a trace starts, p(x), and how it goes on, p(next area | area) from the areas to the same areas.

    Raises:
        LabelError: the areas differ, or stand in another order.
    """

    start: Distribution
    transitions: Channel

    def __post_init__(self) -> None:
        same_alphabet(self.transitions.inputs, self.start.outcomes, "starts of the transitions", "areas of the start")
        same_alphabet(self.transitions.outputs, self.start.outcomes, "ends of the transitions", "areas of the start")

    @classmethod
    def resting(cls, prior: Distribution) -> Movement:
        """Someone who stays where they are: every report is of one place."""
        return cls(prior, Channel.identity(prior.outcomes))

    @classmethod
    def independent(cls, prior: Distribution) -> Movement:
        """Someone who may be anywhere next, wherever they are: reports of other steps tell nothing."""
        return cls(prior, Channel.constant(prior.outcomes, prior))

    @property
    def areas(self) -> tuple[Label, ...]:
        """The areas in order."""
        return self.start.outcomes

    @cached_property
    def moves(self) -> Moves:
        """The transitions laid out for products, once for all traces."""
        return Moves(self.transitions)

    def marginals(self, steps: int) -> Floats:
        """p(x) at each step, one row per step."""
        rows, columns, chances = self.transitions.cells.nonzero()
        laws = [self.start.probabilities]
        for _ in range(steps - 1):
            laws.append(sums_by(columns, laws[-1][rows] * chances, len(self.areas)))
        return np.array(laws)

    def over(self, steps: int) -> Joint:
        """p(first area, area so many steps later): the background of whoever saw someone at an earlier place."""
        law = self.transitions
        for _ in range(steps - 1):
            law = law.then(self.transitions)
        return Joint.of(self.start, law)

    def simulate(self, traces: int, steps: int, simulation_seed: int) -> Codes:
        """True areas of so many traces, one row each: for simulations only, the seed draws them again."""
        generator = simulation(simulation_seed)
        paths = np.empty((traces, steps), dtype=np.int64)
        paths[:, 0] = np.searchsorted(np.cumsum(self.start.probabilities)[:-1], generator.random(traces), side="right")
        following = Following(self.transitions)
        for step in range(1, steps):
            paths[:, step] = following.draw(paths[:, step - 1], generator)
        return paths


class Following:
    """Draws next areas, for simulations."""

    def __init__(self, transitions: Channel) -> None:
        rows, self._columns, chances = transitions.cells.nonzero()
        self._ends = np.cumsum(chances)
        self._firsts = np.searchsorted(rows, np.arange(len(transitions.inputs) + 1))
        self._before = np.concatenate([[0.0], self._ends])[self._firsts]

    def draw(self, areas: Codes, generator: Generator) -> Codes:
        """The area after each of these."""
        begin, end = self._before[areas], self._before[areas + 1]
        at = np.searchsorted(self._ends, begin + generator.random(len(areas)) * (end - begin), side="right")
        return np.asarray(self._columns[np.clip(at, self._firsts[areas], self._firsts[areas + 1] - 1)])


@checked
def speed_limit(labels: Sequence[Label], points: object, reach: float) -> Channel:
    """Transitions of someone of whom only the speed is known: each area within reach is equally likely next.

    Args:
        points: the centre of each area, in metres east and north.
        reach: how many metres away the next area may be, at most.

    Raises:
        OptionError: a reach that is not a length of at least 0.
        ModelError: more moves than can be held.

    Example:
        >>> streets = speed_limit("abc", [[0, 0], [100, 0], [200, 0]], reach=100)
        >>> streets.matrix.round(3).tolist()
        [[0.5, 0.5, 0.0], [0.333, 0.333, 0.333], [0.0, 0.5, 0.5]]
    """
    rows, columns, _ = _neighbours(points, len(labels), reach)
    return _channel(labels, rows, columns, np.ones(len(rows)))


@checked
def gravity(labels: Sequence[Label], points: object, masses: object, reach: float, scale: float) -> Channel:
    """Transitions of someone who is drawn to large areas near by: proportional to mass · e^(−distance / scale).

    Args:
        masses: how many people go to each area, or its share of the prior; nobody goes to one without mass.
        reach: how many metres away the next area may be, at most.
        scale: the distance in metres over which the pull falls to a third.

    Raises:
        OptionError: a reach or scale that is not a length.
        ModelError: masses that are not one number of at least 0 per area, or more moves than can be held.
    """
    if not 0 < scale < np.inf:
        raise OptionError("A scale of {scale} metres is not a length; give a number above 0.", scale=scale)
    pull = as_floats(masses, "masses")
    if pull.shape != (len(labels),):
        raise ModelError(
            "There are {found} masses for {areas} areas; give one for each.", found=pull.size, areas=len(labels)
        )
    rows, columns, far = _neighbours(points, len(labels), reach)
    weights = pull[columns] * np.exp(-far / scale)
    # Where nothing within reach has any mass, someone stays.
    stuck = sums_by(rows, weights, len(labels)) == 0
    return _channel(labels, rows, columns, np.where(stuck[rows] & (rows == columns), 1.0, weights))


@checked
def observed_moves(areas: object, base: Channel, smoothing: float = 1.0, traces: object = None) -> Channel:
    """Transitions from consecutive areas of traces that were seen, and from a model where few were.

    p(y|x) = (moves from x to y + smoothing · base(y|x)) / (moves from x + smoothing): the model counts as so many moves
    from each area.

    Args:
        areas: the areas in order of time, by position; −1 where somebody was outside all of them.
        base: transitions such as those of a speed limit, which count for ``smoothing`` moves, above 0.
        traces: whose each area is, of the same length: moves from one trace to the next do not count.

    Raises:
        OptionError: a smoothing that is not above 0, or a trace that does not have one entry per area.
        ModelError: a position outside the areas.
    """
    if not 0 < smoothing < np.inf:
        raise OptionError(
            "A smoothing of {smoothing} moves leaves areas from which nobody moved without a law; give a number above "
            "0.",
            smoothing=smoothing,
        )
    seen = as_codes(areas)  # type: ignore[arg-type]
    whose = whose_areas(traces, seen)
    count = len(base.inputs)
    if len(seen) and (seen.min() < -1 or seen.max() >= count):
        raise ModelError(
            "A position of an area is not between 0 and {last}; give −1 for outside all of them.", last=count - 1
        )
    moved = (whose[1:] == whose[:-1]) & (seen[1:] >= 0) & (seen[:-1] >= 0)
    starts, ends = seen[:-1][moved], seen[1:][moved]
    rows, columns, chances = base.cells.nonzero()
    return _channel(
        base.inputs,
        np.concatenate([rows, starts]),
        np.concatenate([columns, ends]),
        np.concatenate([smoothing * chances, np.ones(len(starts))]),
    )


def whose_areas(traces: object, areas: Codes) -> Codes:
    """Whose each area is; all are of one trace where nothing is said.

    Raises:
        OptionError: a trace that does not have one entry per area.
    """
    whose = np.zeros(len(areas), dtype=np.int64) if traces is None else np.asarray(traces)
    if whose.shape != areas.shape:
        raise OptionError(
            "There are {found} traces for {areas} areas; give one for each.", found=whose.size, areas=areas.size
        )
    return whose


def _neighbours(points: object, count: int, reach: float) -> tuple[Codes, Codes, Floats]:
    """Pairs of areas within reach of each other, each area and itself too, and how far they are apart."""
    from scipy.spatial import cKDTree

    if not 0 <= reach < np.inf:
        raise OptionError("A reach of {reach} metres is not a length; give a number of at least 0.", reach=reach)
    centres = centres_of(points, count)
    tree = cKDTree(centres)
    near = reach * (1 + NEAR)
    expected = int(tree.count_neighbors(tree, near))
    if expected > MOST_MOVES:
        raise ModelError(
            "A reach of {reach:g} metres allows {moves:,} moves between areas, more than the {most:,} that can be "
            "held; give a shorter reach or larger areas.",
            reach=reach,
            moves=expected,
            most=MOST_MOVES,
        )
    pairs = tree.query_pairs(near, output_type="ndarray").astype(np.int64)
    own = np.arange(count)
    rows, columns = np.concatenate([pairs[:, 0], pairs[:, 1], own]), np.concatenate([pairs[:, 1], pairs[:, 0], own])
    return rows, columns, np.asarray(np.hypot(*(centres[rows] - centres[columns]).T))


def _channel(labels: Sequence[Label], rows: Codes, columns: Codes, weights: Floats) -> Channel:
    known = alphabet(labels, "areas")
    return Channel.from_cells(known, known, rows, columns, weights / sums_by(rows, weights, len(known))[rows])
