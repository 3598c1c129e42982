"""Text files in any encoding, piece by piece, and which encoding a file that is not UTF-8 may have."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from leakgauge.errors import TableError
from leakgauge.tables import arrow as pa

_PIECE: Final = 1 << 20
_ENOUGH: Final = 0.9
"""Share of the letters beyond ASCII that must be ordinary ones of a script, for a guess."""
_HANGUL: Final = 0.95
"""Chinese read as Korean has many Hangul too."""
_KANA: Final = 0.3
"""Japanese has so many; other texts read as Japanese have none."""


def pieces_of(path: str, encoding: str | None, place: str) -> Iterator[str]:
    """The text of a file, decompressed and decoded, UTF-8 where no encoding is named; about a megabyte at a time.

    Raises:
        TableError: text of another encoding, with a guess; or a file that is damaged.
    """
    decoder = _decoder(encoding)
    for data in chain(_data(path, place), [b""]):
        text = _decoded(decoder, data)
        if text is None:
            raise not_utf8(path, place) if encoding is None else _another(encoding, place)
        yield text


def not_utf8(path: str, place: str, where: object = "") -> TableError:
    """The error for a file that is not UTF-8, with a guess of its encoding."""
    decoder = _decoder(None)
    guess = next((_guess(data) for data in _data(path, place) if _decoded(decoder, data) is None), None)
    if guess is None:
        return TableError(
            "{place} is not UTF-8 text{where}; save it as CSV in UTF-8, or name its --encoding.",
            place=place,
            where=where,
        )
    return TableError(
        "{place} is not UTF-8 text{where}; try --encoding {guess!s}.", place=place, where=where, guess=guess
    )


def _another(encoding: str, place: str) -> TableError:
    return TableError(
        "{place} is not {encoding!s} text; name another --encoding, or leave it out for UTF-8.",
        place=place,
        encoding=encoding,
    )


def _decoder(encoding: str | None) -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder(encoding or "utf-8-sig")()


def _data(path: str, place: str) -> Iterator[bytes]:
    try:
        with pa.input_stream(path, compression="detect") as stream:
            while data := stream.read(_PIECE):
                yield data
    except (OSError, EOFError):
        raise TableError(
            "{place} is damaged or not compressed as its name says; create it again.", place=place
        ) from None


def _decoded(decoder: codecs.IncrementalDecoder, data: bytes) -> str | None:
    """The text of some bytes; None where they are not text. The decoder's own error would hold them."""
    try:
        text = decoder.decode(data, final=not data)
    except ValueError:
        return None
    # Bytes of another encoding, or of no text at all, may well decode, but not to text.
    return None if "\0" in text else text


def _guess(data: bytes) -> str | None:
    """The encoding that bytes which are not UTF-8 seem to have; None where nothing fits."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in data:
        # Every second byte of Western text in UTF-16 is 0.
        low, high = (data[start::2].count(0) / len(data[start::2]) for start in (1, 0))
        return "utf-16-le" if low > high and low > 0.3 else "utf-16-be" if high > 0.3 else None
    # In other scripts letters beyond ASCII stand side by side; in Western ones they are alone.
    runs = re.findall(rb"[\x80-\xff]+", data)
    if sum(len(run) for run in runs if len(run) > 1) < 0.6 * sum(map(len, runs)):
        return "windows-1252" if _letters(data, "windows-1252") is not None else None
    for encoding, ordinary, share in _SCRIPTS:
        letters = _letters(data, encoding)
        if letters and sum(map(ordinary, letters)) >= share * len(letters):
            return encoding
    return None


def _letters(data: bytes, encoding: str) -> str | None:
    """What lies beyond ASCII in some bytes, read in an encoding; None where they are not of it."""
    try:
        # The last letter may be cut in two.
        text = codecs.getincrementaldecoder(encoding)().decode(data)
    except ValueError:
        return None
    return "".join(letter for letter in text if letter > "\x7f")


def _in(encoding: str) -> Callable[[str], bool]:
    """Whether a letter has a place in an encoding."""
    return lambda letter: bool(letter.encode(encoding, "ignore"))


_SCRIPTS: Final[tuple[tuple[str, Callable[[str], bool], float], ...]] = (
    ("shift_jis", lambda letter: "\u3040" <= letter <= "\u30ff", _KANA),
    ("euc-kr", lambda letter: "\uac00" <= letter <= "\ud7a3", _HANGUL),
    ("windows-1251", lambda letter: "\u0400" <= letter <= "\u045f", _ENOUGH),
    ("gb18030", _in("gb2312"), _ENOUGH),
    ("big5", lambda letter: b"\xa1" <= letter.encode("big5", "ignore") < b"\xc7", _ENOUGH),
)
"""Encodings of scripts, what their ordinary letters are, and how many of all must be such; asked in this order."""
