"""What mechanisms for one secret are compared by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from leakgauge.artefacts.request.part import Option, RequestPart
from leakgauge.artefacts.request.shared_options import WEIGHTS, Background, Bins, Kept, Levels, Secrets


class Comparing(RequestPart, frozen=True):
    """What mechanisms are compared by, with the names and meanings of ``lg.compare``."""

    secret: Secrets
    background: Background = ()
    knowledge: Annotated[
        str | None,
        Option("both: compare with channels that read the background too.", choices=("attacker", "both")),
    ] = None
    max_distortion: Annotated[float | None, Option("The largest mean distortion allowed.", "D")] = None
    max_leakage: Annotated[float | None, Option("The largest leakage allowed, in bits.", "BITS")] = None
    through: Annotated[
        str | None, Option("Rank mechanisms for this column by what it then reveals about the secret.", "COLUMN")
    ] = None
    keep: Kept = "nothing"
    weights: Annotated[Path | str | Mapping[Any, float] | None, WEIGHTS] = None
    bins: Bins = ()
    levels: Levels = ()
    by: Annotated[
        str,
        Option("What ranks the mechanisms that meet the target.", choices=("bits", "epsilon", "identifiability")),
    ] = "bits"
    gap: Annotated[
        float | None, Option("Proven distance from the optimum, in nats; 1e-9, with weights 1e-6.", "NATS")
    ] = None
