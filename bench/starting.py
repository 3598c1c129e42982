"""How long help takes, in CPU seconds."""

from __future__ import annotations

from bench.clock import in_child


def run() -> None:
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'leakgauge', '--help'], stdout=subprocess.DEVNULL, check=True)\n"
        "u = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "seconds = u.ru_utime + u.ru_stime"
    )
    seconds = min(in_child(code)["seconds"] for _ in range(5))
    print(f"leakgauge --help: {seconds:.3f} s of CPU; target 0.3")
