"""What an audit found, as the fields of its file."""

from __future__ import annotations

import reprlib
from typing import Any

from leakgauge.audit.anonymity import Anonymity
from leakgauge.audit.attacks.finding import Finding
from leakgauge.audit.shown import Shown
from leakgauge.claims.quantities import exact_json, number_json, statement_json
from leakgauge.probability import Estimate

AUDIT_SCHEMA = "leakgauge/audit/1"


def shown_json(shown: Shown) -> dict[str, Any]:
    """The fields of a level that was shown."""
    unit = shown.claim.unit
    if shown.estimate is None:
        level = exact_json(shown.at_least, unit)
    else:
        level = {**exact_json(shown.at_least, unit), "low": number_json(shown.at_least), "high": "infinity"}
        level["confidence"] = shown.estimate.confidence
    epsilon = unit == "nats" and shown.claim.name != "zcdp"
    return {
        "notion": shown.claim.name,
        "claim": statement_json(shown.claim) if shown.claimed else None,
        "epsilon_lower_bound": level if epsilon else None,
        "lower_bound": level,
        "estimate": None if shown.estimate is None else number_json(shown.estimate.value),
        "violated": shown.violated,
        "deterministic": shown.deterministic,
        "stopped_early": shown.stopped_early,
        "samples": shown.samples,
        "inputs": [value if isinstance(value, str) else reprlib.repr(value) for value in shown.pair],
        "event": shown.event,
        "note": shown.note,
        "checks": [{"name": one.name, "holds": one.holds, "reason": one.reason} for one in shown.checks],
    }


def finding_json(found: Finding) -> dict[str, Any]:
    """The fields of what an attack found."""
    return {
        "attack": found.attack,
        "target": list(found.target),
        "knows": list(found.knows),
        "success": _share_json(found.success),
        "baseline": _share_json(found.baseline),
        "advantage": _share_json(found.advantage),
        "independent": _share_json(found.independent),
        "raw": _share_json(found.raw),
        "exposed": found.exposed,
        "ceiling": None if found.ceiling is None else exact_json(found.ceiling, "share"),
        "judged": found.judged,
        "beats_claim": found.beats_claim,
        "method": found.method,
    }


def anonymity_json(found: Anonymity) -> dict[str, Any]:
    """The fields of what hides a row among others."""
    return {
        "quasi_identifiers": list(found.quasi_identifiers),
        "rows": found.rows,
        "classes": found.classes,
        "k": found.k,
        "unique": found.unique,
    }


def _share_json(share: Estimate) -> dict[str, Any]:
    return {
        "value": share.value,
        "unit": "share",
        "low": share.low,
        "high": share.high,
        "confidence": share.confidence,
    }
