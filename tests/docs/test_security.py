"""What SECURITY.md says is trusted, held to how things are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAID = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())


def test_pinned_versions_are_trusted_as_names_and_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", line) for line in pinned)
    assert "pins names and versions, without hashes" in SAID


def test_what_make_installs_and_what_engines_fetch_is_said() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^demo: \$\(READY\)$", makefile, re.MULTILINE), "it installs no package of Debian"
    assert "`make demo` and an installation do not" in SAID
    engine = (ROOT / "src/leakgauge/tables/duckdb_engine.py").read_text(encoding="utf-8")
    assert '"autoinstall_known_extensions": "false"' in engine and "never asks an engine to fetch" in SAID
