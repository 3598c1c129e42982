"""The kinds of artefacts, their ids and the JSON Schemas in the package."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from leakgauge.artefacts.quantity import Artefact, Part
from leakgauge.artefacts.schemas import FOLDER, SCHEMAS
from tests.artefacts.exported import exported


def stored(part: type[Part]) -> Iterator[type[Part]]:
    """Every type below one whose files say their schema."""
    for kind in part.__subclasses__():
        if kind is not Artefact and kind.__struct_config__.tag_field == "schema" and kind.__struct_config__.tag:
            yield kind
        yield from stored(kind)


def test_every_kind_has_an_id_of_its_own() -> None:
    assert {*SCHEMAS.values()} == {*stored(Part)}
    assert len(SCHEMAS) == len([*stored(Part)])
    for name in SCHEMAS:
        assert re.fullmatch(r"leakgauge/[a-z-]+/[1-9]\d*", name)


@pytest.mark.parametrize("name", sorted(exported()))
def test_the_schema_in_the_package_is_that_of_the_type(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == exported()[name], "run python -m tests.artefacts.exported"


def test_no_schema_is_left_over() -> None:
    assert {place.name for place in FOLDER.glob("*.json")} == set(exported())


def test_every_type_is_frozen_and_refuses_fields_it_does_not_know() -> None:
    for kind in SCHEMAS.values():
        assert kind.__struct_config__.frozen and kind.__struct_config__.forbid_unknown_fields, kind
