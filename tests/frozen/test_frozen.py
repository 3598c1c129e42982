"""The product says what it said when it was frozen; ``python -m tests.frozen`` shows what differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frozen.commands import COMMANDS
from tests.frozen.corpus import Said, frozen, said_by, says_the_same, tables

_EVERY_RUN = ("misuse", "relate", "survey", "distortion")


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    with tables() as folder:
        yield folder


@pytest.fixture(scope="module")
def kept() -> dict[str, dict[str, bytes]]:
    return frozen()


@pytest.mark.parametrize(
    "name", [name if name in _EVERY_RUN else pytest.param(name, marks=pytest.mark.nightly) for name in COMMANDS]
)
def test_a_command_says_what_was_frozen(name: str, made: Path, kept: dict[str, Said]) -> None:
    now, before = said_by(name, made), kept[name]
    assert set(now) == set(before)
    assert [what for what in now if not says_the_same(before[what], now[what])] == []


def test_every_command_is_frozen(kept: dict[str, Said]) -> None:
    assert set(kept) == set(COMMANDS)


def test_other_digits_are_the_same_and_other_words_or_numbers_are_not() -> None:
    assert says_the_same(b'{"gap": 4.19e-09, "bits": 0.0449635331}', b'{"gap": 4.2e-09, "bits": 0.0449635329}')
    for other in (b"0.61 bits", b"0.6 nats", b"-0.6 bits", b"0.6", b"0.6 bits, 1"):
        assert not says_the_same(b"0.6 bits", other)
