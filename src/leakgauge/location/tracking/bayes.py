"""Bayes: what someone who sees one report, and may know more besides, infers about the true area.

The guess for a report is the area whose expected distance from the truth is least, whatever the distances are: with
Hamming distances it is the likeliest area, with metres the median of the plane. No other rule errs less on average.
An hour, a weekday or a user group to be known besides comes from counts (``Visits.joint``), an earlier place from how
people move, and the report of a companion from how often two are together.

Reference: Shokri, Theodorakopoulos, Le Boudec, Hubaux, Quantifying location privacy, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from leakgauge.arguments import checked
from leakgauge.errors import ModelError, OptionError
from leakgauge.location.tracking.movement import Movement
from leakgauge.measures import shannon
from leakgauge.probability import Channel, Distribution, Joint, Label, Scenario, Seen
from leakgauge.probability.cells import Cells, Codes, DenseCells, Floats, as_matrix, scaled_rows
from leakgauge.probability.labels import same_alphabet

BLOCK = 1 << 22
"""Numbers that are laid out at once (32 MiB)."""


@dataclass(frozen=True, eq=False)
class Inference:
    """What someone who sees one report infers.

    Attributes:
        seen: what may be seen: each output; where there is background, each pair (background, output).
        guesses: for each of them the area, a column of the distances, whose expected distance is least.
        error: the expected distance of the guess from the truth, in the unit of the distances.
        errors: the same given each true area.
        information: I(X;Y), with background I(X;YZ), in bits.
        remaining: H(X|Y), with background H(X|YZ), in bits.
        floor: I(X;Z), what the background tells without a report, in bits; 0 where there is none.
    """

    seen: tuple[Label, ...] = field(repr=False)
    guesses: Codes
    error: float
    errors: Floats = field(repr=False)
    information: float
    remaining: float
    floor: float
    law: Cells = field(repr=False)
    prior: Distribution = field(repr=False)
    distances: Floats = field(repr=False)

    @property
    def added(self) -> float:
        """I(X;Y|Z), what the report adds to the background, in bits."""
        return max(self.information - self.floor, 0.0)

    def within(self, radius: float) -> float:
        """The probability that the guess is at most so far from the truth."""
        return float(self.prior.probabilities @ self.within_by_area(radius))

    def within_by_area(self, radius: float) -> Floats:
        """The same given each true area."""
        return _summed(self.law, (self.distances <= radius).astype(np.float64), self.guesses)


@checked
def infer(prior: Distribution | Joint, channel: Channel, distances: object) -> Inference:
    """What a report tells someone who knows the prior and the channel, in bits and in the unit of the distances.

    Args:
        prior: p(x); or p(x, z), where someone knows z besides: an hour, a home, an earlier place.
        channel: q(y|x), from the areas of the prior to anything.
        distances: one row per true area, one column per area that may be guessed.

    Raises:
        LabelError: the areas of prior and channel differ.
        ModelError: distances that are not one row per area, or negative, or infinite.

    Example:
        >>> streets = Distribution(["a", "b", "c"], [0.5, 0.25, 0.25])
        >>> coarse = Channel(["a", "b", "c"], ["west", "east"], [[1, 0], [1, 0], [0, 1]])
        >>> found = infer(streets, coarse, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
        >>> found.guesses.tolist(), found.error, round(found.information, 4), found.within(0)
        ([0, 2], 0.25, 0.8113, 0.75)
    """
    known = prior.row_marginal() if isinstance(prior, Joint) else prior
    same_alphabet(known.outcomes, channel.inputs, "areas of the prior", "inputs of the channel")
    far = _distances(distances, len(known))
    law, seen = _law_of_what_is_seen(prior, channel)
    both = scaled_rows(law, known.probabilities)
    guesses = best_guesses(both, far, known.probabilities)
    errors = _summed(law, far, guesses)
    scenario = Scenario(prior, channel)
    return Inference(
        seen,
        guesses,
        float(known.probabilities @ errors),
        errors,
        shannon.leakage_with_background(scenario),
        shannon.conditional_entropy_with_background(scenario),
        shannon.background_floor(scenario) if isinstance(prior, Joint) else 0.0,
        law,
        known,
        far,
    )


@checked
def infer_from_beliefs(reports: Distribution, beliefs: Channel, distances: object) -> Inference:
    """The same where the posteriors are taken as given: how likely each report is, and what is believed after it.

    Prior and channel are those under which the beliefs are right.

    Args:
        reports: p(y).
        beliefs: p(x|y), from the reports to the areas.

    Example:
        >>> belief = Channel(["one of four"], ["r-1", "r", "r+1", "r+2"], [[1/6, 2/3, 1/12, 1/12]])
        >>> found = infer_from_beliefs(Distribution(["one of four"], [1.0]), belief, 1 - np.eye(4))
        >>> round(found.remaining, 3), round(found.error, 3)
        (1.418, 0.333)
    """
    believed = Joint.of(reports, beliefs).transpose()
    return infer(believed.row_marginal(), believed.channel(), distances)


@checked
def earlier_place(movement: Movement, steps: int = 1) -> Joint:
    """p(area now, area so many steps ago), known to whoever saw someone there and knows how people move.

    With transitions of a speed limit nothing out of reach is believed any more.

    Example:
        >>> from leakgauge.location.tracking.movement import speed_limit
        >>> street = speed_limit("abc", [[0, 0], [1, 0], [2, 0]], reach=1)
        >>> earlier_place(Movement(Distribution.uniform("abc"), street)).row_given_column("a").support
        ('a', 'b')
    """
    if steps < 1:
        raise OptionError("{steps} steps ago is not earlier; give 1 or more.", steps=steps)
    return movement.over(steps).transpose()


@checked
def often_together(prior: Distribution, companion: Distribution, share: float) -> Joint:
    """p(area, area of a companion) of two people who are in one area for this share of the time, from 0 to 1.

    Together they are where both go; otherwise each goes their own way.

    Raises:
        OptionError: a share that is not between 0 and 1, or two who are never in the same area.
    """
    same_alphabet(companion.outcomes, prior.outcomes, "areas of the companion", "areas of the prior")
    both = np.sqrt(prior.probabilities * companion.probabilities)
    if not 0 <= share <= 1 or (share > 0 and not both.any()):
        raise OptionError(
            "They cannot be together for {share} of the time; give a share from 0 to 1, and areas that both visit.",
            share=share,
        )
    apart = np.outer(prior.probabilities, companion.probabilities)
    together = np.diag(both / both.sum()) if share else np.zeros(apart.shape)
    return Joint(prior.outcomes, companion.outcomes, share * together + (1 - share) * apart)


@checked
def report_of_companion(together: Joint, channel: Channel) -> Joint:
    """p(area, report of a companion): what someone's own area has to do with what another reports.

    Its leakage without any report of their own is the ``floor`` of ``infer`` through a channel that says nothing.
    """
    return together.second_through(channel)


def best_guesses(both: Cells, distances: Floats, prior: Floats) -> Codes:
    """For each column of p(x, seen) the column of the distances with the least expected one; the first of equals.

    What never occurs tells nothing: its guess is that of the prior.
    """
    found = np.full(both.shape[1], int(np.argmin(prior @ distances)), dtype=np.int64)
    occurs = both.column_sums() > 0
    for first, block in _column_blocks(both, max(BLOCK // max(both.shape[0], distances.shape[1]), 1)):
        best = np.argmin(block.T @ distances, axis=1)
        part = slice(first, first + block.shape[1])
        found[part] = np.where(occurs[part], best, found[part])
    return found


def _law_of_what_is_seen(prior: Distribution | Joint, channel: Channel) -> tuple[Cells, tuple[Label, ...]]:
    """How likely each thing seen is given each area; an area that never occurs meets each background as usual."""
    if isinstance(prior, Distribution):
        return channel.cells, channel.outputs
    even = Distribution.uniform(prior.rows)
    evenly = Scenario(Joint.of(even, prior.channel()), channel).view(Seen.BOTH).cells
    return evenly.with_values(evenly.values * len(even)), tuple((z, y) for z in prior.columns for y in channel.outputs)


def _column_blocks(cells: Cells, width: int) -> Iterator[tuple[int, Floats]]:
    """So many columns at a time, each with the number of its first."""
    if isinstance(cells, DenseCells):
        for first in range(0, cells.shape[1], width):
            yield first, cells.values[:, first : first + width]
        return
    columns, rows, values = cells.transpose().nonzero()
    for first in range(0, cells.shape[1], width):
        start, end = np.searchsorted(columns, [first, first + width])
        block = np.zeros((cells.shape[0], min(width, cells.shape[1] - first)))
        block[rows[start:end], columns[start:end] - first] = values[start:end]
        yield first, block


def _summed(law: Cells, values: Floats, guesses: Codes) -> Floats:
    """Σ over what is seen of its probability times the value of its guess, for each area."""
    if isinstance(law, DenseCells):
        sums = np.zeros(law.shape[0])
        for first, block in _column_blocks(law, max(BLOCK // law.shape[0], 1)):
            sums += (block * values[:, guesses[first : first + block.shape[1]]]).sum(axis=1)
        return sums
    rows, columns, chances = law.nonzero()
    return law.row_sums(chances * values[rows, guesses[columns]])


def _distances(distances: object, areas: int) -> Floats:
    far = as_matrix(distances, "distances")
    if far.shape[0] != areas or not far.shape[1]:
        raise ModelError(
            "The distances have {found} rows for {areas} areas; give one row per area and one column per guess.",
            found=far.shape[0],
            areas=areas,
        )
    far.setflags(write=False)
    return far
