"""What public columns reveal about the secrets, and how little they could reveal."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity
from leakgauge.sentences import Sentence


class TellingColumn(Part, frozen=True):
    """One public column and one secret.

    Attributes:
        tells: I(S;X), what the unchanged column reveals about the secret; None where its values are too many to count.
        distortion: the share of the column's values that may be changed.
        through: whether the column is released with this share changed.
        least: I(S;Y) of the channel that then reveals least about this secret; no channel reveals less than the lower
            end. For a column released through a channel, what it reveals.
        left_out: why there is no such channel here.
    """

    column: str
    secret: tuple[str, ...]
    distortion: float
    through: bool
    tells: Quantity | None = None
    least: Quantity | None = None
    left_out: Sentence | None = None


class Telling(Artefact, frozen=True, tag="leakgauge/telling/1"):
    """Every public column with every secret, the most revealing first; ``keep`` is what the channels keep of a
    column."""

    keep: Annotated[str, Origin.DECLARED]
    # The order follows from the table, so none of it is public.
    columns: tuple[TellingColumn, ...]
