"""Sessions that tables are read in: started when the first one needs it, stopped when the last one is let go."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from leakgauge.errors import EngineError, TableError
from leakgauge.tables.spark.failures import guarded

VERSION: Final = "4.3"
"""Of Spark, here and on a cluster."""
_JAVA: Final = 17
_REACHED_WITHIN = 10.0
_WORKERS_WITHIN = 60.0

_STARTED_WITH: Final = {
    "spark.app.name": "leakgauge",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}
_SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.groupByOrdinal": "true",
    # What stands in a query is what is meant: nothing of the environment is put in its texts.
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    # A file that is damaged or gone is an error, not a table with fewer rows.
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # Each partition is a part of one file, whatever the cluster: opening a file counts as much as a partition may hold.
    # It is small, since a partition is held whole while its rows stream: as Arrow some fifteen times as much.
    "spark.sql.files.maxPartitionBytes": str(1 << 22),
    "spark.sql.files.openCostInBytes": str(1 << 22),
    "spark.sql.sources.bucketing.enabled": "false",
    # Dates mean what other readers of Parquet take them for.
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(1 << 16),
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    "spark.sql.legacy.allowHashOnMapType": "true",
}


@dataclass(frozen=True)
class Held:
    """Two sessions of one application, which leave the settings of every other session alone.

    Attributes:
        counting: for aggregates.
        streaming: for rows; a plan is what it is there, and not made better on the way.
    """

    counting: Any
    streaming: Any
    started_here: bool

    @property
    def context(self) -> Any:
        """Of the application."""
        return self.counting.sparkContext

    def view_of(self, frame: Any) -> str:
        """The name under which both sessions see a frame, with numbered columns."""
        name = f"leakgauge_{next(_numbers)}"
        frame.toDF(*(f"c{at}" for at in range(len(frame.columns)))).createOrReplaceGlobalTempView(name)
        return f"global_temp.{name}"

    def let_go(self, view: str | None = None) -> None:
        """Forget a view, and stop the application where it was started here and nobody uses it any more."""
        # Where Spark is gone there is nothing to forget, and whoever reads is told of it already.
        with suppress(EngineError):
            guarded("Spark", lambda: _let_go(self, view))


_numbers = count()
_guard = threading.Lock()
_users = 0
"""Tables that hold an application which was started here."""


def require_pyspark(place: str) -> Any:
    """The package; refused in one sentence where it is absent or another version."""
    try:
        import pyspark
    except ImportError:
        raise TableError(
            "{place} needs the extra 'spark'; install leakgauge[spark], or save the table as Parquet.", place=place
        ) from None
    if not pyspark.__version__.startswith(f"{VERSION}."):
        raise TableError(
            "Spark {needed} is needed, and pyspark {found} is installed; install leakgauge[spark].",
            needed=VERSION,
            found=pyspark.__version__,
        )
    # It works with pandas 3 as far as it is used here.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    return pyspark


def hold_master(master: str, place: str) -> Held:
    """Sessions of the application on a master, which is started where none runs in this process."""
    global _users
    require_pyspark(place)
    from pyspark import SparkContext

    with _guard:
        running = SparkContext._active_spark_context
        if running is None:
            _require_java()
            if not master.startswith("local"):
                _require_reachable(master)
            running = _started(master, place)
            _users = 0
        elif running.master != master:
            raise TableError(
                "Spark runs in this process on {running!r} already, and one process has one application; end it, or "
                "give {place} as a frame of it.",
                running=running.master,
                place=place,
            )
        elif _users == 0:
            # Somebody else's, who will end it.
            return _sessions(running, started_here=False)
        _users += 1
        return _sessions(running, started_here=True)


def hold_frame(frame: Any) -> Held:
    """Sessions of the application that a frame belongs to."""
    return _beside(frame.sparkSession, started_here=False)


def _sessions(context: Any, *, started_here: bool) -> Held:
    from pyspark.sql import SparkSession

    return _beside(SparkSession.getActiveSession() or SparkSession(context), started_here=started_here)


def _beside(first: Any, *, started_here: bool) -> Held:
    both = first.newSession(), first.newSession()
    for session in both:
        for name, value in _SETTINGS.items():
            session.conf.set(name, value)
    both[1].conf.set("spark.sql.adaptive.enabled", "false")
    return Held(*both, started_here)


def _let_go(held: Held, view: str | None) -> None:
    global _users
    with _guard:
        if held.context._jsc is None:
            return  # stopped by somebody else
        try:
            if view is not None:
                held.counting.catalog.dropGlobalTempView(view.partition(".")[2])
        finally:
            if held.started_here:
                _users -= 1
                if _users == 0:
                    held.context.stop()


def _started(master: str, place: str) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    # Workers run the Python that this process runs, unless they are told otherwise.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setMaster(master)
    for name, value in _STARTED_WITH.items():
        conf.set(name, value)
    # Spark makes this folder, in which nothing is ever kept, and would make it wherever somebody works.
    warehouse = tempfile.mkdtemp(prefix="leakgauge-spark-")
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    conf.set("spark.sql.warehouse.dir", Path(warehouse).as_uri())
    if master.startswith("local"):
        # Nothing listens beyond this machine.
        conf.setIfMissing("spark.driver.host", "127.0.0.1").setIfMissing("spark.driver.bindAddress", "127.0.0.1")
    listens, context = signal.getsignal(signal.SIGINT), None
    try:
        context = guarded(place, lambda: _context(conf, launch_gateway, SparkContext))
    except EngineError:
        pass
    finally:
        if threading.current_thread() is threading.main_thread():
            # Spark's own handler would cancel the jobs of others too.
            signal.signal(signal.SIGINT, listens)
    if context is None and master.startswith("local"):
        raise EngineError(
            "Spark could not be started on this machine; check Java, and variables that start with SPARK or PYSPARK."
        )
    if not master.startswith("local"):
        _require_same_version_and_workers(context, master)
    return context


def _context(conf: Any, launch_gateway: Any, kind: Any) -> Any:
    # A library does not write to the terminal; what fails is told in one sentence.
    gateway = kind._gateway or launch_gateway(conf, {"stderr": subprocess.DEVNULL})
    return kind(conf=conf, gateway=gateway)


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    try:
        said = subprocess.run([java or "java", "-version"], capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None:
        raise TableError(
            "Spark {spark} needs Java {needed} or later, and there is none; install one such as Debian's "
            "default-jre-headless, or set JAVA_HOME.",
            spark=VERSION,
            needed=_JAVA,
        )
    if int(version.group(1)) < _JAVA:
        raise TableError(
            "Spark {spark} needs Java {needed} or later, and {java!r} is Java {found}; install a later one, or set "
            "JAVA_HOME.",
            spark=VERSION,
            needed=_JAVA,
            java=java,
            found=int(version.group(1)),
        )


def _require_reachable(master: str) -> None:
    """Refuse a master that nobody answers at; Spark itself would ask for a minute."""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHED_WITHIN).close()
        except OSError:
            continue
        return
    raise EngineError(
        "Nobody answers at the Spark master {master!r}; check its address and that it runs.", master=master
    )


def _require_same_version_and_workers(context: Any, master: str) -> None:
    until = time.monotonic() + _WORKERS_WITHIN
    while context is not None and context._jsc is not None and not context._jsc.sc().isStopped():
        if context._jsc.sc().getExecutorMemoryStatus().size() > 1:
            return
        if time.monotonic() > until:
            context.stop()
            raise EngineError(
                "The Spark master {master!r} has no workers free within {seconds:g} seconds; start one, or wait for "
                "other applications to end.",
                master=master,
                seconds=_WORKERS_WITHIN,
            )
        time.sleep(0.1)
    if context is not None:
        context.stop()
    raise EngineError(
        "The Spark master {master!r} did not take this application; it must run Spark {needed}, as here.",
        master=master,
        needed=VERSION,
    )
