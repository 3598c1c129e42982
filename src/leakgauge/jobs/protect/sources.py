"""The inputs of a job: the table, watched for changes while the job runs, and the data its choices use."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leakgauge.artefacts import Request
from leakgauge.artefacts.request import Aim
from leakgauge.case import Case
from leakgauge.case.earlier import EarlierChannel
from leakgauge.design import Keep, Knowledge, MaxDistortion, MaxLeakage, Slope
from leakgauge.design.problem import Target
from leakgauge.distances.distortions import distortion_named
from leakgauge.errors import OptionError, TableError
from leakgauge.jobs.design import Question, bins_within, left_within
from leakgauge.measures.countability import PEOPLE_PER_CELL
from leakgauge.probability import Channel
from leakgauge.release.ledger import Ledger, open_ledger
from leakgauge.release.ledger.account import default_dataset
from leakgauge.release.record import file_digest
from leakgauge.tables import Binning, Levels, Suppression, Table, in_bins, suppressed
from leakgauge.tables.binnings import parse_binnings
from leakgauge.tables.chosen_bins import settled
from leakgauge.tables.levels import named_levels
from leakgauge.tables.opening import source_files
from leakgauge.tables.sql.table import SqlTable

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1 << 16
"""Rows digested at once, so that the digest does not depend on how rows are split into batches."""


@dataclass(frozen=True)
class Sources:
    """A request whose levels are chosen, with its data: the original, and the case with its table as it is released.

    Bins are those settled on the table. Public columns are seen ``through`` the channels designed for them.
    """

    asked: Request
    original: Table
    case: Case
    bins: dict[str, Binning]
    ledger: Ledger | None
    dataset: str | None
    through: Mapping[str, Channel] = field(default_factory=dict)

    @property
    def table(self) -> Table:
        """As coarse as it is released."""
        return self.case.table

    def having_earlier(self, earlier: Mapping[tuple[str, ...], tuple[EarlierChannel, ...]]) -> Sources:
        """The same, watched by somebody who has earlier releases too."""
        return replace(self, case=replace(self.case, earlier=earlier))

    @property
    def noise(self) -> str | None:
        """Whether people whose values stay the same keep their noise: by default where a ledger counts people."""
        kept = self.asked.roles.rows_per_unit is not None and self.ledger is not None
        return self.asked.budget.noise or ("kept" if kept else None)

    @property
    def released_bins(self) -> dict[str, Binning]:
        """How the released columns are binned or coarsened."""
        return {name: self.bins[name] for name in self.asked.roles.released if name in self.bins}

    def question(self, aim: Aim) -> Question:
        """The design problem of one source."""
        known = self.known(aim.columns)
        who = Knowledge.ATTACKER if known else Knowledge.NOBODY
        if self._reads_public(aim.columns):
            known, who = self.kept_with(aim.columns), Knowledge.BOTH
        distortion = distortion_named(aim.distortion)
        seen = {name: self.through[name] for name in known if name in self.through}
        return Question(aim.columns, known, distortion, who, local_dp=aim.local_dp, seen_through=seen)

    def _reads_public(self, secret: tuple[str, ...]) -> bool:
        """Whether the channel of a secret is designed to keep its associations."""
        designed = (aim.columns for aim in self.asked.aims if not aim.mechanism)
        return self.asked.limits.kept == Keep.ASSOCIATIONS.value and secret in designed

    def kept_with(self, secret: tuple[str, ...]) -> tuple[str, ...]:
        """The public columns whose cross-tables with a secret are kept: all of them, or the most revealing that fit.

        Raises:
            OptionError: every one has a single value or too many.
        """
        public = self.asked.roles.public_as_is
        varied = self.case.varied(public)
        if not varied:
            raise OptionError(
                "--keep associations keeps cross-tables with public columns, but {columns!s} has the same value in "
                "every row; publish another column, or use --keep shares.",
                columns=", ".join(public),
            )
        kept = self.case.kept_with(secret, varied)
        if not kept:
            raise OptionError(
                "The associations of {secret!s} with {columns!s} cannot be kept: every public value needs at least "
                "{rows} rows, and as many on average with each value of the secret; coarsen these columns with "
                "--bins, --levels or --min-k, or use --keep shares.",
                secret=", ".join(secret),
                columns=", ".join(varied),
                rows=PEOPLE_PER_CELL,
            )
        return kept

    def target(self, aim: Aim) -> Target:
        """The target of a design; of an allowed error, the part that its bins leave for the channel.

        Raises:
            RefusalError: the bins alone take all of it.
        """
        if aim.within is not None:
            (column,) = aim.columns
            return MaxDistortion(left_within(self.original, column, self.bins.get(column), aim.within))
        if aim.max_distortion is not None:
            return MaxDistortion(aim.max_distortion)
        # Without one, the channel of least distortion among those that keep the bound on ε.
        return Slope(math.inf) if aim.max_leakage is None else MaxLeakage(aim.max_leakage)

    def known(self, secret: tuple[str, ...], seen: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The columns that a design counts as known: all that the attacker sees, or the most revealing that fit."""
        varied = self.case.varied(self.asked.roles.seen if seen is None else seen)
        if not self._reads_public(secret) or not varied or self.case.is_countable(secret, varied):
            return self.case.known(secret, varied)
        # Columns that a channel reads always count.
        return self.case.known(secret, varied, self.kept_with(secret))


def open_sources(
    asked: Request,
    table: Table,
    opened: ExitStack,
    levels: Mapping[str, Levels] | None = None,
    memory: dict[object, Any] | None = None,
) -> Sources:
    """Open the sources of a job; a ledger is closed with the stack.

    Args:
        levels: that are known already, and not read from their files.
        memory: what was learnt from the table for other settings.
    """
    ledger = None if asked.budget.ledger is None else opened.enter_context(open_ledger(asked.budget.ledger))
    dataset = asked.budget.dataset or default_dataset(asked.table)
    if ledger is not None:
        # A missing account is reported before anything is done.
        ledger.account(dataset)
    for aim in asked.aims:
        # An unreadable file of distances is reported before anything is done.
        distortion_named(aim.distortion)
    bins = _settled_bins(asked, table, levels or {})
    below = asked.coarsening.suppress_below
    hidden = None if below is None else Suppression(asked.roles.public, below, asked.roles.unit)
    coarse, known = suppressed(in_bins(table, bins), hidden), {} if memory is None else memory
    case = Case(
        *(coarse, asked.roles.background, asked.roles.unit, asked.declared.confidence, known),
        blank_is_secret=asked.declared.blank_is_secret,
    )
    return Sources(asked, table, case, bins, ledger, None if ledger is None else dataset)


def _settled_bins(asked: Request, table: Table, levels: Mapping[str, Levels]) -> dict[str, Binning]:
    """The bins of columns, with everything the table decides."""
    columns = (*asked.roles.secrets, *asked.roles.seen)
    named = zip(asked.coarsening.levels, named_levels(asked.coarsening.levels, columns), strict=True)
    bins = parse_binnings(asked.coarsening.bins, columns, [text for text, name in named if name not in levels])
    bins |= levels
    for aim in asked.aims:
        if aim.within is not None:
            (column,) = aim.columns
            found = bins_within(table, column, bins.get(column), aim.within, beside=bool(asked.roles.seen))
            bins |= {} if found is None else {column: found}
    return {name: settled(table, name, how) for name, how in bins.items()}


@dataclass(frozen=True)
class Watch:
    """The table that came in, as it was when the job began.

    Attributes:
        bytes: its size; None where an engine has it.
        digest: gives SHA-256 of its file, or over those of several, or over its names, types and rows.
        is_same: whether it is as it was.
    """

    bytes: int | None
    digest: Callable[[], str]
    is_same: Callable[[], bool]

    def require_unchanged(self) -> None:
        """Refuse to go on with another table than the job began with."""
        if not self.is_same():
            raise TableError(
                "The table changed while the job was running, so its results would not fit together; run the job "
                "again in a new folder."
            )


def watched(content: str | pa.Table, table: Table) -> Watch:
    """The files behind an address, as they look now, a table in memory or one that an engine has."""
    if not isinstance(content, str):
        return Watch(int(content.nbytes), partial(_digest_of_rows, content), lambda: True)
    files = tuple(sorted(source_files(content)))
    if not files and isinstance(table, SqlTable):
        look = table.fingerprint()
        return Watch(None, lambda: look, lambda: table.holds_still or table.fingerprint() == look)
    looks = _looks(files)
    return Watch(sum(size for size, _, _ in looks), partial(_digest_of, files), partial(_look_so, files, looks))


def _looks(files: tuple[Path, ...]) -> list[tuple[int, int, int]]:
    """The size, time of change and place of each file."""
    return [(stat.st_size, stat.st_mtime_ns, stat.st_ino) for stat in (file.stat() for file in files)]


def _look_so(files: tuple[Path, ...], looks: list[tuple[int, int, int]]) -> bool:
    try:
        return _looks(files) == looks
    except OSError:
        return False


def _digest_of(files: tuple[Path, ...]) -> str:
    each = [file_digest(file) for file in files]
    return each[0] if len(each) == 1 else hashlib.sha256("".join(each).encode()).hexdigest()


def _digest_of_rows(rows: pa.Table) -> str:
    import pyarrow as pa

    sink, whole = _Digest(), rows.replace_schema_metadata(None).combine_chunks()
    with pa.ipc.new_stream(sink, whole.schema) as stream:
        stream.write_table(whole, max_chunksize=_ROWS)
    return sink.sha256.hexdigest()


class _Digest(io.RawIOBase):
    """A file that keeps the digest of what is written to it."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.sha256.update(data)
        return memoryview(data).nbytes
