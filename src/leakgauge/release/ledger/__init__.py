"""The ledger: per data set a budget that cannot be overspent."""

from leakgauge.release.ledger.account import (
    ONE_ROW,
    Account,
    ApproximateLimit,
    ConcentratedLimit,
    Limit,
    Unlimited,
    default_dataset,
    require_account,
)
from leakgauge.release.ledger.admission import Rule, Spending, Verdict
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Entry, Kind
from leakgauge.release.ledger.ledger import Ledger, ledger_files, open_ledger

__all__ = [
    "ONE_ROW",
    "Account",
    "ApproximateLimit",
    "ConcentratedLimit",
    "Cost",
    "Entry",
    "Kind",
    "Ledger",
    "Limit",
    "Rule",
    "Spending",
    "Unlimited",
    "Verdict",
    "default_dataset",
    "ledger_files",
    "open_ledger",
    "require_account",
]
