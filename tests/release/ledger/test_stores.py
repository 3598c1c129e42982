"""What differs between the stores: files, locks, servers, secrets."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from leakgauge.errors import BudgetError, EngineError, FileError, OptionError, VerificationError
from leakgauge.mechanisms.steps import LaplaceNoise
from leakgauge.release.ledger import ApproximateLimit, open_ledger, postgresql, sqlite
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.ledger import ledger_files
from tests.postgres import PASSWORD

COST = Cost((LaplaceNoise(0.1),))


def test_a_file_is_for_its_owner_only_and_alone_in_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "with space?#%.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"not a ledger\n" * 100])
def test_another_file_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for create in (False, True):
        with pytest.raises(FileError, match="is not a ledger"):
            open_ledger(path, create=create)
    assert path.read_bytes() == content


def test_another_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE entries (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(FileError, match="is not a ledger"):
        open_ledger(path, create=True)
    assert path.read_bytes() == before


def test_places_that_cannot_hold_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is a folder"):
        open_ledger(tmp_path, create=True)
    for create in (False, True):
        with pytest.raises(FileError, match="does not exist; make it first"):
            open_ledger(tmp_path / "missing" / "x.ledger", create=create)
    with pytest.raises(EngineError, match="could not be written"):
        open_ledger("/proc/x.ledger", create=True)
    with pytest.raises(FileError, match="not the address of a ledger"):
        open_ledger("mysql://root@localhost/x")


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "budget.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with open_ledger(path) as ledger, pytest.raises(VerificationError, match="damaged"):
        ledger.check()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entries SET body = CAST(x'ff' AS TEXT)",
        "UPDATE entries SET body = x'00'",
        "DROP TABLE entries",
    ],
)
def test_what_is_no_text_is_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "budget.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
    other = sqlite3.connect(path)
    other.execute("DROP TRIGGER entries_update")
    other.execute(damage)
    other.commit()
    other.close()
    with open_ledger(path) as ledger:
        for use in (ledger.check, ledger.accounts, lambda: ledger.spend("survey", COST, "a test", "one")):
            with pytest.raises(VerificationError):
                use()


def test_a_second_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_MAKING_SECONDS", 0.1)
    path, second = tmp_path / "budget.ledger", tmp_path / "second.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
        second.hardlink_to(path)
        with pytest.raises(FileError, match=r"has 2 names \(hard links\)"):
            ledger.spend("survey", COST, "a test", "one")
        for name in (path, second):
            with pytest.raises(FileError, match="keep one of them"):
                open_ledger(name)
        second.unlink()
        ledger.spend("survey", COST, "a test", "one")
        assert ledger.spent("survey").epsilon == 0.1


def test_a_ledger_that_was_moved_is_not_spent_from(tmp_path: Path) -> None:
    path, moved = tmp_path / "budget.ledger", tmp_path / "moved.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
        path.rename(moved)
        with pytest.raises(FileError, match="was moved or replaced"):
            ledger.spend("survey", COST, "a test", "one")
        with open_ledger(path, create=True), pytest.raises(FileError, match="was moved or replaced"):
            ledger.spend("survey", COST, "a test", "one")


def test_links_share_one_ledger(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "budget.ledger", tmp_path / "link.ledger"
    link.symlink_to(path)
    assert ledger_files(link) == ledger_files(str(path))
    with open_ledger(link, create=True) as one, open_ledger(path) as other:  # made where the link leads to
        one.open_account("survey", ApproximateLimit(0.15))
        one.spend("survey", COST, "a test", "one")
        assert sorted(path.parent.iterdir()) == sorted(ledger_files(link))
        with pytest.raises(BudgetError):
            other.spend("survey", COST, "a test", "two")
    assert link.is_symlink()
    astray = tmp_path / "astray.ledger"
    astray.symlink_to(tmp_path / "missing" / "x.ledger")
    with pytest.raises(FileError, match=r"The folder .*missing does not exist; make it first"):
        open_ledger(astray, create=True)
    astray.unlink()
    astray.symlink_to(astray)
    with pytest.raises(FileError, match="leads to itself"):
        open_ledger(astray, create=True)


def test_the_files_of_a_ledger(tmp_path: Path) -> None:
    names = [path.name for path in ledger_files(tmp_path / "a.b")]
    assert names == ["a.b", "a.b-wal", "a.b-shm"]
    assert ledger_files("postgresql://localhost/x") == ()


READING_ONLY = f"""
import os, sys
from {__name__} import COST, open_ledger
import leakgauge.notions.formulas
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere
with open_ledger(sys.argv[1]) as ledger:
    ledger.spend("survey", COST, "a test", "one")
"""


def test_a_file_that_may_not_be_written() -> None:
    with tempfile.TemporaryDirectory() as folder:  # not below the folder of the tests, which others may not enter
        path = Path(folder) / "budget.ledger"
        with open_ledger(path, create=True) as ledger:
            ledger.open_account("survey", ApproximateLimit(1.0))
        path.chmod(0o444)
        path.parent.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READING_ONLY, str(path)],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[3],
            check=False,
        )
        path.parent.chmod(0o755)
    assert "EngineError: The ledger" in done.stderr, done.stderr
    assert "could not be used: it may not be" in done.stderr


def test_a_locked_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "WAIT_SECONDS", 0.1)
    path = tmp_path / "budget.ledger"
    with open_ledger(path, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(EngineError, match=r"locked by another process for 0\.1 s; try again"):
            ledger.spend("survey", COST, "a test", "one")
        assert ledger.spent("survey").epsilon == 0.0
        other.execute("ROLLBACK")
        other.close()
        ledger.spend("survey", COST, "a test", "one")


def test_a_locked_server_is_told(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    from leakgauge.release.ledger import postgresql as store

    monkeypatch.setattr(store, "WAIT_SECONDS", 1.0)
    with open_ledger(postgresql, create=True) as ledger:
        ledger.open_account("survey", ApproximateLimit(1.0))
        with psycopg.connect(postgresql) as other:
            other.execute("LOCK TABLE leakgauge.entries IN EXCLUSIVE MODE")
            with pytest.raises(EngineError, match="locked by another process for 1 s; try again"):
                ledger.spend("survey", COST, "a test", "one")
            assert ledger.spent("survey").epsilon == 0.0
        ledger.spend("survey", COST, "a test", "one")


def test_a_password_is_never_shown(postgresql: str) -> None:
    with open_ledger(postgresql, create=True) as ledger:
        assert PASSWORD not in repr(ledger)
    for wrong in (
        postgresql.replace("/postgres", "/nowhere"),
        postgresql.replace("127.0.0.1", "127.0.0.1:x"),
        f"postgresql://tester:{PASSWORD}@127.0.0.1:1/x",
        f"postgresql://127.0.0.1:1/x?password={PASSWORD}",
        f"postgresql://tester:{PASSWORD}@[::1/x",
    ):
        with pytest.raises((EngineError, OptionError), match=r"could not be used|is not well-formed") as caught:
            open_ledger(wrong)
        assert PASSWORD not in str(caught.value) + repr(caught.value.fields)
        assert caught.value.__cause__ is None


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ValueError, match=r"pip install leakgauge\[postgresql\]"):
        postgresql.PostgresqlStore("postgresql://localhost/x", create=False)


def test_an_address_that_no_server_has_is_misuse() -> None:
    with pytest.raises(OptionError, match="The address of the ledger is not well-formed"):
        open_ledger("postgresql://[")
