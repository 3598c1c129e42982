"""A project that uses Leakgauge is checked against its types, as its own mypy does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "examples" / "typed_client"


def checked(place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mypy"], cwd=place, capture_output=True, text=True, check=False)


def test_a_client_is_held_to_our_types(tmp_path: Path) -> None:
    place = tmp_path / "client"
    shutil.copytree(CLIENT, place)
    right = checked(place)
    assert right.returncode == 0, right.stdout + right.stderr
    gate = (place / "gate.py").read_text()
    (place / "gate.py").write_text(gate.replace("lg.MaxDistortion(most_wrong)", 'lg.MaxDistortion("a fifth")'))
    wrong = checked(place)
    assert wrong.returncode == 1
    assert 'incompatible type "str"; expected "float"' in wrong.stdout


def test_the_client_runs(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x\na\nb\na\nc\n")
    command = [sys.executable, str(CLIENT / "gate.py"), str(table), "x", "1.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "x: 0.578 bits\n"), done.stderr
    assert subprocess.run([*command[:-1], "0.1"], capture_output=True, check=False).returncode == 1
