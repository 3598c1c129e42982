"""Noise kept for people whose values do not change: one draw for each person, value and channel.

Releases repeated with fresh noise can be averaged until the noise cancels. Kept, the released value follows from the
person, from what the mechanism reads of them and from its channel, by a keyed hash whose key stays in the ledger: a
second release of the same value repeats the first and tells nothing new. It also shows when a value changed, so that
claims about several rows or releases of one person hold given which of their values are the same.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from leakgauge.errors import OptionError
from leakgauge.mechanisms.mechanism import Outputs
from leakgauge.probability import Channel, Label
from leakgauge.probability.cells import Codes
from leakgauge.probability.labels import text_of
from leakgauge.randomness import Randomness
from leakgauge.randomness.keyed import NoiseKey, framed
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Kept, KeptCost
from leakgauge.release.letters import encoded, spelling_of

if TYPE_CHECKING:
    from leakgauge.release.bound import BoundColumn, BoundPlan
    from leakgauge.release.plan import ReleasePlan


class Noise(StrEnum):
    """Whether people whose values do not change keep their noise, or have fresh noise in every release."""

    KEPT = "kept"
    FRESH = "fresh"


def with_noise(plan: ReleasePlan, *, counted: bool, on_workers: bool = False) -> ReleasePlan:
    """The plan that says whether its noise is kept: by default where it names a unit and a ledger counts it.

    A plan that neither asks nor could keep it says nothing. Workers of an engine are never sent the key.

    Raises:
        OptionError: kept noise is asked for without a unit or a ledger, or on workers.
    """
    possible = plan.unit.column is not None and counted
    if plan.noise is Noise.KEPT and not possible:
        raise OptionError(
            "Kept noise needs to know which rows are one person's, and a ledger that keeps its key; name a unit with "
            "its rows per unit and a ledger, or leave --noise kept out."
        )
    if plan.noise is Noise.KEPT and on_workers:
        raise OptionError(
            "The key of kept noise does not leave this process, so workers cannot keep it; leave --noise kept or "
            "--on-workers out."
        )
    if plan.noise is not None or not possible:
        return plan
    found = copy.copy(plan)
    found.noise = Noise.FRESH if on_workers else Noise.KEPT
    return found


def can_keep(column: BoundColumn) -> bool:
    """Whether the noise of a column can be kept: that of a finite channel, whose draw reads one word."""
    law, none = column.mechanism.law, np.empty(0, dtype=np.int64)
    if law is None or column.mechanism.recorded_channel() is None:
        return False
    return law.draw_by_words(none, none.astype(np.uint64)) is not None


def kept_costs(plan: BoundPlan, key: NoiseKey) -> Kept:
    """What a ledger notes of the noise that a release keeps."""
    return Kept(
        key.identity,
        tuple(
            KeptCost(key.name_of(context_of(one)), Cost((plan.unit.cost(one.mechanism.step()),)).total, one.reads)
            for one in plan.protecting
            if one.name in (plan.kept or ())
        ),
    )


@dataclass(frozen=True, eq=False)
class KeptNoise:
    """The noise of columns that is kept, by the key of an account.

    Attributes:
        unit: the column whose values tell people apart.
        names: of the mechanisms whose noise is kept.
    """

    key: NoiseKey
    unit: str
    names: tuple[str, ...]
    _contexts: dict[str, bytes] = field(default_factory=dict, repr=False)

    def outputs(self, column: BoundColumn, inputs: Codes, units: pa.Array, randomness: Randomness) -> Outputs:
        """The coded output in each row; rows of nobody, whose unit is missing, have fresh noise."""
        law = column.mechanism.law
        assert law is not None
        if column.name not in self._contexts:
            self._contexts[column.name] = context_of(column)
        values, whose = encoded(_plain(units), self.unit)
        nobody = np.flatnonzero(np.asarray(values.is_null()))
        pairs, rows = np.unique(whose * len(column.form.labels) + inputs, return_inverse=True)
        people = [_framed(text) for text in _texts(values)]
        letters = [_framed(encoding(label)) for label in column.form.labels]
        persons, read = np.divmod(pairs, len(letters))
        items = (people[one] + letters[other] for one, other in zip(persons.tolist(), read.tolist(), strict=True))
        drawn = law.draw_by_words(read, self.key.words(self._contexts[column.name], items))
        assert drawn is not None
        outputs: Outputs = drawn[rows]
        # Whoever has no identifier would share the noise of strangers.
        alone = np.flatnonzero(np.isin(whose, nobody))
        if alone.size:
            outputs[alone] = law.draw(inputs[alone], randomness)
        return outputs


def context_of(column: BoundColumn) -> bytes:
    """What all draws of a mechanism have in common: the columns it reads and writes, and its channel."""
    channel = column.mechanism.recorded_channel()
    assert channel is not None
    names = [framed(*(name.encode() for name in names)) for names in (column.reads, column.writes)]
    return framed(*names, channel_digest(channel))


def channel_digest(channel: Channel) -> bytes:
    """SHA-256 of a channel: its inputs and outputs in order, and every probability above 0, to the last bit."""
    rows, columns, values = channel.cells.nonzero()
    labels = [framed(*map(encoding, each)) for each in (channel.inputs, channel.outputs)]
    cells = (rows.astype("<i8"), columns.astype("<i8"), values.astype("<f8"))
    return hashlib.sha256(framed(*labels, *(one.tobytes() for one in cells))).digest()


def encoding(label: Label) -> bytes:
    """A label with its type, so that 1, 1.0, true and "1" are four; a tuple is that of its parts."""
    if isinstance(label, tuple):
        return b"tuple" + framed(*map(encoding, label))
    kind = next((name for name, types in _KINDS.items() if isinstance(label, types)), "text")
    return framed(kind.encode(), text_of(label).encode("utf-8", "surrogatepass"))


_KINDS: dict[str, type | tuple[type, ...]] = {
    "missing": type(None),
    "truth": (bool, np.bool_),
    "whole number": Integral,
    "number": Real,
}
"""The kinds of labels that a text does not tell apart, the narrower ones first."""


def _framed(text: bytes) -> bytes:
    """A text after its length, of which several in a row are unambiguous where their number is fixed."""
    return len(text).to_bytes(8, "little") + text


def _plain(values: pa.Array) -> pa.Array:
    """Values without a dictionary, in which a missing one has no number."""
    return values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values


def _texts(values: pa.Array) -> Sequence[bytes]:
    """The texts of units, the same whether a number was read as whole, with a decimal point, or as text.

    In one table no two units have one text: a column is of one type.
    """
    if pa.types.is_floating(values.type):
        return [spelling_of(value).encode() for value in values.to_pylist()]
    if pa.types.is_binary(values.type) or pa.types.is_large_binary(values.type):
        return [value or b"" for value in values.to_pylist()]
    texts = pc.cast(values, pa.string()).to_pylist()
    return [(text or "").encode("utf-8", "surrogatepass") for text in texts]
