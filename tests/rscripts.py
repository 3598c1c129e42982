"""R for tests: Debian's r-base-core, without any package of R."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def run_r(script: Path, *arguments: str) -> tuple[int, str]:
    """The exit code and what a script says; a test is skipped without R, or fails where everything must be there."""
    program = shutil.which("Rscript")
    if program is None:
        if os.environ.get("LEAKGAUGE_REQUIRE") == "all":
            pytest.fail("LEAKGAUGE_REQUIRE=all but there is no Rscript")
        pytest.skip("there is no Rscript")
    told = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [program, "--vanilla", str(script), *arguments], capture_output=True, text=True, check=False, cwd="/", env=told
    )
    return done.returncode, done.stdout + done.stderr
