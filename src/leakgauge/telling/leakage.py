"""What an attacker learns of the secret: without a release, released as it is, and through this release."""

from __future__ import annotations

from collections.abc import Iterator

from leakgauge.artefacts.exposure import Bracket, Exposure, ToldByColumns
from leakgauge.languages import message
from leakgauge.telling.bits import better_attacker, bits_of, exposure
from leakgauge.telling.blocks import Content, Number, unprinted
from leakgauge.telling.columns import (
    bins_of_secret,
    is_withheld,
    known_columns,
    less_telling_columns,
    protected_columns,
)
from leakgauge.telling.measurement import COMPANIONS, MEASURES, zero_leakage
from leakgauge.telling.pictures import pictures
from leakgauge.telling.voice import NOTHING, Cell, Plain, Voice

Row = tuple[Cell, Cell, Cell, Cell]
_ROLES = {
    "background": message("background"),
    "public": message("public"),
    "protected": message("another secret, protected"),
    "own": message("the secret itself, protected"),
}
"""How the attacker sees a column."""
_CHANGED = message("public, changed in part")


def leakage(voice: Voice) -> Iterator[Content]:
    """The leakage in bits, and what it means for someone who guesses, where it was measured."""
    measured = (voice.results.measurement, voice.results.leakage)
    if any(voice.maybe(one, "entropy") for one in measured) or voice.foreign is not None:
        drawn = [*pictures(voice, "decomposition")]
        yield from (*_explained(voice), *_everything(voice), *drawn)
        # The picture has the bits, and the tables above how much is guessed.
        yield from unprinted(_grids(voice)) if drawn else _grids(voice)
        yield from (*_which_background(voice), *zero_leakage(voice, voice.results.measurement))


def _explained(voice: Voice) -> Iterator[Content]:
    background, bins, secret = known_columns(voice), bins_of_secret(voice), voice.listed(protected_columns(voice))
    if background:
        yield voice.say(
            "X is the secret {secret}, Z what the attacker already knows ({background}), Y what is released.",
            secret=secret,
            background=voice.listed(background),
        )
    else:
        yield voice.say("X is the secret {secret}, Y what is released.", secret=secret)
    if bins:
        yield voice.note(
            "X is in bins ({bins}): all bits here are about the bins, before and after. Exact numbers would reveal "
            "more.",
            bins=voice.listed(bins),
        )
    if is_withheld(voice):
        yield voice.say("The secret is withheld; other columns may still reveal it.")
    elif voice.results.leakage is None and voice.released and voice.foreign is None:
        yield voice.note("The leakage through this mechanism was not computed: it has too many possible outputs.")


def _everything(voice: Voice) -> Iterator[Content]:
    """What everything that is released or known tells of the secret: at once, column by column and in pairs."""
    found = exposure(voice)
    if found is None:
        return
    say = voice.language.say
    brackets = {
        say("what is known without the release"): found.known,
        say("with every released column except the secret's own"): found.plain,
        say("with everything that is released"): found.everything,
    }
    if is_withheld(voice):
        del brackets[say("with every released column except the secret's own")]
    yield voice.say("Everything released or known counts here, protected or not.")
    yield from voice.grid(
        "What the attacker learns about the secret",
        "Seen by the attacker|Bits of the secret|Guessed correctly",
        ((said, *_told(voice, found, bracket)) for said, bracket in brackets.items()),
    )
    columns, pairs = (sorted(some, key=lambda one: -one.information.value) for some in (found.columns, found.pairs))
    if not all(one.exact for one in (*brackets.values(), *columns, *pairs)):
        yield better_attacker(voice)
    if all(one.everybody for one in brackets.values()):
        yield voice.say(
            "Correct guesses are counted over all people, for an attacker who knows how often everything "
            "occurs; from one row alone nobody guesses more."
        )
    yield voice.say(
        "Best trained attack: {attacker}. Trained and tested on {rows} rows, {scored} of them for testing.",
        attacker=Plain(voice.told(found.attacker)),
        **voice.fields(found, "rows", "scored", count=True),
    )
    for caption, ranked in (
        (message("What each column reveals about the secret"), columns),
        (message("The pairs of columns that reveal most"), pairs),
    ):
        yield from voice.grid(
            caption, "Column|Role|Bits of the secret|Guessed correctly", (_row(voice, found, one) for one in ranked)
        )


def _row(voice: Voice, found: Exposure, one: ToldByColumns) -> tuple[Cell, ...]:
    words = _ROLES | ({"own": message("the secret itself, as it was released")} if voice.foreign is not None else {})
    seen, less = zip(one.columns, one.roles, strict=True), less_telling_columns(voice)
    roles = map(voice.language.say, dict.fromkeys(_CHANGED if name in less else words[role] for name, role in seen))
    return voice.listed(one.columns), voice.language.say("; ").join(roles), *_told(voice, found, one)


def _told(voice: Voice, found: Exposure, bracket: Bracket) -> tuple[Cell, Cell]:
    return bits_of(voice, found, bracket), voice.number(bracket, "success", percent=True)


def _grids(voice: Voice) -> Iterator[Content]:
    after = voice.results.leakage
    # Without a release, or where its leakage is not known, its column is left out.
    wide = 3 if after is None else 4
    for caption, found in (
        (message("Information about the secret"), _bits(voice)),
        (message("What that means for an attacker who guesses"), _guesses(voice)),
    ):
        rows = (row[:wide] for row in found if any(isinstance(cell, Number) for cell in row))
        yield from voice.grid(caption, "Quantity|Without a release|Released unchanged|This release", rows)


def _which_background(voice: Voice) -> Iterator[Content]:
    before, after = voice.results.measurement, voice.results.leakage
    known = () if after is None else after.background
    if known and (before is None or known != before.background):
        yield voice.note(
            "In the column “This release” Z is {columns}: public columns count as known, as far as there are enough "
            "rows.",
            columns=voice.listed(known),
        )


def _bits(voice: Voice) -> Iterator[Row]:
    say, none, everything = voice.language.say, voice.language.say("nothing"), voice.language.say("all of it")
    before, after = voice.results.measurement, voice.results.leakage
    entropy, floor = voice.cell(before, "entropy"), voice.cell(before, "background_floor")
    hidden = entropy if floor == NOTHING else voice.cell(before, "conditional_entropy_with_background")
    cells: dict[str, tuple[Cell, Cell]] = {
        "entropy": (entropy, entropy),
        "background_floor": (floor, floor),
        "mutual_information": (none, everything),
        "conditional_mutual_information": (none, NOTHING),
        "leakage_with_background": (floor, everything),
        "conditional_entropy_with_background": (hidden, none),
    }
    # What it is the uncertainty of, given what is seen, differs from column to column.
    called = MEASURES | {"conditional_entropy_with_background": message("still hidden")}
    for name, (without, as_it_is) in cells.items():
        yield say(called[name]), without, as_it_is, voice.cell(after, name)


def _guesses(voice: Voice) -> Iterator[Row]:
    say, before, after = voice.language.say, voice.results.measurement, voice.results.leakage
    for name, called in COMPANIONS.items():
        percent = name == "best_guess"
        without = voice.maybe(before, f"{name}_after", percent=percent) or voice.cell(before, name, percent=percent)
        through = voice.cell(after, f"{name}_after", percent=percent)
        yield say(called), without, say("certain") if percent else NOTHING, through
