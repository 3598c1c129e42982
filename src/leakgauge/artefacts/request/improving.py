"""What a search for a better setting asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Required

from leakgauge.artefacts.request.part import Names, Option, RequestPart
from leakgauge.artefacts.request.reading import ReadingOptions
from leakgauge.artefacts.request.shared_options import Background, Dataset, MinProtection, MinUsefulness, UseOfRelease
from leakgauge.errors import OptionError


class Improving(RequestPart, frozen=True):
    """What a search asks for, by the names and with the meanings of ``lg.improve``."""

    secret: Annotated[str, Option("The column to protect.", "COLUMN", required=True)]
    min_protection: MinProtection = None
    min_usefulness: MinUsefulness = None
    min_guarantee: Annotated[
        float | None, Option("The least guarantee from the claim alone, from 0 to 100: 54 is ε = 1.", "G")
    ] = None
    use: UseOfRelease = "statistics"
    public: Annotated[tuple[str, ...], Option("Released unchanged next to the secret; may be repeated.", "COLUMN")] = ()
    background: Background = ()
    lower: Annotated[float | None, Option("The publicly known least value of a numeric secret.", "NUMBER")] = None
    upper: Annotated[float | None, Option("The greatest value.", "NUMBER")] = None
    keep: Annotated[
        str,
        Option(
            "shares: designed channels release every value as often as it occurs; nothing goes with --accounted.",
            choices=("nothing", "shares"),
        ),
    ] = "shares"
    start: Annotated[
        Path | str | None, Option("An earlier release: its mechanism is the cheapest to change.", "RECORD")
    ] = None
    accounted: Annotated[float | None, Option("Search a noisy histogram paid from the ledger.", "EPSILON")] = None
    ledger: Annotated[str | None, Names.PLACE, Option("The ledger that pays for the histogram.", "PATH|ADDRESS")] = None
    dataset: Dataset = None

    def require_asked(self) -> None:
        """Refuse a search for nothing, and one among channels that recipients can use for nothing."""
        if self.min_protection is None and self.min_usefulness is None:
            raise OptionError("No requirement is given; give --min-protection, --min-usefulness or both.")
        if self.accounted is None and (self.ledger, self.dataset) != (None, None):
            raise OptionError(
                "--ledger and --dataset pay for a noisy histogram, but none is used; give --accounted, or "
                "leave them out."
            )
        if self.keep == "nothing" and self.accounted is None:
            raise OptionError(
                "--keep nothing searches among channels that follow from private counts and change the shares, from "
                "which recipients can compute nothing; leave it out, or buy a histogram with --accounted."
            )


class ImproveOptions(ReadingOptions, total=False):
    """Keyword arguments of ``lg.improve``: the same, and how the table is read."""

    secret: Required[str]
    min_protection: float | None
    min_usefulness: float | None
    min_guarantee: float | None
    use: str
    public: Sequence[str]
    background: Sequence[str]
    lower: float | None
    upper: float | None
    keep: str
    start: Path | str | None
    accounted: float | None
    ledger: str | None
    dataset: str | None
