"""The product says what it said when it was frozen; ``python -m tests.frozen`` shows what differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frozen.commands import COMMANDS
from tests.frozen.corpus import digests, frozen, frozen_digests, said_by, tables

_EVERY_RUN = ("misuse", "relate", "survey", "distortion")


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    with tables() as folder:
        yield folder


@pytest.mark.parametrize(
    "name", [name if name in _EVERY_RUN else pytest.param(name, marks=pytest.mark.nightly) for name in COMMANDS]
)
def test_a_command_says_what_was_frozen(name: str, made: Path) -> None:
    assert digests(said_by(name, made)) == frozen_digests()[name]


def test_the_digests_are_those_of_the_archive() -> None:
    assert frozen_digests() == {name: digests(said) for name, said in frozen().items()}
    assert set(frozen_digests()) == set(COMMANDS)
