"""Release plans: columns through mechanisms, public columns unchanged or in bins, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from leakgauge import notebook
from leakgauge.arguments import checked
from leakgauge.artefacts.channel_file import read_channel
from leakgauge.errors import ColumnError, FileError, InputError, OptionError
from leakgauge.languages import message
from leakgauge.mechanisms import CATALOGUE, Mechanism
from leakgauge.mechanisms.mechanism import spelled
from leakgauge.probability import Channel
from leakgauge.probability.files import NamedChannel, parsed_toml, require_schema
from leakgauge.release.kept import Noise
from leakgauge.release.unit import UnitOfProtection
from leakgauge.sentences import Sentence
from leakgauge.tables import Binning, Levels, Suppression, parse_binning
from leakgauge.tables.binnings import Bins, asked_binning, both_bins_and_levels, parse_binnings, spelled_binning
from leakgauge.tables.levels import level_file

if TYPE_CHECKING:
    from leakgauge.release.execution import Release
    from leakgauge.tables import Table

PLAN_SCHEMA = "leakgauge/plan/1"
_TABLES = ("columns", "bins", "levels")
_KINDS: dict[str, type] = {
    **dict.fromkeys(_TABLES, dict),
    "public": list,
    "from_another_table": list,
    "unprotected": list,
    "clamp": list,
    "unit": str,
    "suppress_unit": str,
    "rows_per_unit": object,
    "suppress_below": object,
    "keep_order": object,
    "order_by": str,
    "noise": str,
}
"""Everything a plan can say; tables and lists hold texts, and the plan itself checks its numbers."""
_CHANNEL = "channel:file="
Planned: TypeAlias = Mechanism | NamedChannel | str
"""How a column is released: a mechanism, a channel, or a mechanism spelt as on the command line."""


class ReleasePlan:
    """Columns → mechanisms, and the columns named as public; no other column is released.

    Args:
        columns: for each column a mechanism, a channel, or a text such as ``laplace:epsilon=1,lower=0,upper=120``.
            Letters are declared, or ``letters=this-table``; then which values occur is not protected. A channel that
            writes several columns is given for each of them: nothing is released that the plan does not name.
        public: columns that are released unchanged.
        bins: how some of these columns are binned first: the bin is read and written.
        levels: coarser values of some of these columns, such as ``jobs.csv:2``, used in the same way.
        suppress_below: public values of rows that agree in them with fewer rows than this are missing.
        suppress_unit: a column of persons, by which such groups are counted; by default the unit.
        unit: a column that identifies persons, never released; the guarantee is then for a person.
        rows_per_unit: the publicly known most rows of a person.
        clamp: columns whose released numbers are clamped to the bounds of their mechanism.
        unprotected: columns that count as public although a channel changes some of their values to reveal less about
            others: nothing is promised for them, and they cost nothing.
        from_another_table: columns whose declared letters, or edges of bins, come from another private table, such as
            last month's: they are kept private like letters of this table.
        keep_order: whether rows are released in the table's order, which may reveal what their values do not; by
            default they leave in a random order.
        order_by: the column, such as a time, by which whoever sees the rows can put them in order, because it is public
            or the order is kept; it differs in every row, or in every row of a person.
        noise: ``kept`` if people whose values do not change keep the noise of earlier releases, which needs a unit and
            a ledger; ``fresh`` if not. By default it is kept where both are there.

    Raises:
        OptionError: nothing to release, a column named twice, bins of a column that is not released, or a channel that
        writes a column it is not given for.

    Example:
        >>> plan = ReleasePlan({"age": "laplace:epsilon=1,lower=0,upper=120"}, public=["city"])
        >>> sorted(plan.columns), plan.public
        (['age'], ('city',))
    """

    @checked
    def __init__(
        self,
        columns: Mapping[str, Mechanism | Channel | NamedChannel | str],
        public: Iterable[str] = (),
        bins: Mapping[str, Binning | str] | None = None,
        *,
        levels: Mapping[str, Levels | str] | None = None,
        suppress_below: int | None = None,
        suppress_unit: str | None = None,
        unit: str | None = None,
        rows_per_unit: int = 1,
        clamp: Iterable[str] = (),
        unprotected: Iterable[str] = (),
        from_another_table: Iterable[str] = (),
        keep_order: bool = False,
        order_by: str | None = None,
        noise: str | None = None,
    ):
        self.columns: Mapping[str, Planned] = {name: _planned(name, how) for name, how in columns.items()}
        self.public = tuple(public)
        gathered: dict[str, Binning] = {
            name: parse_binning(how) if isinstance(how, str) else how for name, how in (bins or {}).items()
        }
        self.bins: Bins = gathered | _coarser(levels or {}, gathered)
        self.suppression: Suppression | None = None
        if suppress_below is not None:
            self.suppression = Suppression(self.public, suppress_below, suppress_unit or unit)
        self.unit = UnitOfProtection(unit, rows_per_unit)
        self.clamp = tuple(clamp)
        for name in self.clamp:
            if name not in self.columns:
                raise OptionError(
                    "The plan clamps column {name!r}, which it does not release through a mechanism; leave it out.",
                    name=name,
                )
        self.unprotected = frozenset(unprotected)
        for name in sorted(self.unprotected.difference(self.columns)):
            raise OptionError(
                "The plan calls column {name!r} unprotected, which it does not release through a mechanism; name it as "
                "public.",
                name=name,
            )
        self.from_another_table = frozenset(from_another_table)
        self.keep_order = keep_order
        self.order_by = order_by
        if noise is not None and noise not in list(Noise):
            raise OptionError("A noise of {found!r} is neither 'kept' nor 'fresh'; name one of them.", found=noise)
        self.noise = None if noise is None else Noise(noise)
        if unit in (*self.columns, *self.public):
            raise OptionError("Column {name!r} is the unit, which is never released; leave it out.", name=unit)
        if suppress_unit in (*self.columns, *self.public):
            raise OptionError(
                "Column {name!r} is the unit of suppression, which is never released; leave it out.", name=suppress_unit
            )
        if "" in (*self.columns, *self.public):
            raise OptionError("A column of the plan has an empty name, which files cannot keep; rename it.")
        for name in self.public:
            if name in self.columns or self.public.count(name) > 1:
                raise OptionError(
                    "Column {name!r} is named twice, as public and again; name each column once.", name=name
                )
        if not self.columns.keys() - self.unprotected:
            raise OptionError("The plan protects no column by a mechanism; name at least one under [columns].")
        read = {name for how in self.columns.values() if isinstance(how, NamedChannel) for name in how.inputs}
        for name in self.bins:
            if name not in read.union(self.columns, self.public):
                raise OptionError(
                    "The plan has bins for column {name!r}, which it does not release; leave them out.", name=name
                )
        for name, how in self.columns.items():
            written = how.outputs if isinstance(how, NamedChannel) and len(how.outputs) > 1 else ()
            hidden = [other for other in written if self.columns.get(other) != how]
            if hidden:
                raise OptionError(
                    "The channel for column {name!r} also writes {found}; name every column it writes under [columns], "
                    "each with this channel.",
                    name=name,
                    found=tuple(map(repr, hidden)),
                )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReleasePlan) and vars(self) == vars(other)

    def to_toml(
        self, channels: Mapping[str, Path | str] | None = None, levels: Mapping[str, Path | str] | None = None
    ) -> str:
        """The text that ``read_plan`` reads as this plan; bins are as asked for, before a table decided their edges.

        Args:
            channels: for each column released through a channel, the file that holds it.
            levels: for each column with levels, their file.

        Raises:
            OptionError: a channel or levels without a file.
        """
        hidden, unit = self.suppression, self.unit
        said = {
            "public": self.public,
            "unit": unit.column,
            "rows_per_unit": None if unit.column is None else unit.rows,
            "suppress_below": None if hidden is None else hidden.below,
            "suppress_unit": None if hidden is None else hidden.unit,
            "keep_order": self.keep_order or None,
            "order_by": self.order_by,
            "noise": self.noise,
            "from_another_table": sorted(self.from_another_table) or None,
            "unprotected": sorted(self.unprotected) or None,
            "clamp": self.clamp or None,
        }
        bins, coarser = dict[str, str](), dict[str, str]()
        for name, how in self.bins.items():
            if isinstance(how, Levels):
                coarser[name] = f"{_file(name, levels)}:{how.level}"
            else:
                bins[name] = spelled_binning(asked_binning(how))
        columns = {
            name: _channel_text(_file(name, channels)) if isinstance(how, NamedChannel) else in_words(how)
            for name, how in self.columns.items()
        }
        lines = [f"{key} = {_quoted(value)}\n" for key, value in said.items() if value is not None]
        for key, table in zip(_TABLES, (columns, bins, coarser), strict=True):
            if table:
                lines += [f"\n[{key}]\n", *(f"{_quoted(name)} = {_quoted(how)}\n" for name, how in table.items())]
        return "".join(lines)

    _repr_html_ = notebook.shown

    def apply(self, table: Table, to: Path | str, **options: Any) -> Release:
        """The release of a table; options are those of ``leakgauge.release.release``."""
        from leakgauge.release.execution import release

        return release(self, table, to, **options)


def read_plan(path: Path | str, known: Mapping[str, Levels] | None = None) -> ReleasePlan:
    """The plan in a TOML file: ``public = […]``, ``[columns]``, ``[bins]``, ``[levels]``, and the numbers of a plan.

    These are ``suppress_below``, ``suppress_unit``, ``unit``, ``rows_per_unit``, ``keep_order``, ``order_by`` and
    ``noise``. Paths of channels and levels are relative to it; levels that are already ``known`` are not read.
    ``from_another_table = […]``, ``unprotected = […]`` and ``clamp = […]`` are as in ``ReleasePlan``.

    Raises:
        FileError: the file cannot be read, or is not a plan.
    """
    place = Path(path)
    fields = parsed_toml(place)
    require_schema({"schema": fields.pop("schema", PLAN_SCHEMA)}, PLAN_SCHEMA, place)
    unknown = sorted(fields.keys() - _KINDS.keys())
    lists = (one.values() if isinstance(one, dict) else one for one in fields.values() if isinstance(one, dict | list))
    texts = all(isinstance(text, str) for one in lists for text in one)
    if unknown or not texts or not all(isinstance(one, _KINDS[name]) for name, one in fields.items()):
        raise FileError(
            '{path} is not a plan: {found}; write public = [names] and [columns] with name = "mechanism".',
            path=place,
            found=Sentence("it has {keys!s}", keys=tuple(map(repr, unknown)))
            if unknown
            else Sentence("names, mechanisms, bins and levels must be text"),
        )
    columns, bins, levels = (fields.pop(name, {}) for name in _TABLES)
    try:
        planned = {name: _planned(name, how, place.parent) for name, how in columns.items()}
        coarser = _coarser({name: (known or {}).get(name, how) for name, how in levels.items()}, bins, place.parent)
        return ReleasePlan(planned, bins=bins, levels=coarser, **fields)
    except FileError:
        raise
    except InputError as error:
        raise type(error)(message("The plan {path}: {reason}"), path=place, reason=error) from None


def plan_files(path: Path | str) -> tuple[Path, ...]:
    """The plan and the files of channels and levels that it names: what must not be overwritten."""
    place = Path(path)
    fields = parsed_toml(place)
    tables = (one if isinstance(one, dict) else {} for one in (fields.get("columns"), fields.get("levels")))
    columns, levels = ([how for how in one.values() if isinstance(how, str)] for one in tables)
    files = [file for file in map(_channel_file, columns) if file is not None]
    return place, *(place.parent / file for file in (*files, *(str(level_file(text)[0]) for text in levels)))


def _coarser(
    levels: Mapping[str, Levels | str], bins: Mapping[str, object], folder: Path | None = None
) -> dict[str, Levels]:
    """The levels of columns that have no bins, read from their files."""
    for name in levels:
        if name in bins:
            raise both_bins_and_levels(name)
    texts = [f"{name}={how}" for name, how in levels.items() if isinstance(how, str)]
    read = parse_binnings((), tuple(levels), texts, folder)
    return {name: how if isinstance(how, Levels) else cast("Levels", read[name]) for name, how in levels.items()}


def _channel_file(how: str) -> str | None:
    """The file that a text names, where it names a channel rather than a mechanism."""
    if how.startswith(_CHANNEL):
        return how.removeprefix(_CHANNEL)
    # A mechanism may end in a letter that looks like a file.
    return how if how.endswith(".json") and how.partition(":")[0] not in CATALOGUE else None


def _channel_text(file: str) -> str:
    return file if _channel_file(file) == file else f"{_CHANNEL}{file}"


def _file(name: str, files: Mapping[str, Path | str] | None) -> str:
    if files is None or name not in files:
        raise OptionError(
            "Column {name!r} has a channel or levels, which a plan keeps in a file of their own; name that file.",
            name=name,
        )
    return str(files[name])


def _quoted(value: object) -> str:
    """A text, number, truth or list as TOML writes it: as JSON does, and one control character more is escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def in_words(how: Planned) -> str:
    """How a column is released, in words."""
    if isinstance(how, NamedChannel):
        return f"a channel of {len(how.channel.inputs):,} by {len(how.channel.outputs):,} values"
    return spelled(how) if isinstance(how, Mechanism) else how


def _planned(name: str, how: Mechanism | Channel | NamedChannel | str, folder: Path | None = None) -> Planned:
    if isinstance(how, Channel):
        return NamedChannel(how, (name,), (name,))
    if isinstance(how, str):
        file = _channel_file(how)
        how = how if file is None else read_channel((folder or Path()) / file)
    if isinstance(how, NamedChannel) and name not in (*how.inputs, *(how.outputs if len(how.outputs) > 1 else ())):
        raise ColumnError(
            "The channel for column {name!r} reads {found}; name the column it reads.",
            name=name,
            found=tuple(map(repr, how.inputs)),
        )
    return how
