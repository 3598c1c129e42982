"""The ledger: per data set a budget that cannot be overspent."""

from leakgauge.release.ledger.account import Account
from leakgauge.release.ledger.admission import Rule, Spending, Verdict
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Entry, Kind
from leakgauge.release.ledger.ledger import Ledger
from leakgauge.release.ledger.limits import ApproximateLimit, ConcentratedLimit, Limit, Unlimited
from leakgauge.release.ledger.opening import open_ledger

__all__ = [
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
    "open_ledger",
]
