"""Reasons outside the average that cap a grade: a claim that is empty or shown to be broken, or nothing known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from leakgauge.artefacts.assessment import Grade, Veto
from leakgauge.sentences import Sentence, in_turn

if TYPE_CHECKING:
    from leakgauge.artefacts import Audit, Finding, Shown
    from leakgauge.artefacts.evidence import Evidence
    from leakgauge.claims import Statement

NEEDED = {
    "3": Sentence("the budget ε (leaf 3)"),
    "5": Sentence("what attacks gain (leaf 5)"),
    "6": Sentence("what the release tells (leaf 6)"),
}
"""Leaves without which nobody can say that a release is safe."""
MECHANISM = Sentence("the mechanism")
TOLD = 0.9
"""A share of the secret from which on the release is as good as the data."""
LARGEST_DELTA = 0.01
"""With a δ from here on one row in a hundred may be released as it is."""


def capped(grade: Grade, vetoes: Iterable[Veto]) -> Grade:
    """The grade, or the lowest cap where that is lower."""
    return min([grade, *(veto.cap for veto in vetoes)])


def vetoes_of_unknown(scores: Mapping[str, float | None], missing: Collection[str]) -> tuple[Veto, ...]:
    """Vetoes where a score or a leaf that a verdict needs is not known: what is not known is not safe.

    Args:
        scores: privacy and utility by name.
        missing: the leaves of which nothing is known.
    """
    unknown = [Sentence(name) for name, score in scores.items() if score is None]
    unknown += [said for leaf, said in NEEDED.items() if leaf in missing]
    return (Veto(Sentence("nothing is known of {what}", what=tuple(unknown))),) if unknown else ()


def vetoes_of_evidence(evidence: Iterable[Evidence], *, of_rows: bool = True) -> tuple[Veto, ...]:
    """Vetoes from the leaves themselves: an infinite ε, a large δ, a release that tells nearly everything.

    Args:
        evidence: of any leaves.
        of_rows: whether values of rows are released. What counts of many rows tell of the true counts is no secret of
            anyone, so that leaf 7 says nothing against them.
    """
    values = {one.leaf: one.value for one in evidence if one.value is not None}
    found: list[Sentence] = []
    if values.get("3") == math.inf:
        found.append(Sentence("ε is infinite, which promises nothing"))
    if values.get("2", 0.0) >= LARGEST_DELTA:
        found.append(
            Sentence(
                "δ is {delta:.3g}, and from {largest:g} on it promises next to nothing",
                delta=values["2"],
                largest=LARGEST_DELTA,
            )
        )
    # An attack on a sample may come out above what it estimates, which is at most the whole.
    told = {leaf: min(value, 1.0) for leaf, value in values.items() if value >= TOLD}
    if "5" in told:
        found.append(
            Sentence(
                "the release tells nearly everything: the best attack gains {share:.4g} of what the raw data give",
                share=told["5"],
            )
        )
    if "7" in told and of_rows:
        found.append(
            Sentence("the release tells nearly everything: it keeps {share:.4g} of the information", share=told["7"])
        )
    return tuple(map(Veto, found))


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
    found = [veto for name, one in columns for veto in vetoes_of_shown(one, column_of(name))]
    found += [veto for one in audit.attacks for veto in vetoes_of_finding(one)]
    # A record that does not hold what it says is no claim either.
    found += [Veto(one.failure) for one in audit.checks if one.holds is False]
    return tuple(dict.fromkeys(found))


def column_of(name: str) -> Sentence:
    """A column, as vetoes call it."""
    return Sentence("the column {name}", name=name)


def _infinite(what: Sentence, level: float) -> tuple[Veto, ...]:
    if level != math.inf:
        return ()
    return (Veto(Sentence("{what} has an infinite level, which promises nothing", what=what)),)
