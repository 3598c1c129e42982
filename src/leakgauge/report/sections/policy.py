"""Lines of a policy, in words."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.assessment.indicators import INDICATORS
from leakgauge.languages import message
from leakgauge.report.document import Inline
from leakgauge.report.sections.telling import NOTHING, OF_A_HUNDRED, Plain, Teller

NAMES = {
    "max_leakage_bits": message("leakage, at most"),
    "max_epsilon": message("ε, at most"),
    "max_delta": message("δ, at most"),
    "max_attack_advantage": message("share of the raw advantage that attacks keep, at most"),
    "min_privacy": message("privacy score, at least"),
    "min_utility": message("utility score, at least"),
    "min_score": message("score, at least"),
    "target_grade": message("grade, at least"),
    "vetoes": message("vetoes"),
}
_UNITS = {
    "max_leakage_bits": "bits",
    "max_epsilon": "nats",
    "min_privacy": OF_A_HUNDRED,
    "min_utility": OF_A_HUNDRED,
    "min_score": OF_A_HUNDRED,
}


_SCORES = {
    "min_privacy": ("privacy", "privacy_interval"),
    "min_utility": ("utility", "utility_interval"),
    "min_score": ("score", "interval"),
}
"""What is held against a least score, and where its interval is."""
_LEAVES = {one.limit: one.leaf for one in INDICATORS.values() if one.limit and one.limit != "max_epsilon"}
"""Leaves whose upper ends are held against a limit; the largest of several levels is held against that of ε."""


def failed_lines(tell: Teller) -> Iterator[Inline]:
    """A sentence for each line of the policy that is not kept."""
    for at, line in enumerate(tell.facts.items("assessment.json", "policy")):
        # Vetoes are loud by themselves.
        if not line["holds"] and line["name"] != "vetoes":
            name = name_of(tell, str(line["name"]))
            yield tell.say(
                "The policy is not kept: {name} {limit}; found: {found}.",
                name=Plain(name),
                limit=value(tell, at, "limit"),
                found=found(tell, at),
            )


def is_kept(tell: Teller) -> bool:
    """Whether every line of the policy is kept; True where there is none."""
    return all(line["holds"] for line in tell.facts.items("assessment.json", "policy"))


def found(tell: Teller, at: int) -> Inline:
    """What was found, and which end of an interval it is: in doubt a release is not allowed."""
    name = str(tell.facts.get("assessment.json", "policy", at, "name"))
    here = value(tell, at, "found")
    if here == NOTHING:
        return here
    if name in _SCORES:
        score, interval = _SCORES[name]
        whole = tell.maybe("assessment.json", score, unit=OF_A_HUNDRED, digits=3, interval=(interval,))
        if whole is not None and whole.low is not None:
            return tell.say("{found}, the lower end of {whole}", found=here, whole=whole)
    elif name in _LEAVES:
        leaves = tell.facts.items("assessment.json", "leaves")
        known = next((one.get("value") for one in leaves if str(one["leaf"]) == _LEAVES[name]), None)
        if known is not None and known != tell.facts.get("assessment.json", "policy", at, "found"):
            return tell.say("{found}, the upper end of its interval", found=here)
    return here


def name_of(tell: Teller, name: str) -> str:
    """What a line limits."""
    return tell.language.say(NAMES[name]) if name in NAMES else name


def value(tell: Teller, at: int, field: str) -> Inline:
    """The limit of a line, or what was found."""
    stored = tell.facts.get("assessment.json", "policy", at, field)
    if stored is None:
        return NOTHING
    if isinstance(stored, str | dict) and stored not in ("infinity", "-infinity"):
        return tell.stored(stored)
    unit = _UNITS.get(str(tell.facts.get("assessment.json", "policy", at, "name")), "")
    return (tell.facts.number("assessment.json", "policy", at, field, unit=unit),)
