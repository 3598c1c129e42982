"""What every section is written with: the facts, a language and for whom it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias

from leakgauge.artefacts import Finding, strongest
from leakgauge.artefacts.codec import decode, sentence_of
from leakgauge.artefacts.report import Grid, Paragraph
from leakgauge.claims import PRACTICALLY_UNLIMITED
from leakgauge.languages import ENGLISH, Language, message
from leakgauge.release.ledger.account import ONE_ROW
from leakgauge.report.document import Edition, Inline, sentence
from leakgauge.report.facts import Facts
from leakgauge.report.figures.criteria import own_name
from leakgauge.report.numbers import Number
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
TITLES: Final = {
    "statement": message("Decision"),
    "headline": message("The numbers that matter"),
    "verdict": message("Verdict"),
    "left-out": message("What this edition leaves out"),
    "limitations": message("Limitations"),
    "assumptions": message("Assumptions"),
    "context": message("Declared context and unit of protection"),
    "data": message("Data and roles"),
    "survey": message("Which columns identify people"),
    "coarsening": message("Coarser public columns"),
    "telling": message("Public columns that reveal a secret"),
    "guarantee": message("Mechanism and guarantee"),
    "places": message("Places before and after"),
    "places-survey": message("Where the points are"),
    "places-comparison": message("Mechanisms for places"),
    "places-track": message("What a tracker infers"),
    "places-maps": message("Tables behind the maps"),
    "earlier": message("Releases before this one"),
    "leakage": message("Leakage before and after"),
    "attacks": message("Attacks"),
    "recipients": message("What recipients can compute"),
    "usefulness": message("Usefulness of each column"),
    "frontier": message("What usefulness costs in leakage"),
    "criteria": message("Criteria, which explain the dials"),
    "tuning": message("How the settings were found"),
    "residual": message("Residual risk and review"),
    "reproduction": message("How to reproduce"),
    "crosswalk": message("Crosswalk to assessment guidelines"),
}
"""Of the sections, by their keys, in the order of the report."""
_EXTERNAL_TITLES: Final = {"attacks": message("Groups of rows, and checks of the record")}
"""What attacks found follows from the table; without it the groups of rows and the checks are left."""


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
class Teller(Facts):
    """The facts of a job, told in a language, to those who may see the table or to everybody."""

    language: Language = ENGLISH
    edition: Edition = Edition.INTERNAL

    @property
    def external(self) -> bool:
        """Whether everybody may read it."""
        return self.edition is Edition.EXTERNAL

    def title(self, key: str) -> str:
        """The title of a section, with the secret that it speaks of where there are several."""
        title = self.language.say((TITLES | _EXTERNAL_TITLES if self.external else TITLES)[key])
        if not self.group:
            return title
        return self.language.say("{title!s}: {secret}", title=title, secret=self.listed(self.group))

    def say(self, template: str, /, **fields: object) -> Inline:
        """A sentence with its numbers as numbers."""
        return sentence(self.language, template, **fields)

    def note(self, template: str, /, **fields: object) -> Paragraph[Number]:
        """A remark."""
        return Paragraph("note", self.say(template, **fields))

    def alarm(self, template: str, /, **fields: object) -> Paragraph[Number]:
        """A loud sentence."""
        return Paragraph("warning", self.say(template, **fields))

    def of_secret(self, said: Inline) -> Inline:
        """What is said after the name of the secret that it is said of, where there are several."""
        return (*self.say("{secret}: ", secret=self.listed(self.group)), *said) if self.group else said

    def grid(self, caption: str, head: str, rows: Iterable[Iterable[Cell]], **fields: object) -> Iterator[Grid[Number]]:
        """A table of rows, none where there are none, under a head such as ``Column|Role``.

        Of a head that is wider than the rows the last names are left out; the fields are those of the caption.
        """
        made = tuple(tuple(map(_cell, row)) for row in rows)
        if made:
            say, names = self.language.say, head.split("|")[: len(made[0])]
            yield Grid(say(caption, **fields), tuple(map(say, names)), made)

    def listed(self, names: Iterable[str]) -> Plain:
        """Names of columns, one after the other."""
        return Plain(self.language.say(", ").join(str(own(name)) for name in names) or "–")

    @property
    def blank(self) -> Inline:
        """What stands in the place of something that nobody declared: a line to write on."""
        return self.say("to be filled in: {line}", line=own("_" * _LINE))

    @property
    def document_number(self) -> str:
        """What a document on the release is filed under, from the digest of its record; empty where there is none.

        Who guesses the counts behind the record could confirm the guess by its digest, so that everybody is told that
        of the record that is handed out.
        """
        record = "release.public.json" if self.external else "release.json"
        digest = str(self.get(record, "digest") or ("" if self.external else self.get("audit.json", "digest") or ""))
        return f"LG-{digest[:4]}-{digest[4:8]}".upper() if digest else ""

    def told(self, stored: object) -> str:
        """A sentence, or a name of ours, that an artefact stores."""
        return self.language.retell(sentence_of(stored))

    def yes_or_no(self, holds: object) -> str:
        """A cell that says whether something holds."""
        return self.language.say("yes") if holds else self.language.say("no")

    def mechanism(self, stored: object) -> Plain:
        """A mechanism as it is spelled, or the name of one that has no spelling."""
        return own(_LETTERS.sub("", self.told(stored)))

    def cell(self, file: str, *path: str | int, **options: Any) -> Number | str:
        """The number at a place; a dash where nothing stands there."""
        return self.maybe(file, *path, **options) or NOTHING

    def maybe(self, file: str, *path: str | int, **options: Any) -> Number | None:
        """The number at a place; None where nothing stands there."""
        return self.number(file, *path, **options) if self.has(file, *path) else None

    def numbers(self, names: Mapping[str, str], *place: str, **options: Any) -> Iterator[tuple[Cell, Cell]]:
        """The name and the number of each of these fields that stands at a place."""
        for field, name in names.items():
            if self.has(*place, field):
                yield name, self.number(*place, field, **options)

    def named(self, node: Any) -> str:
        """The name of a criterion, or of an indicator."""
        return own_name(node, self.language)

    @property
    def foreign(self) -> bool:
        """Whether the release was made elsewhere and has no record."""
        return self.has("audit.json", "foreign")

    @property
    def table(self) -> Plain:
        """What the table is called; of a release made elsewhere, what that is."""
        if self.foreign:
            return own(str(self.get("audit.json", "foreign", "released")))
        name = self.get("job.json", "table", "name") or self.get("location.json", "table")
        return own(str(name or self.language.say("the table")))

    @property
    def secret(self) -> tuple[str, ...]:
        """The secret that is spoken of; of several together, the protected columns."""
        if self.group or self.foreign:
            return self.group or tuple(self.names("audit.json", "foreign", "secrets"))
        columns = self.get("release.json", "plan", "columns") or {}
        planned = [written for name in self.planned for written in columns[name].get("writes") or [name]]
        asked = self.get("job.json", "asked", "secret")
        measured = self.names("measurement.json", "secret")
        return tuple(planned or ([asked] if isinstance(asked, str) else asked) or measured or ())

    @property
    def planned(self) -> list[str]:
        """The columns of the plan that release the secret that is spoken of; of several together, all."""
        columns = self.get("release.json", "plan", "columns") or {}
        public = self.telling_less
        written = {name: one.get("writes") or [name] for name, one in columns.items() if name not in public}
        return [name for name, writes in written.items() if not self.group or {*writes} <= {*self.group}]

    @property
    def telling_less(self) -> list[str]:
        """The public columns that go through channels, so that they tell less of the secrets."""
        return self.names("job.json", "asked", "public_distortion")

    @property
    def public_designs(self) -> list[str]:
        """The files with the numbers of such channels, in the order of the columns; none where they were taken over."""
        return [name for name in self.files if name.startswith("public-design")]

    @property
    def withheld(self) -> bool:
        """Whether the secret that is spoken of is not released."""
        if self.foreign:
            return {*self.secret} <= {*self.names("audit.json", "foreign", "withheld")}
        return self.group != () and {*self.group} <= {*self.names("job.json", "asked", "withhold")}

    @property
    def background(self) -> list[str]:
        """The columns that the attacker knows."""
        if self.foreign:
            return self.names("audit.json", "foreign", "background")
        return self.names("job.json", "asked", "background") or self.names("measurement.json", "background")

    @property
    def deciding(self) -> Self:
        """The facts of the secret with the lowest protection; everybody may not know which it is."""
        file = "verdict.json" if self.released else "promise.json"
        lowest = None if self.external else self.get(file, "deciding")
        return next((one for one in self.each if ", ".join(one.group) == lowest), self)

    def written(self, column: str) -> Plain:
        """The columns that the mechanism of a planned column writes."""
        return self.listed(self.names("release.json", "plan", "columns", column, "writes") or [column])

    @property
    def protects_persons(self) -> bool:
        """Whether what all columns guarantee together is for all rows of a person; one column's claims are of a row."""
        return self.has("release.json", "plan", "unit")

    @property
    def unit_of_protection(self) -> Inline:
        """Whom the guarantee of all columns together is for: one row, or a person with some rows."""
        if not self.protects_persons:
            return (self.told(self.get("release.json", "unit_of_protection") or ONE_ROW),)
        rows = self.number("release.json", "plan", "rows_per_unit")
        return self.say("one person with at most {rows} rows", rows=rows)

    @property
    def released(self) -> bool:
        """Whether anything was released."""
        if self.foreign:
            return True
        return self.has("release.json") and self.get("job.json", "outcome", "released") is not False

    @property
    def keeps_guarantee_inside(self) -> bool:
        """Whether what the release promises follows from private counts, so that everybody may not be told."""
        return self.external and self.released and not self.has("release.json", "claims")

    def is_in_kit(self, *columns: str) -> bool:
        """Whether recipients are handed the channels of all these columns."""
        found = [one for one in self.items("recipients.json", "columns") if one and one.get("corrected")]
        return {*columns} <= {name for one in found for name in one["columns"]}

    @property
    def epsilon(self) -> tuple[str, ...] | None:
        """Where the record has the ε of one row, or of a person: of all columns together, where there are several."""
        claimed = self.names("release.json", "claims")
        places: list[tuple[str, ...]] = [("together", "dp"), ("together", "approximate-dp")]
        if len(claimed) <= 1 and not self.protects_persons:
            places = [("claims", *claimed, "levels", notion) for notion in ("local-dp", "dp", "approximate-dp")]
        return next((place for place in places if self.has("release.json", *place)), None)

    def accusations(self) -> Iterator[Paragraph[Number]]:
        """What an audit found against the release; in doubt where no veto was made of it."""
        doubted = self.has("verdict.json") and not self.items("verdict.json", "vetoes")
        for violation in (own(self.told(one)) for one in self.items("audit.json", "violations")):
            if doubted:
                yield self.alarm(
                    "The audit accuses the release, at its confidence but not beyond doubt: {violation}.",
                    violation=violation,
                )
            else:
                yield self.alarm("The release does not keep what it claims: {violation}.", violation=violation)

    @property
    def attacks(self) -> list[int]:
        """Which of the audit's attacks are on the secret that is spoken of; all, where none is on it alone."""
        targets = [one["target"] for one in self.items("audit.json", "attacks")]
        return [at for at, one in enumerate(targets) if one == [*self.group]] or [*range(len(targets))]

    @property
    def strongest_attack(self) -> int | None:
        """Which of them gained most."""
        found = [decode(Finding, self.get("audit.json", "attacks", at), "audit.json") for at in self.attacks]
        place = strongest(found)
        return None if place is None else self.attacks[place]

    @property
    def asked_epsilon(self) -> Number | None:
        """The bound on ε that was asked for the secret; every mechanism that is designed or chosen for it keeps it."""
        return self.asked_limit("local_dp", unit="nats") if self.released and not self.withheld else None

    def asked_limit(self, name: str, unit: str = "") -> Number | None:
        """A limit that was asked for the secret: its own, or that of every secret."""
        place: tuple[str, ...] = ("job.json", "asked", name)
        each = isinstance(self.get(*place), dict)
        place += self.secret[:1] if each else ()
        return self.maybe(*place, unit=unit, digits=AS_DECLARED)

    @property
    def promises_nothing(self) -> bool:
        """Whether the ε of one row is infinite or as good as that, or nobody says what it is."""
        if self.foreign:
            return True
        if self.epsilon_per_km is not None:
            return False
        found = None if self.epsilon is None else self.get("release.json", *self.epsilon)
        level = found.get("value") if isinstance(found, dict) else found
        return level is not None and (level == "infinity" or level >= PRACTICALLY_UNLIMITED)

    @property
    def epsilon_per_km(self) -> tuple[str, ...] | None:
        """Where the metric privacy of released places is, if they have any: over all reports of a person."""
        place = ("location.json", "epsilon_per_person")
        return place if self.has(*place) and self.get(*place, "value") != "infinity" else None

    @property
    def bins(self) -> tuple[str, ...]:
        """How numbers and dates were put into bins, such as ``age=width:10``: as asked for, or as the record says."""
        planned = self.get("release.json", "plan", "bins") or {}
        asked = self.names("job.json", "asked", "bins")
        named = {one.rpartition("=")[0] for one in asked}
        # For an error that readers can bear there are bins that nobody asked for.
        others = {name: one for name, one in planned.items() if name not in (*named, *self._at_levels)}
        return (*asked, *(f"{name}={_asked_bins(one)}" for name, one in others.items()))

    @property
    def levels(self) -> tuple[str, ...]:
        """Which columns are coarser, such as ``job=jobs.csv:2``: as asked for, or as the record says."""
        return tuple(self.names("job.json", "asked", "levels") or self._at_levels)

    @property
    def _at_levels(self) -> list[str]:
        planned = self.get("release.json", "plan", "bins") or {}
        return [name for name, one in planned.items() if str(one["binning"]).startswith("level:")]

    @property
    def public(self) -> tuple[list[str], list[str], list[str]]:
        """The public columns that were released as they are, those in bins, and those at a coarser level."""
        public, coarser = self.names("release.json", "plan", "public"), self._at_levels
        binned = [name for name in self.names("release.json", "plan", "bins") if name not in coarser]
        return (
            [one for one in public if one not in (*binned, *coarser)],
            [one for one in public if one in binned],
            [one for one in public if one in coarser],
        )

    @property
    def keeps_order(self) -> bool:
        """Whether released rows are in the table's order, as in all releases whose record does not say."""
        return self.has("release.json") and self.get("release.json", "plan", "keep_order") is not False

    @property
    def is_coarsened(self) -> bool:
        """Whether public columns are coarser than they are, or suppressed in part."""
        return any(self.public[1:]) or self.has("release.json", "plan", "suppress_below")

    def unprotected(self) -> Iterator[Paragraph[Number]]:
        """Of which columns ε is, where others are released as they are or in bins."""
        public = (*self.names("release.json", "plan", "public"), *self.telling_less)
        if public:
            yield self.note(
                "ε covers the protected columns; these are released unprotected: {columns}.",
                columns=self.listed(public),
            )
        columns = self.get("release.json", "plan", "columns") or {}
        for name in columns:
            given = self.names("release.json", "plan", "columns", name, "channel", "given")
            if given:
                yield self.note(
                    "The ε of {secret} is conditional on {columns}: it compares two values in rows that agree in "
                    "{columns}.",
                    secret=self.written(name),
                    columns=self.listed(given),
                )

    @property
    def secret_bins(self) -> tuple[str, ...]:
        """Those of the secret."""
        return tuple(one for one in self.bins if one.rpartition("=")[0] in self.secret)

    @property
    def keeps_shares(self) -> bool:
        """Whether the channel was designed among those that release every value as often as it occurs."""
        return self.has("design.json") and self.get("design.json", "keep") == "shares"

    @property
    def keeps_associations(self) -> tuple[str, ...]:
        """The public columns whose cross-tables with the secret the channel was designed to keep."""
        if not self.has("design.json") or self.get("design.json", "keep") != "associations":
            return ()
        channels = (("release.json", "plan", "columns", name, "channel", "given") for name in self.planned)
        return tuple(dict.fromkeys(name for place in channels for name in self.names(*place)))

    @property
    def from_this_table(self) -> bool:
        """Whether a channel was designed from the private counts."""
        columns = self.get("release.json", "plan", "columns") or {}
        priors = [self.get("design.json", "prior"), *(columns[name].get("channel_prior") for name in self.planned)]
        return "this table" in priors


def _asked_bins(recorded: Mapping[str, Any]) -> str:
    """The bins of a record as they were asked for where they were left to the table: edges may be two hundred."""
    asked = str((recorded.get("learnt") or {}).get("asked", ""))
    return asked if asked.startswith("auto") else str(recorded["binning"])


def spelled(mechanism: object) -> str:
    """A mechanism as it is spelled, without the letters of its column: they are values of the table."""
    return _LETTERS.sub("", str(sentence_of(mechanism)))


def _cell(cell: Cell) -> Inline:
    return cell if isinstance(cell, tuple) else (cell if isinstance(cell, Number) else str(cell),)
