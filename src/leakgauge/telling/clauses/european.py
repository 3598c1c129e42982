"""What the European Union asks of whoever releases data about people."""

from __future__ import annotations

from leakgauge.artefacts.clauses import Instrument, Item, Status
from leakgauge.languages import message

GDPR = Instrument(
    "gdpr",
    message("GDPR Art. 35 and 36"),
    "eu",
    Status.READ,
    (
        Item(
            "35-7-a",
            message("35(7)(a): what is processed, and for what purpose"),
            ("data", "special-categories"),
            (
                *("purpose", "recipient", "legal-basis", "legitimate-interest", "controller", "subject-groups"),
                "special-categories",
            ),
        ),
        Item(
            "35-7-b",
            message("35(7)(b): whether it is necessary and proportionate"),
            ("options", "scores", "withheld"),
            ("why-not-less", "retention", "transfers"),
        ),
        Item("35-7-c", message("35(7)(c): risks to people"), ("risks", "unchecked"), ("severity",)),
        Item(
            "35-7-d",
            message("35(7)(d): measures against these risks"),
            ("measures", "guarantee"),
            ("organisational-measures",),
        ),
        Item("35-2", message("35(2): advice of the data-protection officer"), (), ("advice",)),
        Item("36", message("36: whether the authority must be consulted first"), ("risk-level",), ("consultation",)),
    ),
)
WP29 = Instrument(
    "wp29",
    message("WP29 Opinion 05/2014"),
    "eu",
    Status.READ,
    (
        Item("singling-out", message("Singling out"), ("singling-out",)),
        Item("linking", message("Linking"), ("linking",)),
        Item("inferring", message("Inferring"), ("inferring", "strongest-attack")),
    ),
)
EHDS = Instrument(
    "ehds",
    message("EHDS, TEHDAS2"),
    "eu",
    Status.SUMMARY,
    (
        Item("minimisation", message("Only the data that are needed"), ("data", "withheld"), ("why-not-less",)),
        Item("anonymisation", message("Anonymised or synthetic data"), ("measures", "risks"), ("why-not-less",)),
        Item(
            "environment",
            message("Environment in which the recipient works"),
            (),
            ("recipient", "recipient-environment"),
        ),
    ),
)
