"""All reasons to cap a grade, from what is claimed, measured, shown and attacked; every route to a grade asks here."""

from __future__ import annotations

from collections.abc import Iterable

from leakgauge.artefacts import Audit, Finding, Shown
from leakgauge.artefacts.assessment import Veto
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators import Setting
from leakgauge.assessment.scales import Form
from leakgauge.assessment.vetoes import (
    column_of,
    vetoes_of_audit,
    vetoes_of_claim,
    vetoes_of_evidence,
    vetoes_of_finding,
    vetoes_of_shown,
)


def every_veto(
    setting: Setting,
    evidence: Iterable[Evidence],
    *,
    audit: Audit | None = None,
    shown: Shown | None = None,
    findings: Iterable[Finding] = (),
) -> tuple[Veto, ...]:
    """Each reason once; ``assess`` adds what is not known.

    Args:
        setting: the mechanism over its source, with its claims.
        evidence: of its leaves, measured or by the law.
        audit: of the release.
        shown: or what the rows of the column show.
        findings: and what attacks found.
    """
    found = [veto for claim in setting.claims[:1] for veto in vetoes_of_claim(claim)]
    found += vetoes_of_evidence(evidence, of_rows=setting.form is not Form.ANSWERS)
    found += [] if audit is None else vetoes_of_audit(audit)
    found += [] if shown is None else vetoes_of_shown(shown, column_of(setting.source.name))
    found += [veto for one in findings for veto in vetoes_of_finding(one)]
    return tuple(dict.fromkeys(found))
