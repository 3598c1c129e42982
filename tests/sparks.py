"""Spark for tests: one application of local mode for a whole run, small and without a page of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
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


class Cluster:
    """A master and two workers on loopback, each a process of its own; of another Spark where its folder is named."""

    def __init__(self, folder: Path, memory: str = "600m", *, workers: int = 2, spark: Path | None = None) -> None:
        require_spark()
        self._folder, self._memory = folder, memory
        self._spark = spark or Path(str(find_spec("pyspark").origin)).parent  # type: ignore[union-attr]
        self._environment = {
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        port = _free_port()
        self.address = f"127.0.0.1:{port}"
        self._master = self._start(
            "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port())
        )
        _wait_for(port)
        self.workers = [self.start_worker() for _ in range(workers)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One more worker."""
        place = str(self._folder / f"work-{_free_port()}")
        what = ("--host", "127.0.0.1", "--webui-port", str(_free_port()), "--work-dir", place)
        return self._start("worker.Worker", *what, "--cores", "1", "--memory", self._memory, f"spark://{self.address}")

    def driver(self, *arguments: str) -> subprocess.Popen[str]:
        """A process with an application on the cluster."""
        small = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        submit = (
            "--driver-memory 512m --executor-memory 512m --conf spark.sql.shuffle.partitions=2 "
            f"--conf 'spark.driver.extraJavaOptions={small}' --conf 'spark.executor.extraJavaOptions={small}' "
            "--conf spark.driver.host=127.0.0.1 pyspark-shell"
        )
        return subprocess.Popen(
            [sys.executable, "-m", "tests.spark_driver", *arguments],
            env={**self._environment, "PYSPARK_SUBMIT_ARGS": submit},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def refusal(self, what: str, *settings: str) -> str:
        """What a person is told who measures a table here."""
        submit = ["--driver-memory 512m --conf spark.driver.host=127.0.0.1", *(f"--conf {one}" for one in settings)]
        told = subprocess.run(
            [sys.executable, "-m", "leakgauge", "measure", f"spark://{self.address}#{what}", "--secret", "illness"],
            env={**self._environment, "PYSPARK_SUBMIT_ARGS": " ".join([*submit, "pyspark-shell"])},
            capture_output=True,
            text=True,
        )
        assert (told.returncode, told.stdout) == (3, "")
        return told.stderr

    def stop(self) -> None:
        """End all of it."""
        for process in (*self.workers, self._master):
            process.kill()
        for process in (*self.workers, self._master):
            process.wait()

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self._spark / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments],
            env={**self._environment, "SPARK_HOME": str(self._spark)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(1200):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail("Spark's master did not start")
