"""Leaves of letters, against computations that share nothing with them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, expected
from leakgauge.assessment.indicators import audited, protected_column, source_of
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.mechanisms import randomized_response, subset_selection, through_channel, unary_encoding
from leakgauge.probability import Channel, Interval
from leakgauge.randomness import Simulated
from tests.assessment.indicators.small import LETTERS, by_leaf, people, position, table, value

KEEP = 1.5
RESPONSE = randomized_response(KEEP, letters=LETTERS)
ROWS = people()
SHARES = {letter: count / 3000 for letter, count in Counter(ROWS["illness"].to_pylist()).items()}


def chance(x: str, y: str) -> float:
    return (math.exp(KEEP) if x == y else 1.0) / (math.exp(KEEP) + 2)


@pytest.fixture(scope="module")
def law() -> dict[str, Evidence]:
    return by_leaf(expected(RESPONSE, source_of(table(), "illness")))


@pytest.fixture(scope="module")
def measured() -> dict[str, Evidence]:
    made = protected_column(table(), "illness", RESPONSE, Simulated(4))
    return by_leaf(collect(made, audit=audited(made)))


def test_all_leaves_are_there_in_order(law: dict[str, Evidence], measured: dict[str, Evidence]) -> None:
    keys = [str(key) for key in range(1, 30) if key != 17]
    assert list(law) == list(measured) == keys
    gone = {leaf for leaf, one in measured.items() if one.standing is Standing.MISSING}
    assert gone == {"9", "14", "15", "19", "29"}
    assert all(measured[leaf].source for leaf in keys)


def test_claims(law: dict[str, Evidence]) -> None:
    assert (value(law["1"]), value(law["2"]), value(law["3"])) == (1.0, 0.0, KEEP)
    assert value(law["4"]) == pytest.approx(1.0, abs=1e-9)
    assert all(law[leaf].standing is Standing.DECLARED for leaf in "123")


def test_information_by_the_law(law: dict[str, Evidence]) -> None:
    joint = {(x, y): SHARES[x] * chance(x, y) for x, y in product(LETTERS, LETTERS)}
    r = {y: sum(joint[x, y] for x in LETTERS) for y in LETTERS}
    told = sum(mass * math.log2(mass / (SHARES[x] * r[y])) for (x, y), mass in joint.items())
    whole = -sum(p * math.log2(p) for p in SHARES.values())
    assert value(law["6"]) == pytest.approx(told)
    assert value(law["7"]) == pytest.approx(told / whole)
    assert value(law["8"]) == pytest.approx(-sum(p * math.log2(p) for p in r.values()))
    assert law["6"].raw == pytest.approx(whole)
    guess = sum(max(joint[x, y] for x in LETTERS) for y in LETTERS)
    best = max(SHARES.values())
    assert value(law["5"]) == pytest.approx((guess - best) / (1 - best))


def test_accuracy_by_the_law(law: dict[str, Evidence]) -> None:
    joint = {(x, y): SHARES[x] * chance(x, y) for x, y in product(LETTERS, LETTERS)}
    r = {y: sum(joint[x, y] for x in LETTERS) for y in LETTERS}
    ones = {letter: np.eye(3)[at] for at, letter in enumerate(LETTERS)}
    p, q = np.array([SHARES[x] for x in LETTERS]), np.array([r[y] for y in LETTERS])
    error = sum(mass * ((ones[x] - ones[y]) ** 2).sum() for (x, y), mass in joint.items())
    assert value(law["10"]) == pytest.approx(error / np.trace(np.diag(p) - np.outer(p, p)))
    pooled = (p + q) / 2
    inverse = np.linalg.pinv(np.diag(pooled) - np.outer(pooled, pooled))
    distance = sum(m * (ones[x] - ones[y]) @ inverse @ (ones[x] - ones[y]) for (x, y), m in joint.items())
    assert value(law["11"]) == pytest.approx(math.sqrt(distance / 2))
    phi = sum((mass - SHARES[x] * r[y]) ** 2 / (SHARES[x] * r[y]) for (x, y), mass in joint.items())
    assert value(law["12"]) == pytest.approx(math.sqrt(phi / 2))
    chance_of_shares = sum(SHARES[x] * chance(x, y) * (1 - chance(x, y)) for x in LETTERS for y in LETTERS) / 3000
    assert value(law["13"]) == pytest.approx(p @ q / np.linalg.norm(p) / math.sqrt(q @ q + chance_of_shares))


def test_noise_and_volume_by_the_law(law: dict[str, Evidence]) -> None:
    joint = {(x, y): SHARES[x] * chance(x, y) for x, y in product(LETTERS, LETTERS)}
    spread = 1 - sum(SHARES[x] * chance(x, y) ** 2 for x, y in product(LETTERS, LETTERS))
    assert value(law["28"]) == pytest.approx(spread / (1 - sum(p * p for p in SHARES.values())))
    assert value(law["27"]) == pytest.approx(sum(mass * (len(y) + 1) for (_, y), mass in joint.items()))


def test_what_is_measured_lies_about_the_law(law: dict[str, Evidence], measured: dict[str, Evidence]) -> None:
    for leaf in ("5", "6", "7", "8", "10", "11", "12", "13", "27"):
        low, high = measured[leaf].interval
        assert low < high
        reach = high - low
        assert low - reach < value(law[leaf]) < high + reach, leaf
    for leaf in ("1", "2", "3", "4", "16", "18", "20", "21", "22", "23", "26", "28"):
        assert value(measured[leaf]) == pytest.approx(value(law[leaf]), rel=1e-9), leaf


def test_measured_by_hand(measured: dict[str, Evidence]) -> None:
    made = protected_column(table(), "illness", RESPONSE, Simulated(4))
    original = ROWS["illness"].to_pylist()
    released = [LETTERS[at] for at in made.outputs.tolist()]
    changed = sum(x != y for x, y in zip(original, released, strict=True)) / 3000
    assert value(measured["10"]) == pytest.approx(2 * changed / (1 - sum(p * p for p in SHARES.values())))
    assert value(measured["27"]) == pytest.approx(sum(len(y) + 1 for y in released) / 3000)
    p = np.array([original.count(x) for x in LETTERS])
    q = np.array([released.count(x) for x in LETTERS])
    assert value(measured["13"]) == pytest.approx(p @ q / np.linalg.norm(p) / np.linalg.norm(q))


def test_everything_told_and_nothing_told_reach_the_anchors() -> None:
    source = source_of(table(), "illness")
    p = source.counted(RESPONSE, RESPONSE.channel().inputs).sum(axis=0) / 3000
    raw = by_leaf(expected(through_channel(Channel.identity(LETTERS)), source))
    null = by_leaf(expected(through_channel(Channel(LETTERS, LETTERS, np.tile(p, (3, 1)))), source))
    even = by_leaf(expected(through_channel(Channel(LETTERS, LETTERS, np.full((3, 3), 1 / 3))), source))
    for leaf in ("3", "5", "6", "7", "8", "10", "11", "12", "13", "28"):
        assert value(raw[leaf]) == pytest.approx(raw[leaf].raw, abs=1e-9), leaf
    for leaf in ("3", "5", "6", "7", "10", "11", "12"):
        assert value(null[leaf]) == pytest.approx(null[leaf].null, abs=1e-7), leaf
    for leaf in ("8", "28"):
        assert value(even[leaf]) == pytest.approx(even[leaf].null, abs=1e-9), leaf
    # A histogram of 3000 rows is flat up to chance.
    assert value(even["13"]) == pytest.approx(even["13"].null, abs=1e-3)
    for leaf in ("8", "10", "11", "28"):
        assert position(even[leaf]) == pytest.approx(1.0, abs=1e-9), leaf
    assert raw["4"].standing is Standing.MISSING, "an infinite claim has no shares"


def test_sets_are_measured_but_lie_at_no_distance() -> None:
    for mechanism in (unary_encoding(1.0, letters=LETTERS), subset_selection(1.0, letters=LETTERS)):
        made = protected_column(table(), "illness", mechanism, Simulated(2))
        found, law = by_leaf(collect(made)), by_leaf(expected(mechanism, source_of(table(), "illness")))
        low, high = found["6"].interval
        assert low <= value(law["6"]) <= high
        # Unary encoding gives any set of letters, so that its entropy is beyond that of one letter.
        assert isinstance(made.setting, LetterSetting)
        assert found["8"].null == law["8"].null == pytest.approx(math.log2(len(made.setting.channel.matrix[0])))
        assert position(law["8"]) < 1
        foreign = mechanism.name == "unary-encoding"
        for leaf in ("10", "11", "13"):
            assert (found[leaf].standing is Standing.MISSING) == foreign
            assert (law[leaf].standing is Standing.MISSING) == foreign


def test_intervals_of_numbers_are_letters() -> None:
    bins = [Interval(None, 30), Interval(30, 45), Interval(45, None)]
    mechanism = randomized_response(2.0, letters=bins)
    made = protected_column(table(), "age", mechanism, Simulated(3))
    found, law = by_leaf(collect(made, audit=audited(made))), by_leaf(expected(mechanism, source_of(table(), "age")))
    # The attacker is after the tenth of the age, of which the interval tells a part.
    low, high = found["5"].interval
    assert low <= value(law["5"]) <= high
    assert value(law["5"]) < 0.2
    assert found["9"].standing is Standing.MISSING
