"""The ledger: per data set a budget that cannot be overspent."""

from leakgauge.release.ledger.account import Account, ApproximateLimit, ConcentratedLimit, Unlimited
from leakgauge.release.ledger.admission import Spending
from leakgauge.release.ledger.cost import Cost
from leakgauge.release.ledger.entry import Entry
from leakgauge.release.ledger.ledger import Ledger, open_ledger
from leakgauge.release.ledger.period import Period

__all__ = [
    "Account",
    "ApproximateLimit",
    "ConcentratedLimit",
    "Cost",
    "Entry",
    "Ledger",
    "Period",
    "Spending",
    "Unlimited",
    "open_ledger",
]
