"""What the People's Republic of China asks."""

from __future__ import annotations

from leakgauge.artefacts.clauses import Instrument, Item, Status
from leakgauge.languages import message

PIPL = Instrument(
    "pipl",
    message("PIPL Art. 55 and 56"),
    "china",
    Status.READ,
    (
        Item(
            "55",
            message(
                "55: whether an assessment is due (sensitive personal information, automated "
                "decisions, entrusted processing, provision or publication, transfer abroad, other "
                "processing with a major effect on people's rights)"
            ),
            ("special-categories",),
            ("assessment-due", "special-categories", "recipient", "transfers"),
        ),
        Item(
            "56-1",
            message("56(1): whether purpose and manner are lawful, legitimate and necessary"),
            ("data", "use", "options"),
            ("purpose", "legal-basis", "controller", "why-not-less"),
        ),
        Item("56-2", message("56(2): effect on people's rights, and risks"), ("risks", "unchecked"), ("severity",)),
        Item(
            "56-3",
            message("56(3): whether the measures are lawful, effective and fit the risk"),
            ("measures", "guarantee", "risk-level"),
            ("organisational-measures",),
        ),
        Item(
            "56-retention",
            message("56: report and processing record are kept for at least three years"),
            ("keep-until",),
        ),
    ),
)
GBT_35273 = Instrument(
    "gbt-35273",
    message("GB/T 35273"),
    "china",
    Status.SUMMARY,
    (
        Item("de-identification", message("De-identification"), ("measures",), ("organisational-measures",)),
        Item("entrusting", message("Entrusted processing"), (), ("entrusted-processing",)),
        Item("sharing", message("Sharing and transfer"), ("withheld",), ("recipient", "sharing-model")),
        Item("disclosure", message("Public disclosure"), ("risks",), ("public-disclosure",)),
    ),
)
GBT_37964 = Instrument(
    "gbt-37964",
    message("GB/T 37964"),
    "china",
    Status.SUMMARY,
    (
        Item("goal", message("Set the goal"), ("use", "limits", "file-goal")),
        Item("identify", message("Find what identifies people"), ("identifiers", "file-identify")),
        Item("process", message("Treat what identifies people"), ("measures", "file-process")),
        Item("verify", message("Verify and approve"), ("scores", "recommendation", "file-verify")),
        Item("review", message("Monitor and review"), ("earlier-releases",), ("review", "governance")),
    ),
)
GBT_42460 = Instrument(
    "gbt-42460",
    message("GB/T 42460"),
    "china",
    Status.SUMMARY,
    (Item("level", message("Level of de-identification, from 1 to 4"), ("effect-level",), ("effect-level",)),),
)
