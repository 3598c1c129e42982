"""What an attacker learns of the secret: without a release, released as it is, and through this release."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.languages import message
from leakgauge.report.document import Content
from leakgauge.report.numbers import Number
from leakgauge.report.sections.bits import better_attacker, bits_of, exposure, is_exact
from leakgauge.report.sections.pictures import pictures
from leakgauge.report.sections.teller import NOTHING, Cell, Plain, Teller

_BEFORE, _AFTER = "measurement.json", "leakage.json"
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
    if tell.has(_BEFORE, "entropy") or tell.has(_AFTER, "entropy") or tell.foreign:
        yield from (*_explained(tell), *_everything(tell), *_grids(tell), *_drawn(tell))


def _drawn(tell: Teller) -> Iterator[Content]:
    # The decision shows that of the secret that decides.
    names = ("repeats",) if tell.group == tell.deciding.group else ("decomposition", "repeats")
    return pictures(tell, *names)


def _explained(tell: Teller) -> Iterator[Content]:
    background = tell.background
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
            "X is in bins ({bins}): all bits here are about the bins, before and after. Exact numbers would reveal "
            "more.",
            bins=tell.listed(tell.secret_bins),
        )
    if tell.withheld:
        yield tell.say("The secret is withheld; other columns may still reveal it.")
    elif not tell.has(_AFTER) and tell.released and not tell.foreign:
        yield tell.note("The leakage through this mechanism was not computed: it has too many outputs to count.")


def _everything(tell: Teller) -> Iterator[Content]:
    """What everything that is released or known tells of the secret: at once, column by column and in pairs."""
    place = exposure(tell)
    if place is None:
        return
    say = tell.language.say
    rows = {
        "known": say("what is known without the release"),
        "plain": say("with every released column except the secret's own"),
        "everything": say("with everything that is released"),
    }
    if tell.withheld:
        del rows["plain"]
    yield tell.say("Everything released or known counts here, protected or not.")
    yield from tell.grid(
        "What the attacker learns about the secret",
        "Seen by the attacker|Bits of the secret|Guessed right",
        ((said, *_told(tell, *place, name)) for name, said in rows.items()),
    )
    columns, pairs = (_ranked(tell, *place, name) for name in ("columns", "pairs"))
    if not all(is_exact(tell, *one) for one in (*((*place, name) for name in rows), *columns, *pairs)):
        yield better_attacker(tell)
    if all(tell.get("audit.json", *place, name, "everybody") for name in rows):
        yield tell.say(
            "Right guesses are counted over everybody, by an attacker who knows how often everything occurs; nobody "
            "guesses more by what is seen."
        )
    yield tell.say(
        "An attacker who learns did best with: {attacker}. Rows that were learnt from and scored: {rows}; scored of "
        "them: {scored}.",
        attacker=Plain(tell.told(tell.get("audit.json", *place, "attacker"))),
        rows=tell.number("audit.json", *place, "rows", count=True),
        scored=tell.number("audit.json", *place, "scored", count=True),
    )
    for caption, found in (
        (message("What each column reveals about the secret"), columns),
        (message("The pairs of columns that reveal most"), pairs),
    ):
        yield from tell.grid(
            caption, "Column|Role|Bits of the secret|Guessed right", (_row(tell, *one) for one in found)
        )


def _ranked(tell: Teller, *place: str | int) -> list[tuple[str | int, ...]]:
    """The places of what columns tell, the most telling first."""
    found = tell.items("audit.json", *place)
    return [(*place, at) for at in sorted(range(len(found)), key=lambda at: -found[at]["information"]["value"])]


def _row(tell: Teller, *place: str | int) -> tuple[Cell, ...]:
    words = _ROLES | ({"own": message("the secret itself, as it was released")} if tell.foreign else {})
    names, found = tell.names("audit.json", *place, "columns"), tell.names("audit.json", *place, "roles")
    changed = [_CHANGED if name in tell.telling_less else words[role] for name, role in zip(names, found, strict=True)]
    roles = map(tell.language.say, dict.fromkeys(changed))
    return tell.listed(names), tell.language.say("; ").join(roles), *_told(tell, *place)


def _told(tell: Teller, *bracket: str | int) -> tuple[Cell, Cell]:
    return bits_of(tell, *bracket), tell.number("audit.json", *bracket, "success", percent=True)


def _grids(tell: Teller) -> Iterator[Content]:
    # Without a release, or where its leakage is not known, its column is left out.
    wide = 4 if tell.has(_AFTER) else 3
    for caption, found in (
        (message("Information about the secret"), _bits(tell)),
        (message("What that means for someone who guesses"), _guesses(tell)),
    ):
        rows = (row[:wide] for row in found if any(isinstance(cell, Number) for cell in row))
        yield from tell.grid(caption, "Quantity|Without a release|Released unchanged|This release", rows)
    known = tell.names(_AFTER, "background")
    if known != tell.names(_BEFORE, "background") and known:
        yield tell.note(
            "In the column “This release” Z is {columns}: public columns count as known, as far as there are enough "
            "rows.",
            columns=tell.listed(known),
        )
    tested = tell.maybe(_BEFORE, "zero_leakage", "p_value", digits=2)
    if tested is not None:
        yield tell.say(
            "A test of the hypothesis that the background reveals nothing about the secret has a p-value of {p}.",
            p=tested,
        )


def _bits(tell: Teller) -> Iterator[Row]:
    say, none, everything = tell.language.say, tell.language.say("nothing"), tell.language.say("all of it")
    entropy, floor = tell.cell(_BEFORE, "entropy"), tell.cell(_BEFORE, "background_floor")
    hidden = entropy if floor == NOTHING else tell.cell(_BEFORE, "conditional_entropy_with_background")
    for said, without, as_it_is, name in (
        (say("uncertainty of the secret, H(X)"), entropy, entropy, "entropy"),
        (say("revealed by the background alone, I(X;Z): the floor"), floor, floor, "background_floor"),
        (say("revealed by the release alone, I(X;Y)"), none, everything, "mutual_information"),
        (say("added by the release to the background, I(X;Y|Z)"), none, NOTHING, "conditional_mutual_information"),
        (say("revealed by release and background together, I(X;Y,Z)"), floor, everything, "leakage_with_background"),
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
