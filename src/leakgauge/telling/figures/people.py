"""A hundred people: how many are guessed right without a release, how many more with it, and how many are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leakgauge.artefacts.audit import Audit, Finding
from leakgauge.artefacts.verdict import ReleaseFacts
from leakgauge.audit.attacks.attack import Aim
from leakgauge.audit.attacks.catalogue import attack_of
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import percentage, written
from leakgauge.telling.figures import chart
from leakgauge.telling.figures.chart import Fields, Figure, clauses, ended, figure_of_words, joined, listed, named

ICONS = 100
_ACROSS, _STEP, _DOWN = (25, 10), 27, 36
"""People side by side, as many as there is room for."""
_HEAD = "M0,-0.95A0.33,0.33 0 1 1 -0.01,-0.95Z"
_PERSON = f"{_HEAD}M-0.55,0.95V0.25Q-0.55,-0.2 0,-0.2Q0.55,-0.2 0.55,0.25V0.95Z"
# Drawn there and back, the frame is a line that encloses nothing: it is not filled.
_FRAMED = f"M-0.85,-1.2H0.85V1.2H-0.85V-1.2V1.2H0.85V-1.2H-0.85Z{_PERSON}"
_GROUPS = {
    "anyway": (message("guessed correctly without this release"), _PERSON, chart.DARK),
    "because": (message("additionally guessed correctly with the release (net)"), _FRAMED, chart.MIDDLE),
    "not": (message("still not guessed correctly"), _PERSON, "white"),
}
"""What each group is called, its icon and its fill: they differ in shape or in lightness, not in colour alone."""


def people_figure(
    audit: Audit,
    secret: Sequence[str] = (),
    language: Language = ENGLISH,
    facts: ReleaseFacts | None = None,
    *,
    width: int = chart.WIDTH,
) -> Figure:
    """A hundred icons, shared between those whom the strongest attack of an audit guesses right and the others.

    The first group are as many as the same attacker guesses right without the release, the second as many as are added:
    a release also makes some guesses wrong, so that they need not be the same people. The hundred are shared by largest
    remainders, and a group with anybody in it has one icon at least.

    Args:
        secret: whose attacks to look at; without it, those of all secrets.
        facts: of the verdict, which counts the people of the attacker who decides; without them the strongest attack.
    """
    title = language.say("Out of every hundred people")
    attack, everybody = _strongest(audit, secret), audit.rows
    if facts is not None and facts.guessed is not None and facts.guessed_anyway is not None:
        (because, everybody), anyway = facts.guessed, facts.guessed_anyway
        groups = {"anyway": anyway, "because": because, "not": max(everybody - anyway - because, 0)}
        by = _by(facts.guessed_knowing, language)
    elif attack is not None:
        gained = max(attack.advantage.value, 0.0)
        anyway, because = (round(share * everybody) for share in (attack.baseline.value, gained))
        anyway = min(anyway, everybody - because)
        groups = {"anyway": anyway, "because": because, "not": everybody - anyway - because}
        by = language.say("By the strongest attack: {attack!s}.", attack=language.retell(attack.attack))
    else:
        return figure_of_words(title, language.say("No attack on the release guessed a value of the secret."))
    icons = shared_out(list(groups.values()))
    across = next(some for some in _ACROSS if some * _STEP <= width or some == _ACROSS[-1])
    told = {name: _line(name, groups[name], everybody, language) for name in groups}
    lines = {name: chart.wrapped(one, width - 60) for name, one in told.items()}
    marks = (lines[name] for name, count in zip(groups, icons, strict=True) for _ in range(count))
    rows = [
        {"group": group, "across": (at % across + 0.5) * _STEP, "down": (at // across + 0.5) * _DOWN}
        for at, group in enumerate(marks)
    ]
    said = language.say(
        "Because of this release, {people} more of {everybody} people have their value guessed correctly.",
        people=f"{groups['because']:,}",
        everybody=f"{everybody:,}",
    )
    rare = any(0 < count * ICONS < 0.5 * everybody for count in groups.values())
    one = language.say("One icon stands for 1% of them.")
    least = language.say("A smaller group is shown by one icon.") if rare else ""
    names = [lines[name] for name in _GROUPS]
    legend = chart.legend_below(690, symbolSize=400, rowPadding=9)
    x, y = (chart.quantitative(field, scale=None, axis=None) for field in ("across", "down"))
    spec = {
        "title": chart.titled(title, said, by, joined(language, one, least), width=width),
        "width": across * _STEP,
        "height": ICONS // across * _DOWN,
        "view": {"stroke": None},
        "data": {"values": rows},
        **chart.layer(
            # A hundred icons are not read out: the picture's own words tell their three groups.
            {"type": "point", "size": 480, "opacity": 1, "stroke": chart.INK, "strokeWidth": 1, "aria": False},
            x=x,
            y=y,
            shape=_by_group(names, [shape for _, shape, _ in _GROUPS.values()], legend),
            fill=_by_group(names, [fill for *_, fill in _GROUPS.values()], legend),
            tooltip={"field": "group"},
        ),
    }
    return Figure(
        spec, joined(language, said, ended(language, clauses(language, *(told[name] for name in _GROUPS))), by)
    )


def _by(knows: tuple[str, ...] | None, language: Language) -> str:
    """Who guesses so: the attacker who decides the protection."""
    if knows is None:
        return language.say("Attacker assumed: the one of the protection score.")
    if not knows:
        return language.say(
            "Attacker assumed: the one of the protection score, who sees everything released and "
            "knows nothing else about a person."
        )
    return language.say(
        "Attacker assumed: the one of the protection score, who knows {columns!s}.", columns=listed(language, *knows)
    )


def shared_out(counts: Sequence[int], icons: int = ICONS) -> list[int]:
    """So many icons, shared in the proportions of the counts; none for nobody, and one at least for anybody.

    Example:
        >>> shared_out([1, 9998, 1])
        [1, 98, 1]
    """
    everybody = sum(counts)
    exact = [icons * count / everybody for count in counts]
    made = [max(int(one), int(count > 0)) for one, count in zip(exact, counts, strict=True)]
    while sum(made) != icons:
        # One more where most is missing, or one less where there is most too much and another is left.
        step = 1 if sum(made) < icons else -1
        places = [at for at, one in enumerate(made) if step > 0 or one > 1]
        made[max(places, key=lambda at: step * (exact[at] - made[at]))] += step
    return made


def _strongest(audit: Audit, secret: Sequence[str]) -> Finding | None:
    """The attack on the release itself that gains most, of those that guess the secret from this release alone."""

    def guesses(one: Finding) -> bool:
        attack = attack_of(one.attack)
        return attack is None or (attack.aim is Aim.SECRET and not attack.repeated)

    found = [
        one for one in audit.attacks if one.judged and guesses(one) and (not secret or one.target == tuple(secret))
    ]
    return max(found, key=lambda one: one.advantage.value, default=None)


def _line(name: str, count: int, everybody: int, language: Language) -> str:
    number = language.say("{count} people, {share}%", count=f"{count:,}", share=written(percentage(count / everybody)))
    return named(language, language.say(_GROUPS[name][0]), number)


def _by_group(names: Sequence[str], values: Sequence[str], legend: Fields) -> dict[str, Any]:
    return chart.nominal("group", sort=None, scale={"domain": [*names], "range": [*values]}, legend=legend)
