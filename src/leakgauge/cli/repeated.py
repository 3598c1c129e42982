"""What the command line says of a release that repeats earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from leakgauge.cli.language import retell, say
from leakgauge.cli.output import Parts, number
from leakgauge.languages import message

if TYPE_CHECKING:
    from leakgauge.artefacts.repeated import EarlierRelease, Repeated, RepeatedSecret


def said_of_earlier_releases(repeated: Repeated) -> Parts:
    """Who is in the releases before, and what all of them tell together."""
    last = repeated.before[-1].folder
    parts: Parts = [
        say("The mechanism is that of {folder!s}, as it was; it was not designed for this table.", folder=last)
    ]
    parts += [f"· {line}" for one in repeated.before for line in _persons(one, repeated.units or 0)]
    told = [one for one in repeated.secrets if one.together is not None]
    if told:
        parts += [
            _together(told, repeated.counted),
            say("Counted as if the secret of a person were the same in all of them; other columns come on top."),
        ]
    for one in repeated.secrets:
        found, asked = one.distortion, one.max_distortion
        if found is not None and asked is not None:
            fields = {"secret": ", ".join(one.secret), "found": found.value, "asked": asked}
            parts.append(
                say("The mean distortion of {secret!s} is {found:.4g} now; {asked:g} was asked for.", **fields)
            )
    epsilon = number(repeated.epsilon.value)
    parts.append(say("ε of somebody in all {count} releases: {epsilon} nats.", count=repeated.counted, epsilon=epsilon))
    if repeated.spent is not None:
        parts.append(
            say(
                "The account of {dataset!s} has spent {spent} nats, this release included.",
                dataset=repeated.dataset,
                spent=number(repeated.spent.value),
            )
        )
    return parts


def _persons(one: EarlierRelease, units: int) -> list[str]:
    if one.unknown is not None:
        return [
            say(
                "Who of {folder!s} is in this table too cannot be told, because {reason}; everybody is taken to be.",
                folder=one.folder,
                reason=retell(one.unknown),
            )
        ]
    shared = say(
        "{shared} of {units} persons are in the table of {folder!s} too.",
        shared=one.shared or 0,
        units=units,
        folder=one.folder,
    )
    same = [
        say("Of these {share:.1%} have the same {secret!s} in both.", share=share.value, secret=name)
        for name, share in (one.unchanged or {}).items()
    ]
    return [shared, *same]


def _together(secrets: list[RepeatedSecret], releases: int) -> Table:
    found = Table(
        say("secret"),
        say("told by this release"),
        say("told by all {count}", count=releases),
        say("guessed right by this release"),
        say("guessed right by all {count}", count=releases),
        title=say("Together with the releases before"),
    )
    for one in secrets:
        assert one.alone is not None and one.together is not None
        assert one.guessed_alone is not None and one.guessed is not None
        template = message("{after} of {before} bits") if one.exact else message("at most {after} of {before} bits")
        before = number(one.entropy.value)
        guessed = f"{one.guessed.value:.1%}"
        found.add_row(
            ", ".join(one.secret),
            say("{after} of {before} bits", after=number(one.alone.value), before=before),
            say(template, after=number(one.together.value), before=before),
            f"{one.guessed_alone.value:.1%}",
            guessed if one.exact else say("at most {share!s}", share=guessed),
        )
    return found
