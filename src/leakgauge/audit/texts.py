"""Texts as they are kept: shortened, with the end of each and a few numbers that describe it.

Where nearly all texts differ, no text is seen often enough to be counted; its length, its first and last characters and
the kinds of its characters are. All of it is read off one text at a time, so that long ones need not be kept.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from leakgauge.artefacts import Sentence

LONGEST = 40
"""Longer texts are kept by their beginning and a digest, so that texts of any length cost the same."""
_DIGEST = 10
"""Bytes of a digest."""
BEGINNING, ENDING = LONGEST - 1 - math.ceil(_DIGEST * 5 / 4), 12
"""Characters at the beginning and at the end of a text that are compared."""
TEXT, START, END, TRAITS, NUMBERS = "text", "start", "end", "traits", "numbers"

_NEARLY_ALL, _FEW = 0.9, 5_000
"""The share of texts that differ, and how many of each input are looked at for it."""

_KINDS = (string.digits, string.ascii_lowercase, string.ascii_uppercase, string.whitespace, string.punctuation)
TRAIT_NAMES = (
    Sentence("length of the text"),
    Sentence("number of digits"),
    Sentence("number of lower-case letters"),
    Sentence("number of upper-case letters"),
    Sentence("number of spaces"),
    Sentence("number of punctuation marks"),
    Sentence("number of characters beyond ASCII"),
    Sentence("number of zeros at the end"),
    Sentence("first number in the text"),
    Sentence("last number in the text"),
)
_DELETED = tuple(characters.encode() for characters in _KINDS)
_CLOSING = string.whitespace + "\"')]}>"
"""What may stand behind the last digit of a number."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_NO_NUMBER = -math.inf
"""Below all others, so that texts without a number are on one side of those with one."""


class Text(NamedTuple):
    """What is kept of a text: itself, shortened; its ends, the last character first; and ``TRAIT_NAMES``."""

    text: str
    start: str
    end: str
    traits: tuple[float, ...]


def kept(text: str, written: str | None = None) -> Text:
    """What is kept of a text, ``written`` being how it is told apart from all else, such as with its quotes."""
    short = shortened(text if written is None else written)
    return Text(short, text[:BEGINNING], text[: -ENDING - 1 : -1], _traits(text))


def shortened(text: str) -> str:
    """A text of at most ``LONGEST`` characters, another one for another text."""
    if len(text) <= LONGEST:
        return text
    digest = base64.b85encode(hashlib.sha256(_bytes(text)).digest()[:_DIGEST]).decode()
    return f"{text[:BEGINNING]}…{digest}"


def text_array(texts: Sequence[Text], numbers: npt.NDArray[np.float64] | None = None) -> npt.NDArray[Any]:
    """Texts as an array of records, each with as many numbers of its own; with none by default."""
    width = 0 if numbers is None else numbers.shape[1]
    made: npt.NDArray[Any] = np.empty(
        len(texts),
        dtype=[
            (TEXT, f"U{LONGEST}"),
            (START, f"U{BEGINNING}"),
            (END, f"U{ENDING}"),
            (TRAITS, np.float64, (len(TRAIT_NAMES),)),
            (NUMBERS, np.float64, (width,)),
        ],
    )
    for field, value in zip((TEXT, START, END, TRAITS), zip(*texts, strict=True), strict=False):
        made[field] = value
    if numbers is not None:
        made[NUMBERS] = numbers
    return made


def nearly_all_differ(*outputs: npt.NDArray[Any]) -> bool:
    """Whether outputs are texts without numbers of their own, of which hardly any comes again; the first few tell."""
    few = np.concatenate([one[:_FEW] for one in outputs])
    if few.dtype.kind != "V":
        return False
    texts = few[TEXT][~np.isfinite(few[NUMBERS]).any(axis=1)]
    return len(texts) > len(few) / 2 and len(np.unique(texts)) >= _NEARLY_ALL * len(texts)


def code_points(texts: npt.NDArray[np.str_], width: int) -> npt.NDArray[np.int64]:
    """The characters of texts as numbers, one row per text; 0 behind the end of a text."""
    whole = np.ascontiguousarray(texts.astype(f"U{width}"))
    return whole.view(np.uint32).reshape(len(texts), width).astype(np.int64)


def characters_in(texts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The characters at both ends of each text of an array, as numbers."""
    return np.hstack([code_points(texts[START], BEGINNING), code_points(texts[END], ENDING)])


def _traits(text: str) -> tuple[float, ...]:
    data = _bytes(text)
    counts = [len(data) - len(data.translate(None, deleted)) for deleted in _DELETED]
    beyond = len(text) - (len(data) - len(data.translate(None, _ASCII)))
    stripped = text.rstrip(_CLOSING)
    # A number of a long text is looked for near its two ends only.
    first = _NUMBER.search(text)
    last = _NUMBER.findall(text[-LONGEST:])
    return (
        len(text),
        *counts,
        beyond,
        len(stripped) - len(stripped.rstrip("0")),
        _NO_NUMBER if first is None else float(first.group()),
        float(last[-1]) if last else _NO_NUMBER,
    )


_ASCII = bytes(range(128))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
