"""Addresses of tables in PostgreSQL, and what of them may be shown."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from leakgauge.errors import TableError

SCHEMES: Final = ("postgresql://", "postgres://")
CONNECT_SECONDS: Final = 10
"""How long a server may take to answer, unless the address or PGCONNECT_TIMEOUT says otherwise."""
# A connection that was cut without a word is noticed within a minute.
_DEFAULTS: Final = {
    "application_name": "leakgauge",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
_SECRET: Final = ("password", "sslpassword")


@dataclass(frozen=True)
class Address:
    """Where a table is.

    Attributes:
        server: what the driver connects to, without a password: that is in the environment or in a file of libpq.
        table: as it was typed, None where none was.
        shown: the server and the database, without user and options.
    """

    server: str
    table: str | None
    shown: str

    @classmethod
    def of(cls, text: str) -> Address:
        """The address that was typed.

        Raises:
            TableError: it holds a password, or is not an address.
        """
        place, _, table = text.partition("#")
        try:
            parts = urlsplit(place)
            options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        except ValueError:
            raise TableError(
                "The address of the PostgreSQL server is not well-formed; give one such as "
                "postgresql://host/database#schema.table."
            ) from None
        if ":" in parts.netloc.rpartition("@")[0] or any(name in options for name in _SECRET):
            raise TableError(
                "The address of the PostgreSQL server holds a password, which other programs can see; leave it out, "
                "and put it into PGPASSWORD or ~/.pgpass."
            )
        defaults = dict(_DEFAULTS)
        if "PGCONNECT_TIMEOUT" not in os.environ:
            defaults["connect_timeout"] = str(CONNECT_SECONDS)
        query = urlencode({**defaults, **options}, quote_via=quote)
        server = urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))
        return cls(server, table or None, without_secrets(place))


def without_user(source: str) -> str:
    """What a job may keep of where its table is: of a server the host, the database and the table; a file as it is."""
    if not source.startswith(SCHEMES):
        return source
    place, mark, table = source.partition("#")
    return f"{without_secrets(place)}{mark}{table}"


def without_secrets(address: str) -> str:
    """The address without user, password and options."""
    try:
        parts = urlsplit(address)
        place = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{place}{parts.path}"
    except ValueError:
        return "postgresql://…"
