"""A project that uses Leakgauge is checked against its types, as its own mypy does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "examples" / "typed_client"


WRONG = """
lg.MaxDistortion("a fifth")  # type: ignore[arg-type]
lg.measures.mutual_information(lg.Channel.identity("ab"))  # type: ignore[arg-type]
lg.design.solve(1).no_such_member  # type: ignore[arg-type,attr-defined]
"""


def test_a_client_is_held_to_our_types(tmp_path: Path) -> None:
    place = tmp_path / "client"
    shutil.copytree(CLIENT, place)
    # Under --strict a line that is not wrong must not be ignored: each of these is found, and nothing else is.
    (place / "gate.py").write_text((CLIENT / "gate.py").read_text() + WRONG)
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_runs(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x\na\nb\na\nc\n")
    command = [sys.executable, str(CLIENT / "gate.py"), str(table), "x", "1.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "x: 0.578 bits\n"), done.stderr
    assert subprocess.run([*command[:-1], "0.1"], capture_output=True, check=False).returncode == 1
