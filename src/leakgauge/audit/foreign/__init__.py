"""Releases that were made elsewhere, of which there is no record."""

from leakgauge.audit.foreign.attacks import attack_foreign, left_out
from leakgauge.audit.foreign.columns import Changed
from leakgauge.audit.foreign.levels import shown_by_matched_rows
from leakgauge.audit.foreign.release import ForeignRelease, ForeignRoles, open_foreign, read_foreign

__all__ = [
    "Changed",
    "ForeignRelease",
    "ForeignRoles",
    "attack_foreign",
    "left_out",
    "open_foreign",
    "read_foreign",
    "shown_by_matched_rows",
]
