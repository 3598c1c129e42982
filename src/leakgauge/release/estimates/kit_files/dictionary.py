"""The data dictionary: what each column is, how it was protected or published, and how it is read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

from leakgauge.artefacts.estimates import Kit, KitColumn
from leakgauge.languages import CODES, language_of
from leakgauge.release.estimates.kit_files.released import About, ReleasedColumn
from leakgauge.release.files import NOT_PRIVATE
from leakgauge.release.recorded_plan import CHANNEL, WITHHELD
from leakgauge.sentences import Sentence
from leakgauge.visible import on_one_line

MOST_LISTED: Final = 40
"""Values that the dictionary lists, and the metadata enumerate."""
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")
_HEAD: Final = (
    *("column", "kind", "role", "reading", "channel", "noise_variance", "noise_slope", "noise_intercept"),
    *("kept_with", "missing_cells", "different_values", "values"),
    *(f"{what}_{code}" for what in ("protection", "use") for code in CODES),
)


@dataclass(frozen=True)
class Entry:
    """One column of the release.

    Attributes:
        read: how the kit says that it is read; None of a column that is published.
        protection: how it was protected or published.
    """

    released: ReleasedColumn
    read: KitColumn | None
    protection: Sentence

    @property
    def name(self) -> str:
        """Of the column."""
        return self.released.name

    @property
    def values(self) -> tuple[str, ...]:
        """The values in the released file; none where they are too many to list, or continuous."""
        counts = self.released.counts
        noisy = self.read is not None and self.read.noise is not None
        return () if counts is None or len(counts) > MOST_LISTED or noisy else tuple(counts)

    @property
    def reading(self) -> str:
        """How it is read, in one word that programs use."""
        if self.read is None:
            return "as published"
        if self.read.unreadable is not None:
            return "none"
        if self.read.noise is not None:
            return "mean"
        if self.read.since is not None:
            # The recipes in R and spreadsheets know nothing of the error of a channel, and their intervals would be too
            # narrow.
            return "rebuilt"
        return "counted" if self.read.keeps_shares else "corrected"

    @property
    def use(self) -> Sentence:
        """How it is read, for people."""
        return Sentence("count it as it is") if self.read is None else use_of(self.read)


def entries(kit: Kit, columns: Iterable[ReleasedColumn], about: About) -> tuple[Entry, ...]:
    """One for each column of the release, in the order of the file."""
    read = {one.name: one for one in kit.protected}
    return tuple(Entry(one, read.get(one.name), _protection(one.name, read.get(one.name), about)) for one in columns)


def _protection(name: str, read: KitColumn | None, about: About) -> Sentence:
    planned, binned = about.planned(name), about.binned(name)
    if name == NOT_PRIVATE:
        return Sentence("marks every row as simulated")
    if read is not None:
        if planned is None:
            return Sentence("changed at random")
        if planned.mechanism == WITHHELD or (planned.follows_from_counts and read.channel is None):
            return Sentence("changed at random; the mechanism is confidential")
        if planned.kind == CHANNEL:
            return Sentence("changed at random by a channel that was designed for it")
        return Sentence("changed at random by {mechanism!s}", mechanism=planned.mechanism)
    how = Sentence("published unchanged")
    if binned is not None:
        how = Sentence("published in coarser form ({binning!s})", binning=binned.binning)
    fewest = None if about.record is None else about.record.plan.suppress_below
    if fewest is None:
        return how
    return Sentence("{how}, except in groups with fewer than {fewest} members", how=how, fewest=fewest)


def use_of(column: KitColumn) -> Sentence:
    """How a protected column is read, for people."""
    if column.unreadable is not None:
        return Sentence("compute nothing from it; {reason}", reason=column.unreadable)
    if column.noise is not None:
        variance = float(column.noise.variance)
        return Sentence("compute means; the noise has the variance {variance:.6g}", variance=variance)
    if column.channel is None:
        return Sentence("count the released values")
    file = channel_sheet(column.channel)
    if column.keeps_shares:
        return Sentence("count the released values; correct cross-tables with {file!s}", file=file)
    if column.since is not None:
        return Sentence(
            "correct for the noise with estimate.py or Leakgauge; its channel in {file!s} was rebuilt from an earlier "
            "release that the same recipients have, whose file has the SHA-256 {sha256!s}; it is off by chance, for "
            "which their intervals allow",
            file=file,
            sha256=column.since,
        )
    return Sentence("correct for the noise with {file!s}", file=file)


def channel_sheet(file: str) -> str:
    """The CSV file of a channel, beside its JSON file."""
    return file.removesuffix(".json") + ".csv"


def dictionary_text(found: Sequence[Entry]) -> str:
    """The dictionary as CSV, a line per column."""
    return csv_text([_HEAD, *(tuple(_line(one)) for one in found)])


def _line(one: Entry) -> Iterator[str]:
    yield from (one.name, one.released.kind.words, "published" if one.read is None else "protected", one.reading)
    noise = None if one.read is None else one.read.noise
    yield "" if one.read is None or one.read.channel is None else channel_sheet(one.read.channel)
    yield from ("", "", "") if noise is None else map(repr, map(float, (noise.variance, noise.slope, noise.intercept)))
    yield "" if one.read is None or not one.read.keeps_with else csv_line(one.read.keeps_with)
    counts = one.released.counts
    yield from (str(one.released.missing), "" if counts is None else str(len(counts)))
    yield _unrun(csv_line(one.values)) if one.values else ""
    for said in (one.protection, one.use):
        for code in CODES:
            yield language_of(code).retell(said)


def csv_line(cells: Iterable[str]) -> str:
    """Some texts as one line of CSV, which may itself stand in a cell."""
    return csv_text([tuple(cells)]).rstrip("\n")


def csv_text(lines: Iterable[Sequence[str]]) -> str:
    """Lines of texts as CSV."""
    file = StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()


def _unrun(cell: str) -> str:
    """A cell that no spreadsheet program takes for a formula; only people read it."""
    return f" {cell}" if cell.startswith(_FORMULAS) else cell


def shown(name: str) -> str:
    """A name in a line of the page, which signs in it must not break."""
    return "`" + "".join(sign if sign.isprintable() and sign != "`" else "\ufffd" for sign in name) + "`"


def own_words(text: str) -> str:
    """A person's words in a line of the page: on one line, and without Markdown's heading or code signs."""
    return on_one_line(" ".join(text.split())).replace("`", "'").replace("<", "‹").replace(">", "›")
