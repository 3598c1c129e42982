"""The recipient's kit: a release, how to read it, a page that says how to use it, and a script that does."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from leakgauge.artefacts.channel_file import ChannelFile, read_channel
from leakgauge.artefacts.codec import read, text_of
from leakgauge.artefacts.estimates import Kit, KitColumn, KitNoise
from leakgauge.drafts import write_whole
from leakgauge.errors import FileError, OptionError
from leakgauge.probability import PriorOrigin
from leakgauge.probability.files import NamedChannel
from leakgauge.release.estimates.reading import Noise, Protected
from leakgauge.release.estimates.recipient import Recipient
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions

KIT: Final = "kit.json"
_FILES: Final = Path(__file__).parent / "kit_files"
_TEXTS: Final = {"README.md": _FILES / "README.md", "estimate.py": _FILES / "estimate.txt"}
"""The script is not a module of ours: it runs where only numpy is."""


def write_kit(
    folder: Path | str,
    release: Path | str,
    protected: Iterable[Protected],
    *,
    origins: Mapping[str, PriorOrigin] | None = None,
    publish_shares: bool = False,
    rows_per_unit: int = 1,
) -> Kit:
    """Write a kit into a folder, which is made: the release, ``kit.json``, channels, ``README.md``, ``estimate.py``.

    A channel is written only where its numbers may be known to everybody: one designed from a table's own counts tells
    these counts, exactly where it keeps the shares. Without its channel a column that keeps its shares is read as it
    is.

    Args:
        protected: how each column is read that went through a mechanism; all other columns count as published.
        origins: from which prior each channel was designed, by column; ``PUBLIC`` where it follows from a mechanism's
            parameters alone. One that is not named counts as this table's, and is kept inside.
        publish_shares: whether the steward declared that the shares of the table may be known.

    Raises:
        OptionError: a column that can be read neither through a channel that may be published nor as it is.
    """
    place, source = Path(folder), Path(release)
    place.mkdir(parents=True, exist_ok=True)
    columns: list[KitColumn] = []
    channels: dict[str, ChannelFile] = {}
    for one in protected:
        origin = (origins or {}).get(one.name)
        # A channel that keeps the shares of another table, or noisy ones, would echo those: it has to be corrected for.
        kept = one.keeps_shares and origin in (None, PriorOrigin.THIS_TABLE)
        if one.channel is not None and (publish_shares or (origin is not None and not origin.keep_inside)):
            file = f"channel-{len(channels) + 1}.json"
            # What is handed out on the steward's word no longer follows from anything that is kept inside.
            stated = PriorOrigin.PUBLIC if publish_shares else origin
            channels[file] = ChannelFile.of(NamedChannel(one.channel, (one.name,), (one.name,), stated))
        elif one.noise is None and not kept:
            raise OptionError(
                "The channel of {name!r} follows from private counts and does not keep its shares, so that a "
                "recipient can compute nothing from it; keep the shares, or design it from a noisy histogram.",
                name=one.name,
            )
        else:
            file = None
        noise = None if one.noise is None else KitNoise(one.noise.variance, one.noise.slope, one.noise.intercept)
        columns.append(
            KitColumn(
                name=one.name,
                channel=file,
                noise=noise,
                keeps_shares=kept,
                keeps_with=tuple(sorted(one.keeps_with)) if kept else (),
            )
        )
    with open_table(source) as table:
        names, rows = [column.name for column in table.columns()], table.rows
    kit = Kit(
        release=source.name,
        rows=rows,
        protected=tuple(columns),
        published=tuple(name for name in names if name not in {one.name for one in columns}),
        rows_per_unit=rows_per_unit,
    )
    if source.resolve().parent != place.resolve():
        shutil.copyfile(source, place / source.name)
    for file, channel in channels.items():
        write_whole(place / file, text_of(channel), shareable=True)
    for name, text in _TEXTS.items():
        write_whole(place / name, text.read_text(encoding="utf-8"), shareable=True)
    # Last: a folder without it is not a kit.
    write_whole(place / KIT, text_of(kit), shareable=True)
    return kit


def recipient_of(folder: Path, confidence: float, reading: ReadingOptions) -> Recipient:
    """What can be computed from the kit in a folder.

    Raises:
        FileError: the kit is malformed, or names a file outside its folder.
    """
    kit = read(Kit, folder / KIT)
    protected = {one.name: _protected(one, folder) for one in kit.protected}
    release = _beside(folder, kit.release)
    recipient = Recipient(str(release), protected, confidence, kit.rows, kit.rows_per_unit, reading)
    recipient.require_columns()
    return recipient


def _protected(column: KitColumn, folder: Path) -> Protected:
    channel = None if column.channel is None else read_channel(_beside(folder, column.channel)).channel
    said = column.noise
    noise = None if said is None else Noise(said.variance, said.slope, said.intercept)
    return Protected(column.name, channel, noise, column.keeps_shares, frozenset(column.keeps_with))


def _beside(folder: Path, name: str) -> Path:
    """A file of the kit; whoever reads a kit opens no other files for it."""
    if Path(name).name != name or name in ("", ".", ".."):
        raise FileError("{path} names {found!r}, which does not lie beside it.", path=folder / KIT, found=name)
    return folder / name
