"""Reasons outside the average that cap a grade: a claim that is empty or shown to be broken, or nothing known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leakgauge.assessment.grades import Grade
from leakgauge.errors import ModelError

if TYPE_CHECKING:
    from leakgauge.artefacts import Audit, Finding, Shown
    from leakgauge.assessment.evidence import Evidence
    from leakgauge.claims import Statement

NEEDED = {"3": "the budget ε", "5": "what attacks gain", "6": "what the release tells"}
"""Leaves without which nobody can say that a release is safe."""
TOLD = 0.9
"""A share of the secret from which on the release is as good as the data."""
LARGEST_DELTA = 0.01
"""With a δ from here on one row in a hundred may be released as it is."""


@dataclass(frozen=True)
class Veto:
    """A reason why the grade may not be better than the cap.

    Attributes:
        reason: in a short sentence without a full stop.
        cap: the best grade that is left.
    """

    reason: str
    cap: Grade = Grade.POOR

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ModelError("A veto without a reason convinces nobody; name one.")


def capped(grade: Grade, vetoes: Iterable[Veto]) -> Grade:
    """The grade, or the lowest cap where that is lower."""
    return min([grade, *(veto.cap for veto in vetoes)])


def vetoes_of_unknown(scores: Mapping[str, float | None], missing: Collection[str]) -> tuple[Veto, ...]:
    """Vetoes where a score or a leaf that a verdict needs is not known: what is not known is not safe.

    Args:
        scores: privacy and utility by name.
        missing: the leaves of which nothing is known.
    """
    unknown = [name for name, score in scores.items() if score is None]
    unknown += [f"{said} (leaf {leaf})" for leaf, said in NEEDED.items() if leaf in missing]
    return (Veto(f"nothing is known of {', '.join(unknown)}"),) if unknown else ()


def vetoes_of_evidence(evidence: Iterable[Evidence], *, of_rows: bool = True) -> tuple[Veto, ...]:
    """Vetoes from the leaves themselves: an infinite ε, a large δ, a release that tells nearly everything.

    Args:
        evidence: of any leaves.
        of_rows: whether values of rows are released. What counts of many rows tell of the true counts is no secret of
            anyone, so that leaf 7 says nothing against them.
    """
    values = {one.leaf: one.value for one in evidence if one.value is not None}
    found: list[Veto] = []
    if values.get("3") == math.inf:
        found.append(Veto("ε is infinite, which promises nothing"))
    if values.get("2", 0.0) >= LARGEST_DELTA:
        found.append(Veto(f"δ is {values['2']:.3g}, and from {LARGEST_DELTA:g} on it promises next to nothing"))
    said = {"5": "the best attack gains {share} of what the raw data give"}
    if of_rows:
        said["7"] = "it keeps {share} of the information"
    for leaf, words in said.items():
        if values.get(leaf, 0.0) >= TOLD:
            # An attack on a sample may come out above what it estimates, which is at most the whole.
            share = words.format(share=f"{min(values[leaf], 1.0):.4g}")
            found.append(Veto(f"the release tells nearly everything: {share}"))
    return tuple(found)


def vetoes_of_claim(claim: Statement) -> tuple[Veto, ...]:
    """A veto where the level that is claimed is infinite: nothing is promised."""
    return _infinite(f"the claim {claim.name}", claim.level)


def vetoes_of_shown(shown: Shown, what: str = "the mechanism") -> tuple[Veto, ...]:
    """Vetoes from what was shown of a mechanism: an infinite level, or one above the claim."""
    return _shown(
        what,
        None if shown.claim is None else str(shown.statement),
        0.0 if shown.claim is None else shown.claim.value,
        shown.at_least,
        shown.lower_bound.unit,
        shown.deterministic,
        shown.violated,
        [str(one) for one in shown.failures],
    )


def vetoes_of_finding(finding: Finding) -> tuple[Veto, ...]:
    """A veto where an attack succeeds more often than the claim allows."""
    if not finding.beats_claim:
        return ()
    assert finding.ceiling is not None
    return (_beaten(str(finding.attack), finding.target, finding.success.ends[0], finding.ceiling.value),)


def vetoes_of_audit(audit: Audit) -> tuple[Veto, ...]:
    """Vetoes from the audit of a release."""
    found = [
        veto
        for name, one in audit.columns.items()
        if one is not None
        for veto in vetoes_of_shown(one, f"the column {name}")
    ]
    found += [veto for one in audit.attacks for veto in vetoes_of_finding(one)]
    # A record that does not hold what it says is no claim either.
    found += [Veto(str(one.failure)) for one in audit.checks if one.holds is False]
    return tuple(dict.fromkeys(found))


def _shown(
    what: str,
    claim: str | None,
    claimed: float,
    at_least: float,
    unit: str,
    deterministic: bool,
    violated: bool,
    failed: list[str],
) -> tuple[Veto, ...]:
    vetoes = list(_infinite(f"the claim of {what}", claimed))
    if at_least == math.inf:
        vetoes.append(Veto(f"{what} rules an input out, so that its level is infinite"))
    elif deterministic:
        vetoes.append(Veto(f"{what} always gives the same output, so that its level is infinite"))
    elif violated and at_least > claimed:
        vetoes.append(Veto(f"{what} shows at least {at_least:.4g} {unit} where {claim} is claimed"))
    elif violated:
        vetoes.append(Veto(f"{what} breaks {claim}" + "".join(f"; {one}" for one in failed)))
    return tuple(vetoes)


def _infinite(what: str, level: float) -> tuple[Veto, ...]:
    return (Veto(f"{what} has an infinite level, which promises nothing"),) if level == math.inf else ()


def _beaten(attack: str, target: Iterable[str], success: float, ceiling: float) -> Veto:
    return Veto(
        f"the attack {attack} on {', '.join(target)} is right in at least {success:.4g} of the cases where the claim "
        f"allows {ceiling:.4g}"
    )
