"""Whether a cluster can be worked with: somebody answers, it runs the same Spark, and it has workers."""

from __future__ import annotations

import re
import socket
import time
from contextlib import suppress
from typing import Any
from urllib.request import ProxyHandler, build_opener

from leakgauge.errors import EngineError

_REACHED_WITHIN = 10.0
_SHOWN_WITHIN = 5.0
_ASKED_WITHIN = "10s"
_WAITING = "spark.scheduler.maxRegisteredResourcesWaitingTime"
"""Spark's own setting: how long an application waits for workers."""
_WORKERS_WITHIN = "60s"
"""Unless it is set."""
_VERSION = re.compile(r'class="version[^>]*>\s*([^<\s]+)')


def require_reachable(master: str) -> None:
    """Refuse a master that nobody answers at; Spark itself would ask for a minute."""
    for host, port in _addresses(master):
        with suppress(OSError):
            socket.create_connection((host, port), timeout=_REACHED_WITHIN).close()
            return
    raise EngineError(
        "Nobody answers at the Spark master {master!r}; check its address and that it runs.", master=master
    )


def other_version(jvm: Any, master: str, needed: str) -> str | None:
    """The version of a master that runs another one: it never answers, because it cannot read what it is asked.

    Nothing in an answer tells a version; the master's own page does. None where it is as needed, or shows none.
    """
    for host, port in _addresses(master):
        found = _version_shown(jvm, host, port)
        if found is not None and not found.startswith(f"{needed}."):
            return found
    return None


def require_workers(context: Any, master: str, needed: str) -> None:
    """Refuse a cluster that did not take the application, or has no workers for it within Spark's own time."""
    start = time.monotonic()
    while context is not None and context._jsc is not None and not context._jsc.sc().isStopped():
        spark = context._jsc.sc()
        if spark.getExecutorMemoryStatus().size() > 1:
            return
        limit = spark.conf().getTimeAsMs(_WAITING, _WORKERS_WITHIN) / 1000
        if time.monotonic() > start + limit:
            context.stop()
            raise EngineError(
                "The Spark master {master!r} has no workers free within {seconds:g} seconds; start one, or wait for "
                "other applications to end.",
                master=master,
                seconds=limit,
            )
        time.sleep(0.1)
    if context is not None:
        context.stop()
    raise EngineError(
        "The Spark master {master!r} did not take this application; it must run Spark {needed}, as here.",
        master=master,
        needed=needed,
    )


def _addresses(master: str) -> list[tuple[str, int]]:
    parts = [address.rpartition(":") for address in master.removeprefix("spark://").split(",")]
    return [(host.strip("[]"), int(port)) for host, _, port in parts]


def _version_shown(jvm: Any, host: str, port: int) -> str | None:
    """The version on the page of a master, which says itself where that is."""
    from py4j.protocol import Py4JError

    try:
        page = f"http://{host}:{_page_port(jvm, host, port)}/"
        # Directly: a master is not asked for through a proxy of the web.
        with build_opener(ProxyHandler({})).open(page, timeout=_SHOWN_WITHIN) as answer:
            found = _VERSION.search(answer.read(1 << 20).decode(errors="replace"))
    except (OSError, ValueError, Py4JError):
        return None
    return None if found is None else found.group(1)


def _page_port(jvm: Any, host: str, port: int) -> int:
    """Asked in a message without fields, which all versions read alike."""

    def only(name: str) -> Any:
        return jvm.java.lang.Class.forName(name).getField("MODULE$").get(None)

    conf = jvm.org.apache.spark.SparkConf()
    for limit in ("spark.rpc.askTimeout", "spark.rpc.lookupTimeout"):
        conf.set(limit, _ASKED_WITHIN)
    trust = jvm.org.apache.spark.SecurityManager(conf, jvm.scala.Option.empty(), None)
    asking = jvm.org.apache.spark.rpc.RpcEnv.create("leakgauge", host, 0, conf, trust, True)
    try:
        there = asking.setupEndpointRef(jvm.org.apache.spark.rpc.RpcAddress(host, port), "Master")
        anything = only("scala.reflect.ClassTag$").apply(jvm.java.lang.Class.forName("java.lang.Object"))
        ports = there.askSync(only("org.apache.spark.deploy.master.MasterMessages$BoundPortsRequest$"), anything)
        return int(ports.webUIPort())
    finally:
        asking.shutdown()
