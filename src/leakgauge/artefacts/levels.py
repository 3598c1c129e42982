"""A level of a notion as it is stored."""

from __future__ import annotations

import msgspec

from leakgauge.artefacts.quantity import Quantity, Real


class Witness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two inputs and, where one output decides, the output at which a level is reached."""

    inputs: tuple[str, ...]
    output: str | None = None


class Level(Quantity, frozen=True, forbid_unknown_fields=True):
    """A level with the parameters of its notion and where it is reached."""

    delta: Real | None = None
    order: Real | None = None
    witness: Witness | None = None
