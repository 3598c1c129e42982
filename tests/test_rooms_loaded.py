"""A verb loads the rooms it works in, and no room above them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

DESIGN = {
    *(
        "cli",
        "languages",
        "errors",
        "sentences",
        "artefacts",
        "arguments",
        "drafts",
        "notebook",
        "rounding",
        "visible",
        "waiting",
    ),
    *("jobs", "design", "distances", "notions", "claims", "mechanisms", "measures", "randomness"),
    *("tables", "probability"),
}
"""What a channel is designed with: no release, no audit, no assessment, no report."""
LISTED = """
import json, sys
from leakgauge.cli import main
assert main(["design", "people.csv", "--secret", "illness", "--max-distortion", "0.2", "--json", "-o", "c.json"]) == 0
print(json.dumps([name for name in sys.modules if name.startswith("leakgauge.")]), file=sys.stderr)
"""


def test_design_loads_what_it_designs_with(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("illness\n" + "flu\nnone\nnone\n" * 20, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LISTED], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=120
    )
    loaded = json.loads(done.stderr)
    assert {name.split(".")[1] for name in loaded} <= DESIGN
    assert len(loaded) < 225
