"""Addresses and frames of Spark."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leakgauge.errors import TableError
from leakgauge.tables.reading import Reading
from leakgauge.tables.spark.failures import guarded
from leakgauge.tables.spark.sessions import Held, hold_frame, hold_master, require_pyspark
from leakgauge.tables.spark.table import SparkTable
from leakgauge.tables.sql.table import Source
from leakgauge.tables.table import Table

_SCHEME = "spark://"
_LOCAL = re.compile(r"local(\[(\*|\d+)\])?")
_CLUSTER = re.compile(r"[^/#@\s]+:\d+")
_ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".orc": "orc"}
_OTHER_FORMS = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".gz", ".zst", ".avro", ".xml")
_FRAME = "The Spark frame"


class Spark:
    """Spark on this machine or a cluster: Parquet, ORC, tables of its catalogue, and frames of a running session."""

    def takes(self, source: object) -> bool:
        """Addresses that start with ``spark://``, and frames."""
        if isinstance(source, str):
            return source.startswith(_SCHEME)
        pyspark = sys.modules.get("pyspark.sql")
        return pyspark is not None and isinstance(source, pyspark.DataFrame)

    def open(self, source: object, reading: Reading) -> Table:
        """The table at an address, or that of a frame."""
        if not isinstance(source, str):
            _require_only(reading, _FRAME)
            return _open_frame(source, reading)
        address = _Address.of(source)
        place = repr(source)
        _require_only(reading, place)
        return _opened(hold_master(address.master, place), place, reading, address.frame)

    def files(self, address: str) -> list[Path]:
        """The local files that an address of local mode names; none of a cluster's."""
        named = _Address.of(address)
        if not named.is_local or named.form is None or "://" in named.what:
            return []
        path = Path(named.what)
        return sorted(one for one in path.rglob("*") if one.suffix in _ENDINGS) if path.is_dir() else [path]


@dataclass(frozen=True)
class _Address:
    """A master, and what is read there: a path in a form, or a table of the catalogue where the form is None."""

    master: str
    what: str
    form: str | None

    @classmethod
    def of(cls, address: str) -> _Address:
        where, _, what = address.removeprefix(_SCHEME).partition("#")
        local = _LOCAL.fullmatch(where)
        if not what or not (local or all(_CLUSTER.fullmatch(one) for one in where.split(","))):
            # Not shown: somebody may have written a password there.
            raise TableError(
                "A Spark address is spark://HOST:PORT#PATH, spark://HOST:PORT#SCHEMA.TABLE or, on this machine, "
                "spark://local[2]#PATH; write it so."
            )
        suffix = Path(what).suffix.lower()
        if suffix in _OTHER_FORMS:
            raise TableError(
                "Through Spark a path is Parquet or ORC, and {what!r} ends in {suffix}; write it as Parquet first.",
                what=what,
                suffix=suffix,
            )
        form = _ENDINGS.get(suffix, "parquet" if "/" in what else None)
        if form is not None and "://" not in what and (local or Path(what).exists()):
            what = str(Path(what).absolute())
        return cls(where if local else _SCHEME + where, what, form)

    @property
    def is_local(self) -> bool:
        """Whether Spark runs on this machine, in a process of its own."""
        return self.master.startswith("local")

    def frame(self, held: Held) -> Any:
        """What is read there."""
        session = held.counting
        if self.form is None:
            return session.table(self.what)
        return session.read.format(self.form).load(self.what)


def _open_frame(frame: Any, reading: Reading) -> Table:
    require_pyspark(_FRAME)
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise TableError(
            "Frames of Spark Connect have no partitions to read; write the frame to Parquet and give its address, or "
            "use a session without Connect."
        )
    if frame.isStreaming:
        raise TableError("{place} is a stream without an end; write a part of it to Parquet first.", place=_FRAME)
    return _opened(guarded(_FRAME, lambda: hold_frame(frame)), _FRAME, reading, lambda held: frame)


def _opened(held: Held, place: str, reading: Reading, frame_of: Any) -> Table:
    view = None
    try:
        frame = guarded(place, lambda: _uncollated(frame_of(held)))
        names = tuple(frame.columns)
        _require_columns(names, place)
        types = tuple(field.dataType.simpleString() for field in frame.schema.fields)
        view = guarded(place, lambda: held.view_of(frame))
        if guarded(place, lambda: held.counting.table(view).isEmpty()):
            raise TableError("{place} has no rows; there is nothing to measure.", place=place)
        return SparkTable(held, view, Source(view, names, types, tuple(reading.missing), place))
    except BaseException:
        held.let_go(view)
        raise


def _uncollated(frame: Any) -> Any:
    """The frame with texts that are the same only where all their letters are."""
    from pyspark.sql.functions import col
    from pyspark.sql.types import StringType

    if all(field.dataType == StringType() for field in frame.schema if isinstance(field.dataType, StringType)):
        return frame
    numbered = frame.toDF(*(f"c{at}" for at in range(len(frame.columns))))
    columns = [
        col(f"c{at}").cast(StringType()) if isinstance(field.dataType, StringType) else col(f"c{at}")
        for at, field in enumerate(frame.schema)
    ]
    return numbered.select(*columns).toDF(*frame.columns)


def _require_columns(names: tuple[str, ...], place: str) -> None:
    if not names:
        raise TableError("{place} has no columns; there is nothing to measure.", place=place)
    for at, name in enumerate(names):
        if name in names[:at]:
            raise TableError("Two columns of {place} are named {name!r}; rename one.", place=place, name=name)


def _require_only(reading: Reading, place: str) -> None:
    reading.require_only(place)
    if reading.writes_numbers or reading.dates:
        raise TableError(
            "Spark has {place} in types already, so --thousands, --decimal and --date-format say nothing about it; "
            "leave them out.",
            place=place,
        )
