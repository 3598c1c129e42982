"""Guessing: how many questions "is it x?" an attacker needs on average, best order first.

Reference: Massey, Guessing and entropy, 1994.
"""

from __future__ import annotations

from leakgauge.arguments import checked
from leakgauge.measures.information import prior_cells, unweighted_cells
from leakgauge.probability import Distribution, Scenario, Seen
from leakgauge.probability.cells import Cells


@checked
def prior(source: Scenario | Distribution) -> float:
    """G(X) = Σ i·p_(i) with probabilities in descending order, in guesses.

    Example:
        >>> prior(Distribution(["a", "b", "c"], [0.25, 0.5, 0.25]))
        1.75
    """
    return _guesses(prior_cells(source))


@checked
def posterior(scenario: Scenario, seen: Seen = Seen.RELEASE) -> float:
    """G(X|Y), the mean number of guesses after the release is seen."""
    return _guesses(unweighted_cells(scenario, seen, "Guessing entropy"))


@checked
def leakage(scenario: Scenario, seen: Seen = Seen.RELEASE) -> float:
    """G(X) − G(X|Y), how many guesses seeing saves; at least 0."""
    return max(prior(scenario) - posterior(scenario, seen), 0.0)


def _guesses(cells: Cells) -> float:
    return max(float((cells.values * cells.descending_in_columns()).sum()), 1.0)
