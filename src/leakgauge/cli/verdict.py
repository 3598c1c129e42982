"""How a verdict is shown: the recommendation first, then its reasons, the dials, and what would change it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from leakgauge.cli.language import current, listed, retell, say
from leakgauge.cli.output import Parts, alert, grid, number
from leakgauge.languages import message
from leakgauge.notebook import points as shown
from leakgauge.rounding import at_least, at_most, outwards, percent
from leakgauge.sentences import Sentence, in_turn

if TYPE_CHECKING:
    from leakgauge.artefacts import Judgement, Quantity, Request
    from leakgauge.artefacts.criteria import Criteria, Criterion
    from leakgauge.artefacts.dials import Dials
    from leakgauge.artefacts.verdict import Action, Beside, Verdict

_MEANS = {
    message("protection"): message("of a typical person"),
    message("exposed"): message("people whose secret becomes nearly certain"),
    message("guarantee"): message("against the worst case"),
    message("usefulness"): message("variation of the values explained"),
    message("effect"): message("protection and usefulness together"),
    message("efficiency"): message("compared with the best channel of the same distortion"),
}
"""What each dial is about."""
_OF_ROWS = message("closeness of the rows to the true ones")
_UNKNOWN = (0.0, 100.0)


def recommended(verdict: Verdict) -> Parts:
    """The recommendation in one line, then a line for each reason."""
    from leakgauge.artefacts.verdict import Recommendation

    if verdict.recommendation is Recommendation.RELEASE:
        parts: Parts = [Text(say("Recommendation: release."), "bold green")]
    elif verdict.recommendation is Recommendation.RELEASE_IF:
        line = say("Recommendation: release if you {conditions}.", conditions=in_turn(verdict.conditions))
        parts = [Text(line, "bold yellow")]
    else:
        parts = [alert(say("Recommendation: do not release."))]
    reasons = [one for one in verdict.reasons if one not in (*verdict.conditions, *verdict.vetoes)]
    return [
        *parts,
        *(alert(say("VETO: {reason}.", reason=reason)) for reason in verdict.vetoes),
        *(say("· {reason}.", reason=reason) for reason in reasons),
    ]


def dial_table(verdict: Judgement) -> Table:
    """The dials of the secret that decides, each with its interval if it has one, its grade and what it is about."""
    dials = verdict.dials[verdict.deciding]
    values: dict[str, Quantity] = {name: getattr(dials, name) for name in _MEANS}
    intervals = {name: _interval(value) for name, value in values.items()}
    heads = say("score|of 100|interval|grade|about") if any(intervals.values()) else say("score|of 100|grade|about")
    table = grid(heads, say("Scores of {secret!s}", secret=verdict.deciding))
    for name, value in values.items():
        about = retell(_OF_ROWS if name == "usefulness" and verdict.use == "rows" else _MEANS[name])
        if name == "guarantee" and dials.given_counts:
            about = say("for the noise only, not its tuning")
        interval = [intervals[name]] if any(intervals.values()) else []
        table.add_row(retell(name), _points(name, value), *interval, _grade(name, value), about)
    return table


def every_secret(verdict: Verdict) -> Table:
    """A line for each secret; the one with the lowest protection decides."""
    table = grid(say("secret|protection|exposed|guarantee|usefulness"), say("Every secret"))
    for secret, dials in verdict.dials.items():
        table.add_row(secret, *points(dials, "protection", "exposed", "guarantee", "usefulness"))
    return table


def points(dials: Dials | None, *names: str) -> list[str]:
    """Dials as shown in a table."""
    return ["–" if dials is None else _points(name, getattr(dials, name)) for name in names]


def dials_in_words(dials: Dials) -> str:
    """The dials at their unfavourable ends, in one line."""
    return say(
        "protection {safe:.3g}, exposed {exposed:.3g}%, usefulness {useful:.3g}",
        safe=at_least(dials.protection.ends[0]),
        exposed=round(at_most(dials.exposed.ends[1]), 2),
        useful=at_least(dials.usefulness.ends[0]),
    )


def changes(verdict: Judgement, asked: Request | None) -> Parts:
    """What would change the verdict, each with the options to type; or why nothing is proposed."""
    parts: Parts = nothing_proposed(verdict, asked)
    for action in verdict.actions:
        parts.append(change(verdict, action))
        if action.options:
            parts.append(Text(say("  add: {options!s}", options=_typed(action.options)), no_wrap=True))
        if action.left_out:
            parts.append(Text(say("  leave out: {options!s}", options=_typed(action.left_out)), no_wrap=True))
    return parts


def nothing_proposed(verdict: Judgement, asked: Request | None) -> Parts:
    """Why a verdict against a release comes without anything that would change it; nothing of others.

    Args:
        verdict: on the release.
        asked: of the job that made it; None where none did.
    """
    from leakgauge.artefacts.verdict import Recommendation, why_no_action

    if verdict.actions or verdict.recommendation is Recommendation.RELEASE:
        return []
    reason = why_no_action(asked, vetoed=bool(verdict.vetoes))
    return [say("→ Nothing is proposed that would change it: {reason}.", reason=reason)]


def change(verdict: Verdict, action: Action) -> str:
    """The effect of an action, in one line."""
    from leakgauge.artefacts.verdict import Recommendation

    now, then = verdict.dials[verdict.deciding], action.promised.get(verdict.deciding)
    outcome = Sentence("") if then in (None, now) else Sentence(": {outcome}", outcome=action.outcome(verdict))
    if action.recommendation is Recommendation.DO_NOT_RELEASE:
        return say(
            "→ Best single change: {action}{outcome}. It is not enough by itself.", action=action.said, outcome=outcome
        )
    return say("→ {action}{outcome}.", action=action.said, outcome=outcome)


def notes(verdict: Verdict) -> Parts:
    """Notes on the dials of the secret that decides."""
    return [f"· {retell(note)}" for note in verdict.dials[verdict.deciding].notes]


def policy_table(verdict: Verdict) -> Table:
    """Every limit with the value found, and who set it."""
    from leakgauge.assessment.verdict import short_of
    from leakgauge.telling.verdict import LIMITS

    table = grid(say("limit|asked|found||set by"), say("Policy"))
    for line in verdict.policy:
        kept = say("met") if line.holds else say("NOT MET")
        table.add_row(
            f"{retell(LIMITS.get(line.name, line.name))}{_of(retell(line.of))}",
            _side(line.name, line.limit),
            say("not known") if line.found is None else _side(line.name, short_of(line.name, line.found)),
            kept,
            say("you") if line.given else say("default policy"),
        )
    return table


def _side(limit: str, value: float) -> str:
    """A limit, or what was found, in its unit."""
    from leakgauge.telling.verdict import SHARES, UNITS

    if limit in SHARES:
        return percent(value)
    unit = UNITS.get(limit, "")
    return f"{number(value)} {retell(unit)}" if unit not in ("", "nats") else number(value)


def explained(verdict: Judgement) -> Parts:
    """Criteria and scores of each released secret: they explain the dials and decide nothing."""
    return [part for secret, beside in verdict.beside.items() for part in _beside(secret, beside, verdict.beside)]


def _beside(secret: str, beside: Beside, every: Mapping[str, Beside]) -> Parts:
    title = say("Criteria of {secret!s}", secret=secret) if len(every) > 1 else say("Criteria")
    parts: Parts = [_criteria(beside.criteria, title)]
    if beside.criteria.beside.template:
        parts.append(retell(beside.criteria.beside))
    published = beside.published
    if published is not None:
        line = say(
            "published score {score:.1f} ({grade!s}), does not affect the decision",
            score=published.score,
            grade=published.grade,
        )
        parts.append(Text(line, "dim"))
    arcs = beside.over_arcs
    if arcs is not None:
        scores = {"score": arcs.score, "privacy": arcs.privacy, "utility": arcs.utility}
        told = {name: say("not known") if value is None else f"{value:.3g}" for name, value in scores.items()}
        parts.append(say("Over the arcs of the diagram: score {score}, privacy {privacy}, utility {utility}.", **told))
        parts.append(retell(arcs.why_not))
    evaluated = beside.comprehensive
    if evaluated is not None:
        states = listed(f"{one:.3g}" for one in evaluated.memberships)
        parts.append(
            say(
                "Comprehensive evaluation: {grade!s}; memberships from very low to very high {states!s}.",
                grade=evaluated.grade,
                states=states,
            )
        )
        parts.append(retell(evaluated.why_not))
    return parts


def _criteria(criteria: Criteria, title: str) -> Table:
    table = grid(say("criterion|points|interval|rests on|not known"), title)
    for one in criteria.criteria:
        points = retell(one.said) if one.points is None else f"{at_least(one.points.value):.3g}"
        interval = "" if one.points is None else _interval(one.points)
        leaves = {leaf.leaf: leaf for leaf in one.leaves}
        missing = listed(_named(leaves[leaf]) if leaf in leaves else leaf for leaf in one.missing)
        rests = "" if one.points is None else retell(one.standing.value)
        table.add_row(_named(one), points, interval, rests, missing)
    return table


def _named(one: Criterion | object) -> str:
    """A criterion's name in the current language; a user's own diagram may name it in one language only."""
    name, chinese = getattr(one, "name", ""), getattr(one, "chinese", "")
    return chinese or name if current().code == "zh" else name


def _of(secret: str) -> str:
    return f" ({secret})" if secret else ""


def _points(dial: str, value: Quantity) -> str:
    if value.ends == _UNKNOWN:
        return say("not known")
    return f"{shown(at_most(value.value))}%" if dial == "exposed" else shown(at_least(value.value))


def _interval(value: Quantity) -> str:
    low, high = map(shown, outwards(*value.ends))
    return "" if value.low is None or value.ends == _UNKNOWN else f"[{low}, {high}]"


def _grade(dial: str, value: Quantity) -> str:
    """The grade of the unfavourable end; a share of people has a limit instead of a grade."""
    from leakgauge.artefacts.dials import grade_of

    if dial == "exposed" or value.ends == _UNKNOWN:
        return ""
    return retell(grade_of(value.ends[0]).value).replace("-", " ")


def _typed(options: Iterable[str]) -> str:
    """Options to copy, their values quoted where a shell needs it."""
    words = (option.partition(" ") for option in options)
    return " ".join(f"{name} {shlex.quote(value)}" if value else name for name, _, value in words)
