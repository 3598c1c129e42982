"""Spark for tests: one application of local mode for a whole run, small and without a page of its own."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leakgauge.tables.spark.sessions import hold_master

MASTER = "local[2]"
os.environ.setdefault(
    "PYSPARK_SUBMIT_ARGS",
    "--driver-memory 512m --conf spark.sql.shuffle.partitions=2 "
    "--conf 'spark.driver.extraJavaOptions=-XX:+UseSerialGC -XX:TieredStopAtLevel=1' pyspark-shell",
)


def require_spark() -> None:
    """Skip a test where there is no Java or no pyspark, or fail it where everything must be there."""
    lacking = [name for name, found in (("java", shutil.which("java")), ("pyspark", find_spec("pyspark"))) if not found]
    if lacking:
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail(f"LEAKGAUGE_REQUIRE=all but there is no {' and no '.join(lacking)}")
        pytest.skip(f"there is no {' and no '.join(lacking)}")


@cache
def session() -> Any:
    """A session of somebody else in the application, which ends with this process."""
    require_spark()
    own = hold_master(MASTER, "the tests").counting.newSession()
    own.conf.set("spark.sql.session.timeZone", "Asia/Shanghai")
    own.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    return own


def parquet(table: pa.Table, folder: Path) -> str:
    """The address of a file with the rows of a table."""
    session()
    pq.write_table(table, folder / "t.parquet")
    return f"spark://{MASTER}#{folder / 't.parquet'}"


def frame(table: pa.Table, folder: Path) -> Any:
    """A frame with the rows of a table."""
    return session().createDataFrame(table)
