"""Options that several verbs ask for in the same words, each with its type."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias

from leakgauge.artefacts.quantity import Origin
from leakgauge.artefacts.request.part import IN_WORDS, Asked, Names, Option

USES: Final = ("statistics", "rows")
KEPT: Final = ("nothing", "shares", "associations")

Secrets: TypeAlias = Annotated[tuple[str, ...], Option("Secret; may be repeated.", "COLUMN", required=True)]
Together: TypeAlias = Annotated[bool, Option("Treat several secrets as one joint source.")]
Background: TypeAlias = Annotated[tuple[str, ...], Option("What the attacker knows; may be repeated.", "COLUMN")]
WEIGHTS: Final = Option("CSV label,value: how sensitive each value is.", "FILE")
Weights: TypeAlias = Annotated[Path | None, WEIGHTS]
Distortion: TypeAlias = Annotated[
    tuple[str, ...],
    Option(
        "hamming, absolute, squared, great-circle (km), or a CSV file; of several columns, such as age=absolute:0.1, "
        "they are added up.",
        "[COLUMN=]NAME|FILE[:WEIGHT]",
        default="hamming",
    ),
]
Kept: TypeAlias = Annotated[
    str,
    Option(
        "Release every value as often as it occurs, or also as often within each background.", choices=KEPT, default=""
    ),
]
Bins: TypeAlias = Annotated[
    Asked[tuple[str, ...]], Option("width:10, quantiles:5, edges:0,18,65, year, auto, …", "COLUMN=HOW")
]
Levels: TypeAlias = Annotated[
    tuple[str, ...], Names.SPELLED, Option("Coarser values: level N of an ARX-style CSV file.", "COLUMN=FILE:N")
]
Confidence: TypeAlias = Annotated[float, Option("Confidence of the intervals.")]
MinProtection: TypeAlias = Annotated[
    float | None, Option("The least protection of a typical person, from 0 to 100.", "P")
]
MinUsefulness: TypeAlias = Annotated[Asked[float | None], Option("The least usefulness, from 0 to 100.", "U")]
UseOfRelease: TypeAlias = Annotated[
    Asked[str], Option("What readers do with the release: shares and cross-tables, or single rows.", choices=USES)
]
KeepOrder: TypeAlias = Annotated[
    Asked[bool], Option("Release rows in the table's order, which may reveal more than their values.")
]
OrderBy: TypeAlias = Annotated[
    Asked[str | None],
    Option(
        "The column, such as a time, that orders the rows for whoever sees them; public, or with --keep-order.",
        "COLUMN",
    ),
]
HIGH: Final = "high"
SENSITIVITIES: Final = ("ordinary", HIGH)
NOISES: Final = ("kept", "fresh")
Noise: TypeAlias = Annotated[
    str | None,
    Origin.DECLARED,
    Option(
        "kept: people whose values stay the same keep the noise of earlier releases, by default with a unit, its rows "
        "per unit and a ledger; fresh: new noise in every release.",
        choices=NOISES,
        default="",
    ),
]
Sensitivity: TypeAlias = Annotated[
    str | None,
    Origin.DECLARED,
    Option("Declared: how sensitive the data are; high: stricter limits by default.", choices=SENSITIVITIES),
]
StrongestAttacker: TypeAlias = Annotated[
    str | None,
    Origin.DECLARED,
    Option(
        "The strongest attacker to judge by, and why no stronger one: knows-columns='nobody has a key'.",
        "NAME=REASON",
    ),
]
Dataset: TypeAlias = Annotated[str | None, Option("The account in the ledger; default: the table's name.", "NAME")]
Purpose: TypeAlias = Annotated[Asked[str | None], IN_WORDS, Option("Declared: what the release is for.", "TEXT")]
Recipient: TypeAlias = Annotated[Asked[str | None], IN_WORDS, Option("Declared: who gets it.", "TEXT")]
Review: TypeAlias = Annotated[Asked[str | None], IN_WORDS, Option("Declared: when to review it.", "DATE")]
WHICH_CLAUSES: Final = Option(
    "Which clauses the report walks through: gdpr, pipl, us, all, …, or a file of your own; may be repeated.",
    "NAME|FILE.toml",
)
ASSESSMENT: Final = Option("What you declare for them, in TOML; report --assessment-form writes a form.", "FILE")
Contact: TypeAlias = Annotated[
    Asked[str | None], IN_WORDS, Option("Declared: whom recipients ask about the release.", "TEXT")
]
TermsOfUse: TypeAlias = Annotated[
    Asked[str | None], IN_WORDS, Option("Declared: what recipients may and may not do with the release.", "TEXT")
]
