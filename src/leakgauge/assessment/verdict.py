"""What to do with a release: its scores and facts held to a policy, at the unfavourable ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from leakgauge.artefacts import Quantity
from leakgauge.artefacts.risks import Certain
from leakgauge.artefacts.scores import Scores
from leakgauge.artefacts.verdict import PolicyLine, Recommendation, ReleaseFacts, Verdict
from leakgauge.assessment.scores.policy import Policy
from leakgauge.case.certainty import newly_certain
from leakgauge.errors import ModelError
from leakgauge.rounding import at_least, at_most
from leakgauge.sentences import Sentence

MOST_REASONS = 3
HALF_A_PERSON = 0.5
SIMULATED = Sentence("it is a simulation, whose noise follows from a seed, so it protects nobody")
NOBODY_CERTAIN = "nobody's value becomes 90% certain or more"
"""The reason that speaks of no heads."""
_DEFAULT = {**Policy().limits()}
UNKNOWN = (0.0, 100.0)
"""The ends of a score of which nothing is known."""
_ROUNDING = 1e-9
_BROKEN = {
    "min_protection": "protection is {found:.3g} of 100; you require {limit:.3g}",
    "max_surest": "an attacker becomes {found:.3g} of 100 surer about the most exposed tenth of those who share a "
    "value; you allow {limit:.3g}",
    "max_lost": "{found:.2%} of the rows have values that are never released; you allow at most {limit:.2%}",
    "min_usefulness": "usefulness is {found:.3g} of 100; you require {limit:.3g}",
    "max_alone": "{found:.2%} of the people are unique in the published columns; you allow at most {limit:.2%}",
    "max_linked": "of {found:.2%} of the people the row can be found without doubt; you allow at most {limit:.2%}",
    "min_k": "the smallest group in the published columns has {found:.3g} rows; you require {limit:.3g}",
    "max_epsilon": "ε is {found:.3g}; you allow at most {limit:.3g}",
    "max_delta": "δ is {found:.3g}; you allow at most {limit:.3g}",
    "max_leakage_bits": "{found:.3g} bits are revealed; you allow at most {limit:.3g}",
    "max_attack_advantage": "the best attack gains {found:.2%} of what the original data would give it; you "
    "allow at most {limit:.2%}",
}
"""The sentence for each limit that is broken, the weightiest first."""
_BROKEN_DEFAULT = {
    "min_protection": "protection is {found:.3g} of 100; the default policy requires {limit:.3g}",
    "max_surest": "an attacker becomes {found:.3g} of 100 surer about the most exposed tenth of those who share a "
    "value; the default policy allows {limit:.3g}",
    "max_lost": "{found:.2%} of the rows have values that are never released; the default policy allows {limit:.2%}",
    "min_usefulness": "usefulness is {found:.3g} of 100; the default policy requires {limit:.3g}",
    "max_alone": "{found:.2%} of the people are unique in the published columns; the default policy allows {limit:.2%}",
    "max_linked": "of {found:.2%} of the people the row can be found without doubt; the default policy allows "
    "{limit:.2%}",
}
"""The same where nobody asked for the limit, of each that the default policy sets."""


def verdict_of(secrets: Mapping[str, Scores], policy: Policy, facts: ReleaseFacts) -> Verdict:
    """The recommendation for a release with these secrets, of which the least protected decides.

    Raises:
        ModelError: there is no secret.
    """
    if not secrets:
        raise ModelError("There is no secret to judge a release by; name one.")
    useless = facts.lost is not None and policy.max_lost is not None and facts.lost > policy.max_lost + _ROUNDING
    unknown = [name for name, one in secrets.items() if one.protection.ends == UNKNOWN]
    vetoes = [*facts.vetoes, *(Sentence("the protection of {secret!r} is unknown", secret=one) for one in unknown)]
    scores = {
        name: _vetoed(one, protection=bool(facts.vetoes) or name in unknown, usefulness=useless)
        for name, one in secrets.items()
    }
    deciding = min(scores, key=lambda name: scores[name].protection.ends[0])
    lines = tuple(_lines(scores, policy, facts))
    broken = [line for name in _BROKEN for line in lines if line.name == name and not line.holds]
    missing = [one for one in policy.declared if one not in facts.declared]
    conditions = (Sentence("declare {what}", what=tuple(one.said for one in missing)),) if missing else ()
    if vetoes or broken:
        recommendation = Recommendation.DO_NOT_RELEASE
        # A vetoed score is 0, and the veto says why.
        vetoed = {"min_protection": bool(vetoes), "min_usefulness": useless}
        failing = [line for line in broken if not vetoed.get(line.name)]
        reasons = [*vetoes, *_heads(facts, {line.name for line in failing}), *map(_why_not, failing)]
    else:
        recommendation = Recommendation.RELEASE_IF if conditions else Recommendation.RELEASE
        reasons = [*conditions, *_why(scores[deciding], facts)]
    if facts.simulated:
        recommendation, reasons = Recommendation.DO_NOT_RELEASE, [SIMULATED, *reasons]
    return Verdict(
        recommendation=recommendation,
        reasons=tuple(reasons[:MOST_REASONS]),
        conditions=conditions,
        policy=lines,
        scores=scores,
        deciding=deciding,
        vetoes=tuple(vetoes) + tuple(_why_not(line) for line in broken if line.name == "max_lost" and line.given),
        failed=(
            *(_why_not(line) for line in broken if line.given),
            *(conditions if "declared" in policy.given else ()),
        ),
        left_out=policy.left_out(),
    )


def _vetoed(scores: Scores, *, protection: bool, usefulness: bool) -> Scores:
    """The scores with those that are vetoed at 0."""
    changed = {}
    if protection:
        changed["protection"] = Quantity(0.0, scores.protection.unit)
    if usefulness:
        changed["usefulness"] = Quantity(0.0, scores.usefulness.unit)
    return replace(scores, **changed) if changed else scores


def _lines(scores: Mapping[str, Scores], policy: Policy, facts: ReleaseFacts) -> Iterator[PolicyLine]:
    """Every limit with the value found, except limits that do not apply."""
    optional = {
        "max_lost": facts.lost,
        "max_alone": facts.alone,
        "max_linked": facts.linked,
        "min_k": facts.smallest,
    }
    others = {
        "max_epsilon": facts.epsilon,
        "max_delta": facts.delta,
        "max_leakage_bits": facts.leakage_bits,
        "max_attack_advantage": facts.advantage,
    }
    for name, limit in policy.limits().items():
        of = Sentence("")
        found: float | None
        if name in optional:
            found = optional[name]
            if found is None:
                continue
        elif name in others:
            found = others[name]
        else:
            found, secret = _worst(scores, name)
            of = Sentence("{secret!r}", secret=secret) if len(scores) > 1 else of
        kept = found is not None and keeps(name, found, limit)
        yield PolicyLine(name, limit, found, kept, of, name in policy.given)


def keeps(name: str, found: float, limit: float) -> bool:
    """Whether a value, at its unfavourable end, keeps a limit of a policy."""
    return found >= limit - _ROUNDING if name.startswith("min_") else found <= limit + _ROUNDING


def _worst(scores: Mapping[str, Scores], limit: str) -> tuple[float | None, str]:
    """The unfavourable end of a score, of the secret where it is worst; None where nothing is known of it."""
    kind, score = limit.split("_", 1)

    def end(name: str) -> float:
        low, high = getattr(scores[name], score).ends
        return float(high if kind == "max" else low)

    worst = (max if kind == "max" else min)(scores, key=end)
    return None if getattr(scores[worst], score).ends == UNKNOWN else end(worst), worst


def _why_not(line: PolicyLine) -> Sentence:
    if line.found is None:
        return Sentence("{limit!s} is set, but its value is unknown", limit=line.name)
    is_default = not line.given and line.limit == _DEFAULT.get(line.name)
    found = short_of(line.name, line.found)
    if is_default:
        reason = Sentence(_BROKEN_DEFAULT[line.name], found=found, limit=line.limit)
    else:
        reason = Sentence(_BROKEN[line.name], found=found, limit=line.limit)
    return Sentence("of {secret}, {reason}", secret=line.of, reason=reason) if line.of.template else reason


def short_of(name: str, found: float) -> float:
    """The value that misses a limit, in three digits, never rounded to a value that keeps it."""
    return at_least(found) if name.startswith("min_") else at_most(found)


def _why(scores: Scores, facts: ReleaseFacts) -> Iterator[Sentence]:
    yield from _certain(facts.certain)
    yield Sentence("protection is {found:.3g} of 100", found=at_least(scores.protection.ends[0]))
    yield Sentence("usefulness is {found:.3g} of 100", found=at_least(scores.usefulness.ends[0]))


def _heads(facts: ReleaseFacts, failing: Collection[str]) -> Iterator[Sentence]:
    """What limits that are not kept mean in people."""
    if "max_surest" in failing and facts.certain is not None and newly_certain(facts.certain) > HALF_A_PERSON:
        yield from _certain(facts.certain)
    elif "min_protection" in failing and facts.guessed is not None:
        people, everybody = facts.guessed
        yield Sentence(
            "because of this release an attacker guesses {people:,} more of {everybody:,} people correctly",
            people=people,
            everybody=everybody,
        )


def _certain(found: Certain | None) -> Iterator[Sentence]:
    """How many people become nearly certain, where that can be counted."""
    if found is None:
        return
    people, before = round(found.people.value), round(found.before.value)
    if people <= before:
        yield Sentence(NOBODY_CERTAIN)
        return
    yield Sentence(
        "the value of {people:,} of the {holders:,} people with {value!r} can be guessed with at least 90% certainty; "
        "before the release: {before:,}",
        people=people,
        holders=round(found.holders.value),
        value=found.value,
        before=before,
    )
