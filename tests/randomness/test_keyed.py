"""Words by a key: the same for the same item, unrelated otherwise, and exactly as uniform as alias tables need."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leakgauge.probability import Channel
from leakgauge.randomness.alias import AliasTables
from leakgauge.randomness.keyed import NoiseKey, framed

KEY = NoiseKey(bytes(range(32)))
OTHER = NoiseKey(bytes(range(1, 33)))


def items(count: int) -> list[bytes]:
    return [framed(str(at).encode()) for at in range(count)]


def test_a_word_follows_from_key_context_and_item_alone() -> None:
    words = KEY.words(b"c", items(100))
    assert words.dtype == np.uint64 and len(set(words.tolist())) == 100
    assert (KEY.words(b"c", items(200))[:100] == words).all()
    assert (KEY.words(b"c", reversed(items(100)))[::-1] == words).all()
    for others in (KEY.words(b"d", items(100)), OTHER.words(b"c", items(100))):
        assert not set(others.tolist()) & set(words.tolist())
    assert KEY.words(b"c", []).shape == (0,)


def test_a_key_is_never_shown_nor_sent_and_its_name_tells_nothing_of_its_words() -> None:
    assert KEY.key.hex() not in repr(KEY) and str(KEY.key) not in repr(KEY)
    for leave in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="does not leave its process"):
            leave(KEY)
    assert len(KEY.identity) == 16 and KEY.identity != OTHER.identity
    # As words the same bytes are hashed apart.
    assert KEY.words(b"", [b""])[0].tobytes().hex() != KEY.identity
    assert NoiseKey.drawn() != NoiseKey.drawn()
    with pytest.raises(ValueError, match="31 bytes"):
        NoiseKey(bytes(31))


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_no_two_sequences_are_framed_alike(first: list[bytes], second: list[bytes]) -> None:
    assert (framed(*first) == framed(*second)) is (first == second)
    # Nor is one the beginning of another, so that context and item cannot run into each other.
    if first != second:
        assert not framed(*first).startswith(framed(*second))


CHANNEL = Channel("abc", "xyz", [[0.5, 0.25, 0.25], [2**-53, 1 - 2**-53, 0], [0.125, 0.375, 0.5]])


def test_a_letter_of_the_least_probability_has_one_of_all_draws() -> None:
    # Of 2^53 draws one is the first letter; the 11 bits of a word that no draw reads change nothing.
    words = np.array([0, (1 << 11) - 1, 1 << 11, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    assert AliasTables(CHANNEL.cells).draw_by_words(np.full(len(words), 1), words).tolist() == [0, 0, 1, 1, 1, 1, 1]


def test_one_draw_has_exactly_the_law_of_the_channel() -> None:
    """By every word of a small law: of 2^53 equally likely ones each letter has as many as the channel says."""
    # All words whose top five bits differ, of a channel of multiples of 1/8: the rest of a word cannot matter.
    channel = Channel("ab", "xyz", [[0.5, 0.25, 0.25], [0.125, 0.375, 0.5]])
    tables = AliasTables(channel.cells)
    for low in (0, (1 << 59) - 1, 0x123456789ABCDE):
        words = (np.arange(32, dtype=np.uint64) << np.uint64(59)) | np.uint64(low)
        for row in (0, 1):
            drawn = tables.draw_by_words(np.full(32, row), words)
            assert (np.bincount(drawn, minlength=3) / 32 == channel.matrix[row]).all()


@pytest.mark.parametrize("row", [0, 2])
def test_letters_by_key_are_as_frequent_as_the_channel_says(row: int) -> None:
    tables, count = AliasTables(CHANNEL.cells), 60_000
    drawn = tables.draw_by_words(np.full(count, row), KEY.words(b"frequency", items(count)))
    expected = CHANNEL.matrix[row] * count
    assert stats.chisquare(np.bincount(drawn, minlength=3), expected).pvalue > 1e-4
