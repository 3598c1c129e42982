"""The facts of a report from a release, findings and an assessment in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from leakgauge.artefacts import Audit, AuditedRecord, Finding
from leakgauge.artefacts.codec import encode, sealed
from leakgauge.assessment import Assessment
from leakgauge.assessment.stored import stored
from leakgauge.release import Release
from leakgauge.report.facts import Facts


def gathered(release: Release, findings: Sequence[Finding], grade: Assessment | None) -> Facts:
    """The artefacts that a release, what attacks found and its assessment would be written to."""
    files: dict[str, Mapping[str, Any]] = {"release.json": encode(release.record)}
    if findings:
        files["audit.json"] = encode(_audit(release, findings))
    if grade is None:
        return Facts(_as_stored(files))
    columns = list(release.record.claims)
    files["assessment.json"] = encode(
        stored(grade, column=columns[0] if len(columns) == 1 else None, record=release.digest)
    )
    return Facts(_as_stored(files), grade.diagram)


def _audit(release: Release, findings: Sequence[Finding]) -> Audit:
    wrong = tuple(one.broken_claim for one in findings if one.beats_claim)
    record = AuditedRecord(release.record.reference, release.digest)
    sure = findings[0].success.confidence or 0.0
    private = release.record.private
    return sealed(Audit(record, private, release.rows, sure, bool(wrong), wrong, attacks=tuple(findings)))


def _as_stored(files: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The fields as they would be read from files: plain numbers, lists and texts."""
    stored: dict[str, Mapping[str, Any]] = json.loads(json.dumps(files, allow_nan=False))
    return stored
