"""What went wrong in PostgreSQL, told without its own words: those quote values, queries and addresses."""

from __future__ import annotations

import re
from collections.abc import Callable

from leakgauge.errors import ColumnError, EngineError, LeakgaugeError, TableError
from leakgauge.tables import arrow as pa
from leakgauge.tables.failures import Result, without_values

_ANSWERED = ":  "
"""Follows the server's word for how grave it is, in whatever language; the driver's own words have one space."""
_NO_PASSWORD = "no password supplied"
_NO_SUCH_OPTION = ("invalid", "bad value")
_NOT_SAFE = ("SSL", "certificate", "channel binding")
_BUSY = ("too many", "starting up", "shutting down", "recovery", "remaining connection slots")
_CANCELLED, _NO_RIGHT, _OUT_OF_RANGE = "57014", "42501", "22003"
_NO_ROOM = ("53100", "53200", "54000")
_SNAPSHOT_GONE = ("40001", "72000")
_LOST = ("08", "57P", "22023")
"""Beginnings of the codes of a connection that is lost, and with it the snapshot that others read."""


def guarded(place: str, action: Callable[[], Result]) -> Result:
    """What the action gives; what the driver raises in it becomes one sentence about ``place``, free of any value."""
    import adbc_driver_manager as adbc

    failures = (adbc.Error, pa.ArrowException, OSError)
    return without_values(action, failures, lambda error: _sentence(getattr(error, "sqlstate", None), place))


def connected(server: str, connect: Callable[[], Result]) -> Result:
    """The connection; what the driver raises becomes one sentence, free of user and password."""
    import adbc_driver_manager as adbc

    return without_values(connect, adbc.Error, lambda error: refusal(str(error), server))


def refusal(said: str, server: str) -> LeakgaugeError:
    """What to raise where no connection could be made, by what the library of the server said."""
    said = re.sub('"[^"]*"', "", said)  # names of hosts and users, which may hold any of these words
    if _ANSWERED in said or _NO_PASSWORD in said:
        if any(words in said for words in _BUSY):
            return EngineError("PostgreSQL at {server} takes no more connections for now; try again.", server=server)
        return TableError(
            "PostgreSQL at {server} refuses the connection; check the database and the user, and the password in "
            "PGPASSWORD or ~/.pgpass.",
            server=server,
        )
    if any(words in said for words in _NO_SUCH_OPTION):
        return TableError(
            "An option of the connection to PostgreSQL at {server} is unknown or has a value that it cannot have; "
            "check what follows the question mark, and the variables that begin with PG.",
            server=server,
        )
    if any(words in said for words in _NOT_SAFE):
        return TableError(
            "PostgreSQL at {server} offers no connection as safe as required; check sslmode and the certificates.",
            server=server,
        )
    return EngineError(
        "PostgreSQL at {server} cannot be reached; check the host and the port, and that the server runs.",
        server=server,
    )


def _sentence(state: str | None, place: str) -> LeakgaugeError:
    if state == _CANCELLED:
        return EngineError("The query of {place} was cancelled on the server; try again.", place=place)
    if state == _NO_RIGHT:
        return TableError(
            "{place} may not be read by this user; ask its owner for the right to SELECT from it.", place=place
        )
    if state == _OUT_OF_RANGE:
        return ColumnError(
            "{place} has a column with infinite or too large numbers, so it has no moments; declare them missing.",
            place=place,
        )
    if state in _NO_ROOM:
        return EngineError(
            "Reading {place} needs more memory or disk than the server has; bin a column, choose coarser ones, or use "
            "fewer.",
            place=place,
        )
    if state in _SNAPSHOT_GONE:
        return EngineError(
            "The server could not keep the rows of {place} as they were when it was opened; open it again.",
            place=place,
        )
    if state is None or state.startswith(_LOST):
        return EngineError(
            "The connection to {place} was lost; look at the server, then open the table again.", place=place
        )
    return EngineError(
        "PostgreSQL could not read {place} (error {state}); look at the server's log, then open the table again.",
        place=place,
        state=state,
    )
