"""Folders that are handed out whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leakgauge.drafts import draft_folder
from leakgauge.errors import FileError
from leakgauge.release.files import UnreadableError, read_back
from leakgauge.release.record import file_digest, size_of


def _files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_a_folder_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with draft_folder(tmp_path / "out.parquet") as made:
            (made.path / "0.parquet").write_bytes(b"rows")
            assert not (tmp_path / "out.parquet").exists()
            made.keep()
    finally:
        os.umask(before)
    assert _files(tmp_path) == {"out.parquet", "out.parquet/0.parquet"}
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "out.parquet", tmp_path / "out.parquet" / "0.parquet")]
    assert modes == [0o750, 0o640]


def test_what_is_not_kept_is_gone_and_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out.parquet").mkdir()
    (tmp_path / "out.parquet" / "old").touch()
    with draft_folder(tmp_path / "out.parquet") as made:
        (made.path / "0.parquet").write_bytes(b"rows")
        with pytest.raises(FileError, match="exists"):
            made.keep()
    assert _files(tmp_path) == {"out.parquet", "out.parquet/old"}


def test_the_digest_of_a_folder_tells_every_file_and_their_order(tmp_path: Path) -> None:
    digests = set()
    for first, second in (("a", "b"), ("b", "a"), ("a", "a"), ("ab", "")):
        (tmp_path / "0").write_text(first)
        (tmp_path / "1").write_text(second)
        digests.add(file_digest(tmp_path))
        assert size_of(tmp_path) == 2
    assert len(digests) == 4
    with pytest.raises(UnreadableError):
        read_back(tmp_path, "parquet", (), {})
