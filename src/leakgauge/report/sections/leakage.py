"""What an attacker learns of the secret: without a release, released as it is, and through this release."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.numbers import Number
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Teller

_BEFORE, _AFTER = "measurement.json", "leakage.json"
Row = tuple[Cell, Cell, Cell, Cell]


def leakage(tell: Teller) -> Iterator[Content]:
    """The leakage in bits, and what it means for someone who guesses, where it was measured."""
    if tell.has(_BEFORE, "entropy") or tell.has(_AFTER, "entropy"):
        yield from (*_explained(tell), *_grids(tell), *pictures(tell, "decomposition"))


def _explained(tell: Teller) -> Iterator[Content]:
    background = tell.names(_BEFORE, "background")
    if background:
        yield tell.say(
            "X is the secret {secret}, Z what the attacker knows anyway ({background}), Y what is released.",
            secret=tell.listed(tell.secret),
            background=tell.listed(background),
        )
    else:
        yield tell.say("X is the secret {secret}, Y what is released.", secret=tell.listed(tell.secret))
    if tell.secret_bins:
        yield tell.note(
            "X is in bins ({bins}): all bits here are of the bins, before and after. Released as they are, exact "
            "numbers would tell more.",
            bins=tell.listed(tell.secret_bins),
        )
    if not tell.has(_AFTER) and tell.released:
        yield tell.note("The leakage through this mechanism was not computed: its outputs are too many to count.")


def _grids(tell: Teller) -> Iterator[Content]:
    # Without a release, or where its leakage is not known, its column is left out.
    wide = 4 if tell.has(_AFTER) else 3
    for caption, found in (
        (message("Information about the secret"), _bits(tell)),
        (message("What that means for someone who guesses"), _guesses(tell)),
    ):
        rows = (row[:wide] for row in found if any(isinstance(cell, Number) for cell in row))
        yield from tell.grid(caption, "Quantity|Without a release|Released as it is|This release", rows)
    tested = tell.maybe(_BEFORE, "zero_leakage", "p_value", digits=2)
    if tested is not None:
        yield tell.say(
            "A test of the hypothesis that the background tells nothing of the secret has a p-value of {p}.", p=tested
        )


def _bits(tell: Teller) -> Iterator[Row]:
    say, none, everything = tell.language.say, tell.language.say("nothing"), tell.language.say("all of it")
    entropy, floor = tell.cell(_BEFORE, "entropy"), tell.cell(_BEFORE, "background_floor")
    hidden = entropy if floor == NOTHING else tell.cell(_BEFORE, "conditional_entropy_with_background")
    for said, without, as_it_is, name in (
        (say("uncertainty of the secret, H(X)"), entropy, entropy, "entropy"),
        (say("told by the background alone, I(X;Z): the floor"), floor, floor, "background_floor"),
        (say("told by the release alone, I(X;Y)"), none, everything, "mutual_information"),
        (say("added by the release to the background, I(X;Y|Z)"), none, NOTHING, "conditional_mutual_information"),
        (say("told by release and background together, I(X;Y,Z)"), floor, everything, "leakage_with_background"),
        (say("still hidden"), hidden, none, "conditional_entropy_with_background"),
    ):
        yield said, without, as_it_is, tell.cell(_AFTER, name)


def _guesses(tell: Teller) -> Iterator[Row]:
    say = tell.language.say
    for name, said, percent in (
        ("best_guess", say("chance that the best guess is right"), True),
        ("guesses", say("guesses needed on average"), False),
        ("effective_set", say("values that look equally likely"), False),
    ):
        after = f"{name}_after"
        before = tell.cell(_BEFORE, after if tell.has(_BEFORE, after) else name, percent=percent)
        yield said, before, say("certain") if percent else NOTHING, tell.cell(_AFTER, after, percent=percent)
