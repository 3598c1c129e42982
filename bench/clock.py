"""Best of a few runs, and what a child process costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Answer = TypeVar("Answer")


def best(work: Callable[[], object], runs: int = 7) -> float:
    """Seconds of the quickest run."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    """Seconds of CPU, and what came back."""
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer


def cpu_seconds() -> float:
    """Of this process and of those that it started, such as Spark's."""
    found = {os.getpid()}
    stats = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, _, after = place.read_text(encoding="utf-8").rpartition(") ")
            stats[int(place.parent.name)] = after.split()
    while more := {pid for pid, stat in stats.items() if int(stat[1]) in found} - found:
        found |= more
    # Fields 14 to 17 of the file, of which the first two are cut off: a process's own, and those of its ended ones.
    ticks = sum(sum(map(int, stats[pid][11:15])) for pid in found if pid in stats)
    return ticks / os.sysconf("SC_CLK_TCK")


def in_child(code: str, *arguments: str) -> dict[str, float]:
    """Run code in a fresh process; it leaves ``seconds`` behind. Adds its peak memory in MiB."""
    # The high-water mark of this program's own memory; getrusage would also know that of whoever started it.
    tail = (
        "\nimport json as _j\n"
        "_peak = [line for line in open('/proc/self/status') if line.startswith('VmHWM')][0].split()[1]\n"
        "print(_j.dumps({'seconds': seconds, 'mib': int(_peak) / 1024}))"
    )
    done = subprocess.run([sys.executable, "-c", code + tail, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"seconds": float("nan"), "mib": float("nan")}
    answer: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def line(what: str, ours: float, theirs: float, peer: str, target: str = "") -> None:
    print(
        f"{what}: {ours:.4f} s, {ours / theirs:.2f} × {peer} ({theirs:.4f} s){'; target ' + target if target else ''}"
    )
