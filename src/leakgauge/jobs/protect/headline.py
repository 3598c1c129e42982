"""The numbers that matter, taken from the artefacts of a finished job."""

from __future__ import annotations

from typing import Any

from leakgauge.artefacts import Finding, StoredAssessment, codec
from leakgauge.claims.quantities import number_json
from leakgauge.jobs.assess import read_audit
from leakgauge.jobs.protect.asked import Asked
from leakgauge.jobs.protect.folder import Folder


def headline(folder: Folder, asked: Asked) -> dict[str, Any]:
    """Grade, vetoes, scores; bits told before and after, and by the background alone; ε; the strongest attack.

    Each as it stands in its file; null where the release has no such number.
    """
    graded = codec.read(StoredAssessment, folder.place / "assessment.json")
    before = folder.read("measurement.json")
    after = folder.read("leakage.json") if folder.has("leakage.json") else {}
    worth = folder.read("utility.json")["columns"][asked.secret] if folder.has("utility.json") else {}
    levels = folder.read("release.json")["claims"][asked.secret]["levels"]
    return {
        **{
            name: codec.encode(getattr(graded, name))
            for name in ("grade", "grade_uncapped", "score", "interval", "privacy", "utility")
        },
        "vetoes": codec.encode(graded.reasons),
        "leakage_before": before["entropy"],
        "leakage_after": after.get("leakage_with_background") or after.get("mutual_information"),
        "floor": before["background_floor"],
        "epsilon": next((levels[name] for name in ("local-dp", "dp", "approximate-dp") if name in levels), None),
        **_strongest(read_audit(folder.place / "audit.json").strongest),
        "unchanged": worth.get("unchanged"),
    }


def _strongest(attack: Finding | None) -> dict[str, Any]:
    fields = {} if attack is None else codec.encode(attack)
    return {name: fields.get(name) for name in ("attack", "success", "baseline", "advantage")}


def spent(folder: Folder, asked: Asked) -> dict[str, float | str | None]:
    """What the histogram and the release cost, in nats: alone and together."""
    bought = asked.accounted if "design" in folder.fields["stages"] else None
    drawn = folder.read("release.json")["budget"]["epsilon"]["value"] if "release" in folder.fields["stages"] else None
    together = sum(float(one) for one in (bought, drawn) if one is not None)
    return {"histogram": bought, "release": drawn, "together": number_json(together)}
