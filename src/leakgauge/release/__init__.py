"""Releases: plans, protected tables with their records, private answers, and the ledger that counts them."""

from leakgauge.release.execution import Release, preview, release
from leakgauge.release.plan import ReleasePlan, read_plan
from leakgauge.release.priors import Prior
from leakgauge.release.record import read_record
from leakgauge.release.verification import Verification, verify

__all__ = [
    "Prior",
    "Release",
    "ReleasePlan",
    "Verification",
    "preview",
    "read_plan",
    "read_record",
    "release",
    "verify",
]
