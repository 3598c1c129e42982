"""Small tables, and the leaves of a release of them."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from leakgauge.artefacts.evidence import Evidence
from leakgauge.randomness import simulation
from leakgauge.tables import Table, open_table

LETTERS = ["cold", "flu", "none"]


def people(rows: int = 3000, seed: int = 11) -> pa.Table:
    """An illness that goes with the city, an age that goes with the illness, and a day that goes with nothing."""
    draws = simulation(seed)
    city = draws.integers(4, size=rows)
    illness = (city + draws.choice(3, size=rows, p=[0.6, 0.3, 0.1])) % 3
    age = 30 + 12 * illness + draws.normal(size=rows) * 9
    return pa.table(
        {
            "illness": [LETTERS[at] for at in illness.tolist()],
            "city": [f"city {at}" for at in city.tolist()],
            "age": age,
            "children": draws.integers(5, size=rows),
            "member": draws.integers(2, size=rows).astype(bool),
            "day": pa.array(draws.integers(20000, size=rows).astype("int32"), pa.date32()),
        }
    )


def table(rows: int = 3000) -> Table:
    """Opened."""
    return open_table(people(rows))


def by_leaf(evidence: Iterable[Evidence]) -> dict[str, Evidence]:
    """Found by key."""
    return {one.leaf: one for one in evidence}


def value(evidence: Evidence) -> float:
    """The raw value, which must be there."""
    assert evidence.value is not None, evidence.source
    return evidence.value


def position(evidence: Evidence) -> float:
    """Where it stands from 0 to 1."""
    assert evidence.scale is not None
    return float(evidence.scale.position(value(evidence)))
