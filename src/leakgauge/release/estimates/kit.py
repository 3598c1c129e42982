"""The recipient's kit: a release, how to read it, a page that says how to use it, and a script that does."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import read, text_of
from leakgauge.artefacts.estimates import Kit, KitColumn, KitNoise
from leakgauge.drafts import could_not_write, draft, write_whole
from leakgauge.errors import ColumnError, FileError, InputError, VerificationError
from leakgauge.languages import CODES, language_of
from leakgauge.probability import Channel, PriorOrigin
from leakgauge.probability.cells import Floats
from leakgauge.probability.files import NamedChannel
from leakgauge.release.estimates.reading import Noise, Protected
from leakgauge.release.estimates.recipient import Recipient
from leakgauge.release.files import NOT_PRIVATE, write_batches
from leakgauge.release.record import file_digest
from leakgauge.sentences import Sentence
from leakgauge.tables import Table, open_table
from leakgauge.tables.reading import ReadingOptions

KIT: Final = "kit.json"
JACKKNIFE_DIGITS: Final = 9
_FILES: Final = Path(__file__).parent / "kit_files"
_PAGE: Final = "README.md"
_SCRIPT: Final = "estimate.py"
"""The script is not a module of ours: it runs where only numpy is."""
_CHANNELS: Final = re.compile(r"channel-\d+\.json")
_FIELDS: Final = ("keeps_shares", "channel", "noise", "unreadable")
_ABOUT: Final = re.compile(rf"^- [^\n`]*[(（]`({'|'.join(_FIELDS)})`.*\n(?:  .*\n)*", re.MULTILINE)
"""A point of the page that explains one field of the kit's columns."""
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
    notes: Iterable[Sentence] = (),
) -> Kit:
    """Write a kit into a folder, which is made: the release, ``kit.json``, channels, ``README.md``, ``estimate.py``.

    The release is in it as CSV, whatever form it was written in, because that is what the script reads.

    A channel is written only if its numbers may be public: one designed from a table's own counts reveals them, exactly
    so if it keeps the shares. Without its channel, a column that keeps its shares is counted directly, and nothing can
    be estimated from any other, as the kit says. An existing kit is not written again.

    Args:
        protected: how each column is read that went through a mechanism; all other columns count as published.
        origins: from which prior each channel was designed, by column; ``PUBLIC`` where it follows from a mechanism's
            parameters alone. One that is not named counts as this table's, and is kept private.
        publish_shares: whether the steward declared that the shares of the table may be known.
        notes: cautions that go with every number.

    Raises:
        EngineError: the folder cannot be written.
    """
    columns: list[KitColumn] = []
    files: dict[str, str] = {}
    for one in protected:
        column, channel = kit_column(
            one, (origins or {}).get(one.name), publish_shares, f"channel-{len(files) + 1}.json"
        )
        columns.append(column)
        files |= {} if channel is None or column.channel is None else {column.channel: text_of(channel)}
    with open_table(Path(release)) as table, _as_text(Path(release), table) as source:
        hidden = {NOT_PRIVATE, *(one.name for one in columns)}
        kit = Kit(
            release=source.name,
            rows=table.rows,
            protected=tuple(columns),
            published=tuple(column.name for column in table.columns() if column.name not in hidden),
            rows_per_unit=rows_per_unit,
            notes=tuple(notes),
            sha256=file_digest(source),
        )
        # First: by it whoever removes a kit, however far it was written, knows what is part of it.
        files = {KIT: text_of(kit), **files, _PAGE: _page(kit), _SCRIPT: (_FILES / "estimate.txt").read_text("utf-8")}
        if not _is_written(Path(folder), source, files):
            _write(Path(folder), source, files)
    return kit


@contextmanager
def _as_text(release: Path, table: Table) -> Iterator[Path]:
    """The release as CSV, which the script of a kit reads; values that CSV cannot hold stay as they are."""
    if release.suffix.lower() == ".csv":
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
    for name in (release, *_channels(folder), _PAGE, _SCRIPT, KIT):
        if name not in (None, but):
            (folder / str(name)).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _channels(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("channel-*.json") if _CHANNELS.fullmatch(path.name)}


def _is_written(place: Path, source: Path, files: Mapping[str, str]) -> bool:
    """Whether the folder holds this kit, and none of another one."""
    if _channels(place) - files.keys():
        return False
    try:
        same = all((place / name).read_text(encoding="utf-8") == text for name, text in files.items())
        return same and file_digest(place / source.name) == file_digest(source)
    except (OSError, UnicodeDecodeError):
        return False


def _write(place: Path, source: Path, files: Mapping[str, str]) -> None:
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


def _page(kit: Kit) -> str:
    """The page that says how to use the kit, by the names of its columns, without examples that the kit refuses."""
    # How columns are read that this kit does not have would only be taken for one that it has.
    used = {field for one in kit.protected for field in _FIELDS if getattr(one, field) not in (None, False)}
    page = (_FILES / _PAGE).read_text(encoding="utf-8")
    page = _ABOUT.sub(lambda point: point[0] if point[1] in used else "", page)
    for code in CODES:
        told = (f"- {language_of(code).retell(one)}" for one in _sentences(kit))
        page = page.replace(f"<columns {code}>", "\n".join(told))
    found = {"<column>": "", "<by>": "", "<both>": ""}
    for one in kit.protected:
        # Cross-tables that are kept, or can be corrected for.
        others = one.keeps_with or (kit.published if one.channel is not None else ())
        if others and not found["<column>"]:
            found = {"<column>": one.name, "<by>": others[0], "<both>": f"{one.name},{others[0]}"}
    lines = [line for line in page.splitlines() if not any(mark in line and not word for mark, word in found.items())]
    for mark, word in found.items():
        lines = [line.replace(mark, shlex.quote(word)) for line in lines]
    return "\n".join(lines) + "\n"


def _sentences(kit: Kit) -> Iterator[Sentence]:
    """How each protected column is read, which columns are published, and what must be known beside them."""
    for one in kit.protected:
        yield _how(one)
        if one.keeps_with:
            names = ", ".join(map(_shown, one.keeps_with))
            yield Sentence("{name!s}: cross-tables with {names!s} are kept.", name=_shown(one.name), names=names)
    if kit.published:
        yield Sentence("Published unchanged: {names!s}.", names=", ".join(map(_shown, kit.published)))
    yield from kit.notes


def _how(one: KitColumn) -> Sentence:
    name, file = _shown(one.name), one.channel
    if one.unreadable is not None:
        return Sentence(
            "{name!s}: do not compute statistics from this column; {reason}.", name=name, reason=one.unreadable
        )
    if one.noise is not None:
        variance = float(one.noise.variance)
        return Sentence("{name!s}: noisy numbers, with noise of variance {variance:.6g}.", name=name, variance=variance)
    if file is None:
        return Sentence("{name!s}: count the released values.", name=name)
    if one.keeps_shares:
        return Sentence(
            "{name!s}: count the released values; for cross-tables correct for the channel in {file!s}.",
            name=name,
            file=file,
        )
    if one.since is not None:
        return Sentence(
            "{name!s}: correct for the noise with the channel in {file!s}. It was rebuilt from an earlier release that "
            "the same recipients have, whose file has the SHA-256 {sha256!s}, so it is off by chance; intervals allow "
            "for that by the channels in {field!s} of {kit!s}.",
            name=name,
            file=file,
            sha256=one.since,
            field="`jackknife`",
            kit=KIT,
        )
    return Sentence("{name!s}: correct for the noise with the channel in {file!s}.", name=name, file=file)


def _shown(name: str) -> str:
    """A name in a line of the page, which signs in it must not break."""
    return "`" + "".join(sign if sign.isprintable() and sign != "`" else "\ufffd" for sign in name) + "`"


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
    channel = None if column.channel is None else read_channel(_beside(folder, column.channel)).channel
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
