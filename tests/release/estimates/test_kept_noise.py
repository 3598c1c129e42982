"""Intervals of recipients where rows of one person share their noise: that many rows count as one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from leakgauge.mechanisms import randomized_response
from leakgauge.randomness import simulation
from leakgauge.randomness.keyed import NoiseKey, framed
from leakgauge.release.estimates import estimate

LETTERS, SHARES = ("a", "b", "c"), (0.5, 0.3, 0.2)
PEOPLE, ROWS, RUNS = 150, 3, 150


def test_intervals_cover_the_shares_though_the_rows_of_a_person_share_their_draw() -> None:
    answer, draws, key = randomized_response(1.5, letters=LETTERS), simulation(5), NoiseKey(bytes(32))
    covered = {1: 0, ROWS: 0}
    for run in range(RUNS):
        values = draws.choice(3, size=PEOPLE, p=SHARES)
        words = key.words(framed(str(run).encode()), [framed(str(one).encode()) for one in range(PEOPLE)])
        drawn = answer.law.draw_by_words(values, words)
        released = pa.table({"answer": [LETTERS[at] for at in np.repeat(drawn, ROWS)]})
        for rows in covered:
            cells = estimate(released, {"answer": answer}, rows_per_unit=rows).shares("answer").cells
            found = {str(one.value): one.estimate for one in cells}
            covered[rows] += sum(
                found[one].ends[0] <= share <= found[one].ends[1] for one, share in zip(LETTERS, SHARES, strict=True)
            )
    shares = {rows: count / (RUNS * len(LETTERS)) for rows, count in covered.items()}
    assert shares[ROWS] >= 0.95 and shares[1] < 0.85, shares
