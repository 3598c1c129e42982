"""Stored things are types, not dictionaries of anything."""

from __future__ import annotations

from pathlib import Path

import leakgauge

SOURCE = Path(leakgauge.__file__).parent
APART = ("artefacts/codec.py", "telling/figures/", "report/pdf.py")
"""The codec, chart specifications, and what fills a template."""


def test_few_dictionaries_of_anything_are_left() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not str(path.relative_to(SOURCE)).startswith(APART)
        for line in path.read_text(encoding="utf-8").splitlines()
        if "dict[str, Any]" in line
    ]
    assert len(found) < 20, "\n".join(found)
