"""What an attacker learns of the secret: without a release, released as it is, and through this release."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.report.document import Content, Grid, Inline, Paragraph
from leakgauge.report.numbers import Number
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Teller

_BEFORE, _AFTER = "measurement.json", "leakage.json"
Row = tuple[Inline, Inline, Inline, Inline]


def leakage(tell: Teller) -> Iterator[Content]:
    """The leakage in bits, and what it means for someone who guesses, where it was measured."""
    if tell.facts.has(_BEFORE, "entropy") or tell.facts.has(_AFTER, "entropy"):
        yield from (*_explained(tell), *_grids(tell), *pictures(tell, "decomposition"))


def _explained(tell: Teller) -> Iterator[Content]:
    background = tell.facts.names(_BEFORE, "background")
    if background:
        yield tell.say(
            "X is the secret {secret}, Z what the attacker knows anyway ({background}), Y what is released.",
            secret=tell.listed(tell.secret),
            background=tell.listed(background),
        )
    else:
        yield tell.say("X is the secret {secret}, Y what is released.", secret=tell.listed(tell.secret))
    if tell.secret_bins:
        yield Paragraph(
            tell.say(
                "X is in bins ({bins}): all bits here are of the bins, before and after. Released as they are, exact "
                "numbers would tell more.",
                bins=tell.listed(tell.secret_bins),
            ),
            "note",
        )
    if not tell.facts.has(_AFTER) and tell.released:
        yield Paragraph(
            tell.say("The leakage through this mechanism was not computed: its outputs are too many to count."), "note"
        )


def _grids(tell: Teller) -> Iterator[Content]:
    say = tell.language.say
    head = (say("Quantity"), say("Without a release"), say("Released as it is"), say("This release"))
    # Without a release, or where its leakage is not known, its column is left out.
    wide = 4 if tell.facts.has(_AFTER) else 3
    for caption, found in (
        (say("Information about the secret"), _bits(tell)),
        (say("What that means for someone who guesses"), _guesses(tell)),
    ):
        rows = tuple(row[:wide] for row in found if any(isinstance(part, Number) for cell in row for part in cell))
        if rows:
            yield Grid(caption, head[:wide], rows)
    tested = tell.maybe(_BEFORE, "zero_leakage", "p_value", digits=2)
    if tested is not None:
        yield tell.say(
            "A test of the hypothesis that the background tells nothing of the secret has a p-value of {p}.", p=tested
        )


def _bits(tell: Teller) -> Iterator[Row]:
    say, entropy = tell.language.say, tell.cell(_BEFORE, "entropy")
    hidden = tell.cell(_BEFORE, "conditional_entropy_with_background")
    none, everything = (say("nothing"),), (say("all of it"),)
    if not tell.facts.has(_BEFORE, "background_floor"):
        hidden = entropy
    yield (say("uncertainty of the secret, H(X)"),), entropy, entropy, tell.cell(_AFTER, "entropy")
    floor = tell.cell(_BEFORE, "background_floor")
    yield (
        (say("told by the background alone, I(X;Z): the floor"),),
        floor,
        floor,
        tell.cell(_AFTER, "background_floor"),
    )
    yield (say("told by the release alone, I(X;Y)"),), none, everything, tell.cell(_AFTER, "mutual_information")
    added = tell.cell(_AFTER, "conditional_mutual_information")
    yield (say("added by the release to the background, I(X;Y|Z)"),), none, NOTHING, added
    both = tell.cell(_AFTER, "leakage_with_background")
    yield (say("told by release and background together, I(X;Y,Z)"),), floor, everything, both
    left = tell.cell(_AFTER, "conditional_entropy_with_background")
    yield (say("still hidden"),), hidden, none, left


def _guesses(tell: Teller) -> Iterator[Row]:
    say = tell.language.say
    names = (
        ("best_guess_after", say("chance that the best guess is right"), True),
        ("guesses_after", say("guesses needed on average"), False),
        ("effective_set_after", say("values that look equally likely"), False),
    )
    for name, said, percent in names:
        found = [tell.cell(file, name, percent=percent) for file in (_BEFORE, _AFTER)]
        if not tell.facts.has(_BEFORE, name):
            found[0] = tell.cell(_BEFORE, name.removesuffix("_after"), percent=percent)
        yield (said,), found[0], (say("certain"),) if percent else NOTHING, found[1]
