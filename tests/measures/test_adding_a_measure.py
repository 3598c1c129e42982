"""A measure is a function in its family's file, a line in the registry and a row in the reference: shown by a toy."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from leakgauge import measures
from leakgauge.measures import MEASURES, estimate
from leakgauge.measures.terms import Measure
from leakgauge.probability import Counts, Distribution, Scenario

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "measures.md").read_text(encoding="utf-8")
COUNTS = Counts(
    {"x": ["a", "b", "c"], "y": ["u", "v"], "z": ["s", "t"]},
    [[[30, 5], [10, 5]], [[5, 20], [10, 10]], [[20, 10], [5, 40]]],
)


def share_of_the_likeliest(source: Scenario | Distribution) -> float:
    """The toy: max p(x)."""
    distribution = source if isinstance(source, Distribution) else source.source
    return float(distribution.probabilities.max())


def in_reference(name: str, reference: str) -> bool:
    """Whether a row of the reference has the measure: as a function, or under its family."""
    family, _, function = name.rpartition(".")
    rows = [line for line in reference.splitlines() if line.startswith("| `")]
    if not family:
        return any(row.startswith(f"| `{function}(") for row in rows)
    # The rows of families have a column for each of the three verbs, and name any other function.
    of_family = [row for row in rows if row.startswith(f"| `{family}`")]
    return bool(of_family) and (function in ("prior", "posterior", "leakage") or f"`{function}`" in of_family[0])


def require_lawful(measure: Measure) -> None:
    """What every measure keeps: a number, whatever the order of the labels, with an interval that holds it."""
    scenario = Scenario.from_counts(COUNTS, ["x"], ["y"], ["z"])
    turned = Counts({name: COUNTS.labels(name)[::-1] for name in COUNTS.names}, COUNTS.array()[::-1, ::-1, ::-1])
    value = measure(scenario)
    assert isinstance(value, float)
    assert math.isfinite(value) and value >= 0
    assert measure(Scenario.from_counts(turned, ["x"], ["y"], ["z"])) == pytest.approx(value, rel=1e-12)
    found = estimate(measure, COUNTS, ["x"], ["y"], ["z"])
    assert found.value == pytest.approx(value, rel=1e-12)
    assert value in found


@pytest.mark.parametrize("name", MEASURES)
def test_registered(name: str) -> None:
    assert in_reference(name, REFERENCE)
    require_lawful(MEASURES[name])
    *family, function = name.split(".")
    assert MEASURES[name] is getattr(getattr(measures, family[0]) if family else measures, function)


def test_a_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES, "share_of_the_likeliest", share_of_the_likeliest)
    require_lawful(MEASURES["share_of_the_likeliest"])
    assert not in_reference("share_of_the_likeliest", REFERENCE)
    assert in_reference("share_of_the_likeliest", REFERENCE + "\n| `share_of_the_likeliest(scenario)` | max p(x) |\n")
