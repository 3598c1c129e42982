"""What the command line says about a release that repeats earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from leakgauge.cli.language import listed, say
from leakgauge.cli.output import Parts, number, told_level
from leakgauge.languages import message
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts.repeated import EarlierRelease, Repeated


def said_of_earlier_releases(repeated: Repeated, *, per_person: bool) -> Parts:
    """Who is in the earlier releases, and what all of them reveal together; ε is that of a person, or of one row."""
    last = repeated.before[-1].folder
    parts: Parts = [
        say("The mechanism is that of {folder!s}, unchanged; it was not designed for this table.", folder=last)
    ]
    parts += [f"· {line}" for one in repeated.before for line in _persons(one, repeated.units or 0)]
    if repeated.counted > 1:
        template = message("ε of a person with one row in each of {count} of these releases: {epsilon}.")
        if per_person:
            template = message("ε of a person in {count} of these releases: {epsilon}.")
        epsilon = told_level(repeated.epsilon.value)
        parts += [*_together(repeated), say(template, count=repeated.counted, epsilon=epsilon)]
    for one in repeated.secrets:
        found, asked = one.distortion, one.max_distortion
        if found is not None and asked is not None:
            fields = {"secret": listed(one.secret), "found": found.value, "asked": asked}
            parts.append(say("The mean distortion of {secret!s} is {found:.3g} now; {asked:g} was required.", **fields))
    if repeated.spent is not None:
        parts.append(
            say(
                "The account of {dataset!s} has used ε {spent}, this release included.",
                dataset=repeated.dataset,
                spent=told_level(repeated.spent.value),
            )
        )
    return parts


def _persons(one: EarlierRelease, units: int) -> list[str]:
    if one.unknown is not None:
        return [
            say(
                "The overlap of {folder!s} with this table is unknown, because {reason}; everybody is assumed to "
                "be in both.",
                folder=one.folder,
                reason=one.unknown,
            )
        ]
    shared = say(
        "{shared} of {units} people are also in the table of {folder!s}.",
        shared=one.shared or 0,
        units=units,
        folder=one.folder,
    )
    same = [
        say("Of these {share:.1%} have the same {secret!s} in both.", share=share.value, secret=name)
        for name, share in (one.unchanged or {}).items()
    ]
    return [shared, *same]


def _together(repeated: Repeated) -> Parts:
    parts, uncounted = Parts(), [listed(one.secret) for one in repeated.secrets if one.together is None]
    if len(uncounted) < len(repeated.secrets):
        parts += [
            _table(repeated),
            say("Counted as if a person's secret were the same in all of them; other columns add to this."),
        ]
    if uncounted:
        parts.append(
            say("What they reveal together about {secrets!s} was not measured in bits.", secrets=listed(uncounted))
        )
    return parts


def _table(repeated: Repeated) -> Table:
    count = repeated.counted
    found = Table(
        say("secret"),
        say("bits"),
        say("revealed by this release"),
        say("by {count} releases", count=count),
        say("guessed correctly from this one"),
        say("by {count} releases", count=count),
        title=say("Together with earlier releases"),
    )
    for one in repeated.secrets:
        if one.alone is None or one.together is None or one.guessed_alone is None or one.guessed is None:
            continue
        after = (number(one.together.value), percent(one.guessed.value))
        bits, guessed = after if one.exact else (say("at most {number!s}", number=each) for each in after)
        found.add_row(
            listed(one.secret),
            number(one.entropy.value),
            number(one.alone.value),
            bits,
            percent(one.guessed_alone.value),
            guessed,
        )
    return found
