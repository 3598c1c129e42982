"""Estimates from a release and its channels, or from the kit that came with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

from leakgauge.arguments import checked
from leakgauge.errors import OptionError
from leakgauge.release.estimates.kit import KIT, recipient_of
from leakgauge.release.estimates.reading import Read, protected_column
from leakgauge.release.estimates.recipient import Recipient
from leakgauge.tables import open_table
from leakgauge.tables.reading import ReadingOptions


@checked
def estimate(
    release: object,
    channels: Mapping[str, Read] | None = None,
    *,
    confidence: float = 0.95,
    rows_per_unit: int = 1,
    **reading: Unpack[ReadingOptions],
) -> Recipient:
    """Estimates from a release: ``shares``, ``crosstab`` and ``mean``, each with an interval.

    Args:
        release: the released table, a path or a frame; or the folder of a recipient's kit, which says everything else.
        channels: for each protected column its channel, the file of it, or its mechanism as on the command line.
        confidence: how often an interval contains the true value.
        rows_per_unit: the most rows of one person; that many count as one.
        reading: how the release is read, as ``open_table`` takes it: ``missing``, ``encoding``, ``decimal``, ….

    Raises:
        OptionError: no channels, channels beside a kit, or one for a column that the release does not have.
        FileError: a channel or kit that cannot be read.

    Example:
        >>> import pyarrow as pa
        >>> from leakgauge.mechanisms import randomized_response
        >>> released = pa.table({"illness": ["ill"] * 45 + ["well"] * 55})
        >>> found = estimate(released, {"illness": randomized_response(1.0, letters=["ill", "well"])}).shares("illness")
        >>> round(found.of("ill").value, 3), found.method.value
        (0.392, 'inversion')
    """
    if isinstance(release, str | Path) and (Path(release) / KIT).is_file():
        if channels or rows_per_unit != 1:
            raise OptionError(
                "{path} is a kit, which already says how its columns are read; leave the channels out.", path=release
            )
        return recipient_of(Path(release), confidence, reading)
    if not channels:
        # A kit that is not there is no table without a channel.
        open_table(release, **reading).close()
        raise OptionError(
            "No channel is given; name one for each protected column, such as {example!s}, or give the folder of a "
            "kit.",
            example="illness=channel.json",
        )
    protected = {name: protected_column(name, how) for name, how in channels.items()}
    recipient = Recipient(release, protected, confidence, rows_per_unit=rows_per_unit, reading=reading)
    recipient.require_columns()
    return recipient
