"""Reasons outside the average that cap a grade: a claim that is empty or shown to be broken, or nothing known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from leakgauge.artefacts.assessment import Veto
from leakgauge.artefacts.grades import Grade
from leakgauge.errors import FileError
from leakgauge.sentences import Sentence, in_turn

if TYPE_CHECKING:
    from leakgauge.artefacts.evidence import Evidence
    from leakgauge.audit import Finding, Shown
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
    return _shown(
        what,
        str(shown.claim) if shown.claimed else None,
        shown.claim.level if shown.claimed else 0.0,
        shown.at_least,
        shown.claim.unit,
        shown.deterministic,
        shown.violated,
        [_failed(one.name, one.reason) for one in shown.checks if not one.holds],
    )


def vetoes_of_finding(finding: Finding) -> tuple[Veto, ...]:
    """A veto where an attack succeeds more often than the claim allows."""
    if not finding.beats_claim:
        return ()
    assert finding.ceiling is not None
    return (_beaten(finding.attack, finding.target, finding.success.low, finding.ceiling),)


def vetoes_of_audit(fields: Mapping[str, Any]) -> tuple[Veto, ...]:
    """Vetoes from the JSON of an audit, of a release or of a mechanism.

    Raises:
        FileError: something else than an audit.
    """
    try:
        return tuple(dict.fromkeys(_from_fields(fields)))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise FileError("The audit lacks fields or has others in their place; make it again.") from None


def _from_fields(fields: Mapping[str, Any]) -> list[Veto]:
    if "columns" not in fields:
        return list(_shown_fields(MECHANISM, fields))
    found: list[Veto] = []
    for name, one in fields["columns"].items():
        if one is not None:
            found += _shown_fields(column_of(name), one)
    for one in fields["attacks"]:
        if one["beats_claim"]:
            found.append(
                _beaten(one["attack"], one["target"], float(one["success"]["low"]), float(one["ceiling"]["value"]))
            )
    # A record that does not hold what it says is no claim either.
    found += [Veto(_failed(one["name"], one["reason"])) for one in fields["checks"] if one["holds"] is False]
    return found


def _shown_fields(what: Sentence, fields: Mapping[str, Any]) -> tuple[Veto, ...]:
    claim, bound = fields["claim"], fields["lower_bound"]
    return _shown(
        what,
        None if claim is None else f"{fields['notion']}:{claim['value']}",
        0.0 if claim is None else float(claim["value"]),
        float(bound["value"]),
        bound["unit"],
        fields["deterministic"],
        fields["violated"],
        [_failed(one["name"], one["reason"]) for one in fields["checks"] if not one["holds"]],
    )


def _shown(
    what: Sentence,
    claim: str | None,
    claimed: float,
    at_least: float,
    unit: str,
    deterministic: bool,
    violated: bool,
    failed: list[Sentence],
) -> tuple[Veto, ...]:
    vetoes = _infinite(Sentence("the claim of {what}", what=what), claimed)
    if at_least == math.inf:
        said = Sentence("{what} rules an input out, so that its level is infinite", what=what)
    elif deterministic:
        said = Sentence("{what} always gives the same output, so that its level is infinite", what=what)
    elif violated and at_least > claimed:
        said = Sentence(
            "{what} shows at least {level:.4g} {unit} where {claim} is claimed",
            what=what,
            level=at_least,
            unit=Sentence(unit),
            claim=str(claim),
        )
    elif violated:
        said = in_turn([Sentence("{what} breaks {claim}", what=what, claim=str(claim)), *failed])
    else:
        return vetoes
    return (*vetoes, Veto(said))


def column_of(name: str) -> Sentence:
    """A column, as vetoes call it."""
    return Sentence("the column {name}", name=name)


def _infinite(what: Sentence, level: float) -> tuple[Veto, ...]:
    if level != math.inf:
        return ()
    return (Veto(Sentence("{what} has an infinite level, which promises nothing", what=what)),)


def _failed(name: str, reason: str) -> Sentence:
    """A check that does not hold."""
    return Sentence("{check}: {reason}", check=Sentence(name), reason=Sentence(reason))


def _beaten(attack: str, target: Iterable[str], success: float, ceiling: float) -> Veto:
    return Veto(
        Sentence(
            "the attack {attack} on {target} is right in at least {success:.4g} of the cases where the claim allows "
            "{ceiling:.4g}",
            attack=Sentence(attack),
            target=tuple(target),
            success=success,
            ceiling=ceiling,
        )
    )
