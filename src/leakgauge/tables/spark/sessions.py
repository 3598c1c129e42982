"""Sessions that tables are read in: started when the first one needs it, stopped when the last one is let go."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from leakgauge.errors import EngineError, TableError
from leakgauge.tables.spark.cluster import other_version, require_reachable, require_workers
from leakgauge.tables.spark.failures import guarded

VERSION: Final = "4.3"
"""Of Spark, here and on a cluster."""
_JAVA: Final = 17
_ANSWERED_WITHIN = 3.0
"""Seconds after which a master that does not answer is asked for its version."""

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
                require_reachable(master)
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
    from pyspark import SparkContext

    is_local = master.startswith("local")
    conf, context, other = _conf(master, is_local=is_local), None, None
    gateway = _gateway(conf, place)
    if gateway is not None:
        # In a thread of its own Spark leaves Ctrl-C alone; its own handler would cancel the jobs of others too.
        with ThreadPoolExecutor(1) as waiting:
            starting = waiting.submit(guarded, place, lambda: SparkContext(conf=conf, gateway=gateway))
            try:
                if not is_local and not wait([starting], _ANSWERED_WITHIN).done:
                    other = other_version(gateway.jvm, master, VERSION)
                if other is None:
                    wait([starting])
            finally:
                if not starting.done():
                    _end(gateway)
        context = None if isinstance(starting.exception(), EngineError) else starting.result()
    if context is None and is_local:
        raise EngineError(
            "Spark could not be started on this machine; check Java, and variables that start with SPARK or PYSPARK."
        )
    if context is None and other is not None:
        raise EngineError(
            "The Spark master {master!r} runs Spark {found}, and here it is Spark {needed}, which both must be; use a "
            "cluster with Spark {needed}.",
            master=master,
            found=other,
            needed=VERSION,
        )
    if not is_local:
        require_workers(context, master, VERSION)
    return context


def _conf(master: str, *, is_local: bool) -> Any:
    from pyspark import SparkConf

    # Workers run the Python that this process runs, unless they are told otherwise.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setMaster(master)
    for name, value in _STARTED_WITH.items():
        conf.set(name, value)
    # Spark makes this folder, in which nothing is ever kept, and would make it wherever somebody works.
    warehouse = tempfile.mkdtemp(prefix="leakgauge-spark-")
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    conf.set("spark.sql.warehouse.dir", Path(warehouse).as_uri())
    if is_local:
        # Nothing listens beyond this machine.
        conf.setIfMissing("spark.driver.host", "127.0.0.1").setIfMissing("spark.driver.bindAddress", "127.0.0.1")
    return conf


def _gateway(conf: Any, place: str) -> Any:
    """To Spark's process, which is started where there is none; None where it does not start."""
    from pyspark import SparkContext
    from pyspark.java_gateway import launch_gateway

    launch: Any = launch_gateway
    with suppress(EngineError):
        # A library does not write to the terminal; what fails is told in one sentence.
        return SparkContext._gateway or guarded(place, lambda: launch(conf, {"stderr": subprocess.DEVNULL}))
    return None


def _end(gateway: Any) -> None:
    """End Spark's process, which would try for another minute; the next table starts one anew."""
    from pyspark import SparkContext

    gateway.proc.kill()
    SparkContext._gateway = SparkContext._jvm = None


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
