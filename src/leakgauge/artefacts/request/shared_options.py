"""Options that several verbs ask for in the same words, each with its type."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import ON_PAGE, Names, Option

Secrets: TypeAlias = Annotated[tuple[str, ...], Option("Secret; may be repeated.", "COLUMN", required=True)]
Together: TypeAlias = Annotated[bool, Option("Treat several secrets as one joint source.")]
Background: TypeAlias = Annotated[tuple[str, ...], Option("What the attacker knows; may be repeated.", "COLUMN")]
Weights: TypeAlias = Annotated[Path | None, Option("CSV label,value: how sensitive each value is.", "FILE")]
Bins: TypeAlias = Annotated[
    tuple[str, ...],
    Origin.DECLARED,
    ON_PAGE,
    Option("width:10, quantiles:5, edges:0,18,65, year, auto, …", "COLUMN=HOW"),
]
Levels: TypeAlias = Annotated[
    tuple[str, ...], Names.SPELLED, Option("Coarser values: level N of an ARX-style CSV file.", "COLUMN=FILE:N")
]
Confidence: TypeAlias = Annotated[float, Option("Confidence of the intervals.")]
