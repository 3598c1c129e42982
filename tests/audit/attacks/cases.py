"""Releases of small tables, and the same case released again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from leakgauge.case.drawn import Drawn
from leakgauge.case.reading import read_drawn
from leakgauge.mechanisms import Mechanism
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import Release, ReleasePlan
from leakgauge.tables import Table, open_table

Planned = Mapping[str, Mechanism | Channel | NamedChannel | str]
RESPONSE = "randomized-response:epsilon={epsilon},letters=this-table"


def people(rows: int = 3000, seed: int = 11) -> pa.Table:
    """An illness that goes with the city, a salary that goes with the illness."""
    draws = simulation(seed)
    city = draws.integers(4, size=rows)
    illness = (city + draws.choice(5, size=rows, p=[0.4, 0.3, 0.15, 0.1, 0.05])) % 5
    salary = 1000 + 300 * illness + draws.integers(500, size=rows)
    return pa.table(
        {
            "city": [f"city {at}" for at in city.tolist()],
            "illness": [f"illness {at}" for at in illness.tolist()],
            "salary": salary,
            "sex": draws.choice(["f", "m"], size=rows).tolist(),
        }
    )


def released(
    table: Table, columns: Planned, place: Path, *, public: Sequence[str] = (), seed: int = 5, name: str = "out.parquet"
) -> Release:
    """A simulated release."""
    return ReleasePlan(columns, public=public).apply(table, place / name, randomness=Simulated(seed), overwrite=True)


def case_of(
    data: pa.Table,
    columns: Planned,
    place: Path,
    *,
    public: Sequence[str] = (),
    secret: str | None = None,
    withheld: Sequence[str] = (),
    background: Sequence[str] = (),
    unit: str | None = None,
    seed: int = 5,
    targets: int = 2000,
) -> Drawn:
    """The case of a simulated release of a table."""
    table = open_table(data)
    made = released(table, columns, place, public=public, seed=seed)
    return read_drawn(made, table, secret=secret, withheld=withheld, background=background, unit=unit, targets=targets)


def again(drawn: Drawn, seed: int) -> Drawn:
    """The same table released afresh, and attacked with other splits."""
    noise = Simulated(seed)
    fresh = {id(one): replace(one, outputs=one.law.draw(one.inputs, noise)) for one in drawn.columns}
    return replace(
        drawn,
        columns=tuple(fresh[id(one)] for one in drawn.columns),
        secrets=tuple(replace(one, column=fresh.get(id(one.column))) for one in drawn.secrets),
        simulation_seed=1000 + seed,
    )
