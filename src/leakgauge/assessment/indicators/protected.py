"""One protected column: what went in, what came out, and by which mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from leakgauge.assessment.indicators.setting import NumberSetting, Setting, setting_of
from leakgauge.assessment.indicators.source import source_of
from leakgauge.case.drawn import Drawn, ReleasedColumn, Secret
from leakgauge.case.reading import read_drawn
from leakgauge.claims import ApproximateDP, CentralDP, LocalDP
from leakgauge.errors import ColumnError, OptionError, did_you_mean
from leakgauge.mechanisms import Mechanism
from leakgauge.mechanisms.letter_sets import LetterSets, Members
from leakgauge.notions.ceilings import Promise
from leakgauge.probability import Channel
from leakgauge.probability.cells import Codes, Floats
from leakgauge.randomness import Randomness
from leakgauge.release import Release
from leakgauge.release.bound import BoundColumn
from leakgauge.release.recorded_plan import as_released
from leakgauge.tables import Table


@dataclass(frozen=True, eq=False)
class ProtectedColumn:
    """What went in and came out, of letters the number of each row's, with what attacks on it need.

    The digest of the record and the bytes per record of the whole release are None of a simulation.
    """

    inputs: Codes | Floats
    outputs: Codes | Floats
    setting: Setting
    drawn: Drawn
    released: ReleasedColumn
    record_digest: str | None = None
    bytes_per_record: float | None = None


def protected_of_release(
    record: Release | Path | str, original: Table, released: Path | str | None = None, column: str | None = None
) -> ProtectedColumn:
    """A column of a release with its original, row by row.

    The released table may be named where it is not where the record says, and the column where several are protected.

    Raises:
        FileError, VerificationError, TableError, ColumnError: of a record, release or table that cannot be used.
        OptionError: several columns are protected and none is named.
    """
    release = Release.read(record)
    said = release.record
    drawn = read_drawn(release, original, released=released)
    made = _chosen(drawn.columns, column)
    seen = as_released(original, said.plan)
    setting = setting_of(made.mechanism, source_of(seen, *made.reads, public=drawn.public, whole=not drawn.is_sample))
    return _protected(setting, made, drawn, said.digest, said.output.bytes / original.rows)


def protected_column(table: Table, column: str, mechanism: Mechanism, randomness: Randomness) -> ProtectedColumn:
    """A simulated release of one column; nothing is written.

    Raises:
        ColumnError: a column that is not there, or holds values that the mechanism cannot take.
        OptionError: a mechanism that releases no columns.
    """
    return released_again(setting_of(mechanism, source_of(table, column)), randomness)


def released_again(setting: Setting, randomness: Randomness) -> ProtectedColumn:
    """A simulated release of a column that was read before."""
    source = setting.source
    bound = BoundColumn(source.name, setting.mechanism, source.names, source.names)
    inputs = bound.form.inputs(source.values)
    law = bound.form.law
    pure = [one.level for one in setting.claims if isinstance(one, LocalDP | CentralDP) and np.isfinite(one.level)]
    spent = [(one.epsilon, one.delta) for one in setting.claims if isinstance(one, ApproximateDP)]
    promises = (*map(Promise, pure), *(Promise(*one) for one in spent))
    made = ReleasedColumn(source.names, source.names, setting.mechanism, inputs, law.draw(inputs, randomness), promises)
    secret = tuple(name for name in source.names if name not in source.public)
    drawn = Drawn(
        (made,),
        (Secret(secret, made, source.secrets),),
        np.zeros(source.rows, dtype=np.int64),
        (),
        source.classes,
        source.public,
        promises,
    )
    return _protected(setting, made, drawn)


def _protected(
    setting: Setting,
    released: ReleasedColumn,
    drawn: Drawn,
    record_digest: str | None = None,
    bytes_per_record: float | None = None,
) -> ProtectedColumn:
    inputs: Codes | Floats = released.inputs
    outputs: Codes | Floats = released.outputs
    if isinstance(setting, NumberSetting):
        inputs = setting.numbers
        outputs = np.asarray(setting.noise.from_grid(outputs.astype(np.int64)), dtype=np.float64)
    elif (sets := setting.mechanism.sets) is not None:
        outputs = _set_numbers(sets, setting.channel, released.outputs.astype(np.bool_))
    if setting.source.public:
        # What is public and goes into the mechanism is known to everyone who guesses the rest.
        drawn = replace(drawn, background=setting.source.classes, knows=setting.source.public)
    return ProtectedColumn(inputs, outputs, setting, drawn, released, record_digest, bytes_per_record)


def _set_numbers(sets: LetterSets, channel: Channel, members: Members) -> Codes:
    """Of each released set its number among the channel's outputs."""
    packed, places = np.unique(np.packbits(members, axis=1), axis=0, return_inverse=True)
    texts = sets.texts(np.unpackbits(packed, axis=1, count=members.shape[1]).astype(np.bool_))
    at = {text: number for number, text in enumerate(channel.outputs)}
    return np.array([at[text] for text in texts], dtype=np.int64)[places.reshape(-1)]


def _chosen(columns: Sequence[ReleasedColumn], name: str | None) -> ReleasedColumn:
    readable = {", ".join(one.reads): one for one in columns}
    if name is None:
        if len(columns) > 1:
            raise OptionError(
                "The release protects {count} columns ({names!s}); name the column to assess.",
                count=len(columns),
                names=tuple(readable),
            )
        return columns[0]
    for one in columns:
        if name in one.reads or name in (", ".join(one.reads), ", ".join(one.writes)):
            return one
    raise ColumnError(
        "Column {name!r} is not released through a mechanism; {hint}", name=name, hint=did_you_mean(name, readable)
    )
