"""Every test of the ledger runs on both stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leakgauge.release.ledger import Ledger, open_ledger


@pytest.fixture
def postgresql(server: str) -> str:
    """The address of a server without a ledger."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute("DROP SCHEMA IF EXISTS leakgauge CASCADE")
    return server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where there is no ledger yet."""
    if request.param == "sqlite":
        return str(tmp_path / "budget.ledger")
    found: str = request.getfixturevalue("postgresql")
    return found


@pytest.fixture
def ledger(address: str) -> Iterator[Ledger]:
    with open_ledger(address, create=True) as opened:
        yield opened
