"""Sizes and boxes are read as people write them, and what is none is refused in one sentence."""

from __future__ import annotations

import pytest

from leakgauge.errors import OptionError
from leakgauge.location.box import Box, CellCounts, CellSide, CellSize, parse_box, parse_cell_size, parse_length


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500m", CellSide(500)),
        ("2km", CellSide(2000)),
        ("0.5 km", CellSide(500)),
        (" .5KM ", CellSide(500)),
        ("12x8", CellCounts(12, 8)),
        ("12 × 8", CellCounts(12, 8)),
    ],
)
def test_sizes_are_read(text: str, size: CellSize) -> None:
    assert parse_cell_size(text) == size


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "not a size; write a length with its unit") for text in ("500", "5 miles", "1,5km", "-3m", "x", "")),
        ("0m", "above 0"),
        ("0x5", "has no cells"),
    ],
)
def test_what_is_no_size_is_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_cell_size(text)


def test_lengths_name_their_option() -> None:
    assert parse_length("1.5km", "--within") == 1500
    with pytest.raises(OptionError, match="--within 'far' is not a length"):
        parse_length("far", "--within")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("40,41,3", "not four numbers"),
        ("a,b,c,d", "not four numbers"),
        ("41,40,3,4", "not on the map"),
        ("nan,40,3,4", "not on the map"),
        ("40,41,3,400", "not on the map"),
        ("-74.02,-73.92,40.7,40.7", "not on the map"),
    ],
)
def test_what_is_no_box_is_refused(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        parse_box(text)


def test_too_many_cells_are_refused() -> None:
    town = Box(40.70, 40.82, -74.02, -73.92)
    for text in ("30000x30000", "0.5m"):
        with pytest.raises(OptionError, match="more than 1,000,000"):
            parse_cell_size(text).on(town)
