"""One sentence of advice from a comparison: the best mechanism by its measure, unless its release is of little use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leakgauge.artefacts import Compared
from leakgauge.artefacts.design import RankedBy, Role
from leakgauge.claims import PRACTICALLY_UNLIMITED
from leakgauge.rounding import at_most
from leakgauge.sentences import Field, Sentence

ENOUGH = 0.5
"""The share of the rows that a release should be worth: the least that one that keeps the shares is worth."""


def measured_by(one: Compared, by: RankedBy) -> float:
    """The number that ranks a mechanism."""
    if by is RankedBy.BITS:
        return one.objective
    found = one.epsilon if by is RankedBy.EPSILON else one.identifiability
    return math.inf if found is None else found.value


def advice(ranking: Sequence[Compared], by: RankedBy, *, keeps: bool = False) -> Sentence:
    """Which mechanism of a ranking to take: the best one that meets the target and is worth half of the rows.

    If none is, the best by the measure and the one that is worth most. If shares are to be kept, the best of those that
    meet the target and keep them, among which is the least leaking one.
    """
    meeting = [one for one in ranking if one.meets_target]
    if keeps:
        keeping = [one for one in meeting if one.keeps_shares or one.role is Role.OPTIMUM]
        best = min(keeping, key=lambda one: measured_by(one, by))
        return Sentence(
            "Of the mechanisms that meet the target and keep the shares, take {best}: none has less than its {least}, "
            "and its release is worth {share:.0%} of the rows for estimating shares.",
            best=_name(best),
            least=_measured(best, by),
            share=_worth(best),
        )
    # The least leaking channel meets every target that is possible at all.
    best = min(meeting, key=lambda one: measured_by(one, by))
    worthy = [one for one in meeting if _worth(one) >= ENOUGH]
    chosen = min(worthy, key=lambda one: measured_by(one, by)) if worthy else max(meeting, key=_worth)
    told = {"best": _name(best), "least": _measured(best, by), "share": _worth(best)}
    if chosen is best:
        if worthy:
            return Sentence(
                "Of the mechanisms that meet the target, take {best}: none has less than its {least}, and its release "
                "is worth {share:.0%} of the rows for estimating shares.",
                **told,
            )
        return Sentence(
            "Of the mechanisms that meet the target, take {best}: none has less than its {least}; its release is "
            "worth {share:.0%} of the rows for estimating shares, and none is worth more.",
            **told,
        )
    lost = (
        Sentence("its release does not show how often each of {count} values occurs", count=best.confused_values)
        if best.confused_values
        else Sentence("its release is worth {share:.0%} of the rows for estimating shares", share=told["share"])
    )
    told = {**told, "lost": lost, "other": _name(chosen), "more": _measured(chosen, by), "worth": _worth(chosen)}
    if worthy:
        return Sentence(
            "Of the mechanisms that meet the target, {best} has the least, {least}, but {lost}; if shares matter, "
            "take {other}: {more}, worth {worth:.0%} of the rows.",
            **told,
        )
    return Sentence(
        "Of the mechanisms that meet the target, {best} has the least, {least}, but {lost}; none is worth half of the "
        "rows, and {other} is worth most: {worth:.0%}, at {more}.",
        **told,
    )


def _worth(one: Compared) -> float:
    return 0.0 if one.effective_rows is None else one.effective_rows.value


def _name(one: Compared) -> Field:
    """Mechanisms the user named are spelt as typed; ours have translated names."""
    return one.mechanism if one.role is Role.GIVEN else Sentence(one.mechanism)


def _measured(one: Compared, by: RankedBy) -> Sentence:
    number = measured_by(one, by)
    if by is RankedBy.BITS:
        return Sentence("{bits:.3g} bits", bits=number)
    if math.isinf(number):
        return Sentence("an infinite ε") if by is RankedBy.EPSILON else Sentence("an infinite identifiability")
    if number >= PRACTICALLY_UNLIMITED:
        return Sentence("a practically unlimited level")
    if by is RankedBy.EPSILON:
        return Sentence("ε = {nats:.3g}", nats=at_most(number))
    return Sentence("identifiability {nats:.3g}", nats=at_most(number))
