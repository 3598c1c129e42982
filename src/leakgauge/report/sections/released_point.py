"""Where a release that was not designed lies beside the curve of least leakage."""

from __future__ import annotations

from typing import Any

from leakgauge.report.sections.telling import Teller, spelled


def released_point(tell: Teller) -> dict[str, Any] | None:
    """Where a release that was not designed lies: its leakage, its distortion and its ε, as a design has them."""
    facts = tell.facts
    columns = [column for column in tell.secret if facts.has("utility.json", "columns", column, "distortion")]
    if len(columns) != 1 or not facts.has("leakage.json", "mutual_information"):
        return None
    return {
        "mechanism": spelled(facts.get("release.json", "plan", "columns", columns[0], "mechanism")),
        "leakage": facts.get("leakage.json", "mutual_information"),
        "leakage_with_background": facts.get("leakage.json", "leakage_with_background"),
        "distortion": facts.get("utility.json", "columns", columns[0], "distortion"),
        "epsilon": facts.get("release.json", "claims", columns[0], "levels", "local-dp"),
    }
