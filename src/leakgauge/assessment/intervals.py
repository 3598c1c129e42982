"""How far the scores could be off: weights, label values and leaves drawn many times.

What is drawn, and why so far:

- The weights of the arcs into a node are Dirichlet around theirs, with a concentration of 17 an arc. Two arcs that
  weigh the same then stay within a factor of 2 of each other in 95 % of the draws: half a step of Saaty's scale, from
  "equal" to "moderately more", which is about as well as people can tell weights apart.
- The states lie evenly from 0 to 100; the steps between them are drawn in the same way, so that the states stay in
  order and the ends stay the ends.
- The positions of leaves lie evenly within their intervals. Leaves measured on the same run err together, nobody knows
  how much; so all are drawn as good, or as bad, at once, which gives the widest interval.
- Answers are Dirichlet with half a person added to each, so that few people leave much open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leakgauge.artefacts.evidence import Evidence, Standing, spread
from leakgauge.assessment.algebra import DIGITS, NOTHING, Ends, Rating, Weight, path_weights
from leakgauge.assessment.diagram import Diagram
from leakgauge.errors import OptionError
from leakgauge.probability.cells import Floats
from leakgauge.randomness import simulation

if TYPE_CHECKING:
    from numpy.random import Generator

CONCENTRATION = 17.0
ADDED_ANSWERS = 0.5
MOST_DRAWS = 100_000

Interval = tuple[float, float]


def require_draws(draws: int, confidence: float, simulation_seed: int) -> None:
    """Refuse settings that give no interval."""
    if isinstance(draws, bool) or not isinstance(draws, int) or not 0 <= draws <= MOST_DRAWS:
        raise OptionError(
            "{draws} draws cannot be made; use 0 for no interval, or up to {most}.", draws=draws, most=MOST_DRAWS
        )
    if not 0 < confidence < 1:
        raise OptionError("A confidence of {confidence} is not between 0 and 1.", confidence=confidence)
    if simulation_seed < 0:
        raise OptionError("A seed of {seed} cannot be used; give 0 or more.", seed=simulation_seed)


class Draws:
    """Weights, steps and leaves drawn together for every score of one assessment."""

    def __init__(
        self,
        diagram: Diagram,
        shares: Mapping[Ends, float],
        evidence: Mapping[str, Evidence],
        count: int,
        simulation_seed: int,
        confidence: float,
    ) -> None:
        random = simulation(simulation_seed)
        self._diagram, self._count, self._evidence, self._confidence = diagram, count, evidence, confidence
        self._shares = _drawn_shares(shares, count, random)
        steps = random.standard_gamma(CONCENTRATION, size=(count, diagram.states - 1))
        heights = np.cumsum(steps, axis=1)
        self._values = np.concatenate([np.zeros((count, 1)), heights / heights[:, -1:]], axis=1)
        self._goodness = random.random(count)
        places = spread(np.linspace(0.0, 1.0, 5), diagram.states)
        self._answers = {
            key: random.dirichlet(np.array(one.answers) + ADDED_ANSWERS, size=count) @ places
            for key, one in evidence.items()
            if one.standing is Standing.ASKED
        }

    def interval(self, ratings: Mapping[str, Rating], score: float) -> Interval:
        """The middle of the mean scores drawn of some nodes, widened where it does not hold the score itself."""
        miss = (1 - self._confidence) / 2
        means = np.mean([self._scores(one, key) for key, one in ratings.items()], axis=0)
        low, high = np.clip(np.quantile(means, [miss, 1 - miss]), 0.0, 100.0)
        return min(round(float(low), DIGITS), score), max(round(float(high), DIGITS), score)

    def _scores(self, rating: Rating, root: str) -> Floats:
        """A node's score in every draw."""
        reached, low, high = np.zeros((3, self._count))
        for key, weights in path_weights(self._diagram, self._shares, root).items():
            if key in self._evidence:
                up, down = (np.reshape(one, (-1, 1)) for one in weights)
                # What each state of the leaf adds to the root; a row a draw.
                worths = up * self._values + down * self._values[:, ::-1]
                reached += (worths * self._states(key, rating.sensitivities[key] >= 0)).sum(axis=1)
                low += worths.min(axis=1)
                high += worths.max(axis=1)
        width = high - low
        # Weights that cancel in a draw say nothing about the score: it stays where it is.
        known = width > NOTHING
        return np.where(known, 100 * (reached - low) / np.where(known, width, 1.0), rating.score)

    def _states(self, key: str, upwards: bool) -> Floats:
        """The distribution of a leaf over the states in every draw; upwards where more of it is good."""
        if key in self._answers:
            return self._answers[key]
        one = self._evidence[key]
        assert one.scale is not None
        low, high = one.scale.position(np.array(one.interval))
        return spread(low + (high - low) * (self._goodness if upwards else 1 - self._goodness), self._diagram.states)


def _drawn_shares(shares: Mapping[Ends, float], count: int, random: Generator) -> dict[Ends, Weight]:
    siblings: dict[str, list[Ends]] = {}
    for ends in shares:
        siblings.setdefault(ends[1], []).append(ends)
    drawn: dict[Ends, Weight] = {}
    for arcs in siblings.values():
        if len(arcs) == 1:
            drawn[arcs[0]] = 1.0
            continue
        parameters = CONCENTRATION * len(arcs) * np.array([shares[ends] for ends in arcs])
        heights = random.standard_gamma(parameters, size=(count, len(arcs)))
        heights /= heights.sum(axis=1, keepdims=True)
        drawn |= {ends: heights[:, at] for at, ends in enumerate(arcs)}
    return drawn
