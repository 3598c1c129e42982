"""Values of a table that a release itself shows; whatever is handed out beside it names no others."""

from __future__ import annotations

from pathlib import Path

from leakgauge.mechanisms.letter_sets import SEPARATOR
from leakgauge.probability import Label, PriorOrigin
from leakgauge.release.bound import BoundColumn
from leakgauge.release.files import shown_values
from leakgauge.release.letters import places_among


def names_unseen_values(column: BoundColumn, release: Path | None, extension: str) -> bool:
    """Whether the mechanism of a column names values of the table that the release never shows.

    A noisy histogram pays for the counts, and not for which values occur. Of a release that is not a file, and of a
    channel of several columns, it is not looked up: their values count as not shown.
    """
    bought = column.channel is not None and column.channel.prior_origin is PriorOrigin.NOISY_HISTOGRAM
    if not (column.letters_from_table or bought):
        return False
    if release is None or column.reads != column.writes or len(column.writes) > 1:
        return True
    shown = shown_values(release, extension, column.writes[0])
    letters: tuple[Label, ...] = tuple(column.mechanism.letters or ())
    if column.mechanism.sets is not None:
        parts: dict[Label, None] = {text: None for one in shown for text in str(one or "").split(SEPARATOR)}
        letters, shown = column.mechanism.sets.letter_texts, list(parts)
    return not set(range(len(letters))) <= set(places_among(letters, shown).tolist())
