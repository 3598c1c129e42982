"""k, l, t, α, β and δ of Adult, coarsened until every group has 5 rows, are those of pyCANON.

The numbers are those of pycanon 1.3.6 (Sáinz-Pardo Díaz and López García, Scientific Data 9, 2022), run in an
environment of its own on the rows that ``coarse_adult`` makes. pyCANON cuts the l of entropy diversity down to a whole
number.
"""

from __future__ import annotations

import pytest

from leakgauge.audit.anonymity import anonymity
from tests.jobs.adult_levels import COLUMNS, coarse_adult

PYCANON = {
    # k, distinct l, entropy l, t, α, basic β, enhanced β, δ
    "occupation": (
        5,
        2,
        1,
        0.8275603880460968,
        0.8333333333333334,
        226.54074074074074,
        8.135379503639355,
        5.427329302537144,
    ),
    "hours_per_week": (5, 1, 1, 0.2743098333994917, 1.0, 6142.6, 10.332604080975573, 8.723166168541473),
}


@pytest.mark.parametrize("secret", PYCANON)
def test_agrees_with_pycanon(secret: str) -> None:
    found = anonymity(coarse_adult(), COLUMNS, secret)
    one = found.diversity
    assert one is not None
    ours = (
        found.k,
        one.distinct,
        int(one.entropy),
        one.closeness if one.ordered_closeness is None else one.ordered_closeness,
    )
    assert (*ours, one.largest_share, one.likeness, one.enhanced_likeness, one.disclosure) == pytest.approx(
        PYCANON[secret], rel=1e-9
    )
