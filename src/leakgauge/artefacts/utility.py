"""What a release is worth to its readers."""

from __future__ import annotations

from leakgauge.artefacts.kinds import Artefact, Part
from leakgauge.artefacts.quantity import Quantity


class ColumnUtility(Part, frozen=True):
    """What one released column is worth.

    Attributes:
        protected: whether it went through a mechanism.
        distortion: the mean.
        unchanged: the share of rows that are released as they are.
        total_variation: between the shares of the values before and after.
    """

    protected: bool
    distortion: Quantity
    unchanged: Quantity
    total_variation: Quantity


class Utility(Artefact, frozen=True, tag="leakgauge/utility/1"):
    """What every released column is worth, by the law of the release."""

    columns: dict[str, ColumnUtility]
