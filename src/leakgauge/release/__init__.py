"""Releases: plans, protected tables with their records, private answers, and the ledger that counts them."""

from leakgauge.artefacts.record import Check
from leakgauge.release.bound import BoundPlan
from leakgauge.release.execution import Progress, Release, Stage, preview, release
from leakgauge.release.plan import ReleasePlan, plan_files, read_plan
from leakgauge.release.priors import Prior, bound_channel, own_prior
from leakgauge.release.record import read_record
from leakgauge.release.verification import Verification, verify

__all__ = [
    "BoundPlan",
    "Check",
    "Prior",
    "Progress",
    "Release",
    "ReleasePlan",
    "Stage",
    "Verification",
    "bound_channel",
    "own_prior",
    "plan_files",
    "preview",
    "read_plan",
    "read_record",
    "release",
    "verify",
]
