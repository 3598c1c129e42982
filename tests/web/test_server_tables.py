"""Opening tables: by path inside the folder, or dropped; nothing outside, nothing left behind."""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import duckdb
import openpyxl
import pytest

from leakgauge.errors import LeakgaugeError
from leakgauge.web.questions import OutsideError
from leakgauge.web.reach import Reach
from leakgauge.web.workspace import Workspace
from tests.web.serving import Served, Started, running
from tests.web.tables import folder_with_people, people

Serving = Callable[..., Started]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("tables")
    (place / "secret.csv").write_bytes(people())
    folder = folder_with_people(place / "data")
    (folder / "notes.txt").write_text("no table\n", encoding="utf-8")
    (folder / "broken.parquet").write_bytes(b"PAR1 but not really")
    (folder / "empty.csv").write_bytes(b"")
    (folder / ".hidden.csv").write_bytes(people())
    (folder / "link.csv").symlink_to(place / "secret.csv")
    (folder / "inner.csv").symlink_to(folder / "people.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "away").symlink_to(place)
    os.mkfifo(folder / "pipe.csv")
    with running(folder, max_upload=1) as server:
        yield server


def test_a_table_is_opened_by_its_path(served: Served) -> None:
    answer = served.post("/api/tables", {"path": "people.csv"})
    assert answer.status == 200
    fields = answer.fields
    assert (fields["name"], fields["rows"]) == ("people.csv", 400)
    assert fields["columns"] == [
        {"name": "city", "kind": "text"},
        {"name": "age", "kind": "whole numbers"},
        {"name": "illness", "kind": "text"},
    ]
    again = served.post("/api/tables", {"path": str(served.folder / "people.csv")}).fields
    assert again["id"] == fields["id"], "the same file by an absolute path"
    state = served.get("/api/state").fields
    assert [table for table in state["tables"] if table["id"] == fields["id"]] == [fields]
    assert state["folder"] == "data" and state["limit_bytes"] == 1 << 20


def test_files_that_can_be_opened_are_listed(served: Served) -> None:
    assert served.get("/api/files").fields == {"files": ["broken.parquet", "empty.csv", "inner.csv", "people.csv"]}


def test_a_workbook_is_listed_opened_and_dropped(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["city", "age"])
    book.worksheets[0].append(["A", 34])
    book.save(tmp_path / "one.xlsx")
    book.copy_worksheet(book.worksheets[0]).title = "More"
    book.save(tmp_path / "two.xlsx")
    with running(tmp_path, max_upload=1) as server:
        assert server.get("/api/files").fields == {"files": ["one.xlsx", "two.xlsx"]}
        columns = [{"name": "city", "kind": "text"}, {"name": "age", "kind": "whole numbers"}]
        assert server.post("/api/tables", {"path": "two.xlsx#More"}).fields["columns"] == columns
        assert "name one, as in 'two.xlsx#Sheet'" in server.post("/api/tables", {"path": "two.xlsx"}).error
        assert server.drop("one.xlsx", (tmp_path / "one.xlsx").read_bytes()).fields["columns"] == columns


@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv",
        "../data/../secret.csv",
        "{outside}",
        "/etc/passwd",
        "link.csv",
        "away/secret.csv",
        "..",
        "../*.parquet",
        "../secret.csv#table",
        "/nowhere/at/all.csv",
        "../nowhere.csv",
    ],
)
def test_nothing_outside_the_folder_is_opened(served: Served, path: str) -> None:
    outside = served.folder.parent / "secret.csv"
    answer = served.post("/api/tables", {"path": path.format(outside=outside)})
    assert answer.status == 403
    # The same sentence whether or not something is there.
    assert answer.error == ("This path is outside the folder that is served; copy the file into it, or drop it.")


def test_a_link_inside_the_folder_is_fine(served: Served) -> None:
    assert served.post("/api/tables", {"path": "inner.csv"}).status == 200


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("notes.txt", "unknown ending"),
        ("broken.parquet", "not a complete Parquet file"),
        ("empty.csv", "empty"),
        ("nothing.csv", "no file"),
        ("pipe.csv", "not a regular file"),
        ("x" * 5000 + ".csv", ""),
        ("a\0b.csv", "path"),
        ("", "text"),
        (7, "text"),
        (["people.csv"], "text"),
    ],
)
def test_what_is_no_table_is_told_in_one_sentence_without_the_place(served: Served, path: object, said: str) -> None:
    answer = served.post("/api/tables", {"path": path})
    assert answer.status == 400 and said in answer.error
    assert str(served.folder.parent) not in answer.error


def test_a_link_to_itself_is_told_too(served: Served) -> None:
    answer = served.post("/api/tables", {"path": "loop.csv"})
    assert answer.status in (400, 403) and str(served.folder) not in answer.error


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'"x"', b"[" * 100_000])
def test_what_is_no_question_is_told(served: Served, body: bytes) -> None:
    answer = served.send("POST", "/api/tables", body)
    assert answer.status == 400 and answer.error


def test_a_question_of_more_than_a_mebibyte_is_not_read(served: Served) -> None:
    answer = served.send("POST", "/api/tables", json.dumps({"path": "x" * (1 << 20)}).encode())
    assert answer.status == 413


def test_a_dropped_file_is_a_table_and_kept_private(served: Served) -> None:
    answer = served.drop("mine.csv", people(50))
    assert answer.status == 200 and answer.fields["rows"] == 50 and answer.fields["name"] == "mine.csv"
    held = _drops(served)
    assert len(held) == 1 and stat.S_IMODE(held[0].stat().st_mode) == 0o700
    assert [path.name for path in held[0].rglob("*.csv")] == ["mine.csv"]
    assert served.drop("mine.csv", people(50)).fields["id"] == answer.fields["id"]
    assert len(list(held[0].rglob("*.csv"))) == 1, "the second copy is not kept"


@pytest.mark.parametrize(
    "name", ["../../x.csv", "..\\..\\x.csv", "/etc/x.csv", "C:\\x.csv", "a/b/../x.csv", "x\r\n.csv"]
)
def test_the_name_of_a_drop_is_only_a_name(served: Served, name: str) -> None:
    answer = served.drop(quote(name, safe=""), people(60))
    assert answer.status == 200 and answer.fields["name"] == "x.csv"
    assert not list(served.folder.parent.rglob("x.csv")) and not Path("/etc/x.csv").exists()


@pytest.mark.parametrize("name", ["", ".", "..", "../..", "a/", "y" * 300 + ".csv", "%ff.txt", "plain"])
def test_a_drop_without_a_name_of_a_table_is_refused_and_not_kept(served: Served, name: str) -> None:
    before = _kept(served)
    answer = served.drop(name if name.startswith("%") else quote(name, safe=""), people(30))
    assert answer.status == 400 and "leakgauge-" not in answer.error
    assert _kept(served) == before


def test_a_dropped_file_that_is_no_table_is_not_kept(served: Served) -> None:
    before = _kept(served)
    for name, body in (
        ("a.parquet", b"no"),
        ("b.csv", b""),
        ("c.xlsx", b"PK"),
        ("d.csv", b"a,b\n1,2,3\n4,5\n"),
        ("e.csv", b"\xff\xfe\x00"),
    ):
        answer = served.drop(name, body)
        assert answer.status == 400 and repr(name) in answer.error, name
        assert "leakgauge-" not in answer.error
    assert _kept(served) == before


def test_a_drop_of_two_gigabytes_is_refused_at_once(served: Served) -> None:
    before = _kept(served)
    answer = served.send("PUT", "/api/drop?name=x.csv", None, served.headers(Content_Length=str(2 << 30)))
    assert answer.status == 413 and "1,048,576" in answer.error
    assert _kept(served) == before


def test_a_drop_that_does_not_say_its_size_is_cut_at_the_limit(served: Served) -> None:
    before = _kept(served)
    headers = "".join(f"{name}: {value}\r\n" for name, value in served.headers(Transfer_Encoding="chunked").items())
    piece = b"10000\r\n" + b"a,b\n" * (1 << 14) + b"\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(f"PUT /{served.door}/api/drop?name=big.csv HTTP/1.1\r\n{headers}\r\n".encode())
        for _ in range(16):
            connection.sendall(piece)
        # Just past the limit, and the body is not at its end: the answer comes all the same.
        connection.sendall(b"4\r\na,b\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")
    assert _kept(served) == before


def test_a_drop_that_breaks_off_is_not_kept(served: Served) -> None:
    before = _kept(served)
    headers = "".join(f"{name}: {value}\r\n" for name, value in served.headers(Content_Length="100000").items())
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(f"PUT /{served.door}/api/drop?name=part.csv HTTP/1.1\r\n{headers}\r\na,b\n1,2\n".encode())
    assert served.get("/api/state").status == 200
    for _ in range(100):
        if _kept(served) == before:
            break
        served.get("/api/files")
    assert _kept(served) == before


def test_all_dropped_files_together_have_a_limit_and_can_be_removed(served: Served) -> None:
    state = served.get("/api/state").fields
    assert state["limit_total_bytes"] == 4 << 20 and state["dropped_bytes"] < 1 << 20
    before = _kept(served)
    made = {f"large{at}.csv": b"a,b\n" + f"{at},2\n".encode() * 250_000 for at in range(5)}
    tables = []
    for name, body in made.items():
        answer = served.drop(name, body)
        if answer.status != 200:
            break
        tables.append(answer.fields)
    assert answer.status == 413 and "remove one" in answer.error and "4,194,304" in answer.error
    assert 3 <= len(tables) <= 4
    full = served.get("/api/state").fields["dropped_bytes"]
    assert full == state["dropped_bytes"] + sum(len(made[table["name"]]) for table in tables)
    first = tables.pop(0)
    left = served.delete(f"/api/tables/{first['id']}")
    assert left.status == 200 and first["id"] not in [table["id"] for table in left.fields["tables"]]
    assert not [path for path in _kept(served) if path.endswith(first["name"])]
    assert served.post("/api/measure", {"table": first["id"], "secret": ["a"]}).status == 404
    again = served.drop("again.csv", made["large4.csv"])
    assert again.status == 200 and again.fields["dropped"] and again.fields["path"] is None
    for table in (*tables, again.fields):
        assert served.delete(f"/api/tables/{table['id']}").status == 200
    assert _kept(served) == before and served.get("/api/state").fields["dropped_bytes"] == state["dropped_bytes"]


def test_only_what_was_dropped_is_removed(served: Served) -> None:
    table = served.open("people.csv")
    answer = served.delete(f"/api/tables/{table}")
    assert answer.status == 400 and "'people.csv' was not dropped" in answer.error
    assert (served.folder / "people.csv").exists() and served.open("people.csv") == table
    assert served.delete("/api/tables/0123456789abcdef").status == 404


def test_the_folder_itself_can_be_a_table_of_parquet_files(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    (folder / "inner").mkdir(parents=True)
    workspace = Workspace(Reach(folder), 1 << 20)
    with pytest.raises(LeakgaugeError, match="a folder without Parquet files") as refused:
        workspace.open(".")
    assert str(tmp_path) not in str(refused.value)
    for at in range(2):
        place = str(folder / f"{at}.parquet")
        duckdb.execute(f"COPY (SELECT {at} AS part, range AS number FROM range(10)) TO '{place}'")
    table = workspace.open(".")
    assert (table.name, table.rows, table.path) == ("parts", 20, ".")
    assert workspace.open("inner/..") is table and workspace.open(str(folder)) is table
    # As a job sees it, which runs in the folder.
    assert Path(table.address).name == "parts" and (table.place / table.address).resolve() == folder
    (tmp_path / "secret.parquet").write_bytes((folder / "0.parquet").read_bytes())
    (folder / "2.parquet").symlink_to(tmp_path / "secret.parquet")
    with pytest.raises(OutsideError):
        workspace.open(".")


def test_what_was_dropped_is_gone_when_the_server_ends(serving: Serving, tmp_path: Path) -> None:
    server = serving(folder_with_people(tmp_path / "data"))
    assert server.drop("mine.csv", people(50)).status == 200
    held = _drops(server)
    assert len(held) == 1
    assert server.stop() == 0
    assert not held[0].exists()
    assert server.process.stdout is not None and server.process.stderr is not None
    assert server.process.stdout.read() == "The page is closed.\n"
    assert server.process.stderr.read() == ""


def test_errors_are_told_in_chinese(served: Served) -> None:
    for path in ("notes.txt", "../x.csv", "nothing.csv"):
        answer = served.post("/api/tables", {"path": path}, Cookie=f"{served.cookie}; leakgauge_language=zh")
        assert any("\u4e00" <= letter <= "\u9fff" for letter in answer.error), answer.error


def _drops(served: Served) -> list[Path]:
    """The folders of drops that this server holds."""
    return list(served.temporary.glob("leakgauge-*"))


def _kept(served: Served) -> list[str]:
    return sorted(str(path) for place in _drops(served) for path in place.rglob("*"))
