"""What every section is written with: a dossier, a language, for whom it is, and the secret that is spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_HALF_EVEN
from functools import cached_property
from typing import Any, Final, Self, TypeAlias

from leakgauge.artefacts.audit import Foreign
from leakgauge.artefacts.dossier import Dossier, SecretResults
from leakgauge.artefacts.quantity import Quantity
from leakgauge.artefacts.report import Grid, Paragraph
from leakgauge.assessment import Diagram, default_diagram
from leakgauge.errors import FileError
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.rounding import DIGITS, SHARE_DIGITS
from leakgauge.sentences import Sentence
from leakgauge.telling.blocks import Edition, Inline, Number, sentence
from leakgauge.telling.shown import Shown, Step, stored_number
from leakgauge.visible import apart

NOTHING = "–"
"""A cell of which nothing is known."""
AS_DECLARED: Final = 6
"""Digits of what somebody gave: a limit is not rounded to a stricter one."""
_LETTERS = re.compile(r"[:,]letters=.*$", re.DOTALL)
_LINE: Final = 20
"""Letters of a line to write on."""
ROWS = message("rows")
"""The unit of counts of rows."""


@dataclass(frozen=True)
class Plain:
    """A text that is in the report's language already, names in it included."""

    text: str

    def __str__(self) -> str:
        return self.text


def own(text: str) -> Plain:
    """A word of the user's, such as the name of a column: it is shown as it is in every language."""
    return Plain(apart(text))


Cell: TypeAlias = str | Number | Inline | Plain
"""What stands in a cell of a table."""


@dataclass(frozen=True)
class Voice:
    """A language that findings are worded in, for those who may see the table or for everybody.

    Attributes:
        shown: the dossier that the findings are of; an empty one where a result stands by itself.
        group: the secret that is spoken of, where there are several.
        diagram: the arcs that are drawn, where a score over them was asked for.
        stamped: whether every page says that it is not approved.
    """

    shown: Shown = field(default_factory=lambda: Shown(Dossier()))
    language: Language = ENGLISH
    edition: Edition = Edition.INTERNAL
    group: tuple[str, ...] = ()
    diagram: Diagram = field(default_factory=default_diagram)
    stamped: bool = False

    @property
    def dossier(self) -> Dossier:
        """The results that are worded."""
        return self.shown.dossier

    @property
    def external(self) -> bool:
        """Whether everybody may read it."""
        return self.edition is Edition.EXTERNAL

    @property
    def released(self) -> bool:
        """Whether anything was released."""
        return self.dossier.released

    @property
    def foreign(self) -> Foreign | None:
        """How a release made elsewhere was compared with its original; None of any other."""
        return None if self.dossier.audit is None else self.dossier.audit.foreign

    @property
    def results(self) -> SecretResults:
        """What was found about the secret that is spoken of; nothing of several together."""
        found = self.dossier.secrets
        alone = found[0] if len(found) == 1 else SecretResults()
        return next((one for one in found if one.secret == self.group), alone)

    @cached_property
    def each(self) -> tuple[Self, ...]:
        """A voice per secret; this one if there is a single secret."""
        several = self.dossier.secrets if len(self.dossier.secrets) > 1 else ()
        return tuple(replace(self, group=one.secret) for one in several) or (self,)

    def say(self, template: str, /, **fields: object) -> Inline:
        """A sentence with its numbers as numbers."""
        return sentence(self.language, template, **fields)

    def note(self, template: str, /, **fields: object) -> Paragraph[Number]:
        """A remark."""
        return Paragraph("note", self.say(template, **fields))

    def alarm(self, template: str, /, **fields: object) -> Paragraph[Number]:
        """A loud sentence."""
        return Paragraph("warning", self.say(template, **fields))

    def grid(
        self, caption: str, head: str | Sequence[str | Plain], rows: Iterable[Iterable[Cell]], **fields: object
    ) -> Iterator[Grid[Number]]:
        """A table of rows, none where there are none, under a head such as ``Column|Role``.

        Of a head that is wider than the rows the last names are left out; a user's own words are not translated in it.
        The fields are those of the caption.
        """
        made = tuple(tuple(map(inline_of, row)) for row in rows)
        if made:
            say, names = self.language.say, (head.split("|") if isinstance(head, str) else head)[: len(made[0])]
            heads = tuple(str(name) if isinstance(name, Plain) else say(name) for name in names)
            yield Grid(say(caption, **fields), heads, made)

    def listed(self, names: Iterable[str]) -> Plain:
        """Names of columns, one after the other."""
        return Plain(self.language.say(", ").join(str(own(name)) for name in names) or "–")

    def told(self, stored: Sentence | str) -> str:
        """A sentence, or a name of ours, that an artefact stores."""
        return self.language.retell(stored if isinstance(stored, Sentence) else Sentence(stored))

    def number(
        self,
        part: object,
        *steps: Step,
        unit: str = "",
        count: bool = False,
        digits: int | None = None,
        percent: bool = False,
        interval: Quantity | None = None,
        rounding: str = "",
    ) -> Number:
        """A number of a part of the dossier, or of a field below it; of a quantity with its unit and interval.

        The unit, and the quantity whose interval is shown, are of a number that stands alone; the other options are
        those of ``Number``; by default a percentage has two digits and any other number three, levels are rounded up
        and all others to the nearest.

        Raises:
            FileError: no number stands there.
        """
        found, source = _below(part, steps), self.shown.source(part, *steps)
        if isinstance(found, Quantity):
            interval, unit, found = found, found.unit or unit, found.value
        # A share is a percentage, whatever it is a share of.
        percent = percent or unit.split(" ")[0] == "share"
        if not isinstance(found, int | float) or isinstance(found, bool):
            file = source.partition("#")[0]
            raise FileError("{file} has no number at {place}; run the job again.", file=file, place=source)
        ends = (None,) * 3 if interval is None else (interval.low, interval.high, interval.confidence)
        low, high, confidence = map(stored_number, ends)
        # A level is a bound on what is told.
        rounding = rounding or (ROUND_CEILING if unit.startswith("nats") else ROUND_HALF_EVEN)
        value = stored_number(found)
        if digits is None:
            digits = SHARE_DIGITS if percent or unit == "%" else DIGITS
        return Number(value, unit, source, low, high, confidence, count, digits, percent, rounding)

    def counted(self, part: object, field: str) -> Number:
        """The length of a list, or the number of empty columns of a matrix."""
        source = self.shown.source(part, field)
        return Number(self.shown.resolve(source), "", source)

    def maybe(self, part: object, *steps: Step, **options: Any) -> Number | None:
        """The same; None where nothing stands there."""
        return None if _below(part, steps) is None else self.number(part, *steps, **options)

    def fields(self, part: object, *names: str, **options: Any) -> dict[str, Number]:
        """The numbers of these fields of a part, by their names."""
        return {name: self.number(part, name, **options) for name in names}

    def cell(self, part: object, *steps: Step, **options: Any) -> Number | str:
        """The same; a dash where nothing stands there."""
        return self.maybe(part, *steps, **options) or NOTHING

    def numbers(self, names: Mapping[str, str], part: object, **options: Any) -> Iterator[tuple[Cell, Cell]]:
        """The name and the number of each of these fields of a part that has one."""
        for name, said in names.items():
            number = self.maybe(part, name, **options)
            if number is not None:
                yield said, number


def yes_or_no(voice: Voice, holds: object) -> str:
    """A cell that says whether something holds."""
    return voice.language.say("yes") if holds else voice.language.say("no")


def mechanism_of(voice: Voice, stored: Sentence | str) -> Plain:
    """A mechanism as it is spelled, or the name of one that has no spelling."""
    return own(spelled(voice.told(stored)))


def spelled(mechanism: Sentence | str) -> str:
    """A mechanism as it is spelled, without the letters of its column: they are values of the table."""
    return _LETTERS.sub("", str(mechanism))


def blank(voice: Voice) -> Inline:
    """What stands in the place of something that nobody declared: a line to write on."""
    return voice.say("to be filled in: {line}", line=own("_" * _LINE))


def _below(part: Any, steps: Iterable[Step]) -> Any:
    """What stands below a part of the dossier; None where nothing does."""
    for step in steps:
        if part is None:
            return None
        if isinstance(part, Mapping):
            part = part.get(step)
        else:
            part = part[step] if isinstance(step, int) else getattr(part, step)
    return part


def inline_of(cell: Cell) -> Inline:
    """A cell as text with numbers in it."""
    return cell if isinstance(cell, tuple) else (cell if isinstance(cell, Number) else str(cell),)
