"""Processes to be killed: forked from one that has loaded what they need, so that a hundred of them cost little."""

from __future__ import annotations

import multiprocessing

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    [
        "tests.jobs.test_going_on",
        "tests.release.test_kills",
        "tests.release.ledger.test_periods",
        "tests.release.ledger.test_processes",
        "pyarrow.parquet",
        "scipy.optimize",
        "scipy.fft",
        "psycopg",
    ]
)
