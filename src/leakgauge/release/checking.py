"""Whether what a record says agrees with what is computed again."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import msgspec

from leakgauge.artefacts import Origin, Sentence
from leakgauge.artefacts.record import Check
from leakgauge.errors import VerificationError

_SAME = 1e-9
"""Numbers of another version of a library may differ by this much, relatively."""
ANOTHER: Final = Sentence("computed again it is another")
_NOTHING: Final = Sentence("")


def checked(name: Sentence, holds: bool, otherwise: Sentence) -> Check:
    """A check with the reason that it has where it does not hold."""
    return Check(name, holds, _NOTHING if holds else otherwise)


def same(name: Sentence, said: object, computed: object) -> Check:
    """Whether what a record says is what is computed again."""
    return checked(name, agree(said, computed), ANOTHER)


def failed(name: Sentence, error: VerificationError) -> Check:
    """A check that an error answered."""
    return Check(name, False, error.sentence)


def agree(said: object, computed: object) -> bool:
    """Whether two values are the same: numbers up to rounding, sentences by what they say.

    What is said to come from the table, as records before did of everything, is shown to nobody and so never wrong.
    """
    if isinstance(said, msgspec.Struct) and type(said) is type(computed):
        return all(agree(getattr(said, name), getattr(computed, name)) for name in said.__struct_fields__)
    if isinstance(said, dict) and isinstance(computed, dict):
        return said.keys() == computed.keys() and all(agree(said[key], computed[key]) for key in said)
    if isinstance(said, list | tuple) and isinstance(computed, list | tuple):
        return len(said) == len(computed) and all(map(agree, said, computed))
    if isinstance(said, int | float) and isinstance(computed, int | float):
        return math.isclose(said, computed, rel_tol=_SAME, abs_tol=1e-15)
    if isinstance(said, Sentence) and isinstance(computed, Sentence):
        return str(said) == str(computed)
    return said == computed or (said is Origin.TABLE and isinstance(computed, Origin))


def agree_in_any_order(said: Iterable[object], computed: Iterable[object]) -> bool:
    """Whether the same values stand in both."""
    left = list(said)
    for one in computed:
        alike = next((other for other in left if agree(other, one)), None)
        if alike is None:
            return False
        left.remove(alike)
    return not left
