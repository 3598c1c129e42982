"""Lines of a policy, in words."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Inline
from leakgauge.report.sections.telling import NOTHING, OF_A_HUNDRED, Own, Teller

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


def failed_lines(tell: Teller) -> Iterator[Inline]:
    """A sentence for each line of the policy that is not kept."""
    for at, line in enumerate(tell.facts.items("assessment.json", "policy")):
        # Vetoes are loud by themselves.
        if not line["holds"] and line["name"] != "vetoes":
            name = name_of(tell, str(line["name"]))
            start = tell.say("The policy is not kept: {name} ", name=Own(name))
            found = tell.say("; found: ")
            yield (*start, *value(tell, at, "limit"), *found, *value(tell, at, "found"), ".")


def name_of(tell: Teller, name: str) -> str:
    """What a line limits."""
    return tell.language.say(NAMES[name]) if name in NAMES else name


def value(tell: Teller, at: int, field: str) -> Inline:
    """The limit of a line, or what was found."""
    stored = tell.facts.get("assessment.json", "policy", at, field)
    if stored is None:
        return NOTHING
    if isinstance(stored, str) and stored not in ("infinity", "-infinity"):
        return tell.stored(stored)
    unit = _UNITS.get(str(tell.facts.get("assessment.json", "policy", at, "name")), "")
    return (tell.facts.number("assessment.json", "policy", at, field, unit=unit, from_table=field == "found"),)
