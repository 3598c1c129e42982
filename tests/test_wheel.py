"""What a user installs: the wheel holds every file of the package, and says that it has types."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from zipfile import ZipFile

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_the_types_marker_and_every_file_of_the_package(tmp_path: Path) -> None:
    wheel = next(WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with ZipFile(wheel) as opened:
        held = {name for name in opened.namelist() if name.startswith("leakgauge/")}
        said = next(name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = opened.read(said).decode()
        scripts = opened.read(said.replace("METADATA", "entry_points.txt")).decode()
    package = ROOT / "src" / "leakgauge"
    files = (path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    assert held == {f"leakgauge/{path.relative_to(package).as_posix()}" for path in files}
    assert "leakgauge/py.typed" in held
    for kind in (".csv", ".toml", ".html", ".typ", ".css", ".js", ".svg", ".mo"):
        assert any(name.endswith(kind) for name in held), kind
    assert "Classifier: Typing :: Typed" in metadata
    assert "leakgauge = leakgauge.cli:run" in scripts and "leakgauge = leakgauge.pytest_plugin" in scripts


def test_running_needs_nothing_of_the_tests() -> None:
    """``make demo`` installs what running needs; ``make test`` adds the tests' environment."""

    def installed(target: str) -> set[str]:
        asked = ["make", "--dry-run", "--always-make", target, "VENV=nowhere"]
        # Not as a part of the make that runs the tests.
        alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        done = subprocess.run(asked, cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
        return set(re.findall(r"install .*-e (\S+) -c constraints.txt", done.stdout))

    assert installed("demo") == {"."}
    assert installed("test") == {".", "'.[test,check]'"}
