"""The recipient's kit: a release, how to read it, a page that says how to use it, recipes that do, and metadata."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import read, text_of
from leakgauge.artefacts.estimates import Estimated, Kit, KitColumn, KitNoise
from leakgauge.drafts import could_not_write, draft, write_whole
from leakgauge.errors import ColumnError, FileError, InputError, OptionError, RefusalError, VerificationError
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.release.estimates.kit_files.channels import channel_csv
from leakgauge.release.estimates.kit_files.dictionary import channel_sheet, dictionary_text, entries
from leakgauge.release.estimates.kit_files.metadata import KitFile, croissant_text, datapackage_text
from leakgauge.release.estimates.kit_files.page import PAGE, page
from leakgauge.release.estimates.kit_files.recipe import recipe_in_r
from leakgauge.release.estimates.kit_files.released import About, released_columns
from leakgauge.release.estimates.kit_files.workbook import workbook
from leakgauge.release.estimates.reading import Noise, Protected
from leakgauge.release.estimates.recipient import Recipient
from leakgauge.release.files import NOT_PRIVATE, write_batches
from leakgauge.release.record import file_digest, size_of
from leakgauge.sentences import Sentence
from leakgauge.tables import Kind, Table, open_table
from leakgauge.tables.reading import ReadingOptions

KIT: Final = "kit.json"
JACKKNIFE_DIGITS: Final = 9
_SCRIPT: Final = Path(__file__).parent / "kit_files" / "estimate.txt"
"""The script is not a module of ours: it runs where only numpy is."""
_WORKBOOK: Final = "estimate.xlsx"
_DICTIONARY: Final = "dictionary.csv"
_NAMES: Final = (PAGE, "estimate.py", "estimate.R", _WORKBOOK, _DICTIONARY, "datapackage.json", "croissant.json", KIT)
"""The files of kits beside their releases and channels; whoever removes a kit removes ``kit.json`` last."""
_CHANNELS: Final = re.compile(r"channel-\d+\.(json|csv)")
MOST_LINES: Final = 1_048_575
"""The rows that a spreadsheet opens below the names of the columns. A longer release is not written as CSV beside the
Parquet file that it was released as: its size would double, and only programs could open it."""
INSIDE: Final = Sentence(
    "its channel is kept private, because it follows from private counts, and does not keep the shares of this table"
)


def write_kit(
    folder: Path | str,
    release: Path | str,
    protected: Iterable[Protected],
    *,
    origins: Mapping[str, PriorOrigin] | None = None,
    publish_shares: bool = False,
    rows_per_unit: int = 1,
    about: About | None = None,
) -> Kit:
    """Write a kit into a folder, which is made: the release, how to read it, recipes, a dictionary and metadata.

    The release is in it once: as CSV, which everybody can open, or as it is where it has more rows than a spreadsheet
    opens or values that CSV cannot hold.

    A channel is written only if its numbers may be public: one designed from a table's own counts reveals them, exactly
    so if it keeps the shares. Without its channel, a column that keeps its shares is counted directly, and nothing can
    be estimated from any other, as the kit says. An existing kit is not written again.

    Args:
        protected: how each column is read that went through a mechanism; all other columns count as published.
        origins: from which prior each channel was designed, by column; ``PUBLIC`` where it follows from a mechanism's
            parameters alone. One that is not named counts as this table's, and is kept private.
        publish_shares: whether the steward declared that the shares of the table may be known.
        about: what is declared or public about the release; it may be left out.

    Raises:
        EngineError: the folder cannot be written.
        OptionError: the release is called like another file of the kit.
    """
    said = about or About()
    columns: list[KitColumn] = []
    channels: dict[str, ChannelFile] = {}
    for one in protected:
        column, channel = kit_column(
            one, (origins or {}).get(one.name), publish_shares, f"channel-{len(channels) + 1}.json"
        )
        columns.append(column)
        channels |= {} if channel is None or column.channel is None else {column.channel: channel}
    with open_table(Path(release)) as table, _as_text(Path(release), table) as source:
        hidden = {NOT_PRIVATE, *(one.name for one in columns)}
        kit = Kit(
            release=source.name,
            rows=table.rows,
            protected=tuple(columns),
            published=tuple(column.name for column in table.columns() if column.name not in hidden),
            rows_per_unit=rows_per_unit,
            notes=said.notes,
            sha256=file_digest(source),
        )
        if source.name in _NAMES or _CHANNELS.fullmatch(source.name):
            raise OptionError("A kit has a file called {name!s}; call the release something else.", name=source.name)
        with open_table(source) as handed_out:
            files = _files(kit, channels, said, source, handed_out)
        if not _is_written(Path(folder), source, files):
            _write(Path(folder), source, files)
    return kit


def _files(
    kit: Kit, channels: Mapping[str, ChannelFile], about: About, release: Path, table: Table
) -> dict[str, str | bytes]:
    """Every file of a kit but its release, from that release, the channels and what is declared or public."""
    found = entries(kit, released_columns(release, table), about)
    by_column = {one.name: channels[one.channel].named().channel for one in kit.protected if one.channel is not None}
    protected = {one.name: _read(one, by_column.get(one.name)) for one in kit.protected}
    recipient = Recipient(str(release), protected, rows=kit.rows, rows_per_unit=kit.rows_per_unit)
    # A column without any number has no kind of one.
    numeric = {one.name for one in table.columns() if one.kind in (Kind.INT, Kind.FLOAT)}
    noisy = tuple(one.name for one in kit.protected if one.noise is not None and one.name in numeric)
    sheets = workbook(kit, found, by_column, table.moments(*noisy) if noisy else {})
    texts: dict[str, str | bytes] = {_DICTIONARY: dictionary_text(found)}
    texts |= {channel_sheet(name): channel_csv(one.named().channel) for name, one in channels.items()}
    listed = [KitFile(release.name, size_of(release), str(kit.sha256)), *starmap(_kit_file, texts.items())]
    texts |= {} if sheets is None else {_WORKBOOK: sheets}
    return {
        # First: by it whoever removes a kit, however far it was written, knows what is part of it.
        KIT: text_of(kit),
        **{name: text_of(one) for name, one in channels.items()},
        **texts,
        PAGE: page(kit, found, about, list(_worked(recipient)), workbook=sheets is not None),
        "estimate.py": _SCRIPT.read_text(encoding="utf-8"),
        "estimate.R": recipe_in_r(kit),
        "datapackage.json": datapackage_text(kit, found, about, listed),
        "croissant.json": croissant_text(kit, found, about, listed),
    }


def _kit_file(name: str, content: str | bytes) -> KitFile:
    data = _encoded(content)
    return KitFile(name, len(data), hashlib.sha256(data).hexdigest())


def _worked(recipient: Recipient) -> Iterator[Estimated]:
    """Estimates of every protected column, for examples; none of one that cannot be estimated."""
    for name, one in recipient.protected.items():
        with suppress(InputError, RefusalError):
            yield recipient.shares(name) if one.noise is None else recipient.mean(name)


@contextmanager
def _as_text(release: Path, table: Table) -> Iterator[Path]:
    """The release as CSV, which everybody can open; one with too many rows or other values stays as it is."""
    if release.suffix.lower() == ".csv" or (table.rows > MOST_LINES and release.is_file()):
        yield release
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder) / f"{release.stem}.csv"
        try:
            with copy.open("wb") as file:
                write_batches(table.batches(), file, copy, simulated=False)
        except ColumnError:
            copy = release
        yield copy


def kit_column(
    one: Protected, origin: PriorOrigin | None, publish_shares: bool, file: str = "channel-1.json"
) -> tuple[KitColumn, ChannelFile | None]:
    """How a column is read as the kit says it, and its channel where that may be handed out."""
    # A channel that keeps the shares of another table, or noisy ones, would echo those: it has to be corrected for.
    kept = one.keeps_shares and origin in (None, PriorOrigin.THIS_TABLE)
    channel = None
    if one.channel is not None and (publish_shares or (origin is not None and not origin.keep_inside)):
        # A channel handed out on the steward's declaration no longer counts as private.
        stated = PriorOrigin.PUBLIC if publish_shares else origin
        channel = ChannelFile.of(NamedChannel(one.channel, (one.name,), (one.name,), stated))
    readable = channel is not None or one.noise is not None or kept
    column = KitColumn(
        name=one.name,
        channel=None if channel is None else file,
        noise=None if one.noise is None else KitNoise(one.noise.variance, one.noise.slope, one.noise.intercept),
        keeps_shares=kept,
        keeps_with=tuple(sorted(one.keeps_with)) if kept else (),
        unreadable=None if readable else one.unreadable or INSIDE,
        jackknife=() if channel is None else tuple(_rounded(each.matrix) for each in one.jackknife),
        since=None if channel is None else one.since,
    )
    return column, channel


def _rounded(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """As many digits as an estimate of an error needs."""
    return tuple(tuple(row) for row in np.round(matrix, JACKKNIFE_DIGITS).tolist())


def drop_kit(folder: Path, *, but: str | None = None) -> None:
    """Remove the kit in a folder, and the folder where nothing else is in it; ``but`` is a file that stays."""
    if not (folder / KIT).is_file():
        return
    try:
        release: str | None = _beside(folder, read(Kit, folder / KIT).release).name
    except (InputError, VerificationError):
        release = None
    for name in (release, *_channels(folder), *_NAMES):
        if name not in (None, but):
            (folder / str(name)).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _channels(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("channel-*") if _CHANNELS.fullmatch(path.name)}


def _is_written(place: Path, source: Path, files: Mapping[str, str | bytes]) -> bool:
    """Whether the folder holds this kit, and none of another one."""
    if any((place / name).exists() for name in {*_channels(place), *_NAMES} - files.keys()):
        return False
    try:
        same = all((place / name).read_bytes() == _encoded(content) for name, content in files.items())
        return same and file_digest(place / source.name) == file_digest(source)
    except OSError:
        return False


def _encoded(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _write(place: Path, source: Path, files: Mapping[str, str | bytes]) -> None:
    inside = source.resolve().parent == place.resolve()
    try:
        drop_kit(place, but=source.name if inside else None)
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise could_not_write(place, error) from None
    for name, text in files.items():
        write_whole(place / name, text, shareable=True)
    if not inside:
        with draft(place / source.name, shareable=True) as copy, source.open("rb") as original:
            with copy.filling() as file:
                shutil.copyfileobj(original, file)
            copy.keep()


def recipient_of(folder: Path, confidence: float, reading: ReadingOptions) -> Recipient:
    """What can be computed from the kit in a folder.

    Raises:
        FileError: the kit is malformed, or names a file outside its folder.
        VerificationError: the release is another one than the kit was written for.
    """
    kit = read(Kit, folder / KIT)
    protected = {one.name: _protected(one, folder) for one in kit.protected}
    release = _beside(folder, kit.release)
    if kit.sha256 is not None and release.is_file() and file_digest(release) != kit.sha256:
        raise VerificationError(
            "{path} is not the release that its kit was written for, or was changed; take the one that came with it.",
            path=release,
        )
    recipient = Recipient(
        str(release), protected, confidence, kit.rows, kit.rows_per_unit, reading, kit.notes, kit.sha256
    )
    recipient.require_columns()
    return recipient


def _protected(column: KitColumn, folder: Path) -> Protected:
    return _read(column, None if column.channel is None else read_channel(_beside(folder, column.channel)).channel)


def _read(column: KitColumn, channel: Channel | None) -> Protected:
    said = column.noise
    noise = None if said is None else Noise(said.variance, said.slope, said.intercept)
    kept_with = frozenset(column.keeps_with)
    jackknife = () if channel is None else tuple(_normalised(channel, each) for each in column.jackknife)
    return Protected(
        column.name, channel, noise, column.keeps_shares, kept_with, column.unreadable, jackknife, column.since
    )


def _normalised(channel: Channel, matrix: Sequence[Sequence[float]]) -> Channel:
    rows = np.array(matrix, dtype=np.float64)
    return Channel(channel.inputs, channel.outputs, rows / rows.sum(axis=1, keepdims=True))


def _beside(folder: Path, name: str) -> Path:
    """A file of the kit; whoever reads a kit opens no other files for it."""
    if Path(name).name != name or name in ("", ".", ".."):
        raise FileError(
            "{path} names {found!r}, which is not in the same folder; use the whole kit as it was received.",
            path=folder / KIT,
            found=name,
        )
    return folder / name
