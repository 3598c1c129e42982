"""``leakgauge compare``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Column, Table
from rich.text import Text

from leakgauge.artefacts.request import Reading
from leakgauge.artefacts.request.comparing import Comparing
from leakgauge.artefacts.request.part import RequestPart
from leakgauge.artefacts.request.shared_options import Distortion, Together
from leakgauge.cli import options
from leakgauge.cli.language import listed, retell, say
from leakgauge.cli.options import loss_of
from leakgauge.cli.output import Output, Parts, deliver, number, require_not_read, told_level, working
from leakgauge.languages import message
from leakgauge.rounding import percent

if TYPE_CHECKING:
    from leakgauge.artefacts import Comparison

NARROW, NUMBER = 9, 8
"""The widest column, in characters, whose head may stand on two lines."""


class OneSource(RequestPart, frozen=True):
    """Whether several secrets are one source, and what a wrong value of it costs."""

    together: Together = False
    distortion: Distortion = ("hamming",)


@click.command()
@click.argument("table", type=options.ADDRESS)
@click.argument("mechanisms", nargs=-1, metavar="[MECHANISM]...")
@options.taking(asked=Comparing, source=OneSource, reading=Reading)
@options.output
def command(
    table: str, mechanisms: tuple[str, ...], asked: Comparing, source: OneSource, reading: Reading, to: Output
) -> None:
    """Mechanisms for one secret on one scale, with what each leaks beyond the channel that leaks least.

    MECHANISM is name:key=value,… or a channel file. The symmetric channel, the exponential mechanism and the least
    leaking channel at the target are always shown. With --keep shares, so is the least leaking channel that releases
    every value as often as it occurs, and all others are compared with that one.

    \b
    leakgauge compare people.csv --secret illness randomized-response:epsilon=1 \\
        --max-distortion 0.3
    leakgauge compare people.csv --secret illness --keep shares \\
        --max-distortion 0.3
    leakgauge compare people.csv --secret illness --background city channel.json \\
        --max-leakage 0.5
    leakgauge compare people.csv --secret age geometric:epsilon=1,lower=0,upper=99
      --distortion absolute --max-distortion 20

    A number with noise is clamped to its bounds after the noise; exponential has the utility −distortion.
    """
    from leakgauge.jobs.compare import compare
    from leakgauge.tables.binnings import parse_binnings
    from leakgauge.tables.levels import level_files

    secret = asked.secret
    options.require_one_source(secret, source.together)
    loss = loss_of(source.distortion, secret if asked.through is None else (asked.through,))
    files = (Path(name) for name in mechanisms if ":" not in name)
    weights = None if asked.weights is None else Path(str(asked.weights))
    require_not_read(to.file, table, *files, *loss.files, weights, *level_files(asked.levels))
    with working(say("Comparing for {table!s} …", table=Path(table).name)):
        comparison = compare(table, mechanisms, distortion=loss.distortion(), **asked.given(), **reading.given())
    bins = parse_binnings(asked.bins, secret + asked.background, asked.levels)
    deliver(
        comparison,
        to,
        lambda: [*_render(comparison, secret), *options.between_centres(loss, bins, secret)],
    )


def _render(comparison: Comparison, secret: Sequence[str]) -> Parts:
    from leakgauge.artefacts.design import RankedBy, Role

    floor = comparison.background_floor
    # Heads of two words stand on two lines: names of mechanisms need the room. Identifiability is shown only where it
    # ranks.
    narrow = partial(Column, max_width=NARROW, overflow="fold")
    of_bits = partial(narrow, max_width=NUMBER)
    weighed = comparison.ranking[0].weighted_leakage is not None
    identified = comparison.by is RankedBy.IDENTIFIABILITY
    told = "I(X;Y)" if comparison.through is None else "I(S;Y)"
    columns: list[Column | str] = [
        say("target"),
        of_bits(say("{what!s} bits", what=told)),
        *([of_bits(say("weighted bits"))] if weighed else []),
        *([of_bits(say("{what!s} bits", what=told.replace("Y)", "Y,Z)")))] if floor is not None else []),
        say("distortion"),
        "ε",
        *([narrow(say("identifiability"))] if identified else []),
        narrow(say("keeps shares"), max_width=6),
        narrow(say("effective rows")),
        of_bits(say("wasted bits")),
    ]
    title = say("Mechanisms for {secret!s}, the best first", secret=listed(secret))
    if comparison.through is not None:
        title = say(
            "Mechanisms for {column!s} by what it reveals about {secret!s}, the best first",
            column=comparison.through,
            secret=listed(secret),
        )
    # Names are never cut: two mechanisms may differ only at the end.
    ranking = Table(Column(say("mechanism"), overflow="fold"), *columns, title=title, title_justify="left")
    for one in comparison.ranking:
        # Waste below the gap may be no waste at all.
        wasted = number(one.waste.value) if one.waste.value > one.gap.value else "0"
        leakages = [one.leakage, one.weighted_leakage, one.leakage_with_background]
        met = say("met") if one.meets_target else say("missed")
        # Mechanisms the user named are spelt as typed; ours have translated names.
        name = one.mechanism if one.role is Role.GIVEN else retell(one.mechanism)
        bits = (number(leakage.value) for leakage in leakages if leakage is not None)
        levels = [one.epsilon, *([one.identifiability] if identified and one.identifiability is not None else [])]
        numbers = [number(one.distortion.value), *(told_level(level.value) for level in levels)]
        worth = "" if one.effective_rows is None else percent(one.effective_rows.value)
        kept = say("yes") if one.keeps_shares else say("no")
        cells = (name, met, *bits, *numbers, kept, worth, wasted)
        # A mechanism's name may hold brackets, which would be read as markup.
        ranking.add_row(*map(Text, cells))
    parts: Parts = [ranking]
    if floor is not None:
        alone = message("The background alone reveals {what!s} = {bits} bits; no channel leaks less.")
        parts.append(say(alone, what=told.replace("Y)", "Z)"), bits=number(floor.value)))
    any_channel = message(
        '"Wasted" is what an equally useful channel need not leak, proven to {gap:.1e} bits for this table\'s counts.'
    )
    keeping = message(
        '"Wasted" is what an equally useful channel that keeps the shares need not leak, proven to {gap:.1e} bits '
        "for this table's counts."
    )
    asked = comparison.keep == "shares"
    parts.append(say(keeping if asked else any_channel, gap=max(one.gap.value for one in comparison.ranking)))
    if not asked and not weighed and not comparison.ranking[0].keeps_shares:
        parts.append(
            say("With --keep shares the least leaking channel is one that releases every value as often as it occurs.")
        )
    if comparison.knowledge == "both":
        parts.append(
            say(
                "Effective rows are the share of this table's rows that would estimate cross-tables with the "
                "background as well as the release does. The least leaking channel reads the background, and its ε is "
                "conditional on it."
            )
        )
    else:
        parts.append(
            say(
                "Effective rows are the share of this table's rows that would estimate shares as well as the release "
                "does."
            )
        )
    if comparison.prior_skew is not None:
        parts.append(
            say(
                "The most frequent value occurs {times:.3g} times as often as the rarest: no channel has an "
                "identifiability below {skew}.",
                times=math.exp(comparison.prior_skew.value),
                # Rounded like the levels in the table, one of which it may be.
                skew=told_level(comparison.prior_skew.value),
            )
        )
    if comparison.advice is not None:
        parts.append(retell(comparison.advice))
    return parts
