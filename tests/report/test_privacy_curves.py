"""The picture of what a sequence reveals: its numbers, its labels, and what is told of it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from leakgauge.telling.figures.chart import WIDTH
from leakgauge.telling.figures.privacy_curves import privacy_curves_figure
from tests.report.artefacts import drawn, smallest_letters, width, words

EPSILONS, RATES = np.linspace(0, 3, 61), np.linspace(0, 1, 51) ** 2


def composed(*asked: tuple[float, float | str], epsilons: np.ndarray = EPSILONS) -> dict[str, Any]:
    """A sequence of one μ = 0.5 Gaussian."""
    from scipy.stats import norm

    deltas = norm.cdf(0.25 - epsilons / 0.5) - np.exp(epsilons) * norm.cdf(-0.25 - epsilons / 0.5)
    return {
        "spent": [{"delta": delta, "epsilon": {"value": epsilon, "unit": "nats"}} for delta, epsilon in asked],
        "tests": [{"false_positive_rate": 0.05, "power": {"value": 0.12614, "unit": "share"}}],
        "curves": {
            "epsilons": epsilons.tolist(),
            "deltas": deltas.tolist(),
            "false_positive_rates": RATES.tolist(),
            "powers": norm.cdf(norm.ppf(RATES) + 0.5).tolist(),
        },
    }


def test_both_curves_are_drawn_as_they_are() -> None:
    fields = composed((1e-6, 2.1634))
    figure = privacy_curves_figure(fields)
    shown = [delta for delta in fields["curves"]["deltas"] if delta >= 1e-10]
    assert drawn(figure, "delta")[: len(shown)] == shown
    assert [power for power in drawn(figure, "power") if power not in (0.0, 1.0, 0.62)][: len(RATES) - 2] == fields[
        "curves"
    ]["powers"][1:-1]
    svg = figure.to_svg()
    assert width(svg) <= WIDTH and smallest_letters(svg) >= 11
    assert {"δ for each ε", "Power of tests about one record", "guessing", "ε, nats"} <= words(svg)


def test_what_was_asked_for_is_marked_and_rounded_up() -> None:
    figure = privacy_curves_figure(composed((1e-6, 2.1634), (1e-5, 1.9), (0.0, 7.0), (1e-9, "inf")))
    assert {"ε 2.17 at δ 1e-06", "ε 1.9 at δ 1e-05"} <= words(figure.to_svg())
    assert figure.told.startswith("The whole sequence uses ε 2.17 at δ 1e-06; ε 1.9 at δ 1e-05.")
    assert figure.told.endswith("A test of one record has at most 12.7% power at 5% false positives.")


@pytest.mark.parametrize("deltas", [(1e-6, 2e-6, 3e-6), (1e-9, 1e-2), (0.5,)])
def test_labels_are_apart_and_inside(deltas: tuple[float, ...]) -> None:
    figure = privacy_curves_figure(composed(*((delta, -math.log(delta) / 7) for delta in deltas)))
    downs = sorted(set(drawn(figure, "down")))
    assert all(later - earlier >= 16 / 1.001 for earlier, later in itertools.pairwise(downs))
    assert all(0 <= down <= 262 for down in downs)


def test_a_sequence_that_reveals_nothing_is_drawn_too() -> None:
    fields = composed()
    fields["curves"] |= {"deltas": [0.0] * 61, "powers": RATES.tolist()}
    figure = privacy_curves_figure(fields)
    assert "guessing" in words(figure.to_svg())
