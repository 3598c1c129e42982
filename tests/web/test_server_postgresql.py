"""Tables in PostgreSQL on the page: opened by their address, and refused where they changed since."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pyarrow as pa

from tests.postgres import in_postgresql
from tests.web.serving import running
from tests.web.tables import people


def test_a_table_in_postgresql_is_opened_by_its_address(server: str, tmp_path: Path) -> None:
    address = in_postgresql(server, pa.table({"city": ["A", "B"] * 20, "illness": ["flu", "none", "cold", "flu"] * 10}))
    place = address.partition("#")[0]
    with running(tmp_path, databases=[place]) as served:
        opened = served.post("/api/tables", {"path": address}).fields
        assert (opened["rows"], opened["path"], opened["dropped"]) == (40, address, False)
        asked = {"table": opened["id"], "secret": ["illness"], "background": ["city"]}
        assert served.post("/api/measure", asked).status == 200
        name = address.rpartition("#")[2]
        with psycopg.connect(server, autocommit=True) as sql:
            sql.execute(f"""DELETE FROM "{name}" WHERE illness = 'cold'""".encode())
        changed = served.post("/api/measure", asked)
        assert changed.status == 409 and "has changed since it was opened; open it again" in changed.error
        # Another user, another host or an option that names a file is another address, told without what it holds.
        for other in (
            address.replace("tester@", "tester:sesame-4711@"),
            address.replace("127.0.0.1", "127.0.0.2"),
            f"{place}?passfile=/etc/shadow#{name}",
        ):
            refused = served.post("/api/tables", {"path": other})
            assert refused.status == 403 and "start it with --database" in refused.error
            assert "sesame" not in refused.error and "shadow" not in refused.error
        # A budget may be kept in the same database, and in no other.
        table = served.drop("people.csv", people()).fields["id"]
        question = {"table": table, "secret": ["illness"], "max_distortion": 0.2}
        kept = served.post("/api/jobs", {**question, "ledger": place})
        assert kept.status == 202 and served.ended(kept.fields["id"])["state"] in ("refused", "failed", "done")
        assert served.post("/api/jobs", {**question, "ledger": f"{place}x"}).status == 403


def test_no_server_is_asked_where_none_was_named(server: str, tmp_path: Path) -> None:
    address = in_postgresql(server, pa.table({"city": ["A", "B"]}))
    with running(tmp_path) as served:
        refused = served.post("/api/tables", {"path": address})
        assert refused.status == 403 and "The page was not started with the server" in refused.error
