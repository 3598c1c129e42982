"""The Python script that does the same as a job."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from leakgauge.jobs.protect.asked import Asked


def script(asked: Asked, folder: Path | str) -> str:
    """A script that asks for the same; it runs as it is."""
    given = [one for one in fields(asked) if getattr(asked, one.name) != one.default]
    lines = [f"    {one.name}={getattr(asked, one.name)!r}," for one in given]
    return "\n".join(
        [
            "from leakgauge.jobs.protect import Asked, protect",
            "",
            "asked = Asked(",
            *lines,
            ")",
            f"done = protect(asked, {str(folder)!r})",
            "print(done.folder / 'report.html')",
            "done.require()",
            "",
        ]
    )
