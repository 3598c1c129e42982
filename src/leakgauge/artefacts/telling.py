"""What public columns tell of the secrets, and how little they could tell."""

from __future__ import annotations

from typing import Annotated

from leakgauge.artefacts.quantity import Artefact, Origin, Part, Quantity
from leakgauge.sentences import Sentence


class TellingColumn(Part, frozen=True):
    """One public column and one secret.

    Attributes:
        tells: I(S;X), what the column tells of the secret when it is released as it is; None where its values are too
            many to be counted.
        distortion: the share of the column's values that may be changed.
        through: whether the column is released with so many changed.
        least: I(S;Y) of the channel that tells least of this secret then; no channel tells less than the lower end.
            Of a column that is released through a channel, what it tells so.
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
    """Every public column with every secret, the most telling first; ``keep`` is what the channels keep of a column."""

    keep: Annotated[str, Origin.DECLARED]
    # Which is first follows from the table, so that nothing of them is for everybody.
    columns: tuple[TellingColumn, ...]
