"""What an attacker learns of the secret: without a release, released as it is, and through this release."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.exposure import Bracket, Exposure, ToldByColumns
from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.numbers import Number
from leakgauge.report.sections.bits import better_attacker, bits_of, exposure
from leakgauge.report.sections.columns import (
    bins_of_secret,
    is_withheld,
    known_columns,
    less_telling_columns,
    protected_columns,
)
from leakgauge.report.sections.dials import deciding
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller

Row = tuple[Cell, Cell, Cell, Cell]
_ROLES = {
    "background": message("background"),
    "public": message("public"),
    "protected": message("another secret, protected"),
    "own": message("the secret itself, protected"),
}
"""How the attacker sees a column."""
_CHANGED = message("public, changed in part")


def leakage(tell: Teller) -> Iterator[Content]:
    """The leakage in bits, and what it means for someone who guesses, where it was measured."""
    measured = (tell.results.measurement, tell.results.leakage)
    if any(tell.maybe(one, "entropy") for one in measured) or tell.foreign is not None:
        yield from (*_explained(tell), *_everything(tell), *_grids(tell), *_drawn(tell))


def _drawn(tell: Teller) -> Iterator[Content]:
    # The decision shows that of the secret that decides.
    names = ("repeats",) if tell.group == deciding(tell).group else ("decomposition", "repeats")
    return pictures(tell, *names)


def _explained(tell: Teller) -> Iterator[Content]:
    background, bins, secret = known_columns(tell), bins_of_secret(tell), tell.listed(protected_columns(tell))
    if background:
        yield tell.say(
            "X is the secret {secret}, Z what the attacker knows anyway ({background}), Y what is released.",
            secret=secret,
            background=tell.listed(background),
        )
    else:
        yield tell.say("X is the secret {secret}, Y what is released.", secret=secret)
    if bins:
        yield tell.note(
            "X is in bins ({bins}): all bits here are about the bins, before and after. Exact numbers would reveal "
            "more.",
            bins=tell.listed(bins),
        )
    if is_withheld(tell):
        yield tell.say("The secret is withheld; other columns may still reveal it.")
    elif tell.results.leakage is None and tell.released and tell.foreign is None:
        yield tell.note("The leakage through this mechanism was not computed: it has too many outputs to count.")


def _everything(tell: Teller) -> Iterator[Content]:
    """What everything that is released or known tells of the secret: at once, column by column and in pairs."""
    found = exposure(tell)
    if found is None:
        return
    say = tell.language.say
    brackets = {
        say("what is known without the release"): found.known,
        say("with every released column except the secret's own"): found.plain,
        say("with everything that is released"): found.everything,
    }
    if is_withheld(tell):
        del brackets[say("with every released column except the secret's own")]
    yield tell.say("Everything released or known counts here, protected or not.")
    yield from tell.grid(
        "What the attacker learns about the secret",
        "Seen by the attacker|Bits of the secret|Guessed right",
        ((said, *_told(tell, found, bracket)) for said, bracket in brackets.items()),
    )
    columns, pairs = (sorted(some, key=lambda one: -one.information.value) for some in (found.columns, found.pairs))
    if not all(one.exact for one in (*brackets.values(), *columns, *pairs)):
        yield better_attacker(tell)
    if all(one.everybody for one in brackets.values()):
        yield tell.say(
            "Right guesses are counted over everybody, by an attacker who knows how often everything occurs; from one "
            "row alone nobody guesses more."
        )
    yield tell.say(
        "An attacker who learns did best with: {attacker}. Rows that were learnt from and scored: {rows}; scored of "
        "them: {scored}.",
        attacker=Plain(tell.told(found.attacker)),
        rows=tell.number(found, "rows", count=True),
        scored=tell.number(found, "scored", count=True),
    )
    for caption, ranked in (
        (message("What each column reveals about the secret"), columns),
        (message("The pairs of columns that reveal most"), pairs),
    ):
        yield from tell.grid(
            caption, "Column|Role|Bits of the secret|Guessed right", (_row(tell, found, one) for one in ranked)
        )


def _row(tell: Teller, found: Exposure, one: ToldByColumns) -> tuple[Cell, ...]:
    words = _ROLES | ({"own": message("the secret itself, as it was released")} if tell.foreign is not None else {})
    seen, less = zip(one.columns, one.roles, strict=True), less_telling_columns(tell)
    roles = map(tell.language.say, dict.fromkeys(_CHANGED if name in less else words[role] for name, role in seen))
    return tell.listed(one.columns), tell.language.say("; ").join(roles), *_told(tell, found, one)


def _told(tell: Teller, found: Exposure, bracket: Bracket) -> tuple[Cell, Cell]:
    return bits_of(tell, found, bracket), tell.number(bracket, "success", percent=True)


def _grids(tell: Teller) -> Iterator[Content]:
    before, after = tell.results.measurement, tell.results.leakage
    # Without a release, or where its leakage is not known, its column is left out.
    wide = 3 if after is None else 4
    for caption, found in (
        (message("Information about the secret"), _bits(tell)),
        (message("What that means for someone who guesses"), _guesses(tell)),
    ):
        rows = (row[:wide] for row in found if any(isinstance(cell, Number) for cell in row))
        yield from tell.grid(caption, "Quantity|Without a release|Released unchanged|This release", rows)
    known = () if after is None else after.background
    if known and (before is None or known != before.background):
        yield tell.note(
            "In the column “This release” Z is {columns}: public columns count as known, as far as there are enough "
            "rows.",
            columns=tell.listed(known),
        )
    tested = tell.maybe(before, "zero_leakage", "p_value", digits=2)
    if tested is not None:
        yield tell.say(
            "A test of the hypothesis that the background reveals nothing about the secret has a p-value of {p}.",
            p=tested,
        )


def _bits(tell: Teller) -> Iterator[Row]:
    say, none, everything = tell.language.say, tell.language.say("nothing"), tell.language.say("all of it")
    before, after = tell.results.measurement, tell.results.leakage
    entropy, floor = tell.cell(before, "entropy"), tell.cell(before, "background_floor")
    hidden = entropy if floor == NOTHING else tell.cell(before, "conditional_entropy_with_background")
    for said, without, as_it_is, name in (
        (say("uncertainty of the secret, H(X)"), entropy, entropy, "entropy"),
        (say("revealed by the background alone, I(X;Z): the floor"), floor, floor, "background_floor"),
        (say("revealed by the release alone, I(X;Y)"), none, everything, "mutual_information"),
        (say("added by the release to the background, I(X;Y|Z)"), none, NOTHING, "conditional_mutual_information"),
        (say("revealed by release and background together, I(X;Y,Z)"), floor, everything, "leakage_with_background"),
        (say("still hidden"), hidden, none, "conditional_entropy_with_background"),
    ):
        yield said, without, as_it_is, tell.cell(after, name)


def _guesses(tell: Teller) -> Iterator[Row]:
    say, before, after = tell.language.say, tell.results.measurement, tell.results.leakage
    for name, said, percent in (
        ("best_guess", say("chance that the best guess is right"), True),
        ("guesses", say("guesses needed on average"), False),
        ("effective_set", say("values that look equally likely"), False),
    ):
        without = tell.maybe(before, f"{name}_after", percent=percent) or tell.cell(before, name, percent=percent)
        through = tell.cell(after, f"{name}_after", percent=percent)
        yield said, without, say("certain") if percent else NOTHING, through
