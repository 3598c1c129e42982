"""Tables in PostgreSQL on the page: opened by their address, and refused where they changed since."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pyarrow as pa

from tests.postgres import in_postgresql
from tests.web.serving import running


def test_a_table_in_postgresql_is_opened_by_its_address(server: str, tmp_path: Path) -> None:
    address = in_postgresql(server, pa.table({"city": ["A", "B"] * 20, "illness": ["flu", "none", "cold", "flu"] * 10}))
    with running(tmp_path) as served:
        opened = served.post("/api/tables", {"path": address}).fields
        assert (opened["rows"], opened["path"], opened["dropped"]) == (40, address, False)
        asked = {"table": opened["id"], "secret": ["illness"], "background": ["city"]}
        assert served.post("/api/measure", asked).status == 200
        name = address.rpartition("#")[2]
        with psycopg.connect(server, autocommit=True) as sql:
            sql.execute(f"""DELETE FROM "{name}" WHERE illness = 'cold'""".encode())
        changed = served.post("/api/measure", asked)
        assert changed.status == 409 and "has changed since it was opened; open it again" in changed.error
        # An address with a password is refused, and does not come back.
        refused = served.post("/api/tables", {"path": address.replace("tester@", "tester:sesame-4711@")})
        assert refused.status == 400 and "holds a password" in refused.error and "sesame" not in refused.error
