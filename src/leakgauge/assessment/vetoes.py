"""Reasons outside the average that cap a grade: a claim that is empty or shown to be broken, or nothing known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from leakgauge.artefacts import Audit, Finding, Shown
from leakgauge.artefacts.assessment import Grade, Veto
from leakgauge.artefacts.evidence import Evidence
from leakgauge.assessment.indicators import INDICATORS, Form, Setting
from leakgauge.claims import Statement
from leakgauge.sentences import Sentence, in_turn

MECHANISM = Sentence("the mechanism")


def every_veto(
    setting: Setting,
    evidence: Iterable[Evidence],
    *,
    audit: Audit | None = None,
    shown: Shown | None = None,
    findings: Iterable[Finding] = (),
) -> tuple[Veto, ...]:
    """Every reason once; ``assess`` adds what is not known.

    What is shown and attacked is in an audit of the release, or in what the rows of the column show and attacks found.
    """
    found = [veto for claim in setting.claims[:1] for veto in vetoes_of_claim(claim)]
    found += vetoes_of_evidence(evidence, of_rows=setting.form is not Form.ANSWERS)
    found += [] if audit is None else vetoes_of_audit(audit)
    found += [] if shown is None else vetoes_of_shown(shown, _column(setting.source.name))
    found += [veto for one in findings for veto in vetoes_of_finding(one)]
    return tuple(dict.fromkeys(found))


def capped(grade: Grade, vetoes: Iterable[Veto]) -> Grade:
    """The grade, or the lowest cap where that is lower."""
    return min([grade, *(veto.cap for veto in vetoes)])


def vetoes_of_unknown(scores: Mapping[str, float | None], missing: Collection[str]) -> tuple[Veto, ...]:
    """Vetoes where a score or a leaf that a verdict needs is not known: what is not known is not safe."""
    unknown = [Sentence(name) for name, score in scores.items() if score is None]
    unknown += [one.needed for one in INDICATORS.values() if one.needed is not None and one.leaf in missing]
    return (Veto(Sentence("nothing is known of {what}", what=tuple(unknown))),) if unknown else ()


def vetoes_of_evidence(evidence: Iterable[Evidence], *, of_rows: bool = True) -> tuple[Veto, ...]:
    """Vetoes from the indicators themselves; also told whether values of rows are released, or counts of many."""
    values = {one.leaf: one.value for one in evidence if one.value is not None}
    reasons = (one.veto(values[one.leaf], of_rows) for one in INDICATORS.values() if one.leaf in values)
    return tuple(Veto(reason) for reason in reasons if reason is not None)


def vetoes_of_claim(claim: Statement) -> tuple[Veto, ...]:
    """A veto where the level that is claimed is infinite: nothing is promised."""
    return _infinite(Sentence("the claim {claim}", claim=claim.name), claim.level)


def vetoes_of_shown(shown: Shown, what: Sentence = MECHANISM) -> tuple[Veto, ...]:
    """Vetoes from what was shown of a mechanism: an infinite level, or one above the claim."""
    claimed, claim = 0.0 if shown.claim is None else shown.claim.value, str(shown.statement)
    vetoes = _infinite(Sentence("the claim of {what}", what=what), claimed)
    if shown.at_least == math.inf:
        said = Sentence("{what} rules an input out, so that its level is infinite", what=what)
    elif shown.deterministic:
        said = Sentence("{what} always gives the same output, so that its level is infinite", what=what)
    elif shown.violated and shown.at_least > claimed:
        said = Sentence(
            "{what} shows at least {level:.4g} {unit} where {claim} is claimed",
            what=what,
            level=shown.at_least,
            unit=Sentence(shown.lower_bound.unit),
            claim=claim,
        )
    elif shown.violated:
        said = in_turn([Sentence("{what} breaks {claim}", what=what, claim=claim), *shown.failures])
    else:
        return vetoes
    return (*vetoes, Veto(said))


def vetoes_of_finding(finding: Finding) -> tuple[Veto, ...]:
    """A veto where an attack succeeds more often than the claim allows."""
    if not finding.beats_claim or finding.ceiling is None:
        return ()
    said = Sentence(
        "the attack {attack} on {target} is right in at least {success:.4g} of the cases where the claim allows "
        "{ceiling:.4g}",
        attack=finding.attack,
        target=finding.target,
        success=finding.success.ends[0],
        ceiling=finding.ceiling.value,
    )
    return (Veto(said),)


def vetoes_of_audit(audit: Audit) -> tuple[Veto, ...]:
    """Vetoes from the audit of a release."""
    columns = [(name, one) for name, one in audit.columns.items() if one is not None]
    found = [veto for name, one in columns for veto in vetoes_of_shown(one, _column(name))]
    found += [veto for one in audit.attacks for veto in vetoes_of_finding(one)]
    # A record that does not hold what it says is no claim either.
    found += [Veto(one.failure) for one in audit.checks if one.holds is False]
    return tuple(dict.fromkeys(found))


def _column(name: str) -> Sentence:
    return Sentence("the column {name}", name=name)


def _infinite(what: Sentence, level: float) -> tuple[Veto, ...]:
    said = Sentence("{what} has an infinite level, which promises nothing", what=what)
    return (Veto(said),) if level == math.inf else ()
