"""Parameters of which a few run in every test run and the rest every night."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import settings

EVERY_RUN = 25
"""Examples of a law in every run, where nothing else is said."""


def nightly(*values: Any) -> Any:
    """Parameters that are left to the night."""
    return pytest.param(*values, marks=pytest.mark.nightly)


def examples(few: int, **more: Any) -> settings:
    """Settings of a law whose examples are dear: so few in every run, and as many times more every night as others."""
    profile = settings.default
    assert profile is not None
    return settings(max_examples=few * profile.max_examples // EVERY_RUN, **more)


def diagonal(*axes: Sequence[Any]) -> list[Any]:
    """Every combination of the axes' values; those off the diagonal are marked nightly.

    The diagonal has as many members as the longest axis, and every value of every axis is in it.
    """
    on = {tuple(at % len(axis) for axis in axes) for at in range(max(map(len, axes)))}
    found = []
    for place in product(*(range(len(axis)) for axis in axes)):
        values = [axis[at] for axis, at in zip(axes, place, strict=True)]
        marks = () if place in on else pytest.mark.nightly
        found.append(pytest.param(*values, marks=marks, id="-".join(map(str, values))))
    return found
