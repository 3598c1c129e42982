"""What every stored thing is: frozen, and closed to fields that it does not have."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a stored thing."""


class Artefact(Part, frozen=True, tag_field="schema"):
    """A whole one, whose file says its kind and major, such as ``leakgauge/measure/1``."""
