"""Programs with noise of a seed: a right one is accused once in a while, and a test must not be."""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """
import pathlib, random, sys
starts = pathlib.Path(__file__).with_suffix(".starts")
start = int(starts.read_text()) if starts.exists() else 0
starts.write_text(str(start + 1))
random.seed(start)  # every start draws something else, and every run of the test the same
"""


def seeded_program(folder: Path, body: str, name: str = "program.py") -> str:
    """The command of a program that runs ``body`` with the line ``line`` for every line it reads."""
    place = folder / name
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    place.write_text(f"{HEAD}\nfor line in sys.stdin:\n{lines}")
    return f"{sys.executable} {place}"
