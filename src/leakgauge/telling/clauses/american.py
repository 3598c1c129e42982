"""What the United States ask."""

from __future__ import annotations

from leakgauge.artefacts.clauses import Instrument, Item, Status
from leakgauge.languages import message

NIST_800_188 = Instrument(
    "nist-800-188",
    message("NIST SP 800-188"),
    "us",
    Status.READ,
    (
        Item("goal", message("Goal of the release"), ("use", "scores"), ("purpose",)),
        Item("sharing", message("Data-sharing model"), (), ("sharing-model", "recipient")),
        Item("technique", message("De-identification technique"), ("measures",)),
        Item("risk", message("Measured risk"), ("risks", "strongest-attack")),
        Item("utility", message("What the data are still worth"), ("worth",)),
        Item("reassessment", message("When it is assessed again"), ("earlier-releases",), ("review",)),
        Item("board", message("Disclosure review board"), ("recommendation",), ("governance",)),
    ),
)
NIST_800_226 = Instrument(
    "nist-800-226",
    message("NIST SP 800-226"),
    "us",
    Status.READ,
    (
        Item("parameters", message("Claim of differential privacy: ε and δ"), ("dp-claim",)),
        Item("unit", message("Unit of privacy"), ("dp-unit",)),
        Item("neighbours", message("Neighbouring tables"), ("dp-neighbours",)),
        Item("trust", message("Trust model"), ("trust",)),
        Item("composition", message("Composition with other releases"), ("earlier-releases",)),
        Item("side-channels", message("Side channels and other assumptions"), ("assumptions",)),
        Item("collection", message("How the data were collected and are kept"), (), ("data-collection",)),
    ),
)
HIPAA = Instrument(
    "hipaa",
    message("HIPAA 164.514(b)(1)"),
    "us",
    Status.READ,
    (
        Item(
            "very-small-risk",
            message("(b)(1)(i): a very small risk that an anticipated recipient identifies somebody"),
            ("risks", "strongest-attack"),
            ("recipient", "expert"),
        ),
        Item("documented", message("(b)(1)(ii): methods and results are documented"), ("measures", "documents")),
    ),
)
