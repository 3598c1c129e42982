"""The numbers that matter, taken from the artefacts of a finished job."""

from __future__ import annotations

from typing import Any

from leakgauge.artefacts import Headline, Request, Spent, codec
from leakgauge.jobs.protect.folder import Folder


def headline(folder: Folder, asked: Request) -> Headline:
    """Grade, vetoes, scores; bits told before and after, and by the background alone; ε; the strongest attack."""
    graded = folder.read("assessment.json")
    before = folder.read("measurement.json")
    after = folder.read("leakage.json") if folder.has("leakage.json") else {}
    worth = folder.read("utility.json")["columns"][asked.secret] if folder.has("utility.json") else {}
    levels = folder.read("release.json")["claims"][asked.secret]["levels"]
    found = {
        **{name: graded[name] for name in ("grade", "grade_uncapped", "score", "interval", "privacy", "utility")},
        "vetoes": [veto["reason"] for veto in graded["vetoes"]],
        "leakage_before": before["entropy"],
        "leakage_after": after.get("leakage_with_background") or after.get("mutual_information"),
        "floor": before["background_floor"],
        "epsilon": next((levels[name] for name in ("local-dp", "dp", "approximate-dp") if name in levels), None),
        **_strongest(folder.read("audit.json")["attacks"]),
        "unchanged": worth.get("unchanged"),
    }
    return codec.decode(Headline, found, folder.place)


def _strongest(attacks: list[dict[str, Any]]) -> dict[str, Any]:
    """The attack that wins most over what is known anyway, of those tried on the release itself."""
    tried = [one for one in attacks if one["judged"]] or attacks
    best = max(tried, key=lambda one: float(one["advantage"]["value"]), default={})
    return {name: best.get(name) for name in ("attack", "success", "baseline", "advantage")}


def spent(folder: Folder, asked: Request) -> Spent:
    """What the histogram and the release cost, in nats: alone and together."""
    stages = folder.job.stages
    bought = asked.accounted if "design" in stages else None
    drawn = float(folder.read("release.json")["budget"]["epsilon"]["value"]) if "release" in stages else None
    return Spent(bought, drawn, sum(one for one in (bought, drawn) if one is not None))
