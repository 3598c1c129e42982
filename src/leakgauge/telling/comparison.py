"""Mechanisms for one secret on one scale, and which one to take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from leakgauge.artefacts.design import Compared, Comparison, RankedBy, Role
from leakgauge.languages import message
from leakgauge.tables import Binning, Levels
from leakgauge.telling.blocks import Content
from leakgauge.telling.voice import Cell, Plain, Voice, own

_BITS: Final = {
    "I(X;Y)": message("I(X;Y), bits"),
    "I(S;Y)": message("I(S;Y), bits"),
    "I(X;Y,Z)": message("I(X;Y,Z), bits"),
    "I(S;Y,Z)": message("I(S;Y,Z), bits"),
}


def compared(voice: Voice, found: Comparison, secret: Sequence[str]) -> Iterator[Content]:
    """The mechanisms, the best first, what their numbers mean, and the advice."""
    floor, ranking = found.background_floor, found.ranking
    weighed = ranking[0].weighted_leakage is not None
    leakage = symbol(found.through)
    # Identifiability is shown only where it ranks.
    identified = found.by is RankedBy.IDENTIFIABILITY
    heads = [
        *(message("Mechanism"), message("Target"), _BITS[leakage]),
        *([message("weighted bits")] if weighed else []),
        *([_BITS[with_background(leakage)]] if floor is not None else []),
        *(message("Distortion"), "ε"),
        *([message("Identifiability")] if identified else []),
        *(message("Keeps shares"), message("Effective rows"), message("Wasted bits")),
    ]
    rows = (_compared(voice, one, identified=identified) for one in ranking)
    if found.through is not None:
        title = message("Mechanisms for {column} by what it reveals about {secret}, the best first")
        through = own(found.through)
        yield from voice.grid(title, heads, rows, column=through, secret=voice.listed(secret))
    else:
        title = message("Mechanisms for {secret}, the best first")
        yield from voice.grid(title, heads, rows, secret=voice.listed(secret))
    if floor is not None:
        yield background_alone(voice, floor.value, leakage)
    keeps = found.keep == "shares"
    wasted = message(
        '"Wasted" is leakage that an equally useful channel avoids, proven to {gap:.1e} bits for this table\'s counts.'
    )
    if keeps:
        wasted = message(
            '"Wasted" is leakage that an equally useful channel that keeps the shares avoids, proven to '
            "{gap:.1e} bits for this table's counts."
        )
    yield voice.say(wasted, gap=max(one.gap.value for one in ranking))
    if not keeps and not weighed and not ranking[0].keeps_shares:
        yield voice.say(
            "With --keep shares the least leaking channel is one that releases every value as often as it occurs."
        )
    if found.knowledge == "both":
        yield voice.say(
            "Effective rows are the share of this table's rows that would estimate cross-tables with the background as "
            "well as the release does. The least leaking channel reads the background, and its ε is conditional on it."
        )
    else:
        yield voice.say(
            "Effective rows are the share of this table's rows that would estimate shares as well as the release does."
        )
    if found.prior_skew is not None:
        yield voice.say(
            "The most frequent value occurs {times} times as often as the rarest: no channel has an identifiability "
            "below {skew}.",
            times=voice.number(math.exp(found.prior_skew.value)),
            # Rounded like the levels in the table, one of which it may be.
            skew=voice.number(found.prior_skew),
        )
    if found.advice is not None:
        yield (voice.told(found.advice),)


def between_centres(
    voice: Voice, distortions: Sequence[str], bins: Mapping[str, Binning], released: Sequence[str]
) -> Iterator[Content]:
    """How distances between bins are measured, where a distortion takes differences of numbers."""
    numbers = any(name in bins and not isinstance(bins[name], Levels) for name in released)
    if numbers and not {"absolute", "squared"}.isdisjoint(distortions):
        yield voice.say(
            "Distances between bins are those of their centres; the centre of an open outer bin lies half the width "
            "of its neighbour beyond the edge."
        )


def _compared(voice: Voice, one: Compared, *, identified: bool) -> Iterator[Cell]:
    # Mechanisms the user named are spelt as typed; ours have translated names.
    yield own(one.mechanism) if one.role is Role.GIVEN else voice.told(one.mechanism)
    yield voice.language.say("met") if one.meets_target else voice.language.say("missed")
    for name in ("leakage", "weighted_leakage", "leakage_with_background"):
        if getattr(one, name) is not None:
            yield voice.number(one, name, "value")
    yield voice.number(one.distortion, "value")
    yield voice.number(one, "epsilon")
    if identified:
        yield voice.cell(one, "identifiability")
    yield voice.language.say("yes") if one.keeps_shares else voice.language.say("no")
    yield voice.cell(one, "effective_rows")
    # Waste below the gap may be no waste at all.
    yield voice.number(one, "waste", "value") if one.waste.value > one.gap.value else "0"


def symbol(through: str | None) -> str:
    """What is leaked by a release of the secret, or of another column."""
    return "I(X;Y)" if through is None else "I(S;Y)"


def with_background(leakage: str) -> str:
    """The same to somebody who knows the background."""
    return leakage.replace("Y)", "Y,Z)")


def background_alone(voice: Voice, floor: float, leakage: str) -> Content:
    """The floor that the background sets."""
    return voice.say(
        "The background alone reveals {symbol} = {bits}; no channel leaks less.",
        symbol=Plain(leakage.replace("Y)", "Z)")),
        bits=voice.number(floor, unit="bits"),
    )
