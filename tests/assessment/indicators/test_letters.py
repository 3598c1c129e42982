"""Leaves of letters, against computations that share nothing with them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from leakgauge.artefacts.evidence import Evidence, Standing
from leakgauge.assessment import collect, protected_column
from leakgauge.assessment.indicators.protected import protected_of_release
from leakgauge.assessment.indicators.setting import LetterSetting
from leakgauge.assessment.indicators.source import source_of
from leakgauge.errors import ColumnError
from leakgauge.mechanisms import randomized_response, subset_selection, through_channel, unary_encoding
from leakgauge.probability import Channel, Interval
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import ReleasePlan
from leakgauge.tables import open_table
from tests.assessment.indicators.small import LETTERS, by_leaf, people, position, table, value

KEEP = 1.5
RESPONSE = randomized_response(KEEP, letters=LETTERS)
ROWS = people()
SHARES = {letter: count / 3000 for letter, count in Counter(ROWS["illness"].to_pylist()).items()}
JOINT = {
    (x, y): SHARES[x] * (math.exp(KEEP) if x == y else 1.0) / (math.exp(KEEP) + 2) for x, y in product(LETTERS, LETTERS)
}
SEEN = {y: sum(JOINT[x, y] for x in LETTERS) for y in LETTERS}


@pytest.fixture(scope="module")
def measured() -> dict[str, Evidence]:
    return by_leaf(collect(protected_column(table(), "illness", RESPONSE, Simulated(4))))


def test_all_leaves_are_there_in_order(measured: dict[str, Evidence]) -> None:
    assert list(measured) == [str(key) for key in range(1, 30) if key != 17]
    gone = {leaf for leaf, one in measured.items() if one.standing is Standing.MISSING}
    assert gone == {"4", "5", "9", "14", "15", "19", "29"}
    assert all(one.source for one in measured.values())


def test_claims(measured: dict[str, Evidence]) -> None:
    assert (value(measured["1"]), value(measured["2"]), value(measured["3"])) == (1.0, 0.0, KEEP)
    assert all(measured[leaf].standing is Standing.DECLARED for leaf in "123")


def lies_about(found: Evidence, law: float) -> bool:
    """Within twice its interval: of one seed out of many."""
    low, high = found.interval
    return low < high and low - (high - low) < law < high + (high - low)


def test_information_lies_about_the_law(measured: dict[str, Evidence]) -> None:
    told = sum(mass * math.log2(mass / (SHARES[x] * SEEN[y])) for (x, y), mass in JOINT.items())
    whole = -sum(p * math.log2(p) for p in SHARES.values())
    assert lies_about(measured["6"], told) and lies_about(measured["7"], told / whole)
    assert lies_about(measured["8"], -sum(p * math.log2(p) for p in SEEN.values()))
    assert measured["6"].raw == pytest.approx(whole)


def test_accuracy_lies_about_the_law(measured: dict[str, Evidence]) -> None:
    ones = {letter: np.eye(3)[at] for at, letter in enumerate(LETTERS)}
    p, q = np.array([SHARES[x] for x in LETTERS]), np.array([SEEN[y] for y in LETTERS])
    error = sum(mass * ((ones[x] - ones[y]) ** 2).sum() for (x, y), mass in JOINT.items())
    assert lies_about(measured["10"], error / np.trace(np.diag(p) - np.outer(p, p)))
    pooled = (p + q) / 2
    inverse = np.linalg.pinv(np.diag(pooled) - np.outer(pooled, pooled))
    distance = sum(m * (ones[x] - ones[y]) @ inverse @ (ones[x] - ones[y]) for (x, y), m in JOINT.items())
    assert lies_about(measured["11"], math.sqrt(distance / 2))
    phi = sum((mass - SHARES[x] * SEEN[y]) ** 2 / (SHARES[x] * SEEN[y]) for (x, y), mass in JOINT.items())
    assert lies_about(measured["12"], math.sqrt(phi / 2))
    assert lies_about(measured["27"], sum(mass * (len(y) + 1) for (_, y), mass in JOINT.items()))
    spread = 1 - sum(mass**2 / SHARES[x] for (x, _), mass in JOINT.items())
    assert value(measured["28"]) == pytest.approx(spread / (1 - p @ p))


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
    p = np.array([SHARES[letter] for letter in LETTERS])

    def through(matrix: object) -> dict[str, Evidence]:
        channel = through_channel(Channel(LETTERS, LETTERS, matrix))
        return by_leaf(collect(protected_column(table(), "illness", channel, Simulated(2))))

    raw, null, even = through(np.eye(3)), through(np.tile(p, (3, 1))), through(np.full((3, 3), 1 / 3))
    for leaf in ("3", "6", "7", "8", "10", "11", "12", "13", "28"):
        assert value(raw[leaf]) == pytest.approx(raw[leaf].raw, abs=2e-3), leaf
    for leaf in ("3", "6", "7", "10", "11", "12"):
        assert value(null[leaf]) == pytest.approx(null[leaf].null, abs=0.1), leaf
    for leaf in ("8", "13", "28"):
        assert value(even[leaf]) == pytest.approx(even[leaf].null, abs=2e-3), leaf
    for leaf in ("8", "10", "11", "28"):
        assert position(even[leaf]) == pytest.approx(1.0, abs=0.03), leaf


def test_sets_are_measured_but_lie_at_no_distance() -> None:
    for mechanism in (unary_encoding(1.0, letters=LETTERS), subset_selection(1.0, letters=LETTERS)):
        made = protected_column(table(), "illness", mechanism, Simulated(2))
        found = by_leaf(collect(made))
        # Unary encoding gives any set of letters, so that its entropy is beyond that of one letter.
        assert isinstance(made.setting, LetterSetting)
        assert found["8"].null == pytest.approx(math.log2(len(made.setting.channel.matrix[0])))
        foreign = mechanism.name == "unary-encoding"
        assert all((found[leaf].standing is Standing.MISSING) == foreign for leaf in ("10", "11", "13"))


def test_intervals_of_numbers_are_letters() -> None:
    bins = [Interval(None, 30), Interval(30, 45), Interval(45, None)]
    found = by_leaf(collect(protected_column(table(), "age", randomized_response(2.0, letters=bins), Simulated(3))))
    shares = np.bincount(np.digitize(ROWS["age"].to_numpy(), [30, 45])) / 3000
    assert found["6"].raw == pytest.approx(-sum(p * math.log2(p) for p in shares.tolist()))
    assert found["9"].standing is Standing.MISSING


SECRET, KNOWN = ["x", "y", "z"], ["u", "v"]
MATRIX = np.array(
    [[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]
)


@pytest.fixture(scope="module")
def pairs() -> pa.Table:
    draws = simulation(6)
    known = draws.integers(2, size=4000)
    secret = np.where(draws.random(4000) < 0.5, draws.integers(3, size=4000), known)
    return pa.table({"a": [SECRET[at] for at in secret.tolist()], "c": [KNOWN[at] for at in known.tolist()]})


def test_what_is_public_is_no_secret(pairs: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> None:
    channel = NamedChannel(Channel(list(product(SECRET, KNOWN)), SECRET, MATRIX), ("a", "c"), ("a",))
    place = tmp_path_factory.mktemp("release") / "out.parquet"
    release = ReleasePlan({"a": channel}, public=["c"]).apply(open_table(pairs), place, randomness=Simulated(5))
    made = protected_of_release(release, open_table(pairs))
    found = by_leaf(collect(made))
    rows = list(zip(pairs["a"].to_pylist(), pairs["c"].to_pylist(), strict=True))
    joint = np.array([[[rows.count((a, c)) / len(rows)] for c in KNOWN] for a in SECRET]) * MATRIX.reshape(3, 2, 3)
    told = whole = 0.0
    for c in range(2):
        part = joint[:, c, :]
        mass, p, r = part.sum(), part.sum(axis=1), part.sum(axis=0)
        told += float((part * np.log2(part * mass / np.outer(p, r))).sum())
        whole -= float((p * np.log2(p / mass)).sum())
    assert lies_about(found["6"], told) and lies_about(found["7"], told / whole)
    assert found["6"].raw == pytest.approx(whole) and "given what is public" in str(found["6"].source)
    assert isinstance(made.setting, LetterSetting)
    changed = float(np.mean(made.setting.letters[1][made.inputs.astype(int)] != made.outputs))
    own = joint.sum(axis=(1, 2))
    assert value(found["10"]) == pytest.approx(2 * changed / (1 - float(own @ own)))
    with pytest.raises(ColumnError, match="'c' is released unchanged"):
        source_of(open_table(pairs), "c", public=["c"])
