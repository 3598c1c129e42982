"""Contrasts of groups: intervals that hold the truth, and what cannot be told is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.estimates import Contrasted, Method
from leakgauge.errors import LabelError, OptionError, RefusalError
from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import Simulated
from leakgauge.release.estimates.reading import Protected
from leakgauge.release.estimates.recipient import Recipient

VALUES = ("flu", "none", "cold")
GIVEN = {"A": np.array([0.35, 0.5, 0.15]), "B": np.array([0.15, 0.7, 0.15]), "C": np.array([0.2, 0.6, 0.2])}
SIZES = {"A": 700, "B": 900, "C": 400}
AGES = {"flu": 30.0, "none": 45.0, "cold": 40.0}
RESPONSE = randomized_response(2.0, letters=list(VALUES))


def released(rng: np.random.Generator, seed: int, scale: float = 1.0) -> pa.Table:
    """Rows of three cities, the illness through randomized response; ages go by the illness."""
    illness, city = list[str](), list[str]()
    for name, shares in GIVEN.items():
        count = int(SIZES[name] * scale)
        illness += rng.choice(VALUES, count, p=shares).tolist()
        city += [name] * count
    age = rng.normal([AGES[one] for one in illness], 6.0)
    return pa.table({"illness": RESPONSE.run(illness, Simulated(seed)), "city": city, "age": age})


def recipient(table: pa.Table, rows_per_unit: int = 1) -> Recipient:
    return Recipient(table, {"illness": Protected("illness", RESPONSE.channel())}, rows_per_unit=rows_per_unit)


def odds(share: float) -> float:
    return share / (1 - share)


FLU = {name: float(shares[0]) for name, shares in GIVEN.items()}
ASKED: dict[str, tuple[Callable[[Recipient], Contrasted], float]] = {
    "difference": (lambda one: one.difference("illness=flu", "city=A", "city=B"), FLU["A"] - FLU["B"]),
    "ratio": (lambda one: one.ratio("illness=flu", "city=A", "city=B"), FLU["A"] / FLU["B"]),
    "odds ratio": (lambda one: one.odds_ratio("illness=flu", "city=A", "city=B"), odds(FLU["A"]) / odds(FLU["B"])),
    "odds against another value": (
        lambda one: one.odds_ratio("illness=flu", "city=A", "city=B", against="illness=none"),
        (0.35 / 0.5) / (0.15 / 0.7),
    ),
    "weights": (
        lambda one: one.contrast("illness=flu", {"city=A": 1, "city=B": -0.5, "city=C": -0.5}),
        FLU["A"] - (FLU["B"] + FLU["C"]) / 2,
    ),
    "means of protected groups": (lambda one: one.difference("age", "illness=flu", "illness=none"), -15.0),
    "ratio of means of protected groups": (lambda one: one.ratio("age", "illness=flu", "illness=none"), 30 / 45),
    "means of published groups": (
        lambda one: one.difference("age", "city=A", "city=B"),
        float((GIVEN["A"] - GIVEN["B"]) @ np.array([30.0, 45.0, 40.0])),
    ),
}


def coverage(runs: int) -> dict[str, float]:
    rng, hits = np.random.default_rng(21), dict.fromkeys(ASKED, 0)
    for run in range(runs):
        held = recipient(released(rng, run))
        for name, (asked, truth) in ASKED.items():
            hits[name] += truth in asked(held).estimate
    return {name: found / runs for name, found in hits.items()}


def test_intervals_of_contrasts_hold_the_truth() -> None:
    assert min(coverage(12).values()) >= 0.7


@pytest.mark.nightly
def test_they_do_over_many_runs() -> None:
    found = coverage(400)
    # The standard error of a coverage of 95 % is 1.1 points.
    assert all(0.925 <= one <= 0.98 for one in found.values()), found


def test_contrasts_are_of_the_numbers_that_tables_tell() -> None:
    one = recipient(released(np.random.default_rng(1), 1))
    table = one.crosstab("illness", "city")
    found = one.difference("illness=flu", "city=A", "city=B")
    assert table.method is Method.INVERSION and found.method is Method.INVERSION and found.rows == 1600
    assert found.estimate.value == pytest.approx(table.of("flu", "A").value - table.of("flu", "B").value)
    weighted = one.contrast("illness=flu", {"city=A": 1, "city=B": -1})
    assert weighted.estimate == found.estimate and weighted.weights == (1, -1)
    ratio = one.odds_ratio("illness=flu", "city=A", "city=B").estimate
    inverse = one.odds_ratio("illness=flu", "city=B", "city=A").estimate
    assert inverse.value == pytest.approx(1 / ratio.value)
    assert inverse.ends == pytest.approx((1 / ratio.ends[1], 1 / ratio.ends[0]))
    means = one.mean("age", by=["illness"])
    assert one.difference("age", "illness=flu", "illness=none").estimate.value == pytest.approx(
        means.of("flu").value - means.of("none").value
    )


def test_a_published_column_is_compared_as_it_is() -> None:
    rows = pa.table(
        {"smokes": ["yes"] * 30 + ["no"] * 70 + ["yes"] * 20 + ["no"] * 80, "city": ["A"] * 100 + ["B"] * 100}
    )
    found = Recipient(rows, {}).odds_ratio("smokes=yes", "city=A", "city=B")
    assert found.method is Method.AS_PUBLISHED and found.estimate.value == pytest.approx((30 / 70) / (20 / 80))
    # Woolf's interval, but for score intervals of the parts.
    half, middle = 1.96 * (1 / 30 + 1 / 70 + 1 / 20 + 1 / 80) ** 0.5, np.log(found.estimate.value)
    around = [middle - half, middle + half]
    assert np.log(found.estimate.ends) == pytest.approx(around, abs=0.03)
    against = Recipient(rows, {}).odds_ratio("smokes=yes", "city=A", "city=B", against="smokes=no").estimate
    assert np.log(against.ends) == pytest.approx(around, abs=0.03)


def test_rows_of_one_person_count_as_one() -> None:
    table = released(np.random.default_rng(2), 2)
    for name, (asked, _) in ASKED.items():
        alone, several = (asked(recipient(table, rows)).estimate for rows in (1, 4))
        ends = [one.ends[1] - one.ends[0] for one in (alone, several)]
        assert ends[1] > 1.8 * ends[0], name


def test_what_cannot_be_told_is_refused() -> None:
    one = recipient(released(np.random.default_rng(3), 3))
    with pytest.raises(OptionError, match="has no group 'Q'; known are 'A', 'B', 'C'"):
        one.difference("illness=flu", "city=A", "city=Q")
    with pytest.raises(LabelError, match="has no 'fly'; did you mean 'flu'"):
        one.difference("illness=fly", "city=A", "city=B")
    with pytest.raises(OptionError, match="does not say what to compare"):
        one.difference("illness=flu", "town=A", "town=B")
    with pytest.raises(OptionError, match="does not say what to compare"):
        one.difference("illness=flu", "city=A", "age=30")
    with pytest.raises(OptionError, match="name two different ones"):
        one.difference("illness=flu", "city=A", "city=A")
    with pytest.raises(OptionError, match="The odds ratio of 'age' names 0 values"):
        one.odds_ratio("age", "city=A", "city=B")
    with pytest.raises(OptionError, match="is protected; group by published columns"):
        one.difference("city=A", "illness=flu", "illness=none")
    none = pa.table({"smokes": ["no"] * 60 + ["yes"], "city": ["A"] * 30 + ["B"] * 30 + ["C"]})
    with pytest.raises(RefusalError, match="The ratio of 'smokes' cannot be told: a part of it may be 0"):
        Recipient(none, {}).ratio("smokes=yes", "city=A", "city=B")
    # A difference of two zeros can be told.
    assert 0 in Recipient(none, {}).difference("smokes=yes", "city=A", "city=B").estimate


def test_few_rows_within_a_group_leave_reconciled_tables_no_worse() -> None:
    """Cross-tables that agree with the shares of all rows are nearer to the truth than each corrected by itself."""
    rng, off = np.random.default_rng(5), np.zeros(2)
    for run in range(30):
        one = recipient(released(rng, run, scale=0.05))
        table = one.crosstab("illness", "city")
        whole = {cell.value: cell.estimate.value for cell in one.shares("illness").cells}
        sums = dict.fromkeys(whole, 0.0)
        for cell in table.cells:
            truth = GIVEN[str(cell.group[0])][VALUES.index(str(cell.value))]
            raw = cell.estimate if cell.raw is None else cell.raw
            off += [(cell.estimate.value - truth) ** 2, (raw.value - truth) ** 2]
            sums[cell.value] += (cell.rows or 0) / table.rows * cell.estimate.value
            assert 0 <= cell.estimate.value <= 1
        assert sums == pytest.approx(whole, abs=1e-6)
    assert off[0] < off[1]
