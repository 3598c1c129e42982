"""Small tables with secrets, public columns and noise of a seed."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from leakgauge.artefacts import Audit, Request
from leakgauge.artefacts.verdict import Judgement
from leakgauge.assessment.scores.policy import Policy
from leakgauge.jobs.audit import audit_release
from leakgauge.jobs.protect.judged import Judging, rehearsed
from leakgauge.jobs.protect.sources import open_sources
from leakgauge.randomness import Simulated, simulation
from leakgauge.release import Release, release
from leakgauge.tables import Table


def households(place: Path, rows: int = 1500, seed: int = 1) -> str:
    """People with a status that depends on their age and trade, and a number that names each of them."""
    draw = simulation(seed)
    trade = draw.choice(["farm", "shop", "office"], rows, p=[0.3, 0.3, 0.4])
    age = draw.integers(18, 80, rows)
    chance = np.stack([np.where(age > 40, 0.7, 0.3), np.where(trade == "shop", 0.4, 0.2)], axis=1)
    chance = np.column_stack([chance, np.full(rows, 0.3)])
    chance /= chance.sum(axis=1, keepdims=True)
    status = np.array(["married", "single", "widowed"])[(draw.random((rows, 1)) > chance.cumsum(axis=1)).sum(axis=1)]
    columns = {"patient_id": np.arange(rows), "trade": trade, "age": age, "status": status}
    columns["town"] = draw.choice(["a", "b"], rows)
    pq.write_table(pa.table(columns), place)
    return str(place)


def drawn(asked: Request, table: Table, folder: Path) -> tuple[Release, Audit]:
    """The release of a job and its audit, without what the job keeps beside them."""
    with ExitStack() as opened:
        sources = open_sources(asked, table, opened)
        made = release(rehearsed(sources, {}), table, folder / "release.csv", randomness=Simulated(7), overwrite=True)
        bins = {name: how for name, how in sources.bins.items() if name not in asked.roles.released}
    audit = audit_release(
        made,
        table,
        background=asked.roles.background,
        secret=asked.roles.released_secrets,
        withheld=asked.roles.withhold,
        unit=asked.roles.unit,
        bins=bins,
        targets=200,
    )
    return made, audit


def judged(asked: Request, table: Table, folder: Path, policy: Policy = Policy()) -> Judgement:  # noqa: B008
    """The verdict on a drawn release of the job."""
    return Judging(table, policy).drawn(asked, *drawn(asked, table, folder))
