"""What the international standards ask."""

from __future__ import annotations

from leakgauge.artefacts.clauses import Instrument, Item, Status
from leakgauge.languages import message

ISO_27559 = Instrument(
    "iso-27559",
    message("ISO/IEC 27559"),
    "international",
    Status.SUMMARY,
    (
        Item("context", message("Context of the release"), ("use",), ("purpose", "recipient", "recipient-environment")),
        Item("data", message("Data and what identifies people in them"), ("data", "identifiers")),
        Item("identifiability", message("How identifiable people are"), ("risks", "strongest-attack")),
        Item("mitigation", message("How identifiability was reduced"), ("measures", "guarantee")),
        Item("governance", message("Governance and review"), (), ("governance", "review")),
    ),
)
