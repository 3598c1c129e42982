"""Channels as CSV: a row per true value, a column per released value."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pyarrow as pa

from leakgauge.probability import Channel, Label
from leakgauge.release.estimates.kit_files.dictionary import csv_text
from leakgauge.release.files import rows_as_written, write_batches
from leakgauge.release.letters import letter_column

CORNER = "true value / released value"


def channel_csv(channel: Channel) -> str:
    """The channel with all digits; a missing value is the empty text, as in the release."""
    rows = (
        (value, *map(repr, map(float, row))) for value, row in zip(written(channel.inputs), channel.matrix, strict=True)
    )
    return csv_text([(CORNER, *written(channel.outputs)), *rows])


def written(labels: Sequence[Label]) -> list[str]:
    """The labels as a CSV release writes them."""
    file = BytesIO()
    batch = pa.RecordBatch.from_arrays([letter_column(labels)], ["label"])
    write_batches([batch], file, Path("labels.csv"), simulated=False)
    with rows_as_written(file.getvalue(), "csv") as (_, batches):
        return [text or "" for one in batches for text in one.column(0).to_pylist()]
